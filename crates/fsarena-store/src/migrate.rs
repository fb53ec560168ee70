//! Migrates a store file to the current schema, one script after the other.

use std::path::Path;

use fsarena_sys::fault;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::{Access, Result, StoreError};

/// The script at index `n` migrates version `n` to `n + 1`; a released script never changes.
const SCRIPTS: &[&str] = &[
    include_str!("../migrations/0001.sql"),
    include_str!("../migrations/0002.sql"),
    include_str!("../migrations/0003.sql"),
    include_str!("../migrations/0004.sql"),
];

/// The newest version that this fsarena knows.
pub const KNOWN: i64 = SCRIPTS.len() as i64;

/// Marks an SQLite file as one of fsarena (`fsar` in ASCII);
/// <https://www.sqlite.org/pragma.html#pragma_application_id>.
pub const APPLICATION: i64 = 0x6673_6172;

/// Whether the schema has anything that SQLite executes: only tables and indices have their own page
/// (<https://www.sqlite.org/schematab.html>).
const EXECUTED: &str = "SELECT EXISTS (SELECT * FROM sqlite_schema WHERE coalesce(rootpage, 0) = 0)";

/// Runs the scripts that `connection`'s file still lacks, all or none. Refuses newer and foreign files and leaves them
/// unchanged.
pub fn migrate(connection: &mut Connection, path: &Path) -> Result<()> {
    let sqlite = |error| StoreError::sqlite(path, Access::Write, error);
    // One transaction, or another process could make the file a store between two of the queries.
    let view = connection.transaction().map_err(sqlite)?;
    let found = check(&view, path, Access::Write);
    view.finish().map_err(sqlite)?;
    if found? == KNOWN {
        return Ok(());
    }
    fault::step("store schema").map_err(|error| StoreError::inaccessible(path, Access::Write, error))?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sqlite)?;
    // Another process may have migrated the file while this one waited for the lock.
    let version = check(&transaction, path, Access::Write)?;
    run_scripts(&transaction, version).map_err(sqlite)?;
    transaction.commit().map_err(sqlite)
}

/// The file's version, if it is a store of a known version, or an empty file.
pub fn check(connection: &Connection, path: &Path, access: Access) -> Result<i64> {
    let sqlite = |error| StoreError::sqlite(path, access, error);
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)).map_err(sqlite);
    let is_there = |query| connection.query_row(query, [], |row| row.get::<_, bool>(0)).map_err(sqlite);
    let (application, found) = (number("application_id")?, number("user_version")?);
    let is_empty = !is_there("SELECT EXISTS (SELECT * FROM sqlite_schema)")?;
    match application {
        APPLICATION if found > KNOWN => Err(StoreError::Newer { path: path.to_owned(), found, known: KNOWN }),
        APPLICATION if found < 1 => Err(StoreError::damaged(path, format!("its version is {found}"))),
        APPLICATION if is_there(EXECUTED)? => {
            Err(StoreError::damaged(path, "it has views, triggers or virtual tables, which no store has"))
        }
        APPLICATION => Ok(found),
        0 if is_empty && found == 0 => Ok(0),
        _ => Err(StoreError::Foreign { path: path.to_owned() }),
    }
}

fn run_scripts(transaction: &Transaction<'_>, version: i64) -> rusqlite::Result<()> {
    for script in &SCRIPTS[version as usize..] {
        transaction.execute_batch(script)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", KNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scripts_run_once() {
        let mut connection = Connection::open_in_memory().expect("memory");
        let path = Path::new(":memory:");
        migrate(&mut connection, path).expect("first");
        migrate(&mut connection, path).expect("second");
        assert_eq!(check(&connection, path, Access::Write).expect("ours"), KNOWN);
    }
}
