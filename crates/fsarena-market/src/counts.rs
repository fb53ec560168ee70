//! The number of rows per contract and minute, and the sums of their volumes. These are the results that queries must
//! find.

use std::ops::Range;

use crate::instrument::INSTRUMENTS;
use crate::session::MINUTES;
use crate::{Date, Part};

/// The properties of a row besides its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Index of the contract among those of the day.
    pub instrument: usize,
    /// The part of the day.
    pub part: Part,
    /// Its minute, counted from midnight.
    pub minute: u32,
    /// Contracts traded since the day began.
    pub volume: u64,
}

/// The rows by contract and minute of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    by_minute: Vec<u16>,
    volume_by_minute: Vec<u64>,
    /// Number of all rows.
    pub rows: u64,
    /// The sum of the column Volume.
    pub volume: u64,
}

impl Default for Counts {
    fn default() -> Self {
        let places = INSTRUMENTS * MINUTES;
        Self { by_minute: vec![0; places], volume_by_minute: vec![0; places], rows: 0, volume: 0 }
    }
}

/// Whole minutes of a contract within one part of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Index of the contract among those of the day.
    pub instrument: usize,
    /// The part of the day.
    pub part: Part,
    /// The first minute, counted from midnight.
    pub from: u32,
    /// Number of minutes.
    pub minutes: u32,
}

impl Window {
    /// The times of its first moment and of the moment after its last, such as `21:00:00`.
    pub fn times(&self) -> [String; 2] {
        [self.from, self.from + self.minutes].map(|minute| format!("{:02}:{:02}:00", minute / 60, minute % 60))
    }

    /// The calendar day on which it is, for the trading day `date`.
    pub fn action_day(&self, date: Date) -> Date {
        self.part.action_day(date)
    }

    /// The indexes of its minutes among those of all contracts, as far as they are within its part.
    fn places(&self) -> Range<usize> {
        let first = self.part.first_minute();
        let within = |minute: u32| minute.saturating_sub(first).min(self.part.minutes()) as usize;
        let start = self.instrument * MINUTES + self.part.offset() as usize;
        start + within(self.from)..start + within(self.from + self.minutes)
    }
}

impl Counts {
    /// Counts a row.
    #[inline]
    pub fn add(&mut self, row: &Row) {
        let minute = row.part.offset() + row.minute - row.part.first_minute();
        let place = row.instrument * MINUTES + minute as usize;
        self.by_minute[place] += 1;
        self.volume_by_minute[place] += row.volume;
        self.rows += 1;
        self.volume += row.volume;
    }

    /// Number of rows in a window. Minutes outside of its part have none.
    pub fn within(&self, window: &Window) -> u64 {
        self.by_minute[window.places()].iter().map(|count| u64::from(*count)).sum()
    }

    /// The sum of the column Volume over the rows in a window.
    pub fn volume_within(&self, window: &Window) -> u64 {
        self.volume_by_minute[window.places()].iter().sum()
    }

    /// Number of rows of a contract.
    pub fn of(&self, instrument: usize) -> u64 {
        self.by_minute[instrument * MINUTES..][..MINUTES].iter().map(|count| u64::from(*count)).sum()
    }
}
