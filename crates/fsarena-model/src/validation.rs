//! Predicted against measured: what profiles say about programs that they do not contain.

use serde::{Deserialize, Serialize};

use crate::difference::SideRun;
use crate::recommendation::AnotherProgram;
use crate::{Environment, Estimate, Label, Share, Verdict};

/// The number of the JSON form described in `interface.md`.
pub const FORMAT: u32 = 1;

/// Runs of profiles together with programs that the profiles do not contain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// [`FORMAT`].
    pub format: u32,
    /// The runs, each with the profile that it is judged by.
    pub runs: Vec<ValidatedRun>,
    /// By run, then program, then pair.
    pub pairs: Vec<ValidatedPair>,
    /// How well each profile predicts.
    pub profiles: Vec<ProfileScore>,
    /// How well all of them do.
    pub all: Score,
    /// The difference between programs with which the measured ratios are most likely; `None` without pairs.
    pub between: Option<ProgramSpread>,
    /// What could not be used, and why.
    pub left_out: Vec<String>,
}

/// A run, and the profile that it is judged by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValidatedRun {
    /// The profile's name.
    pub profile: String,
    /// The run.
    #[serde(flatten)]
    pub run: SideRun,
    /// Its machine.
    pub environment: Environment,
}

/// A pair of contenders in a program that the profile does not contain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValidatedPair {
    /// The profile's name.
    pub profile: String,
    /// The workload that is the program.
    pub program: String,
    /// The contender that comes first on the command line.
    pub a: Label,
    /// The other contender.
    pub b: Label,
    /// What the workloads of the profile predict of how many times better `a` is.
    pub predicted: AnotherProgram,
    /// What was measured, with the pointwise 95 % interval.
    pub measured: Estimate,
    /// The verdict on the pair in the program.
    pub verdict: Verdict,
    /// How the prediction came out; `None` unless a difference of more than 10 % is decided.
    pub outcome: Option<Foretold>,
}

/// How a prediction came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Foretold {
    /// It was sure, and the predicted contender is the better one.
    Right,
    /// It was sure, and the other one is better.
    Wrong,
    /// It gave neither contender a probability of 90 %.
    NotSure,
}

/// The score of a profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileScore {
    /// The profile's name.
    pub profile: String,
    /// Its score.
    #[serde(flatten)]
    pub score: Score,
}

/// How well ratios were predicted. A share is `None` if there is nothing that it could be a share of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Number of pairs.
    pub pairs: u32,
    /// Pairs with a decided difference of more than 10 %.
    pub clear: u32,
    /// The share of these with the right sign, sure or not.
    pub right_sign: Option<Share>,
    /// The share of these of which the prediction is not sure.
    pub not_sure: Option<Share>,
    /// The share of the others with the right sign.
    pub right_when_sure: Option<Share>,
    /// The median error of the predicted ratio, over all pairs.
    pub error: Option<Share>,
    /// The share of 90 % prediction intervals that contain the measured ratio, over all pairs.
    pub covered: Option<Share>,
}

/// How much ratios differ between programs of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ProgramSpread {
    /// The typical standard deviation, a logarithm.
    pub deviation: f64,
    /// The degrees of freedom as which it counts.
    pub freedom: f64,
}
