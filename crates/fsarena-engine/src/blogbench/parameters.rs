//! The parameters of a workload of the engine `blogbench`.

use std::time::Duration;

use fsarena_model::{CacheState, DurablePoint, Mode, Workload};
use serde::Deserialize;

use super::visitor::Kind;
use crate::EngineError;

/// The parameters. The defaults are those of BlogBench.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Parameters {
    /// Duration of a run, seconds. The run ends earlier if `most-blogs` is reached.
    #[serde(default = "five_minutes")]
    pub seconds: u64,
    /// Maximum number of blogs. The run ends when it is reached.
    pub most_blogs: u64,
    /// Threads that write new blogs.
    #[serde(default = "three")]
    writers: u32,
    /// Threads that rewrite pictures and articles.
    #[serde(default = "one")]
    rewriters: u32,
    /// Threads that write comments.
    #[serde(default = "five")]
    commenters: u32,
    /// Threads that read.
    #[serde(default = "a_hundred")]
    readers: u32,
    /// How long a thread waits if it finds no blog yet, milliseconds.
    #[serde(default = "a_second")]
    rest_ms: u64,
}

fn a_second() -> u64 {
    1000
}

fn five_minutes() -> u64 {
    300
}

fn one() -> u32 {
    1
}

fn three() -> u32 {
    3
}

fn five() -> u32 {
    5
}

fn a_hundred() -> u32 {
    100
}

impl Parameters {
    /// The parameters of `workload`.
    ///
    /// # Errors
    /// If they cannot be parsed, or contradict each other or the workload.
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters = crate::parameters::<Self>(workload)?;
        let complaint = complaint_about(workload).or_else(|| parameters.complaint());
        complaint.map_or(Ok(parameters), |what| Err(EngineError::parameters(&workload.name, what)))
    }

    /// All threads: the kind of each, and its number among the threads of its kind.
    pub fn threads(&self) -> Vec<(Kind, u64)> {
        let kinds = [
            (Kind::Writer, self.writers),
            (Kind::Rewriter, self.rewriters),
            (Kind::Commenter, self.commenters),
            (Kind::Reader, self.readers),
        ];
        kinds.into_iter().flat_map(|(kind, count)| (0..u64::from(count)).map(move |number| (kind, number))).collect()
    }

    /// How long a thread waits if it finds no blog yet.
    pub fn rest(&self) -> Duration {
        Duration::from_millis(self.rest_ms)
    }

    fn complaint(&self) -> Option<&'static str> {
        Some(match () {
            () if self.rest_ms == 0 => "`rest-ms` is at least 1",
            () if self.seconds == 0 => "`seconds` is at least 1",
            () if self.most_blogs == 0 => "`most-blogs` is at least 1",
            () if self.writers == 0 => "`writers` is at least 1: without blogs there is nothing to do",
            () if self.threads().len() > 1024 => "there are at most 1024 threads",
            () => return None,
        })
    }
}

fn complaint_about(workload: &Workload) -> Option<&'static str> {
    Some(match () {
        () if workload.mode != Mode::Whole || !workload.ends_by_itself || workload.timed_ms > 0 => {
            "its time is `seconds`: `mode = \"whole\"`, `ends-by-itself = true`, no `timed-ms`"
        }
        () if !matches!(workload.durable, DurablePoint::None | DurablePoint::Syncfs) => {
            "`durable` is `none` or `syncfs`: once, at the end"
        }
        () if workload.cache != CacheState::Warm => "`cache` is `warm`: what is read was written just before",
        () => return None,
    })
}
