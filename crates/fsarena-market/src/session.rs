//! The trading times: the parts of a trading day, and the half seconds in them.

use crate::Date;

/// A part of a trading day, within one calendar day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// From 21:00 of the trading day before.
    Evening,
    /// From midnight on the calendar day after that evening, which may be a Saturday.
    Midnight,
    /// From 09:00.
    Day,
}

impl Part {
    /// All parts, in the order of time.
    pub const ALL: [Self; 3] = [Self::Evening, Self::Midnight, Self::Day];

    /// Its first minute, counted from midnight of the calendar day.
    pub const fn first_minute(self) -> u32 {
        match self {
            Self::Evening => 21 * 60,
            Self::Midnight => 0,
            Self::Day => 9 * 60,
        }
    }

    /// Number of its minutes, including pauses.
    pub const fn minutes(self) -> u32 {
        match self {
            Self::Evening => 3 * 60,
            Self::Midnight => 150,
            Self::Day => 6 * 60,
        }
    }

    /// The calendar day of this part of the trading day `date` (CTP's ActionDay).
    pub fn action_day(self, date: Date) -> Date {
        match self {
            Self::Evening => date.trading_day_before(),
            Self::Midnight => date.trading_day_before().next(),
            Self::Day => date,
        }
    }

    /// Number of minutes of the trading day before this part.
    pub(crate) const fn offset(self) -> u32 {
        match self {
            Self::Evening => 0,
            Self::Midnight => Self::Evening.minutes(),
            Self::Day => Self::Midnight.offset() + Self::Midnight.minutes(),
        }
    }
}

/// Number of minutes of a trading day, including pauses.
pub(crate) const MINUTES: usize = (Part::Day.offset() + Part::Day.minutes()) as usize;

/// How long a product is traded at night.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Night {
    None,
    /// Until 23:00.
    Short,
    /// Until 01:00.
    Middle,
    /// Until 02:30.
    Long,
}

/// A time during which the same products are traded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    pub part: Part,
    /// Its beginning and its end, in minutes since midnight.
    pub from: u32,
    pub until: u32,
    /// Products with this night, or a longer one, are traded.
    pub night: Night,
}

/// Snapshots per minute: one each 500 ms.
pub(crate) const GRID: u32 = 120;

impl Segment {
    /// Maximum number of snapshots of a contract in it.
    pub const fn points(&self) -> u32 {
        (self.until - self.from) * GRID
    }
}

const fn segment(part: Part, from: (u32, u32), until: (u32, u32), night: Night) -> Segment {
    Segment { part, from: from.0 * 60 + from.1, until: until.0 * 60 + until.1, night }
}

/// The segments of a trading day, in the order of time.
pub(crate) const SEGMENTS: [Segment; 7] = [
    segment(Part::Evening, (21, 0), (23, 0), Night::Short),
    segment(Part::Evening, (23, 0), (24, 0), Night::Middle),
    segment(Part::Midnight, (0, 0), (1, 0), Night::Middle),
    segment(Part::Midnight, (1, 0), (2, 30), Night::Long),
    segment(Part::Day, (9, 0), (10, 15), Night::None),
    segment(Part::Day, (10, 30), (11, 30), Night::None),
    segment(Part::Day, (13, 30), (15, 0), Night::None),
];

/// Number of snapshots per day of a contract that is always active.
pub(crate) fn points(night: Night) -> u32 {
    SEGMENTS.iter().filter(|segment| night >= segment.night).map(Segment::points).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contract_that_is_always_active_has_as_many_snapshots_as_at_the_exchange() {
        let day = 27_000;
        assert_eq!(points(Night::None), day);
        assert_eq!(points(Night::Short), day + 14_400);
        assert_eq!(points(Night::Middle), day + 28_800);
        assert_eq!(points(Night::Long), day + 39_600);
    }

    #[test]
    fn every_segment_lies_within_its_part() {
        for segment in SEGMENTS {
            let first = segment.part.first_minute();
            assert!(first <= segment.from && segment.until <= first + segment.part.minutes(), "{segment:?}");
        }
        assert_eq!(MINUTES, 690);
    }
}
