//! Times as other tools write them: moments, so that offsets from UTC are taken off. Times without one are expected to
//! be of one zone.

/// Seconds of a day.
const DAY: f64 = 86400.0;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Whether a title or a unit is that of a time, such as `latency_ms`, `seconds` or `ms/op`, but not `MB/s`.
pub fn is_time(title: &str) -> bool {
    const WITHIN: [&str; 6] = ["latency", "duration", "elapsed", "second", "delay", "time"];
    const WORDS: [&str; 9] = ["lat", "sec", "secs", "s", "ms", "us", "µs", "μs", "ns"];
    let title = title.to_lowercase();
    let what = title.split('/').next().unwrap_or_default();
    let mut words = what.split(|letter: char| !letter.is_alphanumeric()).take_while(|word| *word != "per");
    words.any(|word| WORDS.contains(&word) || WITHIN.iter().any(|name| word.contains(name)))
}

/// Seconds: a number, or RFC 3339; its offset may be missing, without its colon, or behind a space.
pub fn seconds(text: &str) -> Option<f64> {
    if let Ok(number) = text.parse::<f64>() {
        return Some(number).filter(|number| number.is_finite());
    }
    let (date, time) = text.split_once(['T', ' '])?;
    let mut parts = date.split('-').map(|part| part.parse::<i32>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let time = time.trim_end_matches(['Z', 'z']);
    let (time, offset) = time.split_at(time.find(['+', '-']).unwrap_or(time.len()));
    Some(days(year, month, day) as f64 * DAY + of_day(time.trim())? - of_zone(offset)?)
}

/// The seconds of an offset from UTC: `+02:00`, `-0330`, `+01` or nothing.
fn of_zone(offset: &str) -> Option<f64> {
    let Some(digits) = offset.strip_prefix(['+', '-']) else { return Some(0.0) };
    let digits = digits.replace(':', "");
    let (hours, minutes) = (digits.get(..2)?.parse::<f64>().ok()?, digits.get(2..).filter(|rest| !rest.is_empty()));
    let seconds = hours * 3600.0 + minutes.map_or(Some(0.0), |minutes| minutes.parse().ok())? * 60.0;
    Some(if offset.starts_with('-') { -seconds } else { seconds })
}

/// Days since 1970 (Howard Hinnant, *chrono-Compatible Low-Level Date Algorithms*, `days_from_civil`).
fn days(year: i32, month: i32, day: i32) -> i64 {
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
    Some(days(year.parse().ok()?, month, day.parse().ok()?) as f64 * DAY + of_day(time)?)
}

/// Seconds of `11/23/2026 12:02:42`: the month is first.
pub fn month_first(text: &str) -> Option<f64> {
    let (date, time) = text.split_once(' ')?;
    let parts: Vec<i32> = date.split('/').filter_map(|part| part.parse().ok()).collect();
    let [month, day, year] = parts[..] else { return None };
    Some(days(year, month, day) as f64 * DAY + of_day(time)?)
}

/// Seconds of `12:02:42.5`, or of `12:02`.
fn of_day(time: &str) -> Option<f64> {
    let mut parts = time.split(':').map(|part| part.parse::<f64>().ok());
    Some(parts.next()?? * 3600.0 + parts.next()?? * 60.0 + parts.next().unwrap_or(Some(0.0))?)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(asctime("Sun Nov  1 12:02:42 2009"), seconds("2009-11-01T12:02:42Z"));
        assert_eq!(month_first("11/23/2026 18:21:37"), seconds("2026-11-23 18:21:37"));
    }
}
