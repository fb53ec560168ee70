//! The articles of the catalogue refer to existing items only, and the rules find the known errors in them.

use std::collections::BTreeSet;

use fsarena_articles::Article;
use fsarena_articles::article::{Blamed, PublishedMetric, PublishedTest, Quantity, Reckoning, Source};
use fsarena_articles::{judge, numerals};
use fsarena_model::Label;

fn articles() -> Vec<Article> {
    fsarena_articles::articles().expect("well-formed")
}

#[test]
fn contenders_that_are_named_are_there() {
    for article in articles() {
        let known: BTreeSet<&str> = article.contenders.iter().map(|contender| &*contender.name).collect();
        let mut named: Vec<&str> = Vec::new();
        for metric in article.tests.iter().flat_map(|test| &test.metrics) {
            named.extend(metric.figures.iter().map(|figure| &*figure.contender));
            named.extend(metric.over.as_deref());
            for ranking in &metric.rankings {
                named.extend(ranking.order.iter().flatten().chain(&ranking.did_not_finish).map(String::as_str));
            }
        }
        let checks = article.claims.iter().flat_map(|claim| &claim.check);
        named.extend(checks.flat_map(|check| check.order.iter().flatten()).map(String::as_str));
        let causes = article.claims.iter().filter_map(|claim| claim.cause.as_ref());
        named.extend(causes.flat_map(|cause| [&*cause.slower, &*cause.faster]));
        for name in named {
            assert!(known.contains(name), "{}: no contender `{name}`", article.name);
        }
    }
}

#[test]
fn tests_and_metrics_that_are_named_are_there() {
    for article in articles() {
        let has = |test: &str, metric: Option<&str>| {
            let has_metric =
                |test: &PublishedTest| metric.is_none_or(|name| test.metrics.iter().any(|one| one.name == name));
            assert!(article.test(test).is_some_and(has_metric), "{}: no `{test}` {metric:?}", article.name);
        };
        for claim in &article.claims {
            claim.check.iter().for_each(|check| has(&check.test, check.metric.as_deref()));
            for check in &claim.check {
                let places = article.test(&check.test).map(|test| test.places.as_slice()).unwrap_or_default();
                assert!(check.at.iter().all(|at| places.contains(at)), "{}: `{}`: places", article.name, claim.name);
            }
            if let Some(cause) = &claim.cause {
                has(&cause.test, cause.metric.as_deref());
                let places = article.test(&cause.test).map(|test| test.places.as_slice()).unwrap_or_default();
                assert!(cause.at.iter().all(|at| places.contains(at)), "{}: `{}`: place", article.name, claim.name);
                if let Blamed::Options { slower, faster } = &cause.blames {
                    let all = [slower, faster].map(|name| fsarena_catalog::contender(name).expect("a contender").label);
                    assert_eq!(all, [slower, faster].map(|name| Label(name.clone())), "a label is its argument");
                }
            }
            for computed in &claim.computed {
                if let Some(Reckoning::Ratio { test, metric, .. } | Reckoning::More { test, metric, .. }) =
                    &computed.from
                {
                    has(test, Some(metric));
                }
            }
        }
        for test in article.tests.iter().flat_map(|test| &test.metrics).flat_map(|metric| &metric.sum_of) {
            has(test, None);
        }
    }
}

#[test]
fn workloads_and_steps_that_stand_for_a_test_are_there() {
    let mut looked_up = 0;
    for article in articles() {
        let of_test = |test: &PublishedTest| -> Vec<Source> {
            let sources = test.as_published.iter().chain(&test.properly);
            let places =
                || test.places.iter().map(|place| Some(place.as_str())).chain(test.places.is_empty().then_some(None));
            sources.flat_map(|source| places().map(|place| source.at(place))).collect()
        };
        for source in article.tests.iter().flat_map(of_test) {
            let workload = fsarena_catalog::workload(&source.workload).expect("in the catalogue");
            let Some(steps) = workload.parameters["steps"].as_array() else { continue };
            for step in &source.steps {
                assert!(steps.iter().any(|one| one["name"] == **step), "{}: no step `{step}`", workload.name);
                looked_up += 1;
            }
        }
    }
    assert!(looked_up > 30, "{looked_up} steps");
}

#[test]
fn names_are_unique_and_nothing_is_empty() {
    for article in articles() {
        let claims: BTreeSet<&str> = article.claims.iter().map(|claim| &*claim.name).collect();
        let tests: BTreeSet<&str> = article.tests.iter().map(|test| &*test.name).collect();
        let names = (tests.len(), claims.len());
        assert_eq!(names, (article.tests.len(), article.claims.len()), "{}", article.name);
        assert!(
            article.claims.iter().all(|claim| !claim.why.is_empty() && !claim.original.is_empty()),
            "{}",
            article.name
        );
        assert!(!article.machine.is_empty() && !article.tests.is_empty(), "{}", article.name);
    }
}

/// The figure of a contender, and half of the last digit that it is written with.
fn rounded(metric: &PublishedMetric, name: &str) -> Option<(f64, f64)> {
    let figure = metric.figures.iter().find(|figure| figure.contender == name && figure.at.is_none())?;
    let numeral = numerals(&figure.text)[0].replace(',', "");
    let decimals = numeral.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Some((figure.value, 0.5 * 10_f64.powi(-(decimals as i32))))
}

#[test]
fn speed_ups_are_ratios_of_their_figures() {
    let mut compared = 0;
    for article in articles() {
        for test in &article.tests {
            for metric in &test.metrics {
                let Some(base) = metric.over.as_ref().and_then(|base| rounded(&test.metrics[0], base)) else {
                    continue;
                };
                for figure in &metric.figures {
                    let (speed_up, off) = rounded(metric, &figure.contender).expect("there");
                    let own = rounded(&test.metrics[0], &figure.contender).expect("there");
                    let ratio = base.0 / own.0;
                    let off = off + ratio * (base.1 / base.0 + own.1 / own.0);
                    assert!((speed_up - ratio).abs() <= off * (1.0 + 1e-9), "{}: {speed_up}, {ratio}", test.name);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 30, "{compared}");
}

/// The figure of a contender in the metric that has a quantity.
fn taken_as(test: &PublishedTest, quantity: Quantity, name: &str) -> Option<f64> {
    let metric = test.metrics.iter().find(|metric| metric.quantity == Some(quantity))?;
    metric.figures.iter().find(|figure| figure.contender == name).map(|figure| figure.value)
}

#[test]
fn totals_are_sums_and_operations_in_flight_are_rates_times_latencies() {
    let is_near = |one: f64, other: f64| (one / other - 1.0).abs() < 0.03;
    let mut compared = 0;
    for article in articles() {
        for test in &article.tests {
            for figure in test.metrics.iter().filter(|metric| !metric.sum_of.is_empty()).flat_map(|it| &it.figures) {
                let seconds = |part: &String| {
                    let part = article.test(part).expect("there");
                    let by_rate = || {
                        Some(
                            part.work.operations? as f64
                                / taken_as(part, Quantity::OperationsPerSecond, &figure.contender)?,
                        )
                    };
                    taken_as(part, Quantity::Seconds, &figure.contender).or_else(by_rate)
                };
                let total = test.metrics[0].sum_of.iter().map(seconds).sum::<Option<f64>>().expect("all have a time");
                assert!(is_near(total, figure.value), "{}: {total}, {}", test.name, figure.value);
                compared += 1;
            }
            for contender in &article.contenders {
                let of = |quantity| taken_as(test, quantity, &contender.name);
                let busy = |rate, latency| Some(of(rate)? * of(latency)? / 1000.0);
                let reads = busy(Quantity::ReadsPerSecond, Quantity::ReadLatency);
                let writes = busy(Quantity::WritesPerSecond, Quantity::WriteLatency);
                let both = reads.zip(writes).map(|(reads, writes)| reads + writes);
                let known = busy(Quantity::OperationsPerSecond, Quantity::Latency).or(both).zip(test.work.in_flight);
                assert!(known.is_none_or(|(busy, given)| is_near(busy, given as f64)), "{}: {known:?}", test.name);
                compared += usize::from(known.is_some());
            }
        }
    }
    assert!(compared > 10, "{compared}");
}

/// Number of findings of each rule that finds something.
fn found(name: &str) -> Vec<(&'static str, usize)> {
    let article = fsarena_articles::article(name).expect("there");
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for finding in judge(&article) {
        match counts.last_mut().filter(|(rule, _)| *rule == finding.rule) {
            Some((_, count)) => *count += 1,
            None => counts.push((finding.rule, 1)),
        }
    }
    counts
}

#[test]
fn the_rules_find_what_is_known_to_be_wrong() {
    assert_eq!(found("axvisor"), [("constant-time", 1), ("truncated-division", 1), ("throughput", 6), ("medium", 9)]);
    let openeuler = [
        ("process-time", 4),
        ("computed", 2),
        ("given-twice", 4),
        ("cap", 3),
        ("over-cap", 1),
        ("idle-disk", 1),
        ("bandwidth", 3),
        ("ranking", 1),
        ("claimed-order", 4),
    ];
    assert_eq!(found("openeuler"), openeuler);
    assert_eq!(found("vagrant"), [("medium", 2)]);
    assert_eq!(found("trading"), [("claimed-order", 2)]);
    assert_eq!(found("phoronix-2009"), [("medium", 1), ("revolutions", 2), ("claimed-order", 1)]);
}
