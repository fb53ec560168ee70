//! The figures of an article's tables, derived from a trial.

use crate::article::Quantity;
use fsarena_model::trial::SYNCS;
use fsarena_model::{Latency, Measure, Trial, probe};
use fsarena_stats::round_value;

pub const MIB: f64 = 1_048_576.0;
const MILLISECONDS: f64 = 1e3;
const PERCENT: f64 = 100.0;

/// How much was done in a time, of a trial or of steps.
pub struct DoneWork {
    pub seconds: f64,
    pub bytes: f64,
    pub operations: f64,
}

impl DoneWork {
    /// A time or a rate; `None` of any other quantity.
    pub fn quantity(&self, quantity: Quantity) -> Option<f64> {
        let Self { seconds, bytes, operations } = self;
        Some(match quantity {
            Quantity::Seconds => *seconds,
            Quantity::Milliseconds => seconds * MILLISECONDS,
            Quantity::MegabytesPerSecond => bytes / MIB / seconds,
            Quantity::DecimalMegabytesPerSecond => bytes / 1e6 / seconds,
            Quantity::KilobytesPerSecond => bytes / 1024.0 / seconds,
            Quantity::OperationsPerSecond => operations / seconds,
            Quantity::SecondsPerOperation => seconds / operations,
            _ => return None,
        })
    }
}

/// A figure of a whole trial, in the unit of the quantity; `None` if the trial does not contain it.
///
/// Processor and system time are those of the processes that do the work, including processes started by other
/// programs: more than 100 if several processes work at a time. They exclude kernel threads. For fio, they are the
/// values that fio reports, without its start and end: the mean over its jobs, as articles quote it.
///
/// Rates are those of the trial's value, which is measured in `measure`: the median of its slices.
pub fn quantity(trial: &Trial, measure: Measure, quantity: Quantity) -> Option<f64> {
    let percent = |probe| trial.probe(probe).map(|busy| busy / trial.seconds() * PERCENT);
    let seconds = seconds_at_value(trial, measure).unwrap_or(trial.seconds());
    let per_second = |count: Option<u64>| count.map(|count| count as f64 / seconds);
    let is_time = matches!(quantity, Quantity::Seconds | Quantity::Milliseconds);
    let done = DoneWork {
        seconds: if is_time { trial.seconds() } else { seconds },
        bytes: trial.bytes() as f64,
        operations: trial.operations() as f64,
    };
    let value = match quantity {
        Quantity::ReadsPerSecond => per_second(count(trial, "read")),
        Quantity::WritesPerSecond => per_second(count(trial, "write")),
        Quantity::Latency => mean(trial, |name| !SYNCS.contains(&name)),
        Quantity::LatencySeconds => mean(trial, |name| !SYNCS.contains(&name)).map(|mean| mean / MILLISECONDS),
        Quantity::ReadLatency => mean(trial, |name| name == "read"),
        Quantity::ReadLatencyMicroseconds => mean(trial, |name| name == "read").map(|mean| mean * 1e3),
        Quantity::WriteLatency => mean(trial, |name| name == "write"),
        Quantity::Processor => of_fio(trial).map(|(user, system)| user + system).or(percent(probe::CPU_PROCESS)),
        Quantity::System => of_fio(trial).map(|(_, system)| system).or(percent(probe::CPU_SYSTEM)),
        Quantity::Utilisation => percent(probe::DEVICE_BUSY),
        time_or_rate => done.quantity(time_or_rate),
    };
    value.filter(|value| value.is_finite() && *value >= 0.0)
}

/// The time of all of the trial's work at the rate that is its value; `None` if that is no rate.
fn seconds_at_value(trial: &Trial, measure: Measure) -> Option<f64> {
    let amount = match measure {
        Measure::OperationsPerSecond => trial.operations() as f64,
        Measure::MebibytesPerSecond => trial.bytes() as f64 / MIB,
        _ => return None,
    };
    let values: Vec<f64> = trial.slices.iter().map(|slice| slice.value).collect();
    Some(amount / round_value(&values)?)
}

/// User and system time of fio's jobs, in percent.
fn of_fio(trial: &Trial) -> Option<(f64, f64)> {
    Some((trial.probe(probe::FIO_USR)?, trial.probe(probe::FIO_SYS)?))
}

/// Number of calls of this name; `None` if these calls were not timed one by one.
fn count(trial: &Trial, name: &str) -> Option<u64> {
    Some(trial.latencies.get(name)?.count)
}

/// The mean latency of all operations whose name is `wanted`, in milliseconds.
fn mean(trial: &Trial, wanted: impl Fn(&str) -> bool) -> Option<f64> {
    let all: Vec<&Latency> =
        trial.latencies.iter().filter(|(name, _)| wanted(name)).map(|(_, latency)| latency).collect();
    let count: f64 = all.iter().map(|latency| latency.count as f64).sum();
    let total: f64 = all.iter().map(|latency| latency.count as f64 * latency.mean.as_seconds()).sum();
    (count > 0.0).then(|| total / count * MILLISECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_model::{Label, Nanos, Outcome, Probe, Slice};

    /// A trial of one slice of `seconds`, with these probe readings.
    fn trial(seconds: f64, probes: &[(Probe, f64)]) -> Trial {
        let elapsed = Nanos((seconds * 1e9) as u64);
        Trial {
            slices: vec![Slice { position: 0, operations: 1000, bytes: 4 << 20, elapsed, value: 1000.0 / seconds }],
            probes: probes.iter().map(|(probe, value)| probe.reading(*value)).collect(),
            ..Trial::empty(1, "openeuler-mixed", Label::from("ext4"), Outcome::Finished)
        }
    }

    /// The figure of a trial that is measured in operations per second.
    fn of(trial: &Trial, wanted: Quantity) -> Option<f64> {
        quantity(trial, Measure::OperationsPerSecond, wanted)
    }

    fn latency(count: u64, mean: Nanos) -> Latency {
        Latency { count, mean, p50: mean, p90: mean, p99: mean, p999: mean, p9999: None, max: mean }
    }

    #[test]
    fn every_figure_of_a_table_is_taken_in_its_unit() {
        let mut trial = trial(2.0, &[(probe::CPU_PROCESS, 0.5), (probe::CPU_SYSTEM, 0.3), (probe::DEVICE_BUSY, 1.9)]);
        trial.latencies.insert("read".to_owned(), latency(700, Nanos::millis(10)));
        trial.latencies.insert("write".to_owned(), latency(300, Nanos::millis(20)));
        trial.latencies.insert("fsync".to_owned(), latency(5, Nanos::seconds(1)));
        for (wanted, figure) in [
            (Quantity::Seconds, 2.0),
            (Quantity::Milliseconds, 2000.0),
            (Quantity::MegabytesPerSecond, 2.0),
            (Quantity::DecimalMegabytesPerSecond, 2.097152),
            (Quantity::KilobytesPerSecond, 2048.0),
            (Quantity::OperationsPerSecond, 500.0),
            (Quantity::ReadsPerSecond, 350.0),
            (Quantity::WritesPerSecond, 150.0),
            (Quantity::SecondsPerOperation, 0.002),
            (Quantity::Latency, 13.0),
            (Quantity::LatencySeconds, 0.013),
            (Quantity::ReadLatency, 10.0),
            (Quantity::WriteLatency, 20.0),
            (Quantity::ReadLatencyMicroseconds, 10_000.0),
            (Quantity::Processor, 25.0),
            (Quantity::System, 15.0),
            (Quantity::Utilisation, 95.0),
        ] {
            let found = of(&trial, wanted).expect("known");
            assert!((found - figure).abs() < 1e-9, "{wanted:?}: {found} is not {figure}");
        }
    }

    #[test]
    fn rates_are_those_of_the_cell() {
        let mut trial = trial(1.0, &[(probe::CPU_PROCESS, 0.5)]);
        trial.latencies.insert("read".to_owned(), latency(2100, Nanos::millis(10)));
        let slow = Slice { elapsed: Nanos::seconds(3), value: 1000.0 / 3.0, ..trial.slices[0] };
        trial.slices = vec![trial.slices[0], slow, trial.slices[0]];
        for (wanted, at_value) in [
            (Quantity::OperationsPerSecond, 1000.0),
            (Quantity::ReadsPerSecond, 700.0),
            (Quantity::MegabytesPerSecond, 4.0),
            (Quantity::Seconds, 5.0),
            (Quantity::Processor, 10.0),
        ] {
            let found = of(&trial, wanted).expect("known");
            assert!((found - at_value).abs() < 1e-9, "{wanted:?}: {found} is not {at_value}");
        }
        assert_eq!(quantity(&trial, Measure::Seconds, Quantity::OperationsPerSecond), Some(600.0));
    }

    #[test]
    fn figures_of_the_program_that_did_the_work_count() {
        let probes =
            [(probe::CPU_PROCESS, 1.9), (probe::CPU_SYSTEM, 0.9), (probe::FIO_USR, 1.25), (probe::FIO_SYS, 2.5)];
        let through_fio = trial(2.0, &probes);
        assert_eq!(of(&through_fio, Quantity::Processor), Some(3.75));
        assert_eq!(of(&through_fio, Quantity::System), Some(2.5));
    }

    #[test]
    fn quantities_that_a_trial_lacks_are_absent() {
        let mut silent = trial(2.0, &[]);
        for wanted in [Quantity::ReadsPerSecond, Quantity::ReadLatency, Quantity::Latency, Quantity::Processor] {
            assert_eq!(of(&silent, wanted), None, "{wanted:?}");
        }
        silent.slices.clear();
        assert_eq!(of(&silent, Quantity::MegabytesPerSecond), None, "nothing was timed");
        assert_eq!(of(&silent, Quantity::OperationsPerSecond), None);
    }
}
