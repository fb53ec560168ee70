//! Prints how often the rule is wrong, one line per cell: `cargo run --release --example calibrate [runs] [seed]`.

use std::error::Error;

use fsarena_stats::Rule;
use fsarena_stats::simulate::{Lanes, Method, Scenario, Share, Tally, simulate};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let runs = arguments.next().map_or(Ok(1000), |text| text.parse())?;
    let seed = arguments.next().map_or(Ok(1), |text| text.parse())?;
    println!("{runs} runs per cell, seed {seed}; 10 workloads, 12 rounds");
    println!(
        "{:<46} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>6} {:>6}",
        "cell", "false", "found", "equal", "f.equ.", "covers", "point", "rounds", "equal"
    );
    for (name, scenario, method) in cells() {
        print(&name, &simulate(&Rule::default(), &scenario, method, runs, seed)?);
    }
    Ok(())
}

fn cells() -> Vec<(String, Scenario, Method)> {
    let mut cells = Vec::new();
    for contenders in [2, 3, 6] {
        cells.extend(noise_cells(contenders));
        cells.extend(power_cells(contenders));
    }
    cells.push(("3, equal, sd 3 %, t at each look".into(), equal(3, 0.03), Method::RepeatedTTest));
    cells
}

fn noise_cells(contenders: usize) -> Vec<(String, Scenario, Method)> {
    let quiet = Scenario { lanes: Lanes::None, ..equal(contenders, 0.01) };
    let alone = Scenario { lanes: Lanes::None, ..equal(contenders, 0.03) };
    let lanes = equal(contenders, 0.03);
    let biased = Scenario { lane_deviation: 0.05, ..lanes.clone() };
    let half = Scenario { autocorrelation: 0.5, ..biased.clone() };
    let strong = Scenario { autocorrelation: 0.7, ..biased.clone() };
    let half_alone = Scenario { autocorrelation: 0.5, ..alone.clone() };
    let margin = Scenario { effects: step(contenders, 0.05), ..equal(contenders, 0.01) };
    let named = [
        ("equal, sd 1 %, no lanes", quiet),
        ("equal, sd 3 %, no lanes", alone),
        ("equal, sd 3 %, no lanes, own AR .5", half_alone),
        ("equal, sd 3 %, lanes", lanes),
        ("equal, sd 3 %, lane sd 5 %", biased),
        ("equal, sd 3 %, lane sd 5 %, own AR .5", half),
        ("equal, sd 3 %, lane sd 5 %, own AR .7", strong),
        ("at the margin, sd 1 %, lanes", margin),
    ];
    named.map(|(name, scenario)| (format!("{contenders}, {name}"), scenario, Method::Recipe)).into()
}

fn power_cells(contenders: usize) -> Vec<(String, Scenario, Method)> {
    let ten = Scenario { effects: step(contenders, 0.10), ..equal(contenders, 0.03) };
    let ten_alone = Scenario { lanes: Lanes::None, ..ten.clone() };
    let five = Scenario { effects: step(contenders, 0.05), ..equal(contenders, 0.02) };
    let five_alone = Scenario { lanes: Lanes::None, ..five.clone() };
    let biased = Scenario { lane_deviation: 0.05, pair_deviation: 0.01, ..five.clone() };
    let named = [
        ("one 10 % better, sd 3 %, no lanes", ten_alone),
        ("one 10 % better, sd 3 %, lanes", ten),
        ("one 5 % better, sd 2 %, no lanes", five_alone),
        ("one 5 % better, sd 2 %, lanes", five),
        ("one 5 % better, sd 1 %, lane sd 5 %", biased),
    ];
    named.map(|(name, scenario)| (format!("{contenders}, {name}"), scenario, Method::Recipe)).into()
}

fn equal(contenders: usize, deviation: f64) -> Scenario {
    Scenario::new(vec![0.0; contenders], deviation)
}

fn step(contenders: usize, ratio: f64) -> Vec<f64> {
    let mut effects = vec![0.0; contenders];
    effects[0] = f64::ln_1p(ratio);
    effects
}

fn print(name: &str, tally: &Tally) {
    let percent = |share: Share| share.fraction().map_or("-".into(), |part| format!("{:.1}%", 100.0 * part));
    let rounds = |median: Option<u32>| median.map_or("-".into(), |rounds| rounds.to_string());
    println!(
        "{name:<46} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>6} {:>6}",
        percent(tally.runs_with_false_winner),
        percent(tally.found),
        percent(tally.equal_found),
        percent(tally.false_equivalent),
        percent(tally.runs_covered),
        percent(tally.pointwise_covered),
        rounds(tally.median_rounds_to_find()),
        rounds(tally.median_rounds_to_equal()),
    );
}
