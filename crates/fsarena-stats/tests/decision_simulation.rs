//! The guarantee, tested in short simulations with a fixed seed; `examples/calibrate` has the long ones.

use std::path::Path;

use crate::tally::{Tally, play};
use crate::trace::Trace;
use crate::world::{Size, Source, Synthetic, World};

const RUNS: u32 = 300;

fn synthetic(rounds: usize, noise: Synthetic) -> World {
    let size = Size { contenders: 3, workloads: 10, rounds, sweeps: 6 };
    World::new("", size, Source::Synthetic(noise))
}

fn wrong_share(tally: &Tally) -> f64 {
    f64::from(tally.wrong) / f64::from(tally.runs)
}

fn found_share(tally: &Tally) -> f64 {
    f64::from(tally.found) / f64::from(tally.differing)
}

#[test]
fn at_most_5_of_100_runs_have_a_false_winner() {
    let plain = Synthetic::PLAIN;
    let worlds = [
        ("few rounds", synthetic(4, plain)),
        ("many rounds", synthetic(11, plain)),
        ("rounds differ", synthetic(6, Synthetic { round: 0.1, ..plain })),
        ("one noisy contender", synthetic(6, Synthetic { round: 0.1, noisy: 3.0, ..plain })),
        ("workloads unlike", synthetic(6, Synthetic { unlike: 1.5, ..plain })),
        ("heavy tails", synthetic(6, Synthetic { slice_shape: crate::noise::Shape::Heavy, ..plain })),
    ];
    for (name, world) in worlds {
        let equal = play(&world, 0.0, RUNS, 1);
        assert!(wrong_share(&equal) <= 0.05, "{name}: {}", wrong_share(&equal));
        let apart = play(&world, 0.2, RUNS / 10, 2);
        assert!(wrong_share(&apart) <= 0.05, "{name}, with a difference: {}", wrong_share(&apart));
    }
}

#[test]
fn recorded_noise_makes_no_more_false_winners() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    for name in ["quiet", "two-busy-loops", "load-comes-and-goes", "neighbour-writes"] {
        let trace = Trace::read(&folder.join(format!("{name}.trace.gz"))).expect("the trace is in the repository");
        let size = Size { contenders: 3, workloads: 10, rounds: 8, sweeps: usize::MAX };
        let world = World::new("", size, Source::Recorded(trace));
        let equal = play(&world, 0.0, RUNS, 1);
        assert!(wrong_share(&equal) <= 0.05, "{name}: {}", wrong_share(&equal));
        let apart = play(&world, 1.3_f64.ln(), RUNS / 10, 2);
        assert!(found_share(&apart) >= 0.6, "{name}: {}", found_share(&apart));
    }
}

#[test]
fn a_difference_of_10_percent_is_found() {
    let quiet = Synthetic { slice: 0.1, round: 0.02, ..Synthetic::PLAIN };
    let found = play(&synthetic(8, quiet), 1.1_f64.ln(), RUNS / 10, 3);
    assert!(found_share(&found) >= 0.5, "{}", found_share(&found));
}

#[test]
fn a_pair_at_the_margin_is_hardly_called_equivalent() {
    let precise = Synthetic { slice: 0.05, round: 0.01, ..Synthetic::PLAIN };
    let margin = play(&synthetic(8, precise), 1.05_f64.ln(), RUNS, 4);
    let share = f64::from(margin.wrong_equivalent) / f64::from(margin.apart);
    assert!(share <= 0.01, "{share}");
    let equal = play(&synthetic(8, precise), 0.0, RUNS / 10, 5);
    let share = f64::from(equal.equivalent) / f64::from(equal.equal);
    assert!(share >= 0.5, "{share}");
}

#[test]
fn rounds_of_equal_contenders_are_replayed_whole() {
    let line = |workload, round, sweep| format!("{workload} {round} {sweep} {round}.{sweep} {round}.{sweep}5 -\n");
    let lines =
        ["one", "two"].map(|name| (0..9).flat_map(|r| (0..3).map(move |s| line(name, r, s))).collect::<String>());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("made-up.trace");
    std::fs::write(&path, format!("# made up\n{}", lines.concat())).expect("the directory is there");
    let trace = Trace::read(&path).expect("well formed");
    let size = Size { contenders: 3, workloads: 2, rounds: 6, sweeps: usize::MAX };
    let mut orders = std::collections::BTreeSet::new();
    for run in 0..50 {
        let workloads = trace.replay(size, &mut crate::noise::Noise::new(1, run));
        let numbers = |data: &fsarena_stats::Workload| -> Vec<i64> {
            let lowest = |sweep: &Vec<Option<f64>>| sweep.iter().flatten().fold(f64::INFINITY, |low, x| low.min(*x));
            data.rounds.iter().map(|round| lowest(&round.sweeps[0]) as i64).collect()
        };
        let chosen = numbers(&workloads[0]);
        assert_eq!(chosen, numbers(&workloads[1]), "all workloads have the same rounds");
        assert!(chosen.chunks(2).all(|block| block[1] == block[0] + 1), "rounds stay together: {chosen:?}");
        assert_eq!(chosen.iter().collect::<std::collections::BTreeSet<_>>().len(), 6, "no round comes twice");
        let round = &workloads[0].rounds[0];
        assert_eq!(round.sweeps.len(), 3);
        orders.insert(round.sweeps[0].iter().position(Option::is_none));
    }
    assert_eq!(orders.len(), 3, "contenders exchange their names");
}
