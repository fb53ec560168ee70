//! Comparison with SciPy and statsmodels: `tests/reference/make.py` wrote the numbers.

use serde_json::Value;

use crate::mean::together;
use crate::quantile::{digamma, student_upper};
use crate::{LogEstimate, Pooled, Precision, SteadyEffect, within_rounds};

fn reference() -> Value {
    serde_json::from_str(include_str!("../../tests/reference/reference.json")).expect("make.py writes JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Compares to 8 digits; values below .001 to as many digits after the point as .001 would have.
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
    assert_all("digamma", |arguments| digamma(number(&arguments[0])));
}

fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

fn assert_effect(got: Option<SteadyEffect>, expected: &Value) {
    let effect = got.expect("enough values");
    assert_close("size", effect.size, number(&expected["size"]));
    assert_close("low", effect.interval.low, number(&expected["interval"][0]));
    assert_close("high", effect.interval.high, number(&expected["interval"][1]));
}

#[test]
fn changes_within_rounds_and_trends_agree() {
    let reference = reference();
    for expected in list(&reference["within_rounds"]) {
        let trials: Vec<Vec<f64>> = list(&expected["trials"]).iter().map(numbers).collect();
        assert_effect(within_rounds(&trials, 0.05), expected);
    }
    for expected in list(&reference["trends"]) {
        let values: Vec<(f64, f64)> =
            numbers(&expected["times"]).into_iter().zip(numbers(&expected["values"])).collect();
        assert_effect(SteadyEffect::trend(&values, 0.05), expected);
    }
}

/// The reference has means with equal weights, the function computes sums.
#[test]
fn sums_of_independent_estimates_agree() {
    for expected in list(&reference()["suite_ratios"]) {
        let parts: Vec<Vec<f64>> = list(&expected["parts"]).iter().map(numbers).collect();
        let precision = |part: &Vec<f64>| Precision { error: part[1], freedom: part[2] };
        let sum = together(parts.iter().map(precision)).expect("several");
        assert_close("freedom", sum.freedom, number(&expected["freedom"]));
        let mean = Precision { error: sum.error / parts.len() as f64, ..sum };
        let interval = mean.interval(number(&expected["estimate"]), 0.025);
        assert_close("low", interval.low, number(&expected["interval"][0]));
        assert_close("high", interval.high, number(&expected["interval"][1]));
    }
}

fn machines(value: &Value) -> Vec<LogEstimate> {
    let rows = list(&value["machines"]).iter().map(numbers);
    let on_machine = |row: Vec<f64>| {
        let freedom = row.get(2).copied().unwrap_or(1000.0);
        LogEstimate { estimate: row[0], precision: Precision { error: row[1], freedom } }
    };
    rows.map(on_machine).collect()
}

#[test]
fn random_effects_agree() {
    for expected in list(&reference()["pooled"]) {
        let pooled = Pooled::of(&machines(expected)).expect("several machines");
        assert_close("estimate", pooled.estimate, number(&expected["estimate"]));
        assert_close("deviation", pooled.deviation, number(&expected["deviation"]));
        assert_close("share", pooled.share, number(&expected["share"]));
        let further = pooled.further.expect("more than two machines");
        for (name, interval) in [("mean", pooled.mean), ("further", further)] {
            assert_close(name, interval.low, number(&expected[name][0]));
            assert_close(name, interval.high, number(&expected[name][1]));
        }
    }
    for expected in list(&reference()["alike"]) {
        let pooled = Pooled::of(&machines(expected)).expect("several machines");
        assert_close("alike", pooled.alike, number(&expected["alike"]));
    }
}
