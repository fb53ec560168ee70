//! Checks figures that follow from other figures of the same test.

use crate::article::{Article, PublishedTest, Quantity};

use crate::Violation;
use crate::figures::{Number, figure_as, figure_of, found, names, number, plain, seconds, taken_as};
use crate::quantities::MIB;

/// Minimum number of rows that can show how figures were computed.
const FEWEST_ROWS: usize = 8;
/// Relative error of a throughput beyond rounding, because bytes are counted as whole kilobytes.
const NEAR: f64 = 0.01;

/// Finds contenders whose throughput was computed from truncated seconds.
pub fn truncated_division(article: &Article) -> Vec<Violation> {
    names(article).filter_map(|name| truncated_division_of(article, name)).collect()
}

fn truncated_division_of(article: &Article, name: &str) -> Option<Violation> {
    let rows: Vec<ArithmeticRow> = article.tests.iter().filter_map(|test| ArithmeticRow::of(test, name)).collect();
    let truncated = rows.iter().filter(|row| row.is_truncated()).count();
    let exact = rows.iter().filter(|row| row.is_exact()).count();
    let worst = rows.iter().filter(|row| row.is_truncated()).max_by(|a, b| a.excess().total_cmp(&b.excess()))?;
    let sentence = format!(
        "{name}: {truncated} of {} throughputs are megabytes over seconds with all but two decimals of the seconds cut \
         off; only {exact} are megabytes over seconds ({} MB/s stand where {} would)",
        rows.len(),
        plain(worst.throughput),
        plain(worst.megabytes / worst.seconds)
    );
    let is_shown =
        rows.len() >= FEWEST_ROWS && truncated * 10 >= rows.len() * 9 && truncated * 4 >= exact * 4 + rows.len();
    is_shown.then_some(Violation { test: None, metric: None, sentence })
}

/// Bytes, time and throughput of a contender in a test.
struct ArithmeticRow {
    megabytes: f64,
    seconds: f64,
    throughput: f64,
}

impl ArithmeticRow {
    fn of(test: &PublishedTest, name: &str) -> Option<Self> {
        let megabytes = test.work.bytes? as f64 / MIB;
        let throughput = figure_as(test, Quantity::MegabytesPerSecond, name)?.value;
        Some(Self { megabytes, seconds: seconds(test, name)?.value, throughput })
    }

    fn is_truncated(&self) -> bool {
        let seconds = two_decimals(self.seconds);
        seconds > 0.0 && same(two_decimals(self.megabytes / seconds), self.throughput)
    }

    fn is_exact(&self) -> bool {
        same((self.megabytes / self.seconds * 100.0).round() / 100.0, self.throughput)
    }

    fn excess(&self) -> f64 {
        self.throughput * self.seconds / self.megabytes
    }
}

fn two_decimals(value: f64) -> f64 {
    (value * 100.0 + 1e-9).floor() / 100.0
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.005
}

/// Finds throughput that differs from bytes over time.
pub fn throughput(article: &Article) -> Vec<Violation> {
    let truncates = |name: &&str| truncated_division_of(article, name).is_some();
    let (truncated, plainly): (Vec<&str>, Vec<&str>) = names(article).partition(truncates);
    let of_test = |test: &PublishedTest| {
        let by_truncation =
            truncated.iter().filter(|name| ArithmeticRow::of(test, name).is_some_and(|row| !row.is_truncated()));
        let all: Vec<Violation> =
            plainly.iter().chain(by_truncation).filter_map(|name| throughput_of(test, name)).collect();
        all
    };
    article.tests.iter().flat_map(of_test).collect()
}

fn throughput_of(test: &PublishedTest, name: &str) -> Option<Violation> {
    let metric = taken_as(test, Quantity::MegabytesPerSecond)?;
    let given = number(figure_of(metric, name)?);
    let megabytes = Number::exact(test.work.bytes? as f64 / MIB);
    let follows = megabytes.over(seconds(test, name)?);
    let sentence =
        format!("{name}: {} MB/s stand where bytes over time are {}", plain(given.value), plain(follows.value));
    (!given.agrees(follows.within(NEAR))).then(|| found(test, Some(metric), sentence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{article, sentences, test};

    /// Ten tests of 50 MB. `throughput` computes the published throughput of each from its seconds.
    fn rows(throughput: impl Fn(f64) -> f64) -> Article {
        let one = |at: i32| {
            let seconds = 0.037 * f64::from(at) + 0.0183;
            let (seconds, throughput) = (format!("{seconds:.4}"), format!("{:.2}", throughput(seconds)));
            let keys = "work = { bytes = 52428800 }";
            let metrics =
                [("time", "seconds", &*seconds, "1.0"), ("rate", "megabytes-per-second", &throughput, "50.0")];
            test(&format!("t{at}"), keys, &metrics)
        };
        article(&(1..=10).map(one).collect::<String>())
    }

    #[test]
    fn truncated_seconds_are_seen_and_not_reported_twice() {
        let truncated = rows(|seconds| two_decimals(50.0 / two_decimals(seconds)));
        let all = sentences(truncated_division(&truncated));
        assert_eq!(all.len(), 1);
        assert!(all[0].starts_with("a: 10 of 10"), "{all:?}");
        assert!(throughput(&truncated).is_empty());
    }

    #[test]
    fn exact_throughput_trips_neither_and_a_wrong_one_the_second() {
        let exact = rows(|seconds| 50.0 / seconds);
        assert!(truncated_division(&exact).is_empty() && throughput(&exact).is_empty());
        assert_eq!(throughput(&rows(|seconds| 44.0 / seconds)).len(), 10);
    }
}
