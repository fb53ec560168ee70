//! What is found on a file system after a power cut.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::work::{Action, RECORD, created, path, record, turn};

/// An acknowledged operation whose result is missing or wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// The operation's number.
    pub operation: u64,
    /// What it did, in a few words.
    pub action: String,
    /// What is found in its place.
    pub what: String,
}

/// What is found on a file system after a power cut.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Found {
    /// Why it could not be mounted.
    pub unmountable: Option<String>,
    /// The acknowledged operations that are lost.
    pub losses: Vec<Loss>,
    /// What its checker found after it was unmounted.
    pub damage: Option<String>,
}

/// The operations below number `acknowledged` whose results are not in `directory`, where a writer with this seed was.
pub fn find_lost(directory: &Path, seed: u64, acknowledged: u64) -> Vec<Loss> {
    let databases = [Action::WriteAhead, Action::Rollback].map(|action| database(directory, action));
    let next = |operation: u64| operation + Action::ALL.len() as u64;
    let find = |operation: u64| {
        let action = Action::of(operation);
        let mut wanted = vec![record(seed, operation)];
        let bytes = match action {
            Action::WriteAhead => row(&databases[0], operation),
            Action::Rollback => row(&databases[1], operation),
            // A later one that is acknowledged has replaced it.
            Action::Replace if next(operation) < acknowledged => return None,
            Action::Replace => {
                // The next one may have been under way. Its content is there in full or not at all.
                wanted.push(record(seed, next(operation)));
                fs::read(path(directory, action)).map_err(|error| error.to_string())
            }
            Action::Create => read(&created(directory, operation), 0),
            Action::Append | Action::AppendData => read(&path(directory, action), turn(operation) * RECORD as u64),
        };
        let what = match bytes {
            Ok(bytes) if wanted.contains(&bytes) => return None,
            Ok(bytes) => difference(&bytes, &wanted[0]),
            Err(what) => what,
        };
        Some(Loss { operation, action: action.to_string(), what })
    };
    (0..acknowledged).filter_map(find).collect()
}

/// Up to a record at a byte of a file.
fn read(path: &Path, at: u64) -> Result<Vec<u8>, String> {
    let read = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        file.take(RECORD as u64).read_to_end(&mut bytes).map(|_| bytes)
    };
    read().map_err(|error: io::Error| error.to_string())
}

/// Says what is there instead.
fn difference(found: &[u8], wanted: &[u8]) -> String {
    let sectors = found.chunks(512).zip(wanted.chunks(512));
    let wrong = sectors.filter(|(found, wanted)| found != wanted).count();
    match found.len() {
        0 => "nothing is there".to_owned(),
        length if length < wanted.len() => format!("only {length} of {} bytes are there", wanted.len()),
        _ if found.iter().all(|byte| *byte == 0) => "zeros are there".to_owned(),
        _ => format!("{wrong} of {} sectors are wrong", wanted.len() / 512),
    }
}

/// Opens a database of the writer, which rolls an incomplete transaction back.
fn database(directory: &Path, action: Action) -> Result<Connection, String> {
    let file = path(directory, action);
    if !file.exists() {
        return Err("there is no database".to_owned());
    }
    let open = || {
        let connection = Connection::open(file)?;
        let words: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        Ok((connection, words))
    };
    match open().map_err(|error: rusqlite::Error| error.to_string())? {
        (connection, words) if words == "ok" => Ok(connection),
        (_, words) => Err(words),
    }
}

fn row(database: &Result<Connection, String>, operation: u64) -> Result<Vec<u8>, String> {
    let query = "SELECT record FROM records WHERE operation = ?";
    let found = database.as_ref().map_err(Clone::clone)?.query_row(query, [operation as i64], |row| row.get(0));
    found.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;
    use crate::work::{Syncs, Writer};

    const COUNT: u64 = 30;

    fn written(syncs: Syncs) -> tempfile::TempDir {
        let place = tempfile::tempdir().expect("temporary folder");
        let mut writer = Writer::begin(place.path(), 5, syncs).expect("begun");
        (0..COUNT).for_each(|operation| writer.perform(operation).expect("done"));
        place
    }

    fn lost(place: &tempfile::TempDir) -> Vec<u64> {
        find_lost(place.path(), 5, COUNT).iter().map(|loss| loss.operation).collect()
    }

    #[test]
    fn written_operations_are_found() {
        for syncs in [Syncs::Each, Syncs::Never] {
            let place = written(syncs);
            assert_eq!(find_lost(place.path(), 5, COUNT), []);
            assert_eq!(find_lost(place.path(), 6, COUNT).len() as u64, 4 + 5 * 5 - 3, "other records are wrong ones");
        }
    }

    #[test]
    fn each_action_can_be_found_lost() {
        let place = written(Syncs::Each);
        let file = |action| path(place.path(), action);
        File::options().write(true).open(file(Action::Append)).expect("there").set_len(4 * 4096 + 100).expect("cut");
        assert_eq!(lost(&place), [24]);
        let data = File::options().write(true).open(file(Action::AppendData)).expect("there");
        data.write_all_at(&[0; 512], 2 * 4096 + 1024).expect("written");
        fs::remove_file(created(place.path(), 8)).expect("removed");
        fs::write(file(Action::Replace), record(5, 21)).expect("written");
        let ahead = Connection::open(file(Action::WriteAhead)).expect("opens");
        ahead.execute("DELETE FROM records WHERE operation = 10", []).expect("deleted");
        fs::write(file(Action::Rollback), "this is no database, and no one takes it for one").expect("written");
        assert_eq!(lost(&place), [5, 8, 10, 11, 13, 17, 23, 24, 27, 29]);
        let losses = find_lost(place.path(), 5, COUNT);
        let what = |operation| losses.iter().find(|loss| loss.operation == operation).map(|loss| loss.what.as_str());
        assert_eq!(what(24), Some("only 100 of 4096 bytes are there"));
        assert_eq!(what(13), Some("1 of 8 sectors are wrong"));
    }

    #[test]
    fn a_replacement_that_was_under_way_may_be_there_or_not_but_never_in_part() {
        let place = written(Syncs::Each);
        let file = path(place.path(), Action::Replace);
        let is_lost =
            |acknowledged| find_lost(place.path(), 5, acknowledged).iter().any(|loss| loss.operation % 6 == 3);
        assert!(!is_lost(28), "operation 27 was the last");
        assert!(!is_lost(27), "operation 27 was under way, and 21 is acknowledged");
        fs::write(&file, record(5, 21)).expect("written");
        assert!(is_lost(28) && !is_lost(27));
        fs::write(&file, &record(5, 21)[..4000]).expect("written");
        assert!(is_lost(27));
    }
}
