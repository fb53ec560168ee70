//! pgbench against a server that the engine starts.

use fsarena_engine::{Operation, RunStats};

use super::place::{done, folder, left, pgbench, prepared, reported, wait_for, workload};

#[test]
fn reported_transactions_are_counted_and_every_commit_is_kept() {
    let place = folder();
    let mut job = prepared(&pgbench(60), place.path());
    // The second run checks the rows of both runs.
    for _ in 0..2 {
        let mut stats = RunStats::new();
        done(&mut *job, &mut stats).expect("done");
        assert_eq!(stats.operations, 120);
        assert_eq!(stats.latency(Operation::Run).map(|latency| latency.count), Some(120), "each is logged");
        assert_eq!((reported(&stats, "commits"), reported(&stats, "connections")), (Some(120.0), Some(2.0)));
        let (rate, own) = (reported(&stats, "pgbench.tps").expect("known"), 120.0 / stats.elapsed.as_seconds());
        assert!((rate / own - 1.0).abs() < 1e-6, "{rate} {own}");
        assert!(reported(&stats, "pgbench.statement.commit").is_some_and(|took| took > 0.0), "{:?}", stats.reported);
        assert_eq!(job.verify(place.path(), &fsarena_engine::NEVER).expect("all is there").files, 4);
        wait_for("between runs a server is there", || left(&[place.path()]).is_empty().then_some(()));
    }
}

#[test]
fn contradictory_parameters_are_refused() {
    for parameters in [
        serde_json::json!({ "scale": 1, "clients": 2 }),
        serde_json::json!({ "scale": 1, "clients": 2, "transactions": 0 }),
        serde_json::json!({ "scale": 1, "clients": 101, "transactions": 5 }),
        serde_json::json!({ "scale": 1, "clients": 2, "transactions": 5, "branches": 3 }),
    ] {
        let workload = workload("phoronix-pgbench", parameters);
        let engine = crate::ENGINES.of(&workload).expect("an engine");
        assert!(engine.traits(&workload).is_err(), "{:?}", workload.parameters);
    }
}

#[test]
fn the_report_has_the_settings_of_the_server() {
    let settings = crate::ENGINES.settings(&[pgbench(60)]).remove("phoronix-pgbench").expect("known").join("\n");
    for word in ["fsync=on", "synchronous_commit=on", "initdb -D LANE", "-i -q -s 2", "-c 2 -t 60", "SEED"] {
        assert!(settings.contains(word), "{word}: {settings}");
    }
}
