//! What would settle an undecided pair, in rounds and in seconds.

use fsarena_model::comparison::PairVerdict;
use fsarena_model::{RunRecord, Trial, Verdict};
use fsarena_session::assess;

use crate::fake::{Play, World, workload};

/// Three times as fast at one workload, which is decided early, and a noisy tie at the other; rounds of 20 seconds.
fn one_clear_and_one_open() -> RunRecord {
    let mut play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 1060.0]).noisy(0.12, 3));
    play.plan.workloads = vec![workload("clear"), workload("open")];
    play.world.advantage = Some(("clear".to_owned(), 3.0));
    let mut record = play.perform().record;
    record.rounds.iter_mut().for_each(|facts| facts.seconds = 20.0);
    record
}

fn open_pair(record: &RunRecord) -> PairVerdict {
    let open = assess(record).verdicts.into_iter().find(|pair| pair.workload == "open");
    open.expect("every workload has its pair")
}

fn seconds_per_round(pair: &PairVerdict) -> Option<f64> {
    let more = pair.needs_rounds? - pair.rounds;
    Some(pair.needs_seconds? / f64::from(more))
}

#[test]
fn further_rounds_take_as_long_as_the_last_one_did_for_each_of_its_workloads() {
    let mut record = one_clear_and_one_open();
    let pair = open_pair(&record);
    assert_eq!((pair.verdict, seconds_per_round(&pair)), (Verdict::Undecided, Some(20.0)));
    let last = record.rounds.len() as u32;
    let mut other = record.trials[0].clone();
    (other.round, other.workload) = (last, "clear".to_owned());
    record.trials.push(other);
    assert_eq!(seconds_per_round(&open_pair(&record)), Some(10.0), "two workloads share the round");
    record.rounds.clear();
    let pair = open_pair(&record);
    assert!(pair.needs_rounds.is_some() && pair.needs_seconds.is_none(), "no round ended");
}

#[test]
fn what_is_decided_costs_nothing_more() {
    let verdicts = assess(&one_clear_and_one_open()).verdicts;
    assert_eq!((verdicts[0].verdict, verdicts[0].needs_seconds), (Verdict::Slower, None));
}

#[test]
fn a_pair_that_is_too_dear_says_so_and_one_of_which_nothing_is_known_does_not() {
    let mut record = Play::new(&["ext4", "xfs"], World::of(&[1000.0; 2]).noisy(0.001, 1)).perform().record;
    record.trials.retain(|trial| trial.round <= 4);
    let first = |trial: &&mut Trial| trial.contender.0 == "ext4";
    for trial in record.trials.iter_mut().filter(first) {
        let factor = if trial.round % 2 == 0 { 4.0 } else { 0.25 };
        trial.slices.iter_mut().for_each(|slice| slice.value *= factor);
    }
    let too_dear = "no number of rounds up to 1000 would probably settle it";
    let pair = &assess(&record).verdicts[0];
    assert_eq!((pair.verdict, pair.needs_rounds, pair.needs_seconds), (Verdict::Undecided, None, None));
    assert!(pair.reason.contains(too_dear), "{}", pair.reason);
    record.trials.retain(|trial| trial.round == 1);
    let pair = &assess(&record).verdicts[0];
    assert_eq!((pair.verdict, pair.needs_rounds, pair.reason.as_str()), (Verdict::Undecided, None, ""));
}
