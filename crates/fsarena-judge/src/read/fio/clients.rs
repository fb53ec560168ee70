//! fio's client and server mode: `client_stats` has a row for each job of each client, and one of all clients.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::positive;

/// The row that has the sum over all clients and jobs.
const ALL: &str = "All clients";

/// A row for each job with the sum over its clients, in the order of the jobs. Clients of a run are no repetitions of
/// each other, and the row of all clients adds up different jobs: it does not count.
pub fn joined(rows: &[Value]) -> Vec<Value> {
    let rows = || rows.iter().filter(|row| row["jobname"] != ALL);
    let mut names: Vec<&Value> = Vec::new();
    let mut seen = BTreeSet::new();
    names.extend(rows().map(|row| &row["jobname"]).filter(|name| seen.insert(name.to_string())));
    names.into_iter().map(|name| job(&rows().filter(|row| row["jobname"] == *name).collect::<Vec<_>>())).collect()
}

/// A job of some clients.
fn job(clients: &[&Value]) -> Value {
    let hosts: BTreeSet<&str> = clients.iter().filter_map(|client| client["hostname"].as_str()).collect();
    let failed = clients.iter().map(|client| &client["error"]).find(|error| error.as_i64() != Some(0));
    let mut job = clients[0].clone();
    job["hostname"] = json!(hosts.into_iter().collect::<Vec<_>>().join(", "));
    job["error"] = failed.cloned().unwrap_or(json!(0));
    for direction in ["read", "write", "trim", "sync"] {
        let parts: Vec<&Value> = clients.iter().map(|client| &client[direction]).collect();
        // What no client has is unknown, and not 0.
        let sum = |name: &str| parts.iter().filter_map(|part| part[name].as_f64()).reduce(|one, other| one + other);
        let longest = parts.iter().filter_map(|part| positive(&part["runtime"])).reduce(f64::max);
        // The work of all over the time of the slowest, as fio computes it: clients need not overlap.
        let iops = longest.zip(sum("total_ios")).map(|(longest, count)| 1000.0 * count / longest);
        job[direction] = json!({
            "io_bytes": sum("io_bytes"),
            "total_ios": sum("total_ios"),
            "runtime": longest,
            "iops": iops.or_else(|| sum("iops")),
        });
    }
    job
}
