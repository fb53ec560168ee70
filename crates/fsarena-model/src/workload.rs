//! Workloads: what is done, as versioned data, and which figure is taken from it.

mod metric;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Name, Nanos, Rate};

pub use metric::{Better, Done, Measure, Metric};

/// Something to do on every contender, read from one TOML file of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Workload {
    /// The unique name, the file's name without `.toml`.
    pub name: Name,
    /// Grows whenever the same name would give other figures.
    pub version: u32,
    /// One sentence: what the figure measures.
    pub measures: String,
    /// One sentence: why anybody should care, or what it does not tell.
    pub why: String,
    /// The engine that does it.
    pub engine: String,
    /// The figure that is taken.
    pub metric: Metric,
    /// What is made durable inside the timer.
    pub durable: DurablePoint,
    /// Where reads are served from, or that the cache is bypassed.
    pub cache: CacheState,
    /// The state of the file system when the timer starts.
    #[serde(default)]
    pub state: StateOfFileSystem,
    /// Interleaved in slices, or whole and alone.
    pub mode: Mode,
    /// How long a slice's untimed first part lasts, milliseconds.
    #[serde(default)]
    pub warm_up_ms: u64,
    /// How long a slice's timed part lasts, milliseconds; 0: until the work is done.
    #[serde(default)]
    pub timed_ms: u64,
    /// Slices per contender and round; even, so that the order can be balanced.
    #[serde(default = "default_slices")]
    pub slices: u32,
    /// Of a whole run: it ends when its work does, `timed-ms` being an upper limit, and what it leaves unsynced is not in its
    /// time, as another program means it. Otherwise a whole run is refilled until its time is over, and then synced.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ends_by_itself: bool,
    /// In how many rounds it runs at most: for what takes minutes, and whose differences need no interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_rounds: Option<u32>,
    /// What is less than in the work that it stands for, in words; `None`: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scaled: Option<String>,
    /// What takes the place of its fields and parameters when it is done at the size of the work that it stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<serde_json::Value>,
    /// What takes the place of its fields and parameters when it is only to be tried out, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smoke: Option<serde_json::Value>,
    /// How long a whole run may take, seconds; what takes longer did not finish, which is a result. Each of preparing,
    /// refilling, starting and ending a server and verifying may take as long. Without it there are limits for work
    /// that never ends (docs/guides/add-a-workload.md).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit_s: Option<u64>,
    /// The shortest slices that were seen to tell what whole runs tell (`fsarena calibrate --slices`), milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agrees_from_ms: Option<u64>,
    /// How much memory the work, with what it brings into the page cache, may take: a cgroup of its own has this limit. With a
    /// limit the files are filled and mounted again before each slice's first part, so that what they have in memory is theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<Bytes>,
    /// What the engine needs to know; the engine refuses what it does not know.
    pub parameters: serde_json::Value,
    /// Of which other workload it is an open loop, and at which rate; no file says this, `--rate` does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<Variant>,
}

impl Workload {
    /// A number among the engine's parameters; `None` where none of that name is given.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.parameters.get(name)?.as_f64()
    }

    /// A size among the engine's parameters, given as a number of bytes or as `4K`.
    pub fn size(&self, name: &str) -> Option<Bytes> {
        match self.parameters.get(name)? {
            serde_json::Value::String(text) => text.parse().ok(),
            number => number.as_u64().map(Bytes),
        }
    }

    /// Whether a parameter of the engine is this word.
    pub fn says(&self, name: &str, word: &str) -> bool {
        self.parameters.get(name).is_some_and(|value| value == word)
    }

    /// Operations that are under way at a time, at most.
    pub fn at_a_time(&self) -> f64 {
        ["threads", "processes", "depth"].iter().filter_map(|name| self.number(name)).product()
    }

    /// How long a slice's timed part lasts; `None`: until the work is done.
    pub fn timed(&self) -> Option<Nanos> {
        (self.timed_ms > 0).then(|| Nanos::millis(self.timed_ms))
    }

    /// The limit that the workload names for a whole run, and for each of the things that are done around it.
    pub fn time_limit(&self) -> Option<Nanos> {
        self.time_limit_s.map(Nanos::seconds)
    }

    /// The name of the workload of which this one is the same with its data elsewhere (`--cache`): it is named `NAME@cold` or
    /// `NAME@warm`, as no file's workload is.
    pub fn other_cache_of(&self) -> Option<&str> {
        let (name, state) = self.name.rsplit_once('@')?;
        (state == self.cache.to_string()).then_some(name)
    }
}

/// A workload done again at a given rate, as an open loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Variant {
    /// The name of the workload that runs as fast as it can (closed loop).
    pub of: String,
    /// The rate.
    pub rate: Rate,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn default_slices() -> u32 {
    4
}

/// What is made durable inside the timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DurablePoint {
    /// Nothing: the calls returned, no more.
    None,
    /// By fsync: each operation, or as often as the workload says.
    Fsync,
    /// By fdatasync, likewise.
    Fdatasync,
    /// Each batch, by syncfs.
    Syncfs,
    /// Each write, because the file is open with O_SYNC.
    OSync,
    /// Each write, because the file is open with O_DSYNC.
    ODsync,
}

/// Where a workload's data are when it touches them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheState {
    /// In memory: what is measured is the kernel's path through its caches.
    Warm,
    /// On the device only: the lane is remounted before each slice.
    Cold,
    /// Past the page cache, by O_DIRECT.
    Direct,
}

/// As workloads say it.
impl fmt::Display for CacheState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Warm => "warm",
            Self::Cold => "cold",
            Self::Direct => "direct",
        })
    }
}

/// The state of the file system when a workload starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateOfFileSystem {
    /// Just made.
    #[default]
    Fresh,
    /// The workload itself ran before, untimed.
    Warmed,
    /// Filled to a stated share.
    Filled,
}

/// How a workload's time is laid out within a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// In short slices, contenders in turn.
    Sliced,
    /// In one piece per contender, alone, in random order.
    Whole,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_and_the_state_tell_of_which_it_is_the_other() {
        let workload = |name: &str, cache: &str| {
            let metric = r#"{"name": "x", "unit": "x", "measure": "operations-per-second", "better": "higher"}"#;
            let text = format!(
                r#"{{"name": "{name}", "version": 1, "measures": "", "why": "", "engine": "x", "metric": {metric},
                "durable": "none", "cache": "{cache}", "mode": "whole", "parameters": null}}"#
            );
            serde_json::from_str::<Workload>(&text).expect("a workload")
        };
        assert_eq!(workload("a@cold", "cold").other_cache_of(), Some("a"));
        assert_eq!(workload("a@warm", "warm").other_cache_of(), Some("a"));
        for (name, cache) in [("a", "cold"), ("a@cold", "warm"), ("a@50%", "cold"), ("a@cold@50%", "cold")] {
            assert_eq!(workload(name, cache).other_cache_of(), None, "{name}");
        }
    }
}
