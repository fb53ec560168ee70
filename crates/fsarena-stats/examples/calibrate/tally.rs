//! Simulated runs of a world, judged look by look, and counts of the results.

use fsarena_stats::{Judge, Rule, Verdict, Workload};

use crate::noise::Noise;
use crate::world::World;

/// Counts over many runs of one world with one effect.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    pub runs: u32,
    /// Runs with a wrong `Faster` or `Slower`.
    pub wrong: u32,
    /// Runs whose decision intervals all contain the truth.
    pub covered: u32,
    /// Pairs that differ, and how many of them were found.
    pub differing: u32,
    pub found: u32,
    /// Sum over the found pairs of the share of the budget after which they were found.
    pub when: f64,
    /// Pairs that differ by at least the margin, and how many of them were called equivalent.
    pub apart: u32,
    pub wrong_equivalent: u32,
    /// Equal pairs, how many of them were called equivalent, and how many leaned.
    pub equal: u32,
    pub equivalent: u32,
    pub leaning: u32,
    /// Undecided pairs that lean and differ, and how many of them lean the wrong way.
    pub leaning_apart: u32,
    pub wrong_way: u32,
    /// All pairs, and how many pointwise intervals contain the truth.
    pub pairs: u32,
    pub held: u32,
}

/// Simulates runs of a world: one look after each round, the last one at the end of the budget.
pub fn play(world: &World, effect: f64, runs: u32, seed: u64) -> Tally {
    let mut tally = Tally::default();
    for run in 0..runs {
        let mut noise = Noise::new(seed, u64::from(run));
        let workloads = world.run(effect, &mut noise);
        tally.judge(world, &workloads, effect);
    }
    tally
}

/// The first rounds of a run.
pub fn first_rounds(workloads: &[Workload], rounds: usize) -> Vec<Workload> {
    let cut = |workload: &Workload| Workload {
        contenders: workload.contenders,
        rounds: workload.rounds.iter().take(rounds).cloned().collect(),
    };
    workloads.iter().map(cut).collect()
}

impl Tally {
    fn judge(&mut self, world: &World, workloads: &[Workload], effect: f64) {
        let rounds = world.size.rounds;
        let rule = Rule::default();
        let mut judge = Judge::new(rule);
        let mut decided: Vec<bool> = Vec::new();
        let mut last = Vec::new();
        for look in 3.min(rounds)..=rounds {
            let progress = world.progress(look);
            let so_far = first_rounds(workloads, look);
            last = judge.look(&so_far, progress).concat();
            decided.resize(last.len(), false);
            for (pair, decided) in last.iter().zip(&mut decided) {
                let truth = truth(pair.a, pair.b, effect);
                if !*decided && truth != 0.0 && pair.verdict == right(truth) {
                    *decided = true;
                    self.when += progress;
                }
            }
        }
        let mut is_wrong = false;
        let mut is_covered = true;
        for pair in &last {
            let truth = truth(pair.a, pair.b, effect);
            let wins = matches!(pair.verdict, Verdict::Faster | Verdict::Slower);
            is_wrong |= wins && pair.verdict != right(truth);
            is_covered &= pair.decision.is_none_or(|interval| interval.contains(truth));
            self.pairs += 1;
            self.held += u32::from(pair.pointwise.is_some_and(|interval| interval.contains(truth)));
            if truth.abs() >= rule.margin.ln_1p() - 1e-9 {
                self.apart += 1;
                self.wrong_equivalent += u32::from(pair.verdict == Verdict::Equivalent);
            }
            if truth == 0.0 {
                self.equal += 1;
                self.equivalent += u32::from(pair.verdict == Verdict::Equivalent);
                self.leaning += u32::from(pair.leaning.is_some());
            } else {
                self.differing += 1;
                self.found += u32::from(wins && pair.verdict == right(truth));
                self.leaning_apart += u32::from(pair.leaning.is_some());
                self.wrong_way += u32::from(pair.leaning.is_some_and(|side| side != right(truth)));
            }
        }
        self.runs += 1;
        self.wrong += u32::from(is_wrong);
        self.covered += u32::from(is_covered);
    }
}

fn truth(a: usize, b: usize, effect: f64) -> f64 {
    let of = |contender| if contender == 1 { effect } else { 0.0 };
    of(a) - of(b)
}

fn right(truth: f64) -> Verdict {
    match truth {
        _ if truth > 0.0 => Verdict::Faster,
        _ if truth < 0.0 => Verdict::Slower,
        _ => Verdict::Equivalent,
    }
}
