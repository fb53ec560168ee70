//! The remaining work of a run: its further rounds and their workloads.

use fsarena_analyse::{RunSoFar, rounds_of_workload};
use fsarena_model::{Nanos, Rounds, RunRecord, Status, Workload};
use serde::{Deserialize, Serialize};

use crate::RunError;
use crate::pace::{estimated_round_of, require_time};
use crate::scope::{Extent, Scope};

/// How far to continue a stored run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wish {
    /// At most this many further rounds.
    Rounds(u32),
    /// As many further rounds as fit within this time.
    Within(Nanos),
    /// The rest of an interrupted plan. Otherwise further rounds for undecided pairs, as far as they fit into the
    /// default budget.
    Usual,
}

/// A run with work that remains.
#[derive(Debug, Clone, PartialEq)]
pub struct Remaining {
    /// The run so far.
    pub record: RunRecord,
    /// The time at which a stored run continues, RFC 3339 in UTC; `None` for a new run.
    pub(crate) resumed: Option<String>,
    /// How far the session goes.
    pub scope: Scope,
    /// The indices of the workloads in the plan.
    pub(crate) open: Vec<usize>,
    /// The clock's time when the session began, from which its budget counts.
    pub(crate) started: Nanos,
}

impl Remaining {
    /// All of a new run.
    pub fn whole(record: RunRecord) -> Self {
        let scope = Scope::of(&record.plan);
        Self { open: open(&record, scope), record, resumed: None, scope, started: Nanos(0) }
    }

    /// The remaining work of the stored run of `record`; `None` if there is none, for example because all pairs are
    /// decided.
    ///
    /// # Errors
    /// [`RunError::Budget`] if no round fits into the given time.
    pub fn of(record: RunRecord, wish: Wish) -> Result<Option<Self>, RunError> {
        let first = last_number(&record) + 1;
        if wish == Wish::Usual && has_its_rounds(&record) {
            return Ok(None);
        }
        let scope = Scope { first, last: u32::MAX, time: None, extent: Extent::Undecided };
        let scope = match wish {
            Wish::Rounds(count) => Scope { last: first.saturating_add(count - 1), ..scope },
            Wish::Within(budget) => Scope { time: Some(budget), ..scope },
            Wish::Usual => planned(&record, first).unwrap_or_else(|| {
                let time = Some(Rounds::usual_budget(record.plan.contenders.len()));
                Scope { time, ..scope }
            }),
        };
        let open = open(&record, scope);
        if open.is_empty() {
            return Ok(None);
        }
        if let Some(budget) = scope.time {
            let took = fsarena_stats::median(record.rounds.iter().map(|facts| facts.seconds));
            let estimated = || estimated_round_of(&record.plan, &open);
            let round = took.map_or_else(estimated, |seconds| Nanos((seconds * 1e9) as u64));
            require_time(&record.plan, round, budget)?;
        }
        Ok(Some(Self { open, record, resumed: None, scope, started: Nanos(0) }))
    }

    /// The same, for a stored run that continues at `at` (RFC 3339, UTC).
    pub fn resumed(self, at: String) -> Self {
        Self { resumed: Some(at), ..self }
    }
}

/// The number of the last round. An interrupted round counts if one of its workloads was measured, so that no workload
/// runs twice in the same round.
fn last_number(record: &RunRecord) -> u32 {
    let measured = record.trials.iter().map(|trial| trial.round);
    measured.chain(record.rounds.iter().map(|facts| facts.round)).max().unwrap_or(0)
}

/// Whether a run was interrupted after all rounds of its plan were complete.
fn has_its_rounds(record: &RunRecord) -> bool {
    let has_all = matches!(record.plan.rounds, Rounds::Exactly(count) if complete(record) >= count);
    record.status == Status::Interrupted && has_all
}

/// The number of complete rounds: finished rounds that every workload has.
fn complete(record: &RunRecord) -> u32 {
    let finished = record.rounds.len() as u32;
    record.plan.workloads.iter().map(|workload| rounds_of_workload(record, workload)).min().unwrap_or(0).min(finished)
}

/// The missing rounds of an interrupted run's plan; `None` if nothing is missing.
fn planned(record: &RunRecord, first: u32) -> Option<Scope> {
    let scope = Scope::of(&record.plan);
    let last = match record.plan.rounds {
        // An interrupted round does not count as one of the planned rounds.
        Rounds::Exactly(count) => first + count.checked_sub(complete(record) + 1)?,
        Rounds::Within(_) => scope.last,
    };
    (record.status == Status::Interrupted && first <= last).then_some(Scope { first, last, ..scope })
}

fn open(record: &RunRecord, scope: Scope) -> Vec<usize> {
    let mut open = match scope.extent {
        Extent::All => (0..record.plan.workloads.len()).collect(),
        Extent::Undecided => RunSoFar::of(record).open(),
    };
    open.retain(|index| !has_most_rounds(record, &record.plan.workloads[*index]));
    open
}

/// Whether the workload has its maximum number of rounds.
pub(crate) fn has_most_rounds(record: &RunRecord, workload: &Workload) -> bool {
    workload.most_rounds.is_some_and(|most| rounds_of_workload(record, workload) >= most)
}
