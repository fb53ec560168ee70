//! The workloads of a job file, which fio runs with the options that the file has.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fsarena_model::{Name, Workload, distinct};
use serde_json::json;

use super::file::{JobFile, JobSection};
use super::{FioError, facts, limits, line, program};
use crate::EngineError;

/// The workloads of the job file at `path`.
///
/// # Errors
/// If the file cannot be read or makes no sense, or if a job does something forbidden: all reasons, as far as each can
/// be known without the others.
pub fn from_file(path: &Path) -> Result<Vec<Workload>, EngineError> {
    let file = JobFile::read(path, &|variable| std::env::var(variable).ok())?;
    let stem = Name::from_text(&path.file_stem().unwrap_or_default().to_string_lossy());
    from_job_file(&stem, file)
}

/// The workloads of a command line of fio, whose `words` follow the program's name.
///
/// # Errors
/// Those of [`from_file`].
pub fn from_command(words: &[String]) -> Result<Vec<Workload>, EngineError> {
    let file = JobFile::parse("fio …", &line::as_job_file(words)?, &|variable| std::env::var(variable).ok())?;
    let stem = if let [only] = file.sections.as_slice() { only.name.clone() } else { "fio".to_owned() };
    from_job_file(&Name::from_text(&stem), file)
}

fn from_job_file(stem: &Name, mut file: JobFile) -> Result<Vec<Workload>, EngineError> {
    let remarks = with_plain_names(&mut file);
    let reasons = [limits::check(&file), in_one_directory(&file), limits::demand(&file).map(drop)];
    FioError::all(reasons.into_iter().filter_map(Result::err).flat_map(FioError::apart).collect())?;
    program::check(&file)?;
    Ok(parts(stem, file).into_iter().map(|(name, part)| workload(name, &part, &remarks)).collect())
}

/// Refuses jobs in several directories, as in files that compare these: each contender is one.
fn in_one_directory(file: &JobFile) -> Result<(), FioError> {
    let named: Vec<&str> = distinct(file.sections.iter().filter_map(|section| section.value("directory")));
    if named.len() < 2 {
        return Ok(());
    }
    let what = format!("the jobs work in {}, and each contender is one directory", named.join(" and "));
    let contenders: String = named.iter().map(|directory| format!(" dir:{directory}")).collect();
    let line = file.line_of("directory").unwrap_or(1);
    let hint = format!("the work without `directory`, once, and: fsarena compare{contenders} --fio {}", file.name);
    Err(file.refuse(line, what, &hint))
}

/// Replaces the paths in `filename` by the plain names of files in the folder that fsarena chooses, and returns a
/// remark on each. Different files keep different names. A name that climbs (`..`) stays, and is refused later.
fn with_plain_names(file: &mut JobFile) -> Vec<String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let named = file.sections.iter_mut().flat_map(|section| &mut section.options).filter(|it| it.key == "filename");
    for value in named.filter_map(|entry| entry.value.as_mut()).filter(|value| !value.contains("..")) {
        *value = value.split(':').map(|path| plain(path, &mut names)).collect::<Vec<_>>().join(":");
    }
    names.into_iter().map(|(path, name)| format!("`filename={path}` is the file `{name}` in that folder")).collect()
}

/// The last part of a path, or all of it with `-` in place of `/` if another path has that name.
fn plain(path: &str, names: &mut BTreeMap<String, String>) -> String {
    let all = path.trim_matches('/').replace('/', "-");
    if !path.contains('/') || all.is_empty() {
        return path.to_owned();
    }
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path).to_owned();
    let is_taken = names.iter().any(|(other, name)| other != path && *name == last);
    names.entry(path.to_owned()).or_insert(if is_taken { all } else { last }).clone()
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

/// The workload of a part of a job file, which runs in one piece.
pub(super) fn workload(name: Name, part: &JobFile, remarks: &[String]) -> Workload {
    let sections = match part.sections.as_slice() {
        [first, .., last] if first.name == last.name => {
            format!("{} sections `{}`", part.sections.len(), first.name)
        }
        [first, .., last] => format!("sections `{}` to `{}`", first.name, last.name),
        sections => sections.iter().map(|section| format!("section `{}`", section.name)).collect(),
    };
    let moved = part.line_of("directory").map(|_| "`directory` is the lane's folder".to_owned());
    let limited = part.sections.iter().find_map(facts::limit);
    let limited =
        limited.map(|entry| format!("`{}` limits the rate, so that an equal one does not show equal speed", entry.key));
    let notes: String = remarks.iter().cloned().chain(moved).chain(limited).map(|note| format!("; {note}")).collect();
    Workload {
        measures: format!("fio's {sections} of `{}`{notes}.", part.name),
        why: "A job file of fio's, as given on the command line.".to_owned(),
        durable: facts::durability(&part.sections),
        cache: facts::cache(&part.sections),
        ..Workload::new(
            name,
            program::NAME,
            facts::metric(&part.sections),
            json!({ "job": part.text(&["directory"], &[]) }),
        )
    }
}

#[cfg(test)]
mod tests;
