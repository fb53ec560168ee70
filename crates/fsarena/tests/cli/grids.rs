//! Grids of file and record sizes: measured on a real file system, and exported in IOzone's format and as a workbook.

use std::fs;

use crate::stage::{Stage, accounts_for, err, out, run};

/// Writes a workload with a small grid to a file.
fn workload(stage: &Stage, name: &str, durable: &str, cache: &str) -> String {
    let fields = format!(
        "engine = 'iozone'\ndurable = '{durable}'\ncache = '{cache}'\nmode = 'whole'\nends-by-itself = true\n\
         metric = {{ name = 'grid-seconds', unit = 's', measure = 'seconds', better = 'lower' }}\n\
         parameters = {{ largest = '128K' }}"
    );
    stage.workload(name, &fields)
}

#[test]
fn a_grid_is_printed_as_iozone_does_and_is_a_workbook() {
    let Some(stage) = Stage::of_root() else { return };
    let (warm, cold) = (workload(&stage, "warm", "none", "warm"), workload(&stage, "cold", "fsync", "cold"));
    let arguments = ["ext4", "--rounds", "1", "--workload", &warm, "--workload", &cold];
    run(&mut stage.compare(&arguments), 0);
    for cell in stage.json()["cells"].as_array().expect("an array") {
        assert!(accounts_for(cell, 1) && cell["median"].as_f64().is_some_and(|seconds| seconds > 0.0), "{cell}");
        assert_eq!(cell["steps"].as_array().expect("an array").len(), 11 * 13);
    }
    let text = out(&run(stage.fsarena().args(["report", "last", "--format", "iozone"]), 0));
    assert_eq!(text.matches("Excel output is below:").count(), 2, "{text}");
    assert_eq!(text.matches("\n\"128\"   ").count(), 2 * 13, "{text}");
    let book = stage.path("grid.xlsx");
    run(stage.fsarena().args(["report", "last", "--format", "xlsx", "-o"]).arg(&book), 0);
    let piped = run(stage.fsarena().args(["report", "last", "--format", "xlsx"]), 0).stdout;
    assert!(piped.starts_with(b"PK") && piped == fs::read(&book).expect("written"));
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn tmpfs_has_no_cold_reads_and_a_run_without_grids_no_workbook() {
    let Some(stage) = Stage::of_root() else { return };
    let cold = workload(&stage, "cold", "fsync", "cold");
    let output = run(&mut stage.compare(&["tmpfs", "--rounds", "1", "--workload", &cold]), 3);
    let text = stage.json()["cells"][0]["validity"].to_string();
    assert!(text.contains("16 of 16 pages stay"), "{text} {}", err(&output));
    for format in ["iozone", "xlsx"] {
        let refused = err(&run(stage.fsarena().args(["report", "last", "--format", format]), 2));
        assert!(refused.contains("has no grid") && refused.contains("hint: "), "{refused}");
    }
    assert_eq!(stage.left(), Vec::<String>::new());
}
