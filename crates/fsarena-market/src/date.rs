//! Calendar days, without a clock or time zones.

use std::fmt;
use std::str::FromStr;

use crate::MarketError;

/// A day of the Gregorian calendar, from 1970 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// Days since 1 January 1970.
    days: u32,
}

impl Date {
    /// The day with this year, month and day; `None` if it does not exist.
    pub fn new(year: u32, month: u32, day: u32) -> Option<Self> {
        let is_possible = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        // A 30 February would be another day when it is converted back.
        let date = is_possible.then(|| Self { days: days(year, month, day) })?;
        (date.parts() == (year, month, day)).then_some(date)
    }

    /// Year, month and day (<https://howardhinnant.github.io/date_algorithms.html#civil_from_days>).
    pub fn parts(self) -> (u32, u32, u32) {
        let since = self.days + 719_468;
        let (era, of_era) = (since / 146_097, since % 146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        (year_of_era + era * 400 + u32::from(month <= 2), month, day)
    }

    /// Days since 1 January 1970.
    pub fn number(self) -> u64 {
        u64::from(self.days)
    }

    /// The day after it.
    pub fn next(self) -> Self {
        Self { days: self.days + 1 }
    }

    /// The next day that is not on a weekend. Holidays are not known.
    pub fn next_trading_day(self) -> Self {
        let next = self.next();
        if next.is_weekend() { next.next_trading_day() } else { next }
    }

    /// The last day before it that is not on a weekend. The evening of that day belongs to this trading day.
    pub fn trading_day_before(self) -> Self {
        let before = Self { days: self.days - 1 };
        if before.is_weekend() { before.trading_day_before() } else { before }
    }

    /// Whether it is a Saturday or a Sunday; 1 January 1970 was a Thursday.
    pub fn is_weekend(self) -> bool {
        (self.days + 3) % 7 >= 5
    }

    /// The date in CTP's format: `20160411`.
    pub fn digits(self) -> String {
        let (year, month, day) = self.parts();
        format!("{year:04}{month:02}{day:02}")
    }
}

/// Days since 1 January 1970 (`days_from_civil` on the page given at [`Date::parts`]).
fn days(year: u32, month: u32, day: u32) -> u32 {
    let year = if month <= 2 { year - 1 } else { year };
    let from_march = if month > 2 { month - 3 } else { month + 9 };
    let (era, of_era) = (year / 400, year % 400);
    let of_year = (153 * from_march + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Date {
    type Err = MarketError;

    fn from_str(text: &str) -> Result<Self, MarketError> {
        let parts: Vec<u32> = text.split('-').filter_map(|part| part.parse().ok()).collect();
        let date = match parts[..] {
            [year, month, day] if text.len() == 10 => Self::new(year, month, day),
            _ => None,
        };
        date.ok_or_else(|| MarketError::NoDate(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Date {
        text.parse().expect("a date")
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date("1970-01-01").number(), 0);
        assert_eq!(date("2000-03-01").number(), 11_017);
        let mut day = date("1999-12-31");
        for _ in 0..3000 {
            let (year, month, of_month) = day.parts();
            assert_eq!(Date::new(year, month, of_month), Some(day));
            day = day.next();
        }
        for none in ["2015-02-29", "2016-4-11", "2016-13-01", "today", "1969-12-31", "2016-04-11-01"] {
            assert_eq!(none.parse::<Date>(), Err(MarketError::NoDate(none.to_owned())));
        }
        assert!(Date::new(2016, 2, 29).is_some());
    }

    #[test]
    fn an_evening_before_a_weekend_belongs_to_monday() {
        assert_eq!(date("2016-04-11").trading_day_before(), date("2016-04-08"), "a Monday and its Friday");
        assert_eq!(date("2016-04-12").trading_day_before(), date("2016-04-11"));
        assert_eq!(date("2016-04-08").next_trading_day(), date("2016-04-11"));
        assert!(date("2016-04-09").is_weekend() && date("2016-04-10").is_weekend() && !date("2016-04-11").is_weekend());
        assert_eq!(
            (date("2016-04-11").digits(), date("2016-04-11").to_string()),
            ("20160411".into(), "2016-04-11".into())
        );
    }
}
