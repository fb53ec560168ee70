//! Checks numbers that an article gives twice, or computes.

use crate::article::{Again, Article, Figure, Precision, PublishedMetric, Reckoning};

use crate::Violation;
use crate::figures::{Number, figure_of, found, metrics, number, plain};

/// Finds figures that are given twice and differ.
pub fn twice(article: &Article) -> Vec<Violation> {
    let mut all = Vec::new();
    for (test, metric) in metrics(article) {
        for figure in &metric.figures {
            for again in figure.again.iter().filter(|again| !is_same(figure, again)) {
                let Again { text, place, .. } = again;
                let sentence = format!("{}: {} here, {text} in the {place}", figure.contender, figure.text);
                all.push(found(test, Some(metric), sentence));
            }
        }
    }
    all
}

/// Whether a figure and its other occurrence are equal, or one of them is the other rounded.
fn is_same(figure: &Figure, again: &Again) -> bool {
    let (here, there) = (number(figure), Number::read(again.value, &again.text).rounded());
    let is_as_exact = (here.off - there.off).abs() < here.off * 1e-6;
    let off = if is_as_exact { 0.0 } else { here.off.max(there.off) };
    (here.value - there.value).abs() <= off * (1.0 + 1e-9)
}

/// Finds sums, means, counts, ratios and percentages that do not follow from the figures.
pub fn computed(article: &Article) -> Vec<Violation> {
    let mut all = Vec::new();
    let numbers = article.claims.iter().flat_map(|claim| claim.computed.iter().map(move |number| (claim, number)));
    for (claim, computed) in numbers {
        let Some(reckoning) = &computed.from else { continue };
        let given = Number::read(computed.value, &computed.text).rounded();
        let test = match reckoning {
            Reckoning::Ratio { test, .. } | Reckoning::More { test, .. } => Some(test),
            _ => None,
        };
        let wrong =
            follows(article, reckoning).into_iter().filter(|(_, number)| !holds(computed.precision, given, *number));
        all.extend(wrong.map(|(what, number)| {
            let (text, number, claim) = (&computed.text, plain(number.value), &claim.name);
            let sentence = format!("it has `{text}` where {what} is {number} (claim `{claim}`)");
            Violation { test: test.cloned(), metric: None, sentence }
        }));
    }
    all
}

fn holds(precision: Precision, given: Number, follows: Number) -> bool {
    match precision {
        Precision::AtLeast => follows.value + follows.off >= given.value,
        Precision::AtMost => follows.value - follows.off <= given.value,
        Precision::About => given.agrees(Number { off: follows.off + given.off, ..follows }),
        Precision::Exact => given.agrees(follows),
    }
}

/// The numbers that follow from the figures, each with a description: one number, or one for each contender that is
/// compared with.
fn follows(article: &Article, reckoning: &Reckoning) -> Vec<(String, Number)> {
    let (what, number) = match reckoning {
        Reckoning::Ratio { test, metric, of, by } => {
            let words = |(other, ratio)| (format!("{of}'s `{metric}` over {other}'s"), ratio);
            return ratios(article, test, metric, of, by).into_iter().map(words).collect();
        }
        Reckoning::More { test, metric, of, than } => {
            let more = |ratio: Number| Number { value: (ratio.value - 1.0) * 100.0, off: ratio.off * 100.0 };
            let words =
                |(other, ratio)| (format!("what {of}'s `{metric}` is above {other}'s, in percent,"), more(ratio));
            return ratios(article, test, metric, of, than).into_iter().map(words).collect();
        }
        Reckoning::Total { metric, of } => (format!("the sum of {of}'s `{metric}`"), sum(article, metric, of)),
        Reckoning::Mean { metric, of } => {
            let mean = |sum: Number| sum.over(Number::exact(all_of(article, metric, of).len() as f64));
            (format!("the mean of {of}'s `{metric}`"), sum(article, metric, of).map(mean))
        }
        Reckoning::RatioOfTotals { metric, of, by } => {
            let ratio = sum(article, metric, of).zip(sum(article, metric, by)).map(|(of, by)| of.over(by));
            (format!("{of}'s sum of `{metric}` over {by}'s"), ratio)
        }
        Reckoning::Wins { metric, of } => {
            let count = named(article, metric).filter(|metric| is_best(metric, of)).count();
            (format!("the count of tests in which {of}'s `{metric}` is best"), Some(Number::exact(count as f64)))
        }
    };
    number.map(|number| (what, number)).into_iter().collect()
}

/// The sum of a contender's figures in all metrics of that name; `None` if there are none.
fn sum(article: &Article, metric: &str, of: &str) -> Option<Number> {
    let all = all_of(article, metric, of);
    (!all.is_empty()).then(|| Number::sum(all.into_iter()))
}

fn named<'a>(article: &'a Article, name: &'a str) -> impl Iterator<Item = &'a PublishedMetric> {
    metrics(article).map(|(_, metric)| metric).filter(move |metric| metric.name == name)
}

fn all_of(article: &Article, metric: &str, of: &str) -> Vec<Number> {
    named(article, metric).filter_map(|metric| figure_of(metric, of)).map(number).collect()
}

fn is_best(metric: &PublishedMetric, of: &str) -> bool {
    let Some(own) = figure_of(metric, of) else { return false };
    let worse = |other: &Figure| metric.better.log_ratio(own.value, other.value) > 0.0;
    metric.figures.iter().filter(|figure| figure.contender != of).all(worse)
}

/// Ratios of the figure of `of` to the figures of the contenders `by`, each with the contender's name.
fn ratios(article: &Article, test: &str, metric: &str, of: &str, by: &[String]) -> Vec<(String, Number)> {
    let Some(metric) = article.test(test).and_then(|test| test.metric(Some(metric))) else { return Vec::new() };
    let Some(own) = figure_of(metric, of).map(number) else { return Vec::new() };
    let ratio = |other: &String| Some((other.clone(), own.over(number(figure_of(metric, other)?))));
    by.iter().filter_map(ratio).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{article, sentences, test};

    fn with_claim(value: &str, text: &str, from: &str) -> Article {
        let tests = test("t", "", &[("time", "seconds", "10.0", "14.0")])
            + &test("u", "", &[("time", "seconds", "20.0", "12.0")]);
        let claim = "[[claims]]\nname = 'c'\nkind = 'sum'\ntext = 'x'\noriginal = 'x'\noutcome = 'holds'\nwhy = 'x'\n";
        article(&format!("{tests}{claim}computed = [{{ value = {value}, text = '{text}', from = {from} }}]\n"))
    }

    #[test]
    fn figures_are_compared_with_the_sentences_about_them() {
        for (right, wrong, from) in [
            ("30.0", "31.0", "{ total = { metric = 'time', of = 'a' } }"),
            ("13.0", "13.5", "{ mean = { metric = 'time', of = 'b' } }"),
            ("1", "2", "{ wins = { metric = 'time', of = 'a' } }"),
            ("1.15", "1.25", "{ ratio-of-totals = { metric = 'time', of = 'a', by = 'b' } }"),
            ("1.4", "1.6", "{ ratio = { test = 't', metric = 'time', of = 'b', by = ['a'] } }"),
            ("41", "45", "{ more = { test = 't', metric = 'time', of = 'b', than = ['a'] } }"),
        ] {
            assert!(computed(&with_claim(right, right, from)).is_empty(), "{from}");
            assert_eq!(computed(&with_claim(wrong, wrong, from)).len(), 1, "{from}");
        }
    }

    #[test]
    fn the_second_time_may_be_rounded_but_not_another() {
        let with = |value: &str, text: &str| {
            let again = format!("again = [{{ value = {value}, text = '{text}', place = 'summary' }}]");
            let text = test("t", "", &[("rate", "operations-per-second", "8019", "6218")]);
            article(&text.replacen("text = '8019'", &format!("text = '8,019', {again}"), 1))
        };
        assert!(twice(&with("8000", "about 8,000")).is_empty());
        assert_eq!(twice(&with("8020", "8,020 a second")).len(), 0, "rounded to tens");
        assert_eq!(twice(&with("8018", "8,018")).len(), 1, "as exact, and another");
        assert_eq!(sentences(twice(&with("8141", "8,141"))), ["a: 8,019 here, 8,141 in the summary"]);
    }
}
