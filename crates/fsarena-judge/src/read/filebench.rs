//! Filebench's output, versions 1.4 and 1.5: the summary of each run.

use std::collections::BTreeMap;

use super::options::size;
use super::{File, ReadError, figure, program};
use crate::measured::{Extent, Measured};

/// What a start begins with.
const VERSION: &str = "Filebench Version ";

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(|line| summary(line).is_some())
}

/// `61.953: IO Summary: 770274 ops 12836.612 ops/s 1167/2334 rd/wr 308.4mb/s 1.2ms/op`; 1.4 has commas.
fn summary(line: &str) -> Option<&str> {
    line.split_once("IO Summary:").map(|(_, rest)| rest).filter(|rest| rest.contains("ops/s"))
}

/// What a line says about the work, after the time: `bigfileset populated: 1000 files, …, 14.760MB total size`, in 1.4
/// `Fileset bigfileset: 1000 files, …, 14.760MB`, and `Starting 16 filereader instances`.
fn setting(line: &str) -> Option<(String, String)> {
    let text = line.rsplit_once(": Starting ").map_or(line, |(_, rest)| rest);
    if let [count, name, what @ ("instances" | "threads")] = text.split_whitespace().collect::<Vec<_>>()[..] {
        return Some((format!("{name} {what}"), count.to_owned()));
    }
    let (before, values) = line.rsplit_once(": ")?;
    let set = before.rsplit_once(": ").map_or(before, |(_, set)| set);
    let name = set.strip_suffix(" populated").or_else(|| set.strip_prefix("Fileset "))?;
    let (files, values) = values.split_once(" files, ")?;
    let megabytes = figure(values.rsplit(' ').find_map(|word| word.strip_suffix("MB"))?)?;
    // Sizes are drawn at random, so only the power of two counts.
    let bytes = (1_048_576.0 * megabytes / figure(files)?).log2().round().exp2();
    Some((name.to_owned(), format!("{files} files of {}", size(&bytes.to_string()))))
}

/// Operations per second of each run, by the personality that was loaded before it. Runs of one start are no
/// repetitions.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let mut rows = Vec::new();
    let (mut version, mut personality, mut seconds) = (None, "operations".to_owned(), None);
    let (mut work, mut start) = (BTreeMap::new(), 0);
    for line in file.text.lines() {
        if let Some(rest) = line.strip_prefix(VERSION) {
            version = rest.split_whitespace().next();
            start += 1;
        } else if let Some((before, _)) = line.split_once(" personality successfully loaded") {
            let name = before.rsplit_once(": ").map_or(before, |(_, name)| name);
            personality = name.split(" Version").next().unwrap_or_default().trim().to_lowercase();
            work.clear();
        } else if let Some((_, rest)) = line.split_once(": Run took ") {
            seconds = rest.split(' ').next().and_then(figure);
        } else if let Some((name, value)) = setting(line) {
            work.insert(name, value);
        } else if let Some(summary) = summary(line) {
            let words: Vec<&str> = summary.split_whitespace().map(|word| word.trim_end_matches(',')).collect();
            let place = words.iter().position(|word| *word == "ops/s").and_then(|place| place.checked_sub(1));
            let rate = place.and_then(|place| figure(words[place]));
            let rate = rate.ok_or_else(|| file.malformed(format!("`{}` has no operations per second", line.trim())))?;
            let seconds = seconds.take();
            let amount = words.first().and_then(|word| figure(word));
            rows.push(Measured {
                // It counts whole seconds.
                clock_step: seconds.map(f64::recip),
                extent: seconds.zip(amount).map(|(seconds, amount)| Extent { seconds, amount }),
                work: work.clone().into(),
                conditions: program(version.map(|it| format!("Filebench {it}"))),
                ..file.row(start.max(1), Measured::rate(&personality, rate, "ops/s"))
            });
        }
    }
    Ok(rows)
}
