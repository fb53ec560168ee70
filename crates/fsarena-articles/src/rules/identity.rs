//! Equations that hold between the figures of any I/O test.

use crate::article::{Article, Quantity};

use crate::Violation;
use crate::figures::{each, figure_as, found, number, operations_per_second, plain, taken_as};
use crate::quantities::MIB;

/// Relative error beyond rounding: figures of the same run are not taken at the same moment.
const NEAR: f64 = 0.03;

/// Finds bandwidth that differs from operations times their size.
pub fn bandwidth(article: &Article) -> Vec<Violation> {
    each(article, |test, name| {
        let given = number(figure_as(test, Quantity::MegabytesPerSecond, name)?);
        let (rate, block) = (operations_per_second(test, name)?, test.work.block? as f64);
        let follows = rate.times(block / MIB);
        let sentence = format!(
            "{name}: {} operations per second of {} KiB are {} MiB/s, and {} stand there",
            plain(rate.value),
            block / 1024.0,
            plain(follows.value),
            plain(given.value)
        );
        (!given.agrees(follows.within(NEAR)))
            .then(|| found(test, taken_as(test, Quantity::MegabytesPerSecond), sentence))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{article, sentences, test};

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
}
