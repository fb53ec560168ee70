//! How to read the page: its terms, and what no interval covers.

use fsarena_model::Comparison;
use serde::Serialize;

use crate::probe;
use crate::words::{self, Term};

/// The terms and sentences that the comparison needs.
#[derive(Serialize)]
pub struct Reading {
    noise_only: &'static str,
    biases: &'static [&'static str],
    verdict_terms: &'static [Term],
    figure_terms: &'static [Term],
    validity_terms: &'static [Term],
    probe_terms: Vec<Term>,
}

/// Explanations for readers of this comparison.
pub fn reading(comparison: &Comparison) -> Reading {
    Reading {
        noise_only: words::NOISE_ONLY,
        biases: words::biases(comparison),
        verdict_terms: words::VERDICTS,
        figure_terms: words::FIGURES,
        validity_terms: words::VALIDITY,
        probe_terms: probe::terms(&comparison.cells),
    }
}
