//! The job: fio lays out its files, whose names and sizes it knows, and does the work.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_model::{Bytes, DurablePoint, Mode, Nanos, Workload};

use super::file::{JobFile, JobSection};
use super::program::{self, JobOrder};
use super::{facts, limits};
use crate::{EngineError, Job, Limit, NextRun, Operation, RunStats, Scratch, Upkeep, folder, go_on};

pub struct FioJob {
    workload: Workload,
    file: JobFile,
    directory: PathBuf,
    /// Where fio writes files that do not belong to the workload.
    folder: Scratch,
    seed: u64,
    /// Number of runs so far. Each run visits other places.
    runs: u64,
}

impl FioJob {
    /// A job whose places follow from `seed` if it runs in slices.
    pub fn new(workload: &Workload, file: JobFile, directory: &Path, seed: u64) -> Result<Self, EngineError> {
        let folder = Scratch::new()?;
        let (workload, directory) = (workload.clone(), directory.to_owned());
        Ok(Self { workload, file, directory, folder, seed, runs: 0 })
    }

    /// The path of the directory, for a job file. fio takes a `:` for the end of a path, unless a `\` precedes it.
    fn directory(&self) -> Result<String, EngineError> {
        let path = self.directory.to_str().filter(|path| !path.contains(['\n', '\\', ';', '#', '$']));
        let refused =
            || EngineError::program(program::NAME)(format!("its job files cannot name `{}`", self.directory.display()));
        Ok(path.ok_or_else(refused)?.replace(':', "\\:"))
    }

    /// The text of the job file with this directory instead of its own, and with `more` options.
    fn text_with(&self, more: impl IntoIterator<Item = String>) -> Result<String, EngineError> {
        let forced = [format!("directory={}", self.directory()?)];
        Ok(self.file.text(&["directory"], &forced.into_iter().chain(more).collect::<Vec<_>>()))
    }

    fn text(&self, time: Option<Nanos>) -> Result<String, EngineError> {
        let end = time.map(|time| [format!("runtime={}ms", time.0 / 1_000_000), "time_based=1".to_owned()]);
        // Without a seed, each slice would visit the places of the one before.
        let seed = (self.seed >> 1) ^ self.runs;
        let seed = (self.workload.mode == Mode::Sliced).then(|| format!("randseed={seed}"));
        self.text_with(end.into_iter().flatten().chain(seed))
    }

    fn prepare(&self, stop: &AtomicBool) -> Result<(), EngineError> {
        if self.file.sections.iter().any(facts::makes_files) {
            return Ok(());
        }
        match program::run(&self.text_with(["create_only=1".to_owned()])?, self.folder.path(), stop)? {
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
            Upkeep::DropCaches => {
                folder::sync_at(&self.directory)?;
                folder::drop_all_cached(&self.directory, stop)
            }
            _ => Ok(()),
        }
    }

    /// A job file chooses its processors itself.
    fn next_run(&self) -> NextRun {
        NextRun { fills: self.fills(), ..NextRun::not_alone() }
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let text = self.text(limit.time)?;
        self.runs += 1;
        let Some(output) = program::run(&text, self.folder.path(), limit.stop)? else { return Ok(()) };
        let is_in_turn = self.file.sections.iter().any(|section| section.is_set("stonewall"));
        let order = if is_in_turn { JobOrder::InTurn } else { JobOrder::Together };
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
            let file = crate::fio::job_file(workload).expect("understood");
            let mut job = FioJob::new(workload, file, Path::new("/lane"), 4).expect("opened");
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
