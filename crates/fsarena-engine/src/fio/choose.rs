//! Chooses whether a job file or a workload runs natively or through fio, and gives the reason.

use std::path::Path;

use fsarena_model::{Mode, Name, Workload};

use super::file::JobFile;
use super::{FioError, generate, limits, line, program, translate};
use crate::EngineError;
use crate::data::Parameters;

/// Suffix of the name of a workload that runs through fio.
pub const SUFFIX: &str = "+fio";
/// Minimum length of a slice through fio, milliseconds: fio reports its time in milliseconds.
const SHORTEST_MS: u64 = 1000;
/// Number of slices through fio. There are few, because fio takes a third of a second to start and end.
const SLICES: u32 = 2;

/// How jobs run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// With the native engines if they understand everything, otherwise with fio.
    Native,
    /// With fio.
    Fio,
    /// With both, as separate workloads, where that is possible.
    Both,
}

/// A workload, with a sentence on how it runs.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The workload.
    pub workload: Workload,
    /// How it runs, and why.
    pub note: String,
}

/// The variant of `workload` that runs through fio.
///
/// # Errors
/// If fio does not support it, with the parameter or the engine that is the reason.
pub fn instead(workload: &Workload) -> Result<Choice, EngineError> {
    let cannot = |what: String| FioError::Cannot { workload: workload.name.to_string(), what };
    if workload.engine == program::NAME {
        return Ok(Choice { workload: workload.clone(), note: format!("`{}`: through fio", workload.name) });
    }
    if workload.engine != "data" {
        return Err(cannot(format!("do what the engine `{}` does", workload.engine)).into());
    }
    let parameters = Parameters::of(workload)?;
    if let Some(what) = generate::lacks(workload, &parameters) {
        return Err(cannot(what).into());
    }
    let mut through = workload.clone();
    through.name = Name::from_text(&format!("{}{SUFFIX}", workload.name));
    through.engine = program::NAME.to_owned();
    if through.timed_ms > 0 {
        through.timed_ms = through.timed_ms.max(SHORTEST_MS);
    }
    through.warm_up_ms = 0;
    through.slices = SLICES;
    let how = match (through.mode, through.timed_ms) {
        (_, 0) => "until the work is done".to_owned(),
        (Mode::Whole, time) => format!("{time} ms"),
        (Mode::Sliced, time) => format!("{SLICES} slices of {time} ms in each round, without a warm-up"),
    };
    let note = format!("`{}`: through fio, as --engine says: {how}", through.name);
    through.measures = format!("{} Through fio: {how}.", through.measures);
    Ok(Choice { workload: through, note })
}

/// The workloads of the job file at `path`.
///
/// # Errors
/// If the file cannot be read or makes no sense, if a job does something forbidden, or if fio is needed and not
/// installed.
pub fn from_file(path: &Path, way: Way) -> Result<Vec<Choice>, EngineError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|source| FioError::Read { file: name.clone(), source })?;
    let file = JobFile::parse(&name, &text, &|variable| std::env::var(variable).ok())?;
    let stem = Name::from_text(&path.file_stem().unwrap_or_default().to_string_lossy());
    from_text(&stem, &file, way)
}

/// The workloads of a command line of fio, whose `words` follow the program's name.
///
/// # Errors
/// Those of [`from_file`].
pub fn from_command(words: &[String], way: Way) -> Result<Vec<Choice>, EngineError> {
    let file = JobFile::parse("fio …", &line::as_job_file(words)?, &|variable| std::env::var(variable).ok())?;
    let stem = if let [only] = file.sections.as_slice() { only.name.as_str() } else { "fio" };
    from_text(&Name::from_text(stem), &file, way)
}

fn from_text(stem: &str, file: &JobFile, way: Way) -> Result<Vec<Choice>, EngineError> {
    limits::check(file)?;
    direct(file)?;
    limits::demand(file)?;
    let native = natively(stem, file);
    Ok(match (way, native) {
        (Way::Native, Ok(choices)) => choices,
        (Way::Native, Err(why)) => vec![through(stem, file, &why)?],
        (Way::Fio, _) => vec![through(stem, file, "as --engine says")?],
        (Way::Both, Ok(mut choices)) => {
            choices.push(through(stem, file, "as --engine says")?);
            choices
        }
        (Way::Both, Err(why)) => vec![through(stem, file, &why)?],
    })
}

/// Translates each section into a native workload.
///
/// # Errors
/// The reason why the file has to run through fio.
pub(super) fn natively(stem: &str, file: &JobFile) -> Result<Vec<Choice>, String> {
    let mut choices: Vec<Choice> = Vec::new();
    for (index, section) in file.sections.iter().enumerate() {
        if index > 0 && !section.is_set("stonewall") {
            return Err(format!(
                "section `{}` runs at the same time as the one before it (no `stonewall`)",
                section.name
            ));
        }
        let name = match file.sections.len() {
            1 => Name::from_text(stem),
            _ => Name::from_text(&format!("{stem}-{}", section.name)),
        };
        if choices.iter().any(|other| other.workload.name == name) {
            return Err(format!("two sections have the name `{}`", section.name));
        }
        let translated = translate::natively(&name, section);
        let mut native = translated.map_err(|why| format!("section `{}`: {why}", section.name))?;
        let remarks = native.remarks.iter().map(|remark| format!("; {remark}")).collect::<String>();
        native.workload.measures = format!("Section `{}` of `{}`, natively{remarks}.", section.name, file.name);
        let note = format!("`{name}`: section `{}` of `{}` runs natively{remarks}", section.name, file.name);
        choices.push(Choice { workload: native.workload, note });
    }
    Ok(choices)
}

fn through(stem: &str, file: &JobFile, why: &str) -> Result<Choice, EngineError> {
    program::check(file, &file.text(&["directory"], &[]))?;
    let name = Name::from_text(&format!("{stem}{SUFFIX}"));
    let mut workload = translate::as_it_is(name.clone(), file);
    let moved = file.line_of("directory").map_or("", |_| "; `directory` is the lane's folder");
    workload.measures = format!("`{}` as it is, through fio: {why}{moved}.", file.name);
    let note = format!("`{name}`: `{}` runs through fio: {why}{moved}", file.name);
    Ok(Choice { workload, note })
}

/// Refuses direct I/O in blocks that are not whole sectors. No device has smaller sectors than this.
fn direct(file: &JobFile) -> Result<(), FioError> {
    const SECTOR: u64 = 512;
    match translate::direct_block(file) {
        Some(block) if block.0 == 0 || !block.0.is_multiple_of(SECTOR) => {
            let line = file.line_of("bs").or(file.line_of("bsrange")).unwrap_or(1);
            let what = format!("blocks of {} bytes with `direct=1`: no device can do that", block.0);
            Err(file.refuse(line, what, "a multiple of 512, or better of 4096: bs=4k"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
