//! Chooses whether a job file or a workload runs natively or through fio, and gives the reason.

use std::path::Path;

use fsarena_model::{Bytes, Mode, Name, Workload};

use super::file::JobFile;
use super::{FioError, generate, limits, line, places, program, translate};
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

/// Where the jobs of a job file will work.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    /// The size of the devices' sectors, as far as it is known.
    pub sector: Bytes,
    /// The directories that are compared.
    pub directories: Vec<&'a Path>,
}

/// The workloads of the job file at `path`.
///
/// # Errors
/// If the file cannot be read or makes no sense, if a job does something forbidden, or if fio is needed and not
/// installed: all reasons, as far as each can be known without the others.
pub fn from_file(path: &Path, way: Way, place: &Place<'_>) -> Result<Vec<Choice>, EngineError> {
    let file = JobFile::read(path, &|variable| std::env::var(variable).ok())?;
    let stem = Name::from_text(&path.file_stem().unwrap_or_default().to_string_lossy());
    from_job_file(&stem, file, way, place)
}

/// The workloads of a command line of fio, whose `words` follow the program's name.
///
/// # Errors
/// Those of [`from_file`].
pub fn from_command(words: &[String], way: Way, place: &Place<'_>) -> Result<Vec<Choice>, EngineError> {
    let file = JobFile::parse("fio …", &line::as_job_file(words)?, &|variable| std::env::var(variable).ok())?;
    let stem = if let [only] = file.sections.as_slice() { only.name.clone() } else { "fio".to_owned() };
    from_job_file(&Name::from_text(&stem), file, way, place)
}

fn from_job_file(stem: &str, file: JobFile, way: Way, place: &Place<'_>) -> Result<Vec<Choice>, EngineError> {
    let file = &mut places::of_one_contender(file, place)?;
    let remarks = places::with_plain_names(file);
    let reasons = [limits::check(file), direct(file, place.sector), limits::demand(file).map(drop)];
    FioError::all(reasons.into_iter().filter_map(Result::err).flat_map(FioError::apart).collect())?;
    let mut choices = chosen(stem, file, way)?;
    for choice in &mut choices {
        remarks.iter().for_each(|remark| choice.note += &format!("; {remark}"));
    }
    Ok(choices)
}

fn chosen(stem: &str, file: &JobFile, way: Way) -> Result<Vec<Choice>, EngineError> {
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

/// Refuses direct I/O that is not in whole sectors.
fn direct(file: &JobFile, sector: Bytes) -> Result<(), FioError> {
    match translate::unaligned(file, sector) {
        None => Ok(()),
        Some(entry) => {
            let option = entry.value.as_ref().map_or(entry.key.clone(), |value| format!("{}={value}", entry.key));
            let what =
                format!("`{option}` with `direct=1`: direct I/O is in whole sectors, of {} bytes here", sector.0);
            Err(file.refuse(entry.line, what, &format!("multiples of {}, such as bs=4k, or direct=0", sector.0)))
        }
    }
}

#[cfg(test)]
mod tests;
