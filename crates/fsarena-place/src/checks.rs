//! What a plan has to fulfil before a run begins.

use std::io;
use std::mem::discriminant;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use fsarena_execute::{FILL, largest, left_files, require_libraries, unaligned};
use fsarena_lane::{LaneError, Ledger, lane_count, layer, loops, require, trial};
use fsarena_model::plan::{Lanes, Slowdown};
use fsarena_model::{Bytes, Contender, Label, LanePlan, Measuring, Mode, Plan, Rounds, Stated, Storage, repeated};

use rustix::fs::{Access, access};
use rustix::process::geteuid;

use crate::{ENGINES, Refusal, Refusals};

/// Maximum of `--rounds`.
const MOST_ROUNDS: u32 = 1000;

/// Size of a lane's logical blocks, in bytes.
pub const BLOCK: u64 = fsarena_lane::BLOCK_SIZE as u64;

/// Refuses a plan, from arguments or from the store, that contradicts itself, or whose data do not fit on its lanes.
///
/// # Errors
/// All reasons that are found.
pub fn require_sound(plan: &Plan) -> Result<()> {
    let mut refusals = Refusals::default();
    if let Some(label) = repeated(plan.contenders.iter().map(|contender| &contender.label)) {
        let text = format!("two contenders have the label `{label}`");
        refusals.add(Refusal::wrong_use(text, "give each its own: a=ext4 b=ext4"));
    }
    for workload in &plan.workloads {
        refusals.take(fsarena_catalog::require_sound(workload));
    }
    // Within a margin of 0 no equivalence can be proved.
    refusals.require(plan.margin.0 > 0.0 && plan.margin.0 < 1.0, || {
        Refusal::wrong_use("a margin has to be above 0 % and below 100 %", "--margin 1%")
    });
    let is_countable = !matches!(plan.rounds, Rounds::Exactly(count) if !(1..=MOST_ROUNDS).contains(&count));
    refusals.require(is_countable, || {
        Refusal::wrong_use(format!("a run has at least one round and at most {MOST_ROUNDS}"), "--rounds 10")
    });
    refusals.take(require_slowdowns(plan));
    refusals.take(require_guarantees(plan));
    let (size, has_lanes) = (plan.lanes.size, lane_count(plan) > 0);
    refusals.require(!has_lanes || (size.0 > 0 && size.0.is_multiple_of(BLOCK)), || {
        let text = format!("a lane of {} bytes is not made of whole blocks of {BLOCK}", size.0);
        Refusal::wrong_use(text, format!("--lane-size {}", possible_size(plan)))
    });
    refusals.require(plan.lanes.precondition.is_none() || has_lanes, || {
        let text = "there are no lanes that could be preconditioned: none of these contenders needs one";
        Refusal::wrong_use(text, "leave out --precondition")
    });
    refusals.require(plan.lanes.tools.is_none() || has_lanes, || {
        let text = "no program makes or checks one of these contenders: none of them needs a lane";
        Refusal::wrong_use(text, "leave out --tools")
    });
    for contender in &plan.contenders {
        refusals.take(require::size(contender, size));
    }
    if let Some(workload) = largest(&plan.workloads).filter(|_| has_lanes) {
        let needed = needed(plan, workload.traits.peak);
        if needed > size {
            let wanted_by = format!("the workload `{}`", workload.name);
            refusals.add(LaneError::LaneTooSmall { size, wanted_by, needed });
        }
    }
    // For directories, this is checked when a run opens its files.
    if let Some((block, workload)) = unaligned(&plan.workloads, Bytes(BLOCK)).filter(|_| has_lanes) {
        let text = format!(
            "the workload `{}` does direct I/O in units of {} bytes, and the lanes' sectors have {BLOCK}",
            workload.name, block.0
        );
        let hint = "make its block sizes and offsets multiples of 4096, or do without direct I/O";
        refusals.add(Refusal::wrong_use(text, hint));
    }
    refusals.take(require_libraries(ENGINES, plan));
    refusals.end()
}

/// Refuses a plan that this machine or this user cannot run; creates nothing.
///
/// # Errors
/// All reasons that are found.
pub fn require_machine(plan: &Plan) -> Result<()> {
    let mut refusals = Refusals::default();
    refusals.take(require::rights(plan));
    if lane_count(plan) > 0 && geteuid().is_root() {
        refusals.take(loops::require());
    }
    refusals.take(require_means(plan));
    refusals.end()
}

/// Refuses a plan that this machine cannot run, whichever rights the user has.
///
/// # Errors
/// All reasons that are found.
pub fn require_means(plan: &Plan) -> Result<()> {
    require_means_and(plan, |contender| require::programs(contender, plan.lanes.size))
}

/// Refuses a plan that this machine cannot run, whichever programs make its contenders.
///
/// # Errors
/// All reasons that are found.
pub fn require_host(plan: &Plan) -> Result<()> {
    require_means_and(plan, |_| Ok(()))
}

/// [`require_host`], and what `further` requires of each contender that is possible.
fn require_means_and(plan: &Plan, further: impl Fn(&Contender) -> Result<(), LaneError>) -> Result<()> {
    let mut refusals = Refusals::default();
    refusals.take(require_storage(plan));
    if lane_count(plan) > 0 {
        refusals.take(require::direct_storage(&plan.lanes.storage));
    }
    for contender in &plan.contenders {
        refusals.take(require::possible(contender, plan).and_then(|()| further(contender)));
        refusals.take(require::mount_options(contender));
    }
    for workload in &plan.workloads {
        refusals.take(workload.memory_limit.map_or(Ok(()), require::memory_limit));
        refusals.take(ENGINES.named(&workload.engine).map_or(Ok(()), |engine| engine.require(workload)));
    }
    refusals.end()
}

/// Refuses a storage that cannot hold lanes.
pub fn require_storage(plan: &Plan) -> Result<()> {
    if lane_count(plan) == 0 {
        return Ok(());
    }
    let refused = |text| Refusal::wrong_use(text, "name a folder, a disk or `memory` with --storage");
    if let Storage::Directory(path) = &plan.lanes.storage {
        if path.as_os_str().is_empty() {
            bail!(refused("there is no path after `--storage dir:`".to_owned()));
        }
        if path.starts_with("~") {
            let text = format!("`{}` is no place for lanes: the shell has not replaced the `~`", path.display());
            bail!(Refusal::wrong_use(text, "it does so only where a word begins: --storage ~/lanes"));
        }
        if path.components().count() == 1 && path.is_relative() && !path.starts_with(".") && !path.exists() {
            let text = format!("there is no folder `{}`", path.display());
            bail!(Refusal::wrong_use(text, format!("--storage memory, or ./{} for a new folder", path.display())));
        }
        let existing = path.ancestors().find(|above| above.exists()).unwrap_or(Path::new("."));
        let existing = existing.canonicalize().unwrap_or_default();
        let is_kernel = ["/proc", "/sys"].iter().any(|place| existing.starts_with(place));
        if is_kernel || !existing.is_dir() {
            bail!(refused(format!("there is no place for lanes in `{}`", path.display())));
        }
        // Others than root need root for lanes in any case.
        if let (true, Err(errno)) = (geteuid().is_root(), access(&existing, Access::WRITE_OK)) {
            bail!(refused(format!("no lane can be made in `{}`: {}", path.display(), io::Error::from(errno))));
        }
    }
    let is_disk = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|it| it.file_type().is_block_device());
    let disks = plan.lanes.storage.disks();
    if let Some(other) = disks.iter().find(|path| !is_disk(path)) {
        let what = if other.exists() { "is no block device" } else { "does not exist" };
        let hint = "name a folder, a disk or `memory` with --storage; `fsarena doctor` lists free disks";
        bail!(Refusal::wrong_use(format!("`{}` {what}", other.display()), hint));
    }
    match repeated(disks) {
        None => Ok(()),
        Some(twice) => bail!(refused(format!("`{}` is named twice", twice.display()))),
    }
}

/// Refuses lanes or directories without enough room, and disks that are in use.
pub fn require_space(plan: &Plan) -> Result<()> {
    require::space(plan)?;
    let data: Vec<Bytes> = plan.workloads.iter().map(|workload| workload.traits.peak).collect();
    Ok(require::directories(plan, &data)?)
}

/// Refuses options that this kernel does not mount, or replaces without a word. What is made to find that out is
/// removed at once. Returns notes for the user; none if nothing can be tried here.
///
/// # Errors
/// All reasons that are found.
pub fn try_options(plan: &Plan, ledger: &mut Ledger) -> Result<Vec<String>> {
    trial::contenders(plan, ledger).or_else(|errors| {
        let mut refusals = Refusals::default();
        errors.into_iter().for_each(|error| refusals.add(error));
        refusals.end().map(|()| Vec::new())
    })
}

/// Refuses slowdowns for unknown contenders.
fn require_slowdowns(plan: &Plan) -> Result<()> {
    let labels: Vec<&Label> = plan.contenders.iter().map(|contender| &contender.label).collect();
    let Measuring { uncounted, slowdowns, .. } = &plan.measuring;
    if let Some(label) = uncounted.iter().find(|label| !labels.contains(label)) {
        bail!(Refusal::wrong_use(format!("there is no contender `{label}`"), "--no-counters takes a label"));
    }
    if let Some(label) = repeated(slowdowns.iter().map(|slowdown| &slowdown.label)) {
        bail!(Refusal::wrong_use(format!("`{label}` has two slowdowns"), "give it one"));
    }
    for Slowdown { label, .. } in slowdowns {
        if !labels.contains(&label) {
            let labels: Vec<&str> = labels.iter().map(|label| label.0.as_str()).collect();
            let text = format!("there is no contender `{label}` to be slowed");
            bail!(Refusal::wrong_use(text, format!("the labels are {}", labels.join(", "))));
        }
    }
    Ok(())
}

/// Refuses guarantees that are stated twice, or about file systems whose guarantees are known.
fn require_guarantees(plan: &Plan) -> Result<()> {
    for Stated { label, .. } in &plan.guarantees {
        let is_directory = |contender: &Contender| contender.label == *label && contender.is_directory();
        if !plan.contenders.iter().any(is_directory) {
            let text = format!("there is no directory `{label}` whose guarantees could be stated");
            bail!(Refusal::wrong_use(text, "nfs=dir:/mnt/nfs --guarantee nfs=unflushed"));
        }
    }
    match repeated(plan.guarantees.iter().map(|stated| (&stated.label, discriminant(&stated.guarantee)))) {
        None => Ok(()),
        Some((label, _)) => {
            let text = format!("two guarantees of `{label}` contradict each other");
            bail!(Refusal::wrong_use(text, "state one of them"))
        }
    }
}

/// A size close to the requested one, in whole blocks, that suffices for the plan's kinds and workloads.
fn possible_size(plan: &Plan) -> u64 {
    let data = largest(&plan.workloads).map_or(0, |workload| needed(plan, workload.traits.peak).0);
    let smallest = plan.contenders.iter().map(|contender| require::smallest_lane(contender).0).max().unwrap_or(0);
    plan.lanes.size.0.max(data).max(smallest).max(1).div_ceil(BLOCK).saturating_mul(BLOCK)
}

/// The lane size that is needed for this amount of data, above the layers of every contender.
fn needed(plan: &Plan, data: Bytes) -> Bytes {
    layer::below_layers(plan, Bytes((data.0 as f64 / FILL).ceil() as u64))
}

/// Makes the lanes of a resolved plan as large as its workloads need, in whole MiB: the largest, or all whose files
/// stay until the end of a round. Returns a note if they were smaller.
pub fn enlarge_lanes(plan: &mut Plan) -> Option<String> {
    let needed = Bytes::mib(needed(plan, left_files(plan)).0.div_ceil(Bytes::mib(1).0));
    if needed <= plan.lanes.size || lane_count(plan) == 0 {
        return None;
    }
    let usual = std::mem::replace(&mut plan.lanes.size, needed);
    Some(format!("the lanes have {needed}, because the workloads need more than {usual}"))
}

/// The plan with a single lane for all contenders in turn, if there is no room for all lanes and every workload runs
/// whole.
pub fn fitted(plan: Plan) -> Plan {
    let is_whole = plan.workloads.iter().all(|workload| workload.mode == Mode::Whole);
    let lacks_room = || matches!(require::space(&plan), Err(LaneError::NoSpace { .. }));
    let has_partitions = matches!(plan.lanes.storage, Storage::Partitions(_));
    if !is_whole || lane_count(&plan) < 2 || !plan.lanes.shared.is_own() || has_partitions || !lacks_room() {
        return plan;
    }
    Plan { lanes: LanePlan { shared: Lanes::InTurn, ..plan.lanes }, ..plan }
}
