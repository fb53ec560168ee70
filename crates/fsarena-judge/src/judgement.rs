//! The judgement on results of others: findings, and for each pair of contenders what its figures can show.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fsarena_model::{Better, Estimate, Share, Verdict};
use fsarena_stats::{LogEstimate, Proof, Rule, no_better_than_typical, proofs};
use serde::{Deserialize, Serialize};

use crate::copies::{removed, renamed};
use crate::design::Design;
use crate::findings::{self, FindingClass, JudgedFinding, findings, mislabelled, other_conditions, results};
use crate::measured::Measured;
use crate::resolve::{LogDifference, Resolution, naive};
use crate::work::{Workload, counted_apart, workloads};

/// The judgement on results of others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The number of the JSON form.
    pub format: u32,
    /// Runs of programs that gave the results.
    pub results: usize,
    /// The contenders as they are called.
    pub contenders: Vec<String>,
    /// Which direction of the figures counts as better; `None` if it is not the same for all.
    pub better: Option<Better>,
    /// Differences within this share count as equivalent.
    pub margin: Share,
    /// What speaks against the results, gravest first.
    pub findings: Vec<JudgedFinding>,
    /// By workload, then pair.
    pub pairs: Vec<PairJudgement>,
}

/// A pair of contenders in a workload.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// Whether the ratio is only a bound, since one of them was too fast for the program's clock.
    pub bound: RatioBound,
    /// What is shown about `a`.
    pub verdict: Verdict,
    /// Why there is no other verdict, or a caveat.
    pub reason: JudgedReason,
}

/// What a ratio says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RatioBound {
    /// The ratio itself.
    #[default]
    None,
    /// The real one is above it.
    AtLeast,
    /// The real one is below it.
    AtMost,
}

/// Why a pair has no other verdict, or a caveat to its verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgedReason {
    /// There is none.
    #[default]
    None,
    /// A contender's own record says that it is another file system.
    Identity,
    /// One of them has no result.
    Missing,
    /// They did not do the same work.
    OtherWork,
    /// One of them was not repeated, so nothing shows how much it varies.
    NoRepetition,
    /// The difference, or the spread, is below the steps of the program's clock or the rounding of its figures.
    Clock,
    /// The work was too fast for the program's clock, so at most a bound is known.
    TooFast,
    /// The difference is below what the spread can resolve.
    Resolution,
    /// They were not measured at the same time: a drift of the machine is part of the interval.
    OtherTimes,
    /// Something else that is recorded, such as the disk or the host, differs like the contenders.
    Confounded,
}

impl fmt::Display for JudgedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.pad(""),
            Self::TooFast => f.pad("too fast to time"),
            reason => f.pad(&findings::in_words(reason)),
        }
    }
}

/// Judges rows; differences within `margin` count as equivalent.
pub fn judge(rows: &[Measured], margin: Share) -> Judgement {
    let (kept, copies) = removed(rows);
    let rows: &[Measured] = &kept;
    let design = Design::of(rows);
    let contenders: Vec<&str> = findings::contenders(rows).into_iter().collect();
    let mut wrong: BTreeSet<&str> = mislabelled(rows);
    wrong.extend(copies.iter().flat_map(|copy| copy.contenders.iter().flatten()).map(String::as_str));
    let renamed: Vec<[&str; 2]> =
        renamed(rows).into_iter().filter(|names| !names.iter().all(|name| wrong.contains(name))).collect();
    wrong.extend(renamed.iter().flatten());
    let mut pairs: Vec<Compared> = Vec::new();
    let mut gaps: Vec<(String, f64)> = Vec::new();
    for workload in workloads(rows) {
        pairs.extend(compared(&workload, &contenders, &mut gaps));
    }
    moderate(&mut pairs);
    let rule = Rule { margin: margin.0, ..Rule::default() };
    let [low, high] =
        [-1.0, 1.0].map(|direction| proofs(&pairs.iter().map(|pair| pair.tested(direction)).collect::<Vec<_>>(), rule));
    for ((pair, low), high) in pairs.iter_mut().zip(low).zip(high) {
        pair.decide(low.zip(high).map(<[Proof; 2]>::from), &wrong);
    }
    let mut found = findings::copies(&copies);
    found.extend(findings::renamed(&renamed));
    found.extend(findings(rows, &design));
    found.extend(findings::of_pairs(rows, &pairs));
    found.extend(itself(&gaps));
    found.sort_by_key(|finding| finding.class);
    Judgement {
        format: fsarena_model::difference::FORMAT,
        results: results(rows),
        contenders: contenders.iter().map(|name| (*name).to_owned()).collect(),
        better: rows.first().map(|row| row.better).filter(|better| rows.iter().all(|row| row.better == *better)),
        margin,
        pairs: pairs.into_iter().map(|pair| pair.judged).collect(),
        findings: found,
    }
}

/// A contender that differs from itself between waves shows what the waves alone do.
fn itself(gaps: &[(String, f64)]) -> Option<JudgedFinding> {
    let (what, ratio) = gaps.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let percent = 100.0 * (ratio - 1.0);
    let text =
        format!("{what} differs from itself by {percent:.0} % from wave to wave: the waves alone can make such a gap");
    Some(JudgedFinding { class: FindingClass::Confounded, text })
}

/// The pairs of a workload: in each kind of work that one of them did, or once if they did nothing alike.
fn compared(workload: &Workload<'_>, contenders: &[&str], gaps: &mut Vec<(String, f64)>) -> Vec<Compared> {
    let mut found = Vec::new();
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    let (sides, none) = (workload.sides(), BTreeSet::new());
    let variants = |name: &str| sides.get(name).unwrap_or(&none);
    for (index, a) in contenders.iter().enumerate() {
        for b in &contenders[index + 1..] {
            match workload.mismatch(variants(a), variants(b)) {
                None => pairs.push((a, b)),
                mismatch => {
                    let pair = Compared::new(workload.name, a, b, JudgedReason::OtherWork);
                    found.push(Compared { mismatch, ..pair });
                }
            }
        }
    }
    for ((place, variant), title) in workload.variants.iter().enumerate().zip(workload.titles()) {
        // Bounds do not vary, so they show no noise.
        let timed: Vec<&Measured> = variant.rows.iter().copied().filter(|row| !row.is_bound).collect();
        let resolution = Resolution::of(&timed);
        gaps.extend(resolution.between_waves().into_iter().map(|(name, ratio)| (format!("{name} in {title}"), ratio)));
        let is_meant = |(a, b): &&(&str, &str)| {
            workload.variants.len() == 1 || [a, b].into_iter().any(|name| variants(name).contains(&place))
        };
        let mut sides: BTreeMap<&str, Vec<&Measured>> = BTreeMap::new();
        variant.rows.iter().for_each(|row| sides.entry(&row.contender).or_default().push(row));
        let side = |name: &str| sides.get(name).map(Vec::as_slice).unwrap_or_default();
        let of = |(a, b): &(&str, &str)| Compared::of(&title, [a, b], [side(a), side(b)], &resolution);
        found.extend(pairs.iter().filter(is_meant).map(of));
    }
    found
}

/// Takes no pair's noise to be smaller than what is typical of the workloads makes likely.
fn moderate(pairs: &mut [Compared]) {
    let workloads = pairs.chunk_by(|one, next| one.judged.workload == next.judged.workload);
    let of = |own: &[Compared]| {
        let known = |pair: &Compared| Some((pair.judged.a == own[0].judged.a, pair.tested(0.0)?.precision));
        own.iter().map(known).collect()
    };
    let moderated = no_better_than_typical(&workloads.map(of).collect::<Vec<_>>());
    for (pair, precision) in pairs.iter_mut().zip(moderated.into_iter().flatten()) {
        if let (Some(difference), Some(_)) = (&mut pair.difference, precision) {
            difference.precision = precision;
        }
    }
}

/// A pair, and what its verdict rests on.
#[derive(Default)]
pub struct Compared {
    /// Until it is decided, its reason is what keeps it from a decision, whatever the figures are.
    pub judged: PairJudgement,
    /// How the work of both differs.
    pub mismatch: Option<String>,
    pub difference: Option<LogDifference>,
    /// How far the clocks leave the difference open, as a logarithm.
    uncertainty: f64,
}

impl Compared {
    fn new(workload: &str, a: &str, b: &str, reason: JudgedReason) -> Self {
        let (workload, a, b) = (workload.to_owned(), a.to_owned(), b.to_owned());
        Self { judged: PairJudgement { workload, a, b, reason, ..PairJudgement::default() }, ..Self::default() }
    }

    fn of(workload: &str, [a, b]: [&str; 2], own: [&[&Measured]; 2], resolution: &Resolution<'_>) -> Self {
        let new = |reason| Self::new(workload, a, b, reason);
        let rows = own.concat();
        if own.iter().any(|rows| rows.is_empty()) {
            return new(JudgedReason::Missing);
        }
        let mismatch = counted_apart(own);
        if mismatch.is_some() || rows.iter().any(|row| row.is_doubtful()) {
            return Self { mismatch, ..new(JudgedReason::OtherWork) };
        }
        let is_confounded = !other_conditions(rows).is_empty();
        let plain = naive(own);
        let bound = match own.map(|rows| rows.iter().any(|row| row.is_bound)) {
            [true, true] => Some(RatioBound::None),
            [true, false] => Some(RatioBound::AtLeast),
            [false, true] => Some(RatioBound::AtMost),
            [false, false] => None,
        };
        if let Some(bound) = bound {
            let mut pair = new(if is_confounded { JudgedReason::Confounded } else { JudgedReason::TooFast });
            let is_known = bound != RatioBound::None && !is_confounded;
            pair.judged.estimate = Estimate::of(is_known.then_some(plain.0), None);
            pair.judged.bound = bound;
            return pair;
        }
        let difference = resolution.difference(a, b);
        let is_confounded = is_confounded || difference.is_none();
        let mut pair = new(if is_confounded { JudgedReason::Confounded } else { JudgedReason::None });
        (pair.judged.plain_ratio, pair.judged.plain_t) = (Some(plain.0), plain.1);
        let uncertainty = |own: &[&Measured]| own.iter().map(|row| row.uncertainty()).sum::<f64>() / own.len() as f64;
        Self { difference, uncertainty: own.map(uncertainty).iter().sum(), ..pair }
    }

    /// Whether all repetitions have the same figure.
    pub fn is_flat(&self) -> bool {
        self.difference.as_ref().is_some_and(|difference| difference.is_flat)
    }

    /// Whether the clock or the rounding hides what repetitions would show.
    fn is_hidden(&self) -> bool {
        self.is_flat() || self.uncertainty.is_infinite()
    }

    /// The difference that is tested: as far off in a direction (1 or -1) as the clocks allow.
    fn tested(&self, direction: f64) -> Option<LogEstimate> {
        let difference = self.difference.as_ref().filter(|difference| difference.is_repeated)?;
        if self.judged.reason != JudgedReason::None || self.is_hidden() {
            return None;
        }
        let estimate = difference.estimate + direction * self.uncertainty;
        Some(LogEstimate { estimate, precision: difference.precision? })
    }

    /// `proofs` are of the lowest and of the highest difference that the clocks allow.
    fn decide(&mut self, proofs: Option<[Proof; 2]>, mislabelled: &BTreeSet<&str>) {
        let verdict = match (self.judged.reason, &self.difference) {
            (JudgedReason::None, Some(difference)) => {
                let interval = proofs.map(|[low, high]| (low.decision.ratios().0, high.decision.ratios().1));
                self.judged.estimate = Estimate::of(Some(difference.estimate.exp()), interval);
                match difference.is_repeated && self.is_hidden() {
                    true => (Verdict::Undecided, JudgedReason::Clock),
                    false => proved(difference, proofs),
                }
            }
            (reason @ (JudgedReason::Missing | JudgedReason::OtherWork), _) => (Verdict::Invalid, reason),
            (reason, _) => (Verdict::Undecided, reason),
        };
        let is_wrong = [&self.judged.a, &self.judged.b].into_iter().any(|name| mislabelled.contains(name.as_str()));
        (self.judged.verdict, self.judged.reason) =
            if is_wrong { (Verdict::Invalid, JudgedReason::Identity) } else { verdict };
    }
}

fn proved(difference: &LogDifference, proofs: Option<[Proof; 2]>) -> (Verdict, JudgedReason) {
    use fsarena_stats::Verdict::{Equivalent, Faster, Slower, Undecided};
    let Some([low, high]) = proofs else { return (Verdict::Undecided, JudgedReason::NoRepetition) };
    let apart = if difference.is_together { JudgedReason::None } else { JudgedReason::OtherTimes };
    match (low.verdict, high.verdict) {
        (Faster, Faster) => (Verdict::Faster, apart),
        (Slower, Slower) => (Verdict::Slower, apart),
        (Equivalent, Equivalent) => (Verdict::Equivalent, apart),
        (Undecided, Undecided) if difference.is_together => (Verdict::Undecided, JudgedReason::Resolution),
        (Undecided, Undecided) => (Verdict::Undecided, apart),
        _ => (Verdict::Undecided, JudgedReason::Clock),
    }
}
