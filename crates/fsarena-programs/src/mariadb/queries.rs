//! A1: several threads query windows of market data at the same time. Each answer is compared with the expected rows.

use std::sync::atomic::AtomicBool;

use fsarena_engine::workers::{Timer, Worker, WorkerStyle, Workers};
use fsarena_engine::{EngineError, Limit, Operation, RunStats};
use fsarena_model::Probe;
use fsarena_model::seed::generator;
use fsarena_sys::clock;
use mysql::prelude::Queryable;
use mysql::{Conn, Params, Row, Statement, Value};
use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use super::client::{DatabaseClient, refused};
use super::market::{COLUMNS, MINUTES, RowCounts, Sum, TradingDay, contract, draw_contract, time};
use super::parameters::MariaDbParameters;
use super::{ClientWork, schema};

const QUERY: &str = "SELECT * FROM shfedepth WHERE InstrumentID = ? AND TradingDay = ? AND UpdateTime >= ? \
                     AND UpdateTime < ? ORDER BY UpdateTime, UpdateMillisec";
/// How many windows are tried until one has rows.
const TRIES: u64 = 50;

pub struct Queries {
    days: Vec<TradingDay>,
    all: Sum,
    of_threads: Vec<Vec<Query>>,
}

/// One query, and the rows that it must find.
#[derive(Debug, Clone, PartialEq)]
struct Query {
    /// Contract, trading day, first minute, minute after the last.
    asked: [String; 4],
    expected: Sum,
}

impl Queries {
    /// Queries that follow from `seed`.
    ///
    /// # Errors
    /// If no window of this length with rows is found.
    pub fn new(parameters: &MariaDbParameters, seed: u64) -> Result<Self, EngineError> {
        let days = parameters.trading_days(seed);
        let known: Vec<(TradingDay, RowCounts)> = days.iter().map(|day| (*day, day.counts())).collect();
        let minutes = parameters.window_minutes.unwrap_or(1) as usize;
        let query = |thread: u32, number: u32| {
            let mut random = generator(seed, "query", &[thread.into(), number.into()]);
            let (day, counts) = &known[random.random_range(0..known.len())];
            let mut windows = (0..TRIES).map(|_| Query::new(*day, counts, minutes, &mut random));
            windows
                .find(|query| query.expected.rows > 0)
                .ok_or_else(|| EngineError::Wrong(format!("{TRIES} windows of {minutes} minutes have no rows")))
        };
        let queries = parameters.queries.unwrap_or_default();
        let list = |thread| (0..queries).map(|number| query(thread, number)).collect();
        let of_threads = (0..parameters.threads).map(list).collect::<Result<_, EngineError>>()?;
        Ok(Self { days, all: Sum::of(known.iter().map(|(_, counts)| counts.all)), of_threads })
    }
}

impl ClientWork for Queries {
    fn fill(&mut self, client: &DatabaseClient, stop: &AtomicBool) -> Result<(), EngineError> {
        let mut connection = client.connect()?;
        connection.query_drop(schema::shfedepth()).map_err(refused("CREATE TABLE"))?;
        for day in &self.days {
            schema::load(&mut connection, *day, stop, &mut RunStats::new())?;
        }
        schema::require_all(&mut connection, self.all)?;
        client.analyze(&self.tables())
    }

    fn run(&mut self, client: &DatabaseClient, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let askers: Result<Vec<Asker<'_>>, _> = self.of_threads.iter().map(|own| Asker::new(client, own)).collect();
        let mut askers = Workers::new(askers?, WorkerStyle::Threads);
        let before = client.rows_read()?;
        askers.run(limit, stats)?;
        let found = askers.total(|asker| asker.rows) as f64;
        // Far more rows than were asked for, if the server scans the whole table.
        let read = client.rows_read()?.saturating_sub(before) as f64;
        let figures = [("mariadb.rows", found), ("mariadb.rows-read", read)];
        stats.reported.extend(figures.map(|(name, rows)| (Probe::of_program(name, "rows"), rows)));
        Ok(())
    }

    fn check(&self, client: &DatabaseClient) -> Result<(), EngineError> {
        schema::require_all(&mut client.connect()?, self.all)
    }
}

impl Query {
    fn new(day: TradingDay, counts: &RowCounts, minutes: usize, random: &mut Pcg64Mcg) -> Self {
        let number = draw_contract(random);
        let from = random.random_range(0..=MINUTES - minutes);
        let until = from + minutes;
        let asked = [contract(number), day.date(), time(from), time(until)];
        Self { asked, expected: counts.within(number, from..until) }
    }

    fn require(&self, found: &FoundRows) -> Result<(), EngineError> {
        let Self { asked: [id, day, from, until], expected } = self;
        let place = format!("{id} on {day} from {from} to {until}");
        if !found.is_in_order && found.sum == *expected {
            return Err(EngineError::Wrong(format!("the rows of {place} are not in order of time")));
        }
        expected.require(found.sum, &place)
    }
}

struct FoundRows {
    sum: Sum,
    /// Whether each row is later than the one before. A contract has at most one row at a time.
    is_in_order: bool,
    last: Option<[Value; 2]>,
    /// Positions of Volume, UpdateTime and UpdateMillisec in a row.
    places: [usize; 3],
}

impl FoundRows {
    fn new() -> Self {
        // The column `id` comes first.
        let place = |wanted| COLUMNS.split(',').position(|name| name == wanted).map_or(0, |place| place + 1);
        let places = ["Volume", "UpdateTime", "UpdateMillisec"].map(place);
        Self { sum: Sum::default(), is_in_order: true, last: None, places }
    }

    /// This is inside the timer. It allocates nothing, and takes little time compared with the fetch of 45 columns.
    fn add(&mut self, row: &Row) {
        let [volume, second, millisec] = self.places;
        let window = [second, millisec].map(|place| row.as_ref(place).cloned().unwrap_or(Value::NULL));
        self.is_in_order &= self.last.as_ref().is_none_or(|last| *last < window);
        self.last = Some(window);
        self.sum.add(row.get_opt(volume).and_then(Result::ok).unwrap_or(0));
    }
}

/// A connection with its queries.
struct Asker<'a> {
    connection: Conn,
    statement: Statement,
    queries: &'a [Query],
    /// Number of rows that it got.
    rows: u64,
}

impl<'a> Asker<'a> {
    fn new(client: &DatabaseClient, queries: &'a [Query]) -> Result<Self, EngineError> {
        let mut connection = client.connect()?;
        let statement = connection.prep(QUERY).map_err(refused("prepare the query"))?;
        Ok(Self { connection, statement, queries, rows: 0 })
    }
}

impl Worker for Asker<'_> {
    /// Each answer is checked after its time is taken.
    fn work(&mut self, timer: Timer<'_>) -> Result<(), EngineError> {
        let mut meter = timer.start()?;
        for query in self.queries {
            if meter.is_over() {
                break;
            }
            let begin = clock::now();
            let found = ask(&mut self.connection, &self.statement, query)?;
            meter.done(Operation::Read, begin, 0);
            query.require(&found)?;
            self.rows += found.sum.rows;
        }
        meter.stop();
        Ok(())
    }
}

/// Runs a query and decodes each row, as an application does.
fn ask(connection: &mut Conn, statement: &Statement, query: &Query) -> Result<FoundRows, EngineError> {
    let asked = Params::Positional(query.asked.iter().map(|value| value.as_str().into()).collect());
    let mut found = FoundRows::new();
    for row in connection.exec_iter(statement, asked).map_err(refused("query"))? {
        found.add(&row.map_err(refused("fetch a row"))?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mariadb::parameters::MariaDbTask;

    fn parameters() -> MariaDbParameters {
        let given =
            serde_json::json!({ "task": "query", "rows": 20_000, "threads": 3, "queries": 20, "window-minutes": 30 });
        serde_json::from_value(given).expect("parameters")
    }

    #[test]
    fn the_same_seed_asks_the_same_and_each_thread_something_else() {
        let of = |seed| Queries::new(&parameters(), seed).expect("queries").of_threads;
        let one = of(1);
        assert_eq!(parameters().task, MariaDbTask::Query);
        assert_eq!(one, of(1));
        assert_ne!(one, of(2));
        assert_ne!(one[0], one[1]);
        assert!(one.iter().all(|queries| queries.len() == 20 && queries.iter().all(|query| query.expected.rows > 0)));
    }

    #[test]
    fn other_rows_than_there_must_be_are_refused() {
        let asked = ["cu1606", "20160411", "09:00", "09:30"].map(str::to_owned);
        let query = Query { asked, expected: Sum { rows: 2, volume: 30 } };
        let found =
            |rows, volume, is_in_order| FoundRows { sum: Sum { rows, volume }, is_in_order, ..FoundRows::new() };
        assert!(query.require(&found(2, 30, true)).is_ok());
        for (wrong, word) in [
            (found(1, 30, true), "has 1 rows"),
            (found(2, 31, true), "sums up to 31, not 2 and 30"),
            (found(2, 30, false), "not in order of time"),
        ] {
            let error = query.require(&wrong).expect_err("refused").to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
