//! Errors of malformed input.

/// Why no decision can be computed: the input is malformed. Workloads are named by their index in the slice given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StatsError {
    /// The value is infinite, not a number, or larger than the logarithm of any `f64` can be.
    #[error(
        "workload {workload}, round {round}, contender {contender}: {value} is not the logarithm of a positive number"
    )]
    NotALogarithm {
        /// Index of the workload.
        workload: usize,
        /// Label of the round.
        round: u32,
        /// Index of the contender.
        contender: usize,
        /// The value found.
        value: f64,
    },
    /// A sweep does not hold each contender exactly once.
    #[error("workload {workload}, round {round}: a sweep does not have one place for each contender")]
    IncompleteRound {
        /// Index of the workload.
        workload: usize,
        /// Label of the round.
        round: u32,
    },
    /// The rule cannot be applied.
    #[error("the rule's {field} is out of range: {requirement}")]
    Rule {
        /// Name of the field of [`crate::Rule`].
        field: &'static str,
        /// What the field must satisfy.
        requirement: &'static str,
    },
}
