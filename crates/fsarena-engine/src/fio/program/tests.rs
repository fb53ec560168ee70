use super::*;
use fsarena_model::probe;

/// Reads output of jobs that ran all at once.
fn together(text: &str, stats: &mut RunStats) -> Result<(), EngineError> {
    read(text, JobOrder::Together, Operation::Fsync, stats)
}

#[test]
fn counts_and_latencies_are_those_of_fio() {
    let mut stats = RunStats::new();
    together(include_str!("../../../tests/fio/output/mixed-fsync.json"), &mut stats).expect("fio 3.33 wrote it");
    assert_eq!((stats.operations, stats.bytes, stats.elapsed), (819, 1_552_384 + 1_802_240, Nanos::millis(302)));
    let of = |operation| stats.latency(operation).expect("recorded");
    assert_eq!((of(Operation::Read).count, of(Operation::Write).count, of(Operation::Fsync).count), (379, 440, 212));
    assert!((of(Operation::Read).mean.0 as f64 / 475_407.4 - 1.0).abs() < 0.01);
    assert!((of(Operation::Read).p50.0 as f64 / 64_256.0 - 1.0).abs() < 0.02);
    assert!((of(Operation::Fsync).max.0 as f64 / 11_173_249.0 - 1.0).abs() < 0.02);
    assert_eq!(stats.reported, [(probe::FIO_USR, 0.0), (probe::FIO_SYS, 3.488372)]);
}

#[test]
fn groups_that_follow_each_other_take_the_sum_of_their_times() {
    let json = include_str!("../../../tests/fio/output/in-turn.json");
    let elapsed = |order| {
        let mut stats = RunStats::new();
        read(json, order, Operation::Fsync, &mut stats).expect("fio 3.33 wrote it");
        assert_eq!(stats.operations, 20 + 2 * 256);
        stats.elapsed
    };
    assert!(elapsed(JobOrder::InTurn) > elapsed(JobOrder::Together));
}

#[test]
fn a_job_that_failed_is_an_error_with_its_name() {
    let json = include_str!("../../../tests/fio/output/no-space.json");
    let error = together(json, &mut RunStats::new()).expect_err("it failed").to_string();
    assert!(error.contains("`x`") && error.contains("No space left"), "{error}");
    assert_eq!(words("fio: it fails\n", "fio: it fails\nwhy\n{}"), "it fails; why");
    assert!(together("{}", &mut RunStats::new()).is_err());
    assert!(together("", &mut RunStats::new()).is_err());
}
