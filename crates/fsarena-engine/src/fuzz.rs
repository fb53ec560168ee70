//! Fuzz tests with hostile job files of fio and hostile output of programs.

use crate::fio::fuzz as fio;
use crate::{RunStats, sysbench};

/// The texts of all files in a folder of this crate.
fn read_all(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("there").flatten();
    let mut texts: Vec<String> = entries.filter_map(|entry| std::fs::read_to_string(entry.path()).ok()).collect();
    texts.sort();
    texts
}

#[test]
fn job_files() {
    let good = read_all("tests/fio/jobs");
    let good: Vec<&str> = good.iter().map(String::as_str).collect();
    fsarena_testing::fuzz::texts(&good, fio::understand_job);
}

#[test]
fn outputs_of_fio() {
    let good = read_all("tests/fio/output");
    let good: Vec<&str> = good.iter().map(String::as_str).collect();
    fsarena_testing::fuzz::texts(&good, |text| {
        let mut stats = RunStats::new();
        fio::understand_output(text, &mut stats);
        let _ = (stats.latencies().count(), stats.windows(), stats.latency_of_operations());
    });
}

#[test]
fn outputs_of_sysbench() {
    fsarena_testing::fuzz::texts(&[sysbench::CAPTURED], |text| {
        let mut stats = RunStats::new();
        sysbench::understand(text, &mut stats);
        let _ = stats.windows();
    });
}
