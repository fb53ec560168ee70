//! `fsarena compare`: from arguments to a verdict.

mod dry;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use fsarena_lane::{Arena, Go, LaneError, Ledger, Wait, default_folder};
use fsarena_model::event::Note;
use fsarena_model::{Comparison, Event, Nanos, Outcome, Plan, RunRecord, Severity, Status};
use fsarena_session::{Machine, assess};
use fsarena_store::Store;
use fsarena_sys::{MonotonicClock, clock, namespace};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use super::print;
use crate::cli::{Compare, Global};
use crate::exit::{Ended, Refusal};
use crate::listen::Listeners;
use crate::progress::Progress;
use crate::{places, plan};

/// Runs the comparison and prints its verdicts.
pub fn run(global: &Global, options: &Compare) -> Result<Ended> {
    let (plan, notes) = plan::plan(options)?;
    notes.iter().for_each(|note| eprintln!("{note}"));
    if options.dry_run {
        return dry::run(&plan);
    }
    plan::require_machine(&plan)?;
    let mut store = places::store(global)?;
    enter_namespace(&plan)?;
    let stop = stop_flag()?;
    let Some(ledger) = take_machine(options, &stop)? else { return Ok(Ended::Interrupted) };
    // Only now: an earlier run may have filled the place, or hold the disk.
    plan::require_space(&plan)?;
    let (run, status) = measure(global, &plan, notes, &mut store, ledger, &stop)?;
    let record = store.load(run)?;
    let comparison = assess(&record);
    print(&fsarena_report::text(&comparison, places::style(global)))?;
    farewell(&comparison);
    Ok(ended(&record, status))
}

/// Takes the machine and clears away what dead runs left; `None` if somebody stopped it while it waited.
fn take_machine(options: &Compare, stop: &AtomicBool) -> Result<Option<Ledger>> {
    let wait = if options.no_wait { Wait::No } else { Wait::Yes };
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
            super::clean::tell(&cleared);
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
fn stop_flag() -> Result<Arc<AtomicBool>> {
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

fn farewell(comparison: &Comparison) {
    let run = comparison.run;
    if comparison.status == Status::Interrupted {
        eprintln!("interrupted; what was measured is kept: fsarena report {run}");
    }
    eprintln!("run {run}; as a page: fsarena report {run} --format html -o fsarena-report.html");
}

fn ended(record: &RunRecord, status: Status) -> Ended {
    let unfinished = record.trials.iter().any(|trial| trial.outcome != Outcome::Finished);
    let damaged = record.checks.iter().any(|check| !check.clean);
    let failed = record.notes.iter().any(|note| note.severity == Severity::Failure);
    match status {
        Status::Interrupted => Ended::Interrupted,
        Status::Complete if unfinished || damaged || failed => Ended::WithFailures,
        Status::Complete => Ended::Well,
    }
}
