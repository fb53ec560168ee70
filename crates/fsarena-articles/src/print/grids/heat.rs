//! Heat maps: one field per contender, with record sizes across and file sizes downwards. The colour of a place shows
//! how close its rate is to the best.

use fsarena_report::svg::{Anchor, Canvas, WIDTH, fitted};

use super::short;

/// The share of the best at which each band begins, with the legend's text.
const BANDS: [(f64, &str); 6] =
    [(0.95, "95 % or more"), (0.8, "80 %"), (0.6, "60 %"), (0.4, "40 %"), (0.2, "20 %"), (0.0, "less")];

/// Width and height of a place.
const PLACE: (f64, f64) = (13.5, 11.0);
/// Space for the file sizes to the left of a field.
const LEFT: f64 = 36.0;
/// Space above a field for the contender's label, and below it for the record sizes.
const AROUND: (f64, f64) = (20.0, 32.0);
/// Distance from one field to the next.
const STEP: f64 = WIDTH / 2.0;
/// Height of the legend.
const LEGEND: f64 = 40.0;

/// A contender's field.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatField {
    /// Its label.
    pub contender: String,
    /// Shares of the best, 0 to 1, by file, then record; `None` if not measured.
    pub shares: Vec<Vec<Option<f64>>>,
}

/// The drawing of one test: files and records in KiB.
pub fn draw(fields: &[HeatField], files: &[u64], records: &[u64], best: &str, label: &str) -> String {
    let height = AROUND.0 + PLACE.1 * files.len() as f64 + AROUND.1;
    let lines = fields.len().div_ceil(2) as f64;
    let mut canvas = Canvas::new(LEGEND + height * lines);
    legend(&mut canvas, best);
    for (index, field) in fields.iter().enumerate() {
        let corner = (STEP * (index % 2) as f64 + LEFT, LEGEND + height * (index / 2) as f64 + AROUND.0);
        canvas.text("label", Anchor::Start, (corner.0, corner.1 - 6.0), &fitted(&field.contender, STEP - LEFT - 20.0));
        sizes(&mut canvas, corner, files, records);
        fill(&mut canvas, corner, &field.shares);
    }
    canvas.finish(label)
}

fn legend(canvas: &mut Canvas, best: &str) {
    canvas.text("tick", Anchor::Start, (0.0, 12.0), best);
    for (index, (_, words)) in BANDS.iter().enumerate() {
        let x = index as f64 * 64.0 + if index > 0 { 36.0 } else { 0.0 };
        canvas.path(&format!("heat{index}"), &mark((x, 20.0), 11.0));
        canvas.text("tick", Anchor::Start, (x + 15.0, 29.0), words);
    }
}

fn sizes(canvas: &mut Canvas, (left, top): (f64, f64), files: &[u64], records: &[u64]) {
    for (row, file) in files.iter().enumerate() {
        let y = top + PLACE.1 * (row as f64 + 0.5) + 4.0;
        canvas.text("tick", Anchor::End, (left - 4.0, y), &short(*file));
    }
    let bottom = top + PLACE.1 * files.len() as f64;
    for (column, record) in records.iter().enumerate().step_by(3) {
        let x = left + PLACE.0 * (column as f64 + 0.5);
        canvas.text("tick", Anchor::Middle, (x, bottom + 13.0), &short(*record));
    }
}

/// Draws one path per band, because a page has thousands of places.
fn fill(canvas: &mut Canvas, (left, top): (f64, f64), shares: &[Vec<Option<f64>>]) {
    for band in 0..BANDS.len() {
        let mut path = String::new();
        for (row, shares) in shares.iter().enumerate() {
            for (column, _) in
                shares.iter().enumerate().filter(|(_, share)| share.is_some_and(|share| of(share) == band))
            {
                path.push_str(&mark((left + PLACE.0 * column as f64, top + PLACE.1 * row as f64), PLACE.0 - 1.0));
            }
        }
        if !path.is_empty() {
            canvas.path(&format!("heat{band}"), &path);
        }
    }
}

/// A place, given its upper left corner: a line whose thickness in the style sheet is the height of a place minus 1.
fn mark((left, top): (f64, f64), width: f64) -> String {
    format!("M{left} {}h{width}", top + (PLACE.1 - 1.0) / 2.0)
}

/// The band of a share.
fn of(share: f64) -> usize {
    BANDS.iter().position(|(least, _)| share >= *least).unwrap_or(BANDS.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_filled_by_its_share_and_an_absent_one_is_not() {
        assert_eq!([1.0, 0.95, 0.94, 0.3, 0.0, f64::NAN].map(of), [0, 0, 1, 4, 5, 5]);
        let field =
            HeatField { contender: "ext4".to_owned(), shares: vec![vec![Some(1.0), None], vec![Some(0.5), Some(1.0)]] };
        let svg = draw(&[field], &[64, 128], &[4, 8], "best", "a map");
        // The legend has one of each.
        let count = |band: usize| {
            let paths = svg.split("<path class=\"").filter(|path| path.starts_with(&format!("heat{band}\"")));
            paths.map(|path| path.split("/>").next().unwrap_or_default().matches('M').count()).sum::<usize>()
        };
        assert_eq!([0, 1, 2, 3, 4, 5].map(count), [3, 1, 1, 2, 1, 1], "{svg}");
    }
}
