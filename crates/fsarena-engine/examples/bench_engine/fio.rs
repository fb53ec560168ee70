//! Runs fio on the same file.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::native::{Cost, FILE, SIZE};

/// The options with which fio costs least: registered file and memory, submission and completion in batches.
pub const TUNED: &[&str] = &[
    "--ioengine=io_uring",
    "--iodepth=32",
    "--fixedbufs",
    "--registerfiles",
    "--iodepth_batch_submit=16",
    "--iodepth_batch_complete_min=1",
    "--iodepth_batch_complete_max=32",
];

/// The fio command that reads the file as the engine does. The caller adds the duration.
pub fn command(folder: &Path, more: &[&str]) -> Vec<String> {
    let mut arguments = vec![
        "fio".to_owned(),
        "--name=bench".to_owned(),
        format!("--filename={}", folder.join(FILE).display()),
        format!("--size={}", SIZE.0),
    ];
    let usual = ["--rw=randread", "--bs=4k", "--norandommap", "--invalidate=0", "--thread", "--group_reporting"];
    arguments.extend(usual.iter().chain(more).filter(|word| !word.is_empty()).map(|word| (*word).to_owned()));
    arguments
}

/// Runs fio for one second. The CPU time is that of the fio job, without the 0.16 s that fio takes to start.
pub fn run(folder: &Path, more: &[&str]) -> Result<Cost> {
    let argv = command(folder, more);
    let output = Command::new(&argv[0])
        .args(&argv[1..])
        .args(["--time_based", "--runtime=1", "--output-format=json"])
        .output()
        .context("start fio")?;
    ensure!(output.status.success(), "fio: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout)?;
    let json: Value = serde_json::from_str(&text[text.find('{').context("fio says nothing")?..])?;
    let job = &json["jobs"][0];
    let number = |value: &Value| value.as_f64().with_context(|| format!("fio gives no number: {value}"));
    let seconds = number(&job["read"]["runtime"])? / 1000.0;
    let threads = number(&job["job_runtime"])? / number(&job["read"]["runtime"])?;
    let cpu_seconds = (number(&job["usr_cpu"])? + number(&job["sys_cpu"])?) / 100.0 * seconds * threads;
    Ok(Cost { operations: number(&job["read"]["total_ios"])? as u64, seconds, cpu_seconds })
}
