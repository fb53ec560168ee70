//! What a plan has to fulfil before a run begins.

use std::mem::discriminant;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use fsarena_execute::{FILL, largest, left_files, require_libraries, unaligned};
use fsarena_lane::{LaneError, lane_count, loops, require};
use fsarena_model::plan::{Lanes, Slowdown};
use fsarena_model::{Bytes, Contender, Label, LanePlan, Mode, Plan, Rounds, Share, Stated, Storage};

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
    refusals.take(require_labels(&plan.contenders));
    for workload in &plan.workloads {
        refusals.take(fsarena_catalog::require_sound(workload));
    }
    refusals.take(margin(plan.margin));
    refusals.take(require_rounds(plan));
    refusals.take(require_slowdowns(plan));
    refusals.take(require_guarantees(plan));
    refusals.take(require_whole_blocks(plan));
    refusals.take(require_lanes_to_precondition(plan));
    refusals.take(require_room_on_lanes(plan));
    refusals.take(require_whole_sectors(plan));
    refusals.take(require_libraries(ENGINES, plan));
    refusals.end()
}

fn require_rounds(plan: &Plan) -> Result<()> {
    match plan.rounds {
        Rounds::Exactly(count) if !(1..=MOST_ROUNDS).contains(&count) => {
            let text = format!("a run has at least one round and at most {MOST_ROUNDS}");
            Err(Refusal::wrong_use(text, "--rounds 10").into())
        }
        _ => Ok(()),
    }
}

/// Refuses a plan that this machine or this user cannot run; creates nothing.
///
/// # Errors
/// All reasons that are found.
pub fn require_machine(plan: &Plan) -> Result<()> {
    let mut refusals = Refusals::default();
    refusals.take(require::rights(plan));
    if lane_count(plan) > 0 && rustix::process::geteuid().is_root() {
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
    let mut refusals = Refusals::default();
    refusals.take(require_storage(plan));
    if lane_count(plan) > 0 {
        refusals.take(require::direct_storage(&plan.lanes.storage));
    }
    for contender in &plan.contenders {
        refusals.take(require::possible(contender, plan));
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
    let refused = |text| Err(Refusal::wrong_use(text, "name a folder, a disk or `memory` with --storage").into());
    if let Storage::Directory(path) = &plan.lanes.storage {
        if path.starts_with("~") {
            let text = format!("`{}` is no place for lanes: the shell has not replaced the `~`", path.display());
            return Err(Refusal::wrong_use(text, "it does so only where a word begins: --storage ~/lanes").into());
        }
        let existing = path.ancestors().find(|above| above.exists()).unwrap_or(Path::new("."));
        let existing = existing.canonicalize().unwrap_or_default();
        let is_kernel = ["/proc", "/sys"].iter().any(|place| existing.starts_with(place));
        if is_kernel || !existing.is_dir() {
            return refused(format!("there is no place for lanes in `{}`", path.display()));
        }
    }
    let is_disk = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|it| it.file_type().is_block_device());
    match plan.lanes.storage.disks().iter().find(|path| !is_disk(path)) {
        None => Ok(()),
        Some(other) => refused(format!("`{}` is no block device", other.display())),
    }
}

/// Refuses lanes or directories without enough room, and disks that are in use.
pub fn require_space(plan: &Plan) -> Result<()> {
    require::space(plan)?;
    let data: Vec<Bytes> = plan.workloads.iter().map(|workload| workload.traits.peak).collect();
    Ok(require::directories(plan, &data)?)
}

/// Refuses a margin of 0, within which no equivalence can be proved, and of 100 % or more.
pub fn margin(margin: Share) -> Result<Share> {
    match margin.0 > 0.0 && margin.0 < 1.0 {
        true => Ok(margin),
        false => Err(Refusal::wrong_use("a margin is above 0 % and below 100 %", "--margin 1%").into()),
    }
}

/// Refuses slowdowns for unknown contenders.
fn require_slowdowns(plan: &Plan) -> Result<()> {
    let is_one = |label: &Label| plan.contenders.iter().any(|contender| contender.label == *label);
    if let Some(label) = plan.measuring.uncounted.iter().find(|label| !is_one(label)) {
        return Err(
            Refusal::wrong_use(format!("there is no contender `{label}`"), "--no-counters takes a label").into()
        );
    }
    for (index, Slowdown { label, .. }) in plan.measuring.slowdowns.iter().enumerate() {
        if plan.measuring.slowdowns[..index].iter().any(|other| other.label == *label) {
            return Err(Refusal::wrong_use(format!("`{label}` has two slowdowns"), "give it one").into());
        }
        if plan.contenders.iter().all(|contender| contender.label != *label) {
            let labels: Vec<&str> = plan.contenders.iter().map(|contender| contender.label.0.as_str()).collect();
            let text = format!("there is no contender `{label}` to be slowed");
            return Err(Refusal::wrong_use(text, format!("the labels are {}", labels.join(", "))).into());
        }
    }
    Ok(())
}

/// Refuses guarantees that are stated twice, or about file systems whose guarantees are known.
fn require_guarantees(plan: &Plan) -> Result<()> {
    for (index, Stated { label, guarantee }) in plan.guarantees.iter().enumerate() {
        let is_directory = |contender: &Contender| contender.label == *label && contender.is_directory();
        if !plan.contenders.iter().any(is_directory) {
            let text = format!("there is no directory `{label}` whose guarantees could be stated");
            return Err(Refusal::wrong_use(text, "nfs=dir:/mnt/nfs --guarantee nfs=unflushed").into());
        }
        let is_same =
            |other: &Stated| other.label == *label && discriminant(&other.guarantee) == discriminant(guarantee);
        if plan.guarantees[..index].iter().any(is_same) {
            let text = format!("two guarantees of `{label}` contradict each other");
            return Err(Refusal::wrong_use(text, "state one of them").into());
        }
    }
    Ok(())
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
    match plan.lanes.precondition.is_none() || lane_count(plan) > 0 {
        true => Ok(()),
        false => {
            let text = "there are no lanes that could be preconditioned: none of these contenders needs one";
            Err(Refusal::wrong_use(text, "leave out --precondition").into())
        }
    }
}

fn require_whole_blocks(plan: &Plan) -> Result<()> {
    let size = plan.lanes.size.0;
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
    let smallest = kinds.map(|kind| kind.smallest_lane.0).max().unwrap_or(0);
    plan.lanes.size.0.max(data).max(smallest).max(1).div_ceil(BLOCK).saturating_mul(BLOCK)
}

/// The lane size that is needed for this amount of data.
fn needed(data: Bytes) -> Bytes {
    Bytes((data.0 as f64 / FILL).ceil() as u64)
}

/// Makes the lanes of a resolved plan as large as its workloads need, in whole MiB: the largest, or all whose files stay
/// until the end of a round. Returns a note if they were smaller.
pub fn enlarge_lanes(plan: &mut Plan) -> Option<String> {
    let needed = Bytes::mib(needed(left_files(plan)).0.div_ceil(Bytes::mib(1).0));
    if needed <= plan.lanes.size || lane_count(plan) == 0 {
        return None;
    }
    let usual = std::mem::replace(&mut plan.lanes.size, needed);
    Some(format!("the lanes have {needed}, because the workloads need more than {usual}"))
}

/// Refuses workloads that do not fit on a lane.
fn require_room_on_lanes(plan: &Plan) -> Result<()> {
    if let Some(workload) = largest(&plan.workloads) {
        let needed = needed(workload.traits.peak);
        if lane_count(plan) > 0 && needed > plan.lanes.size {
            let wanted_by = format!("the workload `{}`", workload.name);
            return Err(LaneError::LaneTooSmall { size: plan.lanes.size, wanted_by, needed }.into());
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
                "the workload `{}` does direct I/O in units of {} bytes, and the lanes' sectors have {BLOCK}",
                workload.name, block.0
            );
            let hint = "make its block sizes and offsets multiples of 4096, or do without direct I/O";
            Err(Refusal::wrong_use(text, hint).into())
        }
    }
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
