//! The least-squares fit of y = contender + round + lane (recipe, steps 3 and 4).
//!
//! Rounds are complete, so the round effects are taken out exactly by centring each round. Lane effects are coded to
//! sum to zero. Their columns are made orthonormal in the space that is left after rounds and contenders (the
//! theorem of Frisch, Waugh and Lovell), so that no matrix has to be inverted: a lane column that vanishes there
//! either says nothing (an alias of the rounds) or cannot be told from contenders.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::observation::Sheet;
use crate::table::Table;

/// A lane column shorter than this, squared and per cell, has vanished.
const VANISHED: f64 = 1e-9;
/// Differences of logarithms below this, relative to the largest value, are rounding errors.
const ROUNDING: f64 = 1e-12;

/// Whether the lanes' effect is part of the fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LaneTerm {
    /// There are no lanes, only one, or one per round: nothing to fit.
    Absent,
    /// The lanes' effect is estimated and taken out.
    Fitted,
    /// Some lane effect cannot be told from a contender's (a contender always had the same lane, or too few rounds):
    /// the lanes are left out of the fit and their bias is part of the estimates.
    Confounded,
}

/// The fit of one workload.
#[derive(Debug, Clone)]
pub(crate) struct Fit {
    /// Number of rounds, n.
    pub(crate) rounds: usize,
    /// Whether lanes are in the model.
    pub(crate) lane_term: LaneTerm,
    /// Residual degrees of freedom, f.
    pub(crate) freedom: usize,
    /// What contender, round and lane do not explain; exactly zero where it is rounding error.
    pub(crate) residuals: Table,
    effects: Vec<f64>,
    lane_loads: Vec<Vec<f64>>,
}

impl Fit {
    /// Fits one workload; any number of rounds and contenders is allowed, also none.
    pub(crate) fn new(sheet: &Sheet) -> Self {
        let (directions, lane_term) = lane_directions(sheet);
        let centred = sheet.values.centred_in_rounds();
        let adjusted = directions.iter().fold(centred, |rest, direction| {
            let coefficient = direction.centred_in_contenders().dot(&rest);
            rest.minus(direction, coefficient)
        });
        let (rounds, contenders) = (sheet.values.rounds(), sheet.values.contenders());
        let cells = contenders.saturating_sub(1) * rounds.saturating_sub(1);
        Self {
            rounds,
            lane_term,
            freedom: cells.saturating_sub(directions.len()),
            residuals: without_rounding(adjusted.centred_in_contenders(), sheet.values.largest()),
            effects: adjusted.contender_means(),
            lane_loads: directions.iter().map(Table::contender_means).collect(),
        }
    }

    /// Number of contenders, K.
    pub(crate) fn contenders(&self) -> usize {
        self.effects.len()
    }

    /// All unordered pairs (a < b).
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let contenders = self.contenders();
        (0..contenders).flat_map(move |a| (a + 1..contenders).map(move |b| (a, b)))
    }

    /// The logarithm of the ratio of a over b.
    pub(crate) fn estimate(&self, a: usize, b: usize) -> f64 {
        self.effects[a] - self.effects[b]
    }

    /// The c of the recipe: the estimate's variance in units of one observation's; 2/n without lanes.
    pub(crate) fn variance_factor(&self, a: usize, b: usize) -> f64 {
        let lanes = self.lane_loads.iter().map(|load| (load[a] - load[b]).powi(2));
        2.0 / self.rounds as f64 + lanes.sum::<f64>()
    }

    /// The sum of the squared residuals, SSE.
    pub(crate) fn residual_square(&self) -> f64 {
        self.residuals.square()
    }
}

fn without_rounding(residuals: Table, largest: f64) -> Table {
    let negligible = residuals.largest() <= ROUNDING * largest.max(1.0);
    if negligible { residuals.times(0.0) } else { residuals }
}

/// The lane columns, centred in rounds, combined so that after centring in contenders they are orthonormal.
fn lane_directions(sheet: &Sheet) -> (Vec<Table>, LaneTerm) {
    let vanished = VANISHED * sheet.lanes.len() as f64;
    let mut directions: Vec<Table> = Vec::new();
    for column in lane_columns(sheet) {
        let rest = directions.iter().fold(column.centred_in_rounds(), |rest, direction| {
            let coefficient = direction.centred_in_contenders().dot(&rest);
            rest.minus(direction, coefficient)
        });
        let length = rest.centred_in_contenders().square();
        if length > vanished {
            directions.push(rest.times(length.sqrt().recip()));
        } else if rest.square() > vanished {
            return (Vec::new(), LaneTerm::Confounded);
        }
    }
    let term = if directions.is_empty() { LaneTerm::Absent } else { LaneTerm::Fitted };
    (directions, term)
}

/// One column per lane but the last: 1 on the lane, −1 on the last lane, 0 elsewhere and without a lane.
fn lane_columns(sheet: &Sheet) -> Vec<Table> {
    let mut lanes: BTreeSet<usize> = sheet.lanes.iter().flatten().copied().collect();
    let Some(last) = lanes.pop_last() else {
        return Vec::new();
    };
    let code = |here: Option<usize>, lane: usize| match here {
        Some(here) if here == lane => 1.0,
        Some(here) if here == last => -1.0,
        _ => 0.0,
    };
    let column = |lane| sheet.lanes.iter().map(|&here| code(here, lane)).collect();
    lanes.iter().map(|&lane| Table::new(sheet.values.contenders(), column(lane))).collect()
}
