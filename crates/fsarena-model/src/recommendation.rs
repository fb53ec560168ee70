//! The best contender for the reader's own mix of workloads, how certain that is, and at which other mix another one
//! would be best.

use serde::{Deserialize, Serialize};

use crate::{Coherence, Durability, Estimate, Label, Mix, Unavailable, Weight, WorkKind};

/// The recommendation for a mix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The profile, by name or file, that the mix is from.
    pub profile: Option<String>,
    /// The weights of what the run has; all shares add up to 1.
    pub mix: Mix,
    /// Names of the profile that the run has no workload for, with their shares of the whole profile.
    pub absent: Vec<Weight>,
    /// The workloads that count, with their shares: within a group all count equally.
    pub workloads: Vec<(String, f64)>,
    /// Workloads that would count but were not run, because their programs are missing; the others of their name get
    /// their share.
    pub without: Vec<Unavailable>,
    /// Recommendations by durability class: contenders of different classes are not compared.
    pub classes: Vec<ClassAdvice>,
}

/// The recommendation among the contenders of one durability class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassAdvice {
    /// The class.
    pub durability: Durability,
    /// When its clients see the changes of others; `None` on a single machine, and if it is not known.
    pub coherence: Option<Coherence>,
    /// The weighted geometric mean of each pair's ratios, in command-line order.
    pub pairs: Vec<MixRow>,
    /// The best contender by estimate; `None` if no two can be compared.
    pub first: Option<Label>,
    /// The first, and the contenders than which it is not clearly better. It is clearly better if its mean lead exceeds
    /// the margin and is shown to be one, by intervals that hold for all rivals together, and if it is better in another
    /// program with a probability of at least 90 %, kinds of work having their shares of the mix.
    pub best: Vec<Label>,
    /// Those of `best` that are shown to differ from the first by less than the margin.
    pub equal: Vec<Label>,
    /// Those of `best` over which the first's mean lead exceeds the margin and is shown to be one, for these workloads;
    /// that another program finds the first better has a probability of less than 90 %.
    pub led: Vec<Label>,
    /// Which of `best` are better in which workloads, by the verdicts; empty unless each is beaten in some workload.
    pub depends: Vec<Preference>,
    /// For each kind of work in the mix, which of the contenders to take; only where that excludes some.
    pub kinds: Vec<KindChoice>,
    /// Shares at which another contender would be first; empty for a mix of a single name.
    pub flips: Vec<MixFlip>,
    /// Contenders that are not recommended, because a workload that counts has no valid result for them.
    pub not_recommended: Vec<NotRecommended>,
}

/// A pair over the mix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MixRow {
    /// The contender that comes first on the command line.
    pub a: Label,
    /// The other contender.
    pub b: Label,
    /// How many times better `a` is; `None` unless all workloads have a valid estimate. With the pointwise 95 %
    /// interval.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The pair in another program, for each kind of work in the mix; empty if there is no mean.
    pub another: Vec<AnotherProgram>,
    /// The workloads that prevent a mean, each with the reason.
    pub left_out: Vec<String>,
}

/// A pair in another program for the same purpose as those of the mix.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AnotherProgram {
    /// What the program does.
    pub kind: WorkKind,
    /// How many times better `a` is, with the 90 % prediction interval.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The probability that `a` is better, 0 to 1.
    pub better: f64,
}

/// The contenders to take for another program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindChoice {
    /// What the program does.
    pub kind: WorkKind,
    /// Those than which none is better with a probability of at least 90 %.
    pub contenders: Vec<Label>,
}

/// Contenders that are better than the other ones in question in these workloads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preference {
    /// The contenders; several if no verdict separates them there.
    pub contenders: Vec<Label>,
    /// The workloads' names.
    pub workloads: Vec<String>,
}

/// The shares of one name at which another contender would be first, while the others keep their proportions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MixFlip {
    /// The name in the mix.
    pub name: String,
    /// Its share in the mix.
    pub share: f64,
    /// The share below which another contender is first, and that contender; `None` if there is none down to 0.
    pub below: Option<(f64, Label)>,
    /// The share above which another contender is first, and that contender; `None` if there is none up to 1.
    pub above: Option<(f64, Label)>,
}

/// A contender that is not recommended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotRecommended {
    /// Its label.
    pub label: Label,
    /// Why, each reason once: `phoronix-sqlite: did-not-finish`, `all 11: not measured`.
    pub reason: String,
}
