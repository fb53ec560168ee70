//! Grids on the page: charts of throughput over record size for four tests, as in articles about shared folders, and a
//! heat map for each test.

use std::collections::{BTreeMap, BTreeSet};

use crate::grid::GridTest;
use fsarena_model::Comparison;
use fsarena_model::comparison::WorkloadRow;
use fsarena_report::report::{Arrangement, Content, Drawing, Drawings, Paragraph, Role, Section, Sentence};

use super::heat::{self, HeatField};
use super::{Grid, grid, short};
use crate::print::lines::{self, PlottedLine};

/// File size of the charts about small files, KiB.
const SMALL: u64 = 64;
/// File size of the charts about large files, KiB. If it was not measured, the next smaller size is used.
const LARGE: u64 = 65_536;

/// The explanation of the maps.
const MEANING: &str = "A place is filled the more the nearer it is to the best; where nothing is drawn, nothing was \
    measured: a record is never larger than its file, and large files are not done in small records. All figures:";

/// The drawings of each workload whose cells are grids, by the workload's name.
pub fn of_workloads(comparison: &Comparison) -> BTreeMap<String, Vec<Content>> {
    let of = |(number, row): (usize, &WorkloadRow)| {
        let drawings = drawings(comparison, &row.name, &format!("workload-{number}-test"));
        (!drawings.is_empty()).then(|| (row.name.to_string(), drawings))
    };
    (1..).zip(&comparison.workloads).filter_map(of).collect()
}

/// The drawings of a workload; empty if its cells are no grids. `choice` is unique on the page.
fn drawings(comparison: &Comparison, workload: &str, choice: &str) -> Vec<Content> {
    let cells = comparison.contenders.iter().filter_map(|row| comparison.cell(workload, &row.label));
    let grids: Vec<Grid<'_>> = cells.filter(|cell| cell.is_plausible()).filter_map(grid).collect();
    let files = union(grids.iter().map(Grid::files));
    let Some(first) = files.first().copied() else { return Vec::new() };
    let small = if files.contains(&SMALL) { SMALL } else { first };
    let large = files.iter().copied().rfind(|file| *file <= LARGE).unwrap_or(first);
    let charts = [
        (small, GridTest::Read),
        (large, GridTest::RandomRead),
        (small, GridTest::Write),
        (large, GridTest::RandomWrite),
    ];
    let nearest = format!("The article's large file has 64M; the nearest to it here has {}.", short(large));
    let maps = GridTest::all().filter_map(|test| map(&grids, test));
    let command = format!("fsarena report {} --format xlsx -o grids.xlsx", comparison.run.number);
    let whole = Section::titled("The whole grid, test by test")
        .with(Drawings::new(Arrangement::Choice(choice.to_owned()), maps))
        .with(Paragraph::legend(Sentence::from(MEANING).and(Role::Code, command)));
    vec![
        Drawings::new(Arrangement::Grid, charts.into_iter().filter_map(|(file, test)| chart(&grids, file, test)))
            .into(),
        Paragraph::legend(if large == LARGE { String::new() } else { nearest }).into(),
        whole.into(),
    ]
}

/// All sizes in the grids, in ascending order.
fn union(sizes: impl Iterator<Item = Vec<u64>>) -> Vec<u64> {
    sizes.flatten().collect::<BTreeSet<_>>().into_iter().collect()
}

fn chart(grids: &[Grid<'_>], file: u64, test: GridTest) -> Option<Drawing> {
    let line = |grid: &Grid<'_>| {
        let point = |record: u64| Some((record as f64, grid.rate(file, record, test)?));
        PlottedLine { name: grid.contender.to_owned(), points: grid.records().into_iter().filter_map(point).collect() }
    };
    let title = format!("{}, file of {}", words(test), short(file));
    let svg = lines::over_records(&grids.iter().map(line).collect::<Vec<_>>(), &title)?;
    Some(Drawing { caption: title, svg })
}

fn words(test: GridTest) -> &'static str {
    match test {
        GridTest::Read => "Sequential read",
        GridTest::Write => "Sequential write",
        GridTest::RandomRead => "Random read",
        GridTest::RandomWrite => "Random write",
        _ => test.title(),
    }
}

/// With several contenders, a rate is compared with the best contender's at the same sizes. With one contender, it is
/// compared with the contender's own best rate.
fn map(grids: &[Grid<'_>], test: GridTest) -> Option<Drawing> {
    let (files, records) = (union(grids.iter().map(Grid::files)), union(grids.iter().map(Grid::records)));
    let best_at = |file, record| grids.iter().filter_map(|grid| grid.rate(file, record, test)).reduce(f64::max);
    let all = files.iter().flat_map(|file| records.iter().filter_map(|record| best_at(*file, *record)));
    let best = all.reduce(f64::max)?;
    let is_alone = grids.len() == 1;
    let share = |grid: &Grid<'_>, file, record| {
        let of = if is_alone { best } else { best_at(file, record)? };
        Some(grid.rate(file, record, test)? / of)
    };
    let field = |grid: &Grid<'_>| {
        let row = |file: &u64| records.iter().map(|record| share(grid, *file, *record)).collect();
        HeatField { contender: grid.contender.to_owned(), shares: files.iter().map(row).collect() }
    };
    let fields: Vec<HeatField> = grids.iter().map(field).collect();
    let measure = if is_alone {
        "share of the highest throughput in this test"
    } else {
        "share of the best contender's throughput"
    };
    let title = test.name().to_owned();
    let words = format!("{measure}; files ↓, records →");
    let label = format!("{title}: {measure} by size of files (down) and of records (across)");
    Some(Drawing { svg: heat::draw(&fields, &files, &records, &words, &label), caption: title })
}
