//! What the arguments of a run have to fulfil, in addition to its plan.

use anyhow::{Result, bail};
use fsarena_analyse::{covered, not_here, unknown_names};
use fsarena_execute::estimated_round;
use fsarena_lane::{KINDS, lane_count};
use fsarena_model::{Contender, DebianRelease, Medium, Mode, Often, Plan, Rounds, Storage};
use fsarena_place::{ENGINES, Refusal, Refusals};

use crate::cli::{Compare, GUEST_MEMORY, Setup};

/// Refuses a budget that is too short for one round.
pub fn require_time(plan: &Plan) -> Result<()> {
    let Rounds::Within(budget) = plan.rounds else { return Ok(()) };
    Ok(fsarena_execute::require_time(plan, estimated_round(plan), budget)?)
}

/// Refuses options that would have no effect: the user believes that they have one.
pub fn require_effect(arguments: &Compare, storage: &Storage) -> Result<()> {
    let Compare { own, setup, .. } = arguments;
    let place = &setup.place;
    let mut refusals = Refusals::default();
    if let Some(option) = own.typed().first().filter(|_| own.commands.is_empty()) {
        let text = format!("`{option}` is about a command of your own, and none is given");
        refusals.add(Refusal::wrong_use(text, "--command 'COMMAND {dir}'"));
    }
    if let Some(named) = setup.conditions.erase.first().filter(|_| storage.disks().is_empty()) {
        let text = format!("`--erase {named}` names none of the disks of this run");
        refusals.add(Refusal::wrong_use(text, "name the disk with --storage"));
    }
    if let Some(named) =
        setup.conditions.storage.as_ref().filter(|_| *storage != Storage::Memory && place.simulated().is_some())
    {
        let text = format!("`--storage {named}` has no effect: lanes lie on a disk that the guest simulates");
        refusals.add(Refusal::wrong_use(text, "leave it out, or leave out --guest-disk and `--guest deterministic`"));
    }
    if arguments.precondition && *storage == Storage::Memory {
        let text = "`--precondition` is about SSDs, and lanes are in memory, which has no state to be brought into";
        refusals.add(Refusal::wrong_use(text, "leave it out, or name a disk with --storage"));
    }
    refusals.end()
}

/// Refuses options that would have no effect on contenders of which none was refused, and on their work.
pub fn require_effect_on(plan: &Plan, arguments: &Compare) -> Result<()> {
    let (contenders, place) = (&plan.contenders, &arguments.setup.place);
    let mut refusals = Refusals::default();
    if arguments.explain && contenders.len() == 1 {
        let text = "`--explain` explains what two contenders differ in, and there is one";
        refusals.add(Refusal::wrong_use(text, "name another contender, or leave out --explain"));
    }
    if plan.measuring.explained && plan.clients.is_some() {
        let text = "work on clients is not traced, so that nothing could be explained";
        refusals.add(Refusal::wrong_use(text, "leave out --explain and --test-explanation"));
    }
    if arguments.baselines.is_some_and(|often| often != Often::Never) && plan.kernels().len() > 1 {
        let text = "`--baselines` has no effect: contenders run under several kernels, which have no common baseline";
        refusals.add(Refusal::wrong_use(text, "leave it out"));
    }
    if place.machine.guest_kernel.is_some() && contenders.iter().all(|contender| contender.kernel.is_some()) {
        let text = "`--guest-kernel` has no effect: each contender names its own kernel";
        refusals.add(Refusal::wrong_use(text, "leave it out"));
    }
    let has_cache_mode = |it: &&Contender| it.disk.is_some_and(|disk| disk.cache.is_some());
    if let Some(contender) = contenders.iter().find(has_cache_mode).filter(|_| plan.lanes.storage == Storage::Memory) {
        let text = format!("`{}` names a cache mode, which makes no difference for a disk in memory", contender.label);
        refusals.add(Refusal::wrong_use(text, "leave it out, or name another place with --storage"));
    }
    let is_there = |name: &str| contenders.iter().any(|contender| contender.label.0 == name);
    let mut knobs = KINDS.iter().flat_map(|kind| kind.symbols.knobs);
    if arguments.test_explanation && !knobs.any(|knob| is_there(knob.with) && is_there(knob.without)) {
        let text = "there is no option by which an explanation of these contenders could be tested";
        let kinds = KINDS.iter().filter(|kind| !kind.symbols.knobs.is_empty());
        let names: Vec<&str> = kinds.map(|kind| kind.name).collect();
        let hint = format!("--explain, or name one without options: {}", names.join(", "));
        refusals.add(Refusal::wrong_use(text, hint));
    }
    let of_guest = [
        ("--guest-memory", place.machine.guest_memory != GUEST_MEMORY),
        ("--guest-kernel", place.machine.guest_kernel.is_some()),
        ("--guest-release", place.machine.guest_release != DebianRelease::default()),
        ("--guest-disk", place.guest_disk.is_some()),
    ];
    if let Some((option, _)) = of_guest.iter().find(|(_, is_given)| *is_given && !place.is_guest(contenders)) {
        let text = format!("`{option}` is about a guest, and these contenders are not compared in one");
        refusals.add(Refusal::wrong_use(text, "add --guest"));
    }
    refusals.end()
}

/// A note if options are about lanes, and the plan has none.
pub fn without_lanes(setup: &Setup, plan: &Plan) -> Option<String> {
    let about_lanes = [
        ("--storage", setup.conditions.storage.is_some()),
        ("--lane-size", setup.lane_size.is_some()),
        ("--medium", setup.conditions.medium != Medium::default()),
    ];
    let given: Vec<&str> = about_lanes.iter().filter(|(_, is_given)| *is_given).map(|(option, _)| *option).collect();
    let is_none = !given.is_empty() && lane_count(plan) == 0;
    is_none.then(|| format!("no effect, since none of these contenders needs a lane: {}", given.join(", ")))
}

/// Refuses slices if contenders use one disk in turn: slices need all contenders at the same time.
pub fn require_one_at_a_time(plan: &Plan) -> Result<()> {
    if plan.has_own_disks() && !plan.lanes.shared.is_own() {
        let text = "--one-at-a-time takes one disk, and contenders have virtual disks of their own";
        bail!(Refusal::wrong_use(text, "leave out --one-at-a-time"));
    }
    let sliced = plan.workloads.iter().find(|workload| workload.mode == Mode::Sliced);
    match sliced.filter(|_| !plan.lanes.shared.is_own()) {
        _ if !plan.lanes.shared.is_own() && matches!(plan.lanes.storage, Storage::Partitions(_)) => {
            let text = "--one-at-a-time takes one disk or partition, and several are named";
            bail!(Refusal::wrong_use(text, "name one of them with --storage"))
        }
        Some(workload) => {
            let text =
                format!("`{}` runs in slices, for which all contenders have to be there at a time", workload.name);
            bail!(Refusal::wrong_use(text, "leave out --one-at-a-time, or name workloads with `mode = \"whole\"`"))
        }
        None => Ok(()),
    }
}

/// Refuses weights for workloads and groups that are not in the plan. Of a profile, one that is there suffices.
pub fn require_mix(plan: &Plan) -> Result<()> {
    let Some(mix) = &plan.weighting.mix else { return Ok(()) };
    match unknown_names(plan, mix) {
        None => Ok(()),
        Some(_) if plan.weighting.profile.is_some() && covered(plan, mix).is_some() => Ok(()),
        Some((name, _)) if !not_here(plan, &name).is_empty() => without_programs(plan, &name),
        Some((name, known)) => {
            let text = match &plan.weighting.profile {
                Some(profile) => format!("the run has no workload of the profile `{profile}`"),
                None => format!("there is no group and no workload `{name}` in this run that could have a weight"),
            };
            bail!(Refusal::wrong_use(text, format!("the names of this run: {}", known.join(", "))))
        }
    }
}

/// Refuses a weight for a name whose workloads all lack programs. The error names the missing programs; if they have
/// been installed since the stored run, it says so.
fn without_programs(plan: &Plan, name: &str) -> Result<()> {
    for missing in not_here(plan, name) {
        let workload = fsarena_catalog::workload(&missing.workload)?;
        ENGINES.of(&workload)?.require(&workload)?;
    }
    let text =
        format!("no workload of `{name}` was run, for their programs were not there, and it cannot have a weight");
    bail!(Refusal::machine(text, "they are there now: make the run again"))
}
