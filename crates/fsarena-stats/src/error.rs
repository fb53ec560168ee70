//! Errors of malformed input.

/// Why no decision can be computed: the input is malformed. Workloads are named by their index in the slice given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum StatsError {
    /// The value is infinite, not a number, or larger than the logarithm of any `f64` can be.
    #[error(
        "workload {workload}, round {round}, contender {contender}: {value} is not the logarithm of a positive number"
    )]
    NotALogarithm { workload: usize, round: u32, contender: usize, value: f64 },
    /// A sweep does not hold each contender exactly once.
    #[error("workload {workload}, round {round}: a sweep does not have one place for each contender")]
    IncompleteRound { workload: usize, round: u32 },
    /// The rule cannot be applied.
    #[error("the rule's {field} is out of range: {requirement}")]
    Rule { field: &'static str, requirement: &'static str },
}
