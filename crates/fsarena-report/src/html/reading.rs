//! How the page is to be read: its words, and what no interval covers.

use fsarena_model::Comparison;
use serde::Serialize;

use crate::probe;
use crate::words::{self, Term};

/// Terms and sentences, as far as the comparison calls for them.
#[derive(Serialize)]
pub struct Reading {
    noise_only: &'static str,
    biases: &'static [&'static str],
    verdict_terms: &'static [Term],
    figure_terms: &'static [Term],
    validity_terms: &'static [Term],
    probe_terms: Vec<Term>,
}

/// What a reader of this comparison may want to look up.
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
