//! Failures: which part of a run they affect, and that the rest continues.

use fsarena_execute::RunError;
use fsarena_model::{
    Bytes, CacheState, ErrorCategory, Event, Explained, Finding, LaneCost, Nanos, Outcome, Rounds, Severity, Status,
    Trial, ValidityClass, Verdict,
};

use fsarena_fakes::{Effect, Performance, Play, World, workload};

/// Three contenders far apart, six rounds, and one thing that fails.
fn with_failure(round: u32, nth: u32, entry: &str) -> Play {
    let world = World::of(&[1000.0, 2000.0, 4000.0]).noisy(0.01, 1).trap(Effect::Fail, round, nth, entry);
    Play::new(&["ext4", "xfs", "btrfs"], world).with_rounds(Rounds::Exactly(6))
}

fn failed(performance: &Performance) -> Vec<&Trial> {
    performance.record.trials.iter().filter(|trial| trial.outcome != Outcome::Finished).collect()
}

fn verdict(performance: &Performance, workload: &str, a: &str, b: &str) -> (Verdict, String) {
    let comparison = performance.comparison();
    let is_of = |pair: &&_| {
        let pair: &fsarena_model::comparison::PairVerdict = pair;
        pair.workload == workload && pair.a.0 == a && pair.b.0 == b
    };
    let pair = comparison.judged.verdicts.iter().find(is_of).expect("every pair has a verdict");
    (pair.verdict, pair.reason())
}

/// Whether every contender that was made is finished, every opened workload cleared, and every watch counted.
fn is_tidy(performance: &Performance) -> bool {
    let same = |one: &str, other: &str| performance.entries(one).len() == performance.entries(other).len();
    same("make", "finish") && same("open", "clear") && same("watch", "count")
}

#[test]
fn a_job_that_fails_in_one_round_is_a_failed_trial_and_the_others_go_on() {
    let performance = with_failure(2, 2, "run xfs create for 100 ms").perform();
    assert_eq!(performance.status(), Status::Complete);
    let failed = failed(&performance);
    assert_eq!(failed.len(), 1);
    assert_eq!((failed[0].round, failed[0].workload.as_str(), failed[0].contender.0.as_str()), (2, "create", "xfs"));
    assert_eq!(failed[0].slices.len(), 1, "the slice before the failure is kept");
    assert!(matches!(&failed[0].outcome, Outcome::Failed(why) if why.contains("no luck")));
    let others = performance.record.trials.iter().filter(|trial| trial.outcome == Outcome::Finished);
    assert_eq!(others.filter(|trial| trial.slices.len() == 4).count(), 6 * 2 * 3 - 1);
    assert!(is_tidy(&performance));
}

/// It would fail again, and no pair of it can be judged any more.
#[test]
fn a_workload_that_fails_everywhere_runs_once() {
    let world = World::of(&[1000.0; 2]).noisy(0.01, 1);
    let fail = |world: World, own: &str| world.trap(Effect::Fail, 1, 1, &format!("prepare {own} create"));
    let play = Play::new(&["ext4", "xfs"], ["ext4", "xfs"].into_iter().fold(world, fail));
    let performance = play.with_rounds(Rounds::Exactly(4)).perform();
    let rounds = |name: &str| performance.trials_of(name, "ext4").len();
    assert_eq!((failed(&performance).len(), rounds("create"), rounds("append")), (2, 1, 4));
    assert_eq!(verdict(&performance, "create", "ext4", "xfs").0, Verdict::Invalid);
}

#[test]
fn a_failure_that_recurs_has_one_note() {
    let world = World::of(&[1000.0; 2]).noisy(0.01, 1);
    let traps = [2, 3].into_iter();
    let world = traps.fold(world, |world, round| world.trap(Effect::Fail, round, 2, "run xfs create for 100 ms"));
    let performance = Play::new(&["ext4", "xfs"], world).with_rounds(Rounds::Exactly(4)).perform();
    assert_eq!(failed(&performance).len(), 2);
    let notes = &performance.record.notes;
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].severity, Severity::Failure);
    assert!(
        ["round 2", "create", "xfs", "no luck"].iter().all(|part| notes[0].text.contains(part)),
        "{}",
        notes[0].text
    );
}

#[test]
fn no_further_slice_follows_a_failed_one_in_its_trial() {
    let performance = with_failure(2, 1, "run xfs create for 20 ms").perform();
    let runs = |contender: &str| performance.entries(&format!("run {contender} create")).len();
    assert_eq!(runs("ext4"), 6 * 4 * 2);
    assert_eq!(runs("xfs"), 5 * 4 * 2 + 1);
}

#[test]
fn a_pair_with_a_failed_trial_is_invalid_and_the_others_are_decided() {
    let performance = with_failure(2, 2, "run xfs create for 100 ms").perform();
    for (a, b) in [("ext4", "xfs"), ("xfs", "btrfs")] {
        assert_eq!(verdict(&performance, "create", a, b), (Verdict::Invalid, "xfs: did-not-finish".to_owned()));
    }
    assert_eq!(verdict(&performance, "create", "ext4", "btrfs").0, Verdict::Slower);
    assert_eq!(verdict(&performance, "append", "ext4", "xfs").0, Verdict::Slower);
    let comparison = performance.comparison();
    let cell = comparison.cells.iter().find(|cell| cell.workload == "create" && cell.contender.0 == "xfs");
    let cell = cell.expect("every cell is there");
    assert_eq!(cell.validity.iter().map(|flag| flag.class).collect::<Vec<_>>(), [ValidityClass::DidNotFinish]);
    let finding = &cell.validity[0].finding;
    assert!(matches!(finding, Finding::NotFinished { rounds: 1, of: 6, .. }), "{finding:?}");
    assert_eq!((cell.rounds, cell.by_round[1]), (5, None));
}

#[test]
fn whatever_fails_in_a_trial_makes_it_a_failed_one_and_is_cleared_away() {
    for entry in ["open xfs create", "prepare xfs create", "sync xfs", "reset xfs", "remount xfs", "clear xfs"] {
        let mut play = with_failure(2, 1, entry);
        play.plan.workloads = vec![workload("create")];
        play.plan.workloads[0].cache = CacheState::Cold;
        let performance = play.perform();
        assert_eq!(failed(&performance).len(), 1, "{entry}");
        assert_eq!(performance.notes().len(), 1, "{entry}");
        assert_eq!(performance.record.rounds.len(), 6, "{entry}");
        assert!(is_tidy(&performance), "{entry}");
        assert_eq!(verdict(&performance, "create", "ext4", "xfs").0, Verdict::Invalid, "{entry}");
    }
}

#[test]
fn a_failure_within_a_memory_limit_ends_it() {
    for entry in ["prepare xfs create", "warm xfs create", "run xfs create for 100 ms"] {
        let mut play = with_failure(2, 1, entry);
        play.plan.workloads = vec![workload("create")];
        play.plan.workloads[0].memory_limit = Some(Bytes::mib(128));
        let performance = play.perform();
        assert_eq!(failed(&performance).len(), 1, "{entry}");
        assert!(is_tidy(&performance), "{entry}");
        let within = performance.journal.iter().map(|entry| match entry.split(' ').next() {
            Some("confine") => 1,
            Some("release") => -1,
            _ => 0,
        });
        let levels: Vec<i32> = within.scan(0, |level, step| (*level += step, Some(*level)).1).collect();
        assert!(levels.iter().all(|level| [0, 1].contains(level)) && levels.last() == Some(&0), "{entry}");
    }
}

#[test]
fn a_file_that_cannot_be_made_cold_is_a_failure() {
    let mut play = with_failure(1, 1, "drop xfs create");
    play.plan.workloads = vec![workload("create")];
    play.plan.workloads[0].cache = CacheState::Cold;
    play.world.stuck = vec![1];
    assert_eq!(failed(&play.perform()).len(), 1);
}

#[test]
fn a_contender_that_cannot_be_made_in_the_first_round_ends_the_run() {
    let performance = with_failure(1, 1, "make xfs").perform();
    let error = performance.result.as_ref().expect_err("nothing is lost yet");
    assert!(matches!(error, RunError::Contender { contender, .. } if contender == "xfs"));
    assert_eq!((error.category(), performance.record.trials.len()), (ErrorCategory::Trial, 0));
    assert!(error.to_string().contains("xfs") && error.to_string().contains("no luck"));
}

#[test]
fn a_contender_that_cannot_be_made_later_misses_that_round_only() {
    let performance = with_failure(3, 1, "make xfs").perform();
    assert_eq!(performance.status(), Status::Complete);
    let failed = failed(&performance);
    assert_eq!(failed.len(), 2, "one for each workload");
    assert!(failed.iter().all(|trial| trial.round == 3 && trial.contender.0 == "xfs" && trial.slices.is_empty()));
    assert!(performance.notes()[0].contains("round 3: xfs could not be made"));
    assert_eq!(performance.trials_of("create", "ext4").len(), 6);
    assert_eq!(performance.trials_of("create", "xfs").len(), 6);
    assert_eq!(performance.entries("finish xfs").len(), 5);
    assert_eq!(verdict(&performance, "append", "ext4", "xfs").0, Verdict::Invalid);
    assert_eq!(verdict(&performance, "append", "ext4", "btrfs").0, Verdict::Slower);
}

#[test]
fn damage_that_a_check_finds_is_in_the_comparison() {
    let mut play = with_failure(99, 1, "nothing");
    play.world.damage = vec![(1, 2)];
    let performance = play.perform();
    let damage = performance.comparison().checks.damage;
    assert_eq!(damage.len(), 1);
    assert_eq!((damage[0].round, damage[0].contender.0.as_str()), (2, "xfs"));
    assert_eq!((damage[0].clean, damage[0].output.as_str()), (false, "inode 12 is lost"));
    assert_eq!(performance.record.checks.len(), 18);
}

#[test]
fn a_contender_that_stays_busy_is_a_note_and_the_others_are_finished() {
    let performance = with_failure(2, 1, "finish ext4").perform();
    assert_eq!(performance.status(), Status::Complete);
    assert!(performance.notes()[0].contains("ext4 could not be unmounted and checked"));
    assert_eq!((performance.entries("finish").len(), performance.record.checks.len()), (18, 17));
}

#[test]
fn a_machine_that_cannot_be_read_is_a_note() {
    let performance = with_failure(0, 1, "survey").perform();
    assert_eq!(performance.status(), Status::Complete);
    assert_eq!(performance.record.notes[0].severity, Severity::Failure);
    assert_eq!(performance.record.environment, Default::default());
    assert_eq!(performance.record.trials.len(), 36);
}

#[test]
fn a_listener_that_fails_ends_the_run_whenever_it_does() {
    let play = || with_failure(1, 1, "run ext4 create").with_rounds(Rounds::Exactly(1));
    let all = play().perform().events.len();
    for deaf_from in 0..all {
        let performance = Play { deaf_from, ..play() }.perform();
        let error = performance.result.as_ref().expect_err("the listener has failed");
        assert!(matches!(error, RunError::Listener(why) if why == "the store is full"), "{deaf_from}: {error}");
        assert_eq!((performance.events.len(), error.category()), (deaf_from, ErrorCategory::Machine));
    }
    let content = Play { deaf_from: all, ..play() }.perform();
    assert_eq!(content.events.last(), Some(&Event::Finished(Status::Complete)));
}

#[test]
fn a_settling_that_fails_after_the_slices_is_a_failed_trial() {
    let mut play = with_failure(2, 2, "sync xfs");
    play.plan.workloads = vec![workload("create")];
    assert_eq!(failed(&play.perform()).len(), 1);
}

#[test]
fn a_contender_that_cannot_be_made_keeps_the_verdicts_that_fell_before() {
    let mut play = with_failure(6, 1, "make xfs");
    play.plan.contenders.truncate(2);
    play.plan.rounds = Rounds::Within(Nanos::seconds(600));
    play.world.rates = vec![1000.0, 1060.0];
    play.world.round_noise = 0.05;
    play.world.advantage = Some(("create".to_owned(), 4.0));
    let performance = play.perform();
    assert_eq!(performance.rounds()[5], ["append"], "the other one is decided by then");
    assert_eq!(verdict(&performance, "create", "ext4", "xfs").0, Verdict::Slower);
}

#[test]
fn only_lanes_in_memory_have_a_warning() {
    let warned = |host: &str| {
        let mut play = with_failure(99, 1, "nothing").with_rounds(Rounds::Exactly(1));
        let span = Nanos(8_000);
        let lane_cost =
            Some(LaneCost { back_to_back: span, paced: span, device: None, host_bytes: None, host_flushes: None });
        play.world.environment.lanes.cost = lane_cost;
        play.world.environment.lanes.host_file_system = Some(host.to_owned());
        let notes = play.perform().record.notes;
        notes.iter().filter(|note| note.severity == Severity::Warning && note.text.contains("memory")).count()
    };
    assert_eq!((warned("tmpfs rw"), warned("ext4 rw")), (1, 0));
}

#[test]
fn a_contender_that_is_missing_does_not_hide_how_busy_the_machine_was() {
    let performance = with_failure(3, 1, "make xfs").perform();
    assert!(performance.record.rounds.iter().all(|facts| facts.foreign_cores.is_some()));
}
