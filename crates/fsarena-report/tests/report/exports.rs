//! Tests of formats that other programs read.

use base64::Engine;
use fsarena_model::comparison::{LatencyBucket, LatencyHistogram};
use fsarena_model::{Comparison, LatencyCount};
use fsarena_report::Additions;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

use crate::fixture::{fixture, only, rename};
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
fn a_run_for_the_phoronix_test_suite() {
    let mut comparison = with_latencies();
    comparison.cells[1].stability.excluded = vec![2];
    insta::assert_snapshot!(rendered("composite", &comparison));
}

#[test]
fn xml_escapes_and_its_names_have_the_lengths_of_its_schema() {
    let mut comparison = fixture();
    rename(&mut comparison, "xfs", &format!("a<b>&{}", "x".repeat(200)));
    let xml = rendered("composite", &comparison);
    assert!(xml.contains(&format!("<Identifier>a&lt;b&gt;&amp;{}</Identifier>", "x".repeat(123))), "{xml}");
    let titles = xml.lines().filter_map(|line| line.trim().strip_prefix("<Title>fsarena "));
    assert!(titles.clone().count() > 3 && titles.into_iter().all(|title| title.len() < 50 + "</Title>".len()));
}

#[test]
fn metrics_with_cumulative_buckets() {
    let metrics = rendered("openmetrics", &with_latencies());
    insta::assert_snapshot!(
        metrics.lines().filter(|line| !line.contains("fsarena_probe{")).collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn a_log_gives_back_its_histograms() {
    let mut comparison = with_latencies();
    rename(&mut comparison, "ext4", "ext4:a, b");
    let log = rendered("hlog", &comparison);
    let entries: Vec<LogEntry<'_>> = IntervalLogIterator::new(log.as_bytes()).map(Result::unwrap).collect();
    let [LogEntry::Interval(interval)] = &entries[..] else { panic!("{log}") };
    assert_eq!(interval.tag().unwrap().as_str(), "append-fsync/ext4:a;_b/fsync");
    assert!((interval.max() - 800.0).abs() < 8.0, "milliseconds: {}", interval.max());
    let bytes = base64::engine::general_purpose::STANDARD.decode(interval.encoded_histogram()).unwrap();
    let histogram: Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
    assert_eq!((histogram.len(), histogram.count_between(9_800, 10_000)), (5, 3));
    let render = fsarena_report::FORMATS.iter().find(|format| format.name == "hlog").unwrap().render;
    assert!(render(&fixture(), Additions::default()).unwrap_err().why.contains("has no latencies"));
}

#[test]
fn buckets_are_rows_and_json() {
    let comparison = with_latencies();
    let csv = rendered("csv", &comparison);
    assert!(csv.contains("bucket,append-fsync,ext4,,,latency.fsync,ops,3,,0.00001,"), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&rendered("json", &comparison)).unwrap();
    assert_eq!(json["cells"][0]["histograms"][0]["buckets"][1], serde_json::json!({ "at_most": 1.0, "count": 2 }));
}
