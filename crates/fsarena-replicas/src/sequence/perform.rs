//! Runs one step, through any file system.

use std::error::Error;

use fsarena_library::{DirectoryEntry, FileSystem, LibraryError};
use fsarena_model::Nanos;
use fsarena_sys::clock;

use super::of_step;
use super::parameters::StepAction;
use super::state::{Pool, PoolPiece};
use super::task::SequenceTask;
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

/// An error of the file system, or what was found and not expected.
pub type StepFailure = Box<dyn Error + Send + Sync>;

impl<F: FileSystem> StepPerformance<'_, F> {
    /// Does all of `task`, or less if the stop flag is set. In addition to the calls themselves, an operation costs two
    /// readings of the clock, about 50 ns.
    pub fn all(&mut self, task: &SequenceTask) -> Result<StepCounts, EngineError> {
        let done = if task.action.is_random() { self.random(task) } else { self.in_order(task) };
        done.map_err(of_step(&task.name))
    }

    fn in_order(&mut self, task: &SequenceTask) -> Result<StepCounts, StepFailure> {
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

    fn one(&mut self, task: &SequenceTask, number: usize) -> Result<StepCounts, StepFailure> {
        let item = &task.items[number];
        let mut done = StepCounts { operations: 1, bytes: 0 };
        match task.action {
            StepAction::Create | StepAction::Write | StepAction::Read => {
                done.bytes = item.size;
                self.whole_file(task, number)?;
            }
            StepAction::Append => {
                done.bytes = item.size;
                let mut pieces = task.pieces(number);
                pieces.try_for_each(|piece| self.system.append(&item.path, self.pool.bytes(piece)))?;
            }
            StepAction::Mkdir => self.system.make_directory(&item.path)?,
            StepAction::Rename => self.system.rename(&item.path, &item.to)?,
            StepAction::Attributes => self.system.set_attributes(&item.path, PERMISSIONS, TIME)?,
            StepAction::Delete => self.system.remove_file(&item.path)?,
            StepAction::Rmdir => self.system.remove_directory(&item.path)?,
            StepAction::DeleteTree => done.operations = self.remove_tree(&item.path)?,
            StepAction::Stat => require_all(&item.path, self.system.size(&item.path)?, item.size)?,
            StepAction::List => {
                let found = self.system.list(&item.path)?.len() as u64;
                if found != item.size {
                    return Err(format!("`{}` lists {found} names and should have {}", item.path, item.size).into());
                }
            }
            // They have no items, or are done by `random`.
            StepAction::Sync | StepAction::RandomRead | StepAction::RandomWrite => {}
        }
        Ok(done)
    }

    /// Reads or writes a file from beginning to end.
    fn whole_file(&mut self, task: &SequenceTask, number: usize) -> Result<(), StepFailure> {
        let path = &task.items[number].path;
        let is_new = task.action == StepAction::Create;
        let mut file = if is_new { self.system.create(path)? } else { self.system.open(path)? };
        for piece in task.pieces(number) {
            if self.is_stopped() {
                break;
            }
            self.piece(task, &mut file, path, piece)?;
        }
        Ok(())
    }

    fn piece(
        &mut self,
        task: &SequenceTask,
        file: &mut F::File,
        path: &str,
        piece: PoolPiece,
    ) -> Result<(), StepFailure> {
        if task.action.writes() {
            return Ok(self.system.write_at(file, piece.offset, self.pool.bytes(piece))?);
        }
        let into = &mut self.memory[..piece.length as usize];
        let found = self.system.read_at(file, piece.offset, into)?;
        require_all(path, found as u64, piece.length)
    }

    /// Does all random reads or writes in the first file. It is opened once, within the time of the step.
    fn random(&mut self, task: &SequenceTask) -> Result<StepCounts, StepFailure> {
        let path = &task.items[0].path;
        let mut file = self.system.open(path)?;
        let mut counted = StepCounts::default();
        for piece in &task.random {
            if self.is_stopped() {
                break;
            }
            let begin = clock::now();
            self.piece(task, &mut file, path, *piece)?;
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
                DirectoryEntry::Directory => count += self.remove_tree(&inner)?,
                DirectoryEntry::File => {
                    self.system.remove_file(&inner)?;
                    count += 1;
                }
            }
        }
        self.system.remove_directory(path).map(|()| count)
    }
}

fn require_all(path: &str, found: u64, wanted: u64) -> Result<(), StepFailure> {
    if found == wanted { Ok(()) } else { Err(format!("`{path}` gave {found} bytes of {wanted}").into()) }
}
