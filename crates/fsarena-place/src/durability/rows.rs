//! Rows in PostgreSQL: each is inserted by a transaction of its own, which the server acknowledges once it is durable.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use anyhow::{Context, Result};
use fsarena_durability::{Loss, record};
use fsarena_engine::NEVER;
use fsarena_programs::PostgreSql;

/// Bytes of a record that a row has: a row must not be split.
const BYTES: usize = 256;

/// The server's lock file, which a power cut leaves. The server refuses to start if it is empty.
const LOCK: &str = "postgresql/postmaster.pid";

pub struct Rows {
    server: PostgreSql,
    seed: u64,
}

impl Rows {
    /// Makes a cluster with an empty table in `directory`; all of it is durable.
    ///
    /// # Errors
    /// If the server does not start or refuses.
    pub fn begin(directory: &Path, seed: u64) -> Result<Self> {
        let mut server = PostgreSql::at(directory)?;
        server.install(&NEVER)?;
        server.query("CREATE TABLE records (operation bigint PRIMARY KEY, record text NOT NULL)", &NEVER)?;
        server.query("CHECKPOINT", &NEVER)?;
        let folder = File::open(directory).context("open the directory")?;
        rustix::fs::syncfs(folder).context("sync the file system")?;
        Ok(Self { server, seed })
    }

    /// Inserts the row of an operation. When this returns, PostgreSQL has acknowledged it.
    ///
    /// # Errors
    /// If the server refuses, or has ended.
    pub fn insert(&mut self, operation: u64) -> Result<()> {
        let row = row(self.seed, operation);
        self.server.query(&format!("INSERT INTO records VALUES ({operation}, '{row}')"), &NEVER)?;
        Ok(())
    }
}

/// The operations below number `acknowledged` whose rows are not in the cluster in `directory`, after its recovery.
pub fn find_lost(directory: &Path, seed: u64, acknowledged: u64) -> Vec<Loss> {
    let loss = |operation, what: &str| Loss { operation, action: "PostgreSQL".to_owned(), what: what.to_owned() };
    match rows(directory) {
        Err(error) => (0..acknowledged).map(|operation| loss(operation, &format!("{error:#}"))).collect(),
        Ok(rows) => {
            let find = |operation: u64| match rows.get(&operation) {
                None => Some(loss(operation, "there is no such row")),
                Some(found) => (*found != row(seed, operation)).then(|| loss(operation, "the row is another")),
            };
            (0..acknowledged).filter_map(find).collect()
        }
    }
}

/// The rows that PostgreSQL has after it has recovered.
fn rows(directory: &Path) -> Result<BTreeMap<u64, String>> {
    // No server runs here.
    let _ = fs::remove_file(directory.join(LOCK));
    let mut server = PostgreSql::at(directory)?;
    server.start(&NEVER)?;
    let answer = server.query("SELECT operation, record FROM records", &NEVER)?;
    server.stop(&NEVER)?;
    let row = |line: &str| {
        let (operation, record) = line.split_once('|')?;
        Some((operation.parse().ok()?, record.to_owned()))
    };
    Ok(answer.lines().filter_map(row).collect())
}

fn row(seed: u64, operation: u64) -> String {
    record(seed, operation)[..BYTES].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_or_lost() {
        let place = tempfile::tempdir().expect("temporary folder");
        fs::set_permissions(place.path(), std::os::unix::fs::PermissionsExt::from_mode(0o711)).expect("changed");
        let mut rows = Rows::begin(place.path(), 5).expect("begun");
        (0..3).for_each(|operation| rows.insert(operation).expect("acknowledged"));
        // As a power cut: the server is killed and leaves its lock file.
        drop(rows);
        assert_eq!(find_lost(place.path(), 5, 3), []);
        let lost = |seed, count| find_lost(place.path(), seed, count).iter().map(|it| it.operation).collect::<Vec<_>>();
        assert_eq!(lost(5, 4), [3], "a row that was never inserted");
        assert_eq!(lost(6, 3), [0, 1, 2], "other rows are wrong ones");
        fs::remove_file(place.path().join("postgresql/global/pg_control")).expect("there");
        assert!(find_lost(place.path(), 5, 1)[0].what.contains("pg_control"), "the server's words");
    }
}
