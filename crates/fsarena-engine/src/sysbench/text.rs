//! Parses the figures that sysbench 1.0 prints at the end of every test.

/// The times of the events.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// Total time, seconds.
    pub total: f64,
    /// Average, milliseconds.
    pub average: f64,
    /// 95th percentile, milliseconds.
    pub percentile_95: f64,
    /// Maximum, milliseconds.
    pub longest: f64,
    /// Histogram: the time, milliseconds, and the number of events. Its bins are 1.8 % wide.
    pub histogram: Vec<(f64, u64)>,
}

impl Times {
    /// Parses the times.
    ///
    /// # Errors
    /// The name of the first figure that is missing.
    pub fn of(text: &str) -> Result<Self, &'static str> {
        let figure = |name: &'static str| figure(text, name).ok_or(name);
        Ok(Self {
            total: figure("total time:")?,
            average: figure("avg:")?,
            percentile_95: figure("95th percentile:")?,
            longest: figure("max:")?,
            histogram: text.lines().filter_map(bin).collect(),
        })
    }
}

/// The number after `name`, with or without a unit.
pub fn figure(text: &str, name: &str) -> Option<f64> {
    figures(text, name).map(|(first, _)| first)
}

/// The number after `name`, and the one in brackets behind it: `transactions: 1704 (847.01 per sec.)`.
pub fn figures(text: &str, name: &str) -> Option<(f64, Option<f64>)> {
    let rest = text.lines().find_map(|line| line.trim().strip_prefix(name))?;
    let (first, bracket) = rest.split_once('(').unwrap_or((rest, ""));
    let second = bracket.split_whitespace().next().and_then(|word| word.parse().ok());
    Some((first.trim().trim_end_matches('s').parse().ok()?, second))
}

/// Parses a line of the histogram, in milliseconds: `0.017 |***      12`.
fn bin(line: &str) -> Option<(f64, u64)> {
    let (value, rest) = line.split_once('|')?;
    let count = rest.trim_start_matches('*').trim().parse().ok()?;
    Some((value.trim().parse().ok()?, count))
}
