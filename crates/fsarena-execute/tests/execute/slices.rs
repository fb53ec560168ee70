//! The steps around a slice, their order, and which of them are counted.

use fsarena_model::{Bytes, CacheState, Measure, Mode, Rounds, Workload, probe};

use fsarena_fakes::{Performance, Play, World, workload};

/// One contender, one workload, one round.
fn one_round(workload: Workload, world: World) -> Performance {
    Play::new(&["ext4"], world).with_workloads(vec![workload]).with_rounds(Rounds::Exactly(1)).perform()
}

/// Like `create`, but with two slices.
fn two_slices() -> Workload {
    Workload { slices: 2, ..workload("create") }
}

#[test]
fn a_slice_is_reset_and_warmed_up_before_counters_start() {
    let performance = one_round(two_slices(), World::of(&[1000.0]));
    let wanted = [
        "survey", "make ext4 on lane 0", "open ext4 create", "prepare ext4 create", "sync ext4", "reset ext4 create",
        "run ext4 create for 20 ms", "watch ext4", "run ext4 create for 100 ms", "count ext4", "reset ext4 create",
        "run ext4 create for 20 ms", "watch ext4", "run ext4 create for 100 ms", "count ext4", "sync ext4",
        "clean ext4 create", "clear ext4 create", "finish ext4",
    ];
    assert_eq!(performance.journal, wanted);
}

fn cold() -> Workload {
    Workload { cache: CacheState::Cold, warm_up_ms: 0, timed_ms: 0, slices: 1, ..workload("read") }
}

/// The journal between the first sync and the next.
fn at_work(performance: &Performance) -> Vec<&str> {
    let synced = performance.journal.iter().skip_while(|entry| !entry.starts_with("sync")).skip(1);
    synced.take_while(|entry| !entry.starts_with("sync")).map(String::as_str).collect()
}

#[test]
fn a_cold_slice_is_mounted_again_after_its_reset() {
    let performance = one_round(cold(), World::of(&[1000.0]));
    let wanted = ["reset ext4 read", "remount ext4", "watch ext4", "run ext4 read to the end", "count ext4"];
    assert_eq!(at_work(&performance), wanted);
}

#[test]
fn without_a_remount_the_cache_is_dropped() {
    let performance = one_round(cold(), World { stuck: vec![0], ..World::of(&[1000.0]) });
    let wanted =
        ["reset ext4 read", "remount ext4", "drop ext4 read", "watch ext4", "run ext4 read to the end", "count ext4"];
    assert_eq!(at_work(&performance), wanted);
}

#[test]
fn warm_and_direct_slices_are_not_mounted_again() {
    for cache in [CacheState::Warm, CacheState::Direct] {
        let performance = one_round(Workload { cache, ..two_slices() }, World::of(&[1000.0]));
        assert!(performance.entries("remount").is_empty() && performance.entries("drop").is_empty());
    }
}

#[test]
fn with_a_memory_limit_a_slice_brings_its_files_into_memory_within_it() {
    let limited = Workload { memory_limit: Some(Bytes::mib(128)), slices: 1, ..workload("create") };
    let performance = one_round(limited, World::of(&[1000.0]));
    let prepared = ["confine to 128 MiB", "open ext4 create", "prepare ext4 create", "release", "sync ext4"];
    assert_eq!(performance.journal[2..7], prepared);
    let wanted = [
        "reset ext4 create", "remount ext4", "confine to 128 MiB", "warm ext4 create", "run ext4 create for 20 ms",
        "watch ext4", "run ext4 create for 100 ms", "count ext4", "release",
    ];
    assert_eq!(at_work(&performance), wanted);
}

#[test]
fn everybody_is_prepared_and_at_rest_before_anybody_is_timed() {
    let play = Play::new(&["ext4", "xfs", "btrfs"], World::of(&[1000.0; 3])).with_workloads(vec![two_slices()]);
    let performance = play.with_rounds(Rounds::Exactly(1)).perform();
    let first_run = performance.journal.iter().position(|entry| entry.starts_with("run ")).expect("something ran");
    let synced = |label: &str| {
        let before = &performance.journal[..first_run];
        let prepared = before.iter().position(|entry| *entry == format!("prepare {label} create"));
        let synced = before.iter().position(|entry| *entry == format!("sync {label}"));
        prepared.is_some() && prepared < synced
    };
    assert!(["ext4", "xfs", "btrfs"].into_iter().all(synced));
    let last_run = performance.journal.iter().rposition(|entry| entry.starts_with("run "));
    let cleared = performance.journal.iter().position(|entry| entry.starts_with("clear "));
    assert!(last_run < cleared, "no contender is cleared while others are timed");
}

#[test]
fn warming_up_counts_neither_operations_nor_latencies_nor_probes() {
    let performance = one_round(two_slices(), World::of(&[1000.0]));
    let trial = &performance.record.trials[0];
    assert_eq!(trial.slices.iter().map(|slice| slice.operations).collect::<Vec<_>>(), [100, 100]);
    assert_eq!(trial.slices.iter().map(|slice| slice.value).collect::<Vec<_>>(), [1000.0, 1000.0]);
    assert_eq!(trial.latencies["create"].count, 200);
    assert_eq!(trial.latencies["fsync"].count, 200);
    assert_eq!(trial.probe(probe::DEVICE_WRITTEN), Some(200.0 * 4096.0));
    assert_eq!(trial.probe(probe::DEVICE_FLUSHES), Some(200.0));
}

#[test]
fn the_probes_of_a_trial_are_its_own() {
    let play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 1500.0]).noisy(0.05, 6));
    let performance = play.with_rounds(Rounds::Exactly(3)).perform();
    assert_eq!(performance.record.trials.len(), 12);
    for trial in &performance.record.trials {
        assert_eq!(trial.probe(probe::DEVICE_WRITTEN), Some(trial.bytes() as f64));
        assert_eq!(trial.latencies["create"].count, trial.operations());
    }
}

#[test]
fn the_sync_after_slices_is_timed_apart() {
    let performance = one_round(two_slices(), World::of(&[1000.0]));
    assert_eq!(performance.record.trials[0].probe(probe::SYNC), Some(0.004));
    assert!((performance.record.trials[0].seconds() - 0.2).abs() < 1e-9);
}

#[test]
fn a_whole_workload_runs_once_and_without_a_warm_up() {
    let whole = Workload { mode: Mode::Whole, timed_ms: 0, ..workload("create") };
    let performance = one_round(whole, World::of(&[1000.0]));
    assert_eq!(performance.entries("run"), ["run ext4 create to the end"]);
    assert_eq!(performance.record.trials[0].slices.len(), 1);
    assert_eq!(performance.record.trials[0].operations(), 20);
}

#[test]
fn the_figure_is_the_one_that_the_metric_asks_for() {
    let value = |measure: Measure| {
        let mut workload = two_slices();
        workload.metric.measure = measure;
        one_round(workload, World::of(&[1000.0])).comparison().cells[0].figure.median.expect("measured")
    };
    assert!((value(Measure::OperationsPerSecond) - 1000.0).abs() < 1e-6);
    assert!((value(Measure::MicrosecondsPerOperation) - 1000.0).abs() < 1e-6);
    assert!((value(Measure::MebibytesPerSecond) - 1000.0 * 4096.0 / 1_048_576.0).abs() < 1e-6);
}

#[test]
fn a_slice_in_which_nothing_was_done_is_a_failure() {
    let nothing = Workload { timed_ms: 0, ..two_slices() };
    let performance = one_round(nothing, World { work: 0, ..World::of(&[1000.0]) });
    assert!(performance.notes().iter().any(|note| note.contains("nothing was done")));
    assert_eq!(performance.comparison().cells[0].figure.median, None);
}
