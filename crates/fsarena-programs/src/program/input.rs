//! The inputs of scripts: trees, archives, repositories. They are made once per run, outside of the file systems that
//! are measured, for all contenders, rounds and workloads with the same description.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use fsarena_engine::{EngineError, scratch};
use fsarena_model::seed;
use serde::Serialize;

use super::act::Act;
use super::parameters::ProgramParameters;

/// Only one input is made at a time.
static MAKING: Mutex<()> = Mutex::new(());

/// The directory of the inputs of these `parameters`, complete; `None` if they have none. `run` runs the script in it.
/// Without a directory of the run (in tests of a library), they are made below `fallback`.
///
/// # Errors
/// If they cannot be made. What was made is removed.
pub fn made(
    parameters: &ProgramParameters,
    seed: u64,
    fallback: &Path,
    stop: &AtomicBool,
    run: impl Fn(&Act, &Path) -> Result<(), EngineError>,
) -> Result<Option<PathBuf>, EngineError> {
    if parameters.trees.is_empty() && parameters.input.is_none() {
        return Ok(None);
    }
    let _one = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let root = scratch::inputs().unwrap_or_else(|| fallback.to_owned());
    let script = parameters.input.as_ref().map(Act::lines);
    let key = (&parameters.trees, script, &parameters.variables, parameters.operations());
    let made = once(&root, &name("input", &key, seed), |folder| {
        for (name, tree) in &parameters.trees {
            let target = once(&root, &self::name("tree", tree, seed), |folder| {
                tree.make(folder, seed, stop).map_err(EngineError::io(format!("make the tree {name}")))
            })?;
            symlink(target, folder.join(name)).map_err(EngineError::io(format!("link the tree {name}")))?;
        }
        parameters.input.as_ref().map_or(Ok(()), |script| run(script, folder))
    });
    made.map(Some)
}

/// A name that follows from a description and the seed.
fn name(kind: &str, description: &impl Serialize, number: u64) -> String {
    let text = serde_json::to_string(description).unwrap_or_default();
    format!("{kind}-{}", seed::uuid(number, &text, &[]))
}

/// The directory `root/name`, which `fill` fills if it does not exist. A mark beside it says that it is complete.
fn once(root: &Path, name: &str, fill: impl FnOnce(&Path) -> Result<(), EngineError>) -> Result<PathBuf, EngineError> {
    let (folder, mark) = (root.join(name), root.join(format!("{name}.complete")));
    if mark.exists() {
        return Ok(folder);
    }
    let act = |result: io::Result<()>| result.map_err(EngineError::io(format!("make {}", folder.display())));
    act(fs::create_dir(&folder))?;
    let filled = fill(&folder).and_then(|()| act(fs::write(mark, "")));
    match filled {
        Ok(()) => Ok(folder),
        Err(error) => {
            // If it stays, it is removed with the run's directory.
            let _ = fs::remove_dir_all(&folder);
            Err(error)
        }
    }
}
