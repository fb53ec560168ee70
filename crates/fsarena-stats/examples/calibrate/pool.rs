//! Plays all cells on all cores; the outcome does not depend on how many there are.

use std::error::Error;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use fsarena_stats::simulate::{Cell, Section, Tally, simulate};
use fsarena_stats::{Rule, StatsError};

/// Runs that a thread takes at a time.
const SHIFT: u32 = 50;

/// A part of the runs of one cell.
struct Shift {
    cell: usize,
    first: u32,
    last: u32,
}

/// The tally of each cell.
pub fn play(cells: &[Cell], scale: f64, seed: u64) -> Result<Vec<Tally>, Box<dyn Error>> {
    let shifts = shifts(cells, scale);
    let next = AtomicUsize::new(0);
    let tallies = Mutex::new(vec![Tally::default(); cells.len()]);
    let work = || -> Result<(), StatsError> {
        while let Some(shift) = shifts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let cell = &cells[shift.cell];
            let runs = shift.first..shift.last;
            let tally = simulate(&Rule::default(), &cell.scenario, cell.method, runs, seed)?;
            tallies.lock().expect("no thread panics while it adds")[shift.cell].add(&tally);
        }
        Ok(())
    };
    let threads = thread::available_parallelism()?.get();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no thread panics"))
    })?;
    Ok(tallies.into_inner()?)
}

fn shifts(cells: &[Cell], scale: f64) -> Vec<Shift> {
    let of_cell = |(index, cell): (usize, &Cell)| {
        let runs = (f64::from(runs(cell)) * scale).ceil() as u32;
        let shift = move |first| Shift { cell: index, first, last: runs.min(first + SHIFT) };
        (0..runs).step_by(SHIFT as usize).map(shift)
    };
    cells.iter().enumerate().flat_map(of_cell).collect()
}

/// Many runs where one error per run is counted, fewer where every pair counts.
fn runs(cell: &Cell) -> u32 {
    let is_small = cell.scenario.workloads == 1;
    match cell.section {
        Section::NoDifference if is_small => 8000,
        Section::NoDifference => 4000,
        Section::AtTheMargin | Section::Power if is_small => 3000,
        Section::AtTheMargin | Section::Power => 1000,
        Section::Field | Section::Broken => 1000,
    }
}
