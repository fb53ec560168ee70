//! Prints how often the decision rule is wrong and how soon it is right, one line per cell, each beside its goal:
//! `cargo run --release --example calibrate [scale] [seed] [words of a cell's name or table …]`.
//!
//! `scale` multiplies the number of runs per cell; 1 takes some minutes on two cores. The figures depend on scale and
//! seed only, not on the number of threads.

mod pool;
mod table;

use std::error::Error;

use fsarena_stats::simulate::{Cell, cells};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let scale: f64 = arguments.next().map_or(Ok(1.0), |text| text.parse())?;
    let seed = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let wanted: Vec<String> = arguments.collect();
    let is_wanted = |cell: &Cell| wanted.iter().all(|word| table::heading(cell).contains(word.as_str()));
    let cells: Vec<Cell> = cells().into_iter().filter(is_wanted).collect();
    let tallies = pool::play(&cells, scale, seed)?;
    table::print(&cells, &tallies, seed);
    Ok(())
}
