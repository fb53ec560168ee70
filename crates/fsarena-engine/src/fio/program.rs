//! The program fio: checks whether it is installed, lets it check a job file, and runs it.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_sys::child::{self, Patience, Setting};

use super::file::JobFile;
use super::{FioError, output};
use crate::{EngineError, Scratch, pid_namespace};

/// The program's name.
pub const NAME: &str = "fio";

/// Checks that the program is installed.
///
/// # Errors
/// [`FioError::Missing`].
pub fn require(wanted_by: &str) -> Result<(), FioError> {
    match child::find_program(NAME) {
        Some(_) => Ok(()),
        None => Err(FioError::Missing { wanted_by: wanted_by.to_owned() }),
    }
}

/// Lets fio parse the job file without doing anything.
///
/// # Errors
/// [`FioError::NotUnderstood`] with fio's message.
pub fn check(file: &JobFile, text: &str) -> Result<(), EngineError> {
    require(&format!("`{}`", file.name))?;
    let folder = Scratch::new()?;
    let path = folder.path().join("job.fio");
    fs::write(&path, text).map_err(EngineError::io("write the job file"))?;
    let argv = [NAME.into(), "--parse-only".into(), path.into_os_string()];
    let ended = child::run(&argv, Patience::query()).map_err(EngineError::io("start fio"))?;
    let bad = ended.words().lines().any(|line| line.contains("Bad option") || line.contains("failed parsing"));
    match ended.status.success() && !bad {
        true => Ok(()),
        false => {
            let words = explained(file, &ended.words());
            Err(FioError::NotUnderstood { file: file.name.clone(), words }.into())
        }
    }
}

/// fio's message in one line, with the line number of the option that it names.
fn explained(file: &JobFile, words: &str) -> String {
    let lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let option = words.split_once("Bad option <").or_else(|| words.split_once("failed parsing "));
    let key = option.map(|(_, rest)| rest.split(['=', '>', '\n']).next().unwrap_or_default());
    let place = key.and_then(|key| file.line_of(key)).map_or(String::new(), |line| format!("line {line}: "));
    format!("{place}{}", lines.join("; "))
}

/// Runs fio on a job in `folder`, which nothing else uses, and returns its output; `None` if it was stopped.
///
/// # Errors
/// [`FioError::Failed`] with fio's message.
pub fn run(text: &str, folder: &Path, stop: &AtomicBool) -> Result<Option<String>, EngineError> {
    const JOB: &str = "job.fio";
    const JSON: &str = "output.json";
    fs::write(folder.join(JOB), text).map_err(EngineError::io("write the job file"))?;
    let arguments = [NAME, "--output-format=json+", "--eta=never", "--output", JSON, JOB];
    let argv: Vec<&str> = pid_namespace().iter().copied().chain(arguments).collect();
    let setting = Setting { directory: folder, streams: folder, variables: &[], stop };
    let ended = child::run_until(&argv, setting).map_err(EngineError::io("start fio"))?;
    let Some(ended) = ended else { return Ok(None) };
    let output = fs::read_to_string(folder.join(JSON)).unwrap_or_default();
    if ended.status.success() {
        return Ok(Some(output));
    }
    let words = output::words(&ended.words(), &output);
    Err(FioError::Failed(format!("{words} ({})", ended.status)).into())
}
