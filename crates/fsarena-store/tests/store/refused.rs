//! What is not a store, or not ours to write, is refused and left as it is.

use std::fs;
use std::path::Path;

use fsarena_store::{Store, StoreError};
use rusqlite::Connection;
use tempfile::tempdir;

fn refusal(path: &Path) -> StoreError {
    let error = Store::open(path).unwrap_err();
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    assert!(error.hint().is_some());
    error
}

#[test]
fn a_newer_store_is_left_untouched() {
    let place = tempdir().unwrap();
    let path = place.path().join("store.sqlite");
    drop(Store::open(&path).unwrap());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = fs::read(&path).unwrap();
    assert!(matches!(refusal(&path), StoreError::Newer { found: 99, known: 4, .. }));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_directory_is_no_store() {
    let place = tempdir().unwrap();
    assert!(matches!(refusal(place.path()), StoreError::Unwritable { .. }));
}

#[test]
fn a_file_is_no_parent() {
    let place = tempdir().unwrap();
    let file = place.path().join("file");
    fs::write(&file, "x").unwrap();
    assert!(matches!(refusal(&file.join("store.sqlite")), StoreError::Unwritable { .. }));
}

#[test]
fn a_text_is_no_store() {
    let place = tempdir().unwrap();
    let path = place.path().join("notes.txt");
    let text = "Something that somebody wrote and would like to keep.\n".repeat(40);
    fs::write(&path, &text).unwrap();
    assert!(matches!(refusal(&path), StoreError::Damaged { .. }));
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn the_database_of_another_program_is_no_store() {
    let place = tempdir().unwrap();
    let path = place.path().join("places.sqlite");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE bookmark (url TEXT)").unwrap();
    let before = fs::read(&path).unwrap();
    assert!(matches!(refusal(&path), StoreError::Foreign { .. }));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn an_empty_file_becomes_a_store() {
    let place = tempdir().unwrap();
    let path = place.path().join("store.sqlite");
    fs::write(&path, "").unwrap();
    assert_eq!(Store::open(&path).unwrap().last().unwrap(), None);
}
