//! The best contender for the reader's own mix of workloads, how certain that is, and at which other mix another one
//! would be best.

use serde::{Deserialize, Serialize};

use crate::{Coherence, Durability, Estimate, Label, Mix, Unavailable, Weight};

/// The recommendation for a mix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The profile, by name or file, that the mix is from.
    #[serde(default)]
    pub profile: Option<String>,
    /// The weights of what the run has; all shares add up to 1.
    pub mix: Mix,
    /// Names of the profile that the run has no workload for, with their shares of the whole profile.
    #[serde(default)]
    pub absent: Vec<Weight>,
    /// The workloads that count, with their shares: within a group all count equally.
    pub workloads: Vec<(String, f64)>,
    /// Workloads that would count but were not run, because their programs are missing; the others of their name get
    /// their share.
    #[serde(default)]
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
    #[serde(default)]
    pub coherence: Option<Coherence>,
    /// The weighted geometric mean of each pair's ratios, in command-line order.
    pub pairs: Vec<MixRow>,
    /// The best contender by estimate; `None` if no two can be compared.
    pub first: Option<Label>,
    /// The first, and the contenders over which its lead is not shown to exceed the margin; the first alone if it leads
    /// all others by more. The intervals hold for all rivals together.
    pub best: Vec<Label>,
    /// Those of `best` that are shown to differ from the first by less than the margin.
    #[serde(default)]
    pub equal: Vec<Label>,
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
    /// The workloads that prevent a mean, each with the reason.
    pub left_out: Vec<String>,
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
