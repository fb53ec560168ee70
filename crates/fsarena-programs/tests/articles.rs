//! The workloads of articles: at each size they are accepted, and their lanes have room for
//! them.

use fsarena_model::Scale;

use crate::ENGINES;

/// Maximum share of a lane that a workload may fill.
const FILLED: f64 = 0.6;

#[test]
fn each_workload_has_three_sizes_and_room_on_its_lane() {
    let mut count = 0;
    for name in ["phoronix-2009", "trading"] {
        let suite = fsarena_catalog::suite(name).expect("there");
        for (workload, scale) in suite.workloads.iter().flat_map(|workload| SCALES.map(|scale| (workload, scale))) {
            let workload = fsarena_catalog::workload(workload).expect("there");
            let workload = fsarena_catalog::at_scale(workload, scale).expect("its tables fit");
            let engine = ENGINES.named(&workload.engine).expect("there");
            let demand = engine.traits(&workload).unwrap_or_else(|error| panic!("{scale:?}: {error}")).peak.0 as f64;
            let lane = suite.lane_size(scale).expect("known").0 as f64;
            assert!(demand <= FILLED * lane, "{} at {scale:?}: {demand} of {lane}", workload.name);
            assert!(workload.time_limit_s.is_some(), "{}", workload.name);
            count += 1;
        }
    }
    assert!(count >= 30 * SCALES.len(), "{count}");
}

const SCALES: [Scale; 3] = [Scale::Smoke, Scale::Standard, Scale::Published];

#[test]
fn published_scale_has_the_published_size() {
    let published = |name: &str| {
        let workload = fsarena_catalog::workload(name).expect("there");
        let workload = fsarena_catalog::at_scale(workload, Scale::Published).expect("its tables fit");
        let demand = ENGINES.named(&workload.engine).expect("there").traits(&workload).expect("understood").peak.0;
        (demand, workload.scaled)
    };
    for (name, bytes) in [
        ("phoronix-bork", 4 << 30),
        ("phoronix-tiotest-64m", 2 << 30),
        ("phoronix-tiotest-256m", 8 << 30),
        ("phoronix-iozone-2g", 2 << 30),
        ("phoronix-iozone-8g", 8 << 30),
        ("trading-stream-large", 8 << 30),
        ("trading-stream-small", 1000 * ((4 << 10) + (64 << 10) + (1 << 20))),
        ("trading-tree", 2000 * 2500 * 4096),
    ] {
        assert_eq!(published(name), (bytes, None), "{name}");
    }
    assert!(published("phoronix-blogbench").1.is_some(), "the original knows no end");
}
