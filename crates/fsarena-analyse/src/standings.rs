//! Ranks and best group in each workload, and the mean ratios over all workloads. They follow from the judged verdicts
//! alone: an invalid verdict enters neither a rank nor a mean.
//!
//! No order is made up: verdicts of pairs need not be transitive. If no verdict is wrong, which the rule guarantees for
//! 95 of 100 runs, the truly best contender is in the best group and every true rank is within its bounds, for all
//! workloads at once (a confidence set for the best and simultaneous intervals of ranks; Hsu 1996, Klein, Wright and
//! Wieczorek 2020). A best group is empty only if verdicts form a cycle, which is possible for verdicts of different
//! looks.

use fsarena_model::Verdict;
use fsarena_model::comparison::{StandingRow, SuiteRow};
use fsarena_stats::{pairs, weighted_mean};

use crate::decisions::{Decisions, all_parts};
use crate::evidence::pointwise;

/// The rank of every contender in every workload, by workload, then contender.
pub fn standings(decisions: &Decisions<'_>) -> Vec<StandingRow> {
    (0..decisions.verdicts.len()).flat_map(|workload| of_workload(decisions, workload)).collect()
}

fn of_workload(decisions: &Decisions<'_>, workload: usize) -> Vec<StandingRow> {
    let cells = &decisions.cells[workload];
    let is_valid = |((a, b), verdict): &((usize, usize), Verdict)| {
        *verdict != Verdict::Invalid && cells[*a].rounds > 0 && cells[*b].rounds > 0
    };
    let verdicts = decisions.verdicts[workload].iter().map(|pair| pair.verdict);
    let valid: Vec<(usize, usize)> = pairs(cells.len()).zip(verdicts).filter(is_valid).map(|(pair, _)| pair).collect();
    let is_ranked = |member: &usize| valid.iter().any(|(a, b)| [a, b].contains(&member));
    let classes = decisions.analysis.classes();
    let rank = |contender: usize| {
        let (_, members) = classes.iter().find(|(_, members)| members.contains(&contender))?;
        let rivals = || members.iter().copied().filter(is_ranked);
        let better = rivals().filter(|rival| decisions.beats(workload, *rival, contender)).count();
        let worse = rivals().filter(|rival| decisions.beats(workload, contender, *rival)).count();
        is_ranked(&contender).then(|| (1 + better as u32, (rivals().count() - worse) as u32))
    };
    let rows = cells.iter().enumerate().map(|(contender, cell)| {
        let rank = rank(contender);
        StandingRow {
            workload: cell.workload.clone(),
            contender: cell.contender.clone(),
            rank_best: rank.map(|(best, _)| best),
            rank_worst: rank.map(|(_, worst)| worst),
            in_best_group: rank.is_some_and(|(best, _)| best == 1),
        }
    });
    rows.collect()
}

/// For each pair of one durability class, the mean over all workloads except open loops.
pub fn suite_ratios(decisions: &Decisions<'_>) -> Vec<SuiteRow> {
    let analysis = &decisions.analysis;
    let closed = analysis.workloads.iter().filter(|own| !own.workload.is_open_loop());
    let closed: Vec<usize> = closed.map(|own| own.index).collect();
    let of_pair = |(a, b)| {
        let parts = all_parts(closed.iter().map(|workload| decisions.part(*workload, 1.0, a, b)));
        SuiteRow {
            a: analysis.label(a).clone(),
            b: analysis.label(b).clone(),
            estimate: pointwise(parts.as_ref().ok().and_then(|parts| weighted_mean(parts))),
            workloads: closed.len() as u32,
            left_out: parts.err().unwrap_or_default(),
        }
    };
    if closed.len() > 1 { analysis.ranked_pairs().map(of_pair).collect() } else { Vec::new() }
}
