//! `fsarena reproduce`: an article's tests.

mod published;

use anyhow::Result;

use crate::cli::{Global, Reproduce};
use crate::exit::Ended;
use crate::places;

/// Prints what the article published: the one thing that can be asked for so far.
pub fn run(global: &Global, options: &Reproduce) -> Result<Ended> {
    published::run(&options.name, &options.format, places::style(global))
}
