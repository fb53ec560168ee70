//! Durability: a guest writes to a disk whose requests are logged, and power cuts are made from the log. The content of
//! the disk after each is then given to another guest, which looks for what was acknowledged.

pub mod guest;
mod platter;
mod rows;
mod session;

use std::io::{BufReader, Seek, SeekFrom};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use fsarena_durability::log::Log;
use fsarena_durability::{Disk, Found, Recording, State, Tally};
use fsarena_guest::{GuestError, Prepared, RawDisk};
use fsarena_model::Bytes;
use guest::{Answer, DurabilityOrder, WriterTask};
use platter::Platter;
use session::{Stopped, WriterSession};

use crate::Refusal;

/// What is tried on each contender.
#[derive(Debug, Clone, Copy)]
pub struct DurabilityTrial {
    /// How its disk treats a flush.
    pub disk: Disk,
    /// Number of power cuts.
    pub states: usize,
    /// The seed of the power cuts.
    pub seed: u64,
    /// Size of its disk.
    pub size: Bytes,
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

/// Makes the power cuts of one contender; `None` if that was stopped.
pub fn try_out(
    prepared: &Prepared,
    task: &WriterTask,
    trial: &DurabilityTrial,
    stop: &AtomicBool,
    telling: &mut dyn FnMut(&str),
) -> Result<Option<DurabilityOutcome>> {
    match record(prepared, task, trial, stop, telling).and_then(|recording| {
        let tally = check(prepared, task, trial, &recording, stop, telling)?;
        Ok(DurabilityOutcome { acknowledged: recording.acknowledged(), flushes: recording.flushes(), tally })
    }) {
        Err(error) if error.downcast_ref::<Stopped>().is_some() => Ok(None),
        outcome => outcome.map(Some),
    }
}

/// Lets a guest do the work, and returns the log of its disk.
fn record(
    prepared: &Prepared,
    task: &WriterTask,
    trial: &DurabilityTrial,
    stop: &AtomicBool,
    telling: &mut dyn FnMut(&str),
) -> Result<Recording> {
    let label = &task.contender.label;
    telling(&format!("{label}: booting a guest for the writer"));
    let disk = RawDisk { content: platter::empty(trial.size)?, log: Some(fsarena_guest::memory("fsarena-log")?) };
    let mut log = disk.log.as_ref().context("the log")?;
    // QEMU does not enlarge it.
    log.set_len(4 * trial.size.0 + (8 << 30)).context("size the log")?;
    let mut session = WriterSession::boot(prepared, &disk)?;
    telling(&format!("{label}: {} acknowledged operations", task.operations));
    match session.ask(&DurabilityOrder::Record(task.clone()), stop)? {
        Ok(Answer::Recorded) => {}
        Ok(Answer::Failed(text)) => return Err(failed(task, text)),
        Ok(answer) => return Err(failed(task, format!("the guest answers {answer:?}"))),
        Err(ended) => return Err(ended.into()),
    }
    drop(session);
    log.seek(SeekFrom::Start(0)).context("read the log")?;
    let recording = Recording::new(Log::read(BufReader::with_capacity(1 << 20, log))?, trial.size)?;
    match recording.acknowledged() == task.operations {
        true => Ok(recording),
        false => Err(failed(task, format!("the log has {} acknowledgements only", recording.acknowledged()))),
    }
}

fn failed(task: &WriterTask, text: String) -> anyhow::Error {
    let hint = "`fsarena compare` with `--guest` shows whether this contender works in a guest at all";
    Refusal::trial(format!("{}: {text}", task.contender.label), hint).into()
}

/// Lets a guest look at the content of the disk after each power cut.
fn check(
    prepared: &Prepared,
    task: &WriterTask,
    trial: &DurabilityTrial,
    recording: &Recording,
    stop: &AtomicBool,
    telling: &mut dyn FnMut(&str),
) -> Result<Tally> {
    let disk = RawDisk { content: platter::empty(trial.size)?, log: None };
    let mut platter = Platter::new(trial.size)?;
    let mut session = None;
    let mut tally = Tally::default();
    let states = recording.states(trial.states, trial.seed);
    for (number, state) in states.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            return Err(Stopped.into());
        }
        telling(&format!("{}: power cut {} of {}", task.contender.label, number + 1, states.len()));
        let content = recording.content(state, trial.disk);
        platter.advance(recording, content.durable)?;
        platter.copy_to(&disk.content, recording, &content.pieces)?;
        let running = match &mut session {
            Some(running) => running,
            none => none.insert(WriterSession::boot(prepared, &disk)?),
        };
        let acknowledged = recording.acknowledged_before(state.cut);
        let found = match running.ask(&DurabilityOrder::Check { task: task.clone(), acknowledged }, stop)? {
            Ok(Answer::Checked(found)) => found,
            Ok(answer) => return Err(failed(task, format!("the guest answers {answer:?}"))),
            // The file system has stopped the kernel, which is a finding. The next state gets another guest.
            Err(ended) => {
                session = None;
                Found { unmountable: Some(first_line(&ended)), ..Found::default() }
            }
        };
        tally.add(&describe(state, recording), acknowledged, &found);
    }
    Ok(tally)
}

fn describe(state: &State, recording: &Recording) -> String {
    let survivors = format!("{:?}", state.survivors).to_lowercase();
    let (cut, all) = (state.cut, recording.requests().len());
    let acknowledged = recording.acknowledged_before(cut);
    format!("after request {cut} of {all} ({acknowledged} acknowledged; of the disk's cache survives: {survivors})")
}

fn first_line(ended: &GuestError) -> String {
    ended.to_string().lines().take(3).collect::<Vec<_>>().join(" / ")
}
