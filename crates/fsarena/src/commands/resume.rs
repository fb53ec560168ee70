//! `fsarena resume`: further rounds of a stored run.

use anyhow::Result;
use clap::Args;
use fsarena_execute::{Assignment, Remaining, Wish};
use fsarena_model::{Nanos, RunRecord, Status};
use fsarena_place::{End, Place, note};

use super::compare::{ended, show};
use super::{report, sides};
use crate::cli::{Global, ShownAs, candidates};
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
    let wish = match (options.rounds, options.budget) {
        (Some(count), _) => Wish::Rounds(count),
        (None, Some(time)) => Wish::Within(time),
        (None, None) => Wish::Usual,
    };
    let place = Place::of_stored(&record.plan, options.on.clone());
    // An interrupted run may still be in progress. That is known only after the machine's lock is taken.
    if Remaining::of(record.clone(), wish)?.is_none() && record.status == Status::Complete {
        return nothing();
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
