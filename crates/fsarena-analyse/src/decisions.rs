//! The decisions on all pairs of a run, with the cells that they restrict.

use fsarena_model::comparison::{Cell, PairVerdict, too_few};
use fsarena_model::{RunRecord, Verdict};
use fsarena_stats::{Part, pairs};

use crate::analysis::Analysis;
use crate::assess::cells;
use crate::looks::Standing;
use crate::stability;
use crate::verdicts::{LEAST, verdicts};

/// What is decided about the pairs of a run.
pub(crate) struct Decisions<'a> {
    pub(crate) analysis: Analysis<'a>,
    pub(crate) standing: Standing,
    /// By workload, then contender.
    pub(crate) cells: Vec<Vec<Cell>>,
    /// By workload, then pair; a smoke run has none.
    pub(crate) verdicts: Vec<Vec<PairVerdict>>,
}

impl<'a> Decisions<'a> {
    pub(crate) fn new(record: &'a RunRecord) -> Self {
        let analysis = Analysis::new(record);
        let standing = Standing::new(&analysis);
        let mut cells = cells(&analysis);
        stability::judge(&analysis, &standing, &mut cells);
        let is_judged = !record.plan.is_smoke();
        let verdicts = if is_judged { verdicts(&analysis, &standing, &cells) } else { Vec::new() };
        Self { analysis, standing, cells, verdicts }
    }

    /// The verdict on contenders `a` and `b`, where `a` < `b`; `None` in a smoke run.
    pub(crate) fn verdict(&self, workload: usize, a: usize, b: usize) -> Option<&PairVerdict> {
        let place = pairs(self.analysis.count()).position(|pair| pair == (a, b))?;
        self.verdicts.get(workload)?.get(place)
    }

    /// Whether contender `one` is decided to be better than `other` in a workload.
    pub(crate) fn beats(&self, workload: usize, one: usize, other: usize) -> bool {
        let wanted = if one < other { Verdict::Faster } else { Verdict::Slower };
        self.verdict(workload, one.min(other), one.max(other)).is_some_and(|pair| pair.verdict == wanted)
    }

    /// The contribution of one workload to the mean of contenders `a` and `b`, where `a` < `b`; an error message if it
    /// has none.
    pub(crate) fn part(&self, workload: usize, weight: f64, a: usize, b: usize) -> Result<Part<'_>, String> {
        let judged = self.verdict(workload, a, b).ok_or_else(|| "not measured".to_owned())?;
        let because = |reason: &str| Err(format!("{} ({reason})", judged.workload));
        match self.standing.with_rounds(workload, a, b) {
            _ if judged.verdict == Verdict::Invalid => because(&judged.reason()),
            Some((pair, workload)) if pair.latest.rounds >= LEAST => Ok(Part { weight, workload, pair: &pair.latest }),
            pair => because(&too_few(pair.map_or(0, |(pair, _)| pair.latest.rounds), LEAST)),
        }
    }
}

/// The contributions to a mean; the error messages if some have none.
pub(crate) fn all_parts<'a>(
    parts: impl Iterator<Item = Result<Part<'a>, String>>,
) -> Result<Vec<Part<'a>>, Vec<String>> {
    let (known, unknown): (Vec<_>, Vec<_>) = parts.partition(Result::is_ok);
    let unknown: Vec<String> = unknown.into_iter().filter_map(Result::err).collect();
    if unknown.is_empty() { Ok(known.into_iter().flatten().collect()) } else { Err(unknown) }
}
