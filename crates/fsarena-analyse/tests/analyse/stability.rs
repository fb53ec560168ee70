//! Unstable cells are named, stable cells are not, and no verdict changes.

use fsarena_analyse::assess;
use fsarena_model::{Label, Rounds, RunRecord, Slice, Trial};

use fsarena_fakes::{Play, World, workload};

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
        let words = ["drift", "not steady"];
        assess(&still(*seed)).notes.iter().any(|note| words.iter().any(|word| note.text.starts_with(word)))
    });
    assert!(mentioned.count() <= 2, "each of both in one run of twenty at most");
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
fn whole_pieces_have_no_slices_to_compare() {
    let mut whole = workload("create");
    whole.mode = fsarena_model::Mode::Whole;
    let play = Play::new(&["ext4", "xfs"], World::of(&[1000.0; 2]).noisy(0.02, 1)).with_workloads(vec![whole]);
    let stability = &play.with_rounds(Rounds::Exactly(5)).perform().comparison().cells[0].stability;
    assert_eq!(stability.within_round, None);
    assert!(stability.trend.is_some());
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
