//! `fsarena compare`: from arguments to a verdict.

mod dry;
mod machines;

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use fsarena_analyse::{FEWEST_ROUNDS, assess};
use fsarena_articles::additions;
use fsarena_execute::{Assignment, budget_for, on_one_file_system, planned_rounds};
use fsarena_lane::{lane_count, nearest_existing, shared};
use fsarena_model::{Comparison, Label, Outcome, Plan, Rounds, RunRecord, Severity, Status, Storage, Workload};
use fsarena_place::{End, Place, fitted, note, note::tell, require_storage};
use fsarena_report::rounds;
use rustix::fs::{Access, access};

use super::report;
use crate::cli::{Compare, Global, Setup, ShownAs};
use crate::exit::Ended;
use crate::perform::perform;
use crate::signals::stop_flag;
use crate::{formats, plan};

/// Number of rounds of a budget that a warning recommends.
const ENOUGH_ROUNDS: u32 = 5;

pub fn run(global: &Global, options: &Compare) -> Result<Ended> {
    carry_out(global, plan::plan(options)?, &options.setup)
}

/// Carries out a plan, which has notes for the user, and prints what follows from it.
pub fn carry_out(global: &Global, (plan, mut notes): (Plan, Vec<String>), setup: &Setup) -> Result<Ended> {
    notes.iter().for_each(|note| tell(note));
    let place = setup.place.chosen(&plan, &mut notes)?;
    warn_of_rounds(&plan);
    if matches!(place, Place::Here | Place::Guest(_)) && setup.conditions.storage.is_some() {
        note_new_folder(&plan);
    }
    if matches!(place, Place::Here) {
        for (place, on_it) in shared::by_file_system(&plan.contenders).into_iter().filter(|(_, on_it)| on_it.len() > 1)
        {
            let labels: Vec<&Label> = on_it.iter().map(|contender| &contender.label).collect();
            note!("warning: {}", on_one_file_system(&place, &labels));
        }
    }
    if setup.dry_run {
        return dry::run(global, &fitted(plan), &place, setup);
    }
    let assignment = assignment(plan, notes, setup);
    if setup.place.on.len() > 1 {
        return machines::run(global, &assignment, &setup.place.on, &setup.shown);
    }
    let stop = stop_flag()?;
    let Some((record, end)) = perform(global, assignment, &place, &stop)? else {
        return Ok(Ended::Interrupted);
    };
    let kept = |_: &anyhow::Error| note!("run {} is kept: fsarena report {}", record.run, record.run);
    show(global, &record, &setup.shown).inspect_err(kept)?;
    Ok(ended(&record, end))
}

/// Says where lanes lie whose folder does not exist: a mistyped mount point is on another file system.
fn note_new_folder(plan: &Plan) {
    if let Storage::Directory(path) = &plan.lanes.storage
        && lane_count(plan) > 0
        && !path.exists()
        && require_storage(plan).is_ok()
    {
        let (path, above) = (path.display(), nearest_existing(path));
        note!("{path} does not exist: it is made below {}, on that file system, and removed again", above.display());
    }
}

/// Warns of a run that has too few rounds for a verdict, or whose budget probably has, with one that suffices. How many
/// rounds of the user's own commands fit into a budget is not known before they have run. A reproduction has figures to
/// show without verdicts.
fn warn_of_rounds(plan: &Plan) {
    let (least, count) = (FEWEST_ROUNDS as u32, planned_rounds(plan));
    let may_decide = plan.contenders.len() > 1 && !plan.is_smoke() && plan.extension.is_none();
    if !may_decide || count >= least || (matches!(plan.rounds, Rounds::Within(_)) && has_commands(plan)) {
        return;
    }
    let Rounds::Within(budget) = plan.rounds else {
        return note!("{} as you wish: figures without verdicts, which need at least {least}", rounds(count));
    };
    let (fit, count) = (if count == 1 { "fits" } else { "fit" }, rounds(count));
    note!(
        "about {count} {fit} into the budget of {}, and a verdict needs at least {least}: this run will probably \
         decide nothing",
        budget
    );
    let minutes = budget_for(plan, ENOUGH_ROUNDS).as_seconds() / 60.0;
    note!("hint: --budget {}m has room for {}", minutes.ceil(), rounds(ENOUGH_ROUNDS));
}

/// Whether a workload is a command of the user's own.
fn has_commands(plan: &Plan) -> bool {
    let is_command = |it: &Workload| it.engine == "program" && it.parameters.get("directory").is_some();
    plan.workloads.iter().any(is_command)
}

/// Runs the comparison and returns its record; `None` if it was stopped before anything was measured.
pub fn record(global: &Global, options: &Compare, stop: &AtomicBool) -> Result<Option<(RunRecord, End)>> {
    let (plan, mut notes) = plan::plan(options)?;
    let place = options.setup.place.chosen(&plan, &mut notes)?;
    perform(global, assignment(plan, notes, &options.setup), &place, stop)
}

fn assignment(plan: Plan, notes: Vec<String>, setup: &Setup) -> Assignment {
    Assignment {
        wait: !setup.conditions.no_wait,
        erase: setup.conditions.erase.clone(),
        ..Assignment::new(plan, notes)
    }
}

/// Prints the summary of a run that has just ended, or what `shown` asks for, and the commands that continue it.
pub fn show(global: &Global, record: &RunRecord, shown: &ShownAs) -> Result<()> {
    let comparison = assess(record);
    let added = additions(record, &comparison)?;
    if let (Some(format), None) = (&shown.format, &shown.output) {
        return report::print(global, formats::named(format)?, &comparison, added);
    }
    // The summary has no added sections.
    let is_full = shown.full || !added.sections.is_empty();
    report::print(global, formats::named(if is_full { "text" } else { "summary" })?, &comparison, added)?;
    farewell(&comparison, is_full);
    let Some(path) = &shown.output else { return Ok(()) };
    let format = formats::chosen(shown.format.as_deref(), Some(path), "html")?;
    report::write_into(path, format, &comparison, additions(record, &comparison)?)
}

fn farewell(comparison: &Comparison, is_full: bool) {
    let run = comparison.run.number;
    if comparison.run.status == Status::Interrupted {
        note!("interrupted; what was measured is kept: fsarena report {run}; to go on: fsarena resume {run}");
    } else if let Some(advice) = fsarena_report::advice(comparison) {
        note!("{advice}");
    }
    let can_write = access(".", Access::WRITE_OK).is_ok();
    let page = if can_write { "-o fsarena-report.html" } else { "-o FILE.html" };
    let everything = if is_full { String::new() } else { format!("everything: fsarena report {run}; ") };
    note!("run {run}; {everything}as a page: fsarena report {run} {page}");
}

/// How a run ended, for the exit code.
pub fn ended(record: &RunRecord, end: End) -> Ended {
    let unfinished = record.trials.iter().any(|trial| trial.outcome != Outcome::Finished);
    let damaged = record.checks.iter().any(|check| !check.clean);
    let failed = record.notes.iter().any(|note| note.severity == Severity::Failure);
    match end.status() {
        Status::Interrupted | Status::Running => Ended::Interrupted,
        Status::Complete if unfinished || damaged || failed => Ended::WithFailures,
        Status::Complete => Ended::Well,
    }
}
