//! `fsarena reproduce`: runs an article's tests and compares the results with the published ones.

mod published;

use anyhow::Result;

use super::compare;
use crate::agent::Order;
use crate::cli::{Global, Reproduce};
use crate::exit::Ended;
use crate::note::tell;
use crate::perform::{Place, Task, perform};
use crate::signals::stop_flag;
use crate::{places, plan};

/// Runs the article's tests and prints the reproduction.
pub fn run(global: &Global, options: &Reproduce) -> Result<Ended> {
    if options.published_only {
        return published::run(&options.article, options.shown.format.as_deref(), places::style(global));
    }
    let (plan, mut notes) = plan::of_article(options)?;
    notes.iter().for_each(|note| tell(note));
    let place = Place::of(&options.place, &plan, &mut notes)?;
    if options.dry_run {
        return compare::dry::run(&plan::fitted(plan), options.shown.format.as_deref());
    }
    let order = Order { plan, notes, wait: !options.no_wait, erase: options.erase.clone() };
    let stop = stop_flag()?;
    let Some((record, status)) = perform(global, &Task { order, place }, &stop)? else {
        return Ok(Ended::Interrupted);
    };
    compare::show(global, &record, &options.shown)?;
    Ok(compare::ended(&record, status))
}
