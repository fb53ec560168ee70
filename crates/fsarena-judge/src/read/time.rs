//! Times as other tools write them: moments, so that offsets from UTC are taken off. Times without one are expected to
//! be of one zone.

use crate::measured::Clock;

/// Seconds of a day.
const DAY: f64 = 86400.0;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Seconds, and the clock that they are of: a number, or RFC 3339; its offset may be missing, without its colon, or
/// behind a space.
pub fn moment(text: &str) -> Option<(f64, Clock)> {
    if let Ok(number) = text.parse::<f64>() {
        return number.is_finite().then_some((number, Clock::Number));
    }
    let (date, time) = text.split_once(['T', ' '])?;
    let mut parts = date.split('-').map(|part| part.parse::<i32>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let clock = if time.contains(['Z', 'z', '+', '-']) { Clock::Universal } else { Clock::Local };
    let time = time.trim_end_matches(['Z', 'z']);
    let (time, offset) = time.split_at(time.find(['+', '-']).unwrap_or(time.len()));
    Some((days(year, month, day)? * DAY + of_day(time.trim())? - of_zone(offset)?, clock))
}

/// The seconds of an offset from UTC: `+02:00`, `-0330`, `+01` or nothing.
fn of_zone(offset: &str) -> Option<f64> {
    let Some(digits) = offset.strip_prefix(['+', '-']) else { return Some(0.0) };
    let digits = digits.replace(':', "");
    let (hours, minutes) = (digits.get(..2)?.parse::<f64>().ok()?, digits.get(2..).filter(|rest| !rest.is_empty()));
    let seconds = hours * 3600.0 + minutes.map_or(Some(0.0), |minutes| minutes.parse().ok())? * 60.0;
    Some(if offset.starts_with('-') { -seconds } else { seconds })
}

/// Days since 1970 of a day that the calendar has.
fn days(year: i32, month: i32, day: i32) -> Option<f64> {
    let first = civil(year, month, 1);
    let next = if month < 12 { civil(year, month + 1, 1) } else { civil(year + 1, 1, 1) };
    let is_day =
        (0..=9999).contains(&year) && (1..=12).contains(&month) && (1..=next - first).contains(&i64::from(day));
    is_day.then(|| (first + i64::from(day) - 1) as f64)
}

/// Howard Hinnant, *chrono-Compatible Low-Level Date Algorithms*, `days_from_civil`.
fn civil(year: i32, month: i32, day: i32) -> i64 {
    let [year, month, day] = [year, month, day].map(i64::from);
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Seconds of asctime(3): `Sun Nov  1 12:02:42 2009`.
pub fn asctime(text: &str) -> Option<f64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [_, month, day, time, .., year] = words[..] else { return None };
    let month = MONTHS.iter().position(|name| *name == month)? as i32 + 1;
    Some(days(year.parse().ok()?, month, day.parse().ok()?)? * DAY + of_day(time)?)
}

/// Seconds of `11/23/2026 12:02:42`: the month is first.
pub fn month_first(text: &str) -> Option<f64> {
    let (date, time) = text.split_once(' ')?;
    let parts: Vec<i32> = date.split('/').filter_map(|part| part.parse().ok()).collect();
    let [month, day, year] = parts[..] else { return None };
    Some(days(year, month, day)? * DAY + of_day(time)?)
}

/// Seconds of `12:02:42.5`, or of `12:02`.
fn of_day(time: &str) -> Option<f64> {
    let mut parts = time.split(':').map(|part| part.parse::<f64>().ok());
    // A leap second is the 60th.
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0.0))?);
    let is_time = hours < 24.0 && minutes < 60.0 && seconds < 61.0 && parts.next().is_none();
    is_time.then_some(hours * 3600.0 + minutes * 60.0 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<f64> {
        moment(text).map(|(seconds, _)| seconds)
    }

    #[test]
    fn times_are_seconds_or_dates() {
        assert_eq!(seconds("12.5"), Some(12.5));
        assert_eq!(seconds("1970-01-02T00:00:01Z"), Some(86401.0));
        assert_eq!(seconds("2025-08-26T20:53:34.5+00:00"), Some(1_756_241_614.5));
        assert_eq!(seconds("2024-03-01 00:00:00"), Some(1_709_251_200.0));
        assert_eq!(seconds("2024-03-01T02:00:00+02:00"), Some(1_709_251_200.0));
        assert_eq!(seconds("2024-02-29 20:30:00.5 -0330"), Some(1_709_251_200.5));
        assert_eq!(seconds("2024-03-01T01:00:00+01"), Some(1_709_251_200.0));
        assert_eq!([seconds("soon"), seconds("2024-03-01T01:00:00+x")], [None, None]);
        for wrong in ["2026-13-01 12:00", "2026-02-29T00:00:00Z", "2026-04-31 12:00", "2026-00-10 12:00"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
        for wrong in ["2026-01-10T24:00:00", "2026-01-10 12:60", "2026-01-10 12:00:61", "2026-01-10 1:2:3:4"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
        assert_eq!([month_first("2/30/2026 18:21:37"), asctime("Sun Feb 29 12:02:42 2009")], [None, None]);
        assert_eq!(seconds("2023-12-31T23:59:60Z"), seconds("2024-01-01T00:00:00Z"));
        let clocks = ["12.5", "2026-01-01 10:00 -0330", "2026-01-01 10:00"].map(|text| moment(text).map(|it| it.1));
        assert_eq!(clocks, [Clock::Number, Clock::Universal, Clock::Local].map(Some));
        assert_eq!(asctime("Sun Nov  1 12:02:42 2009"), seconds("2009-11-01T12:02:42Z"));
        assert_eq!(month_first("11/23/2026 18:21:37"), seconds("2026-11-23 18:21:37"));
    }
}
