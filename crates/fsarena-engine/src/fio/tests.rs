//! Fuzz tests with hostile job files of fio, as far as this crate reads them before fio does, and with hostile output.

use fsarena_model::Name;
use fsarena_testing::fuzz;

use super::file::JobFile;
use super::program::{self, JobOrder};
use super::{duration, facts, jobs, limits};
use crate::{Operation, RunStats};

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
    fuzz::texts(&good.iter().map(String::as_str).collect::<Vec<_>>(), |text| {
        let Ok(file) = JobFile::parse("x", text, &|_| Some("1".to_owned())) else { return };
        let _ = (limits::check(&file), limits::demand(&file), facts::direct_block(&file), duration::lasts(&file));
        let _ = file.text(&["directory"], &["directory=/x".to_owned()]);
        for (name, part) in jobs::parts(&Name::from_text("x"), file) {
            let _ = jobs::choice(name, &part, &[]);
        }
    });
}

#[test]
fn outputs() {
    let good = read_all("tests/fio/output");
    fuzz::texts(&good.iter().map(String::as_str).collect::<Vec<_>>(), |text| {
        let mut stats = RunStats::new();
        for order in [JobOrder::Together, JobOrder::InTurn] {
            let _ = program::read(text, order, Operation::Fsync, &mut stats);
        }
        let _ = program::words(text, text);
        let _ = (stats.latencies().count(), stats.windows(), stats.latency_of_operations());
    });
}
