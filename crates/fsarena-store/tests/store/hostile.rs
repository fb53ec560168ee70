//! Files that were made to look like a store, or stores that a broken disk has damaged.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use fsarena_store::{Store, StoreError};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rusqlite::Connection;
use tempfile::tempdir;

use crate::fixture::{STARTED, events, plan};

/// A store with two runs.
fn store_at(path: &Path) {
    let mut store = Store::open(path).unwrap();
    for _ in 0..2 {
        let run = store.insert(&plan(), STARTED, &[]).unwrap();
        events().iter().for_each(|event| store.append(run, event).unwrap());
    }
}

#[test]
fn nothing_in_a_schema_is_executed() {
    let place = tempdir().unwrap();
    let objects = [
        "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END",
        "CREATE VIEW v AS SELECT * FROM run",
        "CREATE VIRTUAL TABLE f USING dbstat(main)",
    ];
    for (index, object) in objects.iter().enumerate() {
        let path = place.path().join(format!("{index}/store.sqlite"));
        store_at(&path);
        Connection::open(&path).unwrap().execute_batch(object).unwrap();
        let before = fs::read(&path).unwrap();
        for error in [Store::open(&path).unwrap_err(), Store::read(&path).unwrap_err()] {
            assert!(matches!(error, StoreError::Damaged { .. }), "{object}: {error}");
        }
        assert_eq!(fs::read(&path).unwrap(), before, "{object}");
    }
}

#[test]
fn a_format_that_never_was_is_refused() {
    let place = tempdir().unwrap();
    let path = place.path().join("own/store.sqlite");
    store_at(&path);
    for version in [0, -1, i64::from(i32::MIN)] {
        Connection::open(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
        for error in [Store::open(&path).unwrap_err(), Store::read(&path).unwrap_err()] {
            assert!(matches!(error, StoreError::Damaged { .. }), "{version}: {error}");
        }
    }
}

/// The bytes of an undamaged store.
fn sound() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let place = tempdir().unwrap();
        let path = place.path().join("store.sqlite");
        store_at(&path);
        fs::read(path).unwrap()
    })
}

/// Opens, lists and loads everything: any result is right, but no call may panic or hang.
fn use_all(path: &Path) {
    for store in [Store::read(path), Store::open(path)].into_iter().flatten() {
        let _ = (store.last(), store.runs());
        (1..=2).for_each(|run| drop(store.load(run)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(14),
        ..ProptestConfig::default()
    })]
    #[test]
    fn a_damaged_store_gives_an_answer(
        flips in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..24),
        header in proptest::option::of((0_usize..100, any::<u8>())),
        length in proptest::option::of(any::<proptest::sample::Index>()),
    ) {
        let (place, mut bytes) = (tempdir().unwrap(), sound().to_vec());
        let path = place.path().join("store.sqlite");
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some((at, byte)) = header {
            bytes[at] = byte;
        }
        if let Some(length) = length {
            bytes.truncate(length.index(bytes.len()));
        }
        fs::write(&path, bytes).unwrap();
        use_all(&path);
    }
}
