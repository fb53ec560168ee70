//! Quantities with their dimension: bytes, nanoseconds, shares; parsed as people type them and printed as they read
//! them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, de};

/// A text that is not a quantity of the wanted dimension.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {wanted}")]
pub struct UnitError {
    text: String,
    wanted: &'static str,
}

fn refuse(text: &str, wanted: &'static str) -> UnitError {
    UnitError { text: text.to_owned(), wanted }
}

/// A number of bytes. It is stored as a number, and can also be read from a text such as `4K`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Bytes {
    /// `count` binary kilobytes (1,024 bytes each).
    pub const fn kib(count: u64) -> Self {
        Self(count << 10)
    }

    /// `count` binary megabytes (1,048,576 bytes each).
    pub const fn mib(count: u64) -> Self {
        Self(count << 20)
    }

    /// `count` binary gigabytes (1,073,741,824 bytes each).
    pub const fn gib(count: u64) -> Self {
        Self(count << 30)
    }
}

/// Parses `512`, `4K`, `64M`, `1.5G`, `1T`: binary multiples, also written `KiB` and `KB`.
impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let wanted = "a size such as 512M or 2G";
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
            "" | "B" => 0,
            "K" | "KB" | "KIB" => 10,
            "M" | "MB" | "MIB" => 20,
            "G" | "GB" | "GIB" => 30,
            "T" | "TB" | "TIB" => 40,
            _ => return Err(refuse(text, wanted)),
        };
        if let Ok(count) = digits.parse::<u64>() {
            return count.checked_mul(1 << shift).map(Self).ok_or_else(|| refuse(text, wanted));
        }
        let is_decimal = shift > 0 && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
        let count: f64 = digits.parse().ok().filter(|_| is_decimal).ok_or_else(|| refuse(text, wanted))?;
        let bytes = count * (1_u64 << shift) as f64;
        (bytes < u64::MAX as f64).then_some(Self(bytes as u64)).ok_or_else(|| refuse(text, wanted))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BytesVisitor)
    }
}

struct BytesVisitor;

impl de::Visitor<'_> for BytesVisitor {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a size such as 4096 or \"4K\"")
    }

    fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<Bytes, E> {
        Ok(Bytes(bytes))
    }

    fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<Bytes, E> {
        u64::try_from(bytes).map(Bytes).map_err(|_| E::custom("a size is not negative"))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Bytes, E> {
        text.parse().map_err(E::custom)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"];
        let mut value = self.0 as f64;
        let mut index = 0;
        while value >= 1024.0 && index + 1 < units.len() {
            value /= 1024.0;
            index += 1;
        }
        write!(f, "{} {}", significant(value, 3), units[index])
    }
}

/// A span of time in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Nanos {
    /// `count` milliseconds.
    pub const fn millis(count: u64) -> Self {
        Self(count.saturating_mul(1_000_000))
    }

    /// `count` seconds.
    pub const fn seconds(count: u64) -> Self {
        Self(count.saturating_mul(1_000_000_000))
    }

    /// The span in seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The difference, never below zero.
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl std::ops::Add for Nanos {
    type Output = Self;

    /// Saturates at the longest span, of 584 years.
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl From<Duration> for Nanos {
    fn from(duration: Duration) -> Self {
        Self(duration.as_nanos() as u64)
    }
}

impl From<Nanos> for Duration {
    fn from(span: Nanos) -> Self {
        Self::from_nanos(span.0)
    }
}

/// Parses `90s`, `3m`, `1h`, `150ms`; a number without a unit is an error.
impl FromStr for Nanos {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let wanted = "a time such as 90s, 3m or 1h";
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &text[digits.len()..] {
            "us" => 1_000,
            "ms" => 1_000_000,
            "s" | "sec" => 1_000_000_000,
            "m" | "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return Err(refuse(text, wanted)),
        };
        let count: u64 = digits.parse().map_err(|_| refuse(text, wanted))?;
        count.checked_mul(unit).map(Self).ok_or_else(|| refuse(text, wanted))
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.as_seconds();
        match self.0 {
            0 => f.write_str("0 s"),
            1..1_000 => write!(f, "{} ns", self.0),
            1_000..1_000_000 => write!(f, "{} µs", significant(seconds * 1e6, 3)),
            1_000_000..1_000_000_000 => write!(f, "{} ms", significant(seconds * 1e3, 3)),
            1_000_000_000..60_000_000_000 => write!(f, "{} s", significant(seconds, 3)),
            _ => match seconds.round() as u64 {
                whole @ ..7_200 => write!(f, "{} min {:02} s", whole / 60, whole % 60),
                whole => write!(f, "{} h {:02} min", whole / 3600, whole % 3600 / 60),
            },
        }
    }
}

/// A part of a whole, 0 to 1 (typed and printed in percent).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Share(pub f64);

/// Parses `5%`, `0.5%`, `5` or `0`; 0 to 1000 percent.
impl FromStr for Share {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let wanted = "a percentage such as 5%, at most 1000%; a number without % has to be at least 1";
        let number = text.strip_suffix('%').unwrap_or(text).trim_end();
        let percent: f64 = number.parse().map_err(|_| refuse(text, wanted))?;
        // Without `%`, 0.05 may be 5 % or a twentieth of one.
        let is_clear = number != text || percent >= 1.0 || percent == 0.0;
        match is_clear && (0.0..=1000.0).contains(&percent) {
            true => Ok(Self(percent / 100.0)),
            false => Err(refuse(text, wanted)),
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", significant(self.0 * 100.0, 2))
    }
}

/// `value` with `digits` significant digits and no exponent, as a person would write it: `31.2`, `412`, `1280`.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (digits as i32 - 1 - magnitude).max(0) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_binary() {
        assert_eq!("2G".parse(), Ok(Bytes::gib(2)));
        assert_eq!("64MiB".parse(), Ok(Bytes::mib(64)));
        assert_eq!("4096".parse(), Ok(Bytes(4096)));
        assert_eq!("1.5G".parse(), Ok(Bytes::mib(1536)));
        assert!(["2X", "1.5", "-1.5G", "1e3G", "infG", ".G"].iter().all(|text| text.parse::<Bytes>().is_err()));
        assert!("".parse::<Bytes>().is_err());
        assert!("99999999T".parse::<Bytes>().is_err());
    }

    #[test]
    fn a_size_is_read_as_a_number_or_as_typed_and_stored_as_a_number() {
        let read = |text: &str| serde_json::from_str::<Bytes>(text).ok();
        assert_eq!([read("4096"), read("\"4K\"")], [Some(Bytes(4096)); 2]);
        assert_eq!([read("-1"), read("\"4X\""), read("4.5")], [None; 3]);
        assert_eq!(serde_json::to_string(&Bytes::kib(4)).ok().as_deref(), Some("4096"));
    }

    #[test]
    fn times_need_a_unit() {
        assert_eq!("90s".parse(), Ok(Nanos::seconds(90)));
        assert_eq!("3m".parse(), Ok(Nanos::seconds(180)));
        assert!("3".parse::<Nanos>().is_err());
    }

    #[test]
    fn quantities_read_well() {
        assert_eq!(Bytes::mib(512).to_string(), "512 MiB");
        assert_eq!(Nanos(0).to_string(), "0 s");
        assert_eq!(Nanos(77_400).to_string(), "77.4 µs");
        assert_eq!(Nanos::seconds(171).to_string(), "2 min 51 s");
        assert_eq!(Share(0.05).to_string(), "5.0 %");
    }

    #[test]
    fn a_share_has_a_percent_sign_and_is_below_one() {
        assert_eq!("5%".parse(), Ok(Share(0.05)));
        assert_eq!("5".parse(), Ok(Share(0.05)));
        assert_eq!("0".parse(), Ok(Share(0.0)), "each use says whether it can be 0");
        assert!("0.05".parse::<Share>().is_err());
        assert_eq!(("100%".parse(), "250".parse()), (Ok(Share(1.0)), Ok(Share(2.5))));
        assert!("1001%".parse::<Share>().is_err() && "NaN%".parse::<Share>().is_err());
        assert!("-1%".parse::<Share>().is_err());
    }
}
