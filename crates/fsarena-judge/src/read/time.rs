//! Times as other tools write them: moments, so that offsets from UTC are taken off. Times without one are expected to
//! be of one zone.

/// Seconds of a day.
const DAY: f64 = 86400.0;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Parts of words for times.
const OF_TIMES: [&str; 15] = [
    "latency", "duration", "elapsed", "second", "minute", "hour", "delay", "time", "response", "percentile", "jitter",
    "dauer", "zeit", "sekund", "tiempo",
];
/// Words for times and their units; of more than one letter, `s` may follow.
const TIMES: [&str; 26] = [
    "s", "sec", "ms", "msec", "us", "usec", "µs", "μs", "µsec", "μsec", "ns", "nsec", "min", "hr", "milli", "micro",
    "lat", "clat", "slat", "tlat", "rtt", "await", "wait", "wall", "stall", "temps",
];
/// Words for what is better if it is less, but is no time.
const COSTS: [&str; 18] = [
    "cpu", "iowait", "rss", "used", "usage", "space", "waf", "amplification", "overhead", "watt", "joule", "energy",
    "miss", "misses", "switches", "interrupt", "irq", "wakeup",
];
/// Words for what went wrong.
const FAILURES: [&str; 9] = ["error", "retry", "retries", "fault", "failure", "loss", "dropped", "timeout", "aborted"];
/// Words for amounts, before one of [`PER`], or `ps`, in a rate.
const AMOUNTS: [&str; 23] = [
    "b", "kb", "mb", "gb", "kib", "mib", "gib", "byte", "kbit", "mbit", "gbit", "op", "iop", "io", "file", "req",
    "request", "query", "queries", "transaction", "row", "insert", "event",
];
/// Words for times in which something is counted.
const PER: [&str; 6] = ["s", "sec", "second", "min", "minute", "hour"];
/// Words for rates.
const RATES: [&str; 10] = ["bw", "tput", "throughput", "bandwidth", "rate", "speed", "mbs", "mibs", "kops", "kiops"];

/// Whether a title or a unit has that of a time, such as `latency_ms`, `p99Usec`, `p95`, `seconds` or `ms/op`, but not
/// `MB/s` or `ops_sec`. It may be a time at a rate, which [`is_rate`] then takes for one, too.
pub fn is_time(title: &str) -> bool {
    let words: Vec<String> =
        words(title.split('/').next().unwrap_or_default()).into_iter().take_while(|word| word != "per").collect();
    let has_rate = words.iter().any(|word| is_of_rate(word));
    let is_divisor = |place: usize| place > 0 && is_quotient(&words[place - 1], &words[place]);
    // Of a rate, `min` is the least.
    let is_least = |word: &str| has_rate && word == "min";
    let is_time = |(place, word): (usize, &String)| is_of_time(word) && !is_divisor(place) && !is_least(word);
    words.iter().enumerate().any(is_time) || is_percentile(title)
}

/// `p99`, `p99.9` or `99th` among the words of a title.
pub fn is_percentile(title: &str) -> bool {
    title.split(|letter: char| !letter.is_alphanumeric() && letter != '.').any(|word| {
        let word = word.to_lowercase();
        let digits = word.strip_prefix('p').or_else(|| word.strip_suffix("th"));
        digits.and_then(|digits| digits.parse::<f64>().ok()).is_some_and(|share| (50.0..=100.0).contains(&share))
    })
}

/// Whether a title is that of something of which less is better, such as `cpu %` or `used_mb`.
pub fn is_cost(title: &str) -> bool {
    words(title).iter().any(|word| is_among(&COSTS, word)) || is_failure(title)
}

/// Whether a title is that of what went wrong, such as `errors`.
pub fn is_failure(title: &str) -> bool {
    words(title).iter().any(|word| is_among(&FAILURES, word))
}

/// Whether two words are an amount and the time in which it is counted.
fn is_quotient(amount: &str, time: &str) -> bool {
    is_among(&AMOUNTS, amount) && is_among(&PER, time)
}

/// Whether a word is that of a rate: one of [`RATES`], `tps`, `iops` or `mbps`.
fn is_of_rate(word: &str) -> bool {
    let is_amount = |amount: &str| amount.chars().count() == 1 || is_among(&AMOUNTS, amount);
    RATES.contains(&word) || word.strip_suffix("ps").is_some_and(is_amount)
}

fn is_among(names: &[&str], word: &str) -> bool {
    names.iter().any(|name| word == *name || (name.len() > 1 && word.strip_suffix('s') == Some(name)))
}

/// Whether a text is a date or a time of day in any order of its parts, as `31/12/2026`, `31.12.2026 10:00` or `10:00:05`.
pub fn is_date(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    let parts: Vec<&str> = word.split(['/', '.', '-', ':']).collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    // `6.1.0` is none.
    parts.len() == 3
        && parts.iter().all(is_number)
        && (word.contains(['/', ':']) || parts.iter().any(|part| part.len() == 4))
}

/// Whether a title is that of a time of time(1).
pub fn is_time_alone(title: &str) -> bool {
    ["real", "user", "sys"].contains(&title.to_lowercase().as_str())
}

/// A text without numbers and their units, as `60s`, `60 s` or `4k`: they say how much was done, not what is measured.
pub fn without_quantities(text: &str) -> String {
    const SEPARATORS: [char; 5] = [' ', ',', '_', '-', '='];
    let mut was_number = false;
    let is_kept = |word: &&str| {
        let word = word.trim_end_matches(SEPARATORS);
        let is_quantity = was_number || word.starts_with(|letter: char| letter.is_ascii_digit());
        let is_digit = |letter: char| letter.is_ascii_digit();
        was_number = word.starts_with(is_digit) && word.ends_with(is_digit);
        !is_quantity
    };
    text.split_inclusive(SEPARATORS).filter(is_kept).collect()
}

/// Whether a title or a unit has that of a rate, such as `MB/s`, `KiBps`, `IOPS`, `tps` or `files per second`.
pub fn is_rate(unit: &str) -> bool {
    let words = words(&unit.replacen('/', " per ", 1));
    let mut divisor = words.iter().skip_while(|word| *word != "per").skip(1);
    words.windows(2).any(|pair| is_quotient(&pair[0], &pair[1]))
        || words.iter().any(|word| is_of_rate(word))
        || divisor.any(|word| is_of_time(word))
}

fn is_of_time(word: &str) -> bool {
    is_among(&TIMES, word) || OF_TIMES.iter().any(|name| word.contains(name))
}

/// The words of a title in small letters: `p99_usec` and `p99Usec` have `p` and `usec`.
pub fn words(title: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in title.chars() {
        if !letter.is_alphabetic() || (was_small && letter.is_uppercase()) {
            words.push(String::new());
        }
        was_small = letter.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphabetic()) {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

/// How a moment is written: the order of moments in several notations is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimeNotation {
    /// A number since any moment.
    Number,
    /// A date without an offset from UTC.
    Local,
    /// A date with one.
    WithOffset,
}

impl TimeNotation {
    /// How a text that [`seconds`] understands is written.
    pub fn of(text: &str) -> Self {
        match text.split_once(['T', ' ']) {
            None => Self::Number,
            Some((_, time)) if time.contains(['Z', 'z', '+', '-']) => Self::WithOffset,
            Some(_) => Self::Local,
        }
    }
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
    Some(days(year, month, day)? * DAY + of_day(time.trim())? - of_zone(offset)?)
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
    let is_day = (1..=12).contains(&month) && (1..=next - first).contains(&i64::from(day));
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
        assert_eq!(asctime("Sun Nov  1 12:02:42 2009"), seconds("2009-11-01T12:02:42Z"));
        assert_eq!(month_first("11/23/2026 18:21:37"), seconds("2026-11-23 18:21:37"));
    }

    #[test]
    fn notations_of_times_are_told_apart() {
        for (text, notation) in [
            ("12.5", TimeNotation::Number),
            ("2026-01-01 10:00:00", TimeNotation::Local),
            ("2026-01-01T10:00:00Z", TimeNotation::WithOffset),
            ("2026-01-01 10:00 -0330", TimeNotation::WithOffset),
        ] {
            assert_eq!(TimeNotation::of(text), notation, "{text}");
        }
    }

    #[test]
    fn titles_say_what_is_better() {
        for time in ["p99", "clat p99.9", "99th", "wall", "µsec", "Dauer", "latency_ms", "p99Usec", "ms/op", "time"] {
            assert!(is_time(time) && !is_rate(time), "{time}");
        }
        for time in ["io_time", "request latency", "query_time", "millis"] {
            assert!(is_time(time) && !is_rate(time), "{time}");
        }
        for rate in [
            "MB_s", "ops_sec", "throughput_MB-s", "iops_min", "bw_min", "MB/s", "files per second", "tps", "MBps_read",
            "throughput (MiB/sec)", "write speed (MB per second)", "Gbps", "kIOPS", "mbs",
        ] {
            assert!(is_rate(rate) && !is_time(rate), "{rate}");
        }
        for both in [
            "p99 latency at fixed rate [ms]",
            "lat_us@1000iops",
            "time to write 1 GB at full speed (s)",
            "io_rate_ms",
            "seconds (rate limited)",
            "p99_us_at_max_throughput",
            "p99 at 1000 IOPS",
            "IOPS at 1 ms latency",
        ] {
            assert!(is_time(both) && is_rate(both), "{both}");
        }
        for cost in ["cpu %", "iowait", "used_mb", "rss_kb", "errors", "retries"] {
            assert!(is_cost(cost) && !is_time(cost) && !is_rate(cost), "{cost}");
        }
        for cost in ["miss rate", "failure rate"] {
            assert!(is_cost(cost) && is_rate(cost), "{cost}");
        }
        for plain in ["v", "value", "result", "score", "ext4", "p4", "4th", "drops", "maps"] {
            assert!(!is_time(plain) && !is_rate(plain) && !is_cost(plain), "{plain}");
        }
    }
}
