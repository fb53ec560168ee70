//! What people do: a paired t-test at each look, at α, whatever the number of pairs and looks.

use crate::decide::{Decision, PairDecision, WorkloadDecision};
use crate::error::StatsError;
use crate::fit::LaneTerm;
use crate::interval::Interval;
use crate::look::Rule;
use crate::observation::{Sheet, WorkloadData};
use crate::quantile::student_upper;
use crate::table::Table;

/// Looks at all workloads, of at least 2 rounds each.
pub(crate) fn decide(rule: &Rule, known: &[WorkloadData]) -> Result<Vec<WorkloadDecision>, StatsError> {
    let sheets = known.iter().enumerate().map(|(index, data)| Sheet::new(index, data));
    sheets.map(|sheet| Ok(workload(rule, &sheet?.values))).collect()
}

fn workload(rule: &Rule, values: &Table) -> WorkloadDecision {
    let contenders = values.contenders();
    let pairs = (0..contenders).flat_map(|a| (a + 1..contenders).map(move |b| (a, b)));
    WorkloadDecision {
        rounds: values.rounds() as u32,
        lane_term: LaneTerm::Absent,
        pairs: pairs.map(|(a, b)| pair(rule, values, a, b)).collect(),
    }
}

fn pair(rule: &Rule, values: &Table, a: usize, b: usize) -> PairDecision {
    let differences: Vec<f64> = values.rows().map(|row| row[a] - row[b]).collect();
    let count = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / count;
    let square = differences.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let width = student_upper(count - 1.0, rule.alpha / 2.0) * (square / count).sqrt();
    let interval = Interval::around(mean, width);
    PairDecision {
        a,
        b,
        estimate: Some(mean),
        pointwise: Some(interval),
        decision: Some(interval),
        verdict: verdict(&interval),
        rounds: differences.len() as u32,
        needs_rounds: None,
    }
}

fn verdict(interval: &Interval) -> Decision {
    if interval.contains(0.0) {
        Decision::Undecided
    } else if interval.low > 0.0 {
        Decision::Better
    } else {
        Decision::Worse
    }
}
