//! The format of a store file: makes the tables of a new one, and refuses files of other formats and programs.

use std::path::Path;

use fsarena_sys::fault;
use rusqlite::{Connection, TransactionBehavior};

use crate::{Result, StoreAccess, StoreError};

/// A run is its events, in order, as JSON. The columns of `run` are for the list of runs: `begin` sets the first ones,
/// and the others follow from the events (`write.rs`).
const TABLES: &str = "
    CREATE TABLE run (
        run INTEGER PRIMARY KEY AUTOINCREMENT,
        started TEXT NOT NULL,
        suite TEXT,
        contenders TEXT NOT NULL,
        has_measured INTEGER NOT NULL DEFAULT FALSE,
        is_complete INTEGER NOT NULL DEFAULT FALSE,
        rounds INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE event (
        run INTEGER NOT NULL REFERENCES run (run) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        event TEXT NOT NULL,
        PRIMARY KEY (run, number)
    ) STRICT;
";

/// The format that this fsarena reads and writes: the file's `user_version`. Formats 1 to 4 had other tables.
pub const FORMAT: i64 = 5;

/// Marks an SQLite file as one of fsarena (`fsar` in ASCII);
/// <https://www.sqlite.org/pragma.html#pragma_application_id>.
pub const APPLICATION: i64 = 0x6673_6172;

/// Whether the schema has anything that SQLite executes: only tables and indices have their own page
/// (<https://www.sqlite.org/schematab.html>).
const EXECUTED: &str = "SELECT EXISTS (SELECT * FROM sqlite_schema WHERE coalesce(rootpage, 0) = 0)";

/// Makes the tables in `connection`'s file if it is empty. Refuses other files and leaves them unchanged.
pub fn prepare(connection: &mut Connection, path: &Path) -> Result<()> {
    let sqlite = |error| StoreError::sqlite(path, StoreAccess::Write, error);
    // One transaction, or another process could make the file a store between two of the queries.
    let view = connection.transaction().map_err(sqlite)?;
    let found = check(&view, path, StoreAccess::Write);
    view.finish().map_err(sqlite)?;
    if found? {
        return Ok(());
    }
    fault::step("store tables").map_err(|error| StoreError::inaccessible(path, StoreAccess::Write, error))?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sqlite)?;
    // Another process may have made the tables while this one waited for the lock.
    if !check(&transaction, path, StoreAccess::Write)? {
        transaction.execute_batch(TABLES).map_err(sqlite)?;
        transaction.pragma_update(None, "application_id", APPLICATION).map_err(sqlite)?;
        transaction.pragma_update(None, "user_version", FORMAT).map_err(sqlite)?;
    }
    transaction.commit().map_err(sqlite)
}

/// Requires that the file is a store of this format without anything that SQLite executes, or empty. Whether it is a
/// store.
pub fn check(connection: &Connection, path: &Path, access: StoreAccess) -> Result<bool> {
    let sqlite = |error| StoreError::sqlite(path, access, error);
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)).map_err(sqlite);
    let is_there = |query| connection.query_row(query, [], |row| row.get::<_, bool>(0)).map_err(sqlite);
    let is_empty = !is_there("SELECT EXISTS (SELECT * FROM sqlite_schema)")?;
    match (number("application_id")?, number("user_version")?) {
        (APPLICATION, FORMAT) if is_there(EXECUTED)? => {
            Err(StoreError::damaged(path, "it has views, triggers or virtual tables, which no store has"))
        }
        (APPLICATION, FORMAT) => Ok(true),
        (APPLICATION, found @ 1..) => Err(StoreError::OtherFormat { path: path.to_owned(), found, known: FORMAT }),
        (APPLICATION, version) => Err(StoreError::damaged(path, format!("its format is {version}"))),
        (0, 0) if is_empty => Ok(false),
        _ => Err(StoreError::Foreign { path: path.to_owned() }),
    }
}
