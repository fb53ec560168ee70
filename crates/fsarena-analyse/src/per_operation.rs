//! Time per operation of a cell, the clock at which it ends, and syncs per operation. Shares of time and flushes per
//! sync are computed from these.

use fsarena_model::comparison::Clock;
use fsarena_model::{Mode, Outcome, Trial, Workload};

use crate::durability;

/// The clock at which a workload's time ends. Only a whole run that fsarena ends includes a final sync in its time,
/// regardless of the syncs of the workload.
pub fn clock(workload: &Workload) -> Clock {
    match workload.mode {
        Mode::Whole if !workload.ends_by_itself => Clock::Durable,
        Mode::Whole | Mode::Sliced => Clock::Returned,
    }
}

/// Timed seconds per operation, the median over the finished trials; `None` without operations.
pub fn seconds<'a>(trials: impl IntoIterator<Item = &'a Trial>) -> Option<f64> {
    median(trials, Trial::seconds_per_operation).filter(|seconds| *seconds > 0.0)
}

/// Number of times that an operation asks for durability, the median over the finished trials; `None` if some of the
/// workload's syncs are not timed.
pub fn syncs<'a>(workload: &Workload, trials: impl IntoIterator<Item = &'a Trial>) -> Option<f64> {
    if workload.traits.syncs_untimed {
        return None;
    }
    median(trials, |trial| durability::syncs(workload, trial) / trial.operations() as f64)
}

fn median<'a>(trials: impl IntoIterator<Item = &'a Trial>, of: impl Fn(&Trial) -> f64) -> Option<f64> {
    let finished = trials.into_iter().filter(|trial| trial.outcome == Outcome::Finished);
    fsarena_stats::median(finished.map(of).filter(|value| value.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_model::{Label, Latency, Nanos, Slice, Traits};

    fn workload() -> Workload {
        let json = serde_json::json!({
            "name": "w", "version": 1, "measures": "", "why": "", "engine": "files", "durable": "none", "cache": "warm",
            "mode": "whole", "parameters": {},
            "metric": { "name": "m", "unit": "s", "measure": "operations-per-second", "better": "higher" },
        });
        serde_json::from_value(json).expect("a workload")
    }

    fn latency(count: u64) -> Latency {
        let span = Nanos(1_000);
        Latency { count, mean: span, p50: span, p90: span, p99: span, p999: span, p9999: None, max: span }
    }

    fn trial(operations: u64, syncs: &[(&str, u64)]) -> Trial {
        let elapsed = Nanos::millis(500);
        Trial {
            slices: vec![Slice { position: 0, operations, bytes: 0, elapsed, value: 1.0 }],
            latencies: syncs.iter().map(|(name, count)| ((*name).to_owned(), latency(*count))).collect(),
            ..Trial::empty(1, "append-fsync", Label::from("ext4"), Outcome::Finished)
        }
    }

    #[test]
    fn all_kinds_of_syncs_count_and_other_calls_do_not() {
        let trial = trial(1000, &[("fsync", 500), ("syncfs", 20), ("write", 1000)]);
        assert_eq!((seconds([&trial]), syncs(&workload(), [&trial])), (Some(0.0005), Some(0.52)));
    }

    #[test]
    fn work_without_syncs_has_0_and_absent_work_has_none() {
        assert_eq!(syncs(&workload(), [&trial(1000, &[("write", 1000)])]), Some(0.0));
        assert_eq!((seconds([&trial(0, &[])]), syncs(&workload(), [&trial(0, &[])])), (None, None));
        assert_eq!(seconds([]), None);
    }

    #[test]
    fn where_not_all_syncs_are_timed_there_is_no_such_figure() {
        let traits = Traits { syncs_untimed: true, ..Traits::default() };
        assert_eq!(syncs(&Workload { traits, ..workload() }, [&trial(1000, &[("fsync", 500)])]), None);
    }

    #[test]
    fn a_database_syncs_with_each_row() {
        let traits = Traits { commits_each: true, ..Traits::default() };
        assert_eq!(syncs(&Workload { traits, ..workload() }, [&trial(1000, &[("insert", 1000)])]), Some(1.0));
    }

    #[test]
    fn only_a_whole_run_that_is_ended_is_synced_within_its_time() {
        let whole = workload();
        assert_eq!(clock(&whole), Clock::Durable);
        assert_eq!(clock(&Workload { ends_by_itself: true, ..whole.clone() }), Clock::Returned);
        assert_eq!(clock(&Workload { mode: Mode::Sliced, ..whole }), Clock::Returned);
    }
}
