//! The market of one contract: when it is active, how its price moves, and how its rows are written.

use std::ops::RangeInclusive;

use crate::Date;
use crate::instrument::{Instrument, Product};
use crate::random::Random;
use crate::session::{Night, points};
use crate::text::{hundredths, number};

/// Number of prices on each side.
const DEPTH: u64 = 5;

/// A contract during a day. Prices are in ticks.
#[derive(Debug)]
pub struct Book {
    product: &'static Product,
    random: Random,
    /// Its first four columns.
    names: Vec<u8>,
    /// The values of the day before: three columns.
    before: Vec<u8>,
    /// The columns from the price at the close to the change of delta. They are not known during a day: all are empty
    /// except the limits.
    limits: Vec<u8>,
    /// The lowest and the highest price that the exchange allows on this day.
    allowed: RangeInclusive<u64>,
    last: u64,
    open: u64,
    highest: u64,
    lowest: u64,
    /// Contracts traded since the day began.
    volume: u64,
    /// Turnover, in hundredths of a yuan.
    turnover: u64,
    open_interest: u64,
    /// Rows that are left, and half seconds that are left for them.
    wanted: u64,
    left: u64,
}

/// The first values of a contract's day.
struct Start {
    /// The settlement price and the closing price of the day before, and the first price of this day.
    settlement: u64,
    close: u64,
    last: u64,
    open_interest: u64,
}

impl Start {
    /// Draws the values in the order of the fields.
    fn of(instrument: &Instrument, random: &mut Random) -> Self {
        let mut around = |middle: u64, most: u64| middle - most + random.below(2 * most + 1);
        let settlement = around(instrument.product.price, instrument.product.price / 50);
        let (close, last) = (around(settlement, 10), around(settlement, 5));
        let open_interest = 1000 + random.below(400 * instrument.weight.min(1000));
        Self { settlement, close, last, open_interest }
    }
}

impl Book {
    /// The book of a contract on a day on which it has `rows` rows.
    pub fn new(instrument: &Instrument, date: Date, seed: u64, rows: u64) -> Self {
        let mut random = Random::of(seed, date.number(), &instrument.id);
        let Start { settlement, close, last, open_interest } = Start::of(instrument, &mut random);
        let mut book = Self {
            product: instrument.product,
            random,
            names: format!("{},{id},SHFE,{id},", date.digits(), id = instrument.id).into_bytes(),
            before: Vec::new(),
            limits: b",,".to_vec(),
            allowed: (settlement * 95).div_ceil(100)..=settlement * 105 / 100,
            last,
            open: last,
            highest: last,
            lowest: last,
            volume: 0,
            turnover: 0,
            open_interest,
            wanted: rows,
            left: u64::from(points(instrument.product.night)),
        };
        book.describe(settlement, close);
        book
    }

    /// Writes the columns that do not change during the day.
    fn describe(&mut self, settlement: u64, close: u64) {
        let mut before = Vec::new();
        for price in [settlement, close] {
            self.price(&mut before, price);
            before.push(b',');
        }
        number(&mut before, self.open_interest);
        let mut limits = std::mem::take(&mut self.limits);
        self.price(&mut limits, *self.allowed.end());
        limits.push(b',');
        self.price(&mut limits, *self.allowed.start());
        limits.extend_from_slice(b",,");
        (self.before, self.limits) = (before, limits);
    }

    /// How long it is traded at night.
    pub fn night(&self) -> Night {
        self.product.night
    }

    /// Contracts traded since the day began.
    pub fn volume(&self) -> u64 {
        self.volume
    }

    /// Whether it is active in the next half second. Over the day it is active once per row, with equal probability in
    /// each half second (selection sampling, Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm S).
    #[inline]
    pub fn is_active(&mut self) -> bool {
        let is = self.random.below(self.left) < self.wanted;
        self.left -= 1;
        self.wanted -= u64::from(is);
        is
    }

    /// Advances the market. The price moves a tick up or down half of the time, and never beyond its limits.
    #[inline]
    pub fn go_on(&mut self) {
        let bits = self.random.next();
        self.last = match bits & 3 {
            0 => (self.last + 1).min(*self.allowed.end()),
            1 => (self.last - 1).max(*self.allowed.start()),
            _ => self.last,
        };
        if self.volume == 0 {
            (self.open, self.highest, self.lowest) = (self.last, self.last, self.last);
        }
        self.highest = self.highest.max(self.last);
        self.lowest = self.lowest.min(self.last);
        let byte = (bits >> 8) & 0xff;
        // Mostly few contracts, sometimes 63. The first snapshot contains the first trade.
        let traded = ((byte * byte) >> 10) + u64::from(self.volume == 0);
        self.volume += traded;
        self.turnover += traded * self.last * self.product.tick * self.product.multiplier;
        // Each trade opens positions, closes some, or both.
        let opened = (((bits >> 16) & 0xffff) * (2 * traded + 1)) >> 16;
        self.open_interest = (self.open_interest + opened).saturating_sub(traded);
    }

    /// Appends the row, without its end of line. `clock` is its time in two columns.
    pub fn tell(&mut self, line: &mut Vec<u8>, clock: &[u8], action_day: &[u8]) {
        line.extend_from_slice(&self.names);
        self.price(line, self.last);
        line.push(b',');
        line.extend_from_slice(&self.before);
        for price in [self.open, self.highest, self.lowest] {
            line.push(b',');
            self.price(line, price);
        }
        for value in [self.volume, self.turnover / 100, self.open_interest] {
            line.push(b',');
            number(line, value);
        }
        line.push(b',');
        line.extend_from_slice(&self.limits);
        line.push(b',');
        line.extend_from_slice(clock);
        self.depth(line);
        line.push(b',');
        hundredths(line, self.turnover / self.volume);
        line.push(b',');
        line.extend_from_slice(action_day);
    }

    /// Appends bids from the last price downwards, and asks above it. There are none beyond the limits.
    #[inline]
    fn depth(&mut self, line: &mut Vec<u8>) {
        let draws = [self.random.next(), self.random.next()];
        let amount = |side: usize, place: u64| 1 + ((((draws[side] >> (8 * place)) & 0xff) * 200) >> 8);
        for place in 0..DEPTH {
            let (bid, ask) = (self.last - place, self.last + place + 1);
            self.offer(line, (bid >= *self.allowed.start()).then_some(bid), amount(0, place));
            self.offer(line, (ask <= *self.allowed.end()).then_some(ask), amount(1, place));
        }
    }

    #[inline]
    fn offer(&self, line: &mut Vec<u8>, price: Option<u64>, amount: u64) {
        line.push(b',');
        if let Some(price) = price {
            self.price(line, price);
        }
        line.push(b',');
        number(line, if price.is_some() { amount } else { 0 });
    }

    /// A price, with decimals only where a tick has some.
    #[inline]
    fn price(&self, line: &mut Vec<u8>, ticks: u64) {
        let value = ticks * self.product.tick;
        if self.product.tick.is_multiple_of(100) { number(line, value / 100) } else { hundredths(line, value) }
    }
}
