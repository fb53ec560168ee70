//! Verdicts: pairs, the ranks of all contenders, and the suite as a whole.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Label, ValidityClass, joined};

/// The decision on a pair of cells, from the point of view of `a`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairVerdict {
    /// The workload's name.
    pub workload: String,
    /// The figure's name.
    pub metric: String,
    /// The contender that comes first on the command line.
    pub a: Label,
    /// The other contender.
    pub b: Label,
    /// How many times better `a` is than `b`, whatever the metric's direction. With the pointwise 95 % interval.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The interval that the decision used.
    #[serde(flatten)]
    pub decision: DecisionInterval,
    /// The decision.
    pub verdict: Verdict,
    /// Why there is no other verdict, or a caveat to it; empty if there is none.
    pub reasons: Vec<Reason>,
    /// What one of them guarantees for the data and the other does not: `btrfs also has data checksums`; empty if
    /// nothing.
    pub guarantees: String,
    /// For an undecided pair: faster or slower, where the pointwise 95 % interval excludes 1. Not a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaning: Option<Verdict>,
    /// The smallest ratio, above 1, that this run would have decided with a probability of 80 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detectable: Option<f64>,
    /// Rounds on which the decision is based.
    pub rounds: u32,
    /// What would decide an undecided pair.
    #[serde(flatten)]
    pub needs: Needs,
}

/// Why a pair has no other verdict, or a caveat to its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the sentence of a variant has its fields")]
pub enum Reason {
    /// A contender's figure has to be read with care.
    Validity { contender: Label, class: ValidityClass },
    /// One of the contenders cannot do the workload.
    NoPart,
    /// There is no figure.
    NotMeasured,
    /// They have different durability classes.
    Durability,
    /// Their clients see changes of others at different times.
    Coherence,
    /// Their figures cannot be compared.
    Incomparable,
    /// Later rounds contradict earlier ones.
    Unsteady,
    /// The programs take almost all of the time: what a file system can change is bounded by the work in memory.
    Programs,
    /// The verdict was decided after this many rounds, and those since then make it less sure.
    LessSure { rounds: u32 },
    /// The medians over rounds have another ratio than the rounds, each compared within itself.
    Medians(Medians),
    /// This many rounds count, and a verdict needs at least `least`.
    FewRounds { rounds: u32, least: u32 },
}

/// Medians, over rounds, whose ratio is another one than that of a pair: on the other side of 1, or outside of the
/// interval of the decision.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Medians {
    /// How many times better the first one's median is.
    pub medians: f64,
    /// Whether that is on the other side of 1.
    pub favours_other: bool,
}

impl fmt::Display for Medians {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = self.medians.max(self.medians.recip());
        match self.favours_other {
            true => f.write_str("the medians favour the other side"),
            false => write!(f, "the ratio of the medians, {times:.2}×, is outside of the interval of the ratio"),
        }
    }
}

/// `2 rounds, a verdict needs at least 3`, also of a mean over several verdicts.
pub fn too_few(rounds: u32, least: u32) -> String {
    let count = match rounds {
        0 => "no round counts".to_owned(),
        1 => "1 round".to_owned(),
        _ => format!("{rounds} rounds"),
    };
    format!("{count}, a verdict needs at least {least}")
}

/// In a few words: `xfs: did-not-finish`.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Validity { contender, class } => write!(f, "{contender}: {class}"),
            Self::NoPart => f.write_str("one of them cannot do this"),
            Self::NotMeasured => f.write_str("not measured"),
            Self::Durability => f.write_str("different durability: never ranked with each other"),
            Self::Coherence => {
                f.write_str("clients see changes of others at different times: never ranked with each other")
            }
            Self::Incomparable => f.write_str("the figures cannot be compared"),
            Self::Programs => f.write_str("the programs take almost all of the time, whatever the file system"),
            Self::Unsteady => f.write_str("unsteady: later rounds contradict earlier ones"),
            Self::LessSure { rounds } => {
                write!(f, "decided after round {rounds}; the rounds since then make it less sure")
            }
            Self::Medians(medians) => {
                write!(f, "{medians}: the ratio compares within each round, a median is over all rounds")
            }
            Self::FewRounds { rounds, least } => write!(f, "not decided: {}", too_few(*rounds, *least)),
        }
    }
}

impl PairVerdict {
    /// The reasons in words; empty if there is none.
    pub fn reason(&self) -> String {
        joined(&self.reasons, "; ")
    }

    /// Whether it is undecided though more rounds could decide it: the programs do not take almost all of the time.
    pub fn is_open(&self) -> bool {
        self.verdict == Verdict::Undecided && !self.reasons.contains(&Reason::Programs)
    }
}

/// How many times better one side is than another, with an interval. The field that has it says which sides and which
/// interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The ratio; above 1, the first side is better. `None` if it is not known.
    pub ratio: Option<f64>,
    /// The lower end of the interval; `None` if it is not known.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl Estimate {
    /// A ratio and the ends of its interval.
    pub fn of(ratio: Option<f64>, ends: Option<(f64, f64)>) -> Self {
        Self { ratio, low: ends.map(|ends| ends.0), high: ends.map(|ends| ends.1) }
    }
}

/// The interval of a ratio that a decision used: wider than the pointwise one, because it allows for all looks at the
/// data and all pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct DecisionInterval {
    /// The lower end.
    #[serde(rename = "decision_low")]
    pub low: Option<f64>,
    /// The upper end.
    #[serde(rename = "decision_high")]
    pub high: Option<f64>,
}

impl DecisionInterval {
    /// The interval with these ends.
    pub fn of(ends: Option<(f64, f64)>) -> Self {
        Self { low: ends.map(|ends| ends.0), high: ends.map(|ends| ends.1) }
    }
}

/// What would decide an undecided pair, approximately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Needs {
    /// The number of rounds in all.
    #[serde(rename = "needs_rounds")]
    pub rounds: Option<u32>,
    /// Seconds of a run for the rounds that are still missing: their number, times the workload's share of the last
    /// round that included it.
    #[serde(rename = "needs_seconds")]
    pub seconds: Option<f64>,
}

/// The rank of a contender in a workload, as far as the verdicts prove it: among contenders of its durability class
/// that have a valid pair with another one. An invalid pair proves no order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingRow {
    /// The workload's name.
    pub workload: String,
    /// The contender's label.
    pub contender: Label,
    /// One more than the number of contenders that are proved better; 1 is the best. `None` if it has no valid pair.
    pub rank_best: Option<u32>,
    /// The number of ranked contenders, minus those that are proved worse. `None` if it has no valid pair.
    pub rank_worst: Option<u32>,
    /// Whether it is ranked and no contender is proved better.
    pub in_best_group: bool,
}

/// A pair of contenders with the same durability class over all workloads except open loops.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuiteRow {
    /// The contender that comes first on the command line.
    pub a: Label,
    /// The other.
    pub b: Label,
    /// The geometric mean of how many times better `a` is than `b`, with equal weights; `None` unless all workloads
    /// have a valid estimate. With the mean's pointwise 95 % interval, if the noise of the workloads is independent.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Number of workloads that the mean includes, or would include.
    pub workloads: u32,
    /// The workloads that prevent a mean, each with the reason: `create-fsync (xfs: did-not-finish)`.
    pub left_out: Vec<String>,
}

/// A main effect: what a level of a factor of a matrix changes in one workload, compared with the factor's first level,
/// in the mean over all combinations of the other factors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EffectRow {
    /// The workload.
    pub workload: String,
    /// The matrix, as typed.
    pub matrix: String,
    /// The factor.
    pub factor: String,
    /// The level.
    pub level: String,
    /// The first level of the factor, with which it is compared.
    pub base: String,
    /// The geometric mean of how many times better contenders with `level` are than those with `base`; `None` unless
    /// all pairs have a valid estimate. With the pointwise 95 % interval.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Number of pairs of contenders that differ in this factor only.
    pub pairs: u32,
    /// The smallest ratio of these pairs.
    pub least: Option<f64>,
    /// The largest one.
    pub most: Option<f64>,
    /// Why there is no ratio; empty if there is one.
    pub reason: String,
}

/// Which contender of a pair is faster.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Better beyond the margin or, if within it, not shown to be equivalent.
    Faster,
    /// Worse beyond the margin or, if within it, not shown to be equivalent.
    Slower,
    /// The difference lies within the margin.
    Equivalent,
    /// The data do not decide it.
    #[default]
    Undecided,
    /// The data cannot decide it, or must not be compared.
    Invalid,
}

impl Verdict {
    /// The better and the worse one of two, if this verdict on the first decides that.
    pub fn ordered<T>(self, first: T, second: T) -> Option<(T, T)> {
        match self {
            Self::Faster => Some((first, second)),
            Self::Slower => Some((second, first)),
            Self::Equivalent | Self::Undecided | Self::Invalid => None,
        }
    }

    /// The verdict for the pair with its contenders exchanged.
    pub fn reversed(self) -> Self {
        match self {
            Self::Faster => Self::Slower,
            Self::Slower => Self::Faster,
            other => other,
        }
    }
}
