//! Probes: the figures that are measured around the work, each registered once with its name, unit and meaning.
//!
//! A new probe is one line in the table below. Code that writes or reads a probe uses its constant: a wrong name does
//! not compile. Two families are open: latencies by operation ([`ProbeId::latency`]), and figures that a program
//! reports ([`Probe::of_program`]).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize};

use crate::{Reading, intern};

/// Readings by probe.
pub type Readings = BTreeMap<ProbeId, Reading>;

/// The name of a probe, such as `device.flushes`. Only constants, the constructors of open families, and stored
/// records make one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProbeId(Cow<'static, str>);

/// A figure that is measured around the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Probe {
    /// Its name in stored runs and reports.
    pub id: &'static str,
    /// The unit of a trial's reading, such as `bytes`.
    pub unit: &'static str,
    /// What a trial's reading covers.
    #[serde(skip)]
    pub kind: Kind,
    /// What it is used for.
    #[serde(skip)]
    pub role: Role,
}

impl<'de> Deserialize<'de> for Probe {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Stored {
            id: String,
            unit: String,
        }
        let Stored { id, unit } = Stored::deserialize(deserializer)?;
        let registered = PROBES.iter().find(|probe| probe.id == id).copied();
        Ok(registered.unwrap_or_else(|| Self::of_program(intern(&id), intern(&unit))))
    }
}

/// What a trial's reading covers, and what becomes of it in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A total over the timed slices. A cell has it per operation.
    PerOperation,
    /// A total over the timed slices. A cell has it per second, in the given unit.
    PerSecond(&'static str),
    /// A figure of the trial. A cell has it unchanged.
    Trial,
    /// Computed for a cell. No trial has it.
    Computed,
}

/// What a probe is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It explains a figure.
    Explanation,
    /// It is one of the three clocks, or what happened until then.
    Clock,
    /// Space in use.
    Space,
    /// A column of iostat(1).
    Iostat,
    /// Time that a program says it used.
    ProgramTime,
    /// Other figures follow from it. No cell has it.
    Evidence,
}

/// The figures of a latency distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LatencyFigure {
    /// Number of operations.
    Count,
    /// The arithmetic mean.
    Mean,
    /// Half were at or below.
    P50,
    /// 90 of 100 were at or below.
    P90,
    /// 99 of 100 were at or below.
    P99,
    /// 999 of 1,000 were at or below.
    P999,
    /// 9,999 of 10,000 were at or below.
    P9999,
    /// The longest.
    Max,
}

/// Prefix of the names of latencies.
const LATENCY: &str = "latency.";

impl ProbeId {
    /// A figure of the latencies of `operation`, such as `latency.read.p99`.
    pub fn latency(operation: &str, figure: LatencyFigure) -> Self {
        Self(format!("{LATENCY}{operation}.{figure}").into())
    }

    /// The operation whose latency this is; `None` if it is no latency.
    pub fn operation(&self) -> Option<&str> {
        Some(self.strip_prefix(LATENCY)?.rsplit_once('.')?.0)
    }

    /// The name that the program of `engine` gives to this figure; `None` if another program or none reports it.
    pub fn reported_by(&self, engine: &str) -> Option<&str> {
        self.strip_prefix(engine)?.strip_prefix('.')
    }

    /// The registered probe; `None` for open families, and for probes of other versions.
    pub fn probe(&self) -> Option<Probe> {
        PROBES.iter().find(|probe| *self == probe.id).copied()
    }
}

impl Probe {
    /// A figure that a program reports, in its own unit. `id` begins with the engine's name and a dot, unless a file
    /// of the user gives it.
    pub const fn of_program(id: &'static str, unit: &'static str) -> Self {
        Self { id, unit, kind: Kind::Trial, role: Role::Explanation }
    }

    /// The name as a key.
    pub const fn key(self) -> ProbeId {
        ProbeId(Cow::Borrowed(self.id))
    }

    /// A reading of this probe; `None` if it could not be read.
    pub fn reading(self, value: impl Into<Option<f64>>) -> (ProbeId, Reading) {
        (self.key(), Reading { value: value.into(), unit: self.unit.to_owned() })
    }
}

impl Deref for ProbeId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<&str> for ProbeId {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl fmt::Display for ProbeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

macro_rules! probes {
    ($($name:ident = $id:literal, $unit:literal, $kind:expr, $role:ident;)*) => {
        $(
            #[doc = concat!("`", $id, "`, in `", $unit, "`.")]
            pub const $name: Probe = Probe { id: $id, unit: $unit, kind: $kind, role: Role::$role };
        )*

        /// All registered probes.
        pub const PROBES: &[Probe] = &[$($name),*];
    };
}

probes! {
    // Requests that reached the lane's device.
    DEVICE_READS = "device.reads", "requests", Kind::PerOperation, Explanation;
    DEVICE_READ = "device.read", "bytes", Kind::PerOperation, Explanation;
    DEVICE_WRITES = "device.writes", "requests", Kind::PerOperation, Explanation;
    DEVICE_WRITTEN = "device.written", "bytes", Kind::PerOperation, Explanation;
    DEVICE_MERGES = "device.merges", "requests", Kind::PerOperation, Explanation;
    DEVICE_READ_MERGES = "device.read-merges", "requests", Kind::PerOperation, Explanation;
    DEVICE_WRITE_MERGES = "device.write-merges", "requests", Kind::PerOperation, Explanation;
    DEVICE_READING = "device.reading", "s", Kind::PerOperation, Explanation;
    DEVICE_WRITING = "device.writing", "s", Kind::PerOperation, Explanation;
    DEVICE_BUSY = "device.busy", "s", Kind::PerSecond("share"), Explanation;
    DEVICE_QUEUE = "device.queue", "s", Kind::PerSecond("requests"), Explanation;
    DEVICE_FLUSHES = "device.flushes", "flushes", Kind::PerOperation, Explanation;
    DEVICE_FLUSHING = "device.flushing", "s", Kind::PerOperation, Explanation;
    DEVICE_PREFLUSHES = "device.preflushes", "flushes", Kind::PerOperation, Explanation;
    DEVICE_FUA = "device.fua", "writes", Kind::PerOperation, Explanation;
    DISK_OTHERS = "disk.others", "bytes", Kind::PerOperation, Evidence;

    // Processor time, and what this process and the page cache did.
    CPU_PROCESS = "cpu.process", "s", Kind::PerOperation, Explanation;
    CPU_SYSTEM = "cpu.system", "s", Kind::PerOperation, Explanation;
    CPU_KERNEL = "cpu.kernel", "s", Kind::PerOperation, Explanation;
    CPU_MACHINE = "cpu.machine", "s", Kind::PerOperation, Evidence;
    CPU_STEAL = "cpu.steal", "s", Kind::PerSecond("cores"), Explanation;
    CPU_FOREIGN = "cpu.foreign", "cores", Kind::Computed, Explanation;
    SWITCHES = "switches", "switches", Kind::PerOperation, Explanation;
    PAGES_DIRTIED = "pages.dirtied", "pages", Kind::PerOperation, Explanation;
    PAGES_CACHED = "pages.cached", "pages", Kind::PerOperation, Explanation;
    MACHINE_DIRTIED = "machine.dirtied", "pages", Kind::PerOperation, Explanation;
    PROCESS_READ = "process.read", "bytes", Kind::PerOperation, Explanation;
    NETWORK_RECEIVED = "network.received", "bytes", Kind::PerOperation, Explanation;
    NETWORK_SENT = "network.sent", "bytes", Kind::PerOperation, Explanation;
    SERVER_READ = "server.read", "bytes", Kind::PerOperation, Explanation;
    PROCESS_WRITTEN = "process.written", "bytes", Kind::PerOperation, Explanation;

    // Rates, the three clocks, space, the untimed parts of a trial, and the time over which counters were read.
    RATE_OFFERED = "rate.offered", "ops/s", Kind::Trial, Explanation;
    RATE_DONE = "rate.done", "ops/s", Kind::Trial, Explanation;
    SYNC = "sync", "s", Kind::Trial, Explanation;
    CLOCK_RETURNED = "clock.returned", "s/op", Kind::Trial, Clock;
    CLOCK_DURABLE = "clock.durable", "s/op", Kind::Trial, Clock;
    CLOCK_DURABLE_WRITTEN = "clock.durable.written", "bytes/op", Kind::Trial, Clock;
    CLOCK_DURABLE_FLUSHES = "clock.durable.flushes", "flushes/op", Kind::Trial, Clock;
    CLOCK_QUIESCENT = "clock.quiescent", "s/op", Kind::Trial, Clock;
    CLOCK_QUIESCENT_WRITTEN = "clock.quiescent.written", "bytes/op", Kind::Trial, Clock;
    CLOCK_QUIESCENT_FLUSHES = "clock.quiescent.flushes", "flushes/op", Kind::Trial, Clock;
    SPACE_USED = "space.used", "B/B", Kind::Trial, Space;
    SPACE_QUIESCENT = "space.quiescent", "B/B", Kind::Trial, Space;
    TIME_PREPARE = "time.prepare", "s", Kind::Trial, Evidence;
    TIME_BETWEEN = "time.between", "s", Kind::Trial, Evidence;
    TIME_CLOSE = "time.close", "s", Kind::Trial, Evidence;
    TIME_COUNTED = "time.counted", "s", Kind::Trial, Evidence;

    // What programs report, as far as the analysis or an article uses it: transactions that were acknowledged as
    // durable, connections that may commit at the same time, writes that were durable one by one and are not the
    // operations, processor time, rates.
    COMMITS = "commits", "commits", Kind::Trial, Explanation;
    CONNECTIONS = "connections", "connections", Kind::Trial, Explanation;
    DURABLE_WRITES = "durable-writes", "writes", Kind::Trial, Explanation;
    FIO_USR = "fio.usr", "%", Kind::Trial, ProgramTime;
    FIO_SYS = "fio.sys", "%", Kind::Trial, ProgramTime;

    // The columns of iostat(1).
    IOSTAT_READS = "iostat.r/s", "1/s", Kind::Computed, Iostat;
    IOSTAT_READ = "iostat.rkB/s", "kB/s", Kind::Computed, Iostat;
    IOSTAT_READ_MERGES = "iostat.rrqm/s", "1/s", Kind::Computed, Iostat;
    IOSTAT_READ_WAIT = "iostat.r_await", "ms", Kind::Computed, Iostat;
    IOSTAT_READ_SIZE = "iostat.rareq-sz", "kB", Kind::Computed, Iostat;
    IOSTAT_WRITES = "iostat.w/s", "1/s", Kind::Computed, Iostat;
    IOSTAT_WRITTEN = "iostat.wkB/s", "kB/s", Kind::Computed, Iostat;
    IOSTAT_WRITE_MERGES = "iostat.wrqm/s", "1/s", Kind::Computed, Iostat;
    IOSTAT_WRITE_WAIT = "iostat.w_await", "ms", Kind::Computed, Iostat;
    IOSTAT_WRITE_SIZE = "iostat.wareq-sz", "kB", Kind::Computed, Iostat;
    IOSTAT_FLUSHES = "iostat.f/s", "1/s", Kind::Computed, Iostat;
    IOSTAT_FLUSH_WAIT = "iostat.f_await", "ms", Kind::Computed, Iostat;
    IOSTAT_QUEUE = "iostat.aqu-sz", "requests", Kind::Computed, Iostat;
    IOSTAT_BUSY = "iostat.%util", "%", Kind::Computed, Iostat;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_registered_once() {
        for probe in PROBES {
            assert_eq!(PROBES.iter().filter(|other| other.id == probe.id).count(), 1, "{}", probe.id);
            assert_eq!(probe.key().probe(), Some(*probe));
            assert_eq!(probe.key().operation(), None);
        }
    }

    #[test]
    fn open_families_are_recognised_by_their_names() {
        let latency = ProbeId::latency("open.read", LatencyFigure::P99);
        assert_eq!((latency.as_ref(), latency.operation()), ("latency.open.read.p99", Some("open.read")));
        assert_eq!(latency.probe(), None);
        let own = Probe::of_program("pgbench.latency.avg", "s").key();
        assert_eq!((own.reported_by("pgbench"), own.reported_by("pg")), (Some("latency.avg"), None));
        assert_eq!(own.operation(), None);
    }

    #[test]
    fn a_name_is_stored_as_its_text() {
        let readings: Readings = [SYNC.reading(0.5), DEVICE_READ.reading(None)].into();
        let text = r#"{"device.read":{"value":null,"unit":"bytes"},"sync":{"value":0.5,"unit":"s"}}"#;
        assert_eq!(serde_json::to_string(&readings).expect("JSON"), text);
        assert_eq!(serde_json::from_str::<Readings>(text).expect("readings"), readings);
    }
}
