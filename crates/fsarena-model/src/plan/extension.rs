//! What another crate adds to a plan.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

/// A run of a suite for another crate, which compares its results with data of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extension {
    /// That crate's data.
    #[serde(rename = "article")]
    pub data: Opaque,
    /// The scale of the work.
    pub scale: Scale,
    /// Which of the suite's workloads are run.
    #[serde(default)]
    pub harness: Harness,
}

/// JSON that is kept as it was written, byte by byte, so that a plan keeps its hash.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Opaque(Box<RawValue>);

impl Opaque {
    /// The JSON of `value`.
    ///
    /// # Errors
    /// If it has keys that are no strings.
    pub fn new(value: &impl Serialize) -> serde_json::Result<Self> {
        to_raw_value(value).map(Self)
    }

    /// The value of this JSON.
    ///
    /// # Errors
    /// If it is that of another type.
    pub fn read<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.0.get())
    }
}

impl PartialEq for Opaque {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

/// Which of a suite's workloads are run, if several programs do the same work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Harness {
    /// All.
    #[default]
    Both,
    /// Only harnesses of one process, and programs that measure themselves.
    Native,
    /// Only shells that start a program for each operation.
    Shell,
}

/// How much work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Seconds for each workload, in one round: to see that everything works. There are no verdicts.
    Smoke,
    /// As much as fits on lanes of the usual size, in minutes.
    #[default]
    #[serde(alias = "lane")]
    Standard,
    /// As much as the publication that the suite follows.
    Published,
}
