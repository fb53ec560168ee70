//! On this machine: the plan is checked, the machine is locked, the lanes are made, and everything is removed at the end.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Error, Result};
use fsarena_analyse::assess;
use fsarena_execute::{Assignment, Listener, Machine, RunError};
use fsarena_lane::disk::{self, Disk};
use fsarena_lane::loops;
use fsarena_lane::{Go, LaneSet, require, trial};
use fsarena_model::{Plan, Severity, Status};
use fsarena_sys::{MonotonicClock, clock, namespace};

use crate::checks::{fitted, require_host, require_machine, require_sound, require_space, try_options};
use crate::lock::{Locked, is_busy, take_machine};
use crate::note::{preparing, tell};
use crate::{ENGINES, End, Refusal, calls, note, tools};

/// Does an assignment on this machine.
pub fn run(assignment: Assignment, stop: &AtomicBool, listener: &mut dyn Listener) -> Result<End> {
    let Some(checked) = Checked::of(&assignment, None, stop, listener)? else { return Ok(End::Stopped) };
    let mut assignment = Assignment { plan: checked.plan.clone(), ..assignment };
    checked.notes.iter().for_each(|note| assignment.note(note.clone()));
    let Some(rest) = assignment.begin(&MonotonicClock, clock::utc(), listener)? else { return Ok(End::Nothing) };
    let ended = checked.on_lanes(stop, listener, |machine, listener| {
        fsarena_execute::run(rest, machine, &MonotonicClock, stop, listener)
    });
    ended.map_err(|error| with_way_out(error, &assignment))
}

/// Adds to the refusal of a changed machine the command that starts a new run.
fn with_way_out(error: Error, assignment: &Assignment) -> Error {
    if !matches!(error.downcast_ref(), Some(RunError::Unlike(_))) {
        return error;
    }
    let record = assignment.record();
    let hint = format!("start a new one: {}", assess(&record).run.command_line());
    Refusal::machine(format!("run {} cannot go on: {error}", record.run), hint).into()
}

/// Prepares this machine for an assignment, and answers the calls on stdin until it ends.
///
/// As a client of the run `session`, it shares the machine with other clients of that run.
pub fn answer_calls(
    assignment: &Assignment,
    session: Option<&str>,
    stop: &AtomicBool,
    listener: &mut dyn Listener,
) -> Result<End> {
    let Some(checked) = Checked::of(assignment, session, stop, listener)? else { return Ok(End::Stopped) };
    for text in &checked.notes {
        note::add(listener, Severity::Info, text.clone())?;
    }
    checked.on_lanes(stop, listener, |machine, _| {
        calls::serve(machine).map_err(|error| RunError::Listener(error.to_string()))?;
        Ok(Status::Complete)
    })
}

/// A plan that may run on this machine, which is locked for it. Lanes are made for nothing else.
struct Checked {
    plan: Plan,
    /// What was found about its options.
    notes: Vec<String>,
    locked: Locked,
    disks: Vec<Disk>,
}

impl Checked {
    /// Checks the plan of an assignment, locks the machine, enters the mount namespace that it needs, and holds the disks
    /// for it; `None` if that is stopped. Processes of the same `session` may share the machine.
    ///
    /// # Errors
    /// All reasons against the plan that are found.
    fn of(
        assignment: &Assignment,
        session: Option<&str>,
        stop: &AtomicBool,
        listener: &mut dyn Listener,
    ) -> Result<Option<Self>> {
        let plan = &assignment.plan;
        require_sound(plan)?;
        // What has to be fetched first would disturb another run.
        let has_tools = tools::prefer_cached(plan);
        if has_tools {
            require_machine(plan)?
        } else {
            require::rights(plan)?;
            require_host(plan)?
        }
        let enter = || enter_namespace(plan);
        let Some(mut locked) = take_machine(session, assignment.wait, stop, enter)? else { return Ok(None) };
        tools::prefer(plan, listener)?;
        if !has_tools {
            require_machine(plan)?;
        }
        // Checked only after the lock is taken: another run may have filled the storage, or held the disk.
        let is_new = assignment.run.is_none();
        let plan = if is_new { fitted(plan.clone()) } else { plan.clone() };
        require_space(&plan)?;
        let notes = if is_new { try_options(&plan, &mut locked.ledger)? } else { Vec::new() };
        let disks = disk::hold(&plan, &assignment.erase)?;
        Ok(Some(Self { plan, notes, locked, disks }))
    }

    /// Makes the lanes, calls `act` with them, and removes everything.
    fn on_lanes(
        self,
        stop: &AtomicBool,
        listener: &mut dyn Listener,
        act: impl FnOnce(&mut Machine, &mut dyn Listener) -> Result<Status, RunError>,
    ) -> Result<End> {
        let mut telling = |what: &str| {
            if stop.load(Ordering::Relaxed) {
                return Go::Stop;
            }
            preparing(listener)(what);
            Go::On
        };
        let Self { plan, locked: Locked { mut ledger, machine: _machine }, disks, .. } = self;
        fsarena_engine::scratch::set_root(ledger.make_scratch()?).context("name the scratch directory")?;
        fsarena_engine::scratch::set_inputs(ledger.make_inputs()?);
        let lane_set = LaneSet::open(disks, plan.clone(), ledger, &mut telling)?;
        let mut machine = Machine::new(plan, lane_set, ENGINES);
        machine.precondition(&mut telling)?;
        let status = act(&mut machine, listener);
        preparing(listener)("taking everything away");
        let closed = machine.close();
        let status = status?;
        if let Err(left) = closed {
            // The measurements stay valid; the leftover is reported with them.
            note::add(listener, Severity::Failure, format!("{left}; `fsarena clean` tries it again"))?;
        }
        Ok(status.into())
    }
}

/// Tries the options of a plan that is not carried out, unless another run uses the machine, and tells what was found.
/// Nothing of it stays.
///
/// # Errors
/// Why options are refused: all reasons that are found.
pub fn rehearse(plan: &Plan) -> Result<()> {
    if !trial::is_possible(plan) {
        return Ok(());
    }
    let taken = take_machine(None, false, &AtomicBool::new(false), || enter_namespace(plan));
    if taken.as_ref().is_err_and(is_busy) {
        note!("another run uses this machine: whether the kernel mounts these options is tried when the run begins");
        return Ok(());
    }
    let Some(Locked { mut ledger, machine: _machine }) = taken? else { return Ok(()) };
    try_options(plan, &mut ledger).map(|notes| notes.iter().for_each(|note| tell(note)))
}

/// Enters a private mount namespace if a kind needs mounts. Those kinds need root, who may create a namespace. Only once
/// the machine is locked: where / is a private mount, the namespace keeps what is unmounted elsewhere.
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
