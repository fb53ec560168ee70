//! Files that are not a store, or that this user must not write, are refused and left unchanged.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use fsarena_store::{Store, StoreError};
use fsarena_testing::{Need, has};
use rusqlite::Connection;
use tempfile::tempdir;

fn refusal(path: &Path) -> StoreError {
    let error = Store::open(path).unwrap_err();
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    assert!(error.hint().is_some());
    error
}

#[test]
fn a_store_of_another_format_is_left_untouched() {
    let place = tempdir().unwrap();
    let path = place.path().join("own/store.sqlite");
    drop(Store::open(&path).unwrap());
    for format in [1, 4, 6, 99] {
        Connection::open(&path).unwrap().pragma_update(None, "user_version", format).unwrap();
        let before = fs::read(&path).unwrap();
        for error in [refusal(&path), Store::read(&path).unwrap_err(), Store::open_existing(&path).unwrap_err()] {
            assert!(matches!(error, StoreError::OtherFormat { found, known: 5, .. } if found == format), "{error}");
        }
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_directory_is_no_store() {
    let place = tempdir().unwrap();
    let folder = place.path().join("folder");
    fs::create_dir(&folder).unwrap();
    assert!(matches!(refusal(&folder), StoreError::NoFile { .. }));
}

#[test]
fn a_file_is_no_parent() {
    let place = tempdir().unwrap();
    let file = place.path().join("file");
    fs::write(&file, "x").unwrap();
    assert!(matches!(refusal(&file.join("store.sqlite")), StoreError::Inaccessible { .. }));
}

#[test]
fn a_text_is_no_store() {
    let place = tempdir().unwrap();
    let path = place.path().join("notes.txt");
    let text = "A text that its owner keeps.\n".repeat(40);
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
fn the_journal_of_another_program_is_left_alone() {
    let place = tempdir().unwrap();
    let path = place.path().join("places.sqlite");
    let other = Connection::open(&path).unwrap();
    other.pragma_update(None, "journal_mode", "wal").unwrap();
    other.execute_batch("CREATE TABLE bookmark (url TEXT); PRAGMA wal_checkpoint; DROP TABLE bookmark;").unwrap();
    std::mem::forget(other);
    let journal = place.path().join("places.sqlite-wal");
    let before = (fs::read(&path).unwrap(), fs::read(&journal).unwrap());
    assert!(matches!(refusal(&path), StoreError::Foreign { .. }));
    assert!(matches!(Store::read(&path), Err(StoreError::Foreign { .. })));
    assert_eq!((fs::read(&path).unwrap(), fs::read(&journal).unwrap()), before);
}

const OTHER_USER: u32 = 65534;

/// Checks that root refuses to write the store at `path`, and that the file is unchanged.
fn unsafe_for_root(path: &Path) {
    let before = fs::read(path).ok();
    assert!(matches!(refusal(path), StoreError::Unsafe { .. }), "{}", path.display());
    assert_eq!(fs::read(path).ok(), before);
}

#[test]
fn root_follows_no_link_for_its_store() {
    if !has(&[Need::Root]) {
        return;
    }
    let place = tempdir().unwrap();
    let target = place.path().join("victim");
    for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "store.sqlite-journal"] {
        fs::write(&target, "").unwrap();
        let folder = place.path().join(name);
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(&target, folder.join(name)).unwrap();
        unsafe_for_root(&folder.join("store.sqlite"));
        assert_eq!(fs::read(&target).unwrap(), b"", "{name}");
    }
    // A folder may be a link: only its target counts.
    std::os::unix::fs::symlink(place.path(), place.path().join("link")).unwrap();
    drop(Store::open(&place.path().join("link/own/store.sqlite")).unwrap());
}

#[test]
fn root_writes_only_where_no_other_user_may() {
    if !has(&[Need::Root]) {
        return;
    }
    let place = tempdir().unwrap();
    let own = place.path().join("own/store.sqlite");
    drop(Store::open(&own).unwrap());
    let folder = |name: &str, mode: u32, owner: u32| {
        let folder = place.path().join(name);
        fs::create_dir(&folder).unwrap();
        fs::copy(&own, folder.join("store.sqlite")).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
        std::os::unix::fs::chown(&folder, Some(owner), None).unwrap();
        folder.join("store.sqlite")
    };
    unsafe_for_root(&folder("theirs", 0o755, OTHER_USER));
    unsafe_for_root(&folder("group", 0o775, 0));
    unsafe_for_root(&folder("all", 0o1777, 0));
    unsafe_for_root(&place.path().join("theirs/new/store.sqlite"));
    assert!(!place.path().join("theirs/new").exists());
    let file = folder("file", 0o755, 0);
    std::os::unix::fs::chown(&file, Some(OTHER_USER), None).unwrap();
    unsafe_for_root(&file);
    Store::read(&file).unwrap();
    assert!(!place.path().join("file/store.sqlite-wal").exists());
    let file = folder("mode", 0o755, 0);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    unsafe_for_root(&file);
    drop(Store::open(&folder("fine", 0o755, 0)).unwrap());
}

#[test]
fn an_empty_file_becomes_a_store() {
    let place = tempdir().unwrap();
    let path = place.path().join("store.sqlite");
    fs::write(&path, "").unwrap();
    assert_eq!(Store::open(&path).unwrap().last().unwrap(), None);
}
