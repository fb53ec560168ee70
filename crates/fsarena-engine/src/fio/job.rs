//! The job: fio lays out its files, whose names and sizes it knows, and does the work.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_model::{Bytes, DurablePoint, Nanos, Workload};

use super::file::{JobFile, JobSection};
use super::program::{self, JobOrder};
use super::{facts, limits};
use crate::{EngineError, Job, Limit, NextRun, Operation, RunStats, Scratch, Upkeep, folder, go_on};

pub struct FioJob {
    durable: DurablePoint,
    file: JobFile,
    directory: PathBuf,
    /// Where fio writes files that do not belong to the workload.
    folder: Scratch,
    seed: u64,
    /// Number of runs so far. Each timed run visits other places.
    runs: u64,
}

impl FioJob {
    /// A job whose places and contents follow from `seed`.
    pub fn new(workload: &Workload, file: JobFile, directory: &Path, seed: u64) -> Result<Self, EngineError> {
        let folder = Scratch::new()?;
        Ok(Self { durable: workload.durable, file, directory: directory.to_owned(), folder, seed, runs: 0 })
    }

    /// The text of the job file with this directory instead of its own, and with `more` options. fio takes a `:` for
    /// the end of a path, unless a `\` precedes it.
    fn text(&self, more: impl IntoIterator<Item = String>) -> Result<String, EngineError> {
        let path = self.directory.to_str().filter(|path| !path.contains(['\n', '\\', ';', '#', '$']));
        let refused =
            || EngineError::program(program::NAME)(format!("its job files cannot name `{}`", self.directory.display()));
        let forced = format!("directory={}", path.ok_or_else(refused)?.replace(':', "\\:"));
        Ok(self.file.text(&["directory"], &[forced].into_iter().chain(more).collect::<Vec<_>>()))
    }

    /// The options of a run for a time. Without a seed, each would visit the places of the one before.
    fn timed(&self, time: Nanos) -> [String; 3] {
        let seed = (self.seed >> 1) ^ self.runs;
        [format!("runtime={}ms", time.0 / 1_000_000), "time_based=1".to_owned(), format!("randseed={seed}")]
    }

    fn prepare(&self, stop: &AtomicBool) -> Result<(), EngineError> {
        if self.file.sections.iter().any(facts::makes_files) {
            return Ok(());
        }
        let text = self.text(["create_only=1".to_owned()])?;
        match program::run(&text, self.folder.path(), stop)? {
            Some(_) => Ok(()),
            None => go_on(stop).map_err(EngineError::io("let fio lay out its files")),
        }
    }

    fn fills(&self) -> Bytes {
        let is_direct = self.file.sections.iter().all(JobSection::is_direct);
        if is_direct { Bytes(0) } else { limits::demand(&self.file).unwrap_or(Bytes(0)) }
    }
}

impl Job for FioJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => self.prepare(stop),
            Upkeep::DropCaches => folder::sync_and_drop_caches(&self.directory, stop),
            _ => Ok(()),
        }
    }

    /// A job file chooses its processors itself.
    fn next_run(&self) -> NextRun {
        NextRun { fills: self.fills(), ..NextRun::not_alone() }
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let text = self.text(limit.time.map(|time| self.timed(time)).into_iter().flatten())?;
        self.runs += 1;
        let Some(output) = program::run(&text, self.folder.path(), limit.stop)? else { return Ok(()) };
        let is_in_turn = self.file.sections.iter().any(|section| section.is_set("stonewall"));
        let order = if is_in_turn { JobOrder::InTurn } else { JobOrder::Together };
        let is_fdatasync = self.durable == DurablePoint::Fdatasync;
        program::read(&output, order, if is_fdatasync { Operation::Fdatasync } else { Operation::Fsync }, stats)
    }
}
