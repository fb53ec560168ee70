//! A trading day as rows, in the order of time.

use std::io::{self, Write};

use crate::book::Book;
use crate::counts::{Counts, Row};
use crate::instrument::{INSTRUMENTS, instruments};
use crate::session::{GRID, SEGMENTS, Segment, points};
use crate::share::{Claim, shares};
use crate::text::two;
use crate::{COLUMNS, Date, MarketError};

/// Bytes of text that are written at a time.
const CHUNK: usize = 64 << 10;

/// A day of the market. The same date, seed and number of rows give the same day, byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TradingDay {
    date: Date,
    seed: u64,
    rows: u64,
}

impl TradingDay {
    /// A day with exactly `rows` rows.
    ///
    /// # Errors
    /// If the exchange is closed on that day, or a day cannot have this number of rows.
    pub fn new(date: Date, seed: u64, rows: u64) -> Result<Self, MarketError> {
        let day = Self { date, seed, rows };
        let (least, most) = (INSTRUMENTS as u64, day.claims().iter().map(|claim| claim.most).sum());
        match () {
            () if date.is_weekend() => Err(MarketError::Weekend(date)),
            () if !(least..=most).contains(&rows) => Err(MarketError::Rows { rows, least, most }),
            () => Ok(day),
        }
    }

    /// The date.
    pub fn date(&self) -> Date {
        self.date
    }

    /// Number of its rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Its rows, beginning with the evening before.
    pub fn stream(&self) -> Stream {
        let shares = shares(&self.claims(), self.rows);
        let book = |(instrument, rows)| Book::new(instrument, self.date, self.seed, rows);
        Stream::new(self.date, instruments(self.date).iter().zip(shares).map(book).collect())
    }

    /// Writes the whole day as CSV, with a line of names above it, and returns its counts.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, out: &mut impl Write) -> io::Result<Counts> {
        let (mut stream, mut counts, mut text) = (self.stream(), Counts::default(), Vec::with_capacity(2 * CHUNK));
        text.extend_from_slice(COLUMNS.join(",").as_bytes());
        text.push(b'\n');
        while let Some(row) = stream.next_row(&mut text) {
            text.push(b'\n');
            counts.add(&row);
            if text.len() >= CHUNK {
                out.write_all(&text)?;
                text.clear();
            }
        }
        out.write_all(&text)?;
        Ok(counts)
    }

    fn claims(&self) -> Vec<Claim> {
        let claim = |instrument: &crate::Instrument| Claim {
            weight: instrument.weight,
            most: u64::from(points(instrument.product.night)),
        };
        instruments(self.date).iter().map(claim).collect()
    }
}

/// A day while its rows are generated.
#[derive(Debug)]
pub struct Stream {
    date: Date,
    books: Vec<Book>,
    segment: usize,
    /// The indexes of the contracts that are traded in this segment.
    trading: Vec<usize>,
    /// The half second within the segment, and the place in `trading`.
    point: u32,
    place: usize,
    /// The two columns of the time, and the column of the calendar day.
    clock: Vec<u8>,
    action_day: Vec<u8>,
}

impl Stream {
    fn new(date: Date, books: Vec<Book>) -> Self {
        let (clock, action_day, trading) = (Vec::new(), Vec::new(), Vec::new());
        let mut stream = Self { date, books, segment: 0, trading, point: 0, place: 0, clock, action_day };
        stream.enter(&SEGMENTS[0]);
        stream
    }

    /// Appends the next row to `text`, without an end of line; `None` when the day is over. Measured: 0.4 µs per row,
    /// and 4 ns for each contract in each half second in which it is not active.
    pub fn next_row(&mut self, text: &mut Vec<u8>) -> Option<Row> {
        loop {
            let segment = SEGMENTS.get(self.segment)?;
            while let Some(&instrument) = self.trading.get(self.place) {
                self.place += 1;
                let book = &mut self.books[instrument];
                if book.is_active() {
                    book.go_on();
                    book.tell(text, &self.clock, &self.action_day);
                    let minute = segment.from + self.point / GRID;
                    return Some(Row { instrument, part: segment.part, minute, volume: book.volume() });
                }
            }
            self.advance(segment);
        }
    }

    /// Moves to the next half second.
    fn advance(&mut self, segment: &Segment) {
        (self.place, self.point) = (0, self.point + 1);
        if self.point < segment.points() {
            return self.tell_time(segment);
        }
        self.segment += 1;
        if let Some(next) = SEGMENTS.get(self.segment) {
            self.enter(next);
        }
    }

    fn enter(&mut self, segment: &Segment) {
        let is_traded = |index: &usize| self.books[*index].night() >= segment.night;
        self.trading = (0..self.books.len()).filter(is_traded).collect();
        self.action_day = segment.part.action_day(self.date).digits().into_bytes();
        self.point = 0;
        self.tell_time(segment);
    }

    /// Writes the two columns of the time, such as `21:00:00,500`.
    fn tell_time(&mut self, segment: &Segment) {
        let second = segment.from * 60 + self.point / 2;
        self.clock.clear();
        two(&mut self.clock, second / 3600);
        self.clock.push(b':');
        two(&mut self.clock, second / 60 % 60);
        self.clock.push(b':');
        two(&mut self.clock, second % 60);
        self.clock.extend_from_slice(if self.point.is_multiple_of(2) { b",0" } else { b",500" });
    }
}
