//! `fsarena resume`: further rounds of a stored run.

use std::fmt::Write;

use anyhow::{Result, bail};
use clap::Args;
use fsarena_execute::{Assignment, Remaining, Wish, estimated_setup};
use fsarena_lane::made_lanes;
use fsarena_model::{Budget, Nanos, RunRecord, Status};
use fsarena_place::{End, Place, Refusal, note};
use fsarena_report::visible;
use serde_json::{Value, json};

use super::compare::{dry, ended, show};
use super::{data_format, print, print_json, report, sides};
use crate::cli::{DataFormat, Global, ShownAs, candidates};
use crate::exit::Ended;
use crate::perform::perform;
use crate::places;
use crate::signals::stop_flag;

#[derive(Debug, Args)]
pub struct Resume {
    /// The run's number, or `last`
    #[arg(value_name = "RUN", default_value = "last", add = candidates::runs())]
    pub run: String,
    /// At most this number of further rounds of what is undecided [default: what an interrupted run lacks, or what the
    /// undecided pairs ask for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with = "budget")]
    pub rounds: Option<u32>,
    /// As many further rounds as fit into this time, as in 90s, 3m, 1h
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Nanos>,
    /// Overwrite the data on a disk of the run, by its ID from `fsarena doctor`; can be repeated
    #[arg(long, value_name = "ID")]
    pub erase: Vec<String>,
    #[command(flatten)]
    pub shown: ShownAs,
    /// Print what would be done, its duration and the space it needs, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Continue on the machine where an agent ran it: the command that starts the agent there
    #[arg(long, value_name = "COMMAND")]
    pub on: Option<String>,
    /// Do not wait for another run to end
    #[arg(long)]
    pub no_wait: bool,
}

pub fn run(global: &Global, options: &Resume) -> Result<Ended> {
    let store = places::store_to_read(global)?;
    let record = store.load(report::number(&store, &options.run)?)?;
    if record.status == Status::Complete {
        sides::refuse_smoke(&format!("run {}", record.run), &record.plan)?;
    }
    if options.dry_run && store.is_running(record.run) {
        let text = format!("run {} is still being measured", record.run);
        bail!(Refusal::wrong_use(text, "without --dry-run, `resume` waits until it ends"));
    }
    let wish = match (options.rounds, options.budget) {
        (Some(count), _) => Wish::Rounds(count),
        (None, Some(time)) => Wish::Within(Budget(time)),
        (None, None) => Wish::Usual,
    };
    let place = Place::of_stored(&record.plan, options.on.clone());
    match Remaining::of(record.clone(), wish)? {
        Some(rest) if options.dry_run => {
            match data_format(options.shown.format.as_deref(), "a plan")? {
                DataFormat::Text => print(&described(&rest, &place)?)?,
                DataFormat::Json => print_json(planned(&rest, &place))?,
            }
            dry::note_unwritten(&options.shown);
            return Ok(Ended::Well);
        }
        // An interrupted run may still be in progress. That is known only after the machine's lock is taken.
        None if options.dry_run || record.status == Status::Complete => return nothing(),
        _ => {}
    }
    let (plan, before) = (record.plan.clone(), record);
    // The first event has the plan.
    let events = store.events(before.run)?.split_off(1);
    let (wait, erase) = (!options.no_wait, options.erase.clone());
    let assignment = Assignment { run: Some(before.run), plan, events, wish, wait, erase };
    drop(store);
    match perform(global, assignment, &place, &*stop_flag()?)? {
        Some((_, End::Nothing)) => nothing(),
        None | Some((_, End::Stopped)) => Ok(Ended::Interrupted),
        Some((after, end)) => {
            show(global, &after, &options.shown)?;
            Ok(ended(&since(after, &before), end))
        }
    }
}

fn nothing() -> Result<Ended> {
    note!("no pair is left that more rounds may decide; nothing to do");
    Ok(Ended::Well)
}

/// The part of a record that was added; earlier failures were reported earlier.
fn since(mut after: RunRecord, before: &RunRecord) -> RunRecord {
    after.trials.drain(..before.trials.len());
    after.checks.drain(..before.checks.len());
    after.notes.drain(..before.notes.len());
    after
}

/// What would be done, with the keys of any other plan where they mean the same.
fn planned(rest: &Remaining, place: &Place) -> Value {
    let (plan, scope) = (&rest.record.plan, rest.scope);
    let names: Vec<String> = rest.first_round().workloads.iter().map(|workload| workload.name.to_string()).collect();
    json!({
        "run": rest.record.run,
        "first_round": scope.first,
        "rounds": scope.count(),
        "budget_seconds": scope.time.map(|time| time.as_seconds()),
        "workloads": names,
        "round_seconds": rest.round_takes().as_seconds(),
        "setup_seconds": estimated_setup(plan).as_seconds(),
        "guest": dry::guest(place),
        "storage": dry::storage(plan, place),
        "lanes": made_lanes(plan),
        "lane_bytes": plan.lanes.size,
    })
}

/// What would be done.
fn described(rest: &Remaining, place: &Place) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    let (record, scope, first_round) = (&rest.record, rest.scope, rest.first_round());
    writeln!(text, "run {} from round {} on: {scope}", record.run, scope.first)?;
    dry::write_guest(&mut text, place)?;
    writeln!(text, "\nworkloads")?;
    for workload in &first_round.workloads {
        writeln!(text, "  {}", visible(&workload.name))?;
    }
    let (round, setup) = (rest.round_takes(), estimated_setup(&record.plan));
    writeln!(text, "\nduration")?;
    match scope.count() {
        Some(count) => {
            let total = Nanos(setup.0 + round.0 * u64::from(count));
            writeln!(text, "  a round takes about {round}; about {total} in all")?;
        }
        None => writeln!(text, "  a round takes about {round}, making the lanes {setup}")?,
    }
    dry::write_space(&mut text, &record.plan, &dry::storage(&record.plan, place))?;
    Ok(text)
}
