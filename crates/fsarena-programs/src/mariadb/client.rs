//! Connections to the server on its private socket, and their errors.

use std::path::PathBuf;

use fsarena_engine::EngineError;
use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder};

#[derive(Debug, Clone)]
pub struct DatabaseClient {
    pub socket: PathBuf,
    pub database: &'static str,
}

impl DatabaseClient {
    pub fn make_database(&self) -> Result<(), EngineError> {
        let mut connection = self.open(None)?;
        connection.query_drop(format!("CREATE DATABASE {}", self.database)).map_err(refused("CREATE DATABASE"))
    }

    /// A connection to the database.
    pub fn connect(&self) -> Result<Conn, EngineError> {
        self.open(Some(self.database))
    }

    /// Lets the server check each page of each index of tables. <https://mariadb.com/kb/en/check-table/>
    pub fn require_sound(&self, tables: &[String]) -> Result<(), EngineError> {
        self.each_table("CHECK", tables, |rows| rows == ["status: OK"])
    }

    /// Lets the server update the statistics of tables, from which it chooses how to find rows.
    ///
    /// The server also updates them itself some time after a table has grown, but not twice within ten seconds. If a
    /// table was filled faster than that, the statistics say that it is nearly empty, and the server reads the whole
    /// table for each query. <https://mariadb.com/kb/en/analyze-table/>
    pub fn analyze(&self, tables: &[String]) -> Result<(), EngineError> {
        self.each_table("ANALYZE", tables, |rows| rows.iter().all(|line| line.starts_with("status: ")))
    }

    /// Number of rows that the server has read since its start, in sequence, from tables and from indexes.
    pub fn rows_read(&self) -> Result<u64, EngineError> {
        let mut connection = self.connect()?;
        let status = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Handler_read_next', 'Handler_read_rnd_next')";
        let rows: Vec<(String, u64)> = connection.query(status).map_err(refused("ask for its status"))?;
        Ok(rows.into_iter().map(|(_, count)| count).sum())
    }

    fn each_table(&self, act: &str, tables: &[String], is_well: impl Fn(&[String]) -> bool) -> Result<(), EngineError> {
        let mut connection = self.connect()?;
        for table in tables {
            let statement = format!("{act} TABLE {}.{table}", self.database);
            let rows: Vec<(String, String, String, String)> =
                connection.query(&statement).map_err(refused(&statement))?;
            let rows: Vec<String> = rows.into_iter().map(|(_, _, kind, text)| format!("{kind}: {text}")).collect();
            if !is_well(&rows) {
                return Err(EngineError::Wrong(format!("{statement} reports: {}", rows.join("; "))));
            }
        }
        Ok(())
    }

    pub fn rows(&self, table: &str) -> Result<u64, EngineError> {
        let found = self.connect()?.query_first(format!("SELECT COUNT(*) FROM {table}"));
        found.map(Option::unwrap_or_default).map_err(refused("count the rows"))
    }

    fn open(&self, database: Option<&str>) -> Result<Conn, EngineError> {
        let options = OptsBuilder::new().socket(Some(self.socket.display().to_string())).user(Some("root"));
        Conn::new(options.db_name(database)).map_err(refused("connect"))
    }
}

/// The error of a client when `act` fails.
pub fn refused(act: &str) -> impl FnOnce(mysql::Error) -> EngineError {
    move |error| EngineError::program("mariadbd")(format!("{act}: {error}"))
}
