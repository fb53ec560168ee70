//! Durability: a guest writes to a disk whose requests are logged, and power cuts are made from the log. The content of
//! the disk after each is then given to another guest, which looks for what was acknowledged.

pub mod guest;
mod platter;
mod rows;
mod session;

use std::io::{BufReader, Seek, SeekFrom};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use fsarena_durability::log::read;
use fsarena_durability::{CrashState, Disk, Found, Recording, Tally};
use fsarena_guest::{GuestError, Prepared, RawDisk, Wanted};
use fsarena_model::{Bytes, ErrorCategory};
use guest::{DurabilityOrder, WriterTask};
use session::{Stopped, WriterSession};

use crate::{Refusal, Refusals, require_kernels};

/// What an operation adds to the log of requests at most: its record, metadata, and the journal.
const LOGGED: u64 = 64 << 10;

/// Refuses a kernel that Debian does not have, and a guest with a disk of `size` bytes that does not fit into `free`
/// bytes of memory. The disk can be full, and the log of its requests as large again, or larger by many `operations`.
///
/// # Errors
/// All reasons that are found.
pub fn require_room(wanted: &Wanted, size: Bytes, operations: u64, free: Option<Bytes>) -> Result<()> {
    let mut refusals = Refusals::default();
    refusals.take(require_kernels(&wanted.release, wanted.kernel.as_deref()));
    let log = size.0.max(operations.saturating_mul(LOGGED));
    let room = fsarena_guest::require_memory(1, wanted.memory, Bytes(size.0.saturating_add(log)), free);
    let hint = "a smaller --lane-size or --guest-memory, or fewer --operations, whose requests are logged in memory";
    refusals.take(room.map_err(|error| Refusal::machine(error.to_string(), hint)));
    refusals.end()
}

/// What is tried on each contender.
#[derive(Debug, Clone, Copy)]
pub struct DurabilityTrial<'a> {
    /// What its guests are made of.
    pub prepared: &'a Prepared,
    /// How its disk treats a flush.
    pub disk: Disk,
    /// Number of power cuts.
    pub states: usize,
    /// Size of its disk.
    pub size: Bytes,
    /// Ends the trial once it is set.
    pub stop: &'a AtomicBool,
}

/// The result of a contender.
#[derive(Debug)]
pub struct DurabilityOutcome {
    /// Number of operations that were acknowledged.
    pub acknowledged: u64,
    /// Number of flushes that reached the disk meanwhile.
    pub flushes: u64,
    /// What was found after the power cuts.
    pub tally: Tally,
}

impl DurabilityTrial<'_> {
    /// Makes the power cuts of one contender; `None` if that was stopped.
    ///
    /// # Errors
    /// If a guest cannot be booted, or the writer fails.
    pub fn try_out(&self, task: &WriterTask, telling: &mut dyn FnMut(&str)) -> Result<Option<DurabilityOutcome>> {
        let outcome = self.record(task, telling).and_then(|recording| {
            let tally = self.check(task, &recording, telling)?;
            Ok(DurabilityOutcome { acknowledged: recording.acknowledged(), flushes: recording.flushes(), tally })
        });
        match outcome {
            Err(error) if error.is::<Stopped>() => Ok(None),
            outcome => outcome.map(Some),
        }
    }

    /// Lets a guest do the work, and returns the log of its disk.
    fn record(&self, task: &WriterTask, telling: &mut dyn FnMut(&str)) -> Result<Recording> {
        let (label, size) = (&task.contender.label, self.size);
        telling(&format!("{label}: booting a guest for the writer"));
        let disk = RawDisk { content: platter::empty(size)?, log: Some(fsarena_guest::memory("fsarena-log")?) };
        // QEMU does not enlarge it.
        disk.log.as_ref().context("the log")?.set_len(4 * size.0 + (8 << 30)).context("size the log")?;
        let mut session = WriterSession::boot(self.prepared, &disk, self.stop)?;
        telling(&format!("{label}: {} acknowledged operations", task.operations));
        let recorded = session.ask(&DurabilityOrder::Record(task.clone()), self.stop)?;
        recorded.map_err(|error| failed(task, error))?;
        drop(session);
        // The log is copied: there is room for it where the disk was.
        let RawDisk { content, log } = disk;
        drop(content);
        let mut log = log.context("the log")?;
        log.seek(SeekFrom::Start(0)).context("read the log")?;
        let recording = Recording::new(read(BufReader::with_capacity(1 << 20, log))?, size)?;
        match recording.acknowledged() == task.operations {
            true => Ok(recording),
            false => {
                let text = format!("the log has {} acknowledgements only", recording.acknowledged());
                Err(failed(task, Refusal { text, category: ErrorCategory::Trial, hint: None }))
            }
        }
    }

    /// Lets a guest look at the content of the disk after each power cut.
    fn check(&self, task: &WriterTask, recording: &Recording, telling: &mut dyn FnMut(&str)) -> Result<Tally> {
        let disk = RawDisk { content: platter::empty(self.size)?, log: None };
        let mut session = None;
        let mut tally = Tally::default();
        let states = recording.states(self.states, task.seed);
        for (number, state) in states.iter().enumerate() {
            if self.stop.load(Ordering::Relaxed) {
                bail!(Stopped);
            }
            telling(&format!("{}: power cut {} of {}", task.contender.label, number + 1, states.len()));
            platter::fill(&disk.content, self.size, recording, &recording.content(state, self.disk))?;
            let running = match &mut session {
                Some(running) => running,
                none => none.insert(WriterSession::boot(self.prepared, &disk, self.stop)?),
            };
            let acknowledged = recording.acknowledged_before(state.cut);
            let found = match running.ask(&DurabilityOrder::Check { task: task.clone(), acknowledged }, self.stop) {
                Ok(found) => found.map_err(|error| failed(task, error))?,
                // The file system has stopped the kernel, which is a finding. The next state gets another guest.
                Err(error) => {
                    let ended = error.downcast()?;
                    session = None;
                    Found { unmountable: Some(first_line(&ended)), ..Found::default() }
                }
            };
            tally.add(&describe(state, recording), acknowledged, &found);
        }
        Ok(tally)
    }
}

/// The error of a guest, with the contender and a hint.
fn failed(task: &WriterTask, Refusal { text, category, hint }: Refusal) -> anyhow::Error {
    let label = &task.contender.label;
    let text = if text.contains(&format!("`{label}`")) { text } else { format!("{label}: {text}") };
    let usual = "`fsarena compare` with `--guest` shows whether this contender works in a guest at all";
    Refusal { text, category, hint: hint.or(Some(usual.to_owned())) }.into()
}

fn describe(state: &CrashState, recording: &Recording) -> String {
    let survivors = state.survivors.words();
    let (cut, all) = (state.cut, recording.requests().len());
    let acknowledged = recording.acknowledged_before(cut);
    format!("after request {cut} of {all} ({acknowledged} acknowledged; of the disk's cache survives: {survivors})")
}

fn first_line(ended: &GuestError) -> String {
    ended.to_string().lines().take(3).collect::<Vec<_>>().join(" / ")
}

#[cfg(test)]
mod tests {
    use fsarena_model::DebianRelease;

    use super::*;

    #[test]
    fn a_disk_that_memory_cannot_hold_with_its_log_is_refused() {
        let (release, memory) = (DebianRelease::default(), Bytes::gib(1));
        let (kernel, accelerator, file_systems, packages) = (None, None, Vec::new(), Vec::new());
        let wanted = Wanted { release, kernel, accelerator, memory, file_systems, packages };
        // QEMU itself takes 768 MiB, and 256 MiB stay free.
        for (size, operations, free, fits) in [
            (Bytes::mib(512), 120, Bytes::mib(3072), true),
            (Bytes::mib(512), 120, Bytes::mib(3071), false),
            (Bytes::mib(512), 100_000, Bytes::gib(8), false),
            (Bytes(u64::MAX), 1, Bytes::gib(24), false),
        ] {
            let room = require_room(&wanted, size, operations, Some(free));
            assert_eq!(room.is_ok(), fits, "{size} and {operations} operations in {free}");
        }
    }
}
