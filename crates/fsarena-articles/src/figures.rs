//! Looks up an article's figures, and converts them to numbers with an error.

use crate::article::{Article, Figure, PublishedMetric, PublishedTest, Quantity};

use crate::Violation;
use crate::digits::{first_value, last_unit};

/// A number with its error from rounding or truncation.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    /// The number.
    pub value: f64,
    /// Largest absolute error.
    pub off: f64,
}

impl Number {
    /// A number without error.
    pub fn exact(value: f64) -> Self {
        Self { value, off: 0.0 }
    }

    /// A number whose error is one unit of the last significant digit of `text`.
    pub fn read(value: f64, text: &str) -> Self {
        let scale = first_value(text).filter(|there| *there != 0.0).map_or(1.0, |there| value / there);
        Self { value, off: last_unit(text).map_or(0.0, |unit| (unit * scale).abs()) }
    }

    /// The number with half the error, for a text that was rounded and not truncated.
    pub fn rounded(self) -> Self {
        Self { off: self.off / 2.0, ..self }
    }

    /// The number with a further error, as a share of it.
    pub fn within(self, share: f64) -> Self {
        Self { off: self.off + self.value * share, ..self }
    }

    /// This number divided by another.
    pub fn over(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self { value, off: value.abs() * (self.off / self.value.abs() + other.off / other.value.abs()) }
    }

    /// This number times an exact factor.
    pub fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, off: self.off * factor.abs() }
    }

    /// The sum of numbers.
    pub fn sum(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::exact(0.0), |sum, one| Self { value: sum.value + one.value, off: sum.off + one.off })
    }

    /// Whether both may be the same number within their errors.
    pub fn agrees(self, other: Self) -> bool {
        (self.value - other.value).abs() <= (self.off + other.off) * (1.0 + 1e-9)
    }
}

/// A figure as a number. Its text is assumed to be rounded.
pub fn number(figure: &Figure) -> Number {
    Number::read(figure.value, &figure.text).rounded()
}

/// The metric of a test that has this quantity.
pub fn taken_as(test: &PublishedTest, quantity: Quantity) -> Option<&PublishedMetric> {
    test.metrics.iter().find(|metric| metric.quantity == Some(quantity))
}

/// The figure of a contender in a metric, without a place on an axis.
pub fn figure_of<'a>(metric: &'a PublishedMetric, contender: &str) -> Option<&'a Figure> {
    metric.figures.iter().find(|figure| figure.contender == contender && figure.at.is_none())
}

/// The figure of a contender in the metric of a test that has this quantity.
pub fn figure_as<'a>(test: &'a PublishedTest, quantity: Quantity, contender: &str) -> Option<&'a Figure> {
    figure_of(taken_as(test, quantity)?, contender)
}

/// The seconds that a contender took for a test: as published, or its operations divided by their rate.
pub fn seconds(test: &PublishedTest, contender: &str) -> Option<Number> {
    let of = |quantity| figure_as(test, quantity, contender).map(number);
    let by_rate = || {
        let operations = Number::exact(test.work.operations? as f64);
        Some(operations.over(of(Quantity::OperationsPerSecond)?))
    };
    let milliseconds = || Some(of(Quantity::Milliseconds)?.times(1e-3));
    of(Quantity::Seconds).or_else(milliseconds).or_else(by_rate)
}

/// Operations per second of a contender in a test: as published, or the sum of reads and writes.
pub fn operations_per_second(test: &PublishedTest, contender: &str) -> Option<Number> {
    let of = |quantity| figure_as(test, quantity, contender).map(number);
    let both = || Some(Number::sum([of(Quantity::ReadsPerSecond)?, of(Quantity::WritesPerSecond)?].into_iter()));
    of(Quantity::OperationsPerSecond).or_else(both)
}

/// All metrics of an article, each with its test.
pub fn metrics(article: &Article) -> impl Iterator<Item = (&PublishedTest, &PublishedMetric)> {
    article.tests.iter().flat_map(|test| test.metrics.iter().map(move |metric| (test, metric)))
}

/// The findings of a rule about one contender in one test, test by test.
pub fn each(article: &Article, of: impl Fn(&PublishedTest, &str) -> Option<Violation>) -> Vec<Violation> {
    article.tests.iter().flat_map(|test| names(article).filter_map(|name| of(test, name))).collect()
}

/// The names of an article's contenders.
pub fn names(article: &Article) -> impl Iterator<Item = &str> {
    article.contenders.iter().map(|contender| contender.name.as_str())
}

/// A finding about a test, and about one of its metrics if there is one.
pub fn found(test: &PublishedTest, metric: Option<&PublishedMetric>, sentence: String) -> Violation {
    Violation { test: Some(test.name.clone()), metric: metric.map(|metric| metric.name.clone()), sentence }
}

/// Formats a number for readers: no decimals from 1000 on, one from 100 on, otherwise two.
pub fn plain(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 100.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
