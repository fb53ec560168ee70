//! `fsarena reproduce`: runs an article's tests and compares the results with the published ones.

mod published;

use anyhow::Result;

use super::compare;
use crate::cli::{Global, Reproduce};
use crate::exit::Ended;
use crate::{places, plan};

/// Runs the article's tests and prints the reproduction.
pub fn run(global: &Global, options: &Reproduce) -> Result<Ended> {
    if options.published_only {
        return published::run(&options.article, options.setup.shown.format.as_deref(), places::style(global));
    }
    compare::carry_out(global, plan::of_article(options)?, &options.setup)
}
