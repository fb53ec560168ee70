//! The job: this crate lays out the files if it knows them, and fio does the work.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_model::{Bytes, DurablePoint, Mode, Nanos, Workload};

use super::file::JobFile;
use super::program::{self, JobOrder};
use super::{FioTask, facts, generate, limits};
use crate::data::files;
use crate::data::parameters::{Calls, DataParameters, FilesOfWork};
use crate::{EngineError, Job, Limit, NextRun, Operation, RunStats, Scratch, Upkeep, folder, go_on};

pub struct FioJob {
    workload: Workload,
    task: FioTask,
    directory: PathBuf,
    /// Where fio writes files that do not belong to the workload.
    folder: Scratch,
    seed: u64,
    /// Number of runs so far. Each run visits other places.
    runs: u64,
}

/// Maximum bytes on the lane at a time: fio keeps all new files of a run.
pub fn demand(parameters: &DataParameters) -> Bytes {
    match parameters.target() {
        FilesOfWork::Existing => parameters.demand(),
        FilesOfWork::New => Bytes(parameters.demand().0.saturating_mul(u64::from(parameters.files))),
    }
}

impl FioJob {
    /// A job whose places and contents follow from `seed`.
    pub fn new(workload: &Workload, task: FioTask, directory: &Path, seed: u64) -> Result<Self, EngineError> {
        let folder = Scratch::new()?;
        let (workload, directory) = (workload.clone(), directory.to_owned());
        Ok(Self { workload, task, directory, folder, seed, runs: 0 })
    }

    /// The path of the directory, for a job file. fio takes a `:` for the end of a path, unless a `\` precedes it.
    fn directory(&self) -> Result<String, EngineError> {
        let path = self.directory.to_str().filter(|path| !path.contains(['\n', '\\', ';', '#', '$']));
        let refused =
            || EngineError::program(program::NAME)(format!("its job files cannot name `{}`", self.directory.display()));
        Ok(path.ok_or_else(refused)?.replace(':', "\\:"))
    }

    fn text(&self, time: Option<Nanos>) -> Result<String, EngineError> {
        let directory = self.directory()?;
        let seed = (self.seed >> 1) ^ self.runs;
        Ok(match &self.task {
            FioTask::Generated(parameters) => generate::text(&self.workload, parameters, &directory, seed, time),
            FioTask::AsItIs(file) => {
                let end = time.map(|time| [format!("runtime={}ms", time.0 / 1_000_000), "time_based=1".to_owned()]);
                // Without a seed, each slice would visit the places of the one before.
                let seed = (self.workload.mode == Mode::Sliced).then(|| format!("randseed={seed}"));
                as_it_is(file, &directory, end.into_iter().flatten().chain(seed))
            }
        })
    }

    /// Lets fio lay out the files of a job file, because fio knows their names and sizes.
    fn let_fio_lay_out(&self, file: &JobFile, stop: &AtomicBool) -> Result<(), EngineError> {
        if file.sections.iter().any(facts::makes_files) {
            return Ok(());
        }
        let text = as_it_is(file, &self.directory()?, ["create_only=1".to_owned()]);
        if program::run(&text, self.folder.path(), stop)?.is_none() {
            return go_on(stop).map_err(EngineError::io("let fio lay out its files"));
        }
        let Some(block) = facts::direct_block(file) else { return Ok(()) };
        for entry in fs::read_dir(&self.directory).map_err(EngineError::io("list the files"))? {
            let path = entry.map_err(EngineError::io("list the files"))?.path();
            files::require_direct(&path, block.0, &self.workload.name)?;
        }
        Ok(())
    }

    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        match &self.task {
            FioTask::Generated(parameters) => {
                files::prepare(&self.workload, parameters, &self.directory, self.seed, stop)
            }
            FioTask::AsItIs(file) => self.let_fio_lay_out(file, stop),
        }
    }

    /// New files must not exist before a slice.
    fn reset(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let FioTask::Generated(parameters) = &self.task else { return Ok(()) };
        if parameters.target() == FilesOfWork::Existing {
            return Ok(());
        }
        for entry in fs::read_dir(&self.directory).map_err(EngineError::io("list the files"))? {
            go_on(stop).map_err(EngineError::io("remove files"))?;
            let path = entry.map_err(EngineError::io("list the files"))?.path();
            fs::remove_file(path).map_err(EngineError::io("remove a file"))?;
        }
        Ok(())
    }

    fn fills(&self) -> Bytes {
        let parameters = match &self.task {
            FioTask::Generated(parameters) => parameters,
            FioTask::AsItIs(file) if file.sections.iter().all(|section| section.is_direct()) => return Bytes(0),
            FioTask::AsItIs(file) => return limits::demand(file).unwrap_or(Bytes(0)),
        };
        if parameters.fills_memory(self.workload.cache) { demand(parameters) } else { Bytes(0) }
    }

    /// A single worker stays on one processor, as in the native engine. A job file chooses its processors itself.
    fn is_alone(&self) -> bool {
        match &self.task {
            FioTask::Generated(parameters) => parameters.workers() == 1 && parameters.calls == Calls::Sync,
            FioTask::AsItIs(_) => false,
        }
    }

    fn drop_caches(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        match &self.task {
            FioTask::Generated(_) => folder::drop_all_cached(&self.directory, stop),
            FioTask::AsItIs(_) => folder::drop_cached_below(&self.directory, stop),
        }
    }
}

/// The text of the job file with `directory` instead of its own directory.
fn as_it_is(file: &JobFile, directory: &str, more: impl IntoIterator<Item = String>) -> String {
    let forced = [format!("directory={directory}")];
    file.text(&["directory"], &forced.into_iter().chain(more).collect::<Vec<_>>())
}

impl Job for FioJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => self.prepare(stop),
            Upkeep::Reset => self.reset(stop),
            Upkeep::DropCaches => self.drop_caches(stop),
            _ => Ok(()),
        }
    }

    fn next_run(&self) -> NextRun {
        NextRun { fills: self.fills(), is_alone: self.is_alone(), ..NextRun::default() }
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let text = self.text(limit.time)?;
        self.runs += 1;
        let Some(output) = program::run(&text, self.folder.path(), limit.stop)? else { return Ok(()) };
        let order = match &self.task {
            FioTask::Generated(parameters) => {
                stats.offered = parameters.rate;
                JobOrder::Together
            }
            FioTask::AsItIs(file) if file.sections.iter().any(|section| section.is_set("stonewall")) => {
                JobOrder::InTurn
            }
            FioTask::AsItIs(_) => JobOrder::Together,
        };
        let is_fdatasync = self.workload.durable == DurablePoint::Fdatasync;
        program::read(&output, order, if is_fdatasync { Operation::Fdatasync } else { Operation::Fsync }, stats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slice_visits_other_places() {
        let parameters = serde_json::json!({ "job": "[x]\nrw=randread\nsize=1m\n" });
        let mut workload: Workload = fsarena_testing::parameterised("fio", "none", "direct", parameters);
        let seed_of = |workload: &Workload, runs| {
            let task = FioTask::of(workload).expect("understood");
            let mut job = FioJob::new(workload, task, Path::new("/lane"), 4).expect("opened");
            job.runs = runs;
            let text = job.text(Some(Nanos::seconds(1))).expect("a job file");
            text.lines().find_map(|line| line.strip_prefix("randseed=").map(str::to_owned))
        };
        workload.mode = Mode::Sliced;
        let seeds: std::collections::BTreeSet<_> = (0..4).map(|runs| seed_of(&workload, runs)).collect();
        assert!(seeds.len() == 4 && !seeds.contains(&None), "{seeds:?}");
        workload.mode = Mode::Whole;
        assert_eq!(seed_of(&workload, 0), None, "the job has its own");
    }
}
