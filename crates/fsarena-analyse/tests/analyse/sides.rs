//! Several runs: what changed between two sides, gates, and the history of a workload.

use fsarena_analyse::{NamedRun, across, difference, gate, gate_within, history};
use fsarena_model::difference::{Change, Difference, DriftSource, GateOutcome};
use fsarena_model::{
    BaselineKind, CacheState, Event, Gate, Label, NoiseBounds, Often, Outcome, Rounds, RunRecord, Share, Trial,
    Verdict, probe,
};

use fsarena_fakes::{Play, World, workload};

const THRESHOLD: Share = Share(0.05);

/// A run of six rounds of two workloads in a world with little noise.
fn play(rates: &[f64], seed: u64) -> Play {
    let world = World { shared_noise: 0.005, operation_noise: 0.05, ..World::of(rates).noisy(0.005, seed) };
    Play::new(&["ext4", "xfs"], world).with_rounds(Rounds::Exactly(6))
}

fn named(record: RunRecord) -> NamedRun {
    NamedRun { name: format!("run {}", record.run), record }
}

fn runs(rates: &[f64], seeds: std::ops::Range<u64>) -> Vec<NamedRun> {
    seeds.map(|seed| named(play(rates, seed).perform().record)).collect()
}

fn change<'a>(difference: &'a Difference, contender: &str, workload: Option<&str>) -> &'a Change {
    let is_it = |change: &&Change| change.contender.0 == contender && change.workload.as_deref() == workload;
    difference.changes.iter().find(is_it).expect("both sides have it")
}

fn failed(gate: &Gate) -> Vec<(String, Option<String>)> {
    gate.of(GateOutcome::Regression).map(|check| (check.contender.to_string(), check.workload.clone())).collect()
}

#[test]
fn a_contender_that_became_slower_is_found_in_repeated_runs() {
    let (before, after) = (runs(&[1000.0, 1500.0], 1..4), runs(&[1000.0, 1200.0], 4..7));
    let found = difference(&before, &after, None);
    assert_eq!(found.drift.source, DriftSource::Repeats);
    let slower = change(&found, "xfs", Some("create"));
    assert_eq!(slower.verdict, Verdict::Slower, "{slower:?}");
    let (ratio, low, high) = (
        slower.estimate.ratio.expect("measured"),
        slower.estimate.low.expect("known"),
        slower.estimate.high.expect("known"),
    );
    assert!((ratio - 0.8).abs() < 0.02 && low < ratio && ratio < high && high < 1.0, "{slower:?}");
    assert!(slower.within_low.is_some_and(|within| within > low), "the drift widens the interval");
    assert!(slower.before.zip(slower.after).is_some_and(|(before, after)| after < before));
    assert_eq!(change(&found, "ext4", Some("create")).verdict, Verdict::Equivalent);
    assert_eq!(change(&found, "xfs", None).verdict, Verdict::Slower, "the mean over both workloads");
    assert_eq!(slower.rounds, [18, 18]);
    let gate = gate(&before, &after, None, THRESHOLD);
    let expected = [Some("create".to_owned()), Some("append".to_owned()), None].map(|it| ("xfs".to_owned(), it));
    assert!(gate.failed);
    assert_eq!(failed(&gate), expected);
}

/// The runs without most rounds of a workload in the first of them: two are left.
fn with_two_rounds(mut runs: Vec<NamedRun>, workload: &str) -> Vec<NamedRun> {
    runs[0].record.trials.retain(|trial| trial.workload != workload || trial.round <= 2);
    runs
}

#[test]
fn a_workload_with_too_few_rounds_is_in_no_mean() {
    let three = |rates: &[f64], seeds: std::ops::Range<u64>| -> Vec<NamedRun> {
        let work = || ["create", "append", "remove"].map(workload).to_vec();
        seeds.map(|seed| named(play(rates, seed).with_workloads(work()).perform().record)).collect()
    };
    let before = three(&[1000.0, 1000.0], 1..4);
    let mut after = with_two_rounds(three(&[1000.0, 1000.0], 4..7), "create");
    let created = after.iter_mut().flat_map(|run| &mut run.record.trials).filter(|trial| trial.workload == "create");
    created.for_each(|trial| trial.slices.iter_mut().for_each(|slice| slice.value /= 9.0));
    let found = difference(&before, &after, None);
    let few = change(&found, "xfs", Some("create"));
    assert_eq!((few.rounds, few.reason.as_str()), ([18, 14], "fewer than three rounds in a run"));
    let mean = change(&found, "xfs", None);
    assert_eq!((mean.verdict, mean.reason.as_str()), (Verdict::Equivalent, "without create"), "{mean:?}");
    let gate = gate(&before, &after, None, THRESHOLD);
    assert!(!gate.failed, "{:?}", gate.checks);
    let mean = gate.checks.last().expect("a mean");
    assert_eq!((mean.outcome, mean.reason.as_str()), (GateOutcome::Passed, "without create"));

    let (before, after) = (runs(&[1000.0, 1500.0], 1..4), with_two_rounds(runs(&[900.0, 100.0], 4..7), "append"));
    let mean = change(&difference(&before, &after, None), "xfs", None).clone();
    assert_eq!((mean.estimate.ratio, mean.reason.as_str()), (None, "fewer than two workloads can be compared"));
}

#[test]
fn an_invalid_figure_is_in_no_mean() {
    let (before, mut after) = (runs(&[1000.0, 1500.0], 1..4), runs(&[1000.0, 1500.0], 4..7));
    let is_of = |trial: &&mut Trial| trial.contender.0 == "xfs" && trial.workload == "create";
    after[1].record.trials.iter_mut().find(is_of).expect("there").outcome = Outcome::Failed("no space".to_owned());
    let found = difference(&before, &after, None);
    assert_eq!(change(&found, "xfs", None).reason, "fewer than two workloads can be compared");
    assert_eq!(change(&found, "ext4", None).verdict, Verdict::Equivalent);
}

#[test]
fn a_check_that_would_not_have_found_the_required_slowdown_fails_the_gate() {
    let gate = gate(&runs(&[1000.0, 1500.0], 1..2), &runs(&[1000.0, 1500.0], 2..3), None, THRESHOLD);
    assert!(!gate.failed && !gate.clone().requiring(Some(Share(0.99))).failed);
    let strict = gate.requiring(Some(Share(0.06)));
    assert!(strict.failed && strict.checks.iter().all(|check| strict.is_blind(check)), "{:?}", strict.checks);
}

#[test]
fn a_contender_that_became_faster_passes_the_gate() {
    let (before, after) = (runs(&[1000.0, 1200.0], 4..7), runs(&[1000.0, 1500.0], 1..4));
    let faster = difference(&before, &after, None);
    assert_eq!(change(&faster, "xfs", Some("create")).verdict, Verdict::Faster);
    assert!(!gate(&before, &after, None, THRESHOLD).failed);
}

#[test]
fn a_change_with_a_run_that_did_not_finish_is_invalid() {
    let (before, mut after) = (runs(&[1000.0, 1500.0], 1..4), runs(&[1000.0, 1500.0], 4..7));
    let is_of = |trial: &&mut Trial| trial.contender.0 == "xfs" && trial.workload == "create";
    let trial = after[1].record.trials.iter_mut().find(is_of).expect("there");
    trial.outcome = Outcome::Failed("no space".to_owned());
    let found = difference(&before, &after, None);
    let change_of = |contender| change(&found, contender, Some("create"));
    assert_eq!((change_of("xfs").verdict, change_of("xfs").reason.as_str()), (Verdict::Invalid, "did-not-finish"));
    assert_eq!(change_of("ext4").verdict, Verdict::Equivalent, "the other is not touched");
}

#[test]
fn sides_that_are_as_fast_as_their_device_are_not_called_equivalent() {
    let direct_runs = |seeds: std::ops::Range<u64>, device: f64| {
        let run = |seed| {
            let mut play = play(&[1000.0, 1500.0], seed);
            play.world.baseline = Some((BaselineKind::Device, device));
            play.plan.measuring.baselines = Often::Once;
            play.plan.workloads.iter_mut().for_each(|workload| workload.cache = CacheState::Direct);
            named(play.perform().record)
        };
        seeds.map(run).collect::<Vec<_>>()
    };
    let verdict = |device| {
        let found = difference(&direct_runs(1..4, device), &direct_runs(4..7, device), None);
        change(&found, "ext4", Some("create")).verdict
    };
    assert_eq!(verdict(2000.0), Verdict::Equivalent);
    assert_eq!(verdict(1010.0), Verdict::Undecided);
}

#[test]
fn one_run_per_side_shows_little_unless_something_did_not_change() {
    let (before, after) = (runs(&[1000.0, 1500.0], 1..2), runs(&[900.0, 1000.0], 2..3));
    let alone = difference(&before, &after, None);
    assert_eq!((alone.drift.source, alone.drift.deviation.0), (DriftSource::Assumed, 0.05_f64.exp_m1()));
    assert_eq!(change(&alone, "ext4", Some("create")).verdict, Verdict::Undecided);
    let control = Label::from("ext4");
    let relative = difference(&before, &after, Some(&control));
    assert!(relative.changes.iter().all(|change| change.contender.0 == "xfs"));
    let change = change(&relative, "xfs", Some("create"));
    assert!(change.estimate.ratio.is_some_and(|ratio| (ratio - 0.74).abs() < 0.02), "{change:?}");
    assert!(gate(&before, &after, Some(&control), THRESHOLD).failed);
    assert!(!gate(&before, &runs(&[1000.0, 1500.0], 2..3), Some(&control), THRESHOLD).failed);
}

#[test]
fn baselines_show_that_the_machine_itself_changed() {
    let run = |machine: f64, seed| {
        let mut play = play(&[1000.0 * machine, 1500.0 * machine], seed);
        play.world.baseline = Some((BaselineKind::Memory, 9000.0 * machine));
        play.plan.measuring.baselines = Often::Always;
        vec![named(play.perform().record)]
    };
    let (same, other) = (difference(&run(1.0, 1), &run(1.0, 2), None), difference(&run(1.0, 1), &run(0.7, 2), None));
    assert_eq!(same.drift.source, DriftSource::Baselines);
    assert!(same.drift.deviation.0 < 0.03 && other.drift.deviation.0 > 0.1, "{:?} {:?}", same.drift, other.drift);
    let memory = other.machine.iter().find(|row| row.what == "create, in memory").expect("both measured it");
    assert!((memory.ratio - 0.7).abs() < 0.05, "{memory:?}");
    assert!(other.changes.iter().all(|change| change.verdict == Verdict::Undecided), "not the contenders");
}

#[test]
fn within_one_run_contenders_are_checked_against_the_base_in_the_same_sweeps() {
    let slower = named(play(&[1000.0, 870.0], 1).perform().record);
    let found = gate_within(&slower, &Label::from("ext4"), THRESHOLD);
    assert!(found.is_interleaved && found.failed);
    assert_eq!(failed(&found).len(), 3, "{:?}", found.checks);
    assert!(found.checks.iter().all(|check| check.contender.0 == "xfs"));
    // The first one on the command line can be the one that is checked.
    assert!(!gate_within(&slower, &Label::from("xfs"), THRESHOLD).failed);
    let equal = gate_within(&named(play(&[1000.0, 1000.0], 2).perform().record), &Label::from("ext4"), THRESHOLD);
    assert!(!equal.failed);
    assert!(equal.of(GateOutcome::Passed).count() >= 2, "{:?}", equal.checks);
    assert!(equal.checks.iter().all(|check| check.finds_from.is_some_and(|share| share.0 > 0.05)));
}

#[test]
fn a_slowdown_within_the_threshold_is_no_regression() {
    let gate = gate_within(&named(play(&[1000.0, 970.0], 3).perform().record), &Label::from("ext4"), THRESHOLD);
    assert!(!gate.failed);
    let strict = gate_within(&named(play(&[1000.0, 970.0], 3).perform().record), &Label::from("ext4"), Share(0.001));
    assert!(strict.failed);
}

#[test]
fn work_that_is_not_the_same_is_left_out() {
    let before = runs(&[1000.0, 1500.0], 1..2);
    let mut after = runs(&[1000.0, 1500.0], 2..3);
    after[0].record.plan.workloads[0].version = 2;
    after[0].record.plan.workloads[0].why = "Other words are the same work.".to_owned();
    after[0].record.plan.workloads[1].why = "Other words are the same work.".to_owned();
    after[0].record.plan.contenders[1].label = Label::from("new");
    let found = difference(&before, &after, None);
    let compared: Vec<_> =
        found.changes.iter().map(|change| (change.contender.0.as_str(), change.workload.as_deref())).collect();
    assert_eq!(compared, [("ext4", Some("append"))]);
    assert_eq!(found.left_out, ["create: other work (version)", "xfs: not in all runs", "new: not in all runs"]);
}

#[test]
fn other_differences_are_listed() {
    let before = runs(&[1000.0, 1500.0], 1..2);
    let mut after = before.clone();
    let record = &mut after[0].record;
    record.environment.kernel = Some("7.0".to_owned());
    record.environment.tools.insert("mkfs.xfs".to_owned(), "6.9".to_owned());
    record.plan.contenders[0].mkfs = vec!["-O".to_owned(), "^has_journal".to_owned()];
    record.plan.seed = 99;
    let found = difference(&before, &after, None).contrasts;
    let rows: Vec<_> = found.iter().map(|row| (row.what.as_str(), row.before.as_str(), row.after.as_str())).collect();
    assert_eq!(rows, [("kernel", "", "7.0"), ("ext4", "ext4", "ext4 -O ^has_journal"), ("tool: mkfs.xfs", "", "6.9")]);
    assert_eq!(difference(&before, &before.clone(), None).contrasts, []);
    // A contender that one side lacks is not compared, and neither is what it needs.
    let mut other = before.clone();
    other[0].record.plan.contenders[1].label = Label::from("btrfs");
    other[0].record.contenders[1].label = Label::from("btrfs");
    other[0].record.environment.tools.insert("mkfs.btrfs".to_owned(), "6.2".to_owned());
    assert_eq!(difference(&before, &other, None).contrasts, []);
    // The same of a workload that one run of a side lacks; a program that one run lacks is `none` there.
    let mut both = [before.clone(), before.clone()].concat();
    for (run, version) in both.iter_mut().zip(["", "1.12"]) {
        run.record.environment.settings.insert("append".to_owned(), vec![format!("script {version}")]);
        if !version.is_empty() {
            run.record.environment.tools.insert("gzip".to_owned(), version.to_owned());
        }
    }
    let whats = |runs: &[NamedRun]| {
        let found = difference(&before, runs, None).contrasts;
        found.into_iter().map(|row| format!("{}: {}", row.what, row.after)).collect::<Vec<_>>()
    };
    assert_eq!(whats(&both), ["settings of append: script  / script 1.12", "tool: gzip: none / 1.12"]);
    both[0].record.plan.workloads[1].version = 2;
    assert_eq!(whats(&both), Vec::<String>::new());
}

#[test]
fn a_contender_that_is_slowed_down_on_purpose_is_named_everywhere() {
    const WHY: &str = "xfs is slowed down on purpose";
    let slowed = |mut runs: Vec<NamedRun>| {
        for run in &mut runs {
            run.record.plan.measuring.slowdowns = vec!["xfs=20%".parse().expect("a slowdown")];
        }
        runs
    };
    let (before, after) = (runs(&[1000.0, 1500.0], 1..2), slowed(runs(&[1000.0, 1200.0], 2..3)));
    for (first, reason) in [("ext4", ""), ("xfs", WHY)] {
        let found = difference(&before, &after, None);
        assert!(found.changes.iter().filter(|it| it.contender.0 == first).all(|it| it.reason == reason), "{found:?}");
    }
    let found = gate(&before, &after, Some(&Label::from("xfs")), THRESHOLD);
    assert!(found.checks.iter().all(|check| check.reason == WHY), "{:?}", found.checks);
    for base in ["ext4", "xfs"] {
        let found = gate_within(&after[0], &Label::from(base), THRESHOLD);
        assert!(found.checks.iter().all(|check| check.reason == WHY), "{:?}", found.checks);
    }
    let found = history(&[after[0].record.clone()], "create").expect("it has it");
    assert_eq!(
        (found.series.len(), found.left_out),
        (1, vec![format!("run {}, xfs: slowed down on purpose", after[0].record.run)])
    );
    assert!(across(&[before, after], Vec::new()).notes.contains(&WHY.to_owned()));
}

/// The verdict on a machine needs what the run itself decided, and its interval includes 1 where it is undecided.
#[test]
fn a_single_run_shows_no_more_of_its_machine_than_of_itself() {
    for seed in 1..12 {
        let world = World::of(&[1000.0, 1060.0]).noisy(if seed < 6 { 0.002 } else { 0.03 }, seed);
        let play = Play::new(&["ext4", "xfs"], world).with_rounds(Rounds::Exactly(4));
        let run = || vec![named(play.perform().record)];
        let found = across(&[run(), run()], Vec::new());
        for on in found.pairs.iter().flat_map(|pair| &pair.machines) {
            assert!(on.verdict == on.session || on.verdict == Verdict::Undecided, "{on:?}");
            let (low, high) = (on.decision.low.expect("known"), on.decision.high.expect("known"));
            assert!(on.verdict != Verdict::Undecided || (low <= 1.0 && high >= 1.0), "{on:?}");
        }
    }
}

#[test]
fn nothing_is_decided_between_a_quiet_and_a_busy_machine() {
    let before = runs(&[1000.0, 1500.0], 1..4);
    let mut after = runs(&[500.0, 700.0], 4..7);
    for run in before.iter().chain(&after).map(|run| &run.record) {
        assert!(run.trials.iter().all(|trial| trial.probes.contains_key(&probe::CPU_MACHINE.key())));
    }
    let bounds = NoiseBounds { foreign_cores: 0.6, ..NoiseBounds::default() };
    let mut before = before;
    for run in before.iter_mut().chain(&mut after) {
        run.record.plan.measuring.noise = bounds;
    }
    for trial in after.iter_mut().flat_map(|run| &mut run.record.trials) {
        let seconds = trial.seconds();
        trial.probes.get_mut(&probe::CPU_MACHINE.key()).expect("the fake testbed has it").value = Some(1.8 * seconds);
    }
    let found = difference(&before, &after, None);
    let load = "1.3 cores used by other programs";
    let wanted = format!("some of the runs were made on a busy machine ({load}), the others on a quiet one");
    assert_eq!(found.withheld, Some(wanted));
    let row = found.contrasts.iter().find(|row| row.what == "background load").expect("it differs");
    assert_eq!((row.before.as_str(), row.after.as_str()), ("none", load));
    let loads = |run: &NamedRun| {
        let found = history(std::slice::from_ref(&run.record), "create").expect("it has it");
        found.series.iter().flat_map(|series| series.points.iter().map(|point| point.load.clone())).collect::<Vec<_>>()
    };
    assert_eq!((loads(&before[0]), loads(&after[0])), (vec![None; 2], vec![Some(load.to_owned()); 2]));
    let mut uncounted = after[0].record.clone();
    for trial in uncounted.trials.iter_mut().filter(|trial| trial.workload == "append") {
        trial.probes.get_mut(&probe::CPU_MACHINE.key()).expect("there").value = Some(0.5 * trial.seconds());
    }
    let history = history(&[uncounted], "create").expect("it has it");
    let left_out = ["ext4", "xfs"].map(|label| format!("run {}, {label}: no round counts", after[0].record.run));
    assert_eq!((history.series.len(), history.left_out), (0, left_out.to_vec()));
    assert_eq!(difference(&after, &after.clone(), None).withheld, None, "both sides were busy");
    assert!(
        found
            .changes
            .iter()
            .filter(|change| change.workload.is_some())
            .all(|change| change.verdict == Verdict::Undecided)
    );
    assert!(!gate(&before, &after, None, THRESHOLD).failed);
}

#[test]
fn a_history_finds_the_run_at_which_the_level_changed_and_what_was_new_then() {
    let run = |number: i64, rate: f64| {
        let mut record = play(&[1000.0, rate], number as u64).perform().record;
        record.run = number;
        record.environment.kernel = Some(if rate < 1500.0 { "7.0" } else { "6.12" }.to_owned());
        record.apply(Event::Tagged("nightly".to_owned()));
        record
    };
    let mut runs: Vec<RunRecord> =
        (1..=16).map(|number| run(number, if number < 9 { 1500.0 } else { 1300.0 })).collect();
    runs[2].plan.workloads[0].version = 0;
    let found = history(&runs, "create").expect("all runs have it");
    assert_eq!(found.left_out, ["run 3: other work (version)"]);
    let [ext4, xfs] = &found.series[..] else { panic!("{:?}", found.series) };
    assert_eq!((ext4.changes.len(), xfs.changes.len()), (0, 1), "{found:?}");
    let change = &xfs.changes[0];
    assert_eq!((change.run, change.differs.as_slice()), (9, &["kernel".to_owned()][..]));
    assert!((change.ratio - 1300.0 / 1500.0).abs() < 0.01);
    assert_eq!((xfs.points.len(), xfs.points[0].tags.as_slice()), (15, &["nightly".to_owned()][..]));
    assert!(history(&runs, "rename").is_none());
    assert_eq!(workload("create").unlike(&workload("create")), Vec::<String>::new());
}
