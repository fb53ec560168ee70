//! Workloads: the work, as versioned data, and the figure that it gives.

mod metric;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Name, Nanos, Rate, Traits};

pub use metric::{Better, Done, Measure, Metric};

/// Work for every contender, read from one TOML file of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Workload {
    /// The unique name, the file's name without `.toml`.
    pub name: Name,
    /// What a person does, for readers who have not chosen the workload: `unpack an archive`. Empty if the name says
    /// it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The kind of work to which it belongs, such as `build`. Empty for synthetic workloads.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Incremented whenever the same name would give other figures.
    pub version: u32,
    /// One sentence: what the figure measures.
    pub measures: String,
    /// One sentence: why the figure matters, or what it does not show.
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
    /// Length of a slice's untimed first part, milliseconds.
    #[serde(default)]
    pub warm_up_ms: u64,
    /// Length of a slice's timed part, milliseconds; 0 means until the work is done.
    #[serde(default)]
    pub timed_ms: u64,
    /// Slices per contender and round; 1 or even, so that the order can be balanced.
    #[serde(default = "default_slices")]
    pub slices: u32,
    /// For a whole run: it ends when its work does, with `timed-ms` as an upper limit, and data that it leaves unsynced
    /// is not in its time, as in the measurements of other programs. Otherwise a whole run is repeated until its time
    /// is over, and then synced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ends_by_itself: bool,
    /// Maximum number of rounds in which it runs: for work that takes minutes, and whose differences need no interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_rounds: Option<u32>,
    /// What is smaller than in the original work, in words; `None` if nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scaled: Option<String>,
    /// Replacements for its fields and parameters at the size of the original work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<serde_json::Value>,
    /// Replacements for its fields and parameters in a smoke test of some seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smoke: Option<serde_json::Value>,
    /// Time limit of a whole run, seconds; a run that takes longer did not finish, which is a result. Each of
    /// preparing, resetting, starting and ending a server and verifying may take as long. Without it there are limits
    /// for work that never ends (docs/guides/add-a-workload.md).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit_s: Option<u64>,
    /// The shortest slices that were seen to agree with whole runs (`fsarena calibrate --slices`), milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agrees_from_ms: Option<u64>,
    /// Memory limit of the work, with what it brings into the page cache; a cgroup for this work keeps it. With a limit
    /// the files are filled and mounted again before each slice's first part, so that what they have in memory is
    /// charged to the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<Bytes>,
    /// Parameters of the engine, which refuses unknown ones.
    pub parameters: serde_json::Value,
    /// The workload that this one was derived from; options of the command line set this, never a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<Variant>,
    /// What its engine states about it; the plan sets this, never a file.
    #[serde(default)]
    pub traits: Traits,
}

/// Fields that do not change what a workload does: words, limits, and what is known about it.
const WORDS: [&str; 11] = [
    "title", "group", "measures", "why", "traits", "agrees-from-ms", "time-limit-s", "published", "smoke",
    "most-rounds", "scaled",
];

impl Workload {
    /// Work of `engine` that runs whole until it is done, once, with nothing made durable, on files in memory.
    pub fn new(name: Name, engine: &str, metric: Metric, parameters: serde_json::Value) -> Self {
        Self {
            name,
            title: String::new(),
            group: String::new(),
            version: 1,
            measures: String::new(),
            why: String::new(),
            engine: engine.to_owned(),
            metric,
            durable: DurablePoint::None,
            cache: CacheState::Warm,
            state: StateOfFileSystem::Fresh,
            mode: Mode::Whole,
            warm_up_ms: 0,
            timed_ms: 0,
            slices: default_slices(),
            ends_by_itself: true,
            most_rounds: None,
            scaled: None,
            published: None,
            smoke: None,
            time_limit_s: None,
            agrees_from_ms: None,
            memory_limit: None,
            parameters,
            variant: None,
            traits: Traits::default(),
        }
    }

    /// Length of a slice's timed part; `None` means until the work is done.
    pub fn timed(&self) -> Option<Nanos> {
        (self.timed_ms > 0).then(|| Nanos::millis(self.timed_ms))
    }

    /// The workload's time limit for a whole run, and for each of the activities around it.
    pub fn time_limit(&self) -> Option<Nanos> {
        self.time_limit_s.map(Nanos::seconds)
    }

    /// The rate, if it is an open loop.
    pub fn rate(&self) -> Option<Rate> {
        match self.variant.as_ref()?.relation {
            Relation::Rate(rate) => Some(rate),
            _ => None,
        }
    }

    /// The names of the fields in which the work of another workload differs, so that their figures cannot be compared.
    pub fn unlike(&self, other: &Self) -> Vec<String> {
        let fields = |workload: &Self| match serde_json::to_value(workload) {
            Ok(serde_json::Value::Object(fields)) => fields,
            _ => serde_json::Map::new(),
        };
        let (own, others) = (fields(self), fields(other));
        let names: BTreeSet<&String> = own.keys().chain(others.keys()).collect();
        let is_work = |name: &&&String| !WORDS.contains(&name.as_str()) && own.get(**name) != others.get(**name);
        names.iter().filter(is_work).map(|name| (*name).clone()).collect()
    }

    /// The number of clients that do it at the same time; `None` if the run has no clients.
    pub fn clients(&self) -> Option<u32> {
        match self.variant.as_ref()?.relation {
            Relation::Clients(count) => Some(count),
            _ => None,
        }
    }

    /// The workload as `count` clients do it, named `NAME@COUNT-clients`.
    pub fn with_clients(&self, count: u32) -> Self {
        let suffix = if count == 1 { "1-client".to_owned() } else { format!("{count}-clients") };
        let variant = Some(Variant { of: self.name.to_string(), relation: Relation::Clients(count) });
        Self { name: self.name.variant(suffix), variant, ..self.clone() }
    }

    /// Whether operations begin at a given rate, whatever became of the ones before.
    pub fn is_open_loop(&self) -> bool {
        self.rate().is_some()
    }

    /// The workload as it was named: of a variant the workload that it was derived from.
    pub fn base(&self) -> &str {
        self.variant.as_ref().map_or(&self.name, |variant| &variant.of)
    }
}

/// How a workload was derived from another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Variant {
    /// The name of the other workload.
    pub of: String,
    /// In which way it differs.
    pub relation: Relation,
}

/// In which way a workload differs from the one that it was derived from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// It is an open loop at this rate; the other one runs as fast as it can (closed loop).
    Rate(Rate),
    /// It has the other cache state.
    Cache,
    /// Its slices have this length, milliseconds.
    Slices(u64),
    /// It runs in one piece.
    Whole,
    /// It runs so many times on each file system.
    Runs(u32),
    /// This number of clients does it at the same time.
    Clients(u32),
}

fn default_slices() -> u32 {
    4
}

/// What is made durable inside the timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DurablePoint {
    /// Nothing: the time ends when the calls have returned.
    #[default]
    None,
    /// By fsync: each operation, or as often as the workload states.
    Fsync,
    /// By fdatasync: each operation, or as often as the workload states.
    Fdatasync,
    /// Each batch, by syncfs.
    Syncfs,
    /// Each write, because the file is open with O_SYNC.
    OSync,
    /// Each write, because the file is open with O_DSYNC.
    ODsync,
}

/// How work depends on writes being durable. Programs of one kind differ less in which file system is the better one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkKind {
    /// It reads: nothing has to be durable when its time ends.
    Reads,
    /// It writes without syncs: one at its end makes all of it durable.
    Writes,
    /// It syncs what it writes, again and again.
    Syncs,
}

impl DurablePoint {
    /// The kind of work whose data are made durable like this.
    #[must_use]
    pub fn kind(self) -> WorkKind {
        match self {
            Self::None => WorkKind::Reads,
            Self::Syncfs => WorkKind::Writes,
            Self::Fsync | Self::Fdatasync | Self::OSync | Self::ODsync => WorkKind::Syncs,
        }
    }
}

/// Where a workload's data is when the workload accesses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheState {
    /// In memory: this measures the kernel's path through its caches.
    Warm,
    /// On the device only: the lane is remounted before each slice.
    Cold,
    /// Past the page cache, by O_DIRECT.
    Direct,
}

/// The state of the file system when a workload starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateOfFileSystem {
    /// Just made.
    #[default]
    Fresh,
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
