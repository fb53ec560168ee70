//! Judges results that others measured: what they can show, and what they cannot.
//!
//! `read` makes [`Measured`] rows of the files of other tools. `judge` asks of them what `docs/validity.md` asks of
//! fsarena's own runs: is it the file system that its label says, was anything besides the contender different, and is
//! a difference larger than the spread? `print` makes a report of the answer. No I/O, no clock.

mod copies;
mod design;
mod findings;
mod judgement;
mod measured;
mod print;
mod read;
mod resolve;
mod work;

pub use findings::{FindingClass, JudgedFinding};
pub use judgement::{JudgedReason, Judgement, PairJudgement, RatioBound, judge};
pub use measured::{Clock, Extent, InputFacts, Measured, Reads, Run, SyncedResult};
pub use print::report;
pub use read::{CsvColumns, File, ReadError, results, table, text};
