//! Who is best by the reader's own mix of workloads, how sure that is, and at which other mix it would be somebody else.

use serde::{Deserialize, Serialize};

use crate::{Durability, Label, Mix, Unavailable};

/// What follows from a mix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// What counts how much; all shares add up to 1.
    pub mix: Mix,
    /// The workloads that count, with their shares: within a group all count alike.
    pub workloads: Vec<(String, f64)>,
    /// Those that would count but were not run, since their programs were not there; the others of their name have their share.
    #[serde(default)]
    pub without: Vec<Unavailable>,
    /// By class: nothing is recommended across classes.
    pub classes: Vec<ClassAdvice>,
}

/// What follows for the contenders of one durability class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassAdvice {
    /// The class.
    pub durability: Durability,
    /// The weighted geometric mean of each pair's ratios, in command-line order.
    pub pairs: Vec<MixRow>,
    /// Who is best by estimate; `None` where no two can be compared.
    pub first: Option<Label>,
    /// Those over whom the first's lead is not shown to exceed the margin, it among them: one, if it is over all others. The
    /// intervals are those that hold over all rivals together.
    pub best: Vec<Label>,
    /// Those of them of whom it is shown that they differ from the first by less than the margin.
    #[serde(default)]
    pub equal: Vec<Label>,
    /// Where another would be first; none with a mix of a single name.
    pub flips: Vec<MixFlip>,
    /// Who is not recommended, since a workload that counts says nothing valid of it.
    pub not_recommended: Vec<NotRecommended>,
}

/// A pair over the mix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MixRow {
    /// The contender that comes first on the command line.
    pub a: Label,
    /// The other.
    pub b: Label,
    /// How many times better `a` is; `None` unless all workloads have a valid estimate.
    pub ratio: Option<f64>,
    /// The lower end of the pointwise 95 % interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The workloads for want of which there is no mean, each with the reason.
    pub left_out: Vec<String>,
}

/// Where another would be first, were one name's share another, the others keeping their proportions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MixFlip {
    /// The name in the mix.
    pub name: String,
    /// Its share.
    pub share: f64,
    /// The share below which another is first, and who; `None`: down to 0 nobody.
    pub below: Option<(f64, Label)>,
    /// The share above which another is first, and who; `None`: up to 1 nobody.
    pub above: Option<(f64, Label)>,
}

/// A contender that is not recommended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotRecommended {
    /// Which one.
    pub label: Label,
    /// Why, each reason once: `phoronix-sqlite: did-not-finish`, `all 11: not measured`.
    pub reason: String,
}
