//! Tests of formats that other programs read.

use fsarena_model::comparison::{LatencyBucket, LatencyHistogram};
use fsarena_model::{Comparison, LatencyCount};

use crate::fixture::only;
use crate::rendered;

/// Its first cell has a histogram.
fn with_latencies() -> Comparison {
    let mut comparison = only(&["ext4", "xfs"]);
    comparison.cells.retain(|cell| cell.workload == "append-fsync");
    comparison.workloads.retain(|workload| workload.name == "append-fsync");
    comparison.judged.verdicts.retain(|pair| pair.workload == "append-fsync");
    comparison.cells[0].probes.clear();
    comparison.cells[0].latencies.histograms = vec![LatencyHistogram {
        operation: "fsync".to_owned(),
        buckets: vec![LatencyBucket { at_most: 1e-5, count: 3 }, LatencyBucket { at_most: 1.0, count: 2 }],
        counts: vec![LatencyCount::from((9_900, 3)), LatencyCount::from((800_000_000, 2))],
    }];
    comparison
}

#[test]
fn buckets_are_rows_and_json() {
    let comparison = with_latencies();
    let csv = rendered("csv", &comparison);
    assert!(csv.contains("bucket,append-fsync,ext4,,,latency.fsync,ops,3,,0.00001,"), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&rendered("json", &comparison)).unwrap();
    assert_eq!(json["cells"][0]["histograms"][0]["buckets"][1], serde_json::json!({ "at_most": 1.0, "count": 2 }));
}
