//! A day of a futures exchange's market data, the same for the same seed, as a stream of CSV lines.
//!
//! The exchange is that of Shanghai (SHFE) as it was in 2016: 162 contracts, a snapshot of each active one every 500 ms at most, in
//! the 44 columns of CTP's `CThostFtdcDepthMarketDataField`. Nothing is kept of what has been told, so a day may be as long as it likes;
//! and there is no floating point anywhere, so that it has the same bytes on every machine.

mod book;
mod counts;
mod date;
mod day;
mod instrument;
mod random;
mod session;
mod share;
mod summary;
mod text;

pub use counts::{Counts, Window};
pub use date::Date;
pub use day::{Row, Stream, TradingDay};
pub use instrument::{INSTRUMENTS, Instrument, instruments};
pub use session::Part;
pub use summary::Summary;

/// The columns, in order.
pub const COLUMNS: [&str; 44] = [
    "TradingDay",
    "InstrumentID",
    "ExchangeID",
    "ExchangeInstID",
    "LastPrice",
    "PreSettlementPrice",
    "PreClosePrice",
    "PreOpenInterest",
    "OpenPrice",
    "HighestPrice",
    "LowestPrice",
    "Volume",
    "Turnover",
    "OpenInterest",
    "ClosePrice",
    "SettlementPrice",
    "UpperLimitPrice",
    "LowerLimitPrice",
    "PreDelta",
    "CurrDelta",
    "UpdateTime",
    "UpdateMillisec",
    "BidPrice1",
    "BidVolume1",
    "AskPrice1",
    "AskVolume1",
    "BidPrice2",
    "BidVolume2",
    "AskPrice2",
    "AskVolume2",
    "BidPrice3",
    "BidVolume3",
    "AskPrice3",
    "AskVolume3",
    "BidPrice4",
    "BidVolume4",
    "AskPrice4",
    "AskVolume4",
    "BidPrice5",
    "BidVolume5",
    "AskPrice5",
    "AskVolume5",
    "AveragePrice",
    "ActionDay",
];

/// Why there is no such day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MarketError {
    /// Not a date.
    #[error("`{0}` is no date such as 2016-04-11")]
    NoDate(String),
    /// The exchange is closed.
    #[error("{0} is a day of a weekend, on which nothing is traded")]
    Weekend(Date),
    /// More or fewer rows than a day can have.
    #[error("{rows} rows: a day has {least} (one for each contract) to {most} (each active in each half second)")]
    Rows {
        /// How many were wanted.
        rows: u64,
        /// The fewest.
        least: u64,
        /// The most.
        most: u64,
    },
}
