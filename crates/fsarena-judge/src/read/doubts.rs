//! What results themselves show against their figures, whichever tool made them.

use std::collections::BTreeSet;

use fsarena_lane::kind::named_in;

use crate::findings::{FindingClass, JudgedFinding};
use crate::measured::SyncedResult;

/// The share of a limit from which on a rate is the limit, and not what was measured.
const LIMITED: f64 = 0.9;
/// The share of operations that may fail without a finding: databases give up a few transactions of many.
pub const FAILED: f64 = 0.01;

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

/// The file system that paths among some words name, if it is only one.
pub fn placed<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let paths = words.into_iter().filter(|word| word.contains('/'));
    let named: BTreeSet<&str> =
        paths.flat_map(|path| path.split(|letter: char| !letter.is_alphanumeric())).filter_map(named_in).collect();
    named.first().filter(|_| named.len() == 1).map(|name| (*name).to_owned())
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
