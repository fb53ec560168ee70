//! The parameters of a workload of the engine `sequence`: a list of steps.

use fsarena_engine::parameters::{checked, require_once, some_size};
use fsarena_engine::{EngineError, Operation};
use fsarena_model::Workload;
use serde::{Deserialize, Deserializer};

/// Maximum length of a single write or read, bytes.
pub const LONGEST: u64 = 1 << 20;

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SequenceParameters {
    pub steps: Vec<SequenceStep>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SequenceStep {
    /// Name, unique within the workload.
    pub name: String,
    #[serde(rename = "do")]
    pub action: StepAction,
    /// The sets of files or directories on which it acts, or one directory.
    #[serde(default, rename = "where", deserialize_with = "one_or_many")]
    pub sets: Vec<String>,
    /// Number of members of each set. Default: all that exist, or 1 if the step makes them. For random reads and
    /// writes: their number, in one file.
    pub count: Option<u64>,
    /// Number of the first member within the set.
    #[serde(default)]
    pub from: u64,
    /// Bytes of each file that is made, or bytes that are appended to each file.
    #[serde(default, deserialize_with = "some_size")]
    pub size: Option<u64>,
    /// Bytes of each read or write. Default: the whole file, at most 1 MiB.
    #[serde(default, deserialize_with = "some_size")]
    pub block: Option<u64>,
    /// For steps that make objects: the set of directories that holds them.
    pub inside: Option<String>,
    /// Number of objects in each of these directories.
    pub each: Option<u64>,
    /// For directories: their number on each level. Each level is inside the first directory of the level above.
    pub chain: Option<u64>,
    /// For renames: the set to which the files belong afterwards.
    pub to: Option<String>,
    /// When the written data are synced. Steps that only read sync nothing.
    #[serde(default)]
    pub sync: SyncTime,
    /// Whether nothing is in memory when the step begins.
    #[serde(default)]
    pub cold: bool,
}

/// When a step syncs the data that it wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SyncTime {
    /// After the step, timed separately.
    #[default]
    Apart,
    /// At the end of the step, within its time.
    Within,
    /// With each write: the file is open with O_DSYNC.
    Each,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepAction {
    /// Makes files and writes them from beginning to end.
    Create,
    /// Overwrites files from beginning to end.
    Write,
    /// Reads files from beginning to end.
    Read,
    /// Reads blocks of a file in random order.
    RandomRead,
    /// Overwrites blocks of a file in random order.
    RandomWrite,
    /// Writes at the end of files.
    Append,
    Mkdir,
    /// Lists the names in a directory.
    List,
    Stat,
    Rename,
    /// Sets the permissions and times of files.
    Attributes,
    Delete,
    Rmdir,
    /// Removes a directory with the contents that it finds there.
    DeleteTree,
    /// Writes all data to the device, within the time of the step.
    Sync,
}

impl StepAction {
    /// Whether it is of blocks of one file in random order.
    pub fn is_random(self) -> bool {
        matches!(self, Self::RandomRead | Self::RandomWrite)
    }

    /// Whether it may leave data to be synced.
    pub fn writes(self) -> bool {
        !matches!(self, Self::Read | Self::RandomRead | Self::List | Self::Stat | Self::Sync)
    }

    /// The operation under which its latencies are recorded.
    pub fn operation(self) -> Operation {
        match self {
            Self::Create => Operation::Create,
            Self::Write | Self::RandomWrite => Operation::Write,
            Self::Read | Self::RandomRead => Operation::Read,
            Self::Append => Operation::Append,
            Self::Mkdir => Operation::Mkdir,
            Self::List => Operation::Readdir,
            Self::Stat => Operation::Stat,
            Self::Rename => Operation::Rename,
            Self::Attributes => Operation::Utimes,
            Self::Delete | Self::DeleteTree => Operation::Delete,
            Self::Rmdir => Operation::Rmdir,
            Self::Sync => Operation::Syncfs,
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(name) => vec![name],
        OneOrMany::Many(names) => names,
    })
}

impl SequenceParameters {
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        require_once(workload)?;
        checked(workload, Self::complaint)
    }

    fn complaint(&self) -> Option<String> {
        if self.steps.is_empty() {
            return Some("there are no `steps`".to_owned());
        }
        self.steps.iter().enumerate().find_map(|(index, step)| {
            let is_named_twice = self.steps[..index].iter().any(|other| other.name == step.name);
            let what = if is_named_twice { Some("there are two of that name") } else { step.complaint() };
            what.map(|what| format!("step `{}`: {what}", step.name))
        })
    }
}

/// Maximum number of files of a set, and maximum number of a file: each is tracked in memory before the work begins.
const MOST: u64 = 1_000_000;
/// Maximum number of blocks that a step writes, which are also tracked.
const MOST_PIECES: u64 = 10_000_000;
/// Maximum number of levels of directories: a path has at most 4,096 bytes.
const DEEPEST: u64 = 1000;

impl SequenceStep {
    fn writes_at_most(&self) -> u64 {
        let blocks = self.size.unwrap_or(0).div_ceil(self.block.unwrap_or(LONGEST).max(1));
        blocks.saturating_mul(self.count.unwrap_or(1))
    }

    fn levels(&self) -> u64 {
        self.chain.map_or(0, |side| self.from.saturating_add(self.count.unwrap_or(1)) / side.max(1))
    }

    fn complaint(&self) -> Option<&'static str> {
        use StepAction::{Append, Create, List, Mkdir, RandomWrite, Rename, Sync, Write};
        let (action, is_random) = (self.action, self.action.is_random());
        Some(match () {
            () if action == Sync && !self.sets.is_empty() => "a sync is of everything: no `where`",
            () if action != Sync && self.sets.is_empty() => "it needs a `where`",
            () if self.sets.iter().any(|set| !is_relative(set)) => {
                "`where` is a path without `..` that begins with a name"
            }
            () if self.sets.len() > 1 && (is_random || matches!(action, Create | Mkdir | Rename | List)) => {
                "`where` is one name"
            }
            () if self.count == Some(0) => "`count` is at least 1",
            () if self.count > Some(MOST) || self.from > MOST => "`count` and `from` are at most a million",
            () if self.levels() > DEEPEST => "a `chain` has at most 1,000 levels",
            () if self.writes_at_most() > MOST_PIECES => "these are too many blocks: at most ten million",
            () if self.size.is_some() != matches!(action, Create | Append) => "`size` goes with `create` and `append`",
            () if action == Append && self.size > Some(LONGEST) => "at most 1M is appended at a time",
            () if self.block.is_some_and(|block| block == 0 || block > LONGEST) => "`block` is 1 to 1M",
            () if is_random && self.block.is_none() => "it needs a `block`",
            () if self.count.is_none() && (is_random || action == List) => "it needs a `count`",
            () if self.to.is_some() != (action == Rename) => "`to` goes with `rename`",
            () if self.to.as_ref().is_some_and(|to| !is_relative(to)) => "`to` is a name",
            () if self.inside.is_some() != self.each.is_some_and(|each| each > 0) => {
                "`inside` goes with `each`, at least 1"
            }
            () if self.chain.is_some() && (action != Mkdir || self.chain == Some(0) || self.inside.is_some()) => {
                "`chain` goes with `mkdir` without `inside`, at least 1"
            }
            () if self.sync == SyncTime::Each && !matches!(action, Create | Write | RandomWrite | Append) => {
                "`sync = \"each\"` goes with what writes files"
            }
            () if self.inside.is_some() && !matches!(action, Create | Mkdir) => "`inside` goes with what is made",
            () => return None,
        })
    }
}

/// Whether the path stays below the working directory.
fn is_relative(path: &str) -> bool {
    path.split('/').all(|part| !part.is_empty() && part != "." && part != ".." && !part.contains('\0'))
}
