//! A stopped run: what is stored, and that everything is removed.

use std::collections::BTreeMap;

use fsarena_model::comparison::Reason;
use fsarena_model::{Event, Outcome, Rounds, Status, Verdict};

use fsarena_fakes::{Effect, Performance, Play, World};

fn stopped(round: u32, nth: u32, entry: &str) -> Performance {
    let world = World::of(&[1000.0, 2000.0, 4000.0]).noisy(0.01, 1).trap(Effect::Stop, round, nth, entry);
    Play::new(&["ext4", "xfs", "btrfs"], world).with_rounds(Rounds::Exactly(8)).perform()
}

/// A run that is stopped at various points of the sixth round.
fn windows() -> Vec<Performance> {
    let windows = [
        (1, "make ext4"),
        (1, "make btrfs"),
        (1, "open ext4"),
        (1, "prepare btrfs"),
        (1, "reset xfs"),
        (3, "run xfs"),
        (1, "run ext4 create for 20 ms"),
        (4, "run btrfs append for 100 ms"),
        (2, "sync ext4"),
        (1, "clear xfs"),
        (6, "clear"),
        (1, "finish ext4"),
        (1, "finish btrfs"),
    ];
    windows.map(|(nth, entry)| stopped(6, nth, entry)).into()
}

#[test]
fn a_stopped_run_is_interrupted_and_says_so_last() {
    for performance in windows() {
        assert_eq!(performance.status(), Status::Interrupted);
        assert_eq!(performance.events.last(), Some(&Event::Finished(Status::Interrupted)));
        assert_eq!(performance.record.status, Status::Interrupted);
        assert_eq!(performance.rounds().len(), 6, "no further round begins");
        assert_eq!(performance.record.rounds.len(), 5, "the round under way is not a finished one");
    }
}

#[test]
fn a_workload_under_way_leaves_no_trials() {
    for performance in windows() {
        let mut trials: BTreeMap<(u32, &str), usize> = BTreeMap::new();
        for trial in &performance.record.trials {
            *trials.entry((trial.round, &trial.workload)).or_default() += 1;
            assert_eq!((trial.outcome.clone(), trial.slices.len()), (Outcome::Finished, 4));
        }
        assert!(trials.values().all(|count| *count == 3), "{trials:?}");
        assert!(trials.len() >= 10);
    }
}

#[test]
fn a_workload_that_was_done_before_the_stop_is_kept() {
    let performance = stopped(6, 3, "clear");
    let second = &performance.rounds()[5][1];
    let performance = stopped(6, 1, &format!("run xfs {second}"));
    assert_eq!(performance.record.trials.iter().filter(|trial| trial.round == 6).count(), 3);
    assert_eq!(stopped(6, 1, "run xfs").record.trials.iter().filter(|trial| trial.round == 6).count(), 0);
}

#[test]
fn every_contender_that_was_made_is_cleared_and_finished() {
    for performance in windows() {
        for contender in ["ext4", "xfs", "btrfs"] {
            let count = |what: &str| performance.entries(&format!("{what} {contender}")).len();
            assert_eq!(count("make"), count("finish"));
            assert_eq!(count("open"), count("clear"));
        }
        assert!(performance.journal.last().is_some_and(|entry| entry.starts_with("finish")));
    }
}

#[test]
fn nothing_is_timed_any_more_after_the_stop() {
    let performance = stopped(6, 3, "run xfs create for 100 ms");
    let runs = performance.entries("run xfs create for 100 ms").len();
    assert_eq!(runs, 5 * 4 + 3);
    let last = performance.journal.iter().rposition(|entry| entry.starts_with("run ")).expect("something ran");
    assert_eq!(performance.journal[last], "run xfs create for 100 ms");
}

#[test]
fn rounds_before_the_stop_are_assessed() {
    for performance in windows() {
        let comparison = performance.comparison();
        assert_eq!((comparison.run.status, comparison.run.rounds), (Status::Interrupted, 5));
        assert_eq!(performance.verdicts(), [Verdict::Slower; 6]);
    }
}

#[test]
fn a_stop_that_ends_a_mkfs_takes_nothing_from_the_rounds_before() {
    for (round, finished) in [(1, 0), (6, 5)] {
        let world = World::of(&[1000.0, 2000.0, 4000.0]).noisy(0.01, 1);
        let world = world.trap(Effect::Stop, round, 1, "make xfs").trap(Effect::Fail, round, 1, "make xfs");
        let performance = Play::new(&["ext4", "xfs", "btrfs"], world).with_rounds(Rounds::Exactly(8)).perform();
        assert_eq!((performance.status(), performance.record.rounds.len()), (Status::Interrupted, finished));
        assert!(performance.record.trials.iter().all(|trial| trial.outcome == Outcome::Finished));
        let verdict = if finished > 0 { Verdict::Slower } else { Verdict::Undecided };
        assert_eq!(performance.verdicts(), [verdict; 6]);
    }
}

#[test]
fn a_run_that_is_stopped_before_its_first_round_is_assessed_too() {
    let performance = stopped(0, 1, "survey");
    assert_eq!((performance.status(), performance.rounds().len()), (Status::Interrupted, 0));
    assert!(
        !performance.events.iter().any(|event| matches!(event, Event::Surveyed(_))),
        "nothing will be measured on it"
    );
    let comparison = performance.comparison();
    assert_eq!(performance.verdicts(), [Verdict::Undecided; 6]);
    assert!(
        comparison
            .judged
            .verdicts
            .iter()
            .all(|pair| pair.estimate.ratio.is_none() && pair.reasons == [Reason::NotMeasured])
    );
    assert!(comparison.cells.iter().all(|cell| cell.figure.median.is_none() && cell.validity.is_empty()));
}

#[test]
fn a_run_that_is_stopped_in_its_first_workload_is_assessed_too() {
    let performance = stopped(1, 1, "run xfs");
    assert_eq!(performance.record.contenders.len(), 3);
    assert_eq!(performance.verdicts(), [Verdict::Undecided; 6]);
}

#[test]
fn a_run_that_is_stopped_before_it_begins_does_nothing() {
    let performance = stopped(0, 0, "");
    assert_eq!((performance.status(), performance.journal.len()), (Status::Interrupted, 0));
    assert!(performance.events.is_empty(), "a run without an event is interrupted");
}
