//! Which contender is faster, when that is decided, and when it is not.

use fsarena_model::comparison::Reason;
use fsarena_model::{Better, Event, Measure, Nanos, Rounds, Status, Trial, ValidityClass, Verdict, Workload};

use fsarena_fakes::{Play, World, workload};

/// Like [`workload`], but measured in microseconds, where less is better.
fn latency(name: &str) -> Workload {
    let mut workload = workload(name);
    workload.metric.measure = Measure::MicrosecondsPerOperation;
    workload.metric.better = Better::Lower;
    workload
}

#[test]
fn a_clear_difference_is_found_on_the_right_side_in_either_direction_of_the_metric() {
    for (rates, wanted) in [([2000.0, 1000.0], Verdict::Faster), ([1000.0, 2000.0], Verdict::Slower)] {
        let play = Play::new(&["ext4", "xfs"], World::of(&rates).noisy(0.02, 5));
        let comparison = play.with_workloads(vec![workload("rate"), latency("time")]).perform().comparison();
        assert_eq!(comparison.judged.verdicts.iter().map(|pair| pair.verdict).collect::<Vec<_>>(), [wanted; 2]);
        for pair in &comparison.judged.verdicts {
            let ratio = pair.estimate.ratio.expect("a decided pair has a ratio");
            assert!((ratio / (rates[0] / rates[1]) - 1.0).abs() < 0.1, "{}: {ratio}", pair.workload);
        }
        let medians: Vec<f64> = comparison.cells.iter().filter_map(|cell| cell.figure.median).collect();
        assert!(medians[0] > medians[1] || wanted == Verdict::Slower);
        assert!(medians[2] < medians[3] || wanted == Verdict::Slower);
    }
}

#[test]
fn before_three_rounds_there_is_no_ratio_and_no_mean() {
    let of = |rounds| {
        let play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 2000.0]).noisy(0.02, 5));
        play.with_rounds(Rounds::Exactly(rounds)).perform().comparison().judged
    };
    let early = of(2);
    for pair in &early.verdicts {
        assert_eq!((pair.rounds, pair.verdict, pair.leaning), (2, Verdict::Undecided, None));
        assert_eq!((pair.estimate, pair.decision, pair.detectable), Default::default());
        assert_eq!((pair.needs.rounds, pair.needs.seconds), (None, None), "how much it varies is not known");
        assert_eq!(pair.reasons, [Reason::FewRounds { rounds: 2, least: 3 }]);
    }
    let mean = &early.suite_ratios[0];
    assert_eq!(mean.estimate.ratio, None);
    assert_eq!(mean.left_out[0], "create (2 rounds, a verdict needs at least 3)");
    let later = of(3);
    assert!(later.verdicts.iter().all(|pair| pair.estimate.ratio.is_some()));
    assert!(later.suite_ratios[0].estimate.ratio.is_some());
}

#[test]
fn equal_contenders_are_never_ranked() {
    for seed in 1..=12 {
        let play = Play::new(&["ext4", "xfs", "btrfs"], World::of(&[1000.0; 3]).noisy(0.03, seed)).with_seed(seed);
        let verdicts = play.perform().verdicts();
        let ranked = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Faster | Verdict::Slower));
        assert_eq!(ranked.count(), 0, "seed {seed}: {verdicts:?}");
        assert_eq!(verdicts.len(), 6);
    }
}

#[test]
fn equal_contenders_with_little_noise_are_equivalent_and_the_run_ends_early() {
    let performance = Play::new(&["ext4", "xfs"], World::of(&[1000.0; 2]).noisy(0.005, 2)).perform();
    assert_eq!(performance.verdicts(), [Verdict::Equivalent; 2]);
    assert!(performance.rounds().len() < 12);
}

#[test]
fn nothing_is_decided_below_the_steps_of_a_programs_clock() {
    let of = |rates: [f64; 2], step: u64, measure: Measure| {
        let mut work = workload("work");
        work.metric.measure = measure;
        work.traits.clock_step = Some(Nanos::millis(step));
        let play = Play::new(&["ext4", "xfs"], World::of(&rates).noisy(0.005, 2)).with_workloads(vec![work]);
        let pair = play.perform().comparison().judged.verdicts[0].clone();
        let is_beyond = pair.detectable.is_none_or(|ratio| ratio > 1.0 + step as f64 / 100.0);
        assert!(is_beyond || measure != Measure::OperationsPerSecond, "{pair:?}");
        let is_flagged = pair
            .reasons
            .iter()
            .any(|reason| matches!(reason, Reason::Validity { class: ValidityClass::CoarseClock, .. }));
        (pair.verdict, is_flagged)
    };
    // Slices take a tenth of a second.
    let rate = Measure::OperationsPerSecond;
    assert_eq!(of([1000.0, 1000.0], 1, rate), (Verdict::Equivalent, false));
    assert_eq!(of([1000.0, 1000.0], 20, rate), (Verdict::Undecided, true));
    assert_eq!(of([1000.0, 1150.0], 20, rate), (Verdict::Undecided, true));
    assert_eq!(of([1000.0, 2000.0], 20, rate), (Verdict::Slower, true));
    assert_eq!(of([1000.0, 2000.0], 1000, rate), (Verdict::Undecided, true));
    assert!(!of([1000.0, 2000.0], 1000, Measure::MeanLatencyMicroseconds).1, "latencies are finer");
}

/// One contender is three times as fast in one workload; the other workload is a noisy tie.
fn one_clear_and_one_open() -> Play {
    let mut play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 1060.0]).noisy(0.04, 3));
    play.plan.workloads = vec![workload("clear"), workload("open")];
    play.world.advantage = Some(("clear".to_owned(), 3.0));
    play
}

#[test]
fn a_decided_workload_is_not_run_again() {
    let performance = one_clear_and_one_open().perform();
    let rounds = performance.rounds();
    let dropped = rounds.iter().position(|workloads| !workloads.contains(&"clear".to_owned()));
    let dropped = dropped.expect("the clear one is decided before the last round");
    assert!(dropped >= 3, "nothing is decided before round 3");
    assert!(rounds[dropped..].iter().all(|workloads| workloads == &["open"]));
    assert_eq!(performance.trials_of("clear", "ext4").len(), dropped);
    assert_eq!(performance.trials_of("open", "ext4").len(), rounds.len());
    assert_eq!(performance.verdicts()[0], Verdict::Slower);
}

#[test]
fn a_run_ends_as_soon_as_all_is_decided() {
    let performance = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 3000.0]).noisy(0.01, 1)).perform();
    assert_eq!(performance.status(), Status::Complete);
    assert_eq!(performance.rounds().len(), 3);
    let last_word = performance.events.iter().rev().find(|event| matches!(event, Event::Decided { .. }));
    assert!(matches!(last_word, Some(Event::Decided { decided: 2, pairs: 2, .. })), "{last_word:?}");
}

#[test]
fn a_given_number_of_rounds_is_run_of_everything_whatever_is_decided() {
    for count in [1, 3, 9, 14] {
        let play = one_clear_and_one_open().with_rounds(Rounds::Exactly(count));
        let performance = play.perform();
        assert_eq!(performance.rounds().len(), count as usize);
        assert!(performance.rounds().iter().all(|workloads| workloads.len() == 2));
        assert_eq!(performance.record.trials.len(), 4 * count as usize);
        assert_eq!(performance.expected(), vec![count; count as usize]);
    }
}

#[test]
fn a_lone_contender_is_measured_often_enough_for_an_interval_and_no_more() {
    let performance = Play::new(&["ext4"], World::of(&[1000.0]).noisy(0.02, 1)).perform();
    assert_eq!(performance.rounds().len(), 4);
    let comparison = performance.comparison();
    assert!(comparison.judged.verdicts.is_empty());
    assert!(comparison.cells.iter().all(|cell| cell.figure.low.is_some() && cell.rounds == 4));
}

#[test]
fn a_verdict_that_later_rounds_contradict_is_invalid_and_says_why() {
    let mut performance = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 1100.0]).noisy(0.001, 1))
        .with_workloads(vec![workload("create")])
        .with_rounds(Rounds::Exactly(60))
        .perform();
    assert_eq!(performance.verdicts(), [Verdict::Slower]);
    let late = |trial: &&mut Trial| trial.round > 30 && trial.contender.0 == "ext4";
    for trial in performance.record.trials.iter_mut().filter(late) {
        let factor = if trial.round % 2 == 0 { 1.3 } else { 1.6 };
        trial.slices.iter_mut().for_each(|slice| slice.value *= factor);
    }
    let pair = &performance.comparison().judged.verdicts[0];
    assert_eq!(pair.verdict, Verdict::Invalid);
    assert_eq!(pair.reasons, [Reason::Unsteady]);
}

#[test]
fn a_slowdown_has_a_note_and_is_found() {
    let mut play = Play::new(&["a=ext4", "b=ext4"], World::of(&[1000.0; 2]).noisy(0.02, 5));
    play.plan.measuring.slowdowns = vec!["b=20%".parse().expect("well spelled")];
    let performance = play.perform();
    let comparison = performance.comparison();
    assert!(
        comparison.judged.verdicts.iter().all(|pair| pair.verdict == Verdict::Faster),
        "{:?}",
        comparison.judged.verdicts
    );
    let notes: Vec<&str> = comparison.notes.iter().map(|note| note.text.as_str()).collect();
    assert!(notes.iter().any(|note| note.contains("`b` is slowed down on purpose")), "{notes:?}");
    assert!(
        comparison.run.command.windows(2).any(|pair| pair == ["--slowdown", "b=20%"]),
        "{:?}",
        comparison.run.command
    );
}

/// Whatever an operation costs.
#[test]
fn a_slowdown_of_40_percent_is_a_ratio_of_1_40() {
    for rate in [100.0, 1e6] {
        let mut play = Play::new(&["a=ext4", "b=ext4"], World::of(&[rate; 2]));
        play.plan.measuring.slowdowns = vec!["b=40%".parse().expect("well spelled")];
        let performance = play.perform();
        for pair in performance.comparison().judged.verdicts {
            let ratio = pair.estimate.ratio.expect("measured");
            assert!((ratio / 1.4 - 1.0).abs() < 0.01, "{ratio} at {rate} per second");
        }
        let [a, b] = ["a", "b"].map(|label| performance.trials_of("create", label)[0].latencies["create"].p50);
        assert!((b.0 as f64 / a.0 as f64 / 1.4 - 1.0).abs() < 0.01, "{a} {b}");
    }
}

#[test]
fn after_fewer_rounds_than_a_verdict_needs_a_pair_says_so_and_leans_nowhere() {
    let reasons = |rounds| {
        let play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 3000.0]).noisy(0.01, 1));
        let pair = play.with_rounds(Rounds::Exactly(rounds)).perform().comparison().judged.verdicts[0].clone();
        assert_eq!((pair.verdict == Verdict::Undecided, pair.leaning), (rounds < 3, None));
        pair.reason()
    };
    assert_eq!(reasons(1), "not decided: 1 round, a verdict needs at least 3");
    assert_eq!(reasons(2), "not decided: 2 rounds, a verdict needs at least 3");
    assert_eq!(reasons(3), "");
}
