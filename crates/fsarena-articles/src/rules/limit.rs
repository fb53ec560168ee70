//! Compares figures with limits of the machine, and finds limits that a cloud provider sets.

use crate::article::{Article, LimitedQuantity, MachineLimit, PublishedTest, Quantity};

use crate::Violation;
use crate::figures::{each, figure_as, found, names, operations_per_second, plain, seconds, taken_as};

/// Figures that differ by less than this relative amount are equal.
const EQUAL: f64 = 0.01;
/// A figure that exceeds a limit by less than this relative amount respects the limit.
const KEEPS: f64 = 0.05;
/// A rate below this share of the fastest one is slower by more than chance.
const SLOWER: f64 = 0.9;
/// Utilisation from which a disk is saturated, in percent.
const BUSY: f64 = 90.0;
/// The first digits of round numbers, which people choose as limits.
const ROUND: [f64; 11] = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];

fn limits(article: &Article, bound: LimitedQuantity) -> impl Iterator<Item = &MachineLimit> {
    article.limits.iter().filter(move |limit| limit.bound == bound)
}

/// Finds throughput above the medium's.
pub fn medium(article: &Article) -> Vec<Violation> {
    let beyond = |limit| article.tests.iter().filter_map(move |test| beyond(test, limit));
    limits(article, LimitedQuantity::MegabytesPerSecond).flat_map(beyond).collect()
}

fn beyond(test: &PublishedTest, limit: &MachineLimit) -> Option<Violation> {
    let of = |quantity, per_megabyte: f64| taken_as(test, quantity).map(|metric| (metric, per_megabyte));
    let decimal = || of(Quantity::DecimalMegabytesPerSecond, 1.048_576);
    let (metric, per_megabyte) =
        of(Quantity::MegabytesPerSecond, 1.0).or_else(decimal).or(of(Quantity::KilobytesPerSecond, 1024.0))?;
    let too_fast = metric.figures.iter().filter(|figure| figure.value / per_megabyte > limit.value);
    let each: Vec<String> = too_fast.map(|figure| format!("{}'s {}", figure.contender, figure.text)).collect();
    let sentence = format!("{} cannot come from a medium of at most {} MB/s: memory", each.join(" and "), limit.value);
    (!each.is_empty()).then(|| found(test, Some(metric), sentence))
}

/// Finds more flushes per second, one after the other, than the disk has revolutions.
pub fn revolutions(article: &Article) -> Vec<Violation> {
    let limits = limits(article, LimitedQuantity::Revolutions);
    limits.flat_map(|limit| each(article, |test, name| too_many_flushes(test, name, limit.value))).collect()
}

fn too_many_flushes(test: &PublishedTest, name: &str, revolutions: f64) -> Option<Violation> {
    let rate = test.work.operations? as f64 * test.work.flushes? as f64 / seconds(test, name)?.value;
    let sentence = format!(
        "{name}: {} flushes per second, one after the other, on a disk of {revolutions} revolutions per second: \
         they were not written when they were said to be",
        plain(rate)
    );
    (rate > revolutions).then(|| found(test, None, sentence))
}

/// Finds tests in which all contenders are equal at a round number.
pub fn cap(article: &Article) -> Vec<Violation> {
    let io = article.tests.iter().filter(|test| test.work.block.is_some());
    io.filter_map(|test| cap_of(article, test)).map(|cap| found(cap.test, None, cap.sentence())).collect()
}

/// A limit that all contenders of a test reach.
struct Cap<'a> {
    test: &'a PublishedTest,
    round: f64,
    unit: &'static str,
    contenders: usize,
}

impl Cap<'_> {
    fn sentence(&self) -> String {
        let Self { round, unit, contenders, .. } = self;
        format!(
            "all {contenders} contenders are within 1 % of each other and of {round} {unit}: a limit that was set, \
             so no difference can be seen"
        )
    }
}

fn cap_of<'a>(article: &Article, test: &'a PublishedTest) -> Option<Cap<'a>> {
    let of = |quantity, unit| {
        let values: Vec<f64> =
            names(article).filter_map(|name| figure_as(test, quantity, name)).map(|figure| figure.value).collect();
        let round = values.first().map(|first| nearest_round(*first))?;
        let at = |value: &f64| (value / round - 1.0).abs() < EQUAL;
        (values.len() > 2 && values.iter().all(at)).then_some(Cap { test, round, unit, contenders: values.len() })
    };
    of(Quantity::MegabytesPerSecond, "MiB/s").or_else(|| of(Quantity::OperationsPerSecond, "operations per second"))
}

fn nearest_round(value: f64) -> f64 {
    let magnitude = 10_f64.powf(value.log10().floor());
    let distance = |first: &&f64| (value / (**first * magnitude) - 1.0).abs();
    let nearest = ROUND.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.map_or(value, |first| first * magnitude)
}

/// Finds rates above a limit that all contenders of another test reach, if both tests have the same block size.
pub fn over_cap(article: &Article) -> Vec<Violation> {
    let caps = article.tests.iter().filter_map(|test| cap_of(article, test));
    let of_operations = caps.filter(|cap| cap.unit.starts_with("operations"));
    of_operations.flat_map(|cap| each(article, |test, name| over_by(test, name, &cap))).collect()
}

fn over_by(test: &PublishedTest, name: &str, cap: &Cap<'_>) -> Option<Violation> {
    let rate = operations_per_second(test, name)?.value;
    let is_comparable = test.work.block == cap.test.work.block;
    let sentence = format!(
        "{name}: {} operations per second, where all of `{}` keep to {}: not the same disk at that moment",
        plain(rate),
        cap.test.name,
        cap.round
    );
    (is_comparable && rate > cap.round * (1.0 + KEEPS)).then(|| found(test, None, sentence))
}

/// Finds slower contenders that left the disk idle.
pub fn idle_disk(article: &Article) -> Vec<Violation> {
    article.tests.iter().flat_map(|test| idle_in(article, test)).collect()
}

fn idle_in(article: &Article, test: &PublishedTest) -> Vec<Violation> {
    let rate = |name| Some((name, operations_per_second(test, name)?.value));
    let rates: Vec<(&str, f64)> = names(article).filter_map(rate).collect();
    let fastest = rates.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
    let slower = rates.into_iter().filter(|(_, rate)| *rate < fastest * SLOWER);
    let idle = slower.filter_map(|(name, rate)| {
        let busy = figure_as(test, Quantity::Utilisation, name).filter(|figure| figure.value < BUSY)?;
        let sentence = format!(
            "{name}: {} operations per second with the disk busy for {} of the time: not the disk held it up",
            plain(rate),
            busy.text
        );
        Some(found(test, taken_as(test, Quantity::Utilisation), sentence))
    });
    idle.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{article, sentences, test};

    fn limited(mut article: Article, bound: LimitedQuantity, value: f64) -> Article {
        article.limits.push(MachineLimit { bound, value, why: String::new() });
        article
    }

    /// An article with a test of three contenders that have these figures.
    fn three(block: &str, quantity: &str, [a, b, c]: [&str; 3]) -> Article {
        let text = test("t", &format!("work = {{ {block} }}"), &[("rate", quantity, a, b)]);
        let third = format!(", {{ contender = 'c', value = {c}, text = '{c}' }}]\n");
        let mut article = article(&format!("{}{third}", text.trim_end().trim_end_matches(']')));
        let copy = article.contenders[0].clone();
        article.contenders.push(crate::article::PublishedContender { name: "c".to_owned(), ..copy });
        article
    }

    #[test]
    fn throughput_beyond_the_medium_is_memory() {
        let with = |rate: &str| article(&test("t", "", &[("rate", "megabytes-per-second", rate, "33.33")]));
        let limited = |rate| medium(&limited(with(rate), LimitedQuantity::MegabytesPerSecond, 104.0));
        assert!(limited("85.40").is_empty());
        assert!(sentences(limited("274.16"))[0].starts_with("a's 274.16 cannot come"));
    }

    #[test]
    fn a_disk_flushes_at_most_once_per_revolution() {
        let keys = "work = { operations = 12500, flushes = 1 }";
        let sqlite = article(&test("sqlite", keys, &[("time", "seconds", "20", "870")]));
        let all = sentences(revolutions(&limited(sqlite, LimitedQuantity::Revolutions, 120.0)));
        assert_eq!(all.len(), 1);
        assert!(all[0].starts_with("a: 625.0 flushes per second"), "{all:?}");
    }

    #[test]
    fn all_equal_at_a_round_number_are_at_a_cap() {
        let capped = three("block = 1048576", "megabytes-per-second", ["151", "150", "150"]);
        assert!(sentences(cap(&capped))[0].contains("of 150 MiB/s"));
        assert!(cap(&three("block = 1048576", "megabytes-per-second", ["151", "150", "120"])).is_empty());
        assert!(cap(&three("block = 1048576", "megabytes-per-second", ["137", "137", "137"])).is_empty());
    }

    #[test]
    fn figures_above_the_cap_of_the_others_are_named() {
        let mut capped = three("block = 4096", "operations-per-second", ["8048", "8042", "8056"]);
        let mut other = capped.tests[0].clone();
        other.name = "mixed".to_owned();
        other.metrics[0].figures[2].value = 8801.0;
        capped.tests.push(other);
        assert!(sentences(over_cap(&capped)).iter().any(|one| one.starts_with("c: 8801 operations")));
        capped.tests.pop();
        assert!(over_cap(&capped).is_empty());
    }

    #[test]
    fn a_slower_contender_with_an_idle_disk_is_named() {
        let with = |busy: &str| {
            let metrics = [("rate", "operations-per-second", "8019", "6218"), ("busy", "utilisation", "97.75", busy)];
            article(&test("t", "", &metrics))
        };
        assert!(sentences(idle_disk(&with("83.46")))[0].starts_with("b: 6218 operations"));
        assert!(idle_disk(&with("99.0")).is_empty());
    }
}
