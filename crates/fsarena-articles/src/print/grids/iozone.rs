//! Grids in the format of IOzone 3.508 with `-R`: a row of kilobytes (of 1,024 bytes) per second for each cell, then a
//! block for each test. As in IOzone, a block has a zero for each record that was left out, and nothing for records
//! that are larger than the file.

use std::fmt::Write;

use crate::grid::GridTest;
use fsarena_model::Comparison;

use fsarena_report::{Nothing, rounds, visible};

use super::{Grid, grids};

const HEAD: &str = "\tOutput is in kBytes/sec
                                                                    random    random      bkwd     record     stride                                        
              kB  reclen    write    rewrite      read    reread      read     write      read    rewrite       read    fwrite  frewrite     fread   freread
";

/// All grids, one after the other.
pub fn render(comparison: &Comparison) -> Result<String, Nothing> {
    let grids = grids(comparison);
    if grids.is_empty() {
        return Err(nothing(comparison));
    }
    Ok(grids.iter().map(text).collect::<Vec<_>>().join("\n"))
}

/// Why a run without grids has nothing to show, and a hint.
pub fn nothing(comparison: &Comparison) -> Nothing {
    Nothing {
        why: format!(
            "run {} has no grid of file and record sizes, so there is nothing to show in this format",
            comparison.run.number
        ),
        hint: "csv and json have all figures; `fsarena compare ext4 xfs --suite vagrant` measures two grids".to_owned(),
    }
}

fn text(grid: &Grid<'_>) -> String {
    let rounds = rounds(grid.rounds);
    let rows: String = grid.cells().into_iter().map(|(file, record)| row(grid, file, record)).collect();
    let blocks: String = grid.tests().into_iter().map(|test| block(grid, test)).collect();
    format!(
        "{}: {}, medians of {rounds}\n\n{HEAD}{rows}\niozone test complete.\nExcel output is below:\n{blocks}",
        visible(grid.workload),
        visible(grid.contender)
    )
}

fn row(grid: &Grid<'_>, file: u64, record: u64) -> String {
    let mut line = format!("{file:16}{record:8}");
    for test in GridTest::all() {
        let width = if matches!(test, GridTest::RecordRewrite | GridTest::StrideRead) { 11 } else { 10 };
        let rate = grid.rate(file, record, test).map(whole).unwrap_or_default();
        write!(line, "{rate:>width$}").expect("a string takes everything");
    }
    line + "\n"
}

fn block(grid: &Grid<'_>, test: GridTest) -> String {
    let columns = grid.columns();
    let head: String = columns.iter().map(|record| format!("  \"{record}\"")).collect();
    let row = |file: u64| {
        let records = columns.iter().filter(|record| **record <= file);
        let figures = records.map(|record| grid.rate(file, *record, test).map_or("0".to_owned(), whole));
        format!("\"{file}\"  {}\n", figures.map(|figure| format!(" {figure} ")).collect::<String>())
    };
    format!("\n\"{}\"\n      {head}\n{}", test.title(), grid.files().into_iter().map(row).collect::<String>())
}

/// Truncates, does not round.
fn whole(rate: f64) -> String {
    (rate as u64).to_string()
}
