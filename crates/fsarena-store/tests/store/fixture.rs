//! Plans and events to store.

use fsarena_model::event::{Check, Note, RoundFacts};
use fsarena_model::{
    Conditions, ContenderFacts, Durability, Environment, Event, FromSuite, Guarantee, Label, Latency, LatencyCount,
    LatencyWindow, Nanos, Outcome, Plan, Rounds, Severity, Slice, Trial, probe,
};

pub const STARTED: &str = "2026-03-01T12:00:00Z";

pub fn plan() -> Plan {
    Plan {
        suite: FromSuite { name: Some("quick".to_owned()), ..FromSuite::default() },
        seed: u64::MAX,
        rounds: Rounds::Exactly(2),
        ..Plan::of(vec!["ext4".parse().unwrap(), "noatime=xfs:noatime".parse().unwrap()])
    }
}

pub fn trial(round: u32) -> Trial {
    let slice =
        |position| Slice { position, operations: u64::MAX, bytes: 7, elapsed: Nanos::millis(150), value: 0.1 + 0.2 };
    let latency = Latency {
        count: 9,
        mean: Nanos(10),
        p50: Nanos(9),
        p90: Nanos(20),
        p99: Nanos(30),
        p999: Nanos(31),
        p9999: Some(Nanos(32)),
        max: Nanos(40),
    };
    Trial {
        round,
        workload: "create-fsync".to_owned(),
        contender: Label::from("ext4"),
        lane: Some(1),
        slices: vec![slice(3), slice(0)],
        latencies: [("fsync".to_owned(), latency)].into(),
        steps: Vec::new(),
        verified: None,
        clients: None,
        trace: None,
        histograms: [("fsync".to_owned(), vec![LatencyCount::from((1_015, 3))])].into(),
        over_time: vec![LatencyWindow {
            slice: 3,
            width: Nanos::seconds(1),
            end: Nanos::millis(100),
            operation: "fsync".to_owned(),
            count: 9,
            mean: Nanos(10),
            p50: Nanos(9),
            p99: Nanos(30),
            max: Nanos(40),
        }],
        probes: [probe::CPU_STEAL.reading(None)].into(),
        outcome: Outcome::Finished,
    }
}

pub fn events() -> Vec<Event> {
    let environment = Environment { cores: Some(2), fsarena: "0.1.0".to_owned(), ..Environment::default() };
    let facts = ContenderFacts {
        mkfs: vec!["mkfs.ext4".to_owned(), "-q".to_owned()],
        mount: "ext4 rw".to_owned(),
        guarantees: vec![Guarantee::Journal],
        features: vec!["extents".to_owned()],
        ..ContenderFacts::new(Label::from("ext4"), Durability::Flushed)
    };
    let check = Check { round: 1, contender: Label::from("ext4"), clean: false, output: "bad\nblock".to_owned() };
    vec![
        Event::Preparing("lanes".to_owned()),
        Event::Surveyed(Box::new(environment)),
        Event::Contender(facts),
        Event::RoundStarted { round: 1, expected: 2, workloads: vec!["create-fsync".to_owned()] },
        Event::WorkloadStarted { round: 1, workload: "create-fsync".to_owned() },
        Event::Trial(Box::new(trial(1))),
        Event::Trial(Box::new(Trial { lane: None, outcome: Outcome::Failed("ENOSPC".to_owned()), ..trial(1) })),
        Event::Checked(check),
        Event::RoundFinished(RoundFacts {
            round: 1,
            seconds: 1.0 / 3.0,
            foreign_cores: Some(0.1),
            steal_cores: None,
            lane_cost: None,
            conditions: Conditions::default(),
        }),
        Event::Decided { decided: 0, pairs: 1, new: Vec::new() },
        Event::Note(Note { severity: Severity::Warning, text: "scaled".to_owned() }),
    ]
}
