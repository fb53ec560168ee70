//! Ranks and best group in each workload, and the mean ratios over all workloads. They follow from the judged verdicts
//! alone: an invalid verdict enters neither a rank nor a mean.

use fsarena_model::Verdict;
use fsarena_model::comparison::{Cell, PairVerdict, StandingRow, SuiteRow};
use fsarena_stats::{Part, Rule, Standings, weighted_mean};

use crate::analysis::Analysis;
use crate::decisions::Decisions;
use crate::evidence::{pairs, ratio};
use crate::verdicts::decision_of;

/// The rank of every contender in every workload, by workload, then contender.
pub fn standings(decisions: &Decisions<'_>) -> Vec<StandingRow> {
    let rows = decisions.cells.iter().zip(&decisions.verdicts);
    rows.flat_map(|(cells, verdicts)| of_workload(&decisions.analysis, cells, verdicts)).collect()
}

fn of_workload(analysis: &Analysis<'_>, cells: &[Cell], verdicts: &[PairVerdict]) -> Vec<StandingRow> {
    let judged = || pairs(cells.len()).zip(verdicts.iter().map(|pair| pair.verdict));
    let is_ranked = |member: &usize| {
        judged().any(|((a, b), verdict)| {
            let is_valid = verdict != Verdict::Invalid && cells[a].rounds > 0 && cells[b].rounds > 0;
            is_valid && [a, b].contains(member)
        })
    };
    let mut rows: Vec<StandingRow> = cells.iter().map(unranked).collect();
    for (_, members) in analysis.classes() {
        let members: Vec<usize> = members.into_iter().filter(is_ranked).collect();
        let place = |wanted: usize| members.iter().position(|member| *member == wanted);
        let decided = |((a, b), verdict)| Some((place(a)?, place(b)?, decision_of(verdict)));
        let standings = Standings::new(members.len(), judged().filter_map(decided));
        for (member, rank) in members.iter().zip(standings.ranks()) {
            let row = &mut rows[*member];
            (row.rank_best, row.rank_worst) = (Some(rank.best as u32), Some(rank.worst as u32));
        }
        standings.best_group().into_iter().for_each(|best| rows[members[best]].in_best_group = true);
    }
    rows
}

fn unranked(cell: &Cell) -> StandingRow {
    let (workload, contender) = (cell.workload.clone(), cell.contender.clone());
    StandingRow { workload, contender, rank_best: None, rank_worst: None, in_best_group: false }
}

/// For each pair of one durability class, the mean over all workloads except open loops.
pub fn suite_ratios(decisions: &Decisions<'_>) -> Vec<SuiteRow> {
    let analysis = &decisions.analysis;
    let closed = analysis.workloads.iter().filter(|own| !own.workload.is_open_loop());
    let closed: Vec<usize> = closed.map(|own| own.index).collect();
    let of_pair = |(a, b)| {
        let parts: Vec<_> = closed.iter().map(|workload| decisions.part(*workload, 1.0, a, b)).collect();
        suite_row(analysis, a, b, &parts)
    };
    if closed.len() > 1 { analysis.ranked_pairs().map(of_pair).collect() } else { Vec::new() }
}

fn suite_row(analysis: &Analysis<'_>, a: usize, b: usize, parts: &[Result<Part<'_>, String>]) -> SuiteRow {
    let known: Vec<Part<'_>> = parts.iter().flatten().copied().collect();
    let mean = if known.len() == parts.len() { weighted_mean(&known) } else { None };
    let interval = mean.map(|mean| mean.interval(Rule::default().alpha / 2.0));
    SuiteRow {
        a: analysis.label(a).clone(),
        b: analysis.label(b).clone(),
        estimate: ratio(mean.map(|mean| mean.estimate), interval),
        workloads: parts.len() as u32,
        left_out: parts.iter().filter_map(|part| part.as_ref().err().cloned()).collect(),
    }
}
