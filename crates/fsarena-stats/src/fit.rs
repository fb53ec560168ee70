//! The least-squares fit of y = contender + round + lane to one workload's values (recipe, steps 3 and 4).

use std::rc::Rc;

use crate::design::Design;
use crate::observation::Sheet;
use crate::table::Table;

/// Differences of logarithms below this, relative to the largest value, are rounding errors.
const ROUNDING: f64 = 1e-12;

/// The fit of one workload.
#[derive(Debug, Clone)]
pub(crate) struct Fit {
    /// What the fit owes to lanes and rounds alone; workloads that were measured together share one.
    pub(crate) design: Rc<Design>,
    /// What contender, round and lane do not explain; exactly zero where it is rounding error.
    pub(crate) residuals: Table,
    /// As [`crate::WorkloadData::peers`].
    pub(crate) peers: u32,
    effects: Vec<f64>,
}

impl Fit {
    /// Fits one workload; any number of rounds and contenders is allowed, also none.
    pub(crate) fn new(sheet: &Sheet, design: Rc<Design>) -> Self {
        let centred = sheet.values.centred_in_rounds();
        let adjusted = design.directions.iter().fold(centred, |rest, direction| {
            let coefficient = direction.centred_in_contenders().dot(&rest);
            rest.minus(direction, coefficient)
        });
        Self {
            peers: sheet.peers,
            design,
            residuals: without_rounding(adjusted.centred_in_contenders(), sheet.values.largest()),
            effects: adjusted.contender_means(),
        }
    }

    /// The fit of a weighted sum of the values of workloads that have one design; there is at least one of them.
    pub(crate) fn sum(parts: &[(f64, &Self)]) -> Self {
        let (weight, first) = parts[0];
        let rest = |residuals: Table, (weight, fit): &(f64, &Self)| residuals.minus(&fit.residuals, -weight);
        let effect = |contender: usize| parts.iter().map(|(weight, fit)| weight * fit.effects[contender]).sum();
        Self {
            design: Rc::clone(&first.design),
            residuals: parts[1..].iter().fold(first.residuals.times(weight), rest),
            peers: first.peers,
            effects: (0..first.effects.len()).map(effect).collect(),
        }
    }

    /// The logarithm of the ratio of a over b.
    pub(crate) fn estimate(&self, a: usize, b: usize) -> f64 {
        self.effects[a] - self.effects[b]
    }

    /// The sum of the squared residuals, SSE.
    pub(crate) fn residual_square(&self) -> f64 {
        self.residuals.square()
    }

    /// The sum of the squared steps between the residuals of neighbouring rounds.
    pub(crate) fn step_square(&self) -> f64 {
        let rows: Vec<&[f64]> = self.residuals.rows().collect();
        let steps = rows.windows(2).flat_map(|pair| pair[0].iter().zip(pair[1]));
        steps.map(|(before, after)| (after - before).powi(2)).sum()
    }
}

fn without_rounding(residuals: Table, largest: f64) -> Table {
    let negligible = residuals.largest() <= ROUNDING * largest.max(1.0);
    if negligible { residuals.times(0.0) } else { residuals }
}
