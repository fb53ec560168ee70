//! Quantiles of distributions.

use statrs::distribution::{Continuous, ContinuousCDF, StudentsT};

pub(crate) use statrs::function::gamma::digamma;

/// The probability of missing a difference that counts as detectable.
const MISS: f64 = 0.2;

fn student(freedom: f64) -> StudentsT {
    StudentsT::new(0.0, 1.0, freedom).expect("degrees of freedom are positive and finite")
}

/// The point that Student's t with `freedom` degrees of freedom exceeds with probability `tail`, in (0, .5).
///
/// Agrees with SciPy to 6 digits from 2 degrees of freedom on, down to a tail of 1e-12; below 2 only for tails above
/// 1e-5.
pub(crate) fn student_upper(freedom: f64, tail: f64) -> f64 {
    // The lower tail keeps the digits of a small probability, which 1 − tail would lose.
    -student(freedom).inverse_cdf(tail)
}

/// The probability that Student's t with `freedom` degrees of freedom exceeds `value`.
pub(crate) fn student_tail(freedom: f64, value: f64) -> f64 {
    student(freedom).cdf(-value)
}

/// The ends of what is left of a range after `halvings` around the value below which `is_below` holds.
pub(crate) fn bisected(range: (f64, f64), halvings: u32, is_below: impl Fn(f64) -> bool) -> (f64, f64) {
    let halved = |(low, high), _| {
        let middle = f64::midpoint(low, high);
        if is_below(middle) { (middle, high) } else { (low, middle) }
    };
    (0..halvings).fold(range, halved)
}

/// In standard errors: the distance from a bound at which a test with that tail passes with a probability of 80 %.
pub(crate) fn reach(freedom: f64, tail: f64) -> f64 {
    student_upper(freedom, tail) + student_upper(freedom, MISS)
}

/// The logarithm of the density of Student's t with `freedom` degrees of freedom.
pub(crate) fn student_log_density(freedom: f64, value: f64) -> f64 {
    student(freedom).ln_pdf(value)
}
