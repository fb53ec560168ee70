//! Whole runs, and the calibration of slice lengths.

use fsarena_analyse::{
    Agreement, FreshPair, SliceFinding, calibrated, finding, fresh_pairs, lengths, several_runs, slice_lengths,
};
use fsarena_model::plan::Lanes;
use fsarena_model::{Bytes, Durability, Mode, Nanos, Outcome, Rounds, TraceResult, Workload, probe};

use fsarena_fakes::{Effect, Performance, Play, World, workload};

fn whole(timed_ms: u64) -> Workload {
    Workload { mode: Mode::Whole, timed_ms, ..workload("create") }
}

fn one_round(workload: Workload) -> Performance {
    let play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 500.0])).with_workloads(vec![workload]);
    play.with_rounds(Rounds::Exactly(1)).perform()
}

#[test]
fn whole_runs_are_made_one_after_the_other_each_synced_before_the_next_begins() {
    let performance = one_round(whole(100));
    let of = |label: &str| {
        [
            format!("open {label} create"),
            format!("prepare {label} create"),
            format!("sync {label}"),
            format!("reset {label} create"),
            format!("watch {label}"),
            format!("run {label} create for 100 ms"),
            format!("count {label}"),
            format!("watch {label}"),
            format!("sync {label}"),
            format!("count {label}"),
            format!("sync {label}"),
            format!("clean {label} create"),
            format!("clear {label} create"),
        ]
    };
    let begin = performance.journal.iter().position(|entry| entry.starts_with("open")).expect("something ran");
    let first = performance.journal[begin].split(' ').nth(1).expect("a label");
    let second = if first == "ext4" { "xfs" } else { "ext4" };
    assert_eq!(performance.journal[begin..begin + 26], [of(first), of(second)].concat());
}

#[test]
fn the_sync_of_a_whole_run_is_part_of_its_time() {
    let performance = one_round(whole(100));
    let trial = performance.trials_of("create", "ext4")[0];
    // 100 operations in 100 ms, and 4 ms to sync them.
    assert_eq!((trial.slices.len(), trial.slices[0].operations), (1, 100));
    assert_eq!(trial.slices[0].elapsed, Nanos::millis(104));
    assert!((trial.slices[0].value - 100.0 / 0.104).abs() < 1e-9);
    assert_eq!(trial.probe(probe::SYNC), Some(0.004));
}

#[test]
fn a_further_whole_run_is_traced_with_files_of_its_own_and_enters_no_figure() {
    let mut play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 500.0])).with_workloads(vec![whole(100)]);
    play = play.with_rounds(Rounds::Exactly(1));
    let usual = play.perform();
    play.plan.measuring.explained = true;
    let performance = play.perform();
    let of = |label: &str| {
        [
            format!("open {label} create"),
            format!("prepare {label} create"),
            format!("sync {label}"),
            format!("reset {label} create"),
            format!("trace {label}"),
            format!("run {label} create for 100 ms"),
            format!("sync {label}"),
            format!("sync {label}"),
            format!("clean {label} create"),
            format!("clear {label} create"),
        ]
    };
    let traced = performance.journal.iter().position(|entry| entry.starts_with("trace")).expect("a trace") - 4;
    let label = performance.journal[traced].split(' ').nth(1).expect("a label");
    assert_eq!(performance.journal[traced..traced + 10], of(label));
    let trial = performance.trials_of("create", "ext4")[0];
    assert_eq!(trial.slices, usual.trials_of("create", "ext4")[0].slices);
    let Some(TraceResult::Traced(trace)) = &trial.trace else { panic!("not traced: {:?}", trial.trace) };
    assert_eq!((trace.operations, trace.elapsed), (100, Nanos::millis(104)), "its sync is part of it");
}

/// Work that becomes slower from slice to slice must not look like the cost of tracing.
#[test]
fn traced_slices_are_in_the_middle_and_a_single_one_is_before_and_after_those_that_count() {
    let traced = |mode: Mode, slices: u32| {
        let own = Workload { mode, slices, warm_up_ms: 0, ..workload("create") };
        let mut play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 500.0])).with_workloads(vec![own]);
        play.plan.measuring.explained = true;
        let performance = play.with_rounds(Rounds::Exactly(2)).perform();
        let steps = performance.journal.iter().filter_map(|entry| match entry.as_str() {
            "trace ext4" => Some("trace"),
            entry if entry.starts_with("run ext4") => Some("run"),
            _ => None,
        });
        steps.collect::<Vec<_>>().join(" ")
    };
    let round = "run run trace run run run";
    assert_eq!(traced(Mode::Sliced, 4), format!("{round} {round}"));
    assert_eq!(traced(Mode::Sliced, 1), "run trace run trace run run");
    assert_eq!(traced(Mode::Whole, 1), "run trace run trace run run");
}

#[test]
fn a_whole_run_without_a_time_ends_with_its_work() {
    let performance = one_round(whole(0));
    assert_eq!(performance.entries("run ext4"), ["run ext4 create to the end"]);
    assert_eq!(performance.trials_of("create", "ext4")[0].operations(), 20);
}

/// Contenders that are alike in whole runs; in slices of 10 ms the second is ahead.
fn play_lengths(short_slices: f64) -> (Performance, Vec<String>) {
    let named = vec![workload("create"), workload("append")];
    let mut world = World::of(&[1000.0; 2]).noisy(0.01, 3);
    world.operation_noise = 0.02;
    world.advantage = Some(("create@10ms".to_owned(), short_slices));
    let play = Play::new(&["ext4", "xfs"], world).with_workloads(lengths(&named));
    let performance = play.with_rounds(Rounds::Exactly(6)).perform();
    let names = calibrated(&performance.record.plan.workloads).expect("a slice_lengths");
    (performance, names)
}

#[test]
fn calibration_finds_the_length_from_which_on_slices_tell_what_whole_runs_tell() {
    let (performance, named) = play_lengths(1.5);
    let pairs = slice_lengths(&performance.record, &named);
    let agreements: Vec<Vec<Agreement>> =
        pairs.iter().map(|pair| pair.lengths.iter().map(|length| length.agreement).collect()).collect();
    let (agrees, differs) = (Agreement::Agrees, Agreement::Differs);
    assert_eq!(agreements, [[differs, agrees, agrees, agrees], [agrees; 4]]);
    assert!((pairs[0].lengths[0].estimate.ratio.expect("measured") - 1.0 / 1.5).abs() < 0.05);
    assert_eq!(
        pairs[0].lengths.iter().map(|length| length.slice_ms).collect::<Vec<_>>(),
        [Some(10), Some(50), Some(200), None]
    );
    assert_eq!(finding(&pairs, "create"), Some(SliceFinding::SlicedFrom { slice_ms: 50, surety: Agreement::Agrees }));
    assert_eq!(finding(&pairs, "append"), Some(SliceFinding::SlicedFrom { slice_ms: 10, surety: Agreement::Agrees }));
}

#[test]
fn where_the_longest_slices_differ_the_work_must_run_whole() {
    let (performance, named) = play_lengths(1.0);
    let mut pairs = slice_lengths(&performance.record, &named);
    pairs[0].lengths[2].agreement = Agreement::Differs;
    assert_eq!(finding(&pairs, "create"), Some(SliceFinding::Whole));
    pairs[0].lengths[2].agreement = Agreement::Doubtful;
    assert_eq!(
        finding(&pairs, "create"),
        Some(SliceFinding::SlicedFrom { slice_ms: 200, surety: Agreement::Doubtful })
    );
    pairs[0].lengths[2].agreement = Agreement::Open;
    assert_eq!(finding(&pairs, "create"), Some(SliceFinding::SlicedFrom { slice_ms: 10, surety: Agreement::Open }));
    pairs[0].lengths[0].agreement = Agreement::Doubtful;
    assert_eq!(finding(&pairs, "create"), Some(SliceFinding::SlicedFrom { slice_ms: 50, surety: Agreement::Open }));
}

#[test]
fn a_slice_length_with_fewer_rounds_is_still_judged() {
    let (mut performance, names) = play_lengths(1.5);
    performance.record.plan.measuring.noise.most = 1;
    for trial in
        performance.record.trials.iter_mut().filter(|trial| trial.workload == "append@50ms" && trial.round == 3)
    {
        let busy = fsarena_model::Reading { value: Some(trial.seconds() * 2.0), unit: "s".to_owned() };
        trial.probes.insert(probe::CPU_STEAL.key(), busy);
    }
    let pairs = slice_lengths(&performance.record, &names);
    assert_eq!(pairs[1].lengths[1].agreement, Agreement::Agrees, "five of six rounds");
    assert_eq!(pairs[0].lengths[0].agreement, Agreement::Differs);
}

#[test]
fn calibration_without_a_pair_finds_nothing() {
    let named = vec![workload("create")];
    let mut world = World::of(&[1000.0; 2]);
    world.durability = vec![Durability::Flushed, Durability::Volatile];
    let play = Play::new(&["ext4", "tmpfs"], world).with_workloads(lengths(&named));
    let record = play.with_rounds(Rounds::Exactly(4)).perform().record;
    let pairs = slice_lengths(&record, &["create".to_owned()]);
    assert_eq!(finding(&pairs, "create"), None, "{pairs:?}");
}

#[test]
fn contenders_that_fail_or_are_of_another_class_neither_hide_nor_make_a_disagreement() {
    let mut world = World::of(&[1000.0, 1200.0, 900.0, 500.0]).noisy(0.003, 5);
    world.operation_noise = 0.005;
    world.durability = vec![Durability::Flushed, Durability::Flushed, Durability::Flushed, Durability::Volatile];
    world.advantage = Some(("create@whole".to_owned(), 0.5));
    let world = world.trap(Effect::Fail, 2, 1, "open btrfs create@whole");
    let named = ["create", "append"].map(workload);
    let play = Play::new(&["ext4", "xfs", "btrfs", "tmpfs"], world).with_workloads(lengths(&named));
    let record = play.with_rounds(Rounds::Exactly(6)).perform().record;
    let pairs = slice_lengths(&record, &["create".to_owned(), "append".to_owned()]);
    let is_whole = |agreement: &Agreement| *agreement != Agreement::Unmeasured;
    let judged: Vec<_> =
        pairs.iter().filter(|pair| pair.lengths.iter().all(|length| is_whole(&length.agreement))).collect();
    assert!(judged.iter().all(|pair| pair.a.0 != "tmpfs" && pair.b.0 != "tmpfs"), "{judged:?}");
    assert_eq!(finding(&pairs, "create"), Some(SliceFinding::Whole));
    assert!(matches!(finding(&pairs, "append"), Some(SliceFinding::SlicedFrom { slice_ms: 10, .. })));
}

#[test]
fn calibration_is_repeated_as_one() {
    let (performance, _) = play_lengths(1.0);
    let command = performance.comparison().run.command.join(" ");
    assert!(
        command.starts_with("fsarena calibrate --slices ext4 xfs --workload create --workload append --rounds 6"),
        "{command}"
    );
}

#[test]
fn work_that_ends_by_itself_runs_once_and_its_sync_is_timed_apart() {
    let performance = one_round(Workload { ends_by_itself: true, ..whole(100) });
    let trial = performance.trials_of("create", "ext4")[0];
    assert_eq!(trial.slices[0].elapsed, Nanos::millis(100));
    assert_eq!(trial.probe(probe::SYNC), Some(0.004));
}

#[test]
fn a_job_has_to_begin_within_the_time_limit() {
    let mut play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 500.0])).with_rounds(Rounds::Exactly(1));
    play = play.with_workloads(vec![Workload { time_limit_s: Some(1), ..whole(100) }]);
    play.world.lingers = Some((1, "begin"));
    let performance = play.perform();
    assert_eq!(performance.trials_of("create", "xfs")[0].outcome, Outcome::OutOfTime(Nanos::seconds(1)));
    assert!(performance.entries("run xfs").is_empty(), "it never ran");
}

#[test]
fn all_that_is_done_around_a_run_ends_within_the_time_limit() {
    let sliced = || workload("create");
    for (act, work) in
        [("prepare", whole(100)), ("reset", whole(100)), ("warm", sliced()), ("drop", sliced()), ("end", whole(100))]
    {
        let mut play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 500.0])).with_rounds(Rounds::Exactly(1));
        let limited = Workload { time_limit_s: Some(1), memory_limit: Some(Bytes::mib(64)), ..work };
        play = play.with_workloads(vec![limited]);
        play.world.stuck = vec![1];
        play.world.lingers = Some((1, act));
        let performance = play.perform();
        assert_eq!(performance.trials_of("create", "xfs")[0].outcome, Outcome::OutOfTime(Nanos::seconds(1)), "{act}");
        assert_eq!(performance.trials_of("create", "ext4")[0].outcome, Outcome::Finished, "{act}");
    }
}

#[test]
fn on_one_lane_who_cannot_be_made_after_others_have_worked_is_absent() {
    let play = |nth: usize| {
        let mut play = Play::new(&["ext4", "xfs", "btrfs"], World::of(&[1000.0, 500.0, 250.0]));
        play = play.with_workloads(vec![whole(100)]).with_rounds(Rounds::Exactly(4));
        play.plan.lanes.shared = Lanes::InTurn;
        let order: Vec<String> = play.perform().entries("make").into_iter().map(str::to_owned).collect();
        let label = order[nth].split(' ').nth(1).expect("a label").to_owned();
        play.world = play.world.trap(Effect::Fail, 1, 1, &format!("make {label}"));
        (label, play.perform())
    };
    let (label, first) = play(0);
    let error = first.result.as_ref().expect_err("nothing is lost yet");
    assert!(error.to_string().contains(&label) && first.record.trials.is_empty(), "{error}");

    let (label, last) = play(2);
    assert_eq!(last.record.trials.len(), 12, "all others go on, and so does it in the second round");
    let failed: Vec<_> = last.record.trials.iter().filter(|trial| trial.outcome != Outcome::Finished).collect();
    assert_eq!((failed.len(), failed[0].round, failed[0].contender.0.as_str()), (1, 1, label.as_str()));
    assert!(last.notes().iter().any(|note| note.contains(&format!("round 1: {label} could not be made"))));
    assert_eq!(last.record.contenders.len(), 3, "what it is is known from its second round on");
    let verdicts = last.comparison().judged.verdicts;
    for pair in &verdicts {
        let has_it = [&pair.a, &pair.b].iter().any(|of_pair| of_pair.0 == label);
        assert_eq!(pair.verdict == fsarena_model::Verdict::Invalid, has_it, "{pair:?}");
    }
}

#[test]
fn on_one_lane_each_contender_does_everything_before_the_next_is_made() {
    let mut play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 500.0]));
    play = play.with_workloads(vec![whole(100), Workload { name: "append".parse().expect("a name"), ..whole(100) }]);
    play.plan.lanes.shared = Lanes::InTurn;
    let performance = play.with_rounds(Rounds::Exactly(3)).perform();
    let wanted = |entry: &&String| ["make", "open", "finish"].iter().any(|what| entry.starts_with(what));
    let all: Vec<&str> = performance.journal.iter().filter(wanted).map(String::as_str).collect();
    for turn in all.chunks(4) {
        let label = turn[0].split(' ').nth(1).expect("a label");
        assert_eq!(turn[0], format!("make {label} on lane 0"));
        assert!(
            turn[1].starts_with(&format!("open {label}")) && turn[2].starts_with(&format!("open {label}")),
            "{turn:?}"
        );
        assert_eq!(turn[3], format!("finish {label}"));
    }
    assert_eq!(all.len(), 3 * 2 * 4);
    assert!(performance.notes().iter().any(|note| note.contains("take the same lane in turn")));
    let verdicts = performance.comparison().judged.verdicts;
    assert!(
        verdicts.iter().all(|pair| pair.rounds == 3 && pair.estimate.ratio.is_some_and(|ratio| ratio > 1.5)),
        "{verdicts:?}"
    );
}

/// Contenders that are alike in the first run on a new file system; later the second takes `times` as long.
fn played_on_new_file_systems(times: f64) -> Vec<FreshPair> {
    let mut world = World::of(&[1000.0; 2]).noisy(0.01, 3);
    world.operation_noise = 0.02;
    let play = Play::new(&["ext4", "xfs"], world).with_workloads(vec![several_runs(&workload("tar"))]);
    let mut record = play.with_rounds(Rounds::Exactly(6)).perform().record;
    for trial in record.trials.iter_mut().filter(|trial| trial.contender.0 == "xfs") {
        for slice in trial.slices.iter_mut().filter(|slice| slice.position >= 2) {
            slice.value /= times;
        }
    }
    fresh_pairs(&record)
}

#[test]
fn the_first_run_on_a_new_file_system_is_compared_with_the_later_ones() {
    let [alike, apart] = [1.0, 1.3].map(played_on_new_file_systems);
    assert_eq!((alike.len(), alike[0].workload.as_str(), alike[0].agreement), (1, "tar", Agreement::Agrees));
    let near = |ratio: Option<f64>, wanted: f64| (ratio.expect("measured") - wanted).abs() < 0.05;
    assert!(near(apart[0].first.ratio, 1.0) && near(apart[0].later.ratio, 1.3), "{apart:?}");
    assert_eq!(apart[0].agreement, Agreement::Differs);
}

#[test]
fn a_run_of_other_workloads_has_no_first_runs() {
    assert_eq!(fresh_pairs(&one_round(whole(100)).record), []);
}
