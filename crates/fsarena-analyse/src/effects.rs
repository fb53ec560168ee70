//! Main effects: what an option of a matrix changes, as the mean over all combinations of the other options.

use fsarena_model::comparison::EffectRow;
use fsarena_model::{Combination, Estimate, Factor, Label, Matrix};
use fsarena_stats::{Rule, weighted_mean};

use crate::decisions::{Decisions, all_parts};

/// The effects of all levels against the first of their factor, by matrix, workload and factor.
pub fn effects(decisions: &Decisions<'_>) -> Vec<EffectRow> {
    let plan = &decisions.analysis.record.plan;
    let mut rows = Vec::new();
    for matrix in &plan.arguments.matrices {
        for workload in 0..plan.workloads.len() {
            for (factor, kind) in matrix.factors.iter().enumerate() {
                let of_level = |level| effect(decisions, matrix, workload, factor, level);
                rows.extend((1..kind.levels.len()).map(of_level));
            }
        }
    }
    rows
}

fn effect(decisions: &Decisions<'_>, matrix: &Matrix, workload: usize, factor: usize, level: usize) -> EffectRow {
    let analysis = &decisions.analysis;
    let pairs = pairs(matrix, factor, level);
    let of_pair = |(base, other): &(&Label, &Label)| {
        let named = format!("{base} / {other}");
        match analysis.contender(base).zip(analysis.contender(other)) {
            Some((a, b)) if a < b => decisions.part(workload, 1.0, a, b).map_err(|why| format!("{named}: {why}")),
            _ => Err(named),
        }
    };
    let parts = all_parts(pairs.iter().map(of_pair));
    let reason = parts.as_ref().err().and_then(|reasons| reasons.first().cloned());
    let known = parts.unwrap_or_default();
    let mean = weighted_mean(&known);
    let interval = mean.map(|mean| mean.interval(Rule::default().alpha / 2.0).ratios());
    // The pairs say how many times better the base is.
    let single: Vec<f64> = known.iter().filter_map(|part| Some((-part.pair.estimate?).exp())).collect();
    let Factor { name: factor, levels } = &matrix.factors[factor];
    EffectRow {
        workload: analysis.workloads[workload].workload.name.to_string(),
        matrix: matrix.argument.clone(),
        factor: factor.clone(),
        level: levels[level].clone(),
        base: levels[0].clone(),
        estimate: Estimate::of(
            mean.map(|mean| (-mean.estimate).exp()),
            interval.map(|(low, high)| (1.0 / high, 1.0 / low)),
        ),
        pairs: pairs.len() as u32,
        least: single.iter().copied().reduce(f64::min).filter(|_| mean.is_some()),
        most: single.iter().copied().reduce(f64::max).filter(|_| mean.is_some()),
        reason: reason.unwrap_or_default(),
    }
}

/// The pairs of contenders that differ in one factor only: its first level, and `level`.
fn pairs(matrix: &Matrix, factor: usize, level: usize) -> Vec<(&Label, &Label)> {
    let at = |wanted: usize| matrix.combinations.iter().filter(move |one| one.levels[factor] == wanted);
    let others = |one: &Combination| {
        let kept = one.levels.iter().enumerate().filter(|(place, _)| *place != factor);
        kept.map(|(_, level)| *level).collect::<Vec<_>>()
    };
    let partner = |base: &Combination| at(level).find(|other| others(other) == others(base));
    at(0).filter_map(|base| Some((&base.label, &partner(base)?.label))).collect()
}
