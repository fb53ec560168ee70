//! Measures user instructions per operation with callgrind. The count of a short run is subtracted from the count of a
//! long run, which removes the cost of the start.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::fio;

const SHORT: u64 = 20_000;
const LONG: u64 = 120_000;

/// User instructions per operation of the engine.
pub fn native(folder: &Path) -> Result<f64> {
    let program = std::env::current_exe()?.display().to_string();
    per_operation(|operations| {
        vec![program.clone(), "work".to_owned(), folder.display().to_string(), operations.to_string()]
    })
}

/// User instructions per operation of fio. `more` is one additional option, or empty.
pub fn fio(folder: &Path, more: &str) -> Result<f64> {
    per_operation(|operations| {
        let mut argv = fio::command(folder, &["--ioengine=psync", more]);
        argv.push(format!("--number_ios={operations}"));
        argv
    })
}

fn per_operation(argv: impl Fn(u64) -> Vec<String>) -> Result<f64> {
    let (short, long) = (instructions(&argv(SHORT))?, instructions(&argv(LONG))?);
    Ok((long - short) / (LONG - SHORT) as f64)
}

/// Callgrind prints `Collected : 123456` at its end.
fn instructions(argv: &[String]) -> Result<f64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(argv)
        .output()
        .context("start valgrind")?;
    let words = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{argv:?} under callgrind: {words}");
    let line = words.lines().find_map(|line| line.split("Collected : ").nth(1));
    let number = line.with_context(|| format!("callgrind counted nothing: {words}"))?;
    number.trim().parse().with_context(|| format!("`{number}` is no number"))
}
