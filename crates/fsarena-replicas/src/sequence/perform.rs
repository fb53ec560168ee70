//! Runs one step, through any file system.

use fsarena_library::{Entry, FileSystem, LibraryError};
use fsarena_model::Nanos;
use fsarena_sys::clock;

use super::of_step;
use super::parameters::StepAction;
use super::state::Pool;
use super::task::{Item, SequenceTask};
use fsarena_engine::{EngineError, Limit, RunStats};

/// The permissions that `attributes` sets. New files have others.
const PERMISSIONS: u16 = 0o640;
/// The time that `attributes` sets: 2001-09-09, which is never the current time.
const TIME: u32 = 1_000_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepCounts {
    pub operations: u64,
    pub bytes: u64,
}

pub struct StepPerformance<'a, F> {
    pub system: &'a mut F,
    pub pool: &'a Pool,
    pub limit: &'a Limit<'a>,
    pub stats: &'a mut RunStats,
    /// Buffer for reads, as large as the longest of them.
    pub memory: &'a mut [u8],
}

impl<F: FileSystem> StepPerformance<'_, F> {
    /// Does all of `task`, or less if the stop flag is set. In addition to the calls themselves, an operation costs two
    /// readings of the clock, about 50 ns.
    pub fn all(&mut self, task: &SequenceTask) -> Result<StepCounts, EngineError> {
        if matches!(task.action, StepAction::RandomRead | StepAction::RandomWrite) {
            return self.random(task);
        }
        let mut counted = StepCounts { operations: u64::from(task.action == StepAction::Sync), bytes: 0 };
        for number in 0..task.items.len() {
            if self.is_stopped() {
                break;
            }
            let begin = clock::now();
            let done = self.one(task, number)?;
            self.note(task, begin);
            counted.operations += done.operations;
            counted.bytes += done.bytes;
        }
        Ok(counted)
    }

    fn is_stopped(&self) -> bool {
        self.limit.is_reached(Nanos(0))
    }

    fn note(&mut self, task: &SequenceTask, begin: Nanos) {
        self.stats.record(task.action.operation(), clock::now().saturating_sub(begin));
    }

    fn one(&mut self, task: &SequenceTask, number: usize) -> Result<StepCounts, EngineError> {
        let item = &task.items[number];
        let one = StepCounts { operations: 1, bytes: 0 };
        let with_bytes = StepCounts { bytes: item.size, ..one };
        let done = match task.action {
            StepAction::Create | StepAction::Write => self.write(task, number).map(|()| with_bytes),
            StepAction::Append => self.append(task, number).map(|()| with_bytes),
            StepAction::Mkdir => self.system.make_directory(&item.path).map(|()| one),
            StepAction::Rename => self.system.rename(&item.path, &item.to).map(|()| one),
            StepAction::Attributes => self.system.set_attributes(&item.path, PERMISSIONS, TIME).map(|()| one),
            StepAction::Delete => self.system.remove_file(&item.path).map(|()| one),
            StepAction::Rmdir => self.system.remove_directory(&item.path).map(|()| one),
            StepAction::DeleteTree => {
                self.remove_tree(&item.path).map(|operations| StepCounts { operations, bytes: 0 })
            }
            StepAction::Sync => Ok(one),
            StepAction::Read => return self.read(task, number).map(|()| with_bytes),
            StepAction::Stat => return self.stat(task, item).map(|()| one),
            StepAction::List => return self.list(task, item).map(|()| one),
            StepAction::RandomRead | StepAction::RandomWrite => return self.random(task),
        };
        done.map_err(of_step(&task.name))
    }

    fn write(&mut self, task: &SequenceTask, number: usize) -> Result<(), LibraryError> {
        let path = &task.items[number].path;
        let is_new = task.action == StepAction::Create;
        let mut file = if is_new { self.system.create(path)? } else { self.system.open(path)? };
        for piece in task.pieces(number) {
            if self.is_stopped() {
                break;
            }
            self.system.write_at(&mut file, piece.offset, self.pool.bytes(piece))?;
        }
        Ok(())
    }

    fn append(&mut self, task: &SequenceTask, number: usize) -> Result<(), LibraryError> {
        let path = &task.items[number].path;
        task.pieces(number).try_for_each(|piece| self.system.append(path, self.pool.bytes(piece)))
    }

    fn read(&mut self, task: &SequenceTask, number: usize) -> Result<(), EngineError> {
        let path = &task.items[number].path;
        let mut file = self.system.open(path).map_err(of_step(&task.name))?;
        for piece in task.pieces(number) {
            if self.is_stopped() {
                break;
            }
            let into = &mut self.memory[..piece.length as usize];
            let found = self.system.read_at(&mut file, piece.offset, into).map_err(of_step(&task.name))?;
            is_all(task, path, found as u64, piece.length)?;
        }
        Ok(())
    }

    fn stat(&mut self, task: &SequenceTask, item: &Item) -> Result<(), EngineError> {
        let found = self.system.size(&item.path).map_err(of_step(&task.name))?;
        is_all(task, &item.path, found, item.size)
    }

    fn list(&mut self, task: &SequenceTask, item: &Item) -> Result<(), EngineError> {
        let found = self.system.list(&item.path).map_err(of_step(&task.name))?.len() as u64;
        let what = || format!("`{}` lists {found} names and should have {}", item.path, item.size);
        require(task, found == item.size, what)
    }

    /// Does all random reads or writes in the first file. It is opened once, within the time of the step.
    fn random(&mut self, task: &SequenceTask) -> Result<StepCounts, EngineError> {
        let path = &task.items[0].path;
        let mut file = self.system.open(path).map_err(of_step(&task.name))?;
        let mut counted = StepCounts::default();
        for piece in &task.random {
            if self.is_stopped() {
                break;
            }
            let begin = clock::now();
            if task.action == StepAction::RandomWrite {
                self.system.write_at(&mut file, piece.offset, self.pool.bytes(*piece)).map_err(of_step(&task.name))?;
            } else {
                let into = &mut self.memory[..piece.length as usize];
                let found = self.system.read_at(&mut file, piece.offset, into).map_err(of_step(&task.name))?;
                is_all(task, path, found as u64, piece.length)?;
            }
            self.note(task, begin);
            counted.operations += 1;
            counted.bytes += piece.length;
        }
        Ok(counted)
    }

    /// Removes a directory as `rm -r` does: lists, empties and removes each directory. Returns the number of removed
    /// objects.
    fn remove_tree(&mut self, path: &str) -> Result<u64, LibraryError> {
        let mut count = 1;
        for (name, entry) in self.system.list(path)? {
            if self.is_stopped() {
                return Ok(count);
            }
            let inner = format!("{path}/{name}");
            match entry {
                Entry::Directory => count += self.remove_tree(&inner)?,
                Entry::File => {
                    self.system.remove_file(&inner)?;
                    count += 1;
                }
            }
        }
        self.system.remove_directory(path).map(|()| count)
    }
}

fn is_all(task: &SequenceTask, path: &str, found: u64, wanted: u64) -> Result<(), EngineError> {
    require(task, found == wanted, || format!("`{path}` gave {found} bytes of {wanted}"))
}

fn require(task: &SequenceTask, is_so: bool, what: impl FnOnce() -> String) -> Result<(), EngineError> {
    if is_so { Ok(()) } else { Err(EngineError::Found { step: task.name.clone(), what: what() }) }
}
