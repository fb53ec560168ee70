//! The weighted mean of a pair's ratios over several workloads, whose noise need not be independent, and the weights at
//! which another contender would be best.
//!
//! A mean of raw rates would be the mean of whichever workload has the largest numbers; ratios have no unit, and only
//! their geometric mean does not depend on which is divided by which (Fleming and Wallace 1986). The interval holds for
//! these workloads, not for workloads in general.
//!
//! Workloads that were measured in the same rounds share noise: one mkfs serves all of them. For these, each round has
//! one value, the weighted mean over the workloads, and the error follows from how it varies from round to round; it is
//! never smaller than if the workloads were independent. For workloads with different rounds, the correlation of the
//! noise is unknown: their errors are added up, as if it were the same noise.
//!
//! The same holds for several pairs of one workload, whose mean is the effect of what distinguishes them.

use crate::decision::{Pair, Reduced};
use crate::interval::{LogEstimate, Precision};

/// One part of a mean: the same pair in another workload, or another pair of the same workload.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// Its weight, above 0.
    pub weight: f64,
    /// Its rounds.
    pub workload: &'a Reduced,
    /// The result of the pair in it.
    pub pair: &'a Pair,
}

impl Part<'_> {
    fn weighted(&self) -> Vec<Option<f64>> {
        let rounds = self.workload.differences(self.pair.a, self.pair.b);
        rounds.map(|difference| Some(self.weight * difference?)).collect()
    }
}

/// The weighted geometric mean of a pair's ratios; `None` without parts, or if one has no estimate with an error.
pub fn weighted_mean(parts: &[Part<'_>]) -> Option<LogEstimate> {
    let weight: f64 = parts.iter().map(|part| part.weight).sum();
    let estimates = parts.iter().map(|part| Some(part.weight * part.pair.estimate?));
    let estimate = estimates.sum::<Option<f64>>()? / weight;
    let mut groups: Vec<(Vec<bool>, Vec<&Part<'_>>)> = Vec::new();
    for part in parts {
        let mut rounds: Vec<bool> = part.weighted().iter().map(Option::is_some).collect();
        rounds.truncate(rounds.iter().rposition(|&is_there| is_there).map_or(0, |last| last + 1));
        match groups.iter_mut().find(|(other, _)| *other == rounds) {
            Some((_, group)) => group.push(part),
            None => groups.push((rounds, vec![part])),
        }
    }
    let precisions: Vec<Precision> = groups.iter().map(|(_, group)| sum_precision(group)).collect::<Option<_>>()?;
    let error = precisions.iter().map(|precision| precision.error).sum::<f64>() / weight;
    let freedom = precisions.iter().map(|precision| precision.freedom).reduce(f64::min)?;
    Some(LogEstimate { estimate, precision: Precision { error, freedom } })
}

/// How well the weighted sum of workloads with the same rounds is known.
fn sum_precision(parts: &[&Part<'_>]) -> Option<Precision> {
    let own = |part: &&Part<'_>| {
        part.pair.precision.map(|precision| Precision { error: part.weight * precision.error, ..precision })
    };
    let own: Vec<Precision> = parts.iter().map(own).collect::<Option<_>>()?;
    let apart = together(own.iter().copied())?;
    let [first, others @ ..] = parts else { return None };
    if others.is_empty() {
        return Some(apart);
    }
    let mut sums = first.weighted();
    for part in others {
        sums.iter_mut().zip(part.weighted()).for_each(|(sum, value)| *sum = sum.zip(value).map(|(x, y)| x + y));
    }
    let Precision { error, freedom } = LogEstimate::mean_of(&sums.into_iter().flatten().collect::<Vec<_>>())?.precision;
    Some(Precision { error: error.max(apart.error), freedom })
}

/// The precision of a sum of independent estimates, its degrees of freedom after Welch (1947) and Satterthwaite (1946);
/// `None` without any.
pub(crate) fn together(parts: impl Iterator<Item = Precision> + Clone) -> Option<Precision> {
    let square = |part: Precision| part.error * part.error;
    let sum: f64 = parts.clone().map(square).sum();
    let spread: f64 = parts.clone().map(|part| square(part).powi(2) / part.freedom).sum();
    let fewest = parts.map(|part| part.freedom).reduce(f64::min)?;
    let freedom = if spread > 0.0 { sum * sum / spread } else { fewest };
    Some(Precision { error: sum.sqrt(), freedom })
}

/// By how much, as a logarithm, the best contender of a mix of workloads leads a rival.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lead {
    /// In the part whose weight changes.
    pub within: f64,
    /// In all other parts together, in their proportions.
    pub elsewhere: f64,
}

impl Lead {
    /// The weight at which the lead is 0; `None` if it has the same sign from 0 to 1.
    fn level(&self) -> Option<f64> {
        let slope = self.elsewhere - self.within;
        let weight = self.elsewhere / slope;
        (slope != 0.0 && (0.0..=1.0).contains(&weight)).then_some(weight)
    }
}

/// The weight from which on another contender is best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flip {
    /// The weight of the part at which both are level.
    pub at: f64,
    /// Index of the rival among the leads.
    pub to: usize,
}

/// The nearest flips below and above `share`, the part's weight in the mix; `leads` has the lead over each rival.
pub fn flips(leads: &[Lead], share: f64) -> [Option<Flip>; 2] {
    let all = leads.iter().enumerate().filter_map(|(to, lead)| Some(Flip { at: lead.level()?, to }));
    let falls = |flip: &Flip| leads[flip.to].within > leads[flip.to].elsewhere;
    let by_weight = |one: &Flip, other: &Flip| one.at.total_cmp(&other.at);
    // In the first case the lead is lost below that weight, in the second case above it.
    let below = all.clone().filter(|flip| falls(flip) && flip.at <= share).max_by(by_weight);
    let above = all.filter(|flip| !falls(flip) && flip.at >= share).min_by(by_weight);
    [below, above]
}
