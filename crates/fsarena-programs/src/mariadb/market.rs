//! Synthetic market data: trading days as rows of a table, in the order of time. The same seed gives the same rows.
//!
//! A row has the 44 columns of CTP's `CThostFtdcDepthMarketDataField`, and numbers with as many digits as on the Shanghai
//! exchange in 2016; they are drawn, and no market. Rows are not kept, so a day may have any length.

use std::fmt::Write;
use std::ops::Range;

use fsarena_engine::EngineError;
use fsarena_model::seed::generator;
use rand::RngExt;
use rand_pcg::Pcg64Mcg;

/// Names of the columns, as in a statement.
pub const COLUMNS: &str = "TradingDay,InstrumentID,ExchangeID,ExchangeInstID,LastPrice,PreSettlementPrice,PreClosePrice,\
    PreOpenInterest,OpenPrice,HighestPrice,LowestPrice,Volume,Turnover,OpenInterest,ClosePrice,SettlementPrice,\
    UpperLimitPrice,LowerLimitPrice,PreDelta,CurrDelta,UpdateTime,UpdateMillisec,BidPrice1,BidVolume1,AskPrice1,\
    AskVolume1,BidPrice2,BidVolume2,AskPrice2,AskVolume2,BidPrice3,BidVolume3,AskPrice3,AskVolume3,BidPrice4,BidVolume4,\
    AskPrice4,AskVolume4,BidPrice5,BidVolume5,AskPrice5,AskVolume5,AveragePrice,ActionDay";

/// Number of contracts that are traded on each day.
pub const CONTRACTS: usize = 162;
/// The traded products: each has twelve contracts, the last one has six.
const PRODUCTS: &str = "cualznpbnisnauagrbhcwrburufu";
/// Activity of the products, relative to each other.
const BY_PRODUCT: [u64; 14] = [90, 50, 70, 30, 100, 15, 60, 90, 100, 60, 1, 70, 90, 1];
/// Activity of a product's contracts: 10,000 / k^1.3 for the k-th month of delivery.
const BY_MONTH: [u64; 12] = [10_000, 4061, 2397, 1649, 1234, 974, 797, 670, 575, 501, 443, 395];

/// Half seconds per minute. A contract has at most one row in each.
const PER_MINUTE: u64 = 120;
/// Minutes of a trading day, which begins at nine o'clock.
pub const MINUTES: usize = 360;
const BEGIN: usize = 9 * 60;
/// Maximum number of rows of a day: each contract in each half second.
pub const MOST_ROWS: u64 = CONTRACTS as u64 * MINUTES as u64 * PER_MINUTE;

/// The time of a minute of the trading day, such as `09:00`.
pub fn time(minute: usize) -> String {
    format!("{:02}:{:02}", (BEGIN + minute) / 60, (BEGIN + minute) % 60)
}

/// The name of the contract with this number: product, year and month of delivery, such as `cu1604`.
pub fn contract(number: usize) -> String {
    format!("{}16{:02}", &PRODUCTS[number / 12 * 2..][..2], number % 12 + 1)
}

/// Sum of the activities of all contracts up to and including each.
const ACTIVITIES: [u64; CONTRACTS] = {
    let (mut sums, mut sum, mut contract) = ([0; CONTRACTS], 0, 0);
    while contract < CONTRACTS {
        sum += BY_PRODUCT[contract / 12] * BY_MONTH[contract % 12];
        sums[contract] = sum;
        contract += 1;
    }
    sums
};

/// A random contract. Its probability is proportional to its activity.
pub fn draw_contract(random: &mut Pcg64Mcg) -> usize {
    let drawn = random.random_range(0..ACTIVITIES[CONTRACTS - 1]);
    ACTIVITIES.partition_point(|sum| *sum <= drawn)
}

/// A day of a calendar whose months have 28 days, counted from the beginning of 2016.
fn date(number: u32) -> String {
    format!("{}{:02}{:02}", 2016 + number / 336, number / 28 % 12 + 1, number % 28 + 1)
}

/// A number of rows, and the sum of their column Volume.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    pub rows: u64,
    pub volume: u64,
}

impl Sum {
    pub fn of(sums: impl Iterator<Item = Self>) -> Self {
        sums.fold(Self::default(), |all, sum| Self { rows: all.rows + sum.rows, volume: all.volume + sum.volume })
    }

    /// Refuses `found` rows in `place` that are not these.
    pub fn require(self, found: Self, place: &str) -> Result<(), EngineError> {
        if found == self {
            return Ok(());
        }
        let (Self { rows, volume }, expected) = (found, self);
        Err(EngineError::Wrong(format!(
            "{place} has {rows} rows whose Volume sums up to {volume}, not {} and {}",
            expected.rows, expected.volume
        )))
    }

    pub fn add(&mut self, volume: u64) {
        self.rows += 1;
        self.volume += volume;
    }
}

/// The rows of a day, counted. These are the results that queries must find.
#[derive(Debug)]
pub struct RowCounts {
    /// Size of their values in statements, bytes.
    pub bytes: u64,
    pub all: Sum,
    by_minute: Vec<Sum>,
}

impl RowCounts {
    /// The rows of a contract in minutes of the trading day.
    pub fn within(&self, contract: usize, minutes: Range<usize>) -> Sum {
        Sum::of(self.by_minute[contract * MINUTES..][minutes].iter().copied())
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct MarketRow {
    /// Its values as in a statement: what is not known is NULL.
    pub values: String,
    contract: usize,
    minute: usize,
    volume: u64,
}

/// A trading day. Its rows are distributed evenly over its time.
#[derive(Debug, Clone, Copy)]
pub struct TradingDay {
    number: u32,
    seed: u64,
    rows: u64,
}

impl TradingDay {
    /// The trading day with this number; 0 is 11 April 2016. `rows` is at most [`MOST_ROWS`].
    pub fn new(number: u32, seed: u64, rows: u64) -> Self {
        Self { number: number + 3 * 28 + 10, seed, rows }
    }

    /// Its date, such as `20160411`.
    pub fn date(&self) -> String {
        date(self.number)
    }

    /// Its rows.
    pub fn rows(self) -> MarketRows {
        let random = generator(self.seed, "market", &[u64::from(self.number)]);
        MarketRows { day: self, next: 0, random, last: [None; CONTRACTS] }
    }

    pub fn counts(self) -> RowCounts {
        let mut counts =
            RowCounts { bytes: 0, all: Sum::default(), by_minute: vec![Sum::default(); CONTRACTS * MINUTES] };
        for row in self.rows() {
            counts.bytes += row.values.len() as u64;
            counts.all.add(row.volume);
            counts.by_minute[row.contract * MINUTES + row.minute].add(row.volume);
        }
        counts
    }
}

/// The rows of a day, while they are generated.
#[derive(Debug)]
pub struct MarketRows {
    day: TradingDay,
    next: u64,
    random: Pcg64Mcg,
    /// The half second of each contract's last row.
    last: [Option<u64>; CONTRACTS],
}

impl Iterator for MarketRows {
    type Item = MarketRow;

    fn next(&mut self) -> Option<MarketRow> {
        let moment = (self.next < self.day.rows).then(|| self.next * MINUTES as u64 * PER_MINUTE / self.day.rows)?;
        self.next += 1;
        let mut contract = draw_contract(&mut self.random);
        while self.last[contract] == Some(moment) {
            contract = (contract + 1) % CONTRACTS;
        }
        self.last[contract] = Some(moment);
        let volume = self.random.random_range(1..=MOST_VOLUME);
        let values = self.values(contract, moment, volume);
        Some(MarketRow { values, contract, minute: (moment / PER_MINUTE) as usize, volume })
    }
}

/// The difference between two prices, in yuan.
const TICK: u64 = 3;
/// Most ticks between a price and the price at which the day began.
const MOST_TICKS: u64 = 64;
/// Most contracts that are traded until a row.
const MOST_VOLUME: u64 = 200_000;

impl MarketRows {
    fn values(&mut self, contract: usize, moment: u64, volume: u64) -> String {
        let (day, name, open) = (self.day.date(), self::contract(contract), (2200 + 24 * contract as u64) * TICK);
        let (lowest, highest) = (open - MOST_TICKS * TICK, open + MOST_TICKS * TICK);
        let last = lowest + self.random.random_range(0..=2 * MOST_TICKS) * TICK;
        let interest = self.random.random_range(200_000..400_000);
        let (minute, half) = ((moment / PER_MINUTE) as usize, moment % PER_MINUTE);
        let mut values = format!(
            "{day},'{name}','SHFE','{name}',{last},{},{},300000,{open},{highest},{lowest},{volume},{},{interest},\
             NULL,NULL,{},{},NULL,NULL,'{}:{:02}',{}",
            open + 3 * TICK,
            open - 2 * TICK,
            volume * last * 10,
            open * 105 / 100,
            open * 95 / 100,
            time(minute),
            half / 2,
            half % 2 * 500
        );
        for depth in 0..5 {
            let [bid, ask] = [(); 2].map(|()| self.random.random_range(1..=200));
            let _ = write!(values, ",{},{bid},{},{ask}", last - depth * TICK, last + (depth + 1) * TICK);
        }
        let _ = write!(values, ",{last}.{:02},{day}", volume % 100);
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn field<'a>(row: &'a MarketRow, name: &str) -> &'a str {
        let place = COLUMNS.split(',').position(|column| column == name).expect("a column");
        row.values.split(',').nth(place).expect("a field").trim_matches('\'')
    }

    fn moment(row: &MarketRow) -> [String; 3] {
        ["ActionDay", "UpdateTime", "UpdateMillisec"].map(|name| format!("{:0>8}", field(row, name)))
    }

    #[test]
    fn the_same_seed_gives_the_same_rows() {
        let rows = |number, seed| TradingDay::new(number, seed, 1000).rows().collect::<Vec<_>>();
        assert_eq!(rows(0, 1), rows(0, 1));
        assert_ne!(rows(0, 1), rows(0, 2));
        let [one, two] = [rows(0, 1), rows(1, 1)];
        assert_ne!(one[999].values[8..], two[999].values[8..], "each day has its own numbers");
        assert_eq!([one, two].map(|rows| field(&rows[0], "TradingDay").to_owned()), ["20160411", "20160412"]);
    }

    /// As measured with a simulation of the exchange: 231 bytes of CSV, and most of the rows are of few contracts.
    #[test]
    fn rows_have_the_size_and_the_contracts_of_an_exchange() {
        let of_csv = |row: MarketRow| row.values.replace("NULL", "").replace('\'', "").len() + "\n".len();
        let bytes: usize = TradingDay::new(0, 1, 10_000).rows().map(of_csv).sum();
        assert_eq!(bytes / 10_000, 230);
        // With more rows the active contracts would have one in each half second, and others the rest.
        let counts = TradingDay::new(0, 1, 150_000).counts();
        let shares = (0..CONTRACTS).map(|contract| counts.within(contract, 0..MINUTES).rows as f64 / 150_000.0);
        let squares: f64 = shares.map(|share| share * share).sum();
        assert!((0.02..0.025).contains(&squares), "{squares}");
        assert_eq!(COLUMNS.split(',').count(), 44);
    }

    #[test]
    fn a_contract_has_one_row_at_a_time_and_rows_are_in_the_order_of_time() {
        let rows: Vec<MarketRow> = TradingDay::new(0, 4, 100_000).rows().collect();
        assert!(rows.windows(2).all(|pair| moment(&pair[0]) <= moment(&pair[1])));
        let mut moments = BTreeSet::new();
        assert!(rows.iter().all(|row| moments.insert((row.contract, moment(row)))));
        assert_eq!(moment(&rows[0]), ["20160411", "09:00:00", "00000000"]);
        assert_eq!(moment(&rows[99_999]), ["20160411", "14:59:59", "00000500"]);
        let each_half_second: Vec<MarketRow> = TradingDay::new(0, 4, MOST_ROWS).rows().take(3 * CONTRACTS).collect();
        for rows in each_half_second.chunks(CONTRACTS) {
            assert!(moment(&rows[0]) == moment(&rows[CONTRACTS - 1]));
            assert_eq!(rows.iter().map(|row| row.contract).collect::<BTreeSet<_>>().len(), CONTRACTS);
        }
    }
}
