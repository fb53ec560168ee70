//! Tests of the report for spreadsheets and statistics programs.

use crate::fixture::{fixture, only, rename};

fn render(comparison: &fsarena_model::Comparison) -> String {
    crate::rendered("csv", comparison)
}

#[test]
fn one_workload() {
    let mut comparison = only(&["ext4", "xfs"]);
    comparison.cells.retain(|cell| cell.workload == "append-fsync");
    comparison.judged.verdicts.retain(|pair| pair.workload == "append-fsync");
    comparison.judged.standings.retain(|row| row.workload == "append-fsync");
    comparison.baselines.retain(|row| row.workload == "create-fsync");
    insta::assert_snapshot!(render(&comparison));
}

#[test]
fn every_line_has_every_column() {
    let report = render(&fixture());
    let columns = report.lines().next().unwrap().split(',').count();
    let in_quotes = |line: &str| line.matches('"').count() / 2;
    for line in report.lines().filter(|line| in_quotes(line) == 0) {
        assert_eq!(line.split(',').count(), columns, "{line}");
    }
    let comparison = fixture();
    let probes: usize = comparison.cells.iter().map(|cell| cell.probes.len() + cell.by_round.len() + 1).sum();
    let pairs = comparison.judged.verdicts.len() + comparison.judged.suite_ratios.len() + comparison.baselines.len();
    assert_eq!(report.lines().count(), 1 + probes + pairs + comparison.judged.standings.len());
}

#[test]
fn a_label_with_commas_and_quotes_is_one_field() {
    let mut comparison = fixture();
    rename(&mut comparison, "xfs", "xfs:a=\"1\",b");
    assert!(render(&comparison).contains("cell,create-fsync,\"xfs:a=\"\"1\"\",b\",,,"));
}
