//! Agreement with SciPy and plain linear algebra: `tests/reference/make.py` wrote the numbers.

use std::rc::Rc;

use serde_json::Value;

use crate::design::Design;
use crate::evidence::{Evidence, Suite};
use crate::fit::Fit;
use crate::look::Rule;
use crate::observation::{Observation, Sheet, WorkloadData};
use crate::quantile::{chi_squared_lower, digamma, student_upper};
use crate::{
    Before, Decision, Effect, Interval, PairDecision, Precision, Step, SuiteRatio, carry_over, decide, outliers,
    variance, within_rounds,
};

fn reference() -> Value {
    serde_json::from_str(include_str!("../tests/reference/reference.json")).expect("make.py writes JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// To 8 digits; what is near 0 to as many as a value of .001 would have.
fn assert_close(what: &str, got: f64, expected: f64) {
    let distance = (got - expected).abs();
    assert!(distance <= 1e-8 * expected.abs().max(1e-3), "{what}: {got} instead of {expected}");
}

fn assert_all(name: &str, function: impl Fn(&[Value]) -> f64) {
    let reference = reference();
    for row in list(&reference[name]) {
        let (expected, arguments) = list(row).split_last().expect("a row");
        assert_close(&format!("{name} {arguments:?}"), function(arguments), number(expected));
    }
}

#[test]
fn quantiles_agree() {
    assert_all("student", |arguments| student_upper(number(&arguments[0]), number(&arguments[1])));
    assert_all("chi_squared", |arguments| chi_squared_lower(number(&arguments[0]), number(&arguments[1])));
    assert_all("digamma", |arguments| digamma(number(&arguments[0])));
}

fn workload(value: &Value) -> WorkloadData {
    let observation = |row: &Value| Observation {
        round: row[0].as_u64().expect("a round") as u32,
        contender: row[1].as_u64().expect("a contender") as usize,
        lane: row[2].as_u64().map(|lane| lane as usize),
        y: number(&row[3]),
    };
    WorkloadData {
        contenders: value["contenders"].as_u64().expect("a number of contenders") as usize,
        observations: list(&value["observations"]).iter().map(observation).collect(),
        ..WorkloadData::default()
    }
}

fn workloads(suite: &Value) -> Vec<WorkloadData> {
    list(&suite["workloads"]).iter().map(workload).collect()
}

#[test]
fn fits_and_variances_agree() {
    for suite in list(&reference()["suites"]) {
        let sheets = workloads(suite).into_iter().map(|data| Sheet::new(0, &data).expect("complete"));
        let fits: Vec<Fit> = sheets.map(fit).collect();
        let learned = Suite::of(&fits, None);
        assert_close("autocorrelation", learned.guard.autocorrelation, number(&suite["rho"]));
        assert_eq!(learned.typical(&fits[0]).is_some(), suite["typical"].is_f64(), "{}", suite["name"]);
        if let Some(typical) = learned.typical(&fits[0]) {
            assert_close("typical variance", typical, number(&suite["typical"]));
        }
        for (fit, expected) in fits.iter().zip(list(&suite["expected"])) {
            assert_fit(fit, &learned, expected);
        }
    }
}

fn fit(sheet: Sheet) -> Fit {
    let design = Design::new(sheet.values.contenders(), sheet.values.rounds(), &sheet.lanes);
    Fit::new(&sheet, Rc::new(design))
}

fn assert_fit(fit: &Fit, suite: &Suite, expected: &Value) {
    let design = &fit.design;
    assert_eq!(design.freedom as u64, expected["freedom"]);
    assert_eq!(serde_json::to_value(design.lane_term).expect("a word"), expected["lane_term"]);
    for row in list(&expected["dependence"]) {
        assert_close("unrest", design.dependence.unrest(number(&row[0])), number(&row[1]));
        assert_close("inflation", design.dependence.inflation(number(&row[0])), number(&row[2]));
    }
    for ((a, b), expected) in design.pairs().zip(list(&expected["pairs"])) {
        assert_close("estimate", fit.estimate(a, b), number(&expected["estimate"]));
        assert_close("variance factor", design.variance_factor(a, b), number(&expected["c"]));
        let Some(evidence) = Evidence::new(fit, suite, a, b) else {
            assert!(expected["pointwise"].is_null());
            continue;
        };
        assert_variances(fit, a, b, expected);
        assert_close("s²", evidence.difference.square, number(&expected["square"]));
        assert_close("df", evidence.difference.freedom, number(&expected["freedom"]));
        assert_close("s² of equivalence", evidence.equivalence.square, number(&expected["equivalence_square"]));
        assert_close("df of equivalence", evidence.equivalence.freedom, number(&expected["equivalence_freedom"]));
    }
}

fn assert_variances(fit: &Fit, a: usize, b: usize, expected: &Value) {
    let pooled = variance::pooled(fit).expect("freedom");
    let own = variance::own(fit, a, b).expect("freedom");
    let shared = variance::shared(pooled, own);
    assert_close("pooled", pooled.square, number(&expected["pooled"]));
    assert_close("own", own.square, number(&expected["own"]));
    assert_close("shared", shared.square, number(&expected["shared"]));
    assert_close("shared freedom", shared.freedom, number(&expected["shared_freedom"]));
}

#[test]
fn decisions_agree() {
    for suite in list(&reference()["suites"]) {
        let decisions = decide(&Rule::default(), &workloads(suite)).expect("well formed");
        for (decision, expected) in decisions.iter().zip(list(&suite["expected"])) {
            assert_eq!(u64::from(decision.rounds), expected["rounds"]);
            assert_eq!(decision.pairs.len(), list(&expected["pairs"]).len());
            for (pair, expected) in decision.pairs.iter().zip(list(&expected["pairs"])) {
                assert_pair(pair, expected);
            }
        }
    }
}

fn assert_pair(pair: &PairDecision, expected: &Value) {
    assert_eq!(serde_json::to_value(pair.verdict).expect("a word"), expected["verdict"]);
    assert_eq!(pair.needs_rounds.map(u64::from), expected["needs_rounds"].as_u64());
    assert_interval(pair.pointwise, &expected["pointwise"]);
    assert_interval(pair.decision, &expected["decision"]);
}

fn assert_interval(got: Option<Interval>, expected: &Value) {
    assert_eq!(got.is_none(), expected.is_null());
    if let Some(interval) = got {
        assert_close("low", interval.low, number(&expected[0]));
        assert_close("high", interval.high, number(&expected[1]));
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

fn assert_effect(got: Option<Effect>, expected: &Value) {
    let effect = got.expect("enough values");
    assert_close("size", effect.size, number(&expected["size"]));
    assert_interval(Some(effect.interval), &expected["interval"]);
}

#[test]
fn changes_within_rounds_and_carry_over_agree() {
    let reference = reference();
    for expected in list(&reference["within_rounds"]) {
        let trials: Vec<Vec<f64>> = list(&expected["trials"]).iter().map(numbers).collect();
        assert_effect(within_rounds(&trials, 0.05), expected);
    }
    let step = |row: &Value| {
        let after = if row[1] == 1 { Before::Own } else { Before::Other };
        Step { position: number(&row[0]), after, y: number(&row[2]) }
    };
    for expected in list(&reference["carry_over"]) {
        let trial = |rows: &Value| list(rows).iter().map(step).collect();
        let trials: Vec<Vec<Step>> = list(&expected["trials"]).iter().map(trial).collect();
        assert_effect(carry_over(&trials, 0.05), expected);
    }
}

#[test]
fn trends_and_outliers_agree() {
    let reference = reference();
    for expected in list(&reference["trends"]) {
        let values: Vec<(f64, f64)> =
            numbers(&expected["times"]).into_iter().zip(numbers(&expected["values"])).collect();
        assert_effect(Effect::trend(&values, 0.05), expected);
    }
    for expected in list(&reference["outliers"]) {
        let seen: Vec<f64> = outliers(&numbers(&expected["values"])).iter().map(|index| *index as f64).collect();
        assert_eq!(seen, numbers(&expected["outliers"]));
    }
}

#[test]
fn ratios_of_suites_agree() {
    for expected in list(&reference()["suite_ratios"]) {
        let pairs: Vec<PairDecision> = list(&expected["parts"]).iter().map(|part| known(&numbers(part))).collect();
        let ratio = SuiteRatio::new(&pairs).expect("all are known");
        assert_close("estimate", ratio.estimate, number(&expected["estimate"]));
        assert_close("freedom", ratio.precision.freedom, number(&expected["freedom"]));
        assert_interval(Some(ratio.interval(0.05)), &expected["interval"]);
    }
}

/// A pair of which estimate, error and degrees of freedom are known, and nothing else.
fn known(part: &[f64]) -> PairDecision {
    PairDecision {
        a: 0,
        b: 1,
        estimate: Some(part[0]),
        precision: Some(Precision { error: part[1], freedom: part[2] }),
        pointwise: None,
        decision: None,
        verdict: Decision::Undecided,
        rounds: 4,
        needs_rounds: None,
    }
}

#[test]
fn a_suite_with_an_unknown_workload_has_no_ratio() {
    let known = known(&[0.1, 0.01, 4.0]);
    assert_eq!(SuiteRatio::new(&[]), None);
    assert_eq!(SuiteRatio::new(&[known, PairDecision { precision: None, ..known }]), None);
    let exact = PairDecision { precision: Some(Precision { error: 0.0, freedom: 4.0 }), ..known };
    assert_eq!(SuiteRatio::new(&[exact]).map(|ratio| ratio.interval(0.05).low), Some(0.1));
}

#[test]
fn look_weights_sum_to_one() {
    let rule = Rule::default();
    for contenders in [2, 3, 6, 8, 12, 30] {
        let sum: f64 = (1..100_000).map(|rounds| rule.look_weight(contenders, rounds)).sum();
        assert!((sum - 1.0).abs() < 1e-4 && sum <= 1.0 + 1e-12, "{contenders}: {sum}");
    }
    assert_close("flat", rule.look_weight(3, 4), 0.1);
    assert_close("reserve", rule.look_weight(3, 14), 0.1 / 6.0);
    assert_close("before", rule.look_weight(3, 3), 0.0);
    assert_close("more than K/2 rounds", rule.look_weight(8, 4), 0.0);
}
