//! What several clients did at the same time, as the work of one.

use std::collections::BTreeMap;

use fsarena_engine::RunStats;
use fsarena_model::{ClientsWork, MachineName, Measure, Nanos, Probe, ProbeId, Reading, Readings, Workload, probe};

use super::Ran;

/// Largest difference between the starts of two clients, as a share of the slice.
const LARGEST_SKEW: f64 = 0.01;

pub struct ClientPart {
    /// What it did, since the run that was the first.
    pub ran: Ran,
    /// When it began, by the coordinator's clock, nanoseconds.
    pub began: i128,
    /// The possible error of that, nanoseconds.
    pub error: f64,
}

/// The statistics of all clients together.
pub struct Merged {
    /// Whether the figure is the time until the last client has finished, not the rate while all of them work.
    is_until_last: bool,
    /// For each client, its counts before the current run.
    before: Vec<ClientCounts>,
    clients: ClientsWork,
    operations: f64,
    bytes: f64,
}

#[derive(Debug, Default, Clone, Copy)]
struct ClientCounts {
    operations: u64,
    bytes: u64,
    elapsed: Nanos,
}

/// A client's part of a run, by the coordinator's clock in seconds.
struct ClientSpan {
    begin: f64,
    seconds: f64,
    operations: f64,
    bytes: f64,
}

impl ClientSpan {
    fn end(&self) -> f64 {
        self.begin + self.seconds
    }
}

impl Merged {
    /// Empty statistics of a workload.
    pub fn of(workload: &Workload) -> Self {
        let is_until_last = matches!(workload.metric.measure, Measure::Seconds | Measure::SecondsPerOperation);
        let (before, clients) = Default::default();
        Self { is_until_last, before, clients, operations: 0.0, bytes: 0.0 }
    }

    /// Adds a run to `stats`, or begins them with it.
    ///
    /// A client's rate is taken to be even during its run: of its operations, those count that fall into the time in
    /// which all clients worked.
    pub fn add(&mut self, parts: Vec<ClientPart>, is_first: bool, stats: &mut RunStats) {
        if is_first {
            (self.before, self.clients) = (vec![ClientCounts::default(); parts.len()], ClientsWork::default());
            (self.operations, self.bytes) = (0.0, 0.0);
        }
        let spans: Vec<ClientSpan> =
            parts.iter().zip(&mut self.before).map(|(part, before)| span(part, before)).collect();
        let begin = || spans.iter().map(|span| span.begin);
        let last_begin = begin().fold(f64::NEG_INFINITY, f64::max);
        let together = (spans.iter().map(ClientSpan::end).fold(f64::INFINITY, f64::min) - last_begin).max(0.0);
        let last = spans.iter().map(ClientSpan::end).fold(0.0, f64::max) - begin().fold(f64::INFINITY, f64::min);
        let errors = if parts.len() > 1 { largest_two(parts.iter().map(|part| part.error / 1e9)) } else { 0.0 };
        let skew = last_begin - begin().fold(f64::INFINITY, f64::min) + errors;
        let share = |span: &ClientSpan| if self.is_until_last { 1.0 } else { (together / span.seconds).min(1.0) };
        self.operations += spans.iter().map(|span| span.operations * share(span)).sum::<f64>();
        self.bytes += spans.iter().map(|span| span.bytes * share(span)).sum::<f64>();
        self.clients.follow(&ClientsWork {
            rates: spans.iter().map(|span| span.operations / span.seconds).collect(),
            skew,
            skewed: u32::from(skew > LARGEST_SKEW * last),
            together,
            last,
        });
        let elapsed = if self.is_until_last { self.clients.last } else { self.clients.together };
        self.write(parts, elapsed, stats);
    }

    fn write(&self, parts: Vec<ClientPart>, elapsed: f64, stats: &mut RunStats) {
        let mut all = RunStats::new();
        let mut reported: BTreeMap<&str, (Probe, f64)> = BTreeMap::new();
        for part in &parts {
            all.join(&part.ran.stats);
            for (probe, value) in &part.ran.stats.reported {
                reported.entry(probe.id).or_insert((*probe, 0.0)).1 += value;
            }
        }
        // Counts add up; any other figure of a program is that of one client.
        let is_count = |probe: &Probe| [probe::COMMITS, probe::CONNECTIONS, probe::DURABLE_WRITES].contains(probe);
        all.reported = reported.into_values().filter(|(probe, _)| is_count(probe)).collect();
        all.operations = self.operations.round() as u64;
        all.bytes = self.bytes.round() as u64;
        all.elapsed = Nanos((elapsed * 1e9).round() as u64);
        all.clients = Some(self.clients.clone());
        *stats = all;
    }
}

fn span(part: &ClientPart, before: &mut ClientCounts) -> ClientSpan {
    let RunStats { operations, bytes, elapsed, .. } = part.ran.stats;
    let earlier = std::mem::replace(before, ClientCounts { operations, bytes, elapsed });
    ClientSpan {
        begin: part.began as f64 / 1e9,
        seconds: elapsed.saturating_sub(earlier.elapsed).as_seconds().max(1e-9),
        operations: (operations - earlier.operations) as f64,
        bytes: (bytes - earlier.bytes) as f64,
    }
}

/// The sum of the two largest: no two clocks differ by more than their errors together.
fn largest_two(errors: impl Iterator<Item = f64>) -> f64 {
    let mut errors: Vec<f64> = errors.collect();
    errors.sort_by(|one, other| other.total_cmp(one));
    errors.iter().take(2).sum()
}

/// Counters of a machine, not of the process that works: of clients on one machine, they are counted once.
const OF_MACHINE: [Probe; 5] =
    [probe::CPU_MACHINE, probe::CPU_STEAL, probe::CPU_KERNEL, probe::MACHINE_DIRTIED, probe::DISK_OTHERS];

/// A time that passes for all clients at once.
const OF_ALL: [Probe; 1] = [probe::TIME_COUNTED];

/// Counters of a network namespace.
const OF_NETWORK: [Probe; 2] = [probe::NETWORK_RECEIVED, probe::NETWORK_SENT];

/// The readings of all clients together: sums, of which a machine that several clients share is a part once. What one
/// of them could not read is absent.
pub fn readings(machines: &[MachineName], found: Vec<Readings>) -> Readings {
    let mut sums: BTreeMap<ProbeId, BTreeMap<String, Reading>> = BTreeMap::new();
    for (client, (machine, readings)) in machines.iter().zip(found).enumerate() {
        for (id, reading) in readings {
            let is_of = |probes: &[Probe]| probes.iter().any(|probe| id == probe.id);
            let own = || format!("client {client}");
            let of = match (&machine.boot, machine.network) {
                (Some(boot), _) if is_of(&OF_MACHINE) => boot.clone(),
                (Some(boot), Some(network)) if is_of(&OF_NETWORK) => format!("{boot} {network}"),
                _ if is_of(&OF_ALL) => "all".to_owned(),
                _ => own(),
            };
            let places = sums.entry(id).or_default();
            let kept = places.entry(of).or_insert_with(|| reading.clone());
            kept.value = kept.value.zip(reading.value).map(|(one, other)| one.max(other));
        }
    }
    let sum = |(id, places): (ProbeId, BTreeMap<String, Reading>)| {
        let unit = places.values().next()?.unit.clone();
        Some((id, Reading { value: places.into_values().map(|reading| reading.value).sum(), unit }))
    };
    sums.into_iter().filter_map(sum).collect()
}

#[cfg(test)]
mod tests {
    use fsarena_engine::Operation;

    use super::*;

    fn part(began: i128, milliseconds: u64, operations: u64) -> ClientPart {
        let mut stats = RunStats::new();
        (stats.operations, stats.bytes, stats.elapsed) = (operations, operations * 10, Nanos::millis(milliseconds));
        stats.record(Operation::Create, Nanos(milliseconds));
        ClientPart { ran: Ran { stats, reads_on: false, began: Nanos(0) }, began: began * 1_000_000, error: 100_000.0 }
    }

    fn merged(measure: Measure) -> Merged {
        let is_until_last = measure == Measure::Seconds;
        Merged { is_until_last, before: Vec::new(), clients: ClientsWork::default(), operations: 0.0, bytes: 0.0 }
    }

    #[test]
    fn the_figure_is_that_of_the_time_in_which_all_work() {
        let mut stats = RunStats::new();
        // The second begins 2 ms later and works 100 ms longer: 498 ms together.
        merged(Measure::OperationsPerSecond).add(vec![part(0, 500, 500), part(2, 600, 300)], true, &mut stats);
        assert_eq!((stats.operations, stats.elapsed), (498 + 249, Nanos::millis(498)));
        let clients = stats.clients.clone().expect("two clients");
        assert_eq!(clients.rates, [1000.0, 500.0]);
        assert!((clients.last - 0.602).abs() < 1e-9 && (clients.skew - 0.0022).abs() < 1e-9, "{clients:?}");
        assert_eq!(clients.skewed, 0, "2.2 ms are less than 1 % of 602 ms");
        assert_eq!(stats.latency_of_operations().map(|latency| latency.count), Some(2));
    }

    #[test]
    fn time_to_the_end_is_that_of_the_last() {
        let mut stats = RunStats::new();
        merged(Measure::Seconds).add(vec![part(0, 500, 50), part(1, 600, 50)], true, &mut stats);
        assert_eq!((stats.operations, stats.elapsed), (100, Nanos::millis(601)));
    }

    #[test]
    fn later_runs_add_what_is_new() {
        let (mut all, mut stats) = (merged(Measure::OperationsPerSecond), RunStats::new());
        all.add(vec![part(0, 100, 100), part(0, 100, 100)], true, &mut stats);
        // Counts go on from the first run.
        all.add(vec![part(200, 200, 150), part(200, 300, 300)], false, &mut stats);
        assert_eq!((stats.operations, stats.elapsed), (200 + 50 + 100, Nanos::millis(200)));
    }

    #[test]
    fn a_shared_machine_is_counted_once() {
        let machine = |boot: &str, network| MachineName {
            host: None,
            boot: Some(boot.to_owned()),
            network: Some(network),
            link_mbit: None,
        };
        let machines = [machine("a", 1), machine("a", 2), machine("b", 1)];
        let of = |process: f64, whole, network: Option<f64>| {
            Readings::from([
                probe::CPU_PROCESS.reading(process),
                probe::CPU_MACHINE.reading(whole),
                probe::TIME_COUNTED.reading(whole),
                probe::NETWORK_SENT.reading(network),
            ])
        };
        let sum = readings(&machines, vec![of(1.0, 5.0, Some(1.0)), of(2.0, 6.0, Some(2.0)), of(4.0, 7.0, Some(3.0))]);
        let value = |probe: Probe| sum[&probe.key()].value;
        assert_eq!((value(probe::CPU_PROCESS), value(probe::CPU_MACHINE)), (Some(7.0), Some(13.0)));
        assert_eq!((value(probe::NETWORK_SENT), value(probe::TIME_COUNTED)), (Some(6.0), Some(7.0)));
        let sum = readings(&machines, vec![of(1.0, 5.0, None), of(2.0, 6.0, Some(2.0)), of(4.0, 7.0, Some(3.0))]);
        assert_eq!(sum[&probe::NETWORK_SENT.key()].value, None);
    }
}
