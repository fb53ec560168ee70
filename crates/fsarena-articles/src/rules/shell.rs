//! Finds times of process starts that were published as times of file systems.

use crate::article::{Article, PublishedTest};

use crate::Violation;
use crate::figures::{found, names, plain, seconds};

/// Minimum number of tests that can show a constant time.
const FEWEST_TESTS: usize = 8;
/// Minimum number of operations for a mean.
const FEWEST_OPERATIONS: u64 = 20;
/// Times within this factor of the median, to either side, count as constant.
const AS_LONG: f64 = 1.6;
/// Minimum share of the tests with a constant time.
const MOST: f64 = 0.75;
/// Contenders that differ by less than this relative amount count as equal.
const ALIKE: f64 = 0.05;

/// Finds contenders with a constant time per operation, whatever the operation does.
pub fn constant_time(article: &Article) -> Vec<Violation> {
    names(article).filter_map(|name| constant_time_of(article, name)).collect()
}

fn constant_time_of(article: &Article, name: &str) -> Option<Violation> {
    let mut each: Vec<f64> = article.tests.iter().filter_map(|test| milliseconds_each(test, name)).collect();
    each.sort_by(f64::total_cmp);
    let median = *each.get(each.len() / 2)?;
    let alike: Vec<f64> =
        each.iter().copied().filter(|one| *one < median * AS_LONG && *one > median / AS_LONG).collect();
    if each.len() < FEWEST_TESTS || (alike.len() as f64) < each.len() as f64 * MOST {
        return None;
    }
    let (least, most) = (*alike.first()?, *alike.last()?);
    let sentence = format!(
        "{name}: in {} of {} tests of many operations each operation took {} to {} ms (median {}), whatever it was: \
         the time of starting a process, not of a file system",
        alike.len(),
        each.len(),
        plain(least),
        plain(most),
        plain(median)
    );
    Some(Violation { test: None, metric: None, sentence })
}

fn milliseconds_each(test: &PublishedTest, name: &str) -> Option<f64> {
    let operations = test.work.operations.filter(|operations| *operations >= FEWEST_OPERATIONS)?;
    Some(seconds(test, name)?.value * 1e3 / operations as f64)
}

/// Finds tests in which every operation was a process of its own and all contenders took the same time.
pub fn process_time(article: &Article) -> Vec<Violation> {
    article.tests.iter().filter_map(|test| process_time_of(article, test)).collect()
}

fn process_time_of(article: &Article, test: &PublishedTest) -> Option<Violation> {
    let processes = test.work.processes? as f64;
    let times: Vec<f64> =
        names(article).filter_map(|name| Some(seconds(test, name)?.value * 1e3 / processes)).collect();
    let least = times.iter().copied().min_by(f64::total_cmp)?;
    let most = times.iter().copied().max_by(f64::total_cmp)?;
    let sentence = format!(
        "{} to {} ms for each of {processes} processes, alike with all {} contenders (within {:.1} %): \
         the shell was measured, whatever the file system",
        plain(least),
        plain(most),
        times.len(),
        (most / least - 1.0) * 100.0
    );
    (times.len() > 1 && most / least - 1.0 < ALIKE).then(|| found(test, None, sentence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{article, sentences, test};

    fn tests_with(times: impl Fn(u32) -> String) -> Article {
        let one = |at: u32| {
            let operations = 100 * at;
            let own = format!("{}", 37 * at * at);
            test(
                &format!("t{at}"),
                &format!("work = {{ operations = {operations} }}"),
                &[("time", "milliseconds", &times(operations), &own)],
            )
        };
        article(&(1..10).map(one).collect::<String>())
    }

    #[test]
    fn a_constant_time_for_each_operation_is_seen() {
        let all = sentences(constant_time(&tests_with(|operations| format!("{}", operations * 6))));
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].starts_with("a: in 9 of 9 tests"), "{all:?}");
        assert!(constant_time(&tests_with(|operations| format!("{}", operations * operations))).is_empty());
    }

    #[test]
    fn processes_that_take_as_long_with_all_are_the_shell() {
        let with = |b: &str| {
            let keys = "work = { operations = 10000, processes = 10000 }";
            article(&test("create", keys, &[("rate", "operations-per-second", "328", b)]))
        };
        let all = sentences(process_time(&with("322")));
        assert_eq!(all.len(), 1);
        assert!(all[0].starts_with("3.05 to 3.11 ms for each of 10000 processes"), "{all:?}");
        assert!(process_time(&with("200")).is_empty());
    }
}
