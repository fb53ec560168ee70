//! From arguments to a plan.

mod available;
mod extra;
mod reproduce;
mod work;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

use anyhow::Result;

use fsarena_analyse::{covered, not_here, unknown_names};
use fsarena_catalog::Suite;
use fsarena_execute::{estimated_round, estimated_setup, largest, require_libraries, reserved, unaligned};
use fsarena_lane::{LaneError, disk, lane_count, require};
use fsarena_model::plan::{Lanes, Slowdown};
use fsarena_model::reproduction::Scale;
use fsarena_model::{
    Budget, Bytes, Contender, Label, Matrix, Mode, Nanos, NoiseBounds, Often, Plan, Precondition, Rounds, Share,
    Storage, Workload,
};

use crate::cli::{Compare, Place};
use crate::clients;
use crate::engines::ENGINES;
use crate::exit::Refusal;
use crate::plan::available::Programs;

pub use reproduce::of_article;

/// Maximum share of a lane that data may fill: copy-on-write file systems need room for overwrites.
const FILL: f64 = 0.6;

/// Default lane size.
const LANE: Bytes = Bytes::gib(2);

/// Maximum of `--rounds`.
const MOST_ROUNDS: u32 = 1000;

/// Maximum length of a label, in characters.
const LONGEST_LABEL: usize = 64;

/// Size of a lane's logical blocks, in bytes.
const BLOCK: u64 = 4096;

/// The plan for `arguments`, complete and checked, with notes for the user.
pub fn plan(arguments: &Compare) -> Result<(Plan, Vec<String>)> {
    let suite = work::suite(arguments).map(fsarena_catalog::suite).transpose()?;
    let profile = arguments.profile.as_deref().map(fsarena_catalog::profile).transpose()?;
    let (matrices, of_matrices) = matrices(&arguments.matrix)?;
    let named = contenders(named(arguments, suite.as_ref())?, of_matrices)?;
    let work = work::of(arguments, profile.as_ref(), Programs::of(&arguments.place, &named))?;
    let (contenders, added) = if arguments.extra { extra::with_direct(named) } else { (named, Vec::new()) };
    let scale = arguments.scale.map(Scale::from).unwrap_or_default();
    let is_short = !arguments.own.commands.is_empty() || profile.is_some();
    let usual_baselines =
        suite.as_ref().map_or(if is_short { Often::Once } else { Often::Always }, |suite| suite.baselines);
    let (usual, noise) = baselines_at(scale, usual_baselines);
    let clients = clients::named(&arguments.place.clients)?;
    // Each number of clients takes the time of a run.
    let numbers = clients.as_ref().map_or(1, |named| named.clients.numbers.len() as u64);
    let storage = arguments.place.storage(arguments.storage.as_deref(), &contenders);
    let plan = Plan {
        suite: work.suite.clone(),
        seed: seed(arguments.seed, &arguments.place),
        rounds: rounds(arguments, suite.as_ref(), contenders.len(), work.workloads.len(), numbers),
        workloads: work.workloads,
        contenders,
        reserved: Nanos(0),
        margin: margin(arguments.margin)?,
        lane_size: lane_size(arguments, &storage)
            .or(suite.as_ref().and_then(|suite| suite.lane_size(scale)))
            .unwrap_or(LANE),
        storage,
        guest: None,
        clients: None,
        medium: arguments.medium,
        slowdowns: arguments.slowdown.clone(),
        noise,
        baselines: arguments.baselines.unwrap_or(usual),
        usual_baselines,
        uncounted: arguments.uncounted.clone(),
        lanes: if arguments.one_at_a_time { Lanes::InTurn } else { Lanes::Own },
        precondition: if arguments.precondition { Precondition::Snia } else { Precondition::None },
        left_out: Vec::new(),
        reproduces: None,
        unavailable: work.unavailable,
        scale,
        mix: arguments.weights.clone().or(profile.map(|profile| profile.mix)),
        profile: arguments.profile.clone(),
        groups: suite.map(|suite| suite.groups).unwrap_or_default(),
        contender_files: contender_files(&arguments.contenders)?,
        workload_files: work::files(&arguments.workload)?,
        own_commands: arguments.own.typed(),
        matrices,
    };
    let plan = match clients {
        Some(clients) => clients::with_clients(plan, clients)?,
        None => plan,
    };
    let plan = checked(plan)?;
    let shared = shared_storage(&plan.contenders);
    Ok((plan, added.into_iter().chain(work.notes).chain(shared).collect()))
}

/// The lane size from the arguments, or that of the whole disk if a lane takes all of it.
fn lane_size(arguments: &Compare, storage: &Storage) -> Option<Bytes> {
    let takes_all = arguments.one_at_a_time || matches!(storage, Storage::Partitions(_));
    arguments.lane_size.or_else(|| disk::largest_lane(storage.disks()).filter(|_| takes_all))
}

/// How often to measure baselines, and when a round does not count, at that scale. For smoke runs: never, and rounds
/// always count.
fn baselines_at(scale: Scale, usual: Often) -> (Often, NoiseBounds) {
    match scale {
        Scale::Smoke => (Often::Never, NoiseBounds::ignored()),
        Scale::Standard | Scale::Published => (usual, NoiseBounds::default()),
    }
}

/// One note for each group of directories on the same file system.
fn shared_storage(contenders: &[Contender]) -> Vec<String> {
    let mut labels: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for contender in contenders {
        if let Some(found) = contender.path.as_ref().and_then(|path| fs::metadata(path).ok()) {
            labels.entry(found.dev()).or_default().push(format!("`{}`", contender.label));
        }
    }
    let shared = labels.into_values().filter(|labels| labels.len() > 1);
    shared.map(|labels| format!("{} lie on the same file system", labels.join(", "))).collect()
}

/// The contenders from the arguments; otherwise those of the suite.
fn named<'a>(arguments: &'a Compare, suite: Option<&'a Suite>) -> Result<&'a [String]> {
    let typed = Some(arguments.contenders.as_slice()).filter(|contenders| !contenders.is_empty());
    if typed.is_none() && !arguments.matrix.is_empty() {
        return Ok(&[]);
    }
    let usual = suite.map(|suite| usual_contenders(suite, &arguments.place));
    let named = typed.or(usual).filter(|contenders| !contenders.is_empty());
    let refusal = || Refusal::wrong_use("no contender is named", "name some, as in fsarena compare ext4 xfs");
    Ok(named.ok_or_else(refusal)?)
}

/// The contenders of a suite in that place.
fn usual_contenders<'a>(suite: &'a Suite, place: &Place) -> &'a [String] {
    if place.guest.is_some() && !suite.guest_contenders.is_empty() {
        &suite.guest_contenders
    } else {
        &suite.contenders
    }
}

/// The number of rounds: from the arguments, one for a smoke run, from the suite, or as many as fit into the default
/// budget. For commands of the user's own that is half of the usual one for each of `workloads`.
fn rounds(arguments: &Compare, suite: Option<&Suite>, contenders: usize, workloads: usize, numbers: u64) -> Rounds {
    let is_smoke = arguments.scale.map(Scale::from) == Some(Scale::Smoke);
    let of_suite = suite.and_then(|suite| suite.rounds);
    let usual = Nanos(Budget::for_contenders(contenders).0.0 * numbers);
    match (arguments.rounds, arguments.budget) {
        (Some(count), _) => Rounds::Exactly(count),
        (None, Some(time)) => Rounds::Within(Budget(time)),
        (None, None) if is_smoke => Rounds::Exactly(1),
        (None, None) if !arguments.own.commands.is_empty() => {
            Rounds::Within(Budget(Nanos(usual.0 / 2 * workloads as u64)))
        }
        (None, None) => of_suite.map_or(Rounds::Within(Budget(usual)), Rounds::Exactly),
    }
}

/// The plan with what its engines state about the workloads, if it is consistent and its budget suffices.
fn checked(plan: Plan) -> Result<Plan> {
    let workloads = plan.workloads.into_iter().map(|workload| ENGINES.resolved(workload)).collect::<Result<_, _>>()?;
    let plan = Plan { workloads, ..plan };
    let plan = Plan { reserved: reserved(&plan), ..plan };
    require_sound(&plan)?;
    require_time(&plan)?;
    require_mix(&plan)?;
    require_one_at_a_time(&plan)?;
    Ok(plan)
}

/// Refuses a plan, from arguments or from the store, that contradicts itself, or whose data do not fit on its lanes.
pub fn require_sound(plan: &Plan) -> Result<()> {
    require_labels(&plan.contenders)?;
    plan.workloads.iter().try_for_each(fsarena_catalog::require_sound)?;
    margin(plan.margin)?;
    if matches!(plan.rounds, Rounds::Exactly(count) if !(1..=MOST_ROUNDS).contains(&count)) {
        let text = format!("a run has at least one round and at most {MOST_ROUNDS}");
        return Err(Refusal::wrong_use(text, "--rounds 10").into());
    }
    require_slowdowns(plan)?;
    require_whole_blocks(plan)?;
    require_lanes_to_precondition(plan)?;
    require_work(plan)
}

/// Refuses slices if contenders use one disk in turn: slices need all contenders at the same time.
fn require_one_at_a_time(plan: &Plan) -> Result<()> {
    if plan.has_own_disks() && !plan.lanes.is_own() {
        let text = "--one-at-a-time takes one disk, and contenders have virtual disks of their own";
        return Err(Refusal::wrong_use(text, "leave out --one-at-a-time").into());
    }
    let sliced = plan.workloads.iter().find(|workload| workload.mode == Mode::Sliced);
    match sliced.filter(|_| !plan.lanes.is_own()) {
        _ if !plan.lanes.is_own() && matches!(plan.storage, Storage::Partitions(_)) => {
            let text = "--one-at-a-time takes one disk or partition, and several are named";
            Err(Refusal::wrong_use(text, "name one of them with --storage").into())
        }
        Some(workload) => {
            let text =
                format!("`{}` runs in slices, for which all contenders have to be there at a time", workload.name);
            Err(Refusal::wrong_use(text, "leave out --one-at-a-time, or name workloads with `mode = \"whole\"`").into())
        }
        None => Ok(()),
    }
}

/// Refuses weights for workloads and groups that are not in the plan. Of a profile, one that is there suffices.
pub fn require_mix(plan: &Plan) -> Result<()> {
    let Some(mix) = &plan.mix else { return Ok(()) };
    match unknown_names(plan, mix) {
        None => Ok(()),
        Some(_) if plan.profile.is_some() && covered(plan, mix).is_some() => Ok(()),
        Some((name, _)) if !not_here(plan, &name).is_empty() => without_programs(plan, &name),
        Some((name, known)) => {
            let text = match &plan.profile {
                Some(profile) => format!("the run has no workload of the profile `{profile}`"),
                None => format!("there is no group and no workload `{name}` in this run that could have a weight"),
            };
            Err(Refusal::wrong_use(text, format!("there are {}", known.join(", "))).into())
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
    Err(Refusal::machine(text, "they are there now: make the run again").into())
}

/// Refuses a plan that this machine or this user cannot run; creates nothing.
pub fn require_machine(plan: &Plan) -> Result<()> {
    require::rights_and_kinds(plan)?;
    require::memory_limits(plan)?;
    for workload in &plan.workloads {
        if let Some(engine) = ENGINES.named(&workload.engine) {
            engine.require(workload)?;
        }
    }
    Ok(())
}

/// The plan with a single lane for all contenders in turn, if there is no room for all lanes and every workload runs
/// whole.
pub fn fitted(plan: Plan) -> Plan {
    let is_whole = plan.workloads.iter().all(|workload| workload.mode == Mode::Whole);
    let lacks_room = || matches!(require::space(&plan), Err(LaneError::NoSpace { .. }));
    let has_partitions = matches!(plan.storage, Storage::Partitions(_));
    if !is_whole || lane_count(&plan) < 2 || !plan.lanes.is_own() || has_partitions || !lacks_room() {
        return plan;
    }
    Plan { lanes: Lanes::InTurn, ..plan }
}

/// Refuses lanes or directories without enough room, and disks that are in use.
pub fn require_space(plan: &Plan) -> Result<()> {
    require::space(plan)?;
    let data: Vec<Bytes> = plan.workloads.iter().map(|workload| workload.traits.peak).collect();
    Ok(require::directories(plan, &data)?)
}

/// Refuses a margin of 0, within which no equivalence can be proved, and of 100 % or more.
fn margin(margin: Share) -> Result<Share> {
    match margin.0 > 0.0 && margin.0 < 1.0 {
        true => Ok(margin),
        false => Err(Refusal::wrong_use("a margin is above 0 % and below 100 %", "--margin 1%").into()),
    }
}

/// Refuses slowdowns for unknown contenders, and for workloads of other programs, which cannot be slowed down.
fn require_slowdowns(plan: &Plan) -> Result<()> {
    let is_one = |label: &Label| plan.contenders.iter().any(|contender| contender.label == *label);
    if let Some(label) = plan.uncounted.iter().find(|label| !is_one(label)) {
        return Err(
            Refusal::wrong_use(format!("there is no contender `{label}`"), "--no-counters takes a label").into()
        );
    }
    for (index, Slowdown { label, .. }) in plan.slowdowns.iter().enumerate() {
        if plan.slowdowns[..index].iter().any(|other| other.label == *label) {
            return Err(Refusal::wrong_use(format!("`{label}` has two slowdowns"), "give it one").into());
        }
        if plan.contenders.iter().all(|contender| contender.label != *label) {
            let labels: Vec<&str> = plan.contenders.iter().map(|contender| contender.label.0.as_str()).collect();
            let text = format!("there is no contender `{label}` to be slowed");
            return Err(Refusal::wrong_use(text, format!("the labels are {}", labels.join(", "))).into());
        }
    }
    let is_foreign = |workload: &&Workload| workload.traits.program.is_some();
    match plan.workloads.iter().find(is_foreign).filter(|_| !plan.slowdowns.is_empty()) {
        None => Ok(()),
        Some(workload) => {
            let text = format!("`{}` is done by another program, which cannot be slowed", workload.name);
            Err(Refusal::wrong_use(text, "use workloads of native engines: `fsarena list workloads`").into())
        }
    }
}

/// The matrices of a command line, and their contenders.
fn matrices(arguments: &[String]) -> Result<(Vec<Matrix>, Vec<Contender>)> {
    let hint = "--matrix 'btrfs:compress={no,zstd:1}', or --matrix 'ext4:{,noatime} -O {,^}has_journal'";
    let parsed =
        |argument: &String| Matrix::parse(argument).map_err(|error| Refusal::wrong_use(error.to_string(), hint));
    let parsed: Vec<(Matrix, Vec<Contender>)> = arguments.iter().map(parsed).collect::<Result<_, _>>()?;
    let (matrices, contenders): (Vec<_>, Vec<_>) = parsed.into_iter().unzip();
    Ok((matrices, contenders.concat()))
}

/// The contenders of a command line, followed by those of its matrices.
pub fn contenders(arguments: &[String], of_matrices: Vec<Contender>) -> Result<Vec<Contender>> {
    let mut contenders: Vec<Contender> = Vec::new();
    let named: Vec<Contender> =
        arguments.iter().map(|argument| fsarena_catalog::contender(argument)).collect::<Result<_, _>>()?;
    for contender in named.into_iter().chain(of_matrices) {
        require_short(&contender.label)?;
        if contenders.iter().any(|other| other.label == contender.label) {
            let text = format!("two contenders have the label `{}`", contender.label);
            // Without a label of its own.
            let unnamed = Contender { label: Label::from(""), ..contender };
            let plain = unnamed.spelling().unwrap_or_else(|| "FILE.toml".to_owned());
            let hint = format!("give one of them another: a={plain} b={plain}");
            return Err(Refusal::wrong_use(text, hint).into());
        }
        contenders.push(contender);
    }
    require::contenders(&contenders)?;
    Ok(contenders)
}

/// The arguments that name contender files, by the label of the contender in each.
fn contender_files(arguments: &[String]) -> Result<BTreeMap<String, String>> {
    let files = arguments.iter().filter(|argument| Contender::toml_file(argument).is_some());
    files.map(|argument| Ok((fsarena_catalog::contender(argument)?.label.0, argument.clone()))).collect()
}

/// Refuses long labels, because labels are in every table.
fn require_short(label: &Label) -> Result<()> {
    let length = label.0.chars().count();
    match length <= LONGEST_LABEL {
        true => Ok(()),
        false => {
            let begin: String = label.0.chars().take(LONGEST_LABEL / 2).collect();
            let text = format!("the label `{begin}…` has {length} characters, and {LONGEST_LABEL} are the most");
            Err(Refusal::wrong_use(text, "give it a shorter one: a=ext4:noatime, b=dir:/a/long/path").into())
        }
    }
}

/// Refuses contenders with the same label.
fn require_labels(contenders: &[Contender]) -> Result<()> {
    let twice = |(index, contender): &(usize, &Contender)| {
        contenders[..*index].iter().any(|other| other.label == contender.label)
    };
    match contenders.iter().enumerate().find(twice) {
        None => Ok(()),
        Some((_, contender)) => {
            let text = format!("two contenders have the label `{}`", contender.label);
            Err(Refusal::wrong_use(text, "give one of them another: a=ext4 b=ext4").into())
        }
    }
}

/// Refuses `--precondition` if the plan has no lanes.
fn require_lanes_to_precondition(plan: &Plan) -> Result<()> {
    match plan.precondition.is_none() || lane_count(plan) > 0 {
        true => Ok(()),
        false => {
            let text = "there are no lanes that could be preconditioned: none of these contenders needs one";
            Err(Refusal::wrong_use(text, "leave out --precondition").into())
        }
    }
}

fn require_whole_blocks(plan: &Plan) -> Result<()> {
    let size = plan.lane_size.0;
    match size > 0 && size.is_multiple_of(BLOCK) {
        true => Ok(()),
        false => {
            let hint = format!("--lane-size {}", possible_size(plan));
            Err(Refusal::wrong_use(format!("a lane of {size} bytes is not made of whole blocks of {BLOCK}"), hint)
                .into())
        }
    }
}

/// A size close to the requested one, in whole blocks, that suffices for the plan's kinds and workloads.
fn possible_size(plan: &Plan) -> u64 {
    let data = largest(&plan.workloads).map_or(0, |workload| needed(workload.traits.peak).0);
    let kinds = plan.contenders.iter().filter_map(|contender| fsarena_lane::kind(&contender.kind));
    let smallest = kinds.map(|kind| kind.smallest_lane().0).max().unwrap_or(0);
    plan.lane_size.0.max(data).max(smallest).max(1).div_ceil(BLOCK).saturating_mul(BLOCK)
}

/// The lane size that is needed for this amount of data.
fn needed(data: Bytes) -> Bytes {
    Bytes((data.0 as f64 / FILL).ceil() as u64)
}

/// Refuses workloads that are invalid, or do not fit on a lane.
fn require_work(plan: &Plan) -> Result<()> {
    if let Some(workload) = largest(&plan.workloads) {
        let needed = needed(workload.traits.peak);
        if lane_count(plan) > 0 && needed > plan.lane_size {
            let wanted_by = format!("the workload `{}`", workload.name);
            return Err(LaneError::LaneTooSmall { size: plan.lane_size, wanted_by, needed }.into());
        }
    }
    require_whole_sectors(plan)?;
    Ok(require_libraries(ENGINES, plan)?)
}

/// Refuses a budget that is too short for one round.
fn require_time(plan: &Plan) -> Result<()> {
    if let Rounds::Within(budget) = plan.rounds {
        let round = estimated_round(plan) + estimated_setup(plan);
        if round > budget.0 {
            return Err(fsarena_execute::RunError::Budget { budget: budget.0, round }.into());
        }
    }
    Ok(())
}

/// Refuses direct I/O that is not in multiples of the lanes' blocks. For directories, this is checked when a run opens
/// its files.
fn require_whole_sectors(plan: &Plan) -> Result<()> {
    match unaligned(&plan.workloads, Bytes(BLOCK)).filter(|_| lane_count(plan) > 0) {
        None => Ok(()),
        Some((block, workload)) => {
            let text = format!(
                "the workload `{}` does direct I/O of {} bytes, and the lanes' blocks are {BLOCK} bytes long",
                workload.name, block.0
            );
            Err(Refusal::wrong_use(text, "make `block-size` a multiple of 4096, or do without direct I/O").into())
        }
    }
}

/// The seed that was `named`, or one that is drawn. Two runs in a deterministic guest have the same one by default.
fn seed(named: Option<u64>, place: &Place) -> u64 {
    named.unwrap_or_else(|| if place.is_deterministic() { 1 } else { drawn_seed() })
}

/// A random seed.
pub fn drawn_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed.
    now.as_nanos() as u64 % 1_000_000_007
}
