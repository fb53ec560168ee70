//! One ratio for a mix of workloads, each with its weight, and its interval, for which their noise need not be independent.
//!
//! Workloads that were measured in the same rounds have luck in common: one mkfs for all of them, one place on the device. Where several of a
//! mix had the same rounds and lanes, each round has one value of a contender, the weighted mean of its logarithms, and how those vary from round
//! to round is how well the mean is known. It is never taken for better known than if their noise were independent: few rounds can agree by chance,
//! and what the suite says of noise is in the workloads' own errors only.
//!
//! How the noise of workloads with different rounds goes together cannot be seen: their errors are added up, as if it were one and the same.

use std::rc::Rc;

use crate::decide::PairDecision;
use crate::error::StatsError;
use crate::evidence::{Evidence, Suite};
use crate::fit::Fit;
use crate::look::Rule;
use crate::looks::Looks;
use crate::observation::WorkloadData;
use crate::suite::{Precision, SuiteRatio, together};

/// The rounds of a run's workloads, for means over some of them.
pub struct Means {
    looks: Looks,
}

/// What one workload has to say in a mean.
#[derive(Debug, Clone, Copy)]
pub struct MixPart {
    /// Its weight, above 0.
    pub weight: f64,
    /// Its place among the data.
    pub workload: usize,
    /// How the pair stands in it; in all parts of a mean the same two contenders.
    pub pair: PairDecision,
}

impl Means {
    /// Of all workloads of a run, for they say together how rounds depend on each other.
    ///
    /// # Errors
    /// [`StatsError`] where the rule or the data is malformed.
    pub fn new(rule: &Rule, workloads: &[WorkloadData]) -> Result<Self, StatsError> {
        Ok(Self { looks: Looks::at_the_end(rule, workloads)? })
    }

    /// The weighted mean; `None` without parts, or where one has no estimate with a variance.
    #[must_use]
    pub fn of(&self, parts: &[MixPart]) -> Option<SuiteRatio> {
        let sum = weight(parts);
        let estimates = parts.iter().map(|part| Some(part.weight * part.pair.estimate?));
        let estimate = estimates.sum::<Option<f64>>()? / sum;
        let precisions: Vec<Precision> =
            self.measured_together(parts).iter().map(|alike| self.precision(alike)).collect::<Option<_>>()?;
        let error = precisions.iter().map(|precision| precision.error).sum::<f64>() / sum;
        let freedom = precisions.iter().map(|precision| precision.freedom).reduce(f64::min)?;
        Some(SuiteRatio { estimate, precision: Precision { error, freedom }, workloads: parts.len() })
    }

    /// The parts by rounds, lanes and contenders.
    fn measured_together(&self, parts: &[MixPart]) -> Vec<Vec<MixPart>> {
        let key = |part: &MixPart| (part.pair.a, part.pair.b, self.looks.rounds_of(part.workload));
        let mut groups: Vec<Vec<MixPart>> = Vec::new();
        for part in parts {
            let is_alike = |other: &MixPart| {
                let designs = [part, other].map(|part| &self.looks.fit(part.workload).design);
                key(other) == key(part) && Rc::ptr_eq(designs[0], designs[1])
            };
            match groups.iter_mut().find(|group| is_alike(&group[0])) {
                Some(group) => group.push(*part),
                None => groups.push(vec![*part]),
            }
        }
        groups
    }

    /// How well the weighted sum of parts that were measured together is known.
    fn precision(&self, parts: &[MixPart]) -> Option<Precision> {
        let own = parts.iter().map(|part| {
            let precision = part.pair.precision?;
            Some(Precision { error: part.weight * precision.error, ..precision })
        });
        let own: Vec<Precision> = own.collect::<Option<_>>()?;
        let apart = together(own.iter().copied())?;
        if let [_] = parts {
            return Some(apart);
        }
        let fits: Vec<(f64, &Fit)> = parts.iter().map(|part| (part.weight, self.looks.fit(part.workload))).collect();
        let suite = Suite::without_typical(self.looks.guard());
        let seen = Evidence::new(&Fit::sum(&fits), &suite, parts[0].pair.a, parts[0].pair.b)?.precision();
        Some(Precision { error: seen.error.max(apart.error), ..seen })
    }
}

fn weight(parts: &[MixPart]) -> f64 {
    parts.iter().map(|part| part.weight).sum()
}
