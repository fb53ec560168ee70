//! The cells of the calibration.

use super::cell::{Cell, Goal, Section};
use super::field::FieldRule;
use super::scenario::{Lanes, Method, Scenario, Shape};
use crate::part::Part;

/// Number of contenders and of workloads of the suites that are played.
const SUITES: [(usize, usize); 6] = [(3, 10), (2, 10), (6, 10), (3, 1), (2, 1), (6, 1)];

/// All cells, table by table.
#[must_use]
pub fn cells() -> Vec<Cell> {
    let suites = || SUITES.into_iter();
    let mut cells: Vec<Cell> = suites().flat_map(no_difference).collect();
    cells.extend(suites().flat_map(at_the_margin));
    cells.extend(suites().flat_map(power));
    cells.extend(field());
    cells.extend(broken());
    cells
}

/// Scenarios in which nothing differs, one per model of noise.
fn noises(suite: (usize, usize)) -> Vec<(&'static str, Scenario)> {
    let lanes = equal(suite, 0.03);
    let alone = Scenario { lanes: Lanes::None, ..lanes.clone() };
    let own = |scenario: &Scenario, autocorrelation| Scenario { autocorrelation, ..scenario.clone() };
    let shaped = |shape| Scenario { shape, ..lanes.clone() };
    let biased = Scenario { lane_deviation: 0.05, ..lanes.clone() };
    vec![
        ("normal", lanes.clone()),
        ("normal, no lanes", alone.clone()),
        ("normal, sd 1 %", Scenario { pair_deviation: 0.01, ..lanes.clone() }),
        ("lane bias 5 %", biased.clone()),
        ("machine drift 5 %", Scenario { machine_drift: 0.05, ..lanes.clone() }),
        ("own AR .25, no lanes", own(&alone, 0.25)),
        ("own AR .5", own(&lanes, 0.5)),
        ("own AR .5, no lanes", own(&alone, 0.5)),
        ("own AR .5, lane bias 5 %", own(&biased, 0.5)),
        ("heavy tail", shaped(Shape::HeavyTail)),
        ("unequal skew", shaped(Shape::UnequalSkew)),
        ("two modes", shaped(Shape::TwoModes)),
        ("one contender with 3-fold noise", shaped(Shape::OneNoisy)),
        ("two rounds with 5-fold noise", shaped(Shape::TwoDisturbedRounds)),
        ("workloads unlike (sd × e^±1)", Scenario { workload_spread: 1.0, ..lanes.clone() }),
        ("rounds 16 and 20 bought", Scenario { bought: vec![16, 20], ..lanes.clone() }),
        ("own AR .7, shown only", own(&lanes, 0.7)),
        ("own AR .7, no lanes, shown only", own(&alone, 0.7)),
    ]
}

/// The hard ones again, with so much noise that no pair is called equivalent.
fn loud_noises(suite: (usize, usize)) -> Vec<(&'static str, Scenario)> {
    let lanes = equal(suite, 0.10);
    let alone = Scenario { lanes: Lanes::None, ..lanes.clone() };
    let shaped = |shape| Scenario { shape, ..lanes.clone() };
    vec![
        ("sd 10 %, no lanes", alone.clone()),
        ("sd 10 %, own AR .5", Scenario { autocorrelation: 0.5, ..lanes.clone() }),
        ("sd 10 %, own AR .5, no lanes", Scenario { autocorrelation: 0.5, ..alone.clone() }),
        ("sd 10 %, one contender with 3-fold noise", shaped(Shape::OneNoisy)),
        ("sd 10 %, unequal skew", shaped(Shape::UnequalSkew)),
        ("sd 10 %, two modes", shaped(Shape::TwoModes)),
        ("sd 10 %, workloads unlike", Scenario { workload_spread: 1.0, ..lanes.clone() }),
    ]
}

fn no_difference(suite: (usize, usize)) -> Vec<Cell> {
    let cell = |(name, scenario): (&str, Scenario)| {
        let is_promised = !name.contains("shown");
        let goals = if is_promised { vec![Goal::NoFalseWinner, Goal::Coverage] } else { Vec::new() };
        Cell { section: Section::NoDifference, name: name.into(), scenario, method: Method::Recipe, goals }
    };
    noises(suite).into_iter().chain(loud_noises(suite)).map(cell).collect()
}

fn at_the_margin(suite: (usize, usize)) -> Vec<Cell> {
    let margin = one_better(suite, 0.05, 0.01);
    let named = [
        ("5 %, sd 1 %", margin.clone()),
        ("5 %, sd 3 %", Scenario { pair_deviation: 0.03, ..margin.clone() }),
        ("5 %, sd 1 %, own AR .5", Scenario { autocorrelation: 0.5, ..margin.clone() }),
        ("5 %, sd 1 %, own AR .5, no lanes", Scenario { autocorrelation: 0.5, lanes: Lanes::None, ..margin.clone() }),
        ("5 %, sd 1 %, unequal skew", Scenario { shape: Shape::UnequalSkew, ..margin.clone() }),
        ("5 %, sd 1 %, two modes", Scenario { shape: Shape::TwoModes, ..margin.clone() }),
        ("5 %, sd 1 %, 3-fold noise", Scenario { shape: Shape::OneNoisy, ..margin.clone() }),
        ("10 %, sd 3 %", one_better(suite, 0.10, 0.03)),
    ];
    let goals = vec![Goal::NoFalseEquivalent, Goal::NoFalseWinner, Goal::Coverage];
    let cell = |(name, scenario): (&str, Scenario)| {
        let (name, goals) = (name.into(), goals.clone());
        Cell { section: Section::AtTheMargin, name, scenario, method: Method::Recipe, goals }
    };
    named.into_iter().map(cell).collect()
}

fn power(suite: (usize, usize)) -> Vec<Cell> {
    let is_promised = suite.1 == 10 && suite.0 > 2;
    let cell = |(name, scenario, promise): (&str, Scenario, Option<Goal>)| {
        let goals = promise.filter(|_| is_promised).into_iter().chain([Goal::NoFalseWinner]).collect();
        Cell { section: Section::Power, name: name.into(), scenario, method: Method::Recipe, goals }
    };
    promised(suite).into_iter().chain(other_differences(suite)).map(cell).collect()
}

/// Differences that suites of ten workloads must find.
fn promised(suite: (usize, usize)) -> Vec<(&'static str, Scenario, Option<Goal>)> {
    let (ten, five) = if suite.0 == 6 { (6, 8) } else { (5, 6) };
    let ten = Some(Goal::Found { share: 0.98, median: ten });
    let five = Some(Goal::Found { share: 0.95, median: five });
    let behind = Some(Goal::FoundBy { share: 0.95, round: 6 });
    let biased = |scenario: Scenario| Scenario { lane_deviation: 0.05, ..scenario };
    let alone = |scenario: Scenario| Scenario { lanes: Lanes::None, ..scenario };
    vec![
        ("5 %, sd 1 %, lane bias 5 %", biased(one_better(suite, 0.05, 0.01)), behind),
        ("5 %, sd 2 %, no lanes", alone(one_better(suite, 0.05, 0.02)), five),
        ("5 %, sd 2 %", one_better(suite, 0.05, 0.02), five),
        ("10 %, sd 3 %, no lanes", alone(one_better(suite, 0.10, 0.03)), ten),
        ("10 %, sd 3 %", one_better(suite, 0.10, 0.03), ten),
    ]
}

/// Differences that are shown.
fn other_differences(suite: (usize, usize)) -> Vec<(&'static str, Scenario, Option<Goal>)> {
    let five = one_better(suite, 0.05, 0.02);
    let shaped = |shape| Scenario { shape, ..five.clone() };
    vec![
        ("0 %, sd 1 %", equal(suite, 0.01), None),
        ("0 %, sd 3 %", equal(suite, 0.03), None),
        ("2 %, sd 1 %", one_better(suite, 0.02, 0.01), None),
        ("30 %, sd 5 %", one_better(suite, 0.30, 0.05), None),
        ("5 %, sd 2 %, own AR .5", Scenario { autocorrelation: 0.5, ..five.clone() }, None),
        ("5 %, sd 2 %, heavy tail", shaped(Shape::HeavyTail), None),
        ("5 %, sd 2 %, two modes", shaped(Shape::TwoModes), None),
        ("10 %, sd 3 %, two disturbed rounds", disturbed(suite), None),
    ]
}

fn disturbed(suite: (usize, usize)) -> Scenario {
    Scenario { shape: Shape::TwoDisturbedRounds, ..one_better(suite, 0.10, 0.03) }
}

fn field() -> Vec<Cell> {
    let rules = [
        ("repeat until sd < 2.5 %, more than 1 % apart wins", Method::Field(FieldRule::DeviationBelow)),
        ("repeat until p < .05", Method::Field(FieldRule::UntilSignificant)),
        ("three runs, bars of one sd", Method::Field(FieldRule::ThreeBars)),
        ("the recipe", Method::Recipe),
    ];
    let alone = |deviation| Scenario { lanes: Lanes::None, ..equal((3, 10), deviation) };
    let worlds = [("sd 1 %", alone(0.01)), ("sd 3 %", alone(0.03))];
    let cell = |(rule, method): (&str, Method), (world, scenario): (&str, Scenario)| Cell {
        section: Section::Field,
        name: format!("{rule}; {world}"),
        scenario,
        method,
        goals: Vec::new(),
    };
    worlds.into_iter().flat_map(|world| rules.map(|rule| cell(rule, world.clone()))).collect()
}

fn broken() -> Vec<Cell> {
    let normal = equal((3, 10), 0.03);
    let alone = Scenario { lanes: Lanes::None, ..normal.clone() };
    let unlike = Scenario { workload_spread: 1.0, ..normal.clone() };
    let own = Scenario { autocorrelation: 0.5, ..alone.clone() };
    let loud = Scenario { effects: vec![0.0; 2], pair_deviation: 0.10, ..own.clone() };
    let biased = Scenario { lane_deviation: 0.05, ..one_better((3, 10), 0.05, 0.01) };
    let power = Goal::BreaksPower { share: 0.95, round: 6 };
    let cell = |name: &str, scenario: &Scenario, method, goal| Cell {
        section: Section::Broken,
        name: name.into(),
        scenario: scenario.clone(),
        method,
        goals: vec![goal],
    };
    let winners = Goal::BreaksWinners;
    vec![
        cell("no family correction", &alone, Method::Without(Part::FamilyCorrection), winners),
        cell("a plain t interval at every look", &alone, Method::Field(FieldRule::UntilSignificant), winners),
        cell("the whole α at every look, own AR .5, sd 10 %", &loud, Method::Without(Part::LookWeights), winners),
        cell("one variance for all workloads", &unlike, Method::Without(Part::OwnVariances), winners),
        cell("no guard, own AR .5", &own, Method::Without(Part::Guard), winners),
        cell("no lane term, 5 % behind lane bias 5 %", &biased, Method::Without(Part::LaneTerm), power),
    ]
}

fn equal((contenders, workloads): (usize, usize), deviation: f64) -> Scenario {
    Scenario { workloads, ..Scenario::new(vec![0.0; contenders], deviation) }
}

fn one_better((contenders, workloads): (usize, usize), ratio: f64, deviation: f64) -> Scenario {
    let mut effects = vec![0.0; contenders];
    effects[0] = ratio.ln_1p();
    Scenario { workloads, ..Scenario::new(effects, deviation) }
}
