//! The best contenders and the ranks in one workload, as far as the verdicts of its pairs prove them.
//!
//! No order is made up: verdicts of pairs need not be transitive. If no verdict is wrong, which the rule guarantees for
//! 95 of 100 runs, the truly best contender is in the best group and every true rank is within its bounds, for all
//! workloads at once (a confidence set for the best and simultaneous intervals of ranks; Hsu 1996, Klein, Wright and
//! Wieczorek 2020).

use crate::decision::Verdict;

/// Bounds of a contender's rank; 1 is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// One more than the number of contenders that are proved faster. Printed alone, it is a rank with ties.
    pub best: usize,
    /// The number of contenders, minus those that are proved slower.
    pub worst: usize,
}

/// The verdicts of all pairs of one workload, each seen from both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standings {
    contenders: usize,
    /// Pairs of a contender and one that it is proved faster than.
    wins: Vec<(usize, usize)>,
}

impl Standings {
    /// Takes verdicts on contender a against contender b, both below `contenders`. Only `Faster` and `Slower` prove an
    /// order.
    #[must_use]
    pub fn new(contenders: usize, verdicts: impl IntoIterator<Item = (usize, usize, Verdict)>) -> Self {
        let win = |(a, b, verdict)| match verdict {
            Verdict::Faster => Some((a, b)),
            Verdict::Slower => Some((b, a)),
            Verdict::Equivalent | Verdict::Undecided => None,
        };
        Self { contenders, wins: verdicts.into_iter().filter_map(win).collect() }
    }

    /// The contenders than which none is proved faster, by index. Empty only if verdicts form a cycle, which is
    /// possible for verdicts of different looks.
    #[must_use]
    pub fn best_group(&self) -> Vec<usize> {
        (0..self.contenders).filter(|&contender| self.losses(contender) == 0).collect()
    }

    /// The rank of each contender.
    #[must_use]
    pub fn ranks(&self) -> Vec<Rank> {
        let rank = |contender| Rank {
            best: 1 + self.losses(contender),
            worst: self.contenders - self.wins.iter().filter(|(winner, _)| *winner == contender).count(),
        };
        (0..self.contenders).map(rank).collect()
    }

    fn losses(&self, contender: usize) -> usize {
        self.wins.iter().filter(|(_, loser)| *loser == contender).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Equivalent, Faster, Slower, Undecided};

    fn ranks(standings: &Standings) -> Vec<(usize, usize)> {
        standings.ranks().iter().map(|rank| (rank.best, rank.worst)).collect()
    }

    #[test]
    fn a_proved_order_has_exact_ranks() {
        let order = Standings::new(3, [(0, 1, Slower), (0, 2, Faster), (1, 2, Faster)]);
        assert_eq!(ranks(&order), [(2, 2), (1, 1), (3, 3)]);
        assert_eq!(order.best_group(), [1]);
    }

    #[test]
    fn undecided_contenders_share_ranks() {
        let open = Standings::new(3, [(0, 1, Undecided), (0, 2, Faster), (1, 2, Undecided)]);
        assert_eq!(ranks(&open), [(1, 2), (1, 3), (2, 3)]);
        assert_eq!(open.best_group(), [0, 1]);
        let alike = Standings::new(2, [(0, 1, Equivalent)]);
        assert_eq!(ranks(&alike), [(1, 2), (1, 2)]);
        assert_eq!(Standings::new(1, []).best_group(), [0]);
    }

    #[test]
    fn a_circle_has_no_best() {
        let circle = Standings::new(3, [(0, 1, Faster), (1, 2, Faster), (0, 2, Slower)]);
        assert!(circle.best_group().is_empty());
        assert_eq!(ranks(&circle), [(2, 2), (2, 2), (2, 2)]);
    }
}
