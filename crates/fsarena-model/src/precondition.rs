//! Preconditioning of the lanes' devices before anything is measured, and its result.

use serde::{Deserialize, Serialize};

/// How the lanes' devices are preconditioned before anything is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precondition {
    /// They are written in full once, when they are made.
    #[default]
    None,
    /// As in SNIA's Solid State Storage Performance Test Specification 2.0.2: written in full twice more, and then at
    /// random until they are in their steady state.
    Snia,
}

impl Precondition {
    /// Whether it is [`Precondition::None`].
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// Result of preconditioning.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Preconditioned {
    /// Random writes of 4 KiB per second, over all lanes, in each round of a second.
    pub writes_per_second: Vec<f64>,
    /// Whether the last rounds were steady.
    pub is_steady: bool,
}
