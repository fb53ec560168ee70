//! A1: several threads query windows of market data at the same time. Each answer is compared with the expected rows.

use std::io;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Limit, Operation, RunStats};
use fsarena_market::{COLUMNS, Counts, Instrument, Part, TradingDay, Window, instruments};
use fsarena_model::seed::scatter;
use fsarena_model::{Nanos, Probe};
use mysql::prelude::Queryable;
use mysql::{Conn, Params, Row, Statement, Value};

use super::client::{Client, LatencyOverTime, refused, together, with_own_flag};
use super::parameters::Parameters;
use super::{Work, schema};

const QUERY: &str = "SELECT * FROM shfedepth WHERE InstrumentID = ? AND TradingDay = ? AND ActionDay = ? AND UpdateTime >= ? \
                     AND UpdateTime < ? ORDER BY UpdateTime, UpdateMillisec";
/// How many windows are tried until one has rows.
const TRIES: u64 = 50;

/// The queries of all threads.
pub struct Queries {
    days: Vec<TradingDay>,
    truth: Vec<Counts>,
    of_threads: Vec<Vec<Query>>,
}

/// One query, and the rows that it must find.
#[derive(Debug, Clone, PartialEq)]
struct Query {
    /// Contract, trading day, calendar day, first window, window after the last.
    asked: [String; 5],
    rows: u64,
    /// The sum of their Volume.
    volume: u64,
}

impl Queries {
    /// Queries that follow from `seed`.
    ///
    /// # Errors
    /// If the parameters are invalid, or no window of this length with rows is found.
    pub fn new(parameters: &Parameters, seed: u64) -> Result<Self, EngineError> {
        let days = parameters.trading_days(seed).map_err(|error| EngineError::Wrong(error.to_string()))?;
        let known: Vec<Known> = days
            .iter()
            .map(Known::of)
            .collect::<io::Result<_>>()
            .map_err(EngineError::io("count the rows of a day"))?;
        let minutes = parameters.window_minutes.unwrap_or(1);
        let query = |thread: u32, number: u32| {
            let mut draws = Draws(scatter(seed ^ (u64::from(thread) << 32 | u64::from(number))));
            let day = &known[draws.below(known.len() as u64) as usize];
            let found = (0..TRIES).map(|_| day.query(&mut draws, minutes)).find(|query| query.rows > 0);
            found.ok_or_else(|| EngineError::Wrong(format!("{TRIES} windows of {minutes} minutes have no rows")))
        };
        let queries = parameters.queries.unwrap_or_default();
        let list = |thread| (0..queries).map(|number| query(thread, number)).collect();
        let of_threads = (0..parameters.threads).map(list).collect::<Result<_, EngineError>>()?;
        let truth = known.into_iter().map(|day| day.counts).collect();
        Ok(Self { days, truth, of_threads })
    }
}

/// Random numbers of one query.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        ((u128::from(scatter(self.0)) * u128::from(bound)) >> 64) as u64
    }
}

/// A trading day and the numbers of its rows.
struct Known {
    day: TradingDay,
    instruments: Vec<Instrument>,
    counts: Counts,
    /// Number of rows of all contracts up to and including each.
    up_to: Vec<u64>,
}

impl Known {
    fn of(day: &TradingDay) -> io::Result<Self> {
        let counts = day.write(&mut io::sink())?;
        let instruments = instruments(day.date());
        let add = |sum: &mut u64, instrument| {
            *sum += counts.of(instrument);
            Some(*sum)
        };
        let up_to = (0..instruments.len()).scan(0, add).collect();
        Ok(Self { day: *day, instruments, counts, up_to })
    }

    /// A random window of a random contract. The probability of a contract is proportional to its rows.
    fn query(&self, draws: &mut Draws, minutes: u32) -> Query {
        let drawn = draws.below(self.counts.rows);
        let instrument = self.up_to.partition_point(|rows| *rows <= drawn);
        let part = Part::ALL[draws.below(Part::ALL.len() as u64) as usize];
        let from = part.first_minute() + draws.below(u64::from(part.minutes() - minutes + 1)) as u32;
        let window = Window { instrument, part, from, minutes };
        let [first, last] = window.times();
        let (date, action_day) = (self.day.date(), window.action_day(self.day.date()));
        let id = self.instruments[instrument].id.clone();
        let asked = [id, date.to_string(), action_day.to_string(), first, last];
        Query { asked, rows: self.counts.within(&window), volume: self.counts.volume_within(&window) }
    }
}

impl Work for Queries {
    fn fill(&mut self, client: &Client, stop: &AtomicBool) -> Result<(), EngineError> {
        let mut connection = client.connect()?;
        connection.query_drop(schema::shfedepth()).map_err(refused("CREATE TABLE"))?;
        for day in &self.days {
            with_own_flag(stop, |stop| schema::load(&mut connection, *day, stop))?;
        }
        schema::require_all(&mut connection, &self.truth)?;
        client.analyze(self.database(), &self.tables())
    }

    fn run(&mut self, client: &Client, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let prepared = |(mut connection, queries): (Conn, _)| {
            let statement = connection.prep(QUERY).map_err(refused("prepare the query"))?;
            Ok((connection, statement, queries))
        };
        let connections = client.connect_all(self.of_threads.len() as u32)?;
        let workers: Vec<(Conn, Statement, &[Query])> = connections
            .into_iter()
            .zip(self.of_threads.iter().map(Vec::as_slice))
            .map(prepared)
            .collect::<Result<_, EngineError>>()?;
        let before = client.rows_read()?;
        let done = together(workers, limit, stats, |(mut connection, statement, queries), course| {
            ask_all(&mut connection, &statement, queries, course)
        })?;
        stats
            .reported
            .push((Probe::of_program("mariadb.rows", "rows"), done.iter().map(|(rows, _)| *rows as f64).sum()));
        // Far more rows than were asked for, if the server scans the whole table.
        stats
            .reported
            .push((Probe::of_program("mariadb.rows-read", "rows"), client.rows_read()?.saturating_sub(before) as f64));
        stats.reported.extend(percentile_95(done.into_iter().flat_map(|(_, latencies)| latencies).collect()));
        Ok(())
    }

    fn check(&self, client: &Client) -> Result<(), EngineError> {
        schema::require_all(&mut client.connect()?, &self.truth)
    }
}

impl Query {
    /// Refuses rows that differ from the expected ones.
    fn require(&self, found: &Found) -> Result<(), EngineError> {
        let Self { asked: [id, day, action_day, from, until], rows, volume } = self;
        let place = format!("{id} on {action_day} from {from} to {until} (trading day {day})");
        match () {
            () if (found.rows, found.volume) != (*rows, *volume) => Err(EngineError::Wrong(format!(
                "{place} has {} rows whose Volume sums up to {}, not {rows} and {volume}",
                found.rows, found.volume
            ))),
            () if !found.is_in_order => {
                Err(EngineError::Wrong(format!("the rows of {place} are not in order of time")))
            }
            () => Ok(()),
        }
    }
}

/// The rows that a query found.
struct Found {
    rows: u64,
    volume: u64,
    /// Whether each row is later than the one before. A contract has at most one row at a time.
    is_in_order: bool,
    last: Option<[Value; 2]>,
    /// Positions of Volume, UpdateTime and UpdateMillisec in a row.
    places: [usize; 3],
}

impl Found {
    fn new() -> Self {
        // The column `id` comes first.
        let place = |wanted| COLUMNS.iter().position(|name| *name == wanted).map_or(0, |place| place + 1);
        let places = ["Volume", "UpdateTime", "UpdateMillisec"].map(place);
        Self { rows: 0, volume: 0, is_in_order: true, last: None, places }
    }

    /// This is inside the timer. It allocates nothing, and takes little time compared with the fetch of 45 columns.
    fn add(&mut self, row: &Row) {
        let [volume, time, millisec] = self.places;
        let window = [time, millisec].map(|place| row.as_ref(place).cloned().unwrap_or(Value::NULL));
        self.is_in_order &= self.last.as_ref().is_none_or(|last| *last < window);
        self.last = Some(window);
        self.rows += 1;
        self.volume += row.get_opt::<u64, _>(volume).and_then(Result::ok).unwrap_or(0);
    }
}

/// Runs one thread's queries. Returns the number of rows that it got and the latency of each query.
fn ask_all(
    connection: &mut Conn,
    statement: &Statement,
    queries: &[Query],
    course: &mut LatencyOverTime<'_>,
) -> Result<(u64, Vec<Nanos>), EngineError> {
    let (mut rows, mut latencies) = (0, Vec::with_capacity(queries.len()));
    for query in queries {
        if !course.goes_on() {
            break;
        }
        let (found, latency) = course.timed(Operation::Read, || ask(connection, statement, query))?;
        query.require(&found)?;
        rows += found.rows;
        latencies.push(latency);
    }
    Ok((rows, latencies))
}

/// Runs a query and decodes each row, as an application does.
fn ask(connection: &mut Conn, statement: &Statement, query: &Query) -> Result<Found, EngineError> {
    let asked = Params::Positional(query.asked.iter().map(|value| value.as_str().into()).collect());
    let mut found = Found::new();
    for row in connection.exec_iter(statement, asked).map_err(refused("query"))? {
        found.add(&row.map_err(refused("fetch a row"))?);
    }
    Ok(found)
}

/// The 95th percentile of the latencies (nearest rank).
fn percentile_95(mut latencies: Vec<Nanos>) -> Option<(Probe, f64)> {
    latencies.sort_unstable();
    let place = (latencies.len() * 95).div_ceil(100).checked_sub(1)?;
    Some((Probe::of_program("mariadb.latency.p95", "s"), latencies[place].as_seconds()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mariadb::parameters::Task;

    fn parameters() -> Parameters {
        let given =
            serde_json::json!({ "task": "query", "rows": 20_000, "threads": 3, "queries": 20, "window-minutes": 30 });
        serde_json::from_value(given).expect("parameters")
    }

    #[test]
    fn the_same_seed_asks_the_same_and_each_thread_something_else() {
        let of = |seed| Queries::new(&parameters(), seed).expect("queries").of_threads;
        let one = of(1);
        assert_eq!(parameters().task, Task::Query);
        assert_eq!(one, of(1));
        assert_ne!(one, of(2));
        assert_ne!(one[0], one[1]);
        assert!(one.iter().all(|queries| queries.len() == 20 && queries.iter().all(|query| query.rows > 0)));
    }

    #[test]
    fn other_rows_than_there_must_be_are_refused() {
        let asked = ["cu1606", "2016-04-11", "2016-04-08", "21:00:00", "21:30:00"].map(str::to_owned);
        let query = Query { asked, rows: 2, volume: 30 };
        let found = |rows, volume, is_in_order| Found { rows, volume, is_in_order, ..Found::new() };
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

    #[test]
    fn the_percentile_is_one_of_the_latencies() {
        let latencies = (1..=100).rev().map(Nanos::seconds).collect();
        assert_eq!(percentile_95(latencies).map(|(_, seconds)| seconds), Some(95.0));
        assert_eq!(percentile_95(vec![Nanos::seconds(3)]).map(|(_, seconds)| seconds), Some(3.0));
        assert_eq!(percentile_95(Vec::new()), None);
    }
}
