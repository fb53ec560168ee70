//! The parts of the rule that a simulation may leave out, to see what they are for.

/// A part of the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The error budget is shared over all pairs of all workloads.
    FamilyCorrection,
    /// The error budget is shared over the looks.
    LookWeights,
    /// Every workload, and within limits every pair, has a variance of its own.
    OwnVariances,
    /// Rounds that depend on each other widen the intervals.
    Guard,
    /// The lanes' effect is fitted.
    LaneTerm,
}
