//! Fixed sentences: the meaning of the model's closed sets, and how to read a report.

use fsarena_model::comparison::WorkloadRow;
use fsarena_model::difference::SideRun;
use fsarena_model::validity::bounds;
use fsarena_model::{
    BaselineKind, Better, CacheState, Class, Coherence, Comparison, Contender, Durability, DurablePoint, Label, Mode,
    Severity, Share, Status, ValidityClass, Verdict,
};

use crate::number::percent;

/// `1 round`, `6 rounds`, `no complete round`.
pub fn rounds(count: u32) -> String {
    if count == 0 { "no complete round".to_owned() } else { counted(count as usize, "round") }
}

/// `run 8 (2026-03-01T12:00:00Z, 6 rounds)`.
pub fn run(run: &SideRun) -> String {
    format!("{} ({}, {})", run.name, run.started, rounds(run.rounds))
}

/// `xfs in create-fsync`, or `xfs over all workloads`.
pub fn placed(contender: &Label, workload: Option<&str>) -> String {
    match workload {
        Some(workload) => format!("{contender} in {workload}"),
        None => format!("{contender} over all workloads"),
    }
}

/// `1 pair`, `6 pairs`.
pub fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    joined(items, "and")
}

/// `a`, `a or b`, `a, b or c`.
pub fn either<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    joined(items, "or")
}

fn joined<T: ToString>(items: impl IntoIterator<Item = T>, word: &str) -> String {
    let items: Vec<_> = items.into_iter().map(|item| item.to_string()).collect();
    match items.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {word} {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// `Of 9 comparisons, 2 are equal within 5 %, and 3 undecided.`; `place` follows the margin.
pub fn ties(verdicts: &[Verdict], margin: Share, place: &str) -> String {
    let count = |wanted| verdicts.iter().filter(|verdict| **verdict == wanted).count();
    let (equal, open) = (count(Verdict::Equivalent), count(Verdict::Undecided));
    let are = if equal == 1 { "is" } else { "are" };
    let (all, margin) = (counted(verdicts.len(), "comparison"), percent(margin.0));
    format!("Of {all}, {equal} {are} equal within {margin}{place}, and {open} undecided.")
}

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
        Durability::Unwritten => "a sync returned before anything was written",
        Durability::Volatile => "nothing outlives the machine",
    }
}

/// When a client sees what others have changed.
pub fn coherence(class: Coherence) -> &'static str {
    match class {
        Coherence::Immediate => "clients see changes of others at once",
        Coherence::CloseToOpen => "clients see changes of others when they open a file that these have closed",
        Coherence::Expiring => "clients see changes of others when what they have cached expires",
    }
}

/// The name of a class: `durability flushed, coherence close-to-open`.
pub fn class(class: Class) -> String {
    let coherence = class.coherence.map(|coherence| format!(", coherence {coherence}")).unwrap_or_default();
    format!("durability {}{coherence}", class.durability)
}

/// What the contenders of a class guarantee.
pub fn guaranteed(class: Class) -> String {
    let words = [Some(durability(class.durability)), class.coherence.map(coherence)];
    words.into_iter().flatten().collect::<Vec<_>>().join("; ")
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

pub fn memory(workload: &WorkloadRow) -> Option<String> {
    Some(format!("within {} of memory, page cache included", workload.memory_limit?))
}

pub fn status(status: Status) -> &'static str {
    match status {
        Status::Complete => "complete",
        Status::Interrupted => "interrupted",
        Status::Running => "running",
    }
}

/// Systematic errors, which no interval covers.
pub fn biases(comparison: &Comparison) -> Vec<&'static str> {
    let only_directories = comparison.contenders.iter().all(|contender| contender.kind == Contender::DIRECTORY);
    let is_kernel_named = comparison.contenders.iter().any(|contender| contender.kernel.is_some());
    let has_clients = !comparison.environment.clients.is_empty();
    let (others, machine) = match (only_directories, is_kernel_named) {
        (true, _) if has_clients => (OF_DIRECTORIES, "Machine: these clients, these servers, one network."),
        (true, _) => (OF_DIRECTORIES, "Machine: one machine, one kernel."),
        (false, false) => (OF_LANES, "Machine: one machine, one kernel, one version of each tool."),
        (false, true) => (OF_LANES, "Machine: one machine, one version of each tool."),
    };
    [others, &[machine]].concat()
}

const OF_DIRECTORIES: &[&str] = &[
    "Place: the storage of each directory is part of its figures: size, fill level and age may differ.",
    "Cold: a directory is not mounted again; the kernel was only asked to drop what is read cold.",
];

const OF_LANES: &[&str] = &[
    "Size: every contender had a lane of the same, limited size; a larger file system may rank otherwise.",
    "Host: where lanes are images, the file system beneath them and its device are part of every figure.",
    "Age: lanes were freshly made; fragmentation and fill level of a file system in use are not in here.",
];

/// The sentence before [`biases`].
pub const NOISE_ONLY: &str = "An interval covers noise only: what another run of the same plan here would change.";

pub const INTERVAL: &str = "The interval of a pair's ratio is the one that its verdict rests on: it holds for all \
    pairs of the run and all looks at it together, at 95 %; but what is equivalent because the programs take almost all \
    of the time rests on the work in memory. Leaning: the interval of that pair alone excludes 1; such \
    a lean is no verdict. Finds from: the smallest difference that this run would have decided with a probability of \
    80 %.";
/// The signs of a ranking and of a median.
pub const SIGNS: &str =
    "> faster, ≈ equivalent, ≳ seems faster, ? undecided; [ ] the 95 % interval of the median, where there is room.";

pub const SUITE: &str = "The geometric mean of the pair's ratios over the workloads of this run (closed loops), each \
    counting the same; it says nothing of other workloads. Its interval is that of this one mean, with the luck that \
    the workloads of a round share; it decides nothing.";

pub const CURVE: &str = "Each line is one contender at rising rates (open loop, latency from the intended start); \
    where it turns upwards, the contender is full. A contender that is crossed out does not keep up: its latency grows \
    with the length of the run. A ring is the closed loop: the median at its own rate, where each operation waits for \
    the previous one and no queue can be seen.";

pub const PROBES: &str = "Counted over the timed part unless said otherwise, median over rounds. They say why a figure \
    came out as it did.";

/// How to read the drawings of a workload; `margin` is the equivalence margin, 0 to 1.
pub fn drawings(margin: f64) -> String {
    format!(
        "Left: a bar is the median over rounds, from 0 on, in the colours of the table above; the line is its \
            95\u{a0}% interval, a faint dot one round, a ring one that was excluded. Right: how many times better the \
            first of a pair is, in the colour of the better one; the thick line is the pointwise interval, the thin \
            one the interval of the decision, the shaded band the margin of {} within which contenders count as \
            equivalent.",
        percent(margin)
    )
}

pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Failure => "failure",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

pub type Term = (&'static str, &'static str);

pub const VERDICTS: &[Term] = &[
    (
        "faster, slower",
        "The decision interval of the ratio excludes 1. The rule aims at a false winner in at most one of twenty whole \
            runs. The difference may be small.",
    ),
    (
        "equivalent",
        "The difference is shown to lie within the margin. A tie that was proved, not one that was assumed.",
    ),
    (
        "undecided",
        "The data do not decide it. Where possible, the report says about how many more rounds would decide it, and \
            how long they take.",
    ),
    (
        "invalid",
        "The figures cannot be compared: a trial did not finish, rounds contradict each other, or a figure is \
            impossible.",
    ),
];

pub const FIGURES: &[Term] = &[
    ("ratio", "How many times better the first of a pair is than the second, whatever the metric's direction."),
    (
        "pointwise interval",
        "95 % of such intervals contain the true ratio, if one looks at this pair alone. Use it to read the size of a \
            difference.",
    ),
    (
        "decision interval",
        "Wider: it holds for all pairs and workloads together, and although the run looked after every round. Faster \
            and slower rest on it; equivalent has a test of its own, against the margin.",
    ),
    (
        "at stake",
        "The share of the slowest contender's time that the same work does not take in memory: all that a file system \
            can change.",
    ),
    (
        "rank, best group",
        "The place of a contender in a workload, as far as verdicts prove it: 1–2 is first or second. In the best \
            group are all contenders than which no other is proved better.",
    ),
    (
        "rounds",
        "Each round makes every file system again. The interval is about rounds; the slices within one share a file \
            system. Winners that were called early tend to come out somewhat too large. Rounds in which the machine \
            was busy with other things may be excluded, by bounds fixed beforehand: nothing rests on those.",
    ),
];

/// What a class of validity means, as the end of a sentence.
pub fn validity(class: ValidityClass) -> String {
    use bounds::{
        CLIENT_SHARE, CLOCK_SHARE, DEVICE_SHARE, HARNESS_SHARE, KEEPS_UP, LANE_SHARE, LINK_SHARE, PROCESSOR_SHARE,
        SERVED, SKEWED_SHARE, THROUGH_THE_CACHE,
    };
    match class {
        ValidityClass::Cached => {
            format!("the device carried less than {} of the bytes of a cold or direct read", percent(SERVED))
        }
        ValidityClass::NotDirect => {
            format!("the kernel did more than {} of direct I/O through the page cache", percent(THROUGH_THE_CACHE))
        }
        ValidityClass::DeviceBound => {
            format!("at least {} of what the bare device does with the same requests", percent(DEVICE_SHARE))
        }
        ValidityClass::LaneBound => {
            format!("the host beneath the lane takes more than {} of the time", percent(LANE_SHARE))
        }
        ValidityClass::CpuBound => {
            format!("at least {} of the processors were busy, the device was not", percent(PROCESSOR_SHARE))
        }
        ValidityClass::HarnessBound => {
            format!("the same work in memory takes more than {} of the time", percent(HARNESS_SHARE))
        }
        ValidityClass::CoarseClock => {
            format!("a step of the program's clock is over {} of the time", percent(CLOCK_SHARE))
        }
        ValidityClass::UnevenClients => format!(
            "a client did less than {} of the others, or more than {} of the slices did not start together",
            percent(CLIENT_SHARE),
            percent(SKEWED_SHARE)
        ),
        ValidityClass::NetworkBound => {
            format!("a client's network link carried at least {} of what it can", percent(LINK_SHARE))
        }
        ValidityClass::Impossible => {
            "beyond what device or memory can do, or without the flushes that durability needs".to_owned()
        }
        ValidityClass::Overloaded => {
            format!("less than {} of the offered rate was done, so that a queue grew", percent(KEEPS_UP))
        }
        ValidityClass::Unsteady => "later rounds contradict earlier ones".to_owned(),
        ValidityClass::DidNotFinish => "the work failed or ran out of time or space".to_owned(),
    }
}

/// Words, whose first letter is an ASCII letter, as the beginning of a sentence.
pub fn capitalised(words: &str) -> String {
    words[..1].to_uppercase() + &words[1..]
}

/// The checks of every figure: the class, and its explanation.
pub fn checks() -> Vec<(String, String)> {
    let valid = "None of what follows was found. What could not be read was not checked.";
    let check = |class: ValidityClass| (class.to_string(), format!("{}.", capitalised(&validity(class))));
    [("valid".to_owned(), valid.to_owned())].into_iter().chain(ValidityClass::ALL.map(check)).collect()
}
