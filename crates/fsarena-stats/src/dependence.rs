//! What rounds that depend on each other do to a fit: exact expectations for the design at hand (recipe, step 8).
//!
//! Let a contender's own noise have the autocorrelation ρ between neighbouring rounds, so that ρᵏ is left after k
//! rounds. Then every expected sum of squares is a polynomial in ρ, whose coefficient k collects all pairs of cells of
//! one contender that lie k rounds apart: E[y'By] = σ² Σ_k ρᵏ Σ_{|s−t|=k} B_{st}, summed over contenders. Three are
//! needed, and all follow from the orthonormal lane directions; M is the matrix that turns values into residuals, A the
//! one that sums squared steps from round to round, E the one that estimates the contenders' effects:
//!
//! | polynomial | matrix | what it expects |
//! |---|---|---|
//! | `residual` | M | the sum of the squared residuals |
//! | `step` | MAM | the sum of the squared steps between the residuals of neighbouring rounds |
//! | `effect` | E'E | the variance of the contenders' effects, summed |

use crate::table::Table;

/// Rounds further apart than this do not matter: the strongest autocorrelation leaves .7⁵⁰ = .00000002.
const LAGS: usize = 50;

/// The polynomials in ρ, coefficients from ρ⁰ on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dependence {
    residual: Vec<f64>,
    step: Vec<f64>,
    effect: Vec<f64>,
}

impl Dependence {
    /// `directions` are the design's lane directions, not yet centred in contenders.
    pub(crate) fn new(contenders: usize, rounds: usize, directions: &[Table]) -> Self {
        let centred: Vec<Table> = directions.iter().map(Table::centred_in_contenders).collect();
        let bare = Self::without_lanes(contenders, rounds);
        let residual = centred.iter().map(|unit| (unit, unit.times(-1.0)));
        Self {
            residual: with_products(bare.residual, residual),
            step: with_products(bare.step, centred.iter().zip(step_partners(&centred))),
            effect: with_products(bare.effect, centred.iter().zip(effect_partners(directions, &centred))),
        }
    }

    fn without_lanes(contenders: usize, rounds: usize) -> Self {
        let others = contenders.saturating_sub(1) as f64;
        let n = rounds as f64;
        let lags = rounds.min(LAGS + 1);
        let apart = |lag: usize| if lag == 0 { n } else { 2.0 * (rounds - lag) as f64 };
        let steps = |lag: usize| match lag {
            0 => 2.0 * (n - 1.0),
            1 => -2.0 * (n - 1.0),
            _ => 0.0,
        };
        let residual = |lag: usize| if lag == 0 { n - 1.0 } else { -apart(lag) / n };
        Self {
            residual: (0..lags).map(|lag| others * residual(lag)).collect(),
            step: (0..lags).map(|lag| others * steps(lag)).collect(),
            effect: (0..lags).map(|lag| others * apart(lag) / (n * n)).collect(),
        }
    }

    /// The ratio of von Neumann (1941) to expect, as a ratio of expectations: 2 and a little more where ρ is 0.
    pub(crate) fn unrest(&self, rho: f64) -> f64 {
        at(&self.step, rho) / at(&self.residual, rho)
    }

    /// By how much the variance of an estimate is larger than the residuals make believe.
    pub(crate) fn inflation(&self, rho: f64) -> f64 {
        let grown = |polynomial: &[f64]| at(polynomial, rho) / at(polynomial, 0.0);
        grown(&self.effect) / grown(&self.residual)
    }
}

/// The value of a polynomial (Horner).
fn at(polynomial: &[f64], rho: f64) -> f64 {
    polynomial.iter().rev().fold(0.0, |sum, coefficient| sum * rho + coefficient)
}

/// MAM is A on centred cells, less what the lane directions u take: the partner of u is Σ_v (u'Av) v − 2Au.
fn step_partners(centred: &[Table]) -> Vec<Table> {
    let stepped: Vec<Table> = centred.iter().map(Table::squared_steps).collect();
    let partner = |own: &Table| {
        let start = own.times(-2.0);
        centred.iter().fold(start, |sum, other| sum.minus(other, -own.dot(other)))
    };
    stepped.iter().map(partner).collect()
}

/// E takes means over the rounds and subtracts what the lanes have put into them, for each direction u its load l (its
/// own means per contender) times u: the partner of u is Σ_v (l_u·l_v) v − 2l_u/n.
fn effect_partners(directions: &[Table], centred: &[Table]) -> Vec<Table> {
    let loads: Vec<Vec<f64>> = directions.iter().map(Table::contender_means).collect();
    let partner = |(own, direction): (&Vec<f64>, &Table)| {
        let rounds = direction.rounds();
        let start = Table::of_equal_rows(own, rounds).times(-2.0 / rounds as f64);
        let product = |other: &[f64]| own.iter().zip(other).map(|(left, right)| left * right).sum::<f64>();
        centred.iter().zip(&loads).fold(start, |sum, (unit, load)| sum.minus(unit, -product(load)))
    };
    loads.iter().zip(directions).map(partner).collect()
}

/// Adds to each coefficient the products of both tables' cells that lie that many rounds apart.
fn with_products<'a>(mut polynomial: Vec<f64>, pairs: impl Iterator<Item = (&'a Table, Table)>) -> Vec<f64> {
    for (left, right) in pairs {
        for (lag, coefficient) in polynomial.iter_mut().enumerate() {
            *coefficient += match lag {
                0 => left.dot(&right),
                _ => left.dot_later(&right, lag) + right.dot_later(left, lag),
            };
        }
    }
    polynomial
}
