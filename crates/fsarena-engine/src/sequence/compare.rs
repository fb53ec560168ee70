//! Compares the contents of a directory with the expected state: every file, every byte, and nothing else.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_model::Verification;

use super::contents::{Piece, Pool};
use super::parameters::LONGEST;
use super::state::{Node, State};
use crate::{EngineError, go_on};

/// Maximum number of differences that are reported.
const MOST: usize = 100;

/// Compares the contents of `directory` with `wanted`. Returns an error once `stop` is set.
pub fn with(directory: &Path, wanted: &State, pool: &Pool, stop: &AtomicBool) -> Result<Verification, EngineError> {
    let mut found = BTreeMap::new();
    let reading = format!("list {}", directory.display());
    collect(directory, "", &mut found).map_err(EngineError::io(reading))?;
    let mut verification = Verification::default();
    for (path, node) in wanted.nodes() {
        go_on(stop).map_err(EngineError::io("compare the files"))?;
        verification.files += 1;
        let difference = match (found.remove(path), node) {
            (None, _) => Some("it is missing".to_owned()),
            (Some(Found::Directory), Node::Directory) => None,
            (Some(Found::File), Node::File { size, pieces }) => difference(&directory.join(path), *size, pieces, pool),
            (Some(Found::Unreadable(why)), _) => Some(why),
            (Some(_), _) => Some("it is of another type".to_owned()),
        };
        verification.differences.extend(difference.map(|what| format!("{path}: {what}")));
    }
    verification.differences.extend(found.into_keys().map(|path| format!("{path}: it should not be there")));
    verification.differences.truncate(MOST);
    Ok(verification)
}

/// The type of an object at a path.
enum Found {
    Directory,
    File,
    Other,
    Unreadable(String),
}

/// Collects all objects below `inside`. A directory that cannot be read is recorded as unreadable.
fn collect(root: &Path, inside: &str, found: &mut BTreeMap<String, Found>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(inside))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if inside.is_empty() { name } else { format!("{inside}/{name}") };
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => match collect(root, &path, found) {
                Ok(()) => Found::Directory,
                Err(error) => Found::Unreadable(format!("it cannot be listed: {error}")),
            },
            Ok(kind) if kind.is_file() => Found::File,
            Ok(_) => Found::Other,
            Err(error) => Found::Unreadable(error.to_string()),
        };
        found.insert(path, kind);
    }
    Ok(())
}

fn difference(path: &Path, size: u64, pieces: &[Piece], pool: &Pool) -> Option<String> {
    match compared(path, size, pieces, pool) {
        Ok(difference) => difference,
        Err(error) => Some(format!("it cannot be read: {error}")),
    }
}

fn compared(path: &Path, size: u64, pieces: &[Piece], pool: &Pool) -> io::Result<Option<String>> {
    let file = File::open(path)?;
    let has = file.metadata()?.len();
    if has != size {
        return Ok(Some(format!("it has {has} bytes and should have {size}")));
    }
    let (mut is, mut should) = (vec![0; LONGEST as usize], vec![0; LONGEST as usize]);
    let mut from = 0;
    while from < size {
        let length = (size - from).min(LONGEST) as usize;
        file.read_exact_at(&mut is[..length], from)?;
        should.fill(0);
        pieces.iter().for_each(|piece| pool.put(*piece, from, &mut should[..length]));
        if let Some(at) = is[..length].iter().zip(&should[..length]).position(|(is, should)| is != should) {
            return Ok(Some(format!("byte {} is another", from + at as u64)));
        }
        from += length as u64;
    }
    Ok(None)
}
