//! Doing what a plan says: take the machine, make the lanes, run, take everything away, keep what happened.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use fsarena_lane::{Arena, Go, LaneError, Ledger, Wait, default_folder};
use fsarena_model::event::Note;
use fsarena_model::{Event, Nanos, Plan, RunRecord, Severity, Status};
use fsarena_session::Machine;
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
}

/// Does it, and tells what is kept of it; `None` if somebody stopped it while it waited for another run.
pub fn perform(global: &Global, task: Task, stop: &AtomicBool) -> Result<Option<(RunRecord, Status)>> {
    let Task { plan, notes, wait } = task;
    plan::require_machine(&plan)?;
    let mut store = places::store(global)?;
    enter_namespace(&plan)?;
    let Some(ledger) = take_machine(wait, stop)? else { return Ok(None) };
    // Only now: an earlier run may have filled the place, or hold the disk.
    plan::require_space(&plan)?;
    let (run, status) = measure(global, &plan, notes, &mut store, ledger, stop)?;
    Ok(Some((store.load(run)?, status)))
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
            let (ledger, cleared) = other?;
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
    ledger: Ledger,
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
    let status = on_machine(plan, store, run, ledger, stop, started, &mut progress);
    progress.end();
    if let Err(error) = &status {
        let text = format!("the run failed: {error}");
        let _ = store.apply(run, &Event::Note(Note { severity: Severity::Failure, text }));
    }
    Ok((run, status?))
}

fn on_machine(
    plan: &Plan,
    store: &mut Store,
    run: i64,
    ledger: Ledger,
    stop: &AtomicBool,
    started: Nanos,
    progress: &mut Progress,
) -> Result<Status> {
    let arena = Arena::open(plan.clone(), run, ledger, &mut |what| {
        progress.prepare(what);
        if stop.load(Ordering::Relaxed) { Go::Stop } else { Go::On }
    })?;
    let mut machine = Machine::new(plan.clone(), arena);
    let mut listeners = Listeners { store, run, progress };
    let status = fsarena_session::run(plan, &mut machine, &MonotonicClock, started, stop, &mut listeners);
    progress.prepare("taking everything away");
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
