//! Executes a plan, or the rest of one: locks the machine, makes the lanes, runs, removes everything, and stores the
//! events.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use fsarena_analyse::assess;
use fsarena_execute::{Listener, Machine, Remaining, Resumption, RunError, Wish};
use fsarena_guest::Wanted;
use fsarena_lane::disk::{self, Consent};
use fsarena_lane::loops;
use fsarena_lane::{Arena, Go, Wait};
use fsarena_model::event::Note;
use fsarena_model::{Event, Plan, RunRecord, Severity, Status};
use fsarena_store::Store;
use fsarena_sys::{MonotonicClock, clock, namespace};

use crate::agent::{self, End, Order, Request, StoredRun};
use crate::cli::Global;
use crate::engines::ENGINES;
use crate::exit::Refusal;
use crate::guest::{self, InGuest};
use crate::held::{Held, take_machine};
use crate::listen::Recorder;
use crate::note::{note, tell};
use crate::progress::Progress;
use crate::session::Session;
use crate::{calls, cli, clients, deploy, places, plan, session};

/// A plan to execute.
pub struct Task {
    /// What to do.
    pub order: Order,
    /// Where it is done.
    pub place: Place,
}

/// Where a plan is executed.
pub enum Place {
    /// On this machine.
    Here,
    /// By the agent that this command starts.
    Agent(String),
    /// In a guest.
    Guest(InGuest),
    /// On the clients of the plan.
    Clients,
}

impl Place {
    /// The place that the arguments name; a guest if this kernel lacks a file system of the plan. Adds a note to
    /// `notes` that says so.
    ///
    /// # Errors
    /// If the plan has a directory of this machine, which a guest does not have.
    pub fn of(arguments: &cli::Place, plan: &Plan, notes: &mut Vec<String>) -> Result<Self> {
        let own_disk = plan.contenders.iter().find(|contender| contender.disk.is_some());
        if let Some(contender) = own_disk.filter(|_| !arguments.on.is_empty() || arguments.simulated().is_some()) {
            let text = format!("`{}` has a virtual disk of its own, in a guest of this machine", contender.label);
            return Err(Refusal::wrong_use(text, "leave out --on, --guest-disk and --guest deterministic").into());
        }
        if plan.clients.is_some() {
            return Ok(Self::Clients);
        }
        // The others of several have a task each (`machines`).
        if let Some(command) = arguments.on.first() {
            return Ok(Self::Agent(command.clone()));
        }
        if !arguments.is_guest(&plan.contenders) {
            return Ok(Self::Here);
        }
        if let Some(contender) = own_disk.filter(|one| plan.contenders.iter().any(|other| other.kernel != one.kernel)) {
            let text = format!("`{}` has a virtual disk of its own, for which there is one guest", contender.label);
            return Err(Refusal::wrong_use(text, "name the same kernel for all contenders: --guest-kernel").into());
        }
        let lacking = cli::Place::only_in_guest(&plan.contenders).join(" and ");
        if arguments.guest.is_none() && !lacking.is_empty() {
            let text = format!("this machine cannot mount {lacking}: all contenders run in a guest");
            tell(&text);
            notes.push(text);
        }
        if let Some(contender) = plan.contenders.iter().find(|contender| contender.is_directory()) {
            let text = format!("`{}` is a directory of this machine, which a guest does not have", contender.label);
            return Err(Refusal::wrong_use(text, "compare directories in a run of their own").into());
        }
        let wanted = Wanted {
            kernel: arguments.guest_kernel.clone(),
            accelerator: arguments.guest.and_then(cli::How::accelerator),
            memory: arguments.guest_memory,
            packages: guest::packages(plan),
        };
        Ok(Self::Guest(InGuest { wanted, simulated: arguments.simulated() }))
    }
}

/// Executes a task and returns its record; `None` if it was stopped before anything was measured.
pub fn perform(global: &Global, task: &Task, stop: &AtomicBool) -> Result<Option<(RunRecord, Status)>> {
    if matches!(task.place, Place::Here) {
        plan::require_machine(&task.order.plan)?;
    }
    let mut store = places::store(global)?;
    let mut recorder = Recorder { store: &mut store, run: None, known: None, progress: Progress::new(global) };
    let ended = match &task.place {
        Place::Here => here(&task.order, stop, &mut recorder),
        Place::Agent(command) => deploy::ready(command, stop).and_then(|command| {
            agent::elsewhere(&command, &Request::Compare(Box::new(task.order.clone())), stop, &mut recorder)
        }),
        Place::Guest(guest) => guest::run(guest, &task.order, stop, &mut recorder),
        Place::Clients => {
            let Order { plan, wait, .. } = &task.order;
            clients::run(Session::of_order(&task.order), plan, *wait, stop, &mut recorder)
        }
    };
    recorder.progress.end();
    let Some(run) = recorder.run else { return ended.map(|_| None) };
    let end = ended.inspect_err(|error| {
        note_failure(&mut store, run, error);
        let _ = store.remove_if_empty(run);
    })?;
    let record = store.load(run)?;
    if record.status == Status::Interrupted && record.trials.is_empty() {
        store.remove_if_empty(run)?;
        note!("interrupted before anything was measured: nothing is kept");
        return Ok(None);
    }
    Ok(Some((record, end.status())))
}

/// Executes an order on this machine.
pub fn here(order: &Order, stop: &AtomicBool, listener: &mut dyn Listener) -> Result<End> {
    enter_namespace(&order.plan)?;
    let Some(held) = take_machine(None, patience(order.wait), stop)? else { return Ok(End::Stopped) };
    // Checked only after the lock is taken: another run may have filled the storage, or held the disk.
    let plan = plan::fitted(order.plan.clone());
    plan::require_space(&plan)?;
    let held = Held { disks: disk::hold(&plan, &Consent(order.erase.clone()))?, ..held };
    let started = clock::now();
    session::begin(&plan, order.notes.iter().cloned(), listener)?;
    let status = on_machine(&plan, held, stop, listener, |machine, listener| {
        fsarena_execute::run(&plan, machine, &MonotonicClock, started, stop, listener)
    })?;
    Ok(status.into())
}

/// Prepares this machine for an order's plan, and answers the calls on stdin until it ends.
///
/// As a client of the run `session`, it shares the machine with other clients of that run.
pub fn answer_calls(
    order: &Order,
    session: Option<&str>,
    stop: &AtomicBool,
    listener: &mut dyn Listener,
) -> Result<End> {
    let plan = &order.plan;
    let Some(held) = take_machine_for(plan, session, order.wait, stop)? else { return Ok(End::Stopped) };
    plan::require_space(plan)?;
    let held = Held { disks: disk::hold(plan, &Consent(order.erase.clone()))?, ..held };
    let status = on_machine(plan, held, stop, listener, |machine, _| {
        calls::serve(machine, |line| agent::write(&line)).map_err(|error| RunError::Listener(error.to_string()))?;
        Ok(Status::Complete)
    })?;
    Ok(status.into())
}

/// A run that was to continue.
pub struct Resumed {
    /// The record before.
    pub before: RunRecord,
    /// The record after.
    pub after: RunRecord,
    /// How it ended.
    pub end: End,
}

/// A stored run to continue.
pub struct Continuation {
    /// The run's number.
    pub run: i64,
    /// How far to continue.
    pub wish: Wish,
    /// Whether to wait while another run uses the machine.
    pub wait: bool,
    /// The IDs of disks whose content may be overwritten.
    pub erase: Vec<String>,
    /// The command that starts an agent on the machine of the run; `None`: it is this machine.
    pub on: Option<String>,
}

/// Continues a stored run. A run that cannot continue stays unchanged.
pub fn resume(global: &Global, continuation: Continuation, stop: &AtomicBool) -> Result<Resumed> {
    let Continuation { run, wish, wait, erase, on } = continuation;
    let mut store = places::existing_store(global)?;
    let plan = store.load(run)?.plan;
    let is_here = plan.guest.is_none() && plan.clients.is_none();
    let held = match &on {
        None if is_here => take_machine_for(&plan, None, wait, stop)?,
        _ => None,
    };
    // Loaded after the lock is taken: another process may have continued the run in the meantime.
    let (events, before) = (store.events(run)?, store.load(run)?);
    let (known, progress) = (Some(events.len()), Progress::new(global));
    let mut recorder = Recorder { store: &mut store, run: Some(run), known, progress };
    let ended = match (on, held) {
        (Some(command), _) => {
            let request = Request::Resume(StoredRun { run, events, wish, wait, erase });
            let command = deploy::ready(&command, stop)?;
            agent::elsewhere(&command, &request, stop, &mut recorder)
        }
        (None, None) if plan.clients.is_some() => Session::of_stored(StoredRun { run, events, wish, wait, erase })
            .and_then(|session| match session {
                Some(session) => clients::run(session, &plan, wait, stop, &mut recorder),
                None => Ok(End::Nothing),
            }),
        (None, None) if plan.guest.is_some() => {
            let stored = StoredRun { run, events, wish, wait, erase };
            guest::resume(stored, &plan, stop, &mut recorder)
        }
        (None, Some(held)) => go_on(before.clone(), wish, &Consent(erase), held, stop, &mut recorder),
        (None, None) => Ok(End::Stopped),
    };
    recorder.progress.end();
    let has_begun = recorder.known.is_none();
    let end = ended.inspect_err(|error| {
        if has_begun {
            note_failure(&mut store, run, error)
        }
    })?;
    Ok(Resumed { after: store.load(run)?, before, end })
}

/// Continues on this machine a run that another fsarena has stored.
pub fn resume_here(stored: StoredRun, stop: &AtomicBool, listener: &mut dyn Listener) -> Result<End> {
    let StoredRun { run, events, wish, wait, erase } = stored;
    let record = session::record(run, events)?;
    let Some(held) = take_machine_for(&record.plan, None, wait, stop)? else { return Ok(End::Stopped) };
    go_on(record, wish, &Consent(erase), held, stop, listener)
}

/// Checks a plan, enters the mount namespace that it needs, and locks the machine for it; `None` if the run is stopped
/// while it waits. Processes of the same `session` may share the machine.
fn take_machine_for(plan: &Plan, session: Option<&str>, wait: bool, stop: &AtomicBool) -> Result<Option<Held>> {
    plan::require_sound(plan)?;
    plan::require_machine(plan)?;
    enter_namespace(plan)?;
    take_machine(session, patience(wait), stop)
}

fn patience(wait: bool) -> Wait {
    if wait { Wait::Yes } else { Wait::No }
}

/// Like [`here`], for a stored run.
fn go_on(
    record: RunRecord,
    wish: Wish,
    consent: &Consent,
    held: Held,
    stop: &AtomicBool,
    listener: &mut dyn Listener,
) -> Result<End> {
    let Some(rest) = Remaining::of(&record, wish)? else {
        if wish == Wish::Usual && record.status == Status::Interrupted {
            listener.hear(&Event::Finished(Status::Complete)).map_err(RunError::Listener)?;
        }
        return Ok(End::Nothing);
    };
    plan::require_space(&record.plan)?;
    let held = Held { disks: disk::hold(&record.plan, consent)?, ..held };
    let started = clock::now();
    let resumption = Resumption { record: record.clone(), rest, at: clock::utc() };
    let status = on_machine(&record.plan, held, stop, listener, |machine, listener| {
        fsarena_execute::resume(resumption, machine, &MonotonicClock, started, stop, listener)
    });
    Ok(status.map_err(|error| with_way_out(error, &record))?.into())
}

/// Adds to the refusal of a changed machine the command that starts a new run.
fn with_way_out(error: anyhow::Error, record: &RunRecord) -> anyhow::Error {
    if !matches!(error.downcast_ref(), Some(RunError::Unlike(_))) {
        return error;
    }
    let command: Vec<String> = assess(record).run.command.iter().map(|word| fsarena_report::shell(word)).collect();
    let hint = format!("start a new one: {}", command.join(" "));
    Refusal::machine(format!("run {} cannot go on: {error}", record.run), hint).into()
}

fn note_failure(store: &mut Store, run: i64, error: &anyhow::Error) {
    let text = format!("the run failed: {error}");
    let _ = store.append(run, &Event::Note(Note { severity: Severity::Failure, text }));
}

/// Makes the lanes of `plan`, calls `session` with them, and removes everything.
fn on_machine(
    plan: &Plan,
    held: Held,
    stop: &AtomicBool,
    listener: &mut dyn Listener,
    session: impl FnOnce(&mut Machine, &mut dyn Listener) -> Result<Status, RunError>,
) -> Result<Status> {
    let mut telling = |what: &str| {
        // If it cannot be stored, neither can the next event, and the run ends.
        let _ = listener.hear(&Event::Preparing(what.to_owned()));
        if stop.load(Ordering::Relaxed) { Go::Stop } else { Go::On }
    };
    let Held { mut ledger, disks, machine: _machine } = held;
    fsarena_engine::scratch::set_root(ledger.make_scratch()?).context("name the scratch directory")?;
    fsarena_engine::scratch::set_inputs(ledger.make_inputs()?);
    let arena = Arena::open_on(disks, plan.clone(), ledger, &mut telling)?;
    let mut machine = Machine::new(plan.clone(), arena, ENGINES);
    machine.precondition(&mut telling)?;
    let status = session(&mut machine, listener);
    let _ = listener.hear(&Event::Preparing("taking everything away".to_owned()));
    let closed = machine.close();
    let status = status?;
    if let Err(left) = closed {
        // The measurements stay valid; the leftover is reported with them.
        let note = Note { severity: Severity::Failure, text: format!("{left}; `fsarena clean` tries it again") };
        listener.hear(&Event::Note(note)).map_err(RunError::Listener)?;
    }
    Ok(status)
}

/// Enters a private mount namespace if a kind needs mounts. Those kinds need root, who may create a namespace.
fn enter_namespace(plan: &Plan) -> Result<()> {
    if plan.contenders.iter().all(|contender| contender.is_directory()) {
        return Ok(());
    }
    namespace::enter_private_mounts().map_err(|errno| {
        let text = format!("a mount namespace of its own: {errno}");
        Refusal::machine(text, "a container has to allow it (CAP_SYS_ADMIN), or compare directories: dir:/a dir:/b")
    })?;
    Ok(loops::show()?)
}
