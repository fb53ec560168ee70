//! The market data of a futures exchange for one day, as a stream of CSV lines. The same seed gives the same data.
//!
//! The exchange is that of Shanghai (SHFE) as it was in 2016: 162 contracts, and at most one snapshot of each active
//! contract per 500 ms, in the 44 columns of CTP's `CThostFtdcDepthMarketDataField`. Generated rows are not kept, so a
//! day may have any length. There is no floating point, so the data have the same bytes on every machine.

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

pub use counts::{Counts, Row, Window};
pub use date::Date;
pub use day::{Stream, TradingDay};
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

/// The reason why a day cannot be generated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum MarketError {
    /// The text is not a date.
    #[error("`{0}` is no date such as 2016-04-11")]
    NoDate(String),
    /// The exchange is closed on that day.
    #[error("{0} is a day of a weekend, on which nothing is traded")]
    Weekend(Date),
    /// More or fewer rows than a day can have.
    #[error("{rows} rows: a day has {least} (one for each contract) to {most} (each active in each half second)")]
    Rows { rows: u64, least: u64, most: u64 },
}
