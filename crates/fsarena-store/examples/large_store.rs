//! Makes a store with one run of many samples, to measure how long a report of it takes:
//! `cargo run --release --package fsarena-store --example large_store -- FILE [ROUNDS [SLICES]]`.
//! Three contenders, ten workloads; 1000 rounds of 334 slices give 10 million samples.

use std::path::Path;

use fsarena_model::event::RoundFacts;
use fsarena_model::{Conditions, Event, Label, Nanos, Outcome, Plan, Rounds, Slice, Status, Trial};
use fsarena_store::Store;

const CONTENDERS: [&str; 3] = ["ext4", "xfs", "btrfs"];
const WORKLOADS: u32 = 10;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.first().ok_or("name the file to be made")?;
    let number = |at: usize, usual: u32| arguments.get(at).map_or(Ok(usual), |text| text.parse());
    let (rounds, slices) = (number(1, 1000)?, number(2, 334)?);
    let mut store = Store::open(Path::new(path))?;
    let plan = plan(rounds)?;
    let run = store.insert(&plan, "2026-11-22T12:00:00Z", &[])?;
    for round in 1..=rounds {
        for workload in &plan.workloads {
            for number in 0..CONTENDERS.len() {
                store.append(run, &Event::Trial(Box::new(trial(round, &workload.name, number, slices))))?;
            }
        }
        let (foreign_cores, steal_cores, lane_cost) = (Some(0.0), Some(0.0), None);
        let conditions = Conditions::default();
        let facts = RoundFacts { round, seconds: 15.0, foreign_cores, steal_cores, lane_cost, conditions };
        store.append(run, &Event::RoundFinished(facts))?;
    }
    Ok(store.append(run, &Event::Finished(Status::Complete))?)
}

fn plan(rounds: u32) -> Result<Plan, Box<dyn std::error::Error>> {
    let contenders = CONTENDERS.iter().map(|kind| kind.parse()).collect::<Result<_, _>>()?;
    let workload = |number: u32| {
        serde_json::from_value(serde_json::json!({
            "name": format!("made-up-{number}"), "version": 1, "measures": "Nothing.", "why": "A test.",
            "engine": "files", "durable": "fsync", "cache": "warm", "mode": "sliced", "parameters": {},
            "metric": { "name": "files-per-second", "unit": "files/s", "measure": "operations-per-second",
                        "better": "higher" },
        }))
    };
    let workloads = (0..WORKLOADS).map(workload).collect::<Result<_, _>>()?;
    Ok(Plan { workloads, rounds: Rounds::Exactly(rounds), ..Plan::of(contenders) })
}

/// Contenders differ by 1 %, rounds and slices by up to 10 %.
fn trial(round: u32, workload: &str, contender: usize, slices: u32) -> Trial {
    let slice = |position: u32| {
        let wobble = u64::from((round * 7919 + position * 104_729) % 1000);
        let operations = 10_000 + 100 * contender as u64 + wobble;
        let elapsed = Nanos::millis(100);
        Slice { position, operations, bytes: 0, elapsed, value: operations as f64 / elapsed.as_seconds() }
    };
    Trial {
        lane: Some((round + contender as u32) % 4),
        slices: (0..slices).map(slice).collect(),
        ..Trial::empty(round, workload, Label::from(CONTENDERS[contender]), Outcome::Finished)
    }
}
