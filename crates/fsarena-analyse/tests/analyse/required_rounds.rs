//! The rounds and seconds that would decide an undecided pair.

use fsarena_analyse::assess;
use fsarena_model::comparison::PairVerdict;
use fsarena_model::{RunRecord, Verdict};

use fsarena_fakes::{Play, World, workload};

/// One contender is three times as fast in one workload, which is decided early; the other workload is a noisy tie.
/// Rounds take 20 seconds.
fn one_clear_and_one_open() -> RunRecord {
    let mut play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 1060.0]).noisy(0.12, 3));
    play.plan.workloads = vec![workload("clear"), workload("open")];
    play.world.advantage = Some(("clear".to_owned(), 3.0));
    let mut record = play.perform().record;
    record.rounds.iter_mut().for_each(|facts| facts.seconds = 20.0);
    record
}

fn open_pair(record: &RunRecord) -> PairVerdict {
    let open = assess(record).judged.verdicts.into_iter().find(|pair| pair.workload == "open");
    open.expect("every workload has its pair")
}

fn seconds_per_round(pair: &PairVerdict) -> Option<f64> {
    let more = pair.needs.rounds? - pair.rounds;
    Some(pair.needs.seconds? / f64::from(more))
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
    assert!(pair.needs.rounds.is_some() && pair.needs.seconds.is_none(), "no round ended");
}

#[test]
fn a_decided_pair_needs_no_more_time() {
    let verdicts = assess(&one_clear_and_one_open()).judged.verdicts;
    assert_eq!((verdicts[0].verdict, verdicts[0].needs.seconds), (Verdict::Slower, None));
}
