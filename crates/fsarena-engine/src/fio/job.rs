//! The job: fio lays out its files, whose names and sizes it knows, and does the work.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_model::{Bytes, DurablePoint, Workload};

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
}

impl FioJob {
    /// A job in `directory`.
    pub fn new(workload: &Workload, file: JobFile, directory: &Path) -> Result<Self, EngineError> {
        let folder = Scratch::new()?;
        Ok(Self { durable: workload.durable, file, directory: directory.to_owned(), folder })
    }

    /// The text of the job file with this directory instead of its own, and with `more` options. fio takes a `:` for
    /// the end of a path, unless a `\` precedes it.
    fn text(&self, more: &[&str]) -> Result<String, EngineError> {
        let path = self.directory.to_str().filter(|path| !path.contains(['\n', '\\', ';', '#', '$']));
        let refused =
            || EngineError::program(program::NAME)(format!("its job files cannot name `{}`", self.directory.display()));
        let forced = format!("directory={}", path.ok_or_else(refused)?.replace(':', "\\:"));
        Ok(self.file.text(&["directory"], &[&[forced.as_str()], more].concat()))
    }

    fn prepare(&self, stop: &AtomicBool) -> Result<(), EngineError> {
        if self.file.sections.iter().any(facts::makes_files) {
            return Ok(());
        }
        let text = self.text(&["create_only=1"])?;
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
        let text = self.text(&[])?;
        let Some(output) = program::run(&text, self.folder.path(), limit.stop)? else { return Ok(()) };
        let is_in_turn = self.file.sections.iter().any(|section| section.is_set("stonewall"));
        let order = if is_in_turn { JobOrder::InTurn } else { JobOrder::Together };
        let is_fdatasync = self.durable == DurablePoint::Fdatasync;
        program::read(&output, order, if is_fdatasync { Operation::Fdatasync } else { Operation::Fsync }, stats)
    }
}
