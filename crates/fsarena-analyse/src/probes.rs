//! Turns the probe readings of trials into the readings of a cell.

use std::collections::BTreeSet;

use fsarena_model::probe::{self, Kind, LatencyFigure, Role};
use fsarena_model::{Latency, Nanos, Probe, ProbeId, Reading, Readings, Trial};

/// The device's time of flushes is counted in steps of 1 ms, so less than this is not known well enough for a figure.
pub(crate) const SHORTEST_FLUSHING: f64 = 0.01;

/// Processor seconds within the timed slices that neither this run nor kernel threads used. May be slightly negative,
/// because the machine's counter has a resolution of one tick.
pub fn beyond_own_seconds(trial: &Trial) -> Option<f64> {
    let own = trial.probe(probe::CPU_PROCESS)? + trial.probe(probe::CPU_KERNEL)?;
    Some(trial.probe(probe::CPU_MACHINE)? - own)
}

/// Processor seconds that other programs used within the timed slices; at least 0.
pub fn foreign_seconds(trial: &Trial) -> Option<f64> {
    Some(beyond_own_seconds(trial)?.max(0.0))
}

/// Bytes that other programs read from the storage beneath the lanes, or wrote to it. What this run's own processes read
/// beyond the lane (their programs and inputs, once a cold step has dropped all caches) is not theirs.
pub fn disk_others(trial: &Trial) -> Option<f64> {
    let own = trial.probe(probe::PROCESS_READ).zip(trial.probe(probe::DEVICE_READ));
    Some(trial.probe(probe::DISK_OTHERS)? - own.map_or(0.0, |(process, lane)| (process - lane).max(0.0)))
}

/// The seconds over which the counters were read. A program's start and end belong to them, and often not to its figure.
pub fn counted_seconds(trial: &Trial) -> f64 {
    trial.probe(probe::TIME_COUNTED).unwrap_or_else(|| trial.seconds())
}

/// The readings for the offered rate of an open loop, if any, and for the rate achieved; the latter is recorded for
/// closed loops, too.
pub fn rates(offered: Option<f64>, operations: u64, seconds: f64) -> impl Iterator<Item = (ProbeId, Reading)> {
    let reading = |probe: Probe, value: f64| probe.reading(Some(value).filter(|value| value.is_finite()));
    let offered = offered.map(|offered| reading(probe::RATE_OFFERED, offered));
    offered.into_iter().chain([reading(probe::RATE_DONE, operations as f64 / seconds)])
}

/// The medians of the probe readings over trials: averages over time for processor steal and device load, everything
/// else per operation.
fn of_cell(trials: &[&Trial]) -> Readings {
    let each: Vec<Readings> = trials.iter().map(|trial| of_trial(trial)).collect();
    let ids: BTreeSet<&ProbeId> = each.iter().flat_map(Readings::keys).collect();
    ids.into_iter().filter_map(|id| Some((id.clone(), median(&each, id)?))).collect()
}

/// The medians over the trials in `kept`. A reading that none of them has, for example because it is taken in the first
/// round only, comes from `all`: other programs change times, but not the requests sent to a device.
pub fn of_cell_or_all(kept: &[&Trial], all: &[&Trial]) -> Readings {
    let mut readings = of_cell(kept);
    for (id, reading) in of_cell(all) {
        let known = readings.entry(id).or_insert_with(|| reading.clone());
        if known.value.is_none() {
            *known = reading;
        }
    }
    readings
}

/// The median of the known values; `value` is `None` if no trial has one. `None` if no trial has such a reading.
fn median(each: &[Readings], id: &ProbeId) -> Option<Reading> {
    let unit = each.iter().find_map(|readings| Some(readings.get(id)?.unit.clone()))?;
    let value = fsarena_stats::median(each.iter().filter_map(|readings| readings.get(id)?.value));
    Some(Reading { value, unit })
}

fn of_trial(trial: &Trial) -> Readings {
    let (operations, seconds) = (trial.operations() as f64, trial.seconds());
    let mut readings = Readings::new();
    for (id, reading) in &trial.probes {
        let probe = id.probe();
        if probe.is_some_and(|probe| probe.role == Role::Evidence) {
            continue;
        }
        let (divisor, unit) = match probe.map_or(Kind::Trial, |probe| probe.kind) {
            Kind::PerOperation => (operations, format!("{}/op", reading.unit)),
            Kind::PerSecond(unit) => (seconds, unit.to_owned()),
            Kind::Trial | Kind::Computed => (1.0, reading.unit.clone()),
        };
        let is_known = |value: &f64| probe != Some(probe::DEVICE_FLUSHING) || *value >= SHORTEST_FLUSHING;
        let value = reading.value.filter(is_known).map(|value| value / divisor).filter(|value| value.is_finite());
        readings.insert(id.clone(), Reading { value, unit });
    }
    let foreign = foreign_seconds(trial).map(|busy| busy / counted_seconds(trial)).filter(|value| value.is_finite());
    readings.extend([probe::CPU_FOREIGN.reading(foreign)]);
    readings.extend(iostat_columns(trial));
    for (operation, latency) in &trial.latencies {
        readings.extend(of_latency(operation, latency));
    }
    readings
}

/// A distribution's count, mean, quantiles and maximum.
fn of_latency(operation: &str, latency: &Latency) -> impl Iterator<Item = (ProbeId, Reading)> {
    let reading = move |figure, value, unit: &str| {
        (ProbeId::latency(operation, figure), Reading { value, unit: unit.to_owned() })
    };
    let spans = [
        (LatencyFigure::Mean, Some(latency.mean)),
        (LatencyFigure::P50, Some(latency.p50)),
        (LatencyFigure::P90, Some(latency.p90)),
        (LatencyFigure::P99, Some(latency.p99)),
        (LatencyFigure::P999, Some(latency.p999)),
        (LatencyFigure::P9999, latency.p9999),
        (LatencyFigure::Max, Some(latency.max)),
    ];
    let spans = spans.into_iter().map(move |(figure, span)| reading(figure, span.map(Nanos::as_seconds), "s"));
    spans.chain([reading(LatencyFigure::Count, Some(latency.count as f64), "ops")])
}

const KILOBYTE: f64 = 1024.0;
const MILLISECONDS: f64 = 1e3;
const PERCENT: f64 = 100.0;

/// The columns that iostat(1) prints for a device, each named `iostat.` plus iostat's name. `rkB/s`, `wkB/s` and
/// request sizes are in units of 1024 bytes, `await` is in milliseconds, `%util` is a percentage.
///
/// The formulas are those of `write_ext_stat` and `write_plain_ext_stat` of sysstat's iostat.c (12.x), over the timed
/// seconds of a trial instead of an interval. One thing differs: an average over no requests is absent here, where
/// iostat prints 0.
fn iostat_columns(trial: &Trial) -> Readings {
    let rate = |probe| Some(trial.probe(probe)? / trial.seconds());
    let per_request = |amount, requests| Some(trial.probe(amount)? / trial.probe(requests)?);
    let kilobytes = |probe| rate(probe).map(|bytes| bytes / KILOBYTE);
    let wait = |time, requests| per_request(time, requests).map(|seconds| seconds * MILLISECONDS);
    let size = |bytes, requests| per_request(bytes, requests).map(|bytes| bytes / KILOBYTE);
    let columns = [
        (probe::IOSTAT_READS, rate(probe::DEVICE_READS)),
        (probe::IOSTAT_READ, kilobytes(probe::DEVICE_READ)),
        (probe::IOSTAT_READ_MERGES, rate(probe::DEVICE_READ_MERGES)),
        (probe::IOSTAT_READ_WAIT, wait(probe::DEVICE_READING, probe::DEVICE_READS)),
        (probe::IOSTAT_READ_SIZE, size(probe::DEVICE_READ, probe::DEVICE_READS)),
        (probe::IOSTAT_WRITES, rate(probe::DEVICE_WRITES)),
        (probe::IOSTAT_WRITTEN, kilobytes(probe::DEVICE_WRITTEN)),
        (probe::IOSTAT_WRITE_MERGES, rate(probe::DEVICE_WRITE_MERGES)),
        (probe::IOSTAT_WRITE_WAIT, wait(probe::DEVICE_WRITING, probe::DEVICE_WRITES)),
        (probe::IOSTAT_WRITE_SIZE, size(probe::DEVICE_WRITTEN, probe::DEVICE_WRITES)),
        (probe::IOSTAT_FLUSHES, rate(probe::DEVICE_FLUSHES)),
        (probe::IOSTAT_FLUSH_WAIT, wait(probe::DEVICE_FLUSHING, probe::DEVICE_FLUSHES)),
        (probe::IOSTAT_QUEUE, rate(probe::DEVICE_QUEUE)),
        (probe::IOSTAT_BUSY, rate(probe::DEVICE_BUSY).map(|share| share * PERCENT)),
    ];
    let finite = |(probe, value): (Probe, Option<f64>)| Some(probe.reading(value.filter(|value| value.is_finite())?));
    columns.into_iter().filter_map(finite).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_model::{Label, Nanos, Outcome, Slice};

    /// A trial of one slice of `seconds`, with these probe readings.
    fn trial(seconds: f64, probes: &[(Probe, f64)]) -> Trial {
        let elapsed = Nanos((seconds * 1e9) as u64);
        Trial {
            slices: vec![Slice { position: 0, operations: 1000, bytes: 4 << 20, elapsed, value: 1.0 }],
            probes: probes.iter().map(|(probe, value)| probe.reading(*value)).collect(),
            ..Trial::empty(1, "w", Label::from("ext4"), Outcome::Finished)
        }
    }

    /// What iostat 12.6.1 printed (`iostat -dxy vda 2 1`), and what it had read from the device's `stat` before and
    /// after, as strace(1) showed it.
    #[test]
    fn figures_are_those_of_a_recorded_iostat() {
        let [before, after] = ["22557176  1092573 2766765714 17584617 69600516  3654434 14880047376 33578482        4  7513672 52357201  3491896       63 4429849800   681133 10264521   512967",
            "22576173  1092573 2767069666 17586868 69621984  3654434 14880356440 33580978        1  7515232 52362069  3491896       63 4429849800   681133 10266406   513088"]
            .map(fsarena_probe::device::counters);
        let grown = after
            .iter()
            .zip(&before)
            .map(|((counter, after), (_, before))| (*counter, after.expect("read") - before.expect("read")));
        let columns = iostat_columns(&trial(2.0, &grown.collect::<Vec<_>>()));
        let heads = "r/s     rkB/s   rrqm/s  r_await rareq-sz     w/s     wkB/s   wrqm/s  w_await wareq-sz     f/s f_await  aqu-sz  %util";
        let printed = "9498.50  75988.00     0.00   0.12     8.00 10734.00  77266.00     0.00   0.12     7.20  942.50    0.06    2.43  78.00";
        assert_eq!(columns.len(), heads.split_whitespace().count());
        for (head, printed) in heads.split_whitespace().zip(printed.split_whitespace()) {
            let column = columns.iter().find(|(id, _)| id.reported_by("iostat") == Some(head));
            let ours = column.and_then(|(_, reading)| reading.value).expect("known");
            assert_eq!(format!("{ours:.2}"), printed, "{head}");
        }
    }

    #[test]
    fn columns_without_counters_are_absent() {
        let columns = iostat_columns(&trial(1.0, &[(probe::DEVICE_READS, 0.0), (probe::DEVICE_READING, 0.0)]));
        assert_eq!(columns.into_keys().collect::<Vec<_>>(), [probe::IOSTAT_READS.key()]);
    }
}
