//! IO500's `result_summary.txt`: each phase is a workload. The score, which is made of the phases, does not count.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{File, ReadError, figure, program};
use crate::findings::FindingClass;
use crate::measured::{Extent, Measured, Reads, SyncedResult};

/// The seconds for which phases that write have to go on (IO500's rules).
const STONEWALL_S: f64 = 300.0;

/// What the first line begins with.
const VERSION: &str = "IO500 version ";

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(|line| Phase::of(line).is_some())
}

/// The rate of each phase that was done.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let version = file.text.lines().find_map(|line| line.trim().strip_prefix(VERSION));
    let conditions = program(version.map(|version| format!("IO500 {version}")));
    let mut rows = Vec::new();
    let (mut run, mut done) = (1, BTreeSet::new());
    for Phase { name, value, unit, seconds, is_invalid } in file.text.lines().filter_map(Phase::of) {
        if !done.insert(name.clone()) {
            (run, done) = (run + 1, BTreeSet::from([name.clone()]));
        }
        let Some(value) = figure(value) else { continue };
        let writes = ["write", "delete"].iter().any(|work| name.ends_with(work));
        // What a whole stonewall stopped may have any amount.
        let is_short = name.ends_with("write") && seconds.is_some_and(|seconds| seconds < STONEWALL_S);
        let extent = seconds.filter(|_| is_short).map(|seconds| Extent { seconds, amount: seconds * value });
        let reached = if is_short { "not reached" } else { "reached" };
        let stonewall = Some(("stonewall".to_owned(), reached.to_owned())).filter(|_| name.ends_with("write"));
        rows.push(Measured {
            extent,
            work: Arc::new(stonewall.into_iter().collect()),
            durable: if writes { SyncedResult::Unknown } else { SyncedResult::NothingWritten },
            reads: if writes { Reads::Nothing } else { Reads::Unknown },
            conditions: conditions.clone(),
            notes: FindingClass::Work.findings(is_invalid.then(|| format!("IO500 marked {name} as invalid"))).collect(),
            ..file.row(run, Measured::rate(name, value, unit))
        });
    }
    Ok(rows)
}

/// The line of a phase.
struct Phase<'a> {
    name: String,
    value: &'a str,
    unit: &'static str,
    seconds: Option<f64>,
    /// Whether it did not do what a phase has to do.
    is_invalid: bool,
}

impl<'a> Phase<'a> {
    /// `[RESULT]       ior-easy-write        0.146316 GiB/s : time 300.331 seconds`, or before 2020
    /// `[RESULT] BW   phase 1            ior_easy_write                8.581 GB/s : time  58.27 seconds`. Of phases that
    /// do not count, the line begins with `[RESULT-invalid]` or ends with `[INVALID]`.
    fn of(line: &'a str) -> Option<Self> {
        let (before, after) = line.trim().strip_prefix("[RESULT")?.split_once(" : time ")?;
        let words: Vec<&str> = before.split_whitespace().collect();
        let [.., name, value, unit] = words[..] else { return None };
        let name = name.replace('_', "-");
        let unit = match unit.to_lowercase().as_str() {
            "gib/s" => "GiB/s",
            "gb/s" => "GB/s",
            "kiops" => "kIOPS",
            _ => return None,
        };
        let seconds = after.split_whitespace().next().and_then(figure);
        Some(Self { name, value, unit, seconds, is_invalid: !before.starts_with(']') || after.contains("[INVALID]") })
    }
}
