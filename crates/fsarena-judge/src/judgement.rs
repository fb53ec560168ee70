//! The judgement on results of others: findings, and for each pair of contenders what its figures can show.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fsarena_model::{Estimate, Share, Verdict};
use fsarena_stats::{Precision, Rule, proofs};
use serde::{Deserialize, Serialize};

use crate::findings::{Finding, FindingClass, findings, mislabelled, results};
use crate::measured::Measured;
use crate::resolve::{Design, Difference, Resolution, naive};

/// The judgement on results of others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The number of the JSON form.
    pub format: u32,
    /// Runs of programs that gave the results.
    pub results: usize,
    /// The contenders as they are called.
    pub contenders: Vec<String>,
    /// Differences within this share count as equivalent.
    pub margin: Share,
    /// What speaks against the results, gravest first.
    pub findings: Vec<Finding>,
    /// By workload, then pair.
    pub pairs: Vec<PairJudgement>,
}

/// A pair of contenders in a workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairJudgement {
    /// The workload.
    pub workload: String,
    /// The first contender, by name.
    pub a: String,
    /// The second contender.
    pub b: String,
    /// How many times better `a` is by the plain means over all results, as a reader would compute it.
    pub plain_ratio: Option<f64>,
    /// Welch's t of that, as if each result were a repetition and nothing else differed.
    pub plain_t: Option<f64>,
    /// How many times better `a` is, by results that can be compared. With the interval that the verdict rests on.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// What is shown about `a`.
    pub verdict: Verdict,
    /// Why there is no other verdict, or a caveat.
    pub reason: Reason,
}

/// Why a pair has no other verdict, or a caveat to its verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// There is none.
    None,
    /// A contender's own record says that it is another file system.
    Identity,
    /// One of them has no result.
    Missing,
    /// Nothing was repeated, so nothing shows the spread.
    NoRepetition,
    /// The difference is below what the spread can resolve.
    Resolution,
    /// They were not measured at the same time: a drift of the machine is part of the interval.
    OtherTimes,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "",
            Self::Identity => "identity",
            Self::Missing => "missing",
            Self::NoRepetition => "no repetition",
            Self::Resolution => "resolution",
            Self::OtherTimes => "other times",
        })
    }
}

/// Judges rows; differences within `margin` count as equivalent.
pub fn judge(rows: &[Measured], margin: Share) -> Judgement {
    let design = Design::of(rows);
    let mut found = findings(rows, &design);
    let contenders: Vec<&str> =
        rows.iter().map(|row| row.contender.as_str()).collect::<BTreeSet<_>>().into_iter().collect();
    let mut pairs: Vec<(PairJudgement, Option<Difference>)> = Vec::new();
    let mut gaps: Vec<(String, f64)> = Vec::new();
    for own in by_workload(rows) {
        let workload = own[0].workload.as_str();
        let mut sides: BTreeMap<&str, Vec<&Measured>> = BTreeMap::new();
        own.iter().for_each(|row| sides.entry(&row.contender).or_default().push(row));
        let side = |name: &str| sides.get(name).map(Vec::as_slice).unwrap_or_default();
        let resolution = Resolution::of(&own, &design);
        gaps.extend(
            resolution.between_waves().into_iter().map(|(name, ratio)| (format!("{name} in {workload}"), ratio)),
        );
        for (index, a) in contenders.iter().enumerate() {
            for b in &contenders[index + 1..] {
                let plain = naive(side(a), side(b));
                pairs.push((pair(workload, a, b, plain), resolution.difference(a, b)));
            }
        }
    }
    found.extend(itself(&gaps));
    found.sort_by_key(|finding| finding.class);
    let mislabelled = mislabelled(rows);
    let estimates = pairs.iter().map(|(_, found)| found.as_ref().and_then(|it| Some((it.estimate, it.precision?))));
    let estimates: Vec<Option<(f64, Precision)>> = estimates.collect();
    let proofs = proofs(&estimates, Rule { margin: margin.0, ..Rule::default() });
    let judged = pairs.into_iter().zip(proofs).map(|((pair, difference), proof)| {
        let interval = proof.map(|proof| proof.decision.ratios());
        let (verdict, reason) = if [&pair.a, &pair.b].into_iter().any(|name| mislabelled.contains(name.as_str())) {
            (Verdict::Invalid, Reason::Identity)
        } else {
            verdict(difference.as_ref(), proof.map(|proof| proof.verdict))
        };
        let ratio = difference.map(|difference| difference.estimate.exp());
        PairJudgement { estimate: Estimate::of(ratio, interval), verdict, reason, ..pair }
    });
    Judgement {
        format: fsarena_model::difference::FORMAT,
        results: results(rows),
        contenders: contenders.iter().map(|name| (*name).to_owned()).collect(),
        margin,
        pairs: judged.collect(),
        findings: found,
    }
}

/// The rows of each workload, in the order in which workloads first occur.
fn by_workload(rows: &[Measured]) -> Vec<Vec<&Measured>> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut workloads: Vec<Vec<&Measured>> = Vec::new();
    for row in rows {
        let place = *places.entry(&row.workload).or_insert(workloads.len());
        if place == workloads.len() {
            workloads.push(Vec::new());
        }
        workloads[place].push(row);
    }
    workloads
}

fn pair(workload: &str, a: &str, b: &str, plain: Option<(f64, Option<f64>)>) -> PairJudgement {
    PairJudgement {
        workload: workload.to_owned(),
        a: a.to_owned(),
        b: b.to_owned(),
        plain_ratio: plain.map(|plain| plain.0),
        plain_t: plain.and_then(|plain| plain.1),
        estimate: Estimate::default(),
        verdict: Verdict::Undecided,
        reason: Reason::None,
    }
}

/// A contender that differs from itself between waves shows what the waves alone do.
fn itself(gaps: &[(String, f64)]) -> Option<Finding> {
    let (what, ratio) = gaps.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let percent = 100.0 * (ratio - 1.0);
    let text =
        format!("{what} differs from itself by {percent:.0} % from wave to wave: the waves alone can make such a gap");
    Some(Finding { class: FindingClass::Confounded, text })
}

fn verdict(difference: Option<&Difference>, proved: Option<fsarena_stats::Verdict>) -> (Verdict, Reason) {
    let Some(difference) = difference else { return (Verdict::Invalid, Reason::Missing) };
    let apart = if difference.is_together { Reason::None } else { Reason::OtherTimes };
    match proved {
        None => (Verdict::Undecided, Reason::NoRepetition),
        Some(fsarena_stats::Verdict::Faster) => (Verdict::Faster, apart),
        Some(fsarena_stats::Verdict::Slower) => (Verdict::Slower, apart),
        Some(fsarena_stats::Verdict::Equivalent) => (Verdict::Equivalent, apart),
        Some(fsarena_stats::Verdict::Undecided) if difference.is_together => (Verdict::Undecided, Reason::Resolution),
        Some(fsarena_stats::Verdict::Undecided) => (Verdict::Undecided, apart),
    }
}
