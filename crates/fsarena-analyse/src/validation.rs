//! Predicted against measured: what the workloads of a profile say about programs that the profile does not contain,
//! and what these programs showed in the same rounds.

use fsarena_model::validation::{
    FORMAT, Foretold, ProfileScore, ProgramSpread, Score, ValidatedPair, ValidatedRun, Validation,
};
use fsarena_model::{Estimate, Mix, Share, Verdict};
use fsarena_stats::{BetweenPrograms, PredictedPair};

use crate::decisions::Decisions;
use crate::difference::{NamedRun, side_run};
use crate::evidence::pointwise;
use crate::recommendation::{Evidence, SURE, absent, another, covered};

/// A measured difference counts as clear from this ratio on.
const CLEAR: f64 = 1.1;

/// A run, and the profile that it is judged by.
#[derive(Debug, Clone)]
pub struct ProfileRun {
    /// The profile's name.
    pub profile: String,
    /// Its weights.
    pub mix: Mix,
    /// The run.
    pub run: NamedRun,
}

/// A pair in a program, as the report has it and as the statistics do.
struct Tested {
    pair: ValidatedPair,
    outcome: PredictedPair,
}

/// Compares what each profile predicts with what its run measured. All workloads of a run that have no weight in the
/// profile are such programs.
pub fn validation(runs: &[ProfileRun]) -> Validation {
    let mut left_out = Vec::new();
    let of_runs: Vec<Vec<Tested>> = runs.iter().map(|run| tested(run, &mut left_out)).collect();
    let score = |(run, tested): (&ProfileRun, &Vec<Tested>)| ProfileScore {
        profile: run.profile.clone(),
        score: score(tested.iter().map(|it| &it.pair)),
    };
    let profiles = runs.iter().zip(&of_runs).map(score).collect();
    let all: Vec<Tested> = of_runs.into_iter().flatten().collect();
    let outcomes: Vec<PredictedPair> = all.iter().map(|it| it.outcome).collect();
    let between = BetweenPrograms::fitted(&outcomes);
    Validation {
        format: FORMAT,
        runs: runs.iter().map(validated_run).collect(),
        all: self::score(all.iter().map(|it| &it.pair)),
        profiles,
        between: between.map(|it| ProgramSpread { deviation: it.deviation, freedom: it.freedom }),
        pairs: all.into_iter().map(|it| it.pair).collect(),
        left_out,
    }
}

fn validated_run(run: &ProfileRun) -> ValidatedRun {
    ValidatedRun {
        profile: run.profile.clone(),
        run: side_run(&run.run),
        environment: run.run.record.environment.clone(),
    }
}

/// The pairs of a run whose contenders have the same durability class, by program. Adds what cannot be used to
/// `left_out`.
fn tested(run: &ProfileRun, left_out: &mut Vec<String>) -> Vec<Tested> {
    let record = &run.run.record;
    let mut leave_out = |reason: String| {
        let text = format!("{}: {reason}", run.profile);
        left_out.extend((!left_out.contains(&text)).then_some(text));
    };
    record.plan.suite.unavailable.iter().for_each(|missing| leave_out(missing.to_string()));
    for weight in absent(&record.plan, &run.mix) {
        leave_out(format!("the run lacks `{}`, which has {} of the weight", weight.name, Share(weight.share)));
    }
    let Some(mix) = covered(&record.plan, &run.mix) else { return Vec::new() };
    let decisions = Decisions::new(record);
    let evidence = Evidence::of(&decisions, &mix);
    let ranked: Vec<(usize, usize)> = decisions.analysis.ranked_pairs().collect();
    if evidence.others().next().is_none() {
        leave_out(format!("{} has no program that the profile does not contain", run.run.name));
    }
    if ranked.is_empty() {
        leave_out(format!("{} has no two contenders that guarantee the same", run.run.name));
    }
    let each = evidence.others().flat_map(|program| ranked.iter().map(move |pair| (program, *pair)));
    let mut all = Vec::new();
    for (program, (a, b)) in each {
        match of_pair(run, &decisions, &evidence, program, a, b) {
            Ok(tested) => all.push(tested),
            Err(reasons) => reasons.into_iter().for_each(&mut leave_out),
        }
    }
    all
}

/// What is predicted and measured of a pair in a program; the reasons if there is nothing to compare.
fn of_pair(
    run: &ProfileRun,
    decisions: &Decisions<'_>,
    evidence: &Evidence<'_>,
    program: usize,
    a: usize,
    b: usize,
) -> Result<Tested, Vec<String>> {
    let kind = evidence.kind(program);
    let programs = evidence.programs(kind, a, b)?;
    let part = decisions.part(program, 1.0, a, b).map_err(|reason| vec![reason])?;
    let known = part.pair.known().ok_or_else(Vec::new)?;
    let measured = known.estimate;
    let predicted = another(kind, &programs.predict(BetweenPrograms::VALIDATED));
    let verdict = decisions.verdict(program, a, b).map_or(Verdict::Undecided, |pair| pair.verdict);
    let is_clear = matches!(verdict, Verdict::Faster | Verdict::Slower) && measured.abs() > CLEAR.ln();
    let pair = ValidatedPair {
        profile: run.profile.clone(),
        program: run.run.record.plan.workloads[program].name.to_string(),
        a: evidence.label(a),
        b: evidence.label(b),
        predicted,
        measured: pointwise(Some(known)),
        verdict,
        outcome: is_clear.then(|| foretold(predicted.better, measured > 0.0)),
    };
    Ok(Tested { pair, outcome: PredictedPair { programs, measured, error: known.precision.error } })
}

/// How a prediction came out that gave the first of the pair this probability.
fn foretold(better: f64, is_better: bool) -> Foretold {
    match better {
        sure if sure >= SURE && is_better => Foretold::Right,
        sure if sure <= 1.0 - SURE && !is_better => Foretold::Right,
        open if open < SURE && open > 1.0 - SURE => Foretold::NotSure,
        _ => Foretold::Wrong,
    }
}

fn score<'a>(pairs: impl Iterator<Item = &'a ValidatedPair>) -> Score {
    let pairs: Vec<&ValidatedPair> = pairs.collect();
    let clear: Vec<&ValidatedPair> = pairs.iter().copied().filter(|pair| pair.outcome.is_some()).collect();
    let sure: Vec<&ValidatedPair> =
        clear.iter().copied().filter(|pair| pair.outcome != Some(Foretold::NotSure)).collect();
    let typical_error = fsarena_stats::upper_median(pairs.iter().filter_map(|pair| error(pair)));
    Score {
        pairs: pairs.len() as u32,
        clear: clear.len() as u32,
        right_sign: share(&clear, has_right_sign),
        not_sure: share(&clear, |pair| pair.outcome == Some(Foretold::NotSure)),
        right_when_sure: share(&sure, |pair| pair.outcome == Some(Foretold::Right)),
        error: typical_error.map(|error| Share(error.exp_m1())),
        covered: share(&pairs, is_covered),
    }
}

fn share(pairs: &[&ValidatedPair], is_so: impl Fn(&ValidatedPair) -> bool) -> Option<Share> {
    let count = pairs.iter().filter(|pair| is_so(pair)).count();
    (!pairs.is_empty()).then(|| Share(count as f64 / pairs.len() as f64))
}

fn ratios(pair: &ValidatedPair) -> Option<(f64, f64)> {
    pair.predicted.estimate.ratio.zip(pair.measured.ratio)
}

fn has_right_sign(pair: &ValidatedPair) -> bool {
    ratios(pair).is_some_and(|(predicted, measured)| (predicted > 1.0) == (measured > 1.0))
}

/// The error of the predicted ratio, a logarithm, without its sign.
fn error(pair: &ValidatedPair) -> Option<f64> {
    ratios(pair).map(|(predicted, measured)| (predicted / measured).ln().abs())
}

fn is_covered(pair: &ValidatedPair) -> bool {
    let Estimate { low, high, .. } = pair.predicted.estimate;
    let ends = low.zip(high).zip(pair.measured.ratio);
    ends.is_some_and(|((low, high), measured)| low <= measured && measured <= high)
}
