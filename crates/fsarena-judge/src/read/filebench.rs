//! Filebench's output, versions 1.4 and 1.5: the summary of each run.

use super::{File, ReadError, ResultFigure, figure, program};
use crate::Measured;

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(|line| summary(line).is_some())
}

/// `61.953: IO Summary: 770274 ops 12836.612 ops/s 1167/2334 rd/wr 308.4mb/s 1.2ms/op`; 1.4 has commas.
fn summary(line: &str) -> Option<&str> {
    line.split_once("IO Summary:").map(|(_, rest)| rest).filter(|rest| rest.contains("ops/s"))
}

/// Operations per second of each run, by the personality that was loaded before it.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let mut rows = Vec::new();
    let (mut version, mut personality, mut seconds) = (None, "operations".to_owned(), None);
    for line in file.text.lines() {
        if let Some(rest) = line.strip_prefix("Filebench Version ") {
            version = rest.split_whitespace().next();
        } else if let Some((before, _)) = line.split_once(" personality successfully loaded") {
            let name = before.rsplit_once(": ").map_or(before, |(_, name)| name);
            personality = name.split(" Version").next().unwrap_or_default().trim().to_lowercase();
        } else if let Some((_, rest)) = line.split_once(": Run took ") {
            seconds = rest.split(' ').next().and_then(figure);
        } else if let Some(summary) = summary(line) {
            let words: Vec<&str> = summary.split_whitespace().map(|word| word.trim_end_matches(',')).collect();
            let place = words.iter().position(|word| *word == "ops/s").and_then(|place| place.checked_sub(1));
            let rate = place.and_then(|place| figure(words[place]));
            let rate = rate.ok_or_else(|| file.malformed(format!("`{}` has no operations per second", line.trim())))?;
            rows.push(Measured {
                // It counts whole seconds.
                clock_step: seconds.take().map(f64::recip),
                conditions: program(version.map(|it| format!("Filebench {it}"))),
                ..file.row(rows.len() + 1, ResultFigure::rate(&personality, rate, "ops/s"))
            });
        }
    }
    Ok(rows)
}
