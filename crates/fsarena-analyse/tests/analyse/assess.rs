//! From a record to a comparison: the same record gives the same comparison, regardless of where it was stored in
//! between.

use fsarena_analyse::assess;
use fsarena_model::comparison::PairVerdict;
use fsarena_model::{
    CacheState, Event, Relation, Rounds, RunRecord, Share, Status, Storage, Trial, Variant, Verdict, Workload,
};
use serde_json::Value;

use fsarena_fakes::{Performance, Play, World, workload};

/// A comparison with clear, close and undecided pairs.
fn mixed() -> Performance {
    let play = Play::new(&["ext4", "xfs", "btrfs"], World::of(&[1000.0, 1040.0, 3000.0]).noisy(0.04, 9));
    play.with_workloads(["create", "append", "rename"].map(workload).to_vec()).perform()
}

#[test]
fn the_same_record_gives_the_same_comparison() {
    let performance = mixed();
    let (first, second) = (assess(&performance.record), assess(&performance.record.clone()));
    assert!(first == second);
    assert_eq!(
        (first.run.format, first.run.number, first.run.status, first.run.seed.as_str()),
        (1, 3, Status::Complete, "7")
    );
}

#[test]
fn a_record_rebuilt_from_events_gives_the_same_comparison() {
    let performance = mixed();
    let mut record = RunRecord::new(3, performance.record.plan.clone(), performance.record.started.clone());
    performance.events.iter().cloned().for_each(|event| record.apply(event));
    assert!(record == performance.record);
    assert!(assess(&record) == performance.comparison());
}

#[test]
fn a_record_rebuilt_from_events_that_were_kept_as_text_gives_the_same_comparison() {
    let performance = mixed();
    let mut record = RunRecord::new(3, performance.record.plan.clone(), performance.record.started.clone());
    for event in &performance.events {
        let kept = serde_json::to_string(event).expect("an event is text");
        record.apply(serde_json::from_str(&kept).expect("and can be read again"));
    }
    assert!(record == performance.record);
    assert!(assess(&record) == performance.comparison());
}

#[test]
fn the_run_and_the_comparison_count_the_same_pairs_as_decided() {
    let performance = mixed();
    let decided = |event: &Event| match event {
        Event::Decided { decided, pairs, .. } => Some((*decided, *pairs)),
        _ => None,
    };
    let last = performance.events.iter().rev().find_map(decided).expect("after each round");
    let verdicts = performance.verdicts();
    let open = verdicts.iter().filter(|verdict| **verdict == Verdict::Undecided).count();
    assert_eq!(last, ((verdicts.len() - open) as u32, verdicts.len() as u32));
}

/// Both ends of the pointwise interval, then of the decision's interval.
fn intervals(pair: &PairVerdict) -> (f64, f64, f64, f64) {
    let ends = [pair.estimate.low, pair.estimate.high, pair.decision.low, pair.decision.high];
    let [low, high, decision_low, decision_high] = ends.map(|end| end.expect("measured"));
    (low, high, decision_low, decision_high)
}

fn missing(value: &Value, wanted: &[&str]) -> Vec<String> {
    let missing = wanted.iter().filter(|key| !value.as_object().is_some_and(|object| object.contains_key(**key)));
    missing.map(|key| (*key).to_owned()).collect()
}

#[test]
fn the_json_has_the_keys_of_format_1() {
    let json = serde_json::to_value(mixed().comparison()).expect("a comparison is text");
    let top =
        ["format", "run", "status", "seed", "started", "environment", "contenders", "workloads", "cells", "verdicts"];
    assert_eq!(missing(&json, &top), Vec::<String>::new());
    assert_eq!((&json["format"], &json["seed"], &json["status"]), (&1.into(), &"7".into(), &"complete".into()));
    let contender = ["label", "kind", "mkfs", "mount", "durability", "guarantees"];
    assert_eq!(missing(&json["contenders"][0], &contender), Vec::<String>::new());
    let workload = ["name", "version", "metric", "unit", "better", "mode"];
    assert_eq!(missing(&json["workloads"][0], &workload), Vec::<String>::new());
    let cell = "workload contender metric unit median low high rounds samples validity probes";
    assert_eq!(missing(&json["cells"][0], &cell.split(' ').collect::<Vec<_>>()), Vec::<String>::new());
    let verdict = "workload metric a b ratio low high decision_low decision_high verdict rounds needs_rounds";
    assert_eq!(missing(&json["verdicts"][0], &verdict.split(' ').collect::<Vec<_>>()), Vec::<String>::new());
    assert!(json["contenders"][0]["mkfs"].is_array());
    assert_eq!((&json["workloads"][0]["better"], &json["workloads"][0]["mode"]), (&"higher".into(), &"sliced".into()));
}

#[test]
fn a_price_is_named_of_undecided_pairs_only() {
    for seed in 1..=6 {
        let play = Play::new(&["ext4", "xfs", "btrfs"], World::of(&[1000.0, 1040.0, 3000.0]).noisy(0.04, seed));
        let comparison = play.perform().comparison();
        let priced = comparison.judged.verdicts.iter().filter(|pair| pair.needs.rounds.is_some());
        let undecided = comparison.judged.verdicts.iter().filter(|pair| pair.verdict == Verdict::Undecided).count();
        assert!(priced.clone().all(|pair| pair.verdict == Verdict::Undecided));
        assert!(priced.clone().all(|pair| pair.needs.rounds.is_some_and(|needs| needs > pair.rounds)));
        assert_eq!(priced.count(), undecided, "seed {seed}");
    }
}

#[test]
fn a_ratio_lies_in_its_interval_and_the_cell_in_its_own() {
    let comparison = mixed().comparison();
    let around = |low: Option<f64>, value: Option<f64>, high: Option<f64>| match (low, value, high) {
        (Some(low), Some(value), Some(high)) => low <= value && value <= high,
        _ => false,
    };
    assert!(
        comparison
            .judged
            .verdicts
            .iter()
            .all(|pair| around(pair.estimate.low, pair.estimate.ratio, pair.estimate.high))
    );
    assert!(comparison.cells.iter().all(|cell| around(cell.figure.low, cell.figure.median, cell.figure.high)));
}

/// For a pair that was decided before the last round, both intervals come from different rounds: the decision's
/// interval from the deciding round, the pointwise interval from the latest. If all pairs are decided in the last
/// round, the decision's interval contains the pointwise one.
#[test]
fn the_interval_of_a_decision_that_fell_in_the_last_round_holds_the_pointwise_one() {
    let play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 1200.0]).noisy(0.03, 2));
    let comparison = play.with_workloads(vec![workload("create")]).perform().comparison();
    let pair = &comparison.judged.verdicts[0];
    assert_eq!(pair.verdict, Verdict::Slower);
    let (low, high, decision_low, decision_high) = intervals(pair);
    assert!(decision_low < low && high < decision_high);
    assert!(decision_high < 1.0, "it is what the verdict rests on");
}

#[test]
fn a_verdict_that_fell_early_keeps_the_interval_that_it_rests_on() {
    let comparison = mixed().comparison();
    for pair in &comparison.judged.verdicts {
        let (_, _, low, high) = intervals(pair);
        match pair.verdict {
            Verdict::Faster => assert!(low > 1.0),
            Verdict::Slower => assert!(high < 1.0),
            _ => assert!(low < 1.0 && high > 1.0),
        }
    }
    let rounds: Vec<u32> = comparison.judged.verdicts.iter().map(|pair| pair.rounds).collect();
    assert!(rounds.iter().any(|rounds| *rounds > 4), "{rounds:?}");
}

/// Here the pointwise interval, over all rounds, reaches beyond the decision's interval, over the first few rounds.
#[test]
fn an_early_verdict_stays_through_noisier_rounds_with_its_interval() {
    let play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 1100.0]).noisy(0.001, 1));
    let play = play.with_workloads(vec![workload("create")]).with_rounds(Rounds::Exactly(10));
    let mut record = play.perform().record;
    let late = |trial: &&mut Trial| trial.round > 6 && trial.contender.0 == "ext4";
    for trial in record.trials.iter_mut().filter(late) {
        let factor = if trial.round % 2 == 0 { 1.3 } else { 0.95 };
        trial.slices.iter_mut().for_each(|slice| slice.value *= factor);
    }
    let pair = &assess(&record).judged.verdicts[0];
    assert_eq!((pair.verdict, pair.needs.rounds), (Verdict::Slower, None));
    let (_, high, _, decision_high) = intervals(pair);
    assert!(decision_high < 1.0 && high > 1.0, "{pair:?}");
}

#[test]
fn turning_the_metric_round_turns_no_verdict() {
    let rate = mixed();
    let mut record = rate.record.clone();
    for workload in &mut record.plan.workloads {
        workload.metric.better = fsarena_model::Better::Lower;
    }
    for slice in record.trials.iter_mut().flat_map(|trial| &mut trial.slices) {
        slice.value = slice.value.recip();
    }
    for (one, other) in rate.comparison().judged.verdicts.iter().zip(assess(&record).judged.verdicts) {
        assert_eq!(one.verdict, other.verdict);
        assert!((one.estimate.ratio.expect("measured") / other.estimate.ratio.expect("measured") - 1.0).abs() < 1e-9);
    }
}

/// The options of the command that repeats a run of three rounds.
fn repeating(margin: f64, storage: Storage) -> String {
    let mut play = Play::new(&["ext4", "old=ext3:noatime"], World::of(&[1000.0; 2])).with_rounds(Rounds::Exactly(3));
    (play.plan.margin, play.plan.lanes.storage) = (Share(margin), storage);
    play.perform().comparison().run.command.join(" ")
}

#[test]
fn a_comparison_names_the_command_that_repeats_it() {
    let command = repeating(0.05, Storage::Memory);
    assert!(command.starts_with("fsarena compare ext4 old=ext3:noatime "), "{command}");
    for part in ["--workload create --workload append", "--rounds 3", "--margin 5%", "--storage memory", "--seed 7"] {
        assert!(command.contains(part), "{part}: {command}");
    }
}

#[test]
fn the_command_that_repeats_a_run_has_its_states_of_the_cache() {
    let play = Play::new(&["ext4", "old=ext3:noatime"], World::of(&[1000.0; 2])).with_rounds(Rounds::Exactly(3));
    let mut record = play.perform().record;
    let original = record.plan.workloads.clone();
    let command = |record: &RunRecord| assess(record).run.command.join(" ");
    for (cache, name) in [(CacheState::Cold, "create@cold"), (CacheState::Warm, "create@warm")] {
        let variant = Some(Variant { of: "create".to_owned(), relation: Relation::Cache });
        let other = Workload { name: name.parse().expect("a name"), cache, variant, ..original[0].clone() };
        record.plan.workloads = [vec![other.clone()], original[1..].to_vec()].concat();
        let alone = format!("--workload create --workload append --cache {cache} --rounds");
        assert!(command(&record).contains(&alone), "{}", command(&record));
        record.plan.workloads = [original.clone(), vec![other]].concat();
        let both = "--workload create --workload append --cache both --rounds";
        assert!(command(&record).contains(both), "{}", command(&record));
    }
}

#[test]
fn the_command_that_repeats_a_run_has_the_margin_that_was_typed() {
    for percent in 1..30 {
        let command = repeating(f64::from(percent) / 100.0, Storage::Memory);
        assert!(command.contains(&format!("--margin {percent}% ")), "{command}");
    }
}

#[test]
fn the_command_that_repeats_a_run_puts_the_lanes_where_they_were() {
    for storage in ["dir:/dev/images", "dir:memory", "/srv", "/dev/sdb", "memory"].map(Storage::from) {
        let command = repeating(0.05, storage.clone());
        let spelled = command.split(' ').skip_while(|word| *word != "--storage").nth(1).expect("an argument");
        assert_eq!(Storage::from(spelled), storage);
    }
}
