//! References: the same work where no contender's file system has a part in it, so that a cell's share of the harness and of
//! the device is measured and not guessed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Trial;

/// Where, instead of on a contender, a workload is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// On a tmpfs of the run's own: what is left is the harness, system calls and the kernel's common part.
    Memory,
    /// On the spare lane's device itself, without any file system: the ceiling of what the device can do.
    Device,
    /// Nowhere: as many programs that do nothing (`/bin/true`) as the workload starts are started.
    Start,
}

impl Place {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Device, Self::Start];
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Memory => "memory",
            Self::Device => "device",
            Self::Start => "start",
        })
    }
}

/// A workload done at such a place; the trial's contender is the place's name, which no verdict sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Where.
    pub place: Place,
    /// What was measured.
    pub trial: Trial,
}

/// How often something beside the contenders is measured: references, the three clocks, and the space that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Often {
    /// Not at all.
    #[default]
    Never,
    /// In the first round that a workload is in.
    Once,
    /// In every round.
    Always,
}

impl fmt::Display for Often {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Never => "never",
            Self::Once => "once",
            Self::Always => "always",
        })
    }
}

impl FromStr for Often {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = [Self::Never, Self::Once, Self::Always].into_iter().find(|often| often.to_string() == text);
        found.ok_or_else(|| "never, once or always".to_owned())
    }
}

/// The suite that gives verdicts within minutes, and has no time for anything beside them in every round.
const QUICK: &str = "quick";

impl Often {
    /// What a run of this suite, or of workloads that were named, does if nothing else is said.
    pub fn usual(suite: Option<&str>) -> Self {
        if suite == Some(QUICK) { Self::Once } else { Self::Always }
    }

    /// Whether it is [`Often::Never`].
    pub fn is_never(&self) -> bool {
        *self == Self::Never
    }
}
