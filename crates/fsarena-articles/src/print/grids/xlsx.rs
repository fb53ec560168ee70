//! Grids as a workbook (Office Open XML). Each test has a sheet, with a block for each contender of each workload. The
//! columns are record sizes, the rows are file sizes, the values are kilobytes (of 1,024 bytes) per second. Cells that
//! were not measured are empty.

use crate::grid::GridTest;
use fsarena_model::Comparison;
use fsarena_report::{Nothing, rounds, visible};
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};

use super::{Grid, grids, iozone};

/// The workbook's bytes. The same run gives the same bytes.
pub fn render(comparison: &Comparison) -> Result<Vec<u8>, Nothing> {
    let grids = grids(comparison);
    if grids.is_empty() {
        return Err(iozone::nothing(comparison));
    }
    workbook(&grids).map_err(|error| Nothing {
        why: format!("run {} does not fit into a workbook: {error}", comparison.run.number),
        hint: "`--format iozone` has the same figures as text".to_owned(),
    })
}

fn workbook(grids: &[Grid<'_>]) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    let never = ExcelDateTime::from_ymd(2000, 1, 1)?;
    workbook.set_properties(&DocProperties::new().set_title("Grids of a run of fsarena").set_creation_datetime(&never));
    let bold = Format::new().set_bold();
    for test in GridTest::all().filter(|test| grids.iter().any(|grid| grid.tests().contains(test))) {
        let sheet = workbook.add_worksheet().set_name(test.title())?;
        let mut row = 0;
        for grid in grids {
            row = block(sheet, &bold, grid, test, row)? + 1;
        }
    }
    workbook.save_to_buffer()
}

/// Writes a block from row `top` on, and returns the row below it.
fn block(sheet: &mut Worksheet, bold: &Format, grid: &Grid<'_>, test: GridTest, top: u32) -> Result<u32, XlsxError> {
    let rounds = rounds(grid.rounds);
    let title = format!("{}: {}; KB/s, medians of {rounds}", grid.workload, grid.contender);
    sheet.write_string_with_format(top, 0, visible(&title), bold)?;
    sheet.write_string(top + 1, 0, "file KB \\ record KB")?;
    let (files, records) = (grid.files(), grid.columns());
    for (column, record) in (1..).zip(&records) {
        sheet.write_number_with_format(top + 1, column, *record as f64, bold)?;
    }
    for (row, file) in (top + 2..).zip(&files) {
        sheet.write_number_with_format(row, 0, *file as f64, bold)?;
        for (column, record) in (1..).zip(&records) {
            if let Some(rate) = grid.rate(*file, *record, test) {
                sheet.write_number(row, column, rate.trunc())?;
            }
        }
    }
    Ok(top + 2 + files.len() as u32)
}
