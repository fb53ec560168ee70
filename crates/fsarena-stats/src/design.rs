//! Who had which lane in which round, and what follows from that alone, whatever was measured (recipe, steps 3 and 4).
//!
//! Rounds are complete, so the round effects are taken out exactly by centring each round. Lane effects are coded to
//! sum to zero. Their columns are made orthonormal in the space that is left after rounds and contenders (the
//! theorem of Frisch, Waugh and Lovell), so that no matrix has to be inverted: a lane column that vanishes there
//! either says nothing (an alias of the rounds) or cannot be told from contenders.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::dependence::Dependence;
use crate::table::Table;

/// A lane column shorter than this, squared and per cell, has vanished.
const VANISHED: f64 = 1e-9;

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

/// The design of one workload's rounds.
#[derive(Debug, Clone)]
pub(crate) struct Design {
    /// Number of contenders, K.
    pub(crate) contenders: usize,
    /// Number of rounds, n.
    pub(crate) rounds: usize,
    /// Whether lanes are in the model.
    pub(crate) lane_term: LaneTerm,
    /// Residual degrees of freedom, f.
    pub(crate) freedom: usize,
    /// The lane columns, centred in rounds, combined so that after centring in contenders they are orthonormal.
    pub(crate) directions: Vec<Table>,
    /// What rounds that depend on each other would do to the fit.
    pub(crate) dependence: Dependence,
    loads: Vec<Vec<f64>>,
}

impl Design {
    /// The design of `rounds` complete rounds; `lanes` has one entry per cell, round by round.
    pub(crate) fn new(contenders: usize, rounds: usize, lanes: &[Option<usize>]) -> Self {
        let (directions, lane_term) = lane_directions(contenders, lanes);
        let cells = contenders.saturating_sub(1) * rounds.saturating_sub(1);
        Self {
            contenders,
            rounds,
            lane_term,
            freedom: cells.saturating_sub(directions.len()),
            dependence: Dependence::new(contenders, rounds, &directions),
            loads: directions.iter().map(Table::contender_means).collect(),
            directions,
        }
    }

    /// All unordered pairs (a < b).
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let contenders = self.contenders;
        (0..contenders).flat_map(move |a| (a + 1..contenders).map(move |b| (a, b)))
    }

    /// The c of the recipe: the estimate's variance in units of one observation's; 2/n without lanes.
    pub(crate) fn variance_factor(&self, a: usize, b: usize) -> f64 {
        let lanes = self.loads.iter().map(|load| (load[a] - load[b]).powi(2));
        2.0 / self.rounds as f64 + lanes.sum::<f64>()
    }
}

fn lane_directions(contenders: usize, lanes: &[Option<usize>]) -> (Vec<Table>, LaneTerm) {
    let vanished = VANISHED * lanes.len() as f64;
    let mut directions: Vec<Table> = Vec::new();
    for column in lane_columns(contenders, lanes) {
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
fn lane_columns(contenders: usize, lanes: &[Option<usize>]) -> Vec<Table> {
    let mut names: BTreeSet<usize> = lanes.iter().flatten().copied().collect();
    let Some(last) = names.pop_last() else {
        return Vec::new();
    };
    let code = |here: Option<usize>, lane: usize| match here {
        Some(here) if here == lane => 1.0,
        Some(here) if here == last => -1.0,
        _ => 0.0,
    };
    let column = |lane| lanes.iter().map(|&here| code(here, lane)).collect();
    names.iter().map(|&lane| Table::new(contenders, column(lane))).collect()
}
