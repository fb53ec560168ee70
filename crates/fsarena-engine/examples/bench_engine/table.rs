//! Prints the tables.

use std::path::Path;

use anyhow::{Context, Result};

use crate::native::Cost;

/// A line of a table.
pub struct Row {
    name: String,
    value: String,
    goal: String,
}

impl Row {
    /// A row with one figure.
    pub fn new(name: &str, value: f64, goal: &str) -> Self {
        Self { name: name.to_owned(), value: digits(value), goal: goal.to_owned() }
    }

    /// A row with the median, the minimum and the maximum of several values.
    pub fn spread(name: &str, values: &[f64], goal: &str) -> Self {
        let mut sorted = values.to_vec();
        let median = median(&mut sorted);
        let (low, high) = (sorted[0], sorted[sorted.len() - 1]);
        let value = format!("{} [{}, {}]", digits(median), digits(low), digits(high));
        Self { name: name.to_owned(), value, goal: goal.to_owned() }
    }
}

/// The median of `values`. Sorts `values`.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn digits(value: f64) -> String {
    if value.abs() < 10.0 { format!("{value:.3}") } else { format!("{value:.0}") }
}

/// Prints a table.
pub fn print(title: &str, goal: &str, rows: &[Row]) {
    println!("{title}");
    for row in rows {
        let goal = if row.goal.is_empty() { String::new() } else { format!("  {goal} {}", row.goal) };
        println!("  {:<34} {:>28}{goal}", row.name, row.value);
    }
    println!();
}

/// A figure of one contestant, one value per round.
pub fn each(rounds: &[Vec<(&'static str, Cost)>], name: &str, figure: fn(&Cost) -> f64) -> Vec<f64> {
    rounds.iter().flatten().filter(|(other, _)| *other == name).map(|(_, cost)| figure(cost)).collect()
}

/// The ratio of two contestants, one value per round.
pub fn ratios(ones: &[f64], others: &[f64]) -> Vec<f64> {
    ones.iter().zip(others).map(|(one, other)| one / other).collect()
}

/// The type of the file system that holds `folder`, as stat(1) prints it.
pub fn file_system(folder: &Path) -> Result<String> {
    let output = std::process::Command::new("stat").args(["-f", "-c", "%T"]).arg(folder).output();
    let words = output.context("start stat")?.stdout;
    Ok(String::from_utf8_lossy(&words).trim().to_owned())
}
