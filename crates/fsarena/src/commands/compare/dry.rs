//! `--dry-run`: the plan, its estimated duration, and the space that it needs.

use std::fmt::Write;

use anyhow::Result;
use fsarena_execute::{estimated_round, estimated_setup, planned_rounds};
use fsarena_guest::{GuestError, ServedFolders, Wanted};
use fsarena_lane::{disk, lane_count, made_lanes};
use fsarena_model::{Accelerator, BlockLayer, Bytes, Contender, Mode, Nanos, Plan, Rounds, Workload};
use fsarena_place::{
    InGuest, Place, Refusals, note, prefer_cached, rehearse, require_host, require_means, require_space,
};
use fsarena_report::{rounds, visible};
use fsarena_store::Store;
use serde_json::{Value, json};

use crate::cli::{DataFormat, Global, Setup};
use crate::commands::{data_format, print, print_json};
use crate::exit::Ended;
use crate::places;

/// Prints the plan and checks it; leaves nothing behind. The format of the report is that of the plan, which has text
/// and JSON. What another machine or a guest can do, it finds out itself.
pub fn run(global: &Global, plan: &Plan, place: &Place, setup: &Setup) -> Result<Ended> {
    match data_format(setup.shown.format.as_deref(), "a plan")? {
        DataFormat::Text => print(&text(plan, place)?)?,
        DataFormat::Json => print_json(json(plan, place))?,
    }
    if let Some(path) = &setup.shown.output {
        note!("{} is not written: it is for the report, and a dry run has none", path.display());
    }
    let mut refusals = Refusals::default();
    refusals.take(Store::require(&places::store_path(global.store.clone())?));
    match place {
        Place::Here => drop(refusals.take(require_here(plan, setup))),
        Place::Guest(guest) => drop(refusals.take(require_guest(guest, plan))),
        Place::Agent(_) | Place::Clients => {}
    }
    refusals.end().map(|()| Ended::Well)
}

/// Refuses a plan that this machine cannot carry out. A plan may be tried without root.
fn require_here(plan: &Plan, setup: &Setup) -> Result<()> {
    let (mut refusals, has_tools) = (Refusals::default(), prefer_cached(plan));
    if let Some(release) = plan.lanes.tools.as_ref().filter(|_| !has_tools) {
        note!("programs of Debian {release} are not in the cache yet: the run fetches them, and tries options of mkfs");
    }
    if !is_root() && lane_count(plan) > 0 {
        note!("the run itself needs root, and so do trials of mount options and disks, which this plan does without");
    }
    refusals.take(if has_tools { require_means(plan) } else { require_host(plan) });
    if refusals.is_empty() && is_root() {
        refusals.take(disk::examine(plan, &setup.conditions.erase));
    }
    if refusals.is_empty() && knows_room(plan) {
        refusals.take(require_space(plan));
    }
    if refusals.is_empty() && has_tools {
        refusals.take(rehearse(plan));
    }
    refusals.end()
}

/// Refuses a plan for which this machine cannot make a guest.
fn require_guest(guest: &InGuest, plan: &Plan) -> Result<()> {
    let mut refusals = Refusals::default();
    refusals.take(guest.require_possible(plan));
    let kinds: Vec<&str> = plan.contenders.iter().map(|contender| contender.kind.as_str()).collect();
    match ServedFolders::require(&kinds) {
        Err(error @ GuestError::ShareNeedsRoot { .. }) => note!("{error}, which this plan does without"),
        found => drop(refusals.take(found)),
    }
    note!("the guest tries the options of mkfs and mount when it has booted, and this plan does not");
    if refusals.is_empty() && knows_room(plan) {
        refusals.take(guest.require_room(plan));
    }
    refusals.end()
}

/// Whether this user can know how much room the storage has: who may not open a disk does not know its size.
fn knows_room(plan: &Plan) -> bool {
    is_root() || plan.lanes.storage.disks().is_empty()
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn json(plan: &Plan, place: &Place) -> Value {
    let (round, setup) = (estimated_round(plan), estimated_setup(plan));
    let budget = match plan.rounds {
        Rounds::Exactly(_) => None,
        Rounds::Within(budget) => Some(budget.as_seconds()),
    };
    let workload = |workload: &Workload| {
        json!({
            "name": workload.name.to_string(), "version": workload.version, "mode": workload.mode,
            "measures": workload.measures, "memory_limit": workload.memory_limit,
        })
    };
    let contender = |contender: &Contender| {
        json!({
            "label": contender.label, "kind": contender.kind, "mount": contender.mount, "mkfs": contender.mkfs,
            "path": contender.path, "layers": contender.layers, "kernel": contender.kernel, "disk": contender.disk,
        })
    };
    json!({
        "plan_hash": plan.hash(),
        "seed": plan.seed.to_string(),
        "contenders": plan.contenders.iter().map(contender).collect::<Vec<_>>(),
        "workloads": plan.workloads.iter().map(workload).collect::<Vec<_>>(),
        "rounds": planned_rounds(plan),
        "budget_seconds": budget,
        "round_seconds": round.as_seconds(),
        "setup_seconds": setup.as_seconds(),
        "guest": guest(place),
        "storage": storage(plan, place),
        "lanes": made_lanes(plan),
        "lane_bytes": plan.lanes.size,
        "tools": plan.lanes.tools,
    })
}

/// The guest in JSON, if `place` is one.
fn guest(place: &Place) -> Option<Value> {
    let InGuest { wanted: Wanted { accelerator, release, kernel, memory, .. }, simulated } = in_guest(place)?;
    Some(json!({
        "accelerator": accelerator, "release": release, "kernel": kernel, "memory_bytes": memory,
        "simulated_disk": simulated,
    }))
}

fn text(plan: &Plan, place: &Place) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    writeln!(text, "plan {}, seed {}", &plan.hash()[..12], plan.seed)?;
    writeln!(text, "\ncontenders")?;
    for contender in &plan.contenders {
        let options = if contender.mount.is_empty() { "default options" } else { &contender.mount };
        let path = contender.path.as_ref().map(|path| path.display().to_string());
        let mount = path.as_deref().unwrap_or(options);
        let further = contender.mkfs.join(" ");
        let mkfs = if further.is_empty() { "" } else { ", mkfs " };
        let layers = Some(BlockLayer::stack(&contender.layers)).filter(|layers| !layers.is_empty());
        let disk = contender.disk.map(|disk| format!("a virtual disk with {disk}"));
        let on: String = layers.into_iter().chain(disk).map(|below| format!(" on {below}")).collect();
        let kernel = contender.kernel.as_ref().map(|kernel| format!(" in a guest with {kernel}")).unwrap_or_default();
        let slowdown = plan.measuring.slowdowns.iter().find(|slowdown| slowdown.label == contender.label);
        let slower = slowdown.map(|slowdown| format!(", slowed down by {}", slowdown.share)).unwrap_or_default();
        let line = format!("{}: {}{on}{kernel}, {mount}{mkfs}{further}{slower}", contender.label, contender.kind);
        writeln!(text, "  {}", visible(&line))?;
    }
    if let Some(release) = &plan.lanes.tools {
        writeln!(text, "  made and checked by programs of Debian {release}")?;
    }
    write_guest(&mut text, place)?;
    writeln!(text, "\nworkloads")?;
    for workload in &plan.workloads {
        let mode = if workload.mode == Mode::Sliced { "in slices" } else { "whole" };
        let limit = workload.memory_limit.map(|limit| format!(", within {limit} of memory")).unwrap_or_default();
        let line = format!("{} (version {}), {mode}{limit}: {}", workload.name, workload.version, workload.measures);
        writeln!(text, "  {}", visible(&line))?;
    }
    if plan.measuring.explained {
        writeln!(text, "  traced: a further slice of each contender, and of whole work a further run")?;
    }
    if !plan.lanes.precondition.is_none() {
        let what = "all lanes are written in full twice, and then at random until they are steady";
        writeln!(text, "\nbefore\n  {what}: up to an hour, in addition to the duration")?;
    }
    let (round, setup) = (estimated_round(plan), estimated_setup(plan));
    writeln!(text, "\nduration")?;
    match plan.rounds {
        Rounds::Exactly(count) => {
            let total = Nanos(setup.0 + round.0 * u64::from(count));
            writeln!(text, "  {} of about {round}, about {total} in all", rounds(count))?;
        }
        Rounds::Within(budget) if super::has_commands(plan) => {
            writeln!(
                text,
                "  at most {}, less if all is decided: how many rounds that is depends on the command",
                budget
            )?;
        }
        Rounds::Within(budget) => {
            let count = rounds(planned_rounds(plan));
            writeln!(text, "  at most {}: up to {count} of about {round}, fewer if all is decided", budget)?;
        }
    }
    if in_guest(place).is_some_and(|guest| guest.wanted.accelerator != Some(Accelerator::Kvm)) {
        writeln!(text, "  in a guest without KVM each round takes several times longer, after its boot")?;
    }
    write_space(&mut text, plan, &storage(plan, place))?;
    Ok(text)
}

fn in_guest(place: &Place) -> Option<&InGuest> {
    match place {
        Place::Guest(guest) => Some(guest),
        Place::Here | Place::Agent(_) | Place::Clients => None,
    }
}

/// The guest, if `place` is one.
fn write_guest(text: &mut String, place: &Place) -> std::fmt::Result {
    let Some(guest) = in_guest(place) else { return Ok(()) };
    let Wanted { accelerator, release, kernel, memory, .. } = &guest.wanted;
    let how = accelerator.map_or("by KVM if it works, otherwise emulated".to_owned(), |how| how.to_string());
    let kernel = kernel.as_ref().map(|kernel| format!(", kernel {}", visible(kernel))).unwrap_or_default();
    let disk = guest.simulated.map(|disk| format!(", a simulated disk ({disk})")).unwrap_or_default();
    writeln!(text, "\nguest\n  {how}; Debian {release}{kernel}, {memory} of memory{disk}")
}

/// Where the lanes lie.
fn storage(plan: &Plan, place: &Place) -> String {
    match in_guest(place).and_then(|guest| guest.simulated) {
        Some(_) => "on a disk that the guest simulates".to_owned(),
        None => plan.lanes.storage.to_string(),
    }
}

/// The space that the lanes need.
fn write_space(text: &mut String, plan: &Plan, storage: &str) -> std::fmt::Result {
    let (lanes, storage) = (lane_count(plan), visible(storage));
    writeln!(text, "\nspace")?;
    match lanes {
        0 => writeln!(text, "  no lanes: only what the workloads write"),
        _ if !plan.lanes.shared.is_own() => {
            writeln!(text, "  one lane of {}, which the contenders take in turn, {storage}", plan.lanes.size)
        }
        _ => {
            let made = made_lanes(plan);
            let total = Bytes(plan.lanes.size.0.saturating_mul(made as u64));
            let lanes_text = if lanes == 1 { "one lane".to_owned() } else { format!("{lanes} lanes") };
            let further = match made.saturating_sub(lanes) {
                0 => ", no calibration device",
                1 => " and a calibration device",
                _ => " and a calibration device for each kernel",
            };
            writeln!(text, "  {lanes_text} of {}{further}: {total}, {storage}", plan.lanes.size)
        }
    }
}
