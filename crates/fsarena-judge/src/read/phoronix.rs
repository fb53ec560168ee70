//! The Phoronix Test Suite's `composite.xml`: each system is a contender. Its own record names the file system, the
//! hardware and the kernel, and has the value of each run (`result-file.xsd` there).

use std::collections::BTreeMap;

use fsarena_model::{Better, joined};
use serde::Deserialize;

use super::csv::rounding;
use super::time::moment;
use super::{File, ReadError, figure};
use crate::Measured;

/// What a system records that is no condition: the file system is what is compared.
const FILE_SYSTEM: &str = "File-System";

/// Units of times: files of old versions do not say which direction is better.
const TIMES: [&str; 6] = ["Seconds", "Milliseconds", "Microseconds", "s", "ms", "us"];

#[derive(Deserialize)]
struct PhoronixSuite {
    #[serde(rename = "System", default)]
    systems: Vec<System>,
    #[serde(rename = "Result", default)]
    results: Vec<PhoronixOutcome>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct System {
    identifier: String,
    hardware: String,
    software: String,
    time_stamp: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct PhoronixOutcome {
    identifier: String,
    arguments: String,
    title: String,
    description: String,
    scale: String,
    proportion: String,
    data: PhoronixData,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct PhoronixData {
    entry: Vec<PhoronixEntry>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct PhoronixEntry {
    identifier: String,
    value: String,
    raw_string: String,
}

pub fn knows(file: &File<'_>) -> bool {
    file.text.contains("<PhoronixTestSuite>")
}

/// Each run of each test on each system.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let suite: PhoronixSuite = quick_xml::de::from_str(file.text).map_err(|error| file.malformed(error.to_string()))?;
    let systems: BTreeMap<&str, &System> =
        suite.systems.iter().map(|system| (system.identifier.as_str(), system)).collect();
    let mut rows = Vec::new();
    for (index, outcome) in suite.results.iter().enumerate() {
        for entry in &outcome.data.entry {
            let system = systems.get(entry.identifier.as_str());
            for (number, value) in entry.values().into_iter().enumerate() {
                let row = file.row(index + 1, outcome.figure(value));
                rows.push(Measured {
                    source: format!("{}, {}, run {}", row.source, entry.identifier, number + 1),
                    contender: entry.identifier.clone(),
                    work: outcome.work().into(),
                    clock_step: Some(entry.rounding() / value),
                    time: system.and_then(|system| Some(moment(&system.time_stamp)?.0)),
                    recorded: system.and_then(|system| system.listed().remove(FILE_SYSTEM)),
                    conditions: system.map(|system| system.conditions()).unwrap_or_default().into(),
                    ..row
                });
            }
        }
    }
    Ok(rows)
}

impl System {
    /// `Processor: AMD EPYC (8 Cores), Memory: 32GB`: names and values of hardware and software.
    fn listed(&self) -> BTreeMap<String, String> {
        let parts = [&self.hardware, &self.software].into_iter().flat_map(|text| text.split(", "));
        let pairs = parts.filter_map(|part| part.split_once(": "));
        pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
    }

    fn conditions(&self) -> BTreeMap<String, String> {
        self.listed().into_iter().filter(|(name, _)| name != FILE_SYSTEM).collect()
    }
}

impl PhoronixOutcome {
    /// The profile of the test with its version, and its arguments.
    fn work(&self) -> BTreeMap<String, String> {
        let own = [("test", &self.identifier), ("arguments", &self.arguments)];
        let known = own.into_iter().filter(|(_, value)| !value.is_empty());
        known.map(|(name, value)| (name.to_owned(), value.clone())).collect()
    }

    fn figure(&self, value: f64) -> Measured {
        let parts = [&self.title, &self.description, &self.scale].map(|text| text.trim());
        let workload = joined(parts.into_iter().filter(|part| !part.is_empty()), ", ");
        let is_lower = self.proportion == "LIB" || (self.proportion.is_empty() && TIMES.contains(&self.scale.trim()));
        let better = if is_lower { Better::Lower } else { Better::Higher };
        Measured { better, ..Measured::rate(workload, value, "") }
    }
}

impl PhoronixEntry {
    /// The values of its runs; without them its mean.
    fn values(&self) -> Vec<f64> {
        let runs: Option<Vec<f64>> = self.raw_string.split(':').map(|word| figure(word.trim())).collect();
        runs.unwrap_or_else(|| figure(self.value.trim()).into_iter().collect())
    }

    /// How far these may be off, by the one with the most decimals.
    fn rounding(&self) -> f64 {
        let words = self.raw_string.split(':').chain([self.value.as_str()]).filter(|word| !word.trim().is_empty());
        words.map(rounding).reduce(f64::min).unwrap_or_default()
    }
}
