//! Grids: tables of throughput, from cells whose steps are points of a grid (`64/4/write`).

mod heat;
pub mod iozone;
pub mod page;
pub mod xlsx;

use std::collections::{BTreeMap, BTreeSet};

use fsarena_model::comparison::Cell;
use fsarena_model::{Comparison, StepRow};

use crate::grid::{GridPoint, GridTest};

/// The record sizes of IOzone's automatic mode, KiB.
const AUTOMATIC: std::ops::RangeInclusive<u64> = 4..=16_384;

/// A contender's grid in one workload, over all rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid<'a> {
    pub workload: &'a str,
    pub contender: &'a str,
    /// Number of rounds with values.
    pub rounds: u32,
    /// KiB per second, from the median time over rounds.
    rates: BTreeMap<GridPoint, f64>,
}

/// All grids, by workload, then contender.
pub fn grids(comparison: &Comparison) -> Vec<Grid<'_>> {
    comparison.cells.iter().filter_map(grid).collect()
}

/// The cell's grid; `None` if its steps are no points of a grid.
fn grid(cell: &Cell) -> Option<Grid<'_>> {
    let rate = |step: &StepRow| Some((GridPoint::of_step(&step.name)?, step.bytes as f64 / 1024.0 / step.seconds));
    let rates: BTreeMap<GridPoint, f64> = cell.steps.iter().map(rate).collect::<Option<_>>()?;
    let rounds = cell.steps.iter().map(|step| step.rounds).max()?;
    Some(Grid { workload: &cell.workload, contender: &cell.contender.0, rounds, rates })
}

impl Grid<'_> {
    /// KiB per second at a point; `None` if it was not measured.
    pub fn rate(&self, file_kib: u64, record_kib: u64, test: GridTest) -> Option<f64> {
        self.rates.get(&GridPoint { file_kib, record_kib, test }).copied().filter(|rate| rate.is_finite())
    }

    /// The sizes of file and records that were measured together, KiB.
    pub fn cells(&self) -> Vec<(u64, u64)> {
        self.set(|point| (point.file_kib, point.record_kib))
    }

    /// The tests in the grid, in their order.
    pub fn tests(&self) -> Vec<GridTest> {
        self.set(|point| point.test)
    }

    /// The file sizes, KiB.
    pub fn files(&self) -> Vec<u64> {
        self.set(|point| point.file_kib)
    }

    /// The record sizes, KiB.
    pub fn records(&self) -> Vec<u64> {
        self.set(|point| point.record_kib)
    }

    /// The record sizes of IOzone's columns, KiB. A grid of the automatic mode has all record sizes of this mode,
    /// including those that are larger than the files.
    pub fn columns(&self) -> Vec<u64> {
        let automatic: Vec<u64> = std::iter::successors(Some(*AUTOMATIC.start()), |record| Some(record * 2))
            .take_while(|record| AUTOMATIC.contains(record))
            .collect();
        let measured = self.records();
        let is_automatic = measured.len() > 1 && measured.iter().all(|record| automatic.contains(record));
        if is_automatic { automatic } else { measured }
    }

    fn set<T: Ord>(&self, of: impl Fn(&GridPoint) -> T) -> Vec<T> {
        self.rates.keys().map(of).collect::<BTreeSet<T>>().into_iter().collect()
    }
}

/// A size in KiB in few characters: `64K`, `32M`.
pub fn short(kib: u64) -> String {
    match kib {
        _ if kib.is_multiple_of(1 << 20) => format!("{}G", kib >> 20),
        _ if kib.is_multiple_of(1 << 10) => format!("{}M", kib >> 10),
        _ => format!("{kib}K"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        assert_eq!([4, 64, 1024, 16_384, 2 << 20, 1536].map(short), ["4K", "64K", "1M", "16M", "2G", "1536K"]);
    }
}
