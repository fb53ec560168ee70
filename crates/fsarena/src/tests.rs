//! Tests of the whole repository: its architecture, and the command lines of its documents.

mod architecture;
mod documented;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files in a folder, and in those below it, whose names have this extension.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path());
    let of = |path: PathBuf| match path.is_dir() {
        true => files(&path, extension),
        false => Some(path).filter(|path| path.extension().is_some_and(|it| it == extension)).into_iter().collect(),
    };
    paths.flat_map(of).collect()
}
