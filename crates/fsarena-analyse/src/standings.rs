//! Ranks and best group in each workload, and the mean ratios over all workloads. They follow from the judged verdicts
//! alone: an invalid verdict enters neither a rank nor a mean.

use fsarena_model::comparison::{Cell, PairVerdict, StandingRow, SuiteRow};
use fsarena_model::{Estimate, RunRecord, Verdict};
use fsarena_stats::{Part, Rule, Standings, weighted_mean};

use crate::durability::class;
use crate::evidence::pairs;
use crate::looks::Standing;

/// The rank of every contender in every workload, by workload, then contender.
///
/// `cells` are ordered by workload and contender, `verdicts` by workload and pair; both have the same workloads.
pub fn standings(record: &RunRecord, cells: &[Cell], verdicts: &[PairVerdict]) -> Vec<StandingRow> {
    let count = record.plan.contenders.len();
    let pairs = count * count.saturating_sub(1) / 2;
    let rows = cells.chunks(count.max(1)).enumerate();
    rows.flat_map(|(row, cells)| of_workload(record, cells, &verdicts[row * pairs..][..pairs])).collect()
}

/// A verdict with the indices of its contenders in the plan.
type Judged<'a> = (usize, usize, &'a PairVerdict);

fn of_workload(record: &RunRecord, cells: &[Cell], verdicts: &[PairVerdict]) -> Vec<StandingRow> {
    let judged: Vec<Judged<'_>> = pairs(cells.len()).zip(verdicts).map(|((a, b), pair)| (a, b, pair)).collect();
    let mut rows: Vec<StandingRow> = cells.iter().map(unranked).collect();
    for members in fields(record, cells, &judged) {
        let place = |wanted: usize| members.iter().position(|member| *member == wanted);
        let decided = |(a, b, pair): &Judged<'_>| Some((place(*a)?, place(*b)?, decision(pair.verdict)));
        let standings = Standings::new(members.len(), judged.iter().filter_map(decided));
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

/// The contenders that are ranked with each other, by durability class: measured contenders that have a valid pair.
fn fields(record: &RunRecord, cells: &[Cell], judged: &[Judged<'_>]) -> Vec<Vec<usize>> {
    let mut fields: Vec<(_, Vec<usize>)> = Vec::new();
    let is_valid =
        |(a, b, pair): &Judged<'_>| pair.verdict != Verdict::Invalid && cells[*a].rounds > 0 && cells[*b].rounds > 0;
    let is_ranked = |member: usize| judged.iter().any(|pair| (pair.0 == member || pair.1 == member) && is_valid(pair));
    for member in (0..cells.len()).filter(|member| is_ranked(*member)) {
        let class = class(record, member);
        match fields.iter_mut().find(|(other, _)| *other == class) {
            Some((_, members)) => members.push(member),
            None => fields.push((class, vec![member])),
        }
    }
    fields.into_iter().map(|(_, members)| members).collect()
}

/// The verdict for the ranking: an invalid verdict counts as undecided.
fn decision(verdict: Verdict) -> fsarena_stats::Verdict {
    match verdict {
        Verdict::Faster => fsarena_stats::Verdict::Faster,
        Verdict::Slower => fsarena_stats::Verdict::Slower,
        Verdict::Equivalent => fsarena_stats::Verdict::Equivalent,
        Verdict::Undecided | Verdict::Invalid => fsarena_stats::Verdict::Undecided,
    }
}

/// For each pair of one durability class, the mean over all workloads except open loops.
pub fn suite_ratios(record: &RunRecord, standing: &Standing, verdicts: &[PairVerdict]) -> Vec<SuiteRow> {
    let plan = &record.plan;
    let count = plan.contenders.len();
    let closed: Vec<usize> =
        (0..plan.workloads.len()).filter(|number| !plan.workloads[*number].is_open_loop()).collect();
    let width = pairs(count).count();
    let may_be_ranked = |a: usize, b: usize| class(record, a).is_some() && class(record, a) == class(record, b);
    let of_pair = |(place, (a, b)): (usize, (usize, usize))| {
        let part = |number: &usize| part(standing, &verdicts[number * width + place], (*number, 1.0), a, b);
        suite_row(record, a, b, &closed.iter().map(part).collect::<Vec<_>>())
    };
    let chosen = pairs(count).enumerate().filter(|(_, (a, b))| closed.len() > 1 && may_be_ranked(*a, *b));
    chosen.map(of_pair).collect()
}

/// The contribution of one workload, with its weight, to a pair's mean; an error message if it has none.
pub fn part<'a>(
    standing: &'a Standing,
    judged: &PairVerdict,
    (workload, weight): (usize, f64),
    a: usize,
    b: usize,
) -> Result<Part<'a>, String> {
    let because = |reason: &str| Err(format!("{} ({reason})", judged.workload));
    match standing.with_rounds(workload, a, b) {
        _ if judged.verdict == Verdict::Invalid => because(&judged.reason()),
        Some((pair, workload)) if pair.latest.precision.is_some() => Ok(Part { weight, workload, pair: &pair.latest }),
        Some((pair, _)) if pair.latest.rounds > 0 => because("too few rounds to know the noise"),
        _ => because("no round counts"),
    }
}

fn suite_row(record: &RunRecord, a: usize, b: usize, parts: &[Result<Part<'_>, String>]) -> SuiteRow {
    let known: Vec<Part<'_>> = parts.iter().flatten().copied().collect();
    let mean = if known.len() == parts.len() { weighted_mean(&known) } else { None };
    let interval = mean.map(|mean| mean.interval(Rule::default().alpha).ratios());
    let label = |contender: usize| record.plan.contenders[contender].label.clone();
    SuiteRow {
        a: label(a),
        b: label(b),
        estimate: Estimate::of(mean.map(|mean| mean.estimate.exp()), interval),
        workloads: parts.len() as u32,
        left_out: parts.iter().filter_map(|part| part.as_ref().err().cloned()).collect(),
    }
}
