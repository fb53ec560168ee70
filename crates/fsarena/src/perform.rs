//! Doing what a plan says, or what is left of it: take the machine, make the lanes, run, take everything away, keep what happened.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use fsarena_lane::disk::{self, Consent, Disk};
use fsarena_lane::{Arena, Go, LaneError, Ledger, Wait, default_folder};
use fsarena_model::event::Note;
use fsarena_model::{Event, Plan, RunRecord, Severity, Status};
use fsarena_session::{Machine, Rest, Resumption, SessionError, Wish};
use fsarena_store::Store;
use fsarena_sys::{MonotonicClock, clock, namespace};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::cli::Global;
use crate::commands::tell_cleared;
use crate::exit::Refusal;
use crate::listen::Listeners;
use crate::progress::Progress;
use crate::{places, plan};

/// What is to be done, and what is to be said of it in the report.
pub struct Task {
    /// The plan.
    pub plan: Plan,
    /// Notes for the report.
    pub notes: Vec<String>,
    /// Whether to wait while another run has the machine.
    pub wait: Wait,
    /// Whose contents may be lost.
    pub consent: Consent,
}

/// What a run has before it begins: the machine, and the disks that it takes.
struct Ground {
    ledger: Ledger,
    disks: Vec<Disk>,
}

/// Does it, and tells what is kept of it; `None` if somebody stopped it while it waited for another run.
pub fn perform(global: &Global, task: Task, stop: &AtomicBool) -> Result<Option<(RunRecord, Status)>> {
    let Task { plan, notes, wait, consent } = task;
    plan::require_machine(&plan)?;
    let mut store = places::store(global)?;
    enter_namespace(&plan)?;
    let Some(ledger) = take_machine(wait, stop)? else { return Ok(None) };
    // Only now: an earlier run may have filled the place, or hold the disk.
    let plan = plan::fitted(plan);
    plan::require_space(&plan)?;
    let ground = Ground { disks: disk::hold(&plan, &consent)?, ledger };
    let (run, status) = measure(global, &plan, notes, &mut store, ground, stop)?;
    Ok(Some((store.load(run)?, status)))
}

/// What became of the wish to go on with a run.
pub enum Resumed {
    /// All its pairs are decided.
    Nothing,
    /// Somebody stopped it while it waited for another run.
    Stopped,
    /// It went on.
    Done(Box<Further>),
}

/// A run that went on.
pub struct Further {
    /// What was kept of it.
    pub before: RunRecord,
    /// What is kept of it now.
    pub after: RunRecord,
    /// How far it has come.
    pub status: Status,
}

/// What is wanted of a stored run.
pub struct Wanted {
    /// Its number.
    pub run: i64,
    /// How far it shall go on.
    pub wish: Wish,
    /// Whether to wait while another run has the machine.
    pub wait: Wait,
    /// Whose contents may be lost: a stored plan does not say so.
    pub consent: Consent,
}

/// Does what is left of a stored run.
pub fn resume(global: &Global, wanted: Wanted, stop: &AtomicBool) -> Result<Resumed> {
    let Wanted { run, wish, wait, consent } = wanted;
    let mut store = places::store(global)?;
    let plan = store.load(run)?.plan;
    plan::require_machine(&plan)?;
    enter_namespace(&plan)?;
    let Some(ledger) = take_machine(wait, stop)? else { return Ok(Resumed::Stopped) };
    // Only now: another process may have gone on with it while this one waited.
    let before = store.load(run)?;
    let Some(rest) = Rest::of(&before, wish)? else {
        if wish == Wish::Usual && before.status == Status::Interrupted {
            store.apply(run, &Event::Finished(Status::Complete))?;
        }
        return Ok(Resumed::Nothing);
    };
    plan::require_space(&plan)?;
    let ground = Ground { disks: disk::hold(&plan, &consent)?, ledger };
    let status = go_on(global, &before, rest, &mut store, ground, stop)?;
    Ok(Resumed::Done(Box::new(Further { after: store.load(run)?, before, status })))
}

/// As [`measure`], for a run that there is already; one that is refused is left as it was.
fn go_on(
    global: &Global,
    record: &RunRecord,
    rest: Rest,
    store: &mut Store,
    ground: Ground,
    stop: &AtomicBool,
) -> Result<Status> {
    let (run, started) = (record.run, clock::now());
    let resumption = Resumption { record: record.clone(), rest, at: now() };
    let mut progress = Progress::new(global);
    let mut listeners = Listeners { store, run, progress: &mut progress };
    let status = on_machine(&record.plan, ground, stop, &mut listeners, |machine, listeners| {
        fsarena_session::resume(resumption, machine, &MonotonicClock, started, stop, listeners)
    });
    progress.end();
    let has_begun = store.load(run).is_ok_and(|after| after.notes.len() > record.notes.len());
    status.inspect_err(|error| {
        if has_begun {
            note_failure(store, run, error)
        }
    })
}

/// Takes the machine and clears away what dead runs left; `None` if somebody stopped it while it waited.
fn take_machine(wait: Wait, stop: &AtomicBool) -> Result<Option<Ledger>> {
    let mut told = false;
    let opened = Ledger::open(&default_folder()?, wait, &mut || {
        if !std::mem::replace(&mut told, true) {
            eprintln!("waiting for another run to end");
        }
        if stop.load(Ordering::Relaxed) { Go::Stop } else { Go::On }
    });
    match opened {
        Err(LaneError::Busy) if stop.load(Ordering::Relaxed) => Ok(None),
        other => {
            let (ledger, mut cleared) = other?;
            cleared.extend(fsarena_apps::clear());
            tell_cleared(&cleared);
            Ok(Some(ledger))
        }
    }
}

/// Everything that touches the machine; it is as before when this returns. Why a run failed is kept with it.
fn measure(
    global: &Global,
    plan: &Plan,
    notes: Vec<String>,
    store: &mut Store,
    ground: Ground,
    stop: &AtomicBool,
) -> Result<(i64, Status)> {
    let started = clock::now();
    let began = now();
    let run = store.begin(plan, &began)?;
    store.apply(run, &Event::Started { plan: Box::new(plan.clone()), started: began })?;
    for text in notes {
        store.apply(run, &Event::Note(Note { severity: Severity::Info, text }))?;
    }
    let mut progress = Progress::new(global);
    let mut listeners = Listeners { store, run, progress: &mut progress };
    let status = on_machine(plan, ground, stop, &mut listeners, |machine, listeners| {
        fsarena_session::run(plan, machine, &MonotonicClock, started, stop, listeners)
    });
    progress.end();
    let status = status.inspect_err(|error| note_failure(store, run, error))?;
    Ok((run, status))
}

fn note_failure(store: &mut Store, run: i64, error: &anyhow::Error) {
    let text = format!("the run failed: {error}");
    let _ = store.apply(run, &Event::Note(Note { severity: Severity::Failure, text }));
}

/// Makes the lanes of `plan`, lets `session` run on them, and takes everything away.
fn on_machine(
    plan: &Plan,
    ground: Ground,
    stop: &AtomicBool,
    listeners: &mut Listeners<'_>,
    session: impl FnOnce(&mut Machine, &mut Listeners<'_>) -> Result<Status, SessionError>,
) -> Result<Status> {
    let mut telling = |what: &str| {
        listeners.progress.prepare(what);
        if stop.load(Ordering::Relaxed) { Go::Stop } else { Go::On }
    };
    let arena = Arena::open_on(ground.disks, plan.clone(), listeners.run, ground.ledger, &mut telling)?;
    let mut machine = Machine::new(plan.clone(), arena);
    machine.precondition(&mut telling)?;
    let status = session(&mut machine, listeners);
    listeners.progress.prepare("taking everything away");
    let closed = machine.close();
    let status = status?;
    closed?;
    Ok(status)
}

/// Mounts are made only for kinds that need one, and only by root, who may have a namespace.
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

/// Ctrl-C, SIGTERM and a lost terminal end the run cleanly; a second one ends it at once, and the next start clears up.
pub fn stop_flag() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
