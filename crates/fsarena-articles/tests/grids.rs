//! Tests of grids: in IOzone's format, as a workbook that another library reads, and on the page.

use std::io::Cursor;

use calamine::{Data, Reader, Xlsx, open_workbook_from_rs};
use fsarena_articles::{GridPoint, GridTest};
use fsarena_model::comparison::Cell;
use fsarena_model::{Comparison, StepRow};
use fsarena_report::Document;

use crate::fixture::{fixture, only};
use crate::grid_fixture::grids;
use crate::{document, rendered};

fn workbook(comparison: &Comparison) -> Vec<u8> {
    match document("xlsx", comparison, None).unwrap() {
        Document::Binary(bytes) => bytes,
        Document::Text(_) => panic!("a workbook is no text"),
    }
}

/// KB/s at a point with IOzone's arithmetic: bytes divided by seconds, truncated, then converted and truncated again.
fn rate(cell: &Cell, file_kib: u64, record_kib: u64, test: GridTest) -> Option<u64> {
    let name = GridPoint { file_kib, record_kib, test }.to_string();
    let step = cell.steps.iter().find(|step| step.name == name)?;
    Some((step.bytes as f64 / step.seconds) as u64 >> 10)
}

/// What IOzone printed from this line on: `iozone -Rac -g 512 -n 64`, version 3.508.
const IOZONE: &str = include_str!("iozone-3.508.txt");

/// The grid of [`IOZONE`]: its figures are whole KiB per second.
fn printed() -> Vec<StepRow> {
    let rows = IOZONE.lines().filter_map(|line| line.split_whitespace().map(|word| word.parse().ok()).collect());
    let step = |figures: Vec<u64>| {
        let [file_kib, record_kib] = figures[..2] else { panic!("sizes") };
        let tests = GridTest::all().zip(figures.into_iter().skip(2));
        tests.map(move |(test, rate)| {
            let name = GridPoint { file_kib, record_kib, test }.to_string();
            let step = grids().cells[0].steps[0].clone();
            StepRow { name, bytes: rate << 10, seconds: 1.0, ..step }
        })
    };
    rows.filter(|figures: &Vec<u64>| figures.len() == 15).flat_map(step).collect()
}

#[test]
fn the_text_is_that_of_iozone() {
    let mut comparison = grids();
    comparison.cells.truncate(1);
    comparison.cells[0].steps = printed();
    let text = rendered("iozone", &comparison, None);
    let (_, ours) = text.split_once("\n\n").expect("a title");
    // IOzone also prints its clock's resolution, and sizes that it assumes.
    let is_own = |line: &&str| !["Time", "Processor", "File"].iter().any(|word| line.trim().starts_with(word));
    let wanted: Vec<&str> = IOZONE.lines().filter(is_own).collect();
    assert_eq!(ours.lines().collect::<Vec<_>>(), wanted);
}

#[test]
fn of_single_cells_and_some_tests_only_those_are_told() {
    let mut comparison = grids();
    comparison.cells.truncate(1);
    let is_kept = |name: &str| ["2048/4/write", "2048/4/rewrite", "2048/4/random-read"].contains(&name);
    comparison.cells[0].steps.retain(|step| is_kept(&step.name));
    insta::assert_snapshot!(rendered("iozone", &comparison, None));
}

#[test]
fn another_library_reads_every_number_of_the_workbook() {
    let comparison = grids();
    let mut book: Xlsx<_> = open_workbook_from_rs(Cursor::new(workbook(&comparison))).unwrap();
    let titles: Vec<&str> = GridTest::all().map(GridTest::title).collect();
    assert_eq!(book.sheet_names(), titles);
    for test in GridTest::all() {
        let sheet = book.worksheet_range(test.title()).unwrap();
        let rows: Vec<&[Data]> = sheet.rows().collect();
        // Title, record sizes, ten files, and an empty row.
        for (cell, block) in comparison.cells.iter().zip(rows.chunks(13)) {
            let title = format!("{}: {}; KB/s, medians of 3 rounds", cell.workload, cell.contender);
            assert_eq!(block[0][0], Data::String(title));
            let records: Vec<u64> = block[1][1..].iter().map(|size| number(size).unwrap()).collect();
            assert_eq!((records.len(), records[0], records[12]), (13, 4, 16_384));
            for row in &block[2..12] {
                let file = number(&row[0]).unwrap();
                for (record, figure) in records.iter().zip(&row[1..]) {
                    assert_eq!(number(figure), rate(cell, file, *record, test), "{file}/{record}/{}", test.name());
                }
            }
        }
        assert_eq!(rows.len(), 4 * 13 - 1);
    }
}

fn number(data: &Data) -> Option<u64> {
    match data {
        Data::Float(value) => Some(*value as u64).filter(|whole| *whole as f64 == *value),
        Data::Int(value) => u64::try_from(*value).ok(),
        _ => None,
    }
}

#[test]
fn the_same_run_gives_the_same_workbook() {
    assert_eq!(workbook(&grids()), workbook(&grids()));
}

#[test]
fn a_run_without_grids_has_nothing_to_show_in_these_formats() {
    for name in ["iozone", "xlsx"] {
        let nothing = document(name, &fixture(), None).unwrap_err();
        assert!(nothing.why.contains("run 12 has no grid") && nothing.hint.contains("--suite vagrant"), "{nothing:?}");
    }
    let mut other = only(&["ext4"]);
    other.cells[0].steps = grids().cells[0].steps[..2].to_vec();
    other.cells[0].steps[1].name = "create-1m".to_owned();
    assert!(document("xlsx", &other, None).is_err());
}

#[test]
fn the_page_has_four_charts_and_a_map_for_each_test() {
    let page = rendered("html", &grids(), None);
    let sections: Vec<&str> = page.split("<article id=").skip(1).collect();
    assert_eq!(sections.len(), 2);
    for section in sections {
        for title in ["Sequential read, file of 64K", "Random read, file of 32M", "Sequential write, file of 64K"] {
            assert_eq!(section.matches(&format!("<figcaption>{title}</figcaption>")).count(), 1, "{title}");
        }
        assert!(section.contains("The article&#x27;s large file has 64M; the nearest to it here has 32M."));
        assert_eq!(section.matches("type=\"radio\"").count(), 13);
        assert_eq!(section.matches(" checked/>").count(), 1);
        // Each test has 90 places for each of two contenders.
        assert_eq!(section.matches("h12.5").count(), 13 * 2 * 90);
    }
    assert!(page.len() < 250_000, "{} bytes", page.len());
    assert!(!rendered("html", &fixture(), None).contains("type=\"radio\""));
}
