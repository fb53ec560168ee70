//! What results themselves show against their figures, whichever tool made them.

use std::collections::BTreeSet;
use std::path::Path;

use fsarena_lane::kind::named_in;

use crate::findings::{FindingClass, JudgedFinding};
use crate::measured::SyncedResult;

/// The share of a limit from which on a rate is the limit, and not what was measured.
const LIMITED: f64 = 0.9;
/// The share of operations that may fail without a finding: databases give up a few transactions of many.
pub const FAILED: f64 = 0.01;

/// Folders that are in memory (Filesystem Hierarchy Standard).
const IN_MEMORY: [&str; 2] = ["/dev/shm", "/run"];

/// A finding that what a result did is in doubt, so that it is not ranked.
pub fn doubt(text: String) -> JudgedFinding {
    JudgedFinding { class: FindingClass::Work, text }
}

/// A finding if a rate is what an option of the program allows, which is `by`.
pub fn limited(rate: f64, most: f64, by: &str) -> Option<JudgedFinding> {
    (rate >= LIMITED * most).then(|| by_limit(by))
}

/// A finding that an option of the program, `by`, limited the rate.
pub fn by_limit(by: &str) -> JudgedFinding {
    doubt(format!("limited by {by}, which hides how fast the file system is"))
}

/// A finding if some of all operations failed.
pub fn failed(count: f64, all: f64) -> Option<JudgedFinding> {
    (count > FAILED * all).then(|| doubt(format!("{count} operations failed")))
}

/// What defines the work of reads next to writes: whether these were synced.
pub fn written_meanwhile(durable: SyncedResult) -> Option<(String, String)> {
    let value = match durable {
        SyncedResult::Synced => "synced",
        SyncedResult::NotSynced => "not synced",
        SyncedResult::Unknown | SyncedResult::NothingWritten => return None,
    };
    Some(("writes meanwhile".to_owned(), value.to_owned()))
}

/// The share of the syncs that were asked for below which what was written counts as not synced.
pub const DONE: f64 = 0.1;

/// The share of the syncs that were asked for that were done; `None` if they are too few to tell.
pub fn share_of_syncs(done: f64, asked: f64) -> Option<f64> {
    const FEW: f64 = 10.0;
    (asked >= FEW).then(|| (done / asked).min(1.0))
}

/// The file system that paths among some words name, if it is only one; else that of folders in memory.
pub fn placed<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let paths: Vec<&str> = words.into_iter().filter(|word| word.contains('/')).collect();
    let parts = paths.iter().flat_map(|path| path.split(|letter: char| !letter.is_alphanumeric()));
    let named: BTreeSet<&str> = parts.filter_map(named_in).collect();
    // As in `of=/dev/shm/a`.
    let path = |word: &'a str| Path::new(word.rsplit('=').next().unwrap_or(word));
    let is_in = |word: &&'a str, folders: &[&str]| folders.iter().any(|folder| path(word).starts_with(folder));
    let is_in_memory = || paths.iter().any(|word| is_in(word, &IN_MEMORY) && !is_in(word, &["/run/media"]));
    match named.len() {
        0 => is_in_memory().then(|| "tmpfs".to_owned()),
        _ => named.first().filter(|_| named.len() == 1).map(|name| (*name).to_owned()),
    }
}

/// The part of a path that says where something is: not its last component, which may be a file, unless that is the
/// name of a file system.
pub fn folder(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some((folder, last)) if named_in(last) != Some(last) => folder,
        _ => path,
    }
}

/// Whether the last component of a path has an ending.
pub fn is_file(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(_, last)| last.contains('.'))
}
