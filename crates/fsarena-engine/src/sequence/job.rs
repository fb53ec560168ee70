//! The job: runs all steps and times each, with their syncs and the bytes that reached the device.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_library::{FileSystem, LibraryError, Synced, Traffic};
use fsarena_model::{Bytes, Nanos, Step, Verification};
use fsarena_sys::clock;

use super::compare;
use super::contents::Pool;
use super::parameters::{Action, Sync};
use super::perform::{Counted, Performance, memory};
use super::task::{Task, Tasks};
use crate::folder::{drop_all_caches, drop_cached};
use crate::limit::slow_down;
use crate::{EngineError, Job, Limit, Operation, RunStats};

/// A sequence in a directory of the file system `F`.
pub struct SequenceJob<F> {
    tasks: Tasks,
    place: PathBuf,
    directory: String,
    pool: Pool,
    memory: Vec<u8>,
    system: PhantomData<F>,
}

impl<F: FileSystem> SequenceJob<F> {
    /// A sequence in `directory` of the file system at `place`.
    pub fn new(tasks: Tasks, place: &Path, directory: &str, seed: u64) -> Self {
        let (place, directory) = (place.to_owned(), directory.to_owned());
        Self { tasks, place, directory, pool: Pool::new(seed), memory: memory(), system: PhantomData }
    }

    fn mount(&self) -> Result<F, EngineError> {
        F::mount(&self.place, &self.directory).map_err(of_step("mount"))
    }

    /// Drops everything from memory. A library is unmounted and mounted again. If the kernel refuses to drop all
    /// caches, the pages of each file are dropped; names and inodes then stay in memory.
    fn chilled(&self, mut system: F, task: &Task) -> Result<F, EngineError> {
        if F::IS_LIBRARY {
            system.unmount().map_err(of_step(&task.name))?;
            let _ = drop_all_caches();
            return self.mount();
        }
        system.sync().map_err(of_step(&task.name))?;
        if drop_all_caches().is_err() {
            for item in &task.items {
                drop_cached(&self.place.join(&self.directory).join(&item.path))?;
            }
        }
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
        system.make_each_write_durable(task.sync == Sync::Each);
        let before = system.traffic();
        let begin = clock::now();
        let (pool, memory) = (&self.pool, &mut self.memory[..]);
        let counted = Performance { system, pool, limit, stats, memory }.all(task)?;
        let within = matches!(task.sync, Sync::Within) || task.action == Action::Sync;
        let synced_within = if within { synced(system, task, stats)? } else { None };
        let worked = clock::now().saturating_sub(begin);
        let elapsed = worked + slow_down(worked, limit.slowdown);
        if task.sync == Sync::Each {
            stats.count_durable_writes(task.writes());
        }
        let apart = if task.sync == Sync::Apart { synced(system, task, stats)? } else { None };
        // A sync that the file system does not support is not a step.
        if task.action == Action::Sync && synced_within.is_none() {
            return Ok(());
        }
        let (name, Counted { operations, bytes }) = (task.name.clone(), counted);
        let written = written(before, system.traffic());
        count(Step { name, operations, bytes, elapsed, synced: apart, written }, stats);
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

/// Adds a step. Its time includes the time of its sync.
fn count(step: Step, stats: &mut RunStats) {
    stats.operations += step.operations;
    stats.bytes += step.bytes;
    stats.elapsed = stats.elapsed + step.elapsed + step.synced.unwrap_or_default();
    stats.steps.push(step);
}

fn of_step(name: &str) -> impl FnOnce(LibraryError) -> EngineError {
    let step = name.to_owned();
    move |source| EngineError::Step { step, source }
}

/// Writes all data to the device. Returns the time; `None` if the file system has no such call.
fn synced<F: FileSystem>(system: &mut F, task: &Task, stats: &mut RunStats) -> Result<Option<Nanos>, EngineError> {
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
    fn prepare(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
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
                system = self.chilled(system, &self.tasks.all[index])?;
            }
            self.step(&mut system, index, limit, stats)?;
            stats.end_part(stats.elapsed);
        }
        self.unmount(system, stats)
    }

    fn verifies(&self) -> bool {
        true
    }

    fn verify(&mut self, directory: &Path, stop: &AtomicBool) -> Result<Verification, EngineError> {
        compare::with(directory, &self.tasks.left, &self.pool, stop)
    }
}
