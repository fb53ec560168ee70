//! How figures change with the number of clients.

use std::collections::BTreeMap;

use fsarena_model::comparison::{ScalingPair, ScalingPoint, ScalingRow};
use fsarena_model::{ClientsWork, Measure, Trial, Workload, grouped};
use fsarena_stats::{LogEstimate, Rule, cell_summary};

use crate::analysis::{Analysis, WorkloadTrials};
use crate::evidence::{median, value};
use crate::verdicts::verdict_of;

/// A workload with each number of clients, ascending.
struct Family<'a> {
    name: &'a str,
    members: Vec<(u32, &'a WorkloadTrials<'a>)>,
}

/// All rows, by workload, then contender; empty without clients.
pub(crate) fn rows(analysis: &Analysis<'_>) -> Vec<ScalingRow> {
    let of_family = |family: &Family<'_>| {
        (0..analysis.count()).map(|contender| row(analysis, family, contender)).collect::<Vec<_>>()
    };
    families(analysis).iter().flat_map(of_family).collect()
}

/// The differences between the exponents of contenders of one durability class, by workload, then pair.
pub(crate) fn exponent_pairs(analysis: &Analysis<'_>) -> Vec<ScalingPair> {
    let families = families(analysis);
    let comparable: Vec<(usize, usize)> = analysis.ranked_pairs().collect();
    let tail = Rule::default().alpha / 2.0 / (families.len() * comparable.len()).max(1) as f64;
    let of_family = |family: &Family<'_>| {
        let slopes: Vec<BTreeMap<u32, f64>> =
            (0..analysis.count()).map(|contender| slopes(analysis, family, contender)).collect();
        let pair = |(a, b): &(usize, usize)| {
            let difference = |(round, exponent): (&u32, &f64)| Some(exponent - slopes[*b].get(round)?);
            let differences: Vec<f64> = slopes[*a].iter().filter_map(difference).collect();
            let mean = LogEstimate::of_rounds(&differences)?;
            let interval = mean.interval(tail);
            Some(ScalingPair {
                workload: family.name.to_owned(),
                a: analysis.label(*a).clone(),
                b: analysis.label(*b).clone(),
                difference: mean.estimate,
                low: interval.low,
                high: interval.high,
                verdict: verdict_of(interval.direction()),
                rounds: differences.len() as u32,
            })
        };
        comparable.iter().filter_map(pair).collect::<Vec<_>>()
    };
    families.iter().flat_map(of_family).collect()
}

fn families<'a>(analysis: &'a Analysis<'a>) -> Vec<Family<'a>> {
    let members =
        analysis.workloads.iter().filter_map(|own| Some((own.workload.base(), (own.workload.clients()?, own))));
    let family = |(name, mut members): (&'a str, Vec<(u32, &'a WorkloadTrials<'a>)>)| {
        members.sort_by_key(|(count, _)| *count);
        Family { name, members }
    };
    grouped(members).into_iter().map(family).collect()
}

fn row(analysis: &Analysis<'_>, family: &Family<'_>, contender: usize) -> ScalingRow {
    let exponents: Vec<f64> = slopes(analysis, family, contender).into_values().collect();
    let interval = LogEstimate::of_rounds(&exponents).map(|mean| mean.pointwise());
    ScalingRow {
        workload: family.name.to_owned(),
        contender: analysis.label(contender).clone(),
        unit: family.members.first().map(|(_, own)| own.workload.metric.unit.clone()).unwrap_or_default(),
        points: family.members.iter().map(|(count, own)| point(*count, own, contender)).collect(),
        exponent: LogEstimate::mean_of(&exponents).map(|mean| mean.estimate),
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
    }
}

fn point(clients: u32, own: &WorkloadTrials<'_>, contender: usize) -> ScalingPoint {
    let trials = own.counted(contender);
    let values: Vec<f64> = trials.iter().filter_map(|trial| median(trial)).collect();
    let works: Vec<&ClientsWork> = trials.iter().filter_map(|trial| trial.clients.as_ref()).collect();
    let together: f64 = works.iter().map(|work| work.together).sum();
    let last: f64 = works.iter().map(|work| work.last).sum();
    ScalingPoint {
        clients,
        median: cell_summary(&values).map(|summary| summary.median),
        slowest: fsarena_stats::median(works.iter().filter_map(|work| Some(work.slowest()?.share))),
        until_last: (together > 0.0).then(|| last / together),
        skew: works.iter().map(|work| work.skew).reduce(f64::max),
        skewed: works.iter().map(|work| work.skewed).sum(),
    }
}

/// The exponent in each round in which the contender was measured with every number of clients.
fn slopes(analysis: &Analysis<'_>, family: &Family<'_>, contender: usize) -> BTreeMap<u32, f64> {
    if family.members.len() < 2 || !family.members.iter().all(|(_, own)| is_rate(own.workload)) {
        return BTreeMap::new();
    }
    let counted: Vec<Vec<&Trial>> = family.members.iter().map(|(_, own)| own.counted(contender)).collect();
    let in_round = |round: u32| {
        let point = |((count, own), trials): (&(u32, &WorkloadTrials<'_>), &Vec<&Trial>)| {
            let trial = trials.iter().find(|trial| trial.round == round)?;
            Some((f64::from(*count).ln(), value(trial, own.workload)?))
        };
        let points: Vec<(f64, f64)> = family.members.iter().zip(&counted).map(point).collect::<Option<_>>()?;
        Some((round, slope(&points)))
    };
    analysis.record.rounds.iter().filter_map(|facts| in_round(facts.round)).collect()
}

/// Whether the figure is work done per time, which clients can add to.
fn is_rate(workload: &Workload) -> bool {
    let measures = [Measure::OperationsPerSecond, Measure::MebibytesPerSecond, Measure::MicrosecondsPerOperation];
    measures.contains(&workload.metric.measure)
}

/// The slope of the line of least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let both: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    both / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_is_the_exponent() {
        let at = |clients: f64, rate: f64| (clients.ln(), rate.ln());
        assert!((slope(&[at(1.0, 10.0), at(2.0, 20.0), at(4.0, 40.0)]) - 1.0).abs() < 1e-12);
        assert!(slope(&[at(1.0, 10.0), at(8.0, 10.0)]).abs() < 1e-12);
    }
}
