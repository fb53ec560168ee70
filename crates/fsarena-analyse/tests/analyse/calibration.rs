//! Calibration from runs of identical contenders and runs with a slowdown.

use fsarena_analyse::calibration;
use fsarena_model::RunRecord;

use fsarena_fakes::{Play, World, workload};

fn play(seed: u64, slowdown: Option<&str>) -> RunRecord {
    let world = World::of(&[1000.0; 2]).noisy(0.01, seed);
    let mut play = Play::new(&["a=ext4", "b=ext4"], world).with_seed(seed);
    play = play.with_workloads(vec![workload("create"), workload("append")]);
    play.plan.measuring.slowdowns = slowdown.into_iter().map(|text| text.parse().expect("well spelled")).collect();
    play.perform().record
}

#[test]
fn equals_are_not_ranked_and_a_large_slowdown_is_found() {
    let equal: Vec<RunRecord> = (1..=4).map(|seed| play(seed, None)).collect();
    let slowed: Vec<RunRecord> = (11..=13).map(|seed| play(seed, Some("b=20%"))).collect();
    let calibration = calibration(&equal, &slowed);
    assert_eq!((calibration.runs, calibration.runs_with_a_winner), (4, 0));
    assert_eq!(calibration.rows.len(), 2);
    for row in &calibration.rows {
        assert_eq!((row.equal, row.winners, row.slowed, row.found), (4, 0, 3, 3), "{row:?}");
        assert!(row.equivalent > 0, "{row:?}");
        let deviation = row.deviation.expect("rounds differ").0;
        assert!((0.003..0.05).contains(&deviation), "{row:?}");
        assert!(row.finds_from.is_some_and(|from| (0.01..0.2).contains(&from.0)), "{row:?}");
    }
}

#[test]
fn a_run_with_too_few_rounds_for_a_verdict_shows_nothing_of_the_rule() {
    let mut ended = play(1, None);
    ended.rounds.truncate(1);
    ended.trials.retain(|trial| trial.round == 1);
    let calibration = calibration(&[ended, play(2, None)], &[]);
    assert_eq!((calibration.runs, calibration.runs_with_a_winner), (1, 0));
    assert!(calibration.rows.iter().all(|row| row.equal == 1), "{:?}", calibration.rows);
}

#[test]
fn without_runs_a_calibration_has_no_rows() {
    let calibration = calibration(&[], &[]);
    assert_eq!((calibration.runs, calibration.rows.len()), (0, 0));
}
