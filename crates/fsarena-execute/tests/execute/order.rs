//! The schedule: lanes, slices and workloads follow from the plan and its seed.

use std::collections::BTreeSet;

use fsarena_model::{Event, Rounds, Workload};

use fsarena_fakes::{Performance, Play, World, workload};

fn six_rounds(seed: u64) -> Play {
    let names = ["create", "append", "rename", "delete", "stat"];
    let play = Play::new(&["ext4", "xfs", "btrfs"], World::of(&[1000.0, 1100.0, 900.0]).noisy(0.02, 1));
    play.with_workloads(names.map(workload).to_vec()).with_rounds(Rounds::Exactly(6)).with_seed(seed)
}

/// The lane of a contender in each round, from the testbed's journal.
fn lanes<'a>(performance: &'a Performance, contender: &str) -> Vec<&'a str> {
    performance
        .entries(&format!("make {contender} "))
        .iter()
        .map(|entry| entry.rsplit(' ').next().unwrap_or(""))
        .collect()
}

#[test]
fn lanes_form_latin_squares() {
    let performance = six_rounds(7).perform();
    let lanes = ["ext4", "xfs", "btrfs"].map(|contender| lanes(&performance, contender));
    for square in [0..3, 3..6] {
        for contender in &lanes {
            assert_eq!(contender[square.clone()].iter().collect::<BTreeSet<_>>().len(), 3);
        }
        for round in square {
            assert_eq!(lanes.iter().map(|contender| contender[round]).collect::<BTreeSet<_>>().len(), 3);
        }
    }
}

#[test]
fn a_trial_names_the_lane_on_which_its_contender_was_made() {
    let performance = six_rounds(7).perform();
    for contender in ["ext4", "xfs", "btrfs"] {
        let lanes = lanes(&performance, contender);
        for trial in performance.trials_of("create", contender) {
            assert_eq!(trial.lane.map(|lane| lane.to_string()).as_deref(), Some(lanes[trial.round as usize - 1]));
        }
    }
}

#[test]
fn a_contender_without_a_lane_leaves_the_square_of_the_others_whole() {
    let play = Play::new(&["ext4", "tmpfs", "xfs"], World::of(&[1000.0; 3])).with_rounds(Rounds::Exactly(2));
    let performance = play.perform();
    assert_eq!(performance.entries("make tmpfs"), ["make tmpfs without a lane"; 2]);
    assert!(performance.trials_of("create", "tmpfs").iter().all(|trial| trial.lane.is_none()));
    let [ext4, xfs] = ["ext4", "xfs"].map(|contender| lanes(&performance, contender));
    assert!(ext4[0] != ext4[1] && xfs[0] == ext4[1] && xfs[1] == ext4[0]);
}

#[test]
fn slices_go_there_and_back() {
    let performance = six_rounds(7).perform();
    let timed = performance.journal.iter().filter(|entry| entry.starts_with("run ") && entry.ends_with("for 100 ms"));
    let contenders: Vec<&str> = timed.filter_map(|entry| entry.split(' ').nth(1)).collect();
    assert_eq!(contenders.len(), 6 * 5 * 3 * 4);
    for sweep in contenders.chunks(6) {
        assert_eq!(sweep[..3].iter().collect::<BTreeSet<_>>().len(), 3);
        assert_eq!(sweep[..3], [sweep[5], sweep[4], sweep[3]]);
    }
    assert!(contenders.chunks(6).collect::<BTreeSet<_>>().len() > 3, "the order is drawn again");
}

#[test]
fn a_single_slice_goes_there_in_one_round_and_back_in_the_next() {
    let workloads = ["create", "append"].map(|name| Workload { slices: 1, ..workload(name) });
    let play = Play::new(&["ext4", "xfs", "btrfs"], World::of(&[1000.0; 3])).with_workloads(workloads.to_vec());
    let performance = play.with_rounds(Rounds::Exactly(8)).perform();
    for name in ["create", "append"] {
        let position = |round: u32, label: &str| {
            let mut own = performance.trials_of(name, label).into_iter().filter(|trial| trial.round == round);
            own.next().expect("a trial").slices[0].position
        };
        let orders: Vec<[u32; 3]> =
            (1..=8).map(|round| ["ext4", "xfs", "btrfs"].map(|label| position(round, label))).collect();
        assert!(orders.chunks(2).all(|both| both[0].map(|place| 2 - place) == both[1]), "{orders:?}");
        assert!(orders.iter().collect::<BTreeSet<_>>().len() > 2, "the order is drawn again: {orders:?}");
    }
}

#[test]
fn slices_know_their_place_in_the_order() {
    let performance = six_rounds(7).perform();
    for round in performance.record.trials.chunks(3) {
        let positions: BTreeSet<u32> =
            round.iter().flat_map(|trial| &trial.slices).map(|slice| slice.position).collect();
        assert_eq!(positions, (0..12).collect());
        let sums = round.iter().map(|trial| trial.slices.iter().map(|slice| slice.position).sum::<u32>());
        assert_eq!(sums.collect::<BTreeSet<_>>().len(), 1, "no contender is later than another on average");
    }
}

#[test]
fn workloads_are_permuted_in_each_round() {
    let rounds = six_rounds(7).perform().rounds();
    let names = |round: &Vec<String>| round.iter().cloned().collect::<BTreeSet<_>>();
    assert!(rounds.iter().all(|round| round.len() == 5 && names(round) == names(&rounds[0])));
    assert!(rounds.iter().collect::<BTreeSet<_>>().len() > 3);
}

#[test]
fn workloads_run_in_the_order_that_was_announced() {
    let performance = six_rounds(7).perform();
    let started = |event: &Event| match event {
        Event::WorkloadStarted { workload, .. } => Some(workload.clone()),
        _ => None,
    };
    let started: Vec<String> = performance.events.iter().filter_map(started).collect();
    assert_eq!(started, performance.rounds().concat());
}

#[test]
fn the_same_plan_and_seed_give_the_same_events() {
    let (first, second) = (six_rounds(7).perform(), six_rounds(7).perform());
    assert!(first.events == second.events && first.times == second.times);
    assert_eq!(first.journal, second.journal);
}

#[test]
fn another_seed_gives_another_order() {
    let (first, second) = (six_rounds(7).perform(), six_rounds(8).perform());
    assert_ne!(first.rounds(), second.rounds());
    assert_ne!(first.entries("make "), second.entries("make "));
    assert_ne!(first.entries("run "), second.entries("run "));
}

/// The positions of the slices of `append` in the order of slices, trial by trial.
fn positions(performance: &Performance) -> Vec<Vec<u32>> {
    let trials = ["ext4", "xfs", "btrfs"].map(|contender| performance.trials_of("append", contender));
    trials.concat().iter().map(|trial| trial.slices.iter().map(|slice| slice.position).collect()).collect()
}

#[test]
fn a_workload_that_drops_out_does_not_change_the_order_of_the_slices_of_the_others() {
    let full = six_rounds(7).perform();
    let mut fewer = six_rounds(7);
    fewer.plan.workloads.truncate(2);
    assert_eq!(positions(&full), positions(&fewer.perform()));
}
