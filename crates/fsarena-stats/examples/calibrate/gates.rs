//! How often a gate fails without a reason, and with one: two sides that were not interleaved, or one run with both.

use std::error::Error;
use std::fmt;

use fsarena_stats::{
    Drift, Ending, Judge, Pair, Part, Quantity, Reduced, Rule, Unchanged, Workload, mean_session, regressions, session,
    shifts, shifts_with, weighted_mean,
};

use crate::noise::Noise;
use crate::world::{Size, Source, Synthetic, World};
use crate::worlds;

/// The slowdown that is tolerated, as a logarithm: 5 %.
const LIMIT: f64 = 0.048_790_164;
const ALPHA: f64 = 0.05;
/// Contenders that are checked. A further one did not change.
const CHECKED: usize = 2;
const CONTROL: usize = 2;
/// Rounds of each run.
pub const ROUNDS: usize = 6;

/// How the two sides are measured and compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Design {
    /// One run has both sides in the same sweeps.
    Interleaved,
    /// Several runs per side, whose differences show the drift.
    Runs(usize),
    /// One run per side, with work that did not change and drifts like the contenders.
    Baselines,
    /// One run per side, relative to a contender that did not change.
    Control,
    /// One run per side, without any drift in the intervals: what a tool does that only knows the runs' own noise.
    Naive,
}

impl fmt::Display for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            Self::Interleaved => "interleaved".to_owned(),
            Self::Runs(count) => format!("{count} + {count} runs"),
            Self::Baselines => "1 + 1 runs, baselines".to_owned(),
            Self::Control => "1 + 1 runs, control".to_owned(),
            Self::Naive => "1 + 1 runs, no drift".to_owned(),
        })
    }
}

/// What is slower on the second side.
#[derive(Debug, Clone, Copy)]
pub struct Injected {
    /// The logarithm of the slowdown.
    pub size: f64,
    /// In this workload only; `None`: in all of them.
    pub workload: Option<usize>,
}

impl Injected {
    pub const NOTHING: Self = Self { size: 0.0, workload: None };

    fn of(&self, workload: usize) -> f64 {
        if self.workload.is_none_or(|only| only == workload) { self.size } else { 0.0 }
    }
}

/// Additional drift between runs, as standard deviations of logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drifts {
    /// Of everything in a run.
    pub common: f64,
    /// Of each contender in each workload by itself.
    pub own: f64,
}

/// Where the rounds of a run come from.
#[derive(Debug, Clone)]
pub struct Machine {
    pub name: String,
    pub source: Source,
    pub drifts: Drifts,
}

impl Machine {
    /// Runs of a machine, one after the other; the rounds of a run are neighbours.
    fn runs(&self, count: usize, noise: &mut Noise) -> Vec<Vec<Workload>> {
        let mut runs: Vec<Vec<Workload>> = match &self.source {
            Source::Synthetic(world) => {
                let size = Size { contenders: CONTROL + 1, workloads: 10, rounds: ROUNDS, sweeps: 12 };
                let world = World::new("", size, Source::Synthetic(*world));
                (0..count).map(|_| world.run(0.0, noise)).collect()
            }
            Source::Recorded(trace) => {
                let spare = trace.rounds() - count * ROUNDS;
                let mut gaps: Vec<usize> = (0..count).map(|_| noise.below(spare + 1)).collect();
                gaps.sort_unstable();
                let starts = gaps.iter().enumerate().map(|(run, gap)| gap + run * ROUNDS);
                starts.map(|start| trace.block(start, ROUNDS)).collect()
            }
        };
        for run in &mut runs {
            let common = self.drifts.common * noise.normal();
            for workload in run {
                let own: Vec<f64> =
                    (0..workload.contenders).map(|_| common + self.drifts.own * noise.normal()).collect();
                change(workload, |contender, value| *value += own[contender]);
            }
        }
        // The order in which runs were made says nothing about their side.
        let order = noise.permutation(count);
        order.into_iter().map(|run| runs[run].clone()).collect()
    }
}

fn change(workload: &mut Workload, mut with: impl FnMut(usize, &mut f64)) {
    for sweep in workload.rounds.iter_mut().flat_map(|round| &mut round.sweeps) {
        sweep.iter_mut().enumerate().for_each(|(contender, value)| value.iter_mut().for_each(|it| with(contender, it)));
    }
}

/// Whether the gate of a simulated pair of sides fails.
pub fn fails(machine: &Machine, design: Design, injected: Injected, noise: &mut Noise) -> bool {
    let slow = |run: &mut Vec<Workload>| {
        for (number, workload) in run.iter_mut().enumerate() {
            change(workload, |contender, value| *value -= if contender == 0 { injected.of(number) } else { 0.0 });
        }
    };
    if design == Design::Interleaved {
        let mut run = machine.runs(1, noise).swap_remove(0);
        slow(&mut run);
        return fails_within(&run);
    }
    let count = if let Design::Runs(count) = design { count } else { 1 };
    let mut before = machine.runs(2 * count, noise);
    let mut after = before.split_off(count);
    after.iter_mut().for_each(slow);
    fails_between(&before, &after, design)
}

/// Contender 0 against contender 1, which is the same without the slowdown.
fn fails_within(run: &[Workload]) -> bool {
    let reduced: Vec<Reduced> = run.iter().map(Reduced::new).collect();
    let mut judge = Judge::new(Rule::default());
    let looks = judge.look_at(&reduced.iter().collect::<Vec<_>>(), ROUNDS, 1.0);
    let pairs: Vec<_> = looks.iter().map(|pairs| pairs[0]).collect();
    let mut estimates: Vec<_> = pairs.iter().map(Pair::known).collect();
    let parts: Vec<Part<'_>> =
        reduced.iter().zip(&pairs).map(|(workload, pair)| Part { weight: 1.0, workload, pair }).collect();
    estimates.push(weighted_mean(&parts));
    let ending = Ending::Stopped { progress: 1.0, rounds: ROUNDS };
    let found = regressions(&estimates, LIMIT, ALPHA, ending);
    found.iter().flatten().any(|regression| regression.holds)
}

fn fails_between(before: &[Vec<Workload>], after: &[Vec<Workload>], design: Design) -> bool {
    let control = (design == Design::Control).then_some(CONTROL);
    let of = |run: &Vec<Workload>, workload: usize, contender: usize| {
        let value = |sweep: &Vec<Option<f64>>| Some(sweep[contender]? - control.map_or(Some(0.0), |it| sweep[it])?);
        let rounds = run[workload].rounds.iter().map(|round| round.sweeps.iter().filter_map(value).collect());
        session(&rounds.collect::<Vec<Vec<f64>>>())
    };
    let quantity = |workload: usize, contender: usize| Quantity {
        before: before.iter().map(|run| of(run, workload, contender)).collect(),
        after: after.iter().map(|run| of(run, workload, contender)).collect(),
    };
    let workloads = before[0].len();
    let quantities: Vec<Quantity> = (0..CHECKED)
        .flat_map(|contender| (0..workloads).map(move |workload| (workload, contender)))
        .map(|(w, c)| quantity(w, c))
        .collect();
    let mean_of = |workload: usize, runs: &[Vec<Workload>]| {
        let mean = |run: &Vec<Workload>| {
            let values: Vec<f64> =
                run[workload].rounds.iter().flat_map(|it| &it.sweeps).filter_map(|it| it[CONTROL]).collect();
            values.iter().sum::<f64>() / values.len() as f64
        };
        runs.iter().map(mean).collect()
    };
    let unchanged: Vec<Unchanged> = match design {
        Design::Baselines => {
            (0..workloads).map(|it| Unchanged { before: mean_of(it, before), after: mean_of(it, after) }).collect()
        }
        _ => Vec::new(),
    };
    let assumed = match design {
        Design::Control => Drift::ASSUMED_RELATIVE,
        Design::Naive => Drift { deviation: 1e-9, freedom: 1e9 },
        _ => Drift::ASSUMED,
    };
    let (drift, found) = shifts(&quantities, &unchanged, assumed);
    let means: Vec<Quantity> = quantities.chunks(workloads).map(|own| mean(own, before.len())).collect();
    let all = found.into_iter().chain(shifts_with(&means, drift));
    let estimates: Vec<_> = all.map(|shift| shift.map(|shift| shift.known)).collect();
    let found = regressions(&estimates, LIMIT, ALPHA, Ending::Planned);
    found.iter().flatten().any(|regression| regression.holds)
}

/// The mean over the workloads, run by run.
fn mean(own: &[Quantity], runs: usize) -> Quantity {
    let of = |pick: fn(&Quantity) -> &Vec<Reduced>| {
        let run = |run| mean_session(&own.iter().map(|it| &pick(it)[run]).collect::<Vec<_>>()).expect("values");
        (0..runs).map(run).collect()
    };
    Quantity { before: of(|it| &it.before), after: of(|it| &it.after) }
}

/// The number of `runs` simulated gates that fail.
pub fn count(machine: &Machine, design: Design, injected: Injected, runs: u32, seed: u64) -> u32 {
    (0..runs).map(|run| u32::from(fails(machine, design, injected, &mut Noise::new(seed, u64::from(run))))).sum()
}

/// The machines that are simulated.
fn machines() -> Result<Vec<Machine>, Box<dyn Error>> {
    let still = Drifts { common: 0.0, own: 0.0 };
    let stable = Synthetic { slice: 0.05, round: 0.01, machine: 0.01, ..Synthetic::PLAIN };
    let made_up = |name: &str, drifts| Machine { name: name.to_owned(), source: Source::Synthetic(stable), drifts };
    let mut machines = vec![
        made_up("stable machine", still),
        made_up("stable, runs drift by 1 %", Drifts { common: 0.01, own: 0.005 }),
        made_up("stable, runs drift by 3 %", Drifts { common: 0.03, own: 0.01 }),
        made_up("stable, contenders drift alone by 3 %", Drifts { common: 0.0, own: 0.03 }),
    ];
    for world in worlds::all()? {
        if let Source::Recorded(trace) = world.source {
            let name = world.name.replace(".trace.gz", "");
            machines.push(Machine { name: name.clone(), source: Source::Recorded(trace.clone()), drifts: still });
            if name == "quiet" {
                let drifts = Drifts { common: 0.05, own: 0.02 };
                machines.push(Machine {
                    name: "quiet, drift 5 % more".to_owned(),
                    source: Source::Recorded(trace),
                    drifts,
                });
            }
        }
    }
    Ok(machines)
}

/// Prints how often gates fail.
pub fn print(runs: u32, seed: u64, word: &str) -> Result<(), Box<dyn Error>> {
    println!("\ngates with a threshold of 5 %, {ROUNDS} rounds per run, 10 workloads; failing of {runs}, in %");
    println!("{:40} {:24} equal  10 % in all  10 % in one  25 % in one", "", "");
    let designs = [
        Design::Interleaved,
        Design::Control,
        Design::Runs(3),
        Design::Runs(2),
        Design::Baselines,
        Design::Runs(1),
        Design::Naive,
    ];
    for machine in machines()?.iter().filter(|machine| machine.name.contains(word)) {
        for design in designs {
            let one = |share: f64| Injected { size: share.ln_1p(), workload: Some(4) };
            let all = Injected { size: 0.1_f64.ln_1p(), workload: None };
            let counts = [Injected::NOTHING, all, one(0.1), one(0.25)]
                .map(|injected| 100.0 * f64::from(count(machine, design, injected, runs, seed)) / f64::from(runs));
            let [equal, all, ten, more] = counts;
            println!("{:40} {design:24} {equal:5.1}  {all:11.1}  {ten:11.1}  {more:11.1}", machine.name);
        }
    }
    Ok(())
}
