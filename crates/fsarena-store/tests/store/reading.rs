//! A store that is only read: nothing is made or changed.

use std::fs;
use std::path::Path;

use fsarena_model::{Event, RunRecord, Status};
use fsarena_store::{Store, StoreError};
use tempfile::tempdir;

use crate::fixture::{STARTED, events, plan, trial};

/// Names and contents of all files in a folder.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().flatten().collect();
    files.sort_by_key(fs::DirEntry::file_name);
    let file = |entry: &fs::DirEntry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
    files.iter().map(file).collect()
}

fn stored(path: &Path) -> (Store, RunRecord) {
    let mut store = Store::open(path).unwrap();
    let run = store.insert(&plan(), STARTED, &[]).unwrap();
    events().iter().for_each(|event| store.append(run, event).unwrap());
    let record = store.load(run).unwrap();
    (store, record)
}

#[test]
fn a_store_is_read_and_nothing_is_made() {
    let place = tempdir().unwrap();
    let folder = place.path().join("a ?#%ü");
    let path = folder.join("file:store.sqlite");
    let (store, expected) = stored(&path);
    drop(store);
    let before = files(&folder);
    let store = Store::read(&path).unwrap();
    assert_eq!(store.load(store.last().unwrap().unwrap()).unwrap(), expected);
    assert_eq!(store.runs().unwrap().len(), 1);
    drop(store);
    assert_eq!(files(&folder), before);
}

#[test]
fn a_store_is_read_while_another_process_writes_it_or_after_that_was_killed() {
    let place = tempdir().unwrap();
    let path = place.path().join("own/store.sqlite");
    let (mut writer, first) = stored(&path);
    let reader = Store::read(&path).unwrap();
    assert_eq!(reader.load(first.run).unwrap(), first);
    writer.append(first.run, &Event::Finished(Status::Complete)).unwrap();
    assert_eq!(reader.load(first.run).unwrap().status, Status::Complete);
    std::mem::forget(writer);
    assert_eq!(Store::read(&path).unwrap().load(first.run).unwrap().status, Status::Complete);
}

#[test]
fn a_missing_store_is_not_created() {
    let place = tempdir().unwrap();
    let path = place.path().join("no/store.sqlite");
    for error in [Store::read(&path).unwrap_err(), Store::open_existing(&path).unwrap_err()] {
        assert!(matches!(error, StoreError::Missing { .. }), "{error}");
        assert!(error.hint().is_some());
    }
    assert!(!path.parent().unwrap().exists());
    let empty = place.path().join("empty.sqlite");
    fs::write(&empty, "").unwrap();
    assert!(matches!(Store::read(&empty), Err(StoreError::Missing { .. })));
}

#[test]
fn a_run_that_measured_nothing_is_none() {
    let place = tempdir().unwrap();
    let path = place.path().join("own/store.sqlite");
    let (mut store, real) = stored(&path);
    let killed = store.insert(&plan(), STARTED, &[]).unwrap();
    let failed = store.insert(&plan(), STARTED, &[]).unwrap();
    events().iter().take(3).for_each(|event| store.append(failed, event).unwrap());
    assert_eq!(store.last().unwrap(), Some(real.run), "what was only begun is not the last run");
    assert_eq!(store.runs().unwrap().len(), 1);
    store.remove_if_empty(failed).unwrap();
    assert!(matches!(store.load(failed), Err(StoreError::NoSuchRun { .. })));
    store.remove_if_empty(real.run).unwrap();
    assert_eq!(store.load(real.run).unwrap(), real, "a run with a trial stays");
    store.append(killed, &Event::Trial(Box::new(trial(1)))).unwrap();
    assert_eq!(store.last().unwrap(), Some(killed), "now it has begun");
    assert!(store.insert(&plan(), STARTED, &[]).unwrap() > failed, "its number is not used again");
}
