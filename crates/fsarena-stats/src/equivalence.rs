//! Whether a difference is too small to matter: two one-sided tests (recipe, step 11; Schuirmann 1987).

use crate::evidence::Evidence;

/// Whether the difference is proved to lie inside ±`margin` (a logarithm), each side by `critical` standard errors.
pub(crate) fn is_equivalent(evidence: &Evidence, margin: f64, critical: f64) -> bool {
    evidence.estimate.abs() + critical * evidence.equivalence_error() < margin
}
