//! Tests with hostile workloads for all engines, and with hostile output of programs.

use fsarena_engine::{ENGINES, EngineError, Engines, Operation, RunStats};
use fsarena_model::{Bytes, CacheState, Nanos, Rate, Scale, Workload};
use fsarena_replicas::REPLICAS;

use crate::apache::{ServedPage, ab};
use crate::ior::{self, Ior};
use crate::mdtest::{self, Mdtest};
use crate::{PROGRAMS, mpi, oltp, pgbench, program};

static ALL: Engines = Engines(&[ENGINES, REPLICAS, PROGRAMS]);

/// All workloads of the catalogue, as text.
fn texts() -> Vec<String> {
    let entries = std::fs::read_dir("../../catalog/workloads").expect("there").flatten();
    let mut texts: Vec<String> = entries.filter_map(|entry| std::fs::read_to_string(entry.path()).ok()).collect();
    texts.sort();
    texts
}

fn name_in(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).unwrap_or("x")
}

/// Calls everything that is asked of an engine before files are made.
fn plan(workload: &Workload) -> Result<Bytes, EngineError> {
    let engine = ALL.of(workload)?;
    let _ = engine.programs(workload);
    for rate in [Rate::PerSecond(1e9), Rate::Percent(50.0)] {
        let _ = engine.paced(workload, rate).and_then(|paced| engine.traits(&paced));
    }
    for cache in [CacheState::Cold, CacheState::Warm] {
        let _ = engine.with_cache(workload, cache).and_then(|other| engine.traits(&other));
    }
    Ok(engine.traits(workload)?.peak)
}

#[test]
fn workloads() {
    let good = texts();
    let good: Vec<&str> = good.iter().map(String::as_str).collect();
    let place = tempfile::tempdir().expect("temporary folder");
    fsarena_testing::fuzz::texts(&good, |text| {
        let Ok(workload) = fsarena_catalog::parse_workload(name_in(text), text) else { return };
        for scale in [Scale::Smoke, Scale::Standard, Scale::Published] {
            let Ok(workload) = fsarena_catalog::at_scale(workload.clone(), scale) else { continue };
            let is_native = ENGINES.iter().chain(REPLICAS).any(|engine| engine.name == workload.engine);
            if plan(&workload).is_ok_and(|data| data <= Bytes::gib(1)) && is_native {
                let _ = ALL.of(&workload).and_then(|engine| engine.open(&workload, place.path(), 1));
            }
        }
    });
}

/// The workload of the catalogue with one parameter added or replaced by `line`.
fn with(name: &str, line: &str) -> Result<Workload, String> {
    let text = std::fs::read_to_string(format!("../../catalog/workloads/{name}.toml")).expect("in the catalogue");
    let key = line.split(" =").next().expect("a key");
    let is_other = |known: &&str| !known.trim_start().starts_with(&format!("{key} ="));
    let (fields, parameters) = text.split_once("[parameters]\n").expect("parameters");
    let parameters: Vec<&str> = parameters.lines().filter(is_other).collect();
    let text = format!("{fields}[parameters]\n{line}\n{}", parameters.join("\n"));
    fsarena_catalog::parse_workload(name, &text).map_err(|error| error.to_string())
}

#[test]
fn counts_and_sizes_without_bounds_are_refused() {
    for (name, line) in [
        ("stat-tree", "threads = 4000000000"),
        ("stat-tree", "files = 1000000000000000000"),
        ("stat-tree", "files = 4000000000"),
        ("stat-tree", "depth = 4000000000"),
        ("stat-tree", "fan-out = 4000000000"),
        ("randread-4k", "threads = 4000000000"),
        ("randread-4k", "depth = 4000000000"),
        ("randread-4k", "block-size = \"16E\""),
        ("randread-4k", "block-size = \"1T\""),
        ("phoronix-pgbench", "transactions = 10000000000"),
        ("phoronix-dbench", "estimate-s = 17592186044416"),
        ("phoronix-dbench", "data = \"17T\""),
        ("randread-4k", "file-size = \"16777215T\""),
    ] {
        let refused = with(name, line).and_then(|workload| plan(&workload).map_err(|error| error.to_string()));
        assert!(refused.is_err(), "{name} with {line}: {refused:?}");
    }
    // Values that are only large are accepted here. The space that they demand is refused later.
    for (name, line) in [("randread-4k", "file-size = \"16T\""), ("randread-4k", "files = 1000000")] {
        let demand = plan(&with(name, line).expect("well-formed")).expect("it is planned");
        assert!(demand > Bytes::gib(1), "{line}: {demand}");
    }
}

#[test]
fn outputs() {
    let good = [
        include_str!("pgbench/captured.txt"),
        include_str!("program/dbench.txt"),
        include_str!("program/postmark.txt"),
        include_str!("oltp/captured.txt"),
        "Complete requests:      100\nFailed requests:        0\nDocument Length:        1000 bytes\n\
         Time taken for tests:   2.250 seconds\nHTML transferred:       100000 bytes\n\
         Requests per second:    44.44 [#/sec] (mean)\nPercentage served,Time in ms\n\
         0,0.144\n50,1.2\n99,7.5\n100,9.8\n",
        include_str!("ior/write.txt"),
        include_str!("mdtest/create.txt"),
        "Wall Clock: 2.486502 seconds\n",
        "0 199 2241 0 1412881037 912698\n1 5 1123 0 1412881038 100000\n",
    ];
    let page = ServedPage { requests: 100, clients: 10, size: Bytes(1000) };
    fsarena_testing::fuzz::texts(&good, |text| {
        let mut stats = RunStats::new();
        let _ = pgbench::output::read(text, 8, &mut stats);
        pgbench::output::understand(text, &mut stats);
        program::read_any(text);
        let _ = oltp::output::read(text, &mut stats);
        let _ = ab::read(text, text, &page, &mut stats);
        let ior = mpi::read::<Ior>(text, ior::Operation::Write, 2);
        let mdtest = mpi::read::<Mdtest>(text, mdtest::Operation::Create, 2);
        ior.into_iter().chain(mdtest).for_each(|output| drop(output.elapsed(1, "files", Nanos(1))));
        stats.record(Operation::Run, Default::default());
        let _ = (stats.latencies().count(), stats.windows());
    });
}
