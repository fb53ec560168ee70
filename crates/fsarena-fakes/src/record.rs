//! Records written by hand: the record of a run with exactly these readings.

use std::collections::BTreeMap;

use fsarena_analyse::assess;
use fsarena_model::comparison::Cell;
use fsarena_model::{
    Baseline, BaselineKind, CacheState, ContenderFacts, Durability, DurablePoint, Guarantee, Label, LaneCost, Latency,
    Nanos, Outcome, Probe, RunRecord, Slice, Trial, Validity, ValidityClass, Workload, probe,
};

use crate::{Play, World, workload};

/// A mebibyte, as a probe reports it.
pub const MEBIBYTE: f64 = 1_048_576.0;

/// Two flushed contenders, `ext4` and `xfs`, in four rounds of one workload. Each trial has 100 operations of 1 MiB and
/// 100 syncs in one second; the device carried all bytes, with a flush for each sync.
#[derive(Debug, Clone)]
pub struct Kept(pub RunRecord);

impl Kept {
    /// The record with this workload.
    pub fn new(workload: Workload) -> Self {
        let plan = Play::new(&["ext4", "xfs"], World::of(&[])).with_workloads(vec![workload]).plan;
        let mut record = RunRecord::new(1, plan, "2026-01-01T00:00:00Z".to_owned());
        record.contenders = ["ext4", "xfs"].map(facts).into();
        for (round, label) in (1..=4).flat_map(|round| ["ext4", "xfs"].map(|label| (round, label))) {
            record.trials.push(trial(&record.plan.workloads[0], round, label));
        }
        Self(record)
    }

    /// Sets a reading in every trial of `ext4`; `None`: it could not be read.
    pub fn reading(self, probe: Probe, value: impl Into<Option<f64>>) -> Self {
        let reading = probe.reading(value);
        self.changed(|trial| trial.probes.extend([reading.clone()]))
    }

    /// Removes a probe from every trial of `ext4`.
    pub fn without(self, probe: Probe) -> Self {
        self.changed(|trial| drop(trial.probes.remove(&probe.key())))
    }

    /// Changes every trial of `ext4`.
    pub fn changed(mut self, change: impl Fn(&mut Trial)) -> Self {
        self.0.trials.iter_mut().filter(|trial| trial.contender.0 == "ext4").for_each(change);
        self
    }

    /// Puts `ext4` into another durability class.
    pub fn durable(mut self, durability: Durability) -> Self {
        self.0.contenders[0].durability = durability;
        self
    }

    /// Adds a guarantee to `ext4`.
    pub fn guaranteeing(mut self, guarantee: Guarantee) -> Self {
        self.0.contenders[0].guarantees.push(guarantee);
        self
    }

    /// Sets the cost of a write and flush on the lanes to `total`, of which `device` is the device's part.
    pub fn lane_cost(mut self, total: Nanos, device: Option<Nanos>) -> Self {
        let cost = LaneCost { back_to_back: total, paced: total, device, host_bytes: None, host_flushes: None };
        self.0.environment.lanes.cost = Some(cost);
        self
    }

    /// Adds a baseline in which an operation takes `share` of the contenders' 10 ms.
    pub fn baseline(mut self, place: BaselineKind, share: f64) -> Self {
        let mut trial = trial(&self.0.plan.workloads[0], 1, &place.to_string());
        trial.slices.iter_mut().for_each(|slice| slice.elapsed = Nanos((slice.elapsed.0 as f64 * share) as u64));
        self.0.baselines.push(Baseline { kind: place, trial });
        self
    }

    /// The cells of `ext4` and `xfs`.
    pub fn cells(&self) -> Vec<Cell> {
        assess(&self.0).cells
    }

    /// The flags of `ext4`.
    pub fn validity(&self) -> Vec<Validity> {
        self.cells()[0].validity.clone()
    }

    /// The classes of the flags of `ext4`.
    pub fn classes(&self) -> Vec<ValidityClass> {
        self.validity().iter().map(|flag| flag.class).collect()
    }
}

/// A cold workload without syncs.
pub fn cold() -> Kept {
    Kept::new(Workload { cache: CacheState::Cold, durable: DurablePoint::None, ..workload("read") })
}

/// A direct workload without syncs.
pub fn direct() -> Kept {
    Kept::new(Workload { cache: CacheState::Direct, durable: DurablePoint::None, ..workload("direct") })
}

/// A buffered workload that syncs.
pub fn synced() -> Kept {
    Kept::new(workload("create"))
}

fn facts(label: &str) -> ContenderFacts {
    let facts = ContenderFacts::new(Label::from(label), Durability::Flushed);
    ContenderFacts { mount: format!("{label} rw"), ..facts }
}

fn trial(workload: &Workload, round: u32, label: &str) -> Trial {
    let slice = |position| Slice {
        position,
        operations: 25,
        bytes: 25 * MEBIBYTE as u64,
        elapsed: Nanos::millis(250),
        value: 100.0 + f64::from(position),
    };
    let span = Nanos::millis(10);
    let latency =
        Latency { count: 100, mean: span, p50: span, p90: span, p99: span, p999: span, p9999: None, max: span };
    let readings = [
        (probe::DEVICE_READ, 100.0 * MEBIBYTE),
        (probe::DEVICE_WRITTEN, 100.0 * MEBIBYTE),
        (probe::DEVICE_FLUSHES, 100.0),
        (probe::PAGES_DIRTIED, 0.0),
        (probe::MACHINE_DIRTIED, 0.0),
        (probe::PAGES_CACHED, 0.0),
    ];
    Trial {
        lane: Some((round + u32::from(label == "xfs")) % 2),
        slices: (0..4).map(slice).collect(),
        latencies: BTreeMap::from([("create".to_owned(), latency), ("fsync".to_owned(), latency)]),
        probes: readings.map(|(probe, value)| probe.reading(value)).into(),
        ..Trial::empty(round, workload.name.as_str(), Label::from(label), Outcome::Finished)
    }
}
