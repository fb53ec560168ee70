//! Fixed sentences: the meaning of the model's closed sets, and how to read a report.

mod validity;

use fsarena_model::comparison::WorkloadRow;
use fsarena_model::{BaselineKind, Better, CacheState, Comparison, Durability, DurablePoint, Mode, Status};

pub use validity::{VALIDITY, validity};

/// Which direction is better.
pub fn better(better: Better) -> &'static str {
    match better {
        Better::Higher => "higher is better",
        Better::Lower => "lower is better",
    }
}

/// What an fsync guarantees when it has returned.
pub fn durability(class: Durability) -> &'static str {
    match class {
        Durability::Flushed => "what was synced is on the device, behind a flush of its cache",
        Durability::Unflushed => "what was synced was written, but no flush was sent",
        Durability::Volatile => "nothing outlives the machine",
    }
}

/// What a workload makes durable inside the timer.
pub fn durable(point: DurablePoint) -> &'static str {
    match point {
        DurablePoint::None => "nothing is made durable: the clock stops when the calls return",
        DurablePoint::Fsync => "durable by fsync, inside the timer",
        DurablePoint::Fdatasync => "durable by fdatasync, inside the timer",
        DurablePoint::OSync => "durable: each write is, by O_SYNC",
        DurablePoint::ODsync => "durable: each write is, by O_DSYNC",
        DurablePoint::Syncfs => "durable: each batch ends with syncfs, inside the timer",
    }
}

/// Where a workload's data comes from.
pub fn cache(state: CacheState) -> &'static str {
    match state {
        CacheState::Warm => "warm: served from memory",
        CacheState::Cold => "cold: remounted before, so that the device has to serve it",
        CacheState::Direct => "direct: past the page cache",
    }
}

/// How a workload's time is divided.
pub fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Sliced => "sliced: short slices, contenders in turn",
        Mode::Whole => "whole: one piece per contender, alone",
    }
}

/// Where a baseline runs.
pub fn place(place: BaselineKind) -> &'static str {
    match place {
        BaselineKind::Memory => "in memory",
        BaselineKind::Device => "on the bare device",
        BaselineKind::Start => "starts of /bin/true",
    }
}

/// What a baseline measures.
pub fn baseline(place: BaselineKind) -> &'static str {
    match place {
        BaselineKind::Memory => {
            "The same work on a tmpfs: what is left is the harness, system calls and the kernel's common part."
        }
        BaselineKind::Device => "The same reads and writes on the lane's device, without any file system: the ceiling.",
        BaselineKind::Start => "As many programs that do nothing are started as the work starts.",
    }
}

/// The memory limit of a workload, if it has one.
pub fn memory(workload: &WorkloadRow) -> Option<String> {
    Some(format!("within {} of memory, page cache included", workload.memory_limit?))
}

/// The status of a run.
pub fn status(status: Status) -> &'static str {
    match status {
        Status::Complete => "complete",
        Status::Interrupted => "interrupted",
    }
}

/// Systematic errors, which no interval covers.
pub fn biases(comparison: &Comparison) -> &'static [&'static str] {
    let only_directories = comparison.contenders.iter().all(|contender| contender.kind == "dir");
    if only_directories { OF_DIRECTORIES } else { OF_LANES }
}

const OF_DIRECTORIES: &[&str] = &[
    "BaselineKind: the storage of each directory is part of its figures: size, fill level and age may differ.",
    "Cold: a directory is not mounted again; the kernel was only asked to drop what is read cold.",
    "Machine: one machine, one kernel.",
];

const OF_LANES: &[&str] = &[
    "Size: every contender had a lane of the same, limited size; a larger file system may rank otherwise.",
    "Host: where lanes are images, the file system beneath them and its device are part of every figure.",
    "Age: lanes were freshly made; fragmentation and fill level of a file system in use are not in here.",
    "BaselineKind: one machine, one kernel, one version of each tool.",
];

/// The sentence before [`biases`].
pub const NOISE_ONLY: &str = "An interval covers noise only: what another run of the same plan here would change.";

/// The explanation of the figures of a verdict.
pub const INTERVAL: &str = "The interval of a pair's ratio is the one that its verdict rests on: it holds for all pairs of the run and all looks at it together, at 95 %. Leaning: the interval of that pair alone excludes 1; such a lean is no verdict. Finds from: the smallest difference that this run would have decided with a probability of 80 %.";
/// The explanation of a ratio over the suite.
pub const SUITE: &str = "Over the suite: the geometric mean of the pair's ratios over the workloads of this run (closed loops), each counting the same; it says nothing of other workloads. Its interval is that of this one mean, with the luck that the workloads of a round share; it decides nothing.";

/// The explanation of a curve of latency against load.
pub const CURVE: &str = "Each line is one contender at rising rates (open loop, latency from the intended start); \
    where it turns upwards, the contender is full. A contender that is crossed out does not keep up: its latency grows \
    with the length of the run. A ring is the closed loop: the median at its own rate, where each operation waits for \
    the previous one and no queue can be seen.";

/// A term and its explanation.
pub type Term = (&'static str, &'static str);

/// The words of a verdict.
pub const VERDICTS: &[Term] = &[
    (
        "faster, slower",
        "The decision interval of the ratio excludes 1. The rule aims at a false winner in at most one of twenty whole runs. The difference may be small.",
    ),
    (
        "equivalent",
        "The difference is shown to lie within the margin. A tie that was proved, not one that was assumed.",
    ),
    (
        "undecided",
        "The data do not decide it. Where possible, the report says about how many more rounds would decide it, and how long they take.",
    ),
    (
        "invalid",
        "The figures cannot be compared: a trial did not finish, rounds contradict each other, or a figure is impossible.",
    ),
];

/// The figures of a verdict.
pub const FIGURES: &[Term] = &[
    ("ratio", "How many times better the first of a pair is than the second, whatever the metric's direction."),
    (
        "pointwise interval",
        "95 % of such intervals contain the true ratio, if one looks at this pair alone. Use it to read the size of a difference.",
    ),
    (
        "decision interval",
        "Wider: it holds for all pairs and workloads together, and although the run looked after every round. Faster and slower rest on it; equivalent has a test of its own, against the margin.",
    ),
    (
        "rank, best group",
        "The place of a contender in a workload, as far as verdicts prove it: 1–2 is first or second. The best group has all those that none is proved better than.",
    ),
    (
        "rounds",
        "Each round makes every file system again. The interval is about rounds; the slices within one share a file system. Winners that were called early tend to come out somewhat too large. Rounds in which the machine was busy with other things may be excluded, by bounds fixed beforehand: nothing rests on those.",
    ),
];
