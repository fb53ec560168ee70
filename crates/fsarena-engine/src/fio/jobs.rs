//! The workloads of a job file, which fio runs with the options that the file has.

use std::collections::BTreeSet;
use std::path::Path;

use fsarena_model::{Bytes, DurablePoint, Mode, Name, Nanos, Workload};
use serde_json::json;

use super::file::{self, JobFile, JobOption, JobSection};
use super::{FioError, duration, facts, limits, line, places, program};
use crate::EngineError;

/// Minimum length of a slice through fio, milliseconds: fio reports its time in milliseconds.
const SHORTEST_MS: u64 = 1000;
/// Number of slices through fio. There are few, because fio takes a third of a second to start and end.
const SLICES: u32 = 2;

/// Where the jobs of a job file will work.
#[derive(Debug, Clone)]
pub struct JobsPlace<'a> {
    /// The size of the devices' sectors, as far as it is known.
    pub sector: Bytes,
    /// The directories that are compared.
    pub directories: Vec<&'a Path>,
}

/// The workloads of the job file at `path`.
///
/// # Errors
/// If the file cannot be read or makes no sense, or if a job does something forbidden: all reasons, as far as each can
/// be known without the others.
pub fn from_file(path: &Path, place: &JobsPlace<'_>) -> Result<Vec<Choice>, EngineError> {
    let file = JobFile::read(path, &|variable| std::env::var(variable).ok())?;
    let stem = Name::from_text(&path.file_stem().unwrap_or_default().to_string_lossy());
    from_job_file(&stem, file, place)
}

/// The workloads of a command line of fio, whose `words` follow the program's name.
///
/// # Errors
/// Those of [`from_file`].
pub fn from_command(words: &[String], place: &JobsPlace<'_>) -> Result<Vec<Choice>, EngineError> {
    let file = JobFile::parse("fio …", &line::as_job_file(words)?, &|variable| std::env::var(variable).ok())?;
    let stem = if let [only] = file.sections.as_slice() { only.name.clone() } else { "fio".to_owned() };
    from_job_file(&Name::from_text(&stem), file, place)
}

fn from_job_file(stem: &Name, file: JobFile, place: &JobsPlace<'_>) -> Result<Vec<Choice>, EngineError> {
    let mut file = places::of_one_contender(file, place)?;
    let remarks = places::with_plain_names(&mut file);
    let demand = limits::demand(&file).map(drop);
    let reasons = [limits::check(&file), duration::check(&file), trims(&file), direct(&file, place.sector), demand];
    FioError::all(reasons.into_iter().filter_map(Result::err).flat_map(FioError::apart).collect())?;
    program::check(&file)?;
    Ok(parts(stem, file).into_iter().map(|(name, part)| choice(name, &part, &remarks)).collect())
}

/// The parts of a job file that run one after the other (`stonewall`), each as a workload of its own. A file whose
/// sections need each other is one part.
pub(super) fn parts(stem: &Name, file: JobFile) -> Vec<(Name, JobFile)> {
    let mut parts: Vec<(Name, JobFile)> = Vec::new();
    for section in &file.sections {
        match parts.last_mut() {
            Some((_, part)) if !section.is_set("stonewall") => part.sections.push(section.clone()),
            _ => {
                let name = Name::from_text(&format!("{stem}-{}", section.name));
                parts.push((name, JobFile { name: file.name.clone(), sections: vec![section.clone()] }));
            }
        }
    }
    let names: BTreeSet<String> = parts.iter().map(|(name, _)| name.to_string()).collect();
    let needs_another =
        |section: &JobSection| facts::makes_files(section) || section.is_set("verify") || section.is_set("wait_for");
    let is_one = parts.len() == 1 || names.len() < parts.len() || file.sections.iter().any(needs_another);
    if is_one { vec![(stem.clone(), file)] } else { parts }
}

pub(super) fn choice(name: Name, part: &JobFile, remarks: &[String]) -> Choice {
    let mut workload = facts::workload(name, json!({ "job": part.text(&["directory"], &[]) }), part);
    let how = match slice(part) {
        Some(time) => {
            (workload.mode, workload.slices, workload.timed_ms) = (Mode::Sliced, SLICES, time.0 / 1_000_000);
            format!("{SLICES} slices of {time} in each round")
        }
        None => "in one piece".to_owned(),
    };
    let sections = match part.sections.as_slice() {
        [first, .., last] if first.name == last.name => {
            format!("{} sections `{}`", part.sections.len(), first.name)
        }
        [first, .., last] => format!("sections `{}` to `{}`", first.name, last.name),
        sections => sections.iter().map(|section| format!("section `{}`", section.name)).collect(),
    };
    let moved = part.line_of("directory").map_or("", |_| "; `directory` is the lane's folder");
    let limited = part.sections.iter().find_map(duration::limit).map_or_else(String::new, |entry| {
        format!("; `{}` limits the rate, so that an equal one does not show equal speed", entry.key)
    });
    let text = format!("{sections} of `{}`, through fio, {how}{moved}{limited}", part.name);
    let remarks: String = remarks.iter().map(|remark| format!("; {remark}")).collect();
    let note = format!("`{}`: {text}{remarks}", workload.name);
    workload.measures = format!("fio's {text}.");
    Choice { workload, note }
}

/// Options with which a job is not the same in two halves.
const UNDIVIDED: [&str; 5] = ["startdelay", "ramp_time", "number_ios", "verify", "pre_read"];

/// The length of a slice, of which there are [`SLICES`]; `None` for jobs that run in one piece.
fn slice(part: &JobFile) -> Option<Nanos> {
    let time = runtime(part.sections.first()?)?;
    let each = Nanos(time.0 / u64::from(SLICES));
    let is_together = part.sections.iter().skip(1).all(|section| !section.is_set("stonewall"));
    let is_divided = part.sections.iter().all(|section| runtime(section) == Some(time) && is_divided(section));
    (is_together && is_divided && each >= Nanos::millis(SHORTEST_MS)).then_some(each)
}

fn runtime(section: &JobSection) -> Option<Nanos> {
    section.value("runtime").and_then(file::time)
}

/// Whether a job works for a given time on files that are there, and leaves nothing to be written later: with direct
/// I/O, or with writes that are durable one by one.
fn is_divided(section: &JobSection) -> bool {
    let by_open = matches!(facts::durability(section), DurablePoint::OSync | DurablePoint::ODsync);
    let is_synced = by_open || ["fsync", "fdatasync"].iter().any(|key| section.value(key) == Some("1"));
    section.is_set("time_based")
        && UNDIVIDED.iter().all(|key| !section.is_set(key))
        && section.value("filesize").is_none_or(|size| file::size(size).is_some())
        && (facts::reads(section) || section.is_set("overwrite"))
        && (section.is_direct() || facts::writes(section) && is_synced)
}

/// Refuses to trim: fio can do that on block devices alone.
fn trims(file: &JobFile) -> Result<(), FioError> {
    let work = file.sections.iter().filter_map(|section| Some((section, section.entry("rw")?)));
    let trims = |entry: &JobOption| entry.value.as_ref().is_some_and(|value| value.contains("trim"));
    let refused = work.filter(|(_, entry)| trims(entry)).map(|(section, entry)| {
        let what = format!("section `{}`: fio trims devices, and no files", section.name);
        file.refuse(entry.line, what, "leave the section out")
    });
    FioError::all(refused.collect())
}

/// Refuses direct I/O that is not in whole sectors.
fn direct(file: &JobFile, sector: Bytes) -> Result<(), FioError> {
    let refuse = |entry: &JobOption| {
        let option = entry.value.as_ref().map_or(entry.key.clone(), |value| format!("{}={value}", entry.key));
        let what = format!("`{option}` with `direct=1`: direct I/O is in whole sectors, of {} bytes here", sector.0);
        file.refuse(entry.line, what, &format!("multiples of {}, such as bs=4k, or direct=0", sector.0))
    };
    FioError::all(facts::unaligned(file, sector).into_iter().map(refuse).collect())
}

/// A workload, with a sentence on how it runs.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The workload.
    pub workload: Workload,
    /// How it runs, and why.
    pub note: String,
}

#[cfg(test)]
mod tests;
