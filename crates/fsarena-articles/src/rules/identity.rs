//! Equations that hold between the figures of any I/O test.

use crate::article::{Article, Quantity};

use crate::Violation;
use crate::figures::{Number, each, figure_as, found, number, operations_per_second, plain, taken_as, work};
use crate::quantities::MIB;

/// Relative error beyond rounding: figures of the same run are not taken at the same moment.
const NEAR: f64 = 0.03;

/// Finds bandwidth that differs from operations times their size.
pub fn bandwidth(article: &Article) -> Vec<Violation> {
    each(article, |test, name| {
        let given = number(figure_as(test, Quantity::MegabytesPerSecond, name)?);
        let follows = operations_per_second(test, name)?.times(work(test, |work| work.block)? / MIB);
        let sentence = format!(
            "{name}: {} operations per second of {} KiB are {} MiB/s, and {} stand there",
            plain(operations_per_second(test, name)?.value),
            work(test, |work| work.block)? / 1024.0,
            plain(follows.value),
            plain(given.value)
        );
        (!given.agrees(follows.within(NEAR)))
            .then(|| found(test, taken_as(test, Quantity::MegabytesPerSecond), sentence))
    })
}

/// Finds rates and latencies whose product differs from the operations in flight (Little's law).
pub fn in_flight(article: &Article) -> Vec<Violation> {
    each(article, |test, name| {
        let given = Number::exact(work(test, |work| work.in_flight)?);
        let of = |quantity| figure_as(test, quantity, name).map(number);
        let busy = |rate, latency| Some(times(of(rate)?, of(latency)?.times(1e-3)));
        let reads = busy(Quantity::ReadsPerSecond, Quantity::ReadLatency);
        let writes = busy(Quantity::WritesPerSecond, Quantity::WriteLatency);
        let both = reads.zip(writes).map(|(reads, writes)| Number::sum([reads, writes].into_iter()));
        let follows = busy(Quantity::OperationsPerSecond, Quantity::Latency).or(both)?;
        let sentence = format!(
            "{name}: rate times latency are {} operations in flight, where the test keeps {}",
            plain(follows.value),
            given.value
        );
        (!given.agrees(follows.within(NEAR))).then(|| found(test, taken_as(test, Quantity::Latency), sentence))
    })
}

fn times(a: Number, b: Number) -> Number {
    Number { value: a.value * b.value, off: a.off * b.value + b.off * a.value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{article, sentences, test};

    #[test]
    fn operations_times_size_are_the_bandwidth() {
        let metrics = [
            ("reads", "reads-per-second", "5625", "6154"),
            ("writes", "writes-per-second", "2420", "2647"),
            ("bandwidth", "megabytes-per-second", "31.4", "25.9"),
        ];
        let all = sentences(bandwidth(&article(&test("mixed", "work = { block = 4096 }", &metrics))));
        assert_eq!(all, ["b: 8801 operations per second of 4 KiB are 34.38 MiB/s, and 25.90 stand there"]);
    }

    #[test]
    fn operations_times_latency_are_those_in_flight() {
        let metrics = [("rate", "operations-per-second", "8019", "8019"), ("latency", "latency", "31.9", "20.0")];
        let all = sentences(in_flight(&article(&test("t", "work = { in-flight = 256 }", &metrics))));
        assert_eq!(all, ["b: rate times latency are 160.4 operations in flight, where the test keeps 256"]);
    }
}
