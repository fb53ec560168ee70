//! Baselines: the same work without any contender's file system, so that the shares of the harness and of the device
//! in a cell are measured and not guessed.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Trial;
use crate::text::named;

/// Where a workload is run instead of on a contender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BaselineKind {
    /// On a tmpfs of the run: the time of the harness, system calls and the kernel's common part.
    Memory,
    /// On the calibration device itself, without any file system: the upper limit of what the device can do.
    Device,
    /// Nowhere: as many programs that do nothing (`/bin/true`) are started as the workload starts.
    Start,
}

impl BaselineKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Device, Self::Start];
}

/// A workload that was run at such a place. The trial's contender is the place's name; it is part of no verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// The place.
    pub kind: BaselineKind,
    /// What was measured.
    pub trial: Trial,
}

/// How often something other than the contenders is measured: baselines, the three clocks, and the used space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Often {
    /// Not at all.
    #[default]
    Never,
    /// In the first round that includes a workload; baselines in the first three, since they are yardsticks.
    Once,
    /// In every round.
    Always,
}

impl FromStr for Often {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        named(text).map_err(|_| "never, once or always".to_owned())
    }
}

impl Often {
    /// [`Often::Always`].
    pub fn always() -> Self {
        Self::Always
    }

    /// Whether it is [`Often::Always`].
    pub fn is_always(&self) -> bool {
        *self == Self::Always
    }
}
