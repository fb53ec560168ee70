//! The same comparison on several machines at the same time: a run of each, and one report on all of them.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Error, Result};
use clap::ValueEnum;
use fsarena_analyse::NamedRun;
use fsarena_execute::Assignment;
use fsarena_model::across::MissingMachine;
use fsarena_model::event::Note;
use fsarena_model::{RunRecord, Severity};
use fsarena_place::{End, Place, Refusal, note, words};

use super::{ended, show};
use crate::cli::{Global, PageArguments, PageFormat, ShownAs};
use crate::commands::across;
use crate::exit::Ended;
use crate::formats;
use crate::perform::perform;
use crate::signals::stop_flag;

/// How a run on a machine ended: its record, or why there is none.
type MachineOutcome = Result<(RunRecord, End), Error>;

/// Makes the runs and prints the report. A machine without a result does not stop the others.
pub fn run(global: &Global, assignment: &Assignment, commands: &[String], shown: &ShownAs) -> Result<Ended> {
    let page = page(shown)?;
    note!("on {} machines at the same time, each with a run of its own", commands.len());
    let stop = stop_flag()?;
    let (mut missing, mut found, mut first_error) = (Vec::new(), Vec::new(), None);
    for (command, outcome) in commands.iter().zip(on_machines(global, assignment, commands, &stop)) {
        match outcome {
            Ok(run) => found.push(run),
            Err(error) => {
                missing.push(MissingMachine { name: command.clone(), why: words(&error) });
                first_error = first_error.or(Some(error));
            }
        }
    }
    let is_missing = (!missing.is_empty()).then_some(Ended::WithFailures);
    let worst = found.iter().map(|(record, end)| ended(record, *end)).chain(is_missing).max();
    match (found.as_slice(), first_error) {
        ([], _) if stop.load(Ordering::Relaxed) => return Ok(Ended::Interrupted),
        ([], Some(error)) => return Err(error),
        ([(record, _)], _) => show(global, &without(record.clone(), &missing), shown)?,
        _ => {
            let named = |(record, _): (RunRecord, End)| vec![NamedRun { name: format!("run {}", record.run), record }];
            across::show(global, &page, &found.into_iter().map(named).collect::<Vec<_>>(), missing)?
        }
    }
    Ok(worst.unwrap_or(Ended::Well))
}

/// Makes the run of each machine.
fn on_machines(
    global: &Global,
    assignment: &Assignment,
    commands: &[String],
    stop: &AtomicBool,
) -> Vec<MachineOutcome> {
    // Several progress lines would overwrite each other.
    let quiet = Global { no_progress: true, ..global.clone() };
    let on = |command: &String| on_machine(&quiet, assignment.clone(), command, stop);
    thread::scope(|scope| {
        let started: Vec<_> = commands.iter().map(|command| scope.spawn(|| on(command))).collect();
        started.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// Runs the comparison on one machine, and says how it ended.
fn on_machine(global: &Global, assignment: Assignment, command: &str, stop: &AtomicBool) -> MachineOutcome {
    let place = Place::Agent(command.to_owned());
    let stopped = || Refusal::trial("stopped before anything was measured", "start it again").into();
    let outcome = perform(global, assignment, &place, stop).and_then(|run| run.ok_or_else(stopped));
    match &outcome {
        Ok((record, End::Complete)) => note!("`{command}`: run {} is complete", record.run),
        Ok((record, _)) => note!("`{command}`: run {} is interrupted", record.run),
        Err(error) => note!("`{command}`: no complete result: {}", words(error)),
    }
    outcome
}

/// The record with a note on each machine that has no complete result.
fn without(mut record: RunRecord, missing: &[MissingMachine]) -> RunRecord {
    let note = |machine: &MissingMachine| Note {
        severity: Severity::Failure,
        text: format!("not in this report: `{}` ({})", machine.name, machine.why),
    };
    record.notes.extend(missing.iter().map(note));
    record
}

/// What is printed at the end.
///
/// # Errors
/// If the format is one of single runs.
fn page(shown: &ShownAs) -> Result<PageArguments> {
    let usual = if shown.output.is_some() { "html" } else { "text" };
    let name = formats::chosen(shown.format.as_deref(), shown.output.as_deref(), usual)?.name;
    let refusal = |_| {
        let text = format!("`{name}` is a format of one run, and there is a run of each machine");
        Refusal::wrong_use(text, "--format text, markdown, html or json; later: fsarena report RUN")
    };
    let format = match name {
        "summary" => PageFormat::Text,
        _ => PageFormat::from_str(name, false).map_err(refusal)?,
    };
    Ok(PageArguments { format: Some(format), output: shown.output.clone() })
}
