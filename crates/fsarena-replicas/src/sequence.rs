//! The engine `sequence`: named steps one after the other, each timed. The kernel does them, or a library that is a
//! file system itself. Afterwards the contents are compared with the expected state.

mod parameters;
mod perform;
mod state;
mod task;

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_library::{FileSystem, Kernel, Library, Preview, Rsext4, Synced, Traffic};
use fsarena_model::{Bytes, Nanos, Step, Traits, Verification, Workload};
use fsarena_sys::clock;

use fsarena_engine::folder::{drop_all_caches, sync_and_drop_caches};
use fsarena_engine::{Engine, EngineError, InLibrary, Job, Limit, NextRun, Opened, Operation, RunStats};
use parameters::{LONGEST, SequenceParameters, StepAction, SyncTime};
use perform::{StepCounts, StepFailure, StepPerformance};
use state::{Pool, compare};
use task::{SequenceTask, Tasks};

pub const ENGINE: Engine = {
    let in_library = InLibrary { require: |workload, name| able(workload, name).map(drop), open: open_in_library };
    Engine { in_library: Some(in_library), ..Engine::new("sequence", traits, open) }
};

/// The time of the steps is not known before: small steps take about two seconds in total. A file system in memory
/// has no cold files.
fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    const PER_SECOND: f64 = 400e6;
    let tasks = tasks(workload, 0)?;
    Ok(Traits {
        peak: Bytes(tasks.demand),
        extra_time: Nanos::seconds(2).max(Nanos((tasks.moved as f64 / PER_SECOND * 1e9) as u64)),
        runs_in_memory: SequenceParameters::of(workload)?.steps.iter().all(|step| !step.cold),
        ..Traits::default()
    })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let tasks = tasks(workload, seed)?;
    Ok(Box::new(SequenceJob::<Kernel>::new(tasks, directory, "", seed)))
}

/// The library of this name, if it can do the work.
fn able(workload: &Workload, name: &'static str) -> Result<Library, EngineError> {
    let tasks = tasks(workload, 0)?;
    let is_synced_each = tasks.all.iter().any(|task| task.sync == SyncTime::Each);
    let library = Library::named(name).filter(|_| !is_synced_each);
    let library = library.ok_or_else(|| EngineError::no_library(workload, name))?;
    let files = tasks.most_files;
    match library.most_files().filter(|most| files > *most) {
        None => Ok(library),
        Some(most) => {
            Err(EngineError::TooManyFiles { workload: workload.name.to_string(), files, library: name, most })
        }
    }
}

fn open_in_library(workload: &Workload, library: &'static str, device: &Path, seed: u64) -> Opened {
    let library = able(workload, library)?;
    let (tasks, name) = (tasks(workload, seed)?, &workload.name);
    Ok(match library {
        Library::Rsext4 => Box::new(SequenceJob::<Rsext4>::new(tasks, device, name, seed)),
        Library::Rsext4Preview => Box::new(SequenceJob::<Preview>::new(tasks, device, name, seed)),
    })
}

fn tasks(workload: &Workload, seed: u64) -> Result<Tasks, EngineError> {
    let parameters = SequenceParameters::of(workload)?;
    Tasks::of(&parameters, seed).map_err(|what| EngineError::parameters(&workload.name, what))
}

/// A sequence in a directory of the file system `F`.
struct SequenceJob<F> {
    tasks: Tasks,
    place: PathBuf,
    directory: String,
    pool: Pool,
    memory: Vec<u8>,
    system: PhantomData<F>,
}

impl<F: FileSystem> SequenceJob<F> {
    /// A sequence in `directory` of the file system at `place`.
    fn new(tasks: Tasks, place: &Path, directory: &str, seed: u64) -> Self {
        let (place, directory) = (place.to_owned(), directory.to_owned());
        let memory = vec![0; LONGEST as usize];
        Self { tasks, place, directory, pool: Pool::new(seed), memory, system: PhantomData }
    }

    fn mount(&self) -> Result<F, EngineError> {
        F::mount(&self.place, &self.directory).map_err(of_step("mount"))
    }

    /// Drops everything from memory. A library is unmounted and mounted again.
    fn made_cold(&self, system: F, task: &SequenceTask, stop: &AtomicBool) -> Result<F, EngineError> {
        if F::IS_LIBRARY {
            system.unmount().map_err(of_step(&task.name))?;
            let _ = drop_all_caches();
            return self.mount();
        }
        sync_and_drop_caches(&self.place.join(&self.directory), stop)?;
        Ok(system)
    }

    fn step(
        &mut self,
        system: &mut F,
        index: usize,
        limit: &Limit<'_>,
        stats: &mut RunStats,
    ) -> Result<(), EngineError> {
        let task = &self.tasks.all[index];
        system.make_each_write_durable(task.sync == SyncTime::Each);
        let before = system.traffic();
        let begin = clock::now();
        let (pool, memory) = (&self.pool, &mut self.memory[..]);
        let counted = StepPerformance { system, pool, limit, stats, memory }.all(task)?;
        let within = task.sync == SyncTime::Within || task.action == StepAction::Sync;
        let synced_within = if within { synced(system, task, stats)? } else { None };
        let elapsed = clock::now().saturating_sub(begin);
        if task.sync == SyncTime::Each {
            stats.count_durable_writes(task.writes());
        }
        let apart = if task.sync == SyncTime::Apart { synced(system, task, stats)? } else { None };
        // A sync that the file system does not support is not a step.
        if task.action == StepAction::Sync && synced_within.is_none() {
            return Ok(());
        }
        let (name, StepCounts { operations, bytes }) = (task.name.clone(), counted);
        stats.count_done(operations, bytes);
        // The time of the sync is also in the time of all steps.
        stats.elapsed = stats.elapsed + elapsed + apart.unwrap_or_default();
        let written = written(before, system.traffic());
        stats.steps.push(Step { name, operations, bytes, elapsed, synced: apart, written });
        Ok(())
    }

    /// Unmounts. The data that a library writes to its device then are part of its work. The kernel's unmount is timed
    /// by the code that mounted the file system.
    fn unmount(&self, system: F, stats: &mut RunStats) -> Result<(), EngineError> {
        let (before, begin) = (system.traffic(), clock::now());
        let after = system.unmount().map_err(of_step("unmount"))?;
        let elapsed = clock::now().saturating_sub(begin);
        if F::IS_LIBRARY {
            let name = "unmount".to_owned();
            let written = written(before, after);
            stats.steps.push(Step { name, operations: 1, bytes: 0, elapsed, synced: None, written });
        }
        Ok(())
    }
}

/// For `map_err`: the error of the step `name`.
fn of_step<E: Into<StepFailure>>(name: &str) -> impl FnOnce(E) -> EngineError {
    move |what| EngineError::Step { step: name.to_owned(), what: what.into() }
}

/// Writes all data to the device. Returns the time; `None` if the file system has no such call.
fn synced<F: FileSystem>(
    system: &mut F,
    task: &SequenceTask,
    stats: &mut RunStats,
) -> Result<Option<Nanos>, EngineError> {
    let begin = clock::now();
    if system.sync().map_err(of_step(&task.name))? == Synced::NotAtAll {
        return Ok(None);
    }
    let took = clock::now().saturating_sub(begin);
    stats.record(Operation::Syncfs, took);
    Ok(Some(took))
}

fn written(before: Option<Traffic>, after: Option<Traffic>) -> Option<Bytes> {
    Some(Bytes(after?.written.saturating_sub(before?.written)))
}

impl<F: FileSystem> Job for SequenceJob<F> {
    fn next_run(&self) -> NextRun {
        NextRun { verifies: true, ..NextRun::default() }
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let mut system = self.mount()?;
        for folder in &self.tasks.folders {
            system.make_directory(folder).map_err(of_step("the folders before the first step"))?;
        }
        system.sync().map_err(of_step("the sync before the first step"))?;
        for index in 0..self.tasks.all.len() {
            if limit.is_reached(Nanos(0)) {
                break;
            }
            if self.tasks.all[index].cold {
                system = self.made_cold(system, &self.tasks.all[index], limit.stop)?;
            }
            let begin = clock::now();
            self.step(&mut system, index, limit, stats)?;
            stats.spans.push((begin, clock::now()));
            stats.end_part(stats.elapsed);
        }
        self.unmount(system, stats)
    }

    fn verify(&mut self, directory: &Path, stop: &AtomicBool) -> Result<Verification, EngineError> {
        compare(directory, &self.tasks.left, &self.pool, stop)
    }
}
