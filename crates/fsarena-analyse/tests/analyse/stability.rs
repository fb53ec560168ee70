//! Unstable cells are named, stable cells are not, and no verdict changes.

use fsarena_analyse::assess;
use fsarena_model::{Label, Rounds, RunRecord, Slice, Trial, probe};

use fsarena_fakes::{Play, World, workload};

use crate::noise::BOUNDS;

/// Three identical contenders in eight rounds.
fn still(seed: u64) -> RunRecord {
    let play = Play::new(&["ext4", "xfs", "btrfs"], World::of(&[1000.0; 3]).noisy(0.02, seed)).with_seed(seed);
    play.with_rounds(Rounds::Exactly(8)).perform().record
}

/// The record and its notes after the slices of xfs in `create` are multiplied by `factor`.
fn record_and_notes(factor: impl Fn(&Trial, &Slice) -> f64) -> (RunRecord, Vec<String>) {
    let mut record = still(3);
    for trial in record.trials.iter_mut().filter(|trial| is_it(trial)) {
        let factors: Vec<f64> = trial.slices.iter().map(|slice| factor(trial, slice)).collect();
        trial.slices.iter_mut().zip(factors).for_each(|(slice, factor)| slice.value *= factor);
    }
    let notes = assess(&record).notes.into_iter().map(|note| note.text);
    let others = ["busy with other things", "were not compared with whole runs"];
    let notes = notes.filter(|text| !others.iter().any(|other| text.contains(other))).collect();
    (record, notes)
}

fn is_it(trial: &Trial) -> bool {
    trial.workload == "create" && trial.contender == Label::from("xfs")
}

#[test]
fn a_stable_run_has_no_note() {
    let mentioned = (1..=20).filter(|seed| {
        let words = ["drift", "not steady", "carry-over"];
        assess(&still(*seed)).notes.iter().any(|note| words.iter().any(|word| note.text.starts_with(word)))
    });
    assert!(mentioned.count() <= 2, "each of the three in one run of twenty at most");
}

#[test]
fn a_drift_is_named_of_the_one_that_drifts() {
    let (record, notes) = record_and_notes(|trial, _| (-0.05 * f64::from(trial.round)).exp());
    let [drift] = notes.as_slice() else { panic!("{notes:?}") };
    assert!(drift.starts_with("drift, measured against the other contenders: xfs in create becomes "), "{drift}");
    assert!(drift.contains(" % slower with each round ["), "{drift}");
    let trend = assess(&record).cells[1].stability.trend.expect("eight rounds");
    assert!((0.94..0.96).contains(&trend.ratio) && trend.low < trend.ratio && trend.ratio < trend.high, "{trend:?}");
}

#[test]
fn of_two_contenders_one_is_named() {
    let mut record = record_and_notes(|trial, _| (-0.05 * f64::from(trial.round)).exp()).0;
    record.plan.contenders.pop();
    let notes = assess(&record).notes;
    let drift = notes.iter().find(|note| note.text.starts_with("drift")).expect("it is found");
    assert!(drift.text.contains("ext4 in create") && !drift.text.contains("xfs"), "{}", drift.text);
}

#[test]
fn a_change_within_the_round_is_named() {
    let first_half =
        |trial: &Trial, slice: &Slice| trial.slices.iter().take(2).any(|other| other.position == slice.position);
    let (_, notes) = record_and_notes(|trial, slice| if first_half(trial, slice) { 1.0 } else { 0.8 });
    let text = notes.iter().find(|text| text.starts_with("not steady within a round: ")).expect("it is found");
    assert!(
        text.contains("xfs in create becomes ") && text.contains("% slower from its first slices to its last"),
        "{text}"
    );
}

#[test]
fn a_carry_over_is_named_and_measured() {
    let quiet = still(3);
    let place = |round, position| {
        quiet.trials.iter().any(|trial| {
            let has = trial.slices.iter().any(|slice| slice.position + 1 == position);
            is_it(trial) && trial.round == round && has
        })
    };
    let (record, notes) = record_and_notes(|trial, slice| if place(trial.round, slice.position) { 1.2 } else { 1.0 });
    let text = notes.iter().find(|text| text.starts_with("carry-over: ")).expect("it is found");
    assert!(text.contains("xfs in create is ") && text.contains("% faster right after a slice of its own"), "{text}");
    let cell = &assess(&record).cells[1];
    let change = cell.stability.carry_over.expect("slices follow each other at the turns");
    assert_eq!((cell.workload.as_str(), cell.contender.0.as_str()), ("create", "xfs"));
    assert!(change.low < 1.2 && 1.2 < change.high, "{change:?}");
}

#[test]
fn an_outlying_round_is_named_and_counts() {
    let (record, notes) = record_and_notes(|trial, _| if trial.round == 5 { 0.3 } else { 1.0 });
    let text = notes.iter().find(|text| text.contains("outlier")).expect("it is found");
    assert!(text.contains("round 5 of xfs in create") && text.contains("% below its median"), "{text}");
    let comparison = assess(&record);
    assert_eq!((comparison.cells[1].stability.outliers.as_slice(), comparison.cells[1].rounds), ([5].as_slice(), 8));
    assert!(comparison.judged.verdicts.iter().all(|pair| pair.rounds == 8));
}

#[test]
fn whole_pieces_have_no_slices_to_compare() {
    let mut whole = workload("create");
    whole.mode = fsarena_model::Mode::Whole;
    let play = Play::new(&["ext4", "xfs"], World::of(&[1000.0; 2]).noisy(0.02, 1)).with_workloads(vec![whole]);
    let stability = &play.with_rounds(Rounds::Exactly(5)).perform().comparison().cells[0].stability;
    assert_eq!((stability.within_round, stability.carry_over), (None, None));
    assert!(stability.trend.is_some());
}

/// The sentence about scatter, after the times of all trials scatter, and with them this share of processor time.
fn scatter(noise: f64, share_of_processor: f64, stolen: f64) -> Option<String> {
    let mut record = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 1010.0]).noisy(noise, 5))
        .with_rounds(Rounds::Exactly(8))
        .perform()
        .record;
    record.plan.measuring.noise = BOUNDS;
    for trial in &mut record.trials {
        let (seconds, at_mean) = (trial.seconds(), trial.operations() as f64 / 1000.0);
        let busy = 0.5 * at_mean + share_of_processor * (seconds - at_mean);
        let readings = [probe::CPU_PROCESS.reading(busy), probe::CPU_MACHINE.reading(busy + seconds / 4.0)];
        trial.probes.extend(readings);
        trial.probes.extend([probe::CPU_STEAL.reading(stolen * seconds)]);
    }
    let note = assess(&record).notes.into_iter().find(|note| note.text.contains(" scatter by "))?;
    Some(note.text)
}

#[test]
fn the_scatter_of_undecided_work_is_divided_into_processor_time_and_waiting() {
    for (share, words) in [(0.0, "0 % of that is"), (0.7, "70 % of that is"), (1.0, "100 % of that is")] {
        let said = scatter(0.1, share, 0.0).expect("it scatters");
        assert!(said.contains(words), "{share}: {said}");
    }
    assert_eq!(scatter(0.005, 0.7, 0.0), None, "it scatters too little");
    assert_eq!(scatter(0.1, 0.7, 0.5), None, "another load explains enough");
}

#[test]
fn a_typical_slice_that_is_not_like_all_of_the_time_is_named() {
    // One slice of four takes a tenth of the time of each of the others, or as long; the work is the same.
    for (times, note) in
        [(10.0, Some("compared with its typical slice, xfs in create is 3.1 times as fast")), (1.0, None)]
    {
        let (_, notes) = record_and_notes(|_, slice| if slice.position % 4 == 0 { times } else { 1.0 });
        let found = notes.iter().find(|text| text.starts_with("figures and verdicts are about the typical slice"));
        assert_eq!(found.map(|text| text.contains(note.unwrap_or_default())), note.map(|_| true), "{notes:?}");
    }
}
