//! The winner of each test, published and here, and the agreement of both orders.

use crate::reproduction::{Agreement, MeasuredFigure, ReproducedFigure, Winner, Wins};
use fsarena_model::{Better, Label};
use fsarena_stats::{OrderedPairs, order, tau_over_rounds};

use super::Context;
use super::figures::{MetricAt, places, properly_by_round};

/// Relative difference up to which published figures are equal: charts and tables are not more exact.
pub const PUBLISHED_MARGIN: f64 = 0.01;

/// The pairs of each test, compared in both orders.
#[derive(Default)]
pub struct Lists {
    /// Published against measured as published.
    pub as_published: Vec<OrderedPairs>,
    /// Published against measured properly.
    pub properly: Vec<OrderedPairs>,
}

/// One of an article's contenders in a test: the published figure, turned so that larger is better, and the measured
/// figures.
struct Entrant<'a> {
    published: f64,
    figure: &'a ReproducedFigure,
}

/// Selects the valid figure of one of the two forms of measurement.
type Form = fn(&ReproducedFigure, Better) -> Option<MeasuredFigure>;

fn as_published(figure: &ReproducedFigure, better: Better) -> Option<MeasuredFigure> {
    let measured = if figure.unfinished.as_published { Some(last(better)) } else { figure.as_published };
    measured.filter(|measured| measured.is_valid)
}

/// The proper figure of an entry's stand-in, if it is valid; the worst figure if it ran out of time.
pub fn properly_for_it(figure: &ReproducedFigure, better: Better) -> Option<MeasuredFigure> {
    let measured = if figure.unfinished.properly_for_it { Some(last(better)) } else { figure.properly_for_it };
    measured.filter(|measured| measured.is_valid)
}

/// A figure behind all figures of contenders that finished, by any margin.
fn last(better: Better) -> MeasuredFigure {
    let worst = if better == Better::Higher { 0.0 } else { f64::MAX };
    MeasuredFigure { median: worst, low: Some(worst), high: Some(worst), rounds: 1, is_valid: true }
}

/// Whether a figure stands for a contender that did not finish.
pub fn is_last(better: Better, measured: MeasuredFigure) -> bool {
    measured == last(better)
}

/// The winners by test and place, if the article has an order there; and the pairs of all measured contenders.
pub fn winners(context: &Context<'_>, figures: &[ReproducedFigure]) -> (Vec<Winner>, Lists) {
    let (mut winners, mut lists) = (Vec::new(), Lists::default());
    for test in &context.article.tests {
        let Some(metric) = test.metrics.first() else { continue };
        for at in places(test, metric) {
            let metric_at = MetricAt { test, metric, at: at.as_deref() };
            let entries = entries(metric_at, figures);
            if entries.len() < 2 {
                continue;
            }
            let margin = context.record.plan.margin.0;
            lists.as_published.push(pairs(&entries, metric.better, margin, as_published));
            lists.properly.push(pairs(&entries, metric.better, margin, properly_for_it));
            winners.push(winner(context, metric_at, &entries));
        }
    }
    (winners, lists)
}

/// The article's contenders with their figures or, if it has fewer than two figures, with their ranks. A bound is not a
/// figure.
fn entries<'a>(metric_at: MetricAt<'_>, figures: &'a [ReproducedFigure]) -> Vec<Entrant<'a>> {
    let MetricAt { test, metric, at } = metric_at;
    let own: Vec<&ReproducedFigure> = figures.iter().filter(|figure| metric_at.has(figure)).collect();
    let value = |figure: &ReproducedFigure| figure.published.as_ref().map(|(value, _)| turned(metric.better, *value));
    let by_figures = own.iter().filter_map(|figure| Some(Entrant { published: value(figure)?, figure }));
    let by_figures: Vec<Entrant<'_>> = by_figures.collect();
    if by_figures.len() >= 2 {
        return by_figures;
    }
    let ranking = metric.rankings.iter().find(|ranking| ranking.is_at(test, at));
    let ranking = ranking.or_else(|| metric.rankings.iter().find(|ranking| ranking.at.is_none()));
    let place = |figure: &ReproducedFigure| {
        let order = &ranking?.order;
        if figure.unfinished.published {
            return Some(0.0);
        }
        let place = order.iter().position(|group| group.iter().any(|name| Some(name) == figure.name.as_ref()))?;
        Some((order.len() - place) as f64)
    };
    own.iter().filter_map(|figure| Some(Entrant { published: place(figure)?, figure })).collect()
}

fn turned(better: Better, value: f64) -> f64 {
    match better {
        Better::Higher => value,
        Better::Lower => 1.0 / value,
    }
}

/// Minimum ratio at which figures without intervals differ: with this few rounds the noise is unknown.
pub const WITHOUT_INTERVAL: f64 = 2.0;

/// How many times better one figure is than another, by the medians, between the ends that the intervals allow.
pub fn times_better(better: Better, one: MeasuredFigure, other: MeasuredFigure) -> (f64, f64, f64) {
    let (one, other) = if better == Better::Higher { (one, other) } else { (other, one) };
    let range = |of: MeasuredFigure| (of.low.unwrap_or(of.median), of.high.unwrap_or(of.median));
    let ((low, high), (other_low, other_high)) = (range(one), range(other));
    let (least, median, most) = (low / other_high, one.median / other.median, high / other_low);
    match one.low.is_some() && other.low.is_some() {
        true => (least, median, most),
        false => (least.min(median / WITHOUT_INTERVAL), median, most.max(median * WITHOUT_INTERVAL)),
    }
}

/// Which of two figures is better beyond the margin and beyond both intervals: 1 the first, −1 the second, 0 neither.
pub fn compared(better: Better, margin: f64, one: MeasuredFigure, other: MeasuredFigure) -> i8 {
    let (least, median, most) = times_better(better, one, other);
    if least >= 1.0 && 1.0 - 1.0 / median > margin {
        1
    } else if most <= 1.0 && 1.0 - median > margin {
        -1
    } else {
        0
    }
}

fn order_published(one: f64, other: f64) -> i8 {
    order(one, other, PUBLISHED_MARGIN)
}

fn pairs(entries: &[Entrant<'_>], better: Better, margin: f64, form: Form) -> OrderedPairs {
    let mut pairs = OrderedPairs::default();
    for (index, one) in entries.iter().enumerate() {
        for other in &entries[index + 1..] {
            if let (Some(a), Some(b)) = (form(one.figure, better), form(other.figure, better)) {
                pairs.add(order_published(one.published, other.published), compared(better, margin, a, b));
            }
        }
    }
    pairs
}

fn winner(context: &Context<'_>, metric_at: MetricAt<'_>, entries: &[Entrant<'_>]) -> Winner {
    let MetricAt { test, metric, at } = metric_at;
    let best = entries.iter().map(|entry| entry.published).fold(f64::NEG_INFINITY, f64::max);
    let (first, others): (Vec<&Entrant<'_>>, Vec<&Entrant<'_>>) =
        entries.iter().partition(|entry| order_published(entry.published, best) == 0);
    let margin = context.record.plan.margin.0;
    let wins = |form: Form| wins(&first, &others, metric.better, margin, form);
    Winner {
        test: test.name.clone(),
        at: at.map(str::to_owned),
        published: first.iter().filter_map(|entry| entry.figure.name.clone()).collect(),
        as_published: wins(as_published),
        properly: wins(properly_for_it),
        tau: tau(context, metric_at, entries),
    }
}

/// Whether all published winners are better than all other contenders here.
fn wins(first: &[&Entrant<'_>], others: &[&Entrant<'_>], better: Better, margin: f64, form: Form) -> Wins {
    if others.is_empty() {
        return Wins::Tie;
    }
    let measured = |entries: &[&Entrant<'_>]| -> Vec<MeasuredFigure> {
        entries.iter().filter_map(|entry| form(entry.figure, better)).collect()
    };
    let (first, others) = (measured(first), measured(others));
    if first.is_empty() || others.is_empty() {
        return Wins::Unknown;
    }
    let pairs = first.iter().flat_map(|one| others.iter().map(move |other| (*one, *other)));
    let against: Vec<i8> = pairs.map(|(one, other)| compared(better, margin, one, other)).collect();
    if against.contains(&-1) {
        Wins::No
    } else if against.iter().all(|order| *order == 1) {
        Wins::Yes
    } else {
        Wins::NotToldApart
    }
}

fn tau(context: &Context<'_>, metric_at: MetricAt<'_>, entries: &[Entrant<'_>]) -> Option<Agreement> {
    let is_valid = |entry: &&Entrant<'_>| entry.figure.properly_for_it.is_some_and(|measured| measured.is_valid);
    let valid = entries.iter().filter(is_valid);
    let known = valid.filter_map(|entry| {
        let stand_in = context.stand_ins.iter().find(|one| Some(&one.name) == entry.figure.name.as_ref());
        Some((entry.published, stand_in?.properly.as_ref()?))
    });
    let (published, labels): (Vec<f64>, Vec<&Label>) = known.unzip();
    let rounds = properly_by_round(context, metric_at, &labels);
    let turned = |values: &Vec<f64>| values.iter().map(|value| turned(metric_at.metric.better, *value)).collect();
    let rounds: Vec<Vec<f64>> = rounds.iter().map(turned).collect();
    let margins = (PUBLISHED_MARGIN, context.record.plan.margin.0);
    tau_over_rounds(&published, &rounds, margins, context.record.plan.seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(median: f64, low: f64, high: f64) -> MeasuredFigure {
        MeasuredFigure { median, low: Some(low), high: Some(high), rounds: 5, is_valid: true }
    }

    #[test]
    fn a_difference_counts_beyond_the_margin_and_both_intervals() {
        let (slow, fast) = (measured(100.0, 95.0, 105.0), measured(150.0, 140.0, 160.0));
        assert_eq!(compared(Better::Higher, 0.05, fast, slow), 1);
        assert_eq!(compared(Better::Lower, 0.05, fast, slow), -1);
        assert_eq!(compared(Better::Higher, 0.5, fast, slow), 0, "within the margin");
        assert_eq!(compared(Better::Higher, 0.05, measured(150.0, 100.0, 200.0), slow), 0, "the intervals overlap");
        let alone = |median| MeasuredFigure { median, low: None, high: None, rounds: 1, is_valid: true };
        assert_eq!(compared(Better::Higher, 0.05, alone(1.0), alone(1.9)), 0, "one round has no interval");
        assert_eq!(compared(Better::Higher, 0.05, alone(1.0), alone(2.0)), -1, "so large a difference needs none");
    }

    #[test]
    fn unfinished_contenders_rank_below_finished_ones_only() {
        for better in [Better::Higher, Better::Lower] {
            let alone = MeasuredFigure { median: 3.0, low: None, high: None, rounds: 1, is_valid: true };
            assert_eq!(compared(better, 0.05, alone, last(better)), 1, "{better:?}");
            assert_eq!(compared(better, 0.05, last(better), measured(1.0, 0.9, 1.1)), -1, "{better:?}");
            assert_eq!(compared(better, 0.05, last(better), last(better)), 0, "{better:?}");
        }
    }

    #[test]
    fn published_figures_that_differ_by_a_hair_are_equal() {
        assert_eq!([(8048.0, 8056.0), (328.0, 322.0), (1.0, 2.0)].map(|(a, b)| order_published(a, b)), [0, 1, -1]);
    }
}
