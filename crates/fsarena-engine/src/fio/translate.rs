//! Translates a job of a job file into parameters of the engine `data`, if every option of it is understood.

mod data;
mod duration;
mod known;

use std::collections::BTreeSet;

use fsarena_model::{
    Better, Bytes, CacheState, DurablePoint, Measure, Metric, Mode, Name, Nanos, StateOfFileSystem, Traits, Workload,
};
use serde_json::{Map, Value};

use super::file::{JobFile, Section};
use super::value;

/// fio's default block size, bytes.
const BLOCK: u64 = 4096;
/// Block size from which sequential work is measured in bytes instead of operations.
const LARGE: u64 = 128 << 10;

/// A job as a native workload.
pub struct Native {
    /// The workload.
    pub workload: Workload,
    /// The differences from fio, as parts of sentences.
    pub remarks: Vec<String>,
}

/// A workload under construction.
struct Draft<'a> {
    section: &'a Section,
    parameters: Map<String, Value>,
    remarks: BTreeSet<String>,
    durable: DurablePoint,
    cache: CacheState,
    mode: Mode,
    slices: u32,
    timed: Option<Nanos>,
}

impl Draft<'_> {
    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.parameters.insert(name.to_owned(), value.into());
    }

    fn remark(&mut self, text: &str) {
        self.remarks.insert(text.to_owned());
    }
}

/// Translates a job into a native workload.
///
/// # Errors
/// The reason why it has to run through fio.
pub fn natively(name: &Name, section: &Section) -> Result<Native, String> {
    known::check(section)?;
    let mut draft = Draft {
        section,
        parameters: Map::new(),
        remarks: known::remarks(section),
        durable: DurablePoint::None,
        cache: CacheState::Warm,
        mode: Mode::Whole,
        slices: 4,
        timed: None,
    };
    data::translate(&mut draft)?;
    duration::translate(&mut draft)?;
    let workload = draft.workload(name);
    let remarks = draft.remarks.into_iter().collect();
    match crate::data::Parameters::of(&workload) {
        Ok(_) => Ok(Native { workload, remarks }),
        Err(error) => Err(error.to_string()),
    }
}

impl Draft<'_> {
    fn workload(&self, name: &Name) -> Workload {
        Workload {
            name: name.clone(),
            version: 1,
            measures: String::new(),
            why: "A job of fio's, as given on the command line.".to_owned(),
            engine: "data".to_owned(),
            metric: metric([self.section]),
            durable: self.durable,
            cache: self.cache,
            state: StateOfFileSystem::Fresh,
            mode: self.mode,
            warm_up_ms: 0,
            timed_ms: self.timed.map_or(0, |time| time.0 / 1_000_000),
            slices: self.slices,
            ends_by_itself: true,
            agrees_from_ms: None,
            memory_limit: None,
            most_rounds: None,
            smoke: None,
            time_limit_s: None,
            scaled: None,
            published: None,
            variant: None,
            traits: Traits::default(),
            parameters: Value::Object(self.parameters.clone()),
        }
    }
}

/// A whole job file as a workload that runs through fio.
pub fn as_it_is(name: Name, file: &JobFile) -> Workload {
    Workload {
        name,
        version: 1,
        measures: String::new(),
        why: "A job file of fio's, as given on the command line.".to_owned(),
        engine: super::program::NAME.to_owned(),
        metric: metric(&file.sections),
        durable: file
            .sections
            .iter()
            .map(data::durability)
            .find(|point| *point != DurablePoint::None)
            .unwrap_or(DurablePoint::None),
        cache: if file.sections.iter().all(Section::is_direct) { CacheState::Direct } else { CacheState::Warm },
        state: StateOfFileSystem::Fresh,
        mode: Mode::Whole,
        warm_up_ms: 0,
        timed_ms: 0,
        slices: 4,
        ends_by_itself: true,
        agrees_from_ms: None,
        memory_limit: None,
        most_rounds: None,
        smoke: None,
        time_limit_s: None,
        scaled: None,
        published: None,
        variant: None,
        traits: Traits::default(),
        parameters: serde_json::json!({ "job": file.text(&["directory"], &[]) }),
    }
}

/// The smallest block of direct I/O; `None` if there is no direct I/O.
pub fn direct_block(file: &JobFile) -> Option<Bytes> {
    let block = |section: &Section| {
        let smallest =
            |key| section.value(key).and_then(|text| value::size(text).or(value::range(text).map(|(low, _)| low)));
        smallest("bsrange").or_else(|| smallest("bs")).unwrap_or(BLOCK)
    };
    file.sections.iter().filter(|section| section.is_direct()).map(block).min().map(Bytes)
}

/// How long the jobs of the file run, as far as the file gives their time.
pub fn lasts(file: &JobFile) -> Nanos {
    let mut total = Nanos(0);
    let mut group = Nanos(0);
    for section in &file.sections {
        if section.is_set("stonewall") {
            total = total + std::mem::take(&mut group);
        }
        let time = |key| section.value(key).and_then(value::time).unwrap_or_default();
        group = group.max(time("runtime") + time("ramp_time"));
    }
    total + group
}

/// Bytes per second for large sequential blocks, operations per second otherwise.
fn metric<'a>(sections: impl IntoIterator<Item = &'a Section>) -> Metric {
    let large = |section: &Section| {
        let is_random = section.value("rw").is_some_and(|rw| rw.starts_with("rand"));
        !is_random && section.value("bs").and_then(value::size).is_some_and(|block| block >= LARGE)
    };
    let in_bytes = sections.into_iter().all(large);
    let (name, unit, measure) = match in_bytes {
        true => ("throughput", "MiB/s", Measure::MebibytesPerSecond),
        false => ("operations-per-second", "IOPS", Measure::OperationsPerSecond),
    };
    Metric { name: name.to_owned(), unit: unit.to_owned(), measure, better: Better::Higher }
}

#[cfg(test)]
mod tests;
