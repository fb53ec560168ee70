//! Executes a plan, or the rest of one: locks the machine, makes the lanes, runs, removes everything, and stores the
//! events.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use fsarena_execute::{Listener as _, Machine, Rest, Resumption, RunError, Wish};
use fsarena_lane::disk::{self, Consent, Disk};
use fsarena_lane::{Arena, Go, LaneError, Ledger, Wait, default_folder};
use fsarena_model::event::Note;
use fsarena_model::{Event, Plan, RunRecord, Severity, Status};
use fsarena_store::Store;
use fsarena_sys::machine::MachineLock;
use fsarena_sys::{MonotonicClock, clock, namespace};

use crate::cli::Global;
use crate::commands::tell_cleared;
use crate::exit::Refusal;
use crate::listen::Listeners;
use crate::note::note;
use crate::progress::Progress;
use crate::{places, plan};

/// A plan to execute, with its notes.
pub struct Task {
    /// The plan.
    pub plan: Plan,
    /// Notes for the report.
    pub notes: Vec<String>,
    /// Whether to wait while another run uses the machine.
    pub wait: Wait,
    /// The disks whose content may be overwritten.
    pub consent: Consent,
}

/// Executes a task and returns its record; `None` if it was stopped before anything was measured.
pub fn perform(global: &Global, task: Task, stop: &AtomicBool) -> Result<Option<(RunRecord, Status)>> {
    let Task { plan, notes, wait, consent } = task;
    plan::require_machine(&plan)?;
    let mut store = places::store(global)?;
    enter_namespace(&plan)?;
    let Some(held) = take_machine(wait, stop)? else { return Ok(None) };
    // Checked only after the lock is taken: another run may have filled the storage, or held the disk.
    let plan = plan::fitted(plan);
    plan::require_space(&plan)?;
    let held = Held { disks: disk::hold(&plan, &consent)?, ..held };
    let (run, status) = measure(global, &plan, notes, &mut store, held, stop)?;
    let record = store.load(run)?;
    if status == Status::Interrupted && record.trials.is_empty() {
        store.forget_if_empty(run)?;
        note!("interrupted before anything was measured: nothing is kept");
        return Ok(None);
    }
    Ok(Some((record, status)))
}

/// The result of continuing a run.
pub enum Resumed {
    /// All pairs are already decided.
    Nothing,
    /// The run was stopped while it waited for another run.
    Stopped,
    /// The run was continued.
    Done(Box<Further>),
}

/// A continued run.
pub struct Further {
    /// The record before.
    pub before: RunRecord,
    /// The record after.
    pub after: RunRecord,
    /// How the run ended.
    pub status: Status,
}

/// A stored run to continue.
pub struct Wanted {
    /// The run's number.
    pub run: i64,
    /// How far to continue.
    pub wish: Wish,
    /// Whether to wait while another run uses the machine.
    pub wait: Wait,
    /// The disks whose content may be overwritten; a stored plan does not contain this consent.
    pub consent: Consent,
}

/// Continues a stored run.
pub fn resume(global: &Global, wanted: Wanted, stop: &AtomicBool) -> Result<Resumed> {
    let Wanted { run, wish, wait, consent } = wanted;
    let mut store = places::existing_store(global)?;
    let plan = store.load(run)?.plan;
    plan::require_sound(&plan)?;
    plan::require_machine(&plan)?;
    enter_namespace(&plan)?;
    let Some(held) = take_machine(wait, stop)? else { return Ok(Resumed::Stopped) };
    // Loaded again after the lock is taken: another process may have continued the run in the meantime.
    let before = store.load(run)?;
    let Some(rest) = Rest::of(&before, wish)? else {
        if wish == Wish::Usual && before.status == Status::Interrupted {
            store.apply(run, &Event::Finished(Status::Complete))?;
        }
        return Ok(Resumed::Nothing);
    };
    plan::require_space(&plan)?;
    let held = Held { disks: disk::hold(&plan, &consent)?, ..held };
    let status = go_on(global, &before, rest, &mut store, held, stop)?;
    Ok(Resumed::Done(Box::new(Further { after: store.load(run)?, before, status })))
}

/// Like [`measure`], for a stored run. A run that cannot continue stays unchanged.
fn go_on(
    global: &Global,
    record: &RunRecord,
    rest: Rest,
    store: &mut Store,
    held: Held,
    stop: &AtomicBool,
) -> Result<Status> {
    let (run, started) = (record.run, clock::now());
    let resumption = Resumption { record: record.clone(), rest, at: clock::utc() };
    let mut progress = Progress::new(global);
    let mut listeners = Listeners { store, run, progress: &mut progress };
    let status = on_machine(&record.plan, held, stop, &mut listeners, |machine, listeners| {
        fsarena_execute::resume(resumption, machine, &MonotonicClock, started, stop, listeners)
    });
    progress.end();
    let has_begun = store.load(run).is_ok_and(|after| after.notes.len() > record.notes.len());
    status.inspect_err(|error| {
        if has_begun {
            note_failure(store, run, error)
        }
    })
}

/// The lock on the machine for one run, and the ledger of the things that the run creates.
pub struct Held {
    ledger: Ledger,
    /// The locked disks of the run.
    disks: Vec<Disk>,
    _machine: MachineLock,
}

/// Locks the machine and removes the leftovers of dead runs; `None` if the run is stopped while it waits.
fn take_machine(wait: Wait, stop: &AtomicBool) -> Result<Option<Held>> {
    let mut announced = false;
    let taken = fsarena_lane::take_machine(wait, &mut |holder| {
        if !std::mem::replace(&mut announced, true) {
            let busy = LaneError::Busy { holder: holder.cloned().map(Box::new) };
            note!("waiting: {busy}");
            let end = holder.map(|holder| format!("; `kill {}` ends that run and clears up", holder.process));
            note!("hint: this run begins when that one has ended; Ctrl-C leaves{}", end.unwrap_or_default());
        }
        if stop.load(Ordering::Relaxed) { Go::Stop } else { Go::On }
    });
    match taken {
        Err(LaneError::Busy { .. }) if stop.load(Ordering::Relaxed) => Ok(None),
        taken => {
            let _machine = taken?;
            let (ledger, cleared) = Ledger::open(&default_folder()?)?;
            tell_cleared(&cleared);
            Ok(Some(Held { ledger, disks: Vec::new(), _machine }))
        }
    }
}

/// Runs a plan on the machine, and removes everything before it returns. If the run fails, the reason is stored with
/// it.
fn measure(
    global: &Global,
    plan: &Plan,
    notes: Vec<String>,
    store: &mut Store,
    held: Held,
    stop: &AtomicBool,
) -> Result<(i64, Status)> {
    let started = clock::now();
    let began = clock::utc();
    let run = store.begin(plan, &began)?;
    store.apply(run, &Event::Started { plan: Box::new(plan.clone()), started: began })?;
    for text in notes {
        store.apply(run, &Event::Note(Note { severity: Severity::Info, text }))?;
    }
    let mut progress = Progress::new(global);
    let mut listeners = Listeners { store, run, progress: &mut progress };
    let status = on_machine(plan, held, stop, &mut listeners, |machine, listeners| {
        fsarena_execute::run(plan, machine, &MonotonicClock, started, stop, listeners)
    });
    progress.end();
    let status = status.inspect_err(|error| {
        note_failure(store, run, error);
        let _ = store.forget_if_empty(run);
    })?;
    Ok((run, status))
}

fn note_failure(store: &mut Store, run: i64, error: &anyhow::Error) {
    let text = format!("the run failed: {error}");
    let _ = store.apply(run, &Event::Note(Note { severity: Severity::Failure, text }));
}

/// Makes the lanes of `plan`, calls `session` with them, and removes everything.
fn on_machine(
    plan: &Plan,
    held: Held,
    stop: &AtomicBool,
    listeners: &mut Listeners<'_>,
    session: impl FnOnce(&mut Machine, &mut Listeners<'_>) -> Result<Status, RunError>,
) -> Result<Status> {
    let mut telling = |what: &str| {
        listeners.progress.prepare(what);
        if stop.load(Ordering::Relaxed) { Go::Stop } else { Go::On }
    };
    let Held { mut ledger, disks, _machine } = held;
    fsarena_engine::scratch::set_root(ledger.make_scratch()?).context("name the scratch directory")?;
    let arena = Arena::open_on(disks, plan.clone(), ledger, &mut telling)?;
    let mut machine = Machine::new(plan.clone(), arena);
    machine.precondition(&mut telling)?;
    let status = session(&mut machine, listeners);
    listeners.progress.prepare("taking everything away");
    let closed = machine.close();
    let status = status?;
    if let Err(left) = closed {
        // The measurements stay valid; the leftover is reported with them.
        let note = Note { severity: Severity::Failure, text: format!("{left}; `fsarena clean` tries it again") };
        listeners.hear(&Event::Note(note)).map_err(RunError::Listener)?;
    }
    Ok(status)
}

/// Enters a private mount namespace if a kind needs mounts. Those kinds need root, who may create a namespace.
fn enter_namespace(plan: &Plan) -> Result<()> {
    if plan.contenders.iter().all(|contender| contender.kind == "dir") {
        return Ok(());
    }
    namespace::enter_private_mounts().map_err(|errno| {
        let text = format!("a mount namespace of its own: {errno}");
        Refusal::machine(text, "a container has to allow it (CAP_SYS_ADMIN), or compare directories: dir:/a dir:/b")
            .into()
    })
}
