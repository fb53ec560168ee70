//! The comparison: a run's figures and verdicts, ready to be printed. Its JSON form is the interface's `format` 1.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::event::{Check, Note, RoundFacts};
use crate::{
    Better, Bytes, CacheState, Durability, DurablePoint, Environment, Label, Mode, Place, Promise, Reading,
    Recommendation, Reproduction, Status, StepRow, Unavailable, Validity, VerificationRow,
};

/// The number of the JSON form described in `interface.md`.
pub const FORMAT: u32 = 1;

/// A run, decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// [`FORMAT`].
    pub format: u32,
    /// The store's number.
    pub run: i64,
    /// Whether it came to its end.
    pub status: Status,
    /// The seed as a decimal string.
    pub seed: String,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// The suite's name, if one was run.
    pub suite: Option<String>,
    /// The equivalence margin, 0 to 1.
    pub margin: f64,
    /// The SHA-256 of the plan.
    pub plan_hash: String,
    /// The arguments that repeat the run, from `fsarena` on; a contender or workload from a file stands as its label.
    pub command: Vec<String>,
    /// Rounds that were finished.
    pub rounds: u32,
    /// The machine.
    pub environment: Environment,
    /// In command-line order.
    pub contenders: Vec<ContenderRow>,
    /// In the suite's order.
    pub workloads: Vec<WorkloadRow>,
    /// By workload, then contender.
    pub cells: Vec<Cell>,
    /// By workload, then pair.
    pub verdicts: Vec<PairVerdict>,
    /// Whole runs beside the slices, for runs with control rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<ControlRow>,
    /// By workload, then contender.
    #[serde(default)]
    pub standings: Vec<StandingRow>,
    /// Pairs of one durability class, in command-line order; none where there are fewer than two workloads.
    #[serde(default)]
    pub suite_ratios: Vec<SuiteRow>,
    /// What the same work took in memory, on the bare device, or as mere starts of programs.
    #[serde(default)]
    pub references: Vec<ReferenceRow>,
    /// What comparing files with what they should hold has found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verifications: Vec<VerificationRow>,
    /// The article whose tests these are, beside what was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproduction: Option<Box<Reproduction>>,
    /// Workloads of the suite that were not run, for want of programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<Unavailable>,
    /// Who is best by the reader's own mix, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<Box<Recommendation>>,
    /// How many checks of file systems, after rounds, found nothing wrong.
    #[serde(default)]
    pub clean_checks: u32,
    /// Checks that found damage.
    pub damage: Vec<Check>,
    /// The machine, round by round.
    pub round_facts: Vec<RoundFacts>,
    /// What has to be said.
    pub notes: Vec<Note>,
}

impl Comparison {
    /// How many further rounds would probably settle every undecided pair that has a price; `None` if none has one.
    pub fn wanted_rounds(&self) -> Option<u32> {
        let wanted = |pair: &PairVerdict| Some(pair.needs_rounds?.saturating_sub(pair.rounds).max(1));
        self.verdicts.iter().filter_map(wanted).max()
    }
}

/// A reference over all rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReferenceRow {
    /// The workload's name.
    pub workload: String,
    /// Where it was done.
    pub place: Place,
    /// The median of the workload's metric, in its unit; of starts: programs per second.
    pub median: Option<f64>,
    /// The unit.
    pub unit: String,
    /// The median time of an operation, seconds.
    pub seconds_per_operation: Option<f64>,
    /// Rounds that gave a value.
    pub rounds: u32,
}

/// What whole runs said beside the slices of a pair.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ControlRow {
    /// The workload's name.
    pub workload: String,
    /// The contender that comes first on the command line.
    pub a: Label,
    /// The other.
    pub b: Label,
    /// How many times better `a` is than `b` in slices.
    pub sliced: Option<f64>,
    /// The lower end of its pointwise 95 % interval.
    pub sliced_low: Option<f64>,
    /// The upper end.
    pub sliced_high: Option<f64>,
    /// The same in whole runs.
    pub whole: Option<f64>,
    /// The lower end of its pointwise 95 % interval.
    pub whole_low: Option<f64>,
    /// The upper end.
    pub whole_high: Option<f64>,
    /// Control rounds.
    pub rounds: u32,
    /// Whether slices and whole runs of the workload say the same, within the margin; `None` while that is not known. Where
    /// they do not, the whole runs count.
    pub agrees: Option<bool>,
}

/// A contender in a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContenderRow {
    /// Its name.
    pub label: Label,
    /// Its kind.
    pub kind: String,
    /// The command that made it.
    pub mkfs: Vec<String>,
    /// As the kernel reports it; `None` if it was never mounted.
    pub mount: Option<String>,
    /// Its class; `None` if it was never mounted.
    pub durability: Option<Durability>,
    /// What it does beyond storing.
    pub promises: Vec<Promise>,
    /// Features as created.
    pub features: Vec<String>,
    /// Read-ahead, in KiB.
    pub read_ahead_kib: Option<u64>,
}

/// A workload in a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkloadRow {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: u32,
    /// The engine that did it; empty in what older versions have written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub engine: String,
    /// The figure's name.
    pub metric: String,
    /// The figure's unit.
    pub unit: String,
    /// Which direction is better.
    pub better: Better,
    /// Sliced or whole.
    pub mode: Mode,
    /// What is made durable inside the timer.
    pub durable: DurablePoint,
    /// Where the data were.
    pub cache: CacheState,
    /// What the work might have of memory, page cache included; `None`: all there is.
    #[serde(default)]
    pub memory_limit: Option<Bytes>,
    /// What the figure measures.
    pub measures: String,
    /// Why anybody should care.
    pub why: String,
    /// The workload of which this one is an open loop.
    #[serde(default)]
    pub variant_of: Option<String>,
    /// The rate of that loop: `50%` of the contender's own peak, or `2000` operations per second.
    #[serde(default)]
    pub rate: Option<String>,
    /// Which of the three clocks its time is.
    #[serde(default)]
    pub clock: Clock,
}

/// At which of the three clocks a workload's time ends; what comes after it is left for later. The third, at rest, is that of
/// no workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// When its calls came back, its own syncs among them.
    #[default]
    Returned,
    /// When all had been synced, as after a whole run.
    Durable,
}

/// Contender × workload, over all rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The workload's name.
    pub workload: String,
    /// The contender's label.
    pub contender: Label,
    /// The figure's name.
    pub metric: String,
    /// The figure's unit.
    pub unit: String,
    /// The median over rounds.
    pub median: Option<f64>,
    /// The lower end of the pointwise 95 % interval of the median.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Rounds that gave a value.
    pub rounds: u32,
    /// Slices in all.
    pub samples: u32,
    /// Reasons to read it with care; empty: valid.
    pub validity: Vec<Validity>,
    /// The share of its time, 0 to 1, that the same work takes in memory (tmpfs): the harness, system calls and the kernel's
    /// common part. `None` where that was not measured.
    #[serde(default)]
    pub harness_share: Option<f64>,
    /// The share of the bare device's rate, 0 to 1 and a little above, that it reaches; `None` where that was not measured.
    #[serde(default)]
    pub ceiling_share: Option<f64>,
    /// The share of its time, 0 to 1, that as many mere starts of programs take; `None` where it starts none, or where that was not
    /// measured.
    #[serde(default)]
    pub start_share: Option<f64>,
    /// Timed seconds for an operation, the median over rounds.
    #[serde(default)]
    pub seconds_per_operation: Option<f64>,
    /// Calls of fsync, fdatasync and syncfs for an operation, the median over rounds; 0 where nothing was synced by a call.
    #[serde(default)]
    pub syncs_per_operation: Option<f64>,
    /// Medians over rounds of what the probes read, per operation where that makes sense.
    pub probes: BTreeMap<String, Reading>,
    /// The value of each round, in the order of rounds; `None` where a round gave none.
    pub by_round: Vec<Option<f64>>,
    /// The parts of which it consists, where its workload has such.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepRow>,
    /// Latency over time, by operation.
    #[serde(default)]
    pub over_time: Vec<Course>,
    /// Whether it stood still, and which rounds do not count.
    #[serde(default)]
    pub stability: Stability,
}

/// Whether a cell stood still. All of it is reported; only rounds that were set aside do not count.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Stability {
    /// Rounds that were set aside, because the machine was busy with other things.
    pub set_aside: Vec<u32>,
    /// Rounds whose value is far from the others'; they count.
    pub outliers: Vec<u32>,
    /// How many times better each round is than the one before, measured against the other contenders.
    pub trend: Option<Change>,
    /// How many times better the later slices of a round are than its first ones.
    pub within_round: Option<Change>,
    /// How many times better a slice is right after one of the same contender than after another's.
    pub carry_over: Option<Change>,
}

/// A ratio that is 1 where nothing changes; its interval holds at 95 % for all cells of the run together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The ratio.
    pub ratio: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Change {
    /// Whether it is ruled out that nothing changes.
    pub fn is_proved(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }
}

/// The latencies of one kind of operation over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// What was done, such as `read`.
    pub operation: String,
    /// By round, then time.
    pub points: Vec<Point>,
}

/// Latencies within a part of a slice, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// From 1.
    pub round: u32,
    /// Which of the trial's slices, from 1.
    pub slice: u32,
    /// When the part ended: timed seconds of this trial, its slices put one behind the other.
    pub seconds: f64,
    /// The arithmetic mean.
    pub mean: f64,
    /// Half were at or below.
    pub p50: f64,
    /// 99 of 100 were at or below.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// The decision on a pair of cells; it is `a`'s.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairVerdict {
    /// The workload's name.
    pub workload: String,
    /// The figure's name.
    pub metric: String,
    /// The contender that comes first on the command line.
    pub a: Label,
    /// The other.
    pub b: Label,
    /// How many times better `a` is than `b`, whatever the metric's direction.
    pub ratio: Option<f64>,
    /// The lower end of the pointwise 95 % interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The lower end of the interval that the decision used.
    pub decision_low: Option<f64>,
    /// The upper end.
    pub decision_high: Option<f64>,
    /// The decision.
    pub verdict: Verdict,
    /// Why there is no other verdict, or what stands beside it; empty if nothing does.
    pub reason: String,
    /// What one of them does for the data and the other does not: `btrfs also has data checksums`; empty if nothing.
    #[serde(default)]
    pub promises: String,
    /// Rounds that the decision rests on.
    pub rounds: u32,
    /// About how many rounds in all would settle an undecided pair.
    pub needs_rounds: Option<u32>,
    /// About how many seconds of a run the rounds that are still missing would take: their number, times the workload's
    /// share of the last round that it was in.
    #[serde(default)]
    pub needs_seconds: Option<f64>,
}

/// Where a contender stands in a workload, as far as the verdicts prove it: among those of its own durability class,
/// and of them only those that have a valid pair with another. An invalid pair proves no order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingRow {
    /// The workload's name.
    pub workload: String,
    /// The contender's label.
    pub contender: Label,
    /// One more than the number of those that are proved better; 1 is the best. `None` if it has no valid pair.
    pub rank_best: Option<u32>,
    /// The number of those that are ranked, less those that are proved worse. `None` likewise.
    pub rank_worst: Option<u32>,
    /// Whether it is ranked and nobody is proved better.
    pub in_best_group: bool,
}

/// A pair of one durability class over all workloads but open loops.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuiteRow {
    /// The contender that comes first on the command line.
    pub a: Label,
    /// The other.
    pub b: Label,
    /// The geometric mean of how many times better `a` is than `b`, each workload counting the same; `None` unless all
    /// of them have a valid estimate.
    pub ratio: Option<f64>,
    /// The lower end of the mean's pointwise 95 % interval, were the noise of the workloads independent.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Workloads that the mean is of, or would be.
    pub workloads: u32,
    /// The workloads for want of which there is no mean, each with the reason: `create-fsync (xfs: did-not-finish)`.
    pub left_out: Vec<String>,
}

/// Who is faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Better beyond the margin or, if within it, not shown to be equivalent.
    Faster,
    /// Worse, likewise.
    Slower,
    /// The difference lies within the margin.
    Equivalent,
    /// The data do not say.
    Undecided,
    /// The data cannot say, or must not be compared.
    Invalid,
}

impl Verdict {
    /// The verdict of the pair's other half.
    pub fn reversed(self) -> Self {
        match self {
            Self::Faster => Self::Slower,
            Self::Slower => Self::Faster,
            other => other,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Equivalent => "equivalent",
            Self::Undecided => "undecided",
            Self::Invalid => "invalid",
        })
    }
}
