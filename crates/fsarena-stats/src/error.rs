//! What can be wrong with the numbers that come in.

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
    /// An observation names a contender that the workload does not have.
    #[error("workload {workload}, round {round}: contender {contender} is unknown, there are {contenders}")]
    UnknownContender {
        /// Index of the workload.
        workload: usize,
        /// Label of the round.
        round: u32,
        /// Index found.
        contender: usize,
        /// Number of contenders of the workload.
        contenders: usize,
    },
    /// A round does not hold each contender exactly once.
    #[error("workload {workload}, round {round}: not every contender occurs exactly once")]
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
    /// A scenario of the simulation cannot be played.
    #[error("the scenario's {field} is out of range: {requirement}")]
    Scenario {
        /// Name of the field of [`crate::simulate::Scenario`].
        field: &'static str,
        /// What the field must satisfy.
        requirement: &'static str,
    },
}
