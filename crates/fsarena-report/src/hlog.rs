//! HdrHistogram's interval log with compressed histograms (V2): a line per workload, contender and operation, which are
//! its tag. Values are nanoseconds.

use std::collections::BTreeMap;
use std::time::Duration;

use fsarena_model::comparison::{Cell, LatencyHistogram};
use fsarena_model::{Comparison, LatencyCount};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};

use crate::{Document, Nothing, visible};

/// Nanoseconds of the log's unit for maxima, which is a millisecond in the programs that read it.
const MILLISECOND: f64 = 1e6;

/// The histograms of a comparison.
///
/// # Errors
/// [`Nothing`] if the run has none.
pub fn render(comparison: &Comparison) -> Result<Document, Nothing> {
    let of_cell = |cell| move |histogram| (cell, histogram);
    let all = comparison.cells.iter().flat_map(|cell| cell.latencies.histograms.iter().map(of_cell(cell)));
    let known: Vec<(&Cell, &LatencyHistogram)> = all.filter(|(_, histogram)| !histogram.counts.is_empty()).collect();
    if known.is_empty() {
        let why =
            format!("run {} has no latencies, or was made before they were kept as histograms", comparison.run.number);
        return Err(Nothing { why, hint: "use `--format csv` for its percentiles".to_owned() });
    }
    Ok(written(comparison, &known).expect("memory can be written to, and these histograms be serialized").into())
}

fn written(
    comparison: &Comparison,
    histograms: &[(&Cell, &LatencyHistogram)],
) -> Result<String, Box<dyn std::error::Error>> {
    let mut log = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let title = format!("[fsarena run {}, started {}; nanoseconds]", comparison.run.number, comparison.run.started);
    let mut writer = IntervalLogWriterBuilder::new()
        .add_comment(&visible(&title))
        .with_max_value_divisor(MILLISECOND)
        .begin_log_with(&mut log, &mut serializer)?;
    for (cell, LatencyHistogram { operation, counts, .. }) in histograms {
        let longest = counts.iter().map(|count| count.at_most.0).max().unwrap_or_default();
        let mut histogram = Histogram::<u64>::new_with_bounds(1, longest.max(2), 2)?;
        for LatencyCount { at_most, count } in counts {
            histogram.saturating_record_n(at_most.0, *count);
        }
        // A tag has neither commas nor blanks.
        let tag = visible(&format!("{}/{}/{operation}", cell.workload, cell.contender)).replace(',', ";");
        let tag = tag.replace(char::is_whitespace, "_");
        writer.write_histogram(&histogram, Duration::ZERO, timed(cell, operation), Tag::new(&tag))?;
    }
    Ok(String::from_utf8(log)?)
}

/// The timed seconds of all rounds, as far as latencies over time show them.
fn timed(cell: &Cell, operation: &str) -> Duration {
    let mut rounds: BTreeMap<u32, f64> = BTreeMap::new();
    let courses = cell.latencies.over_time.iter().filter(|course| course.operation == operation);
    for point in courses.flat_map(|course| &course.points) {
        let last = rounds.entry(point.round).or_default();
        *last = last.max(point.seconds);
    }
    Duration::try_from_secs_f64(rounds.values().sum()).unwrap_or_default()
}
