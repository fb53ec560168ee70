//! Rates of an open loop: how many operations begin per second, whether or not earlier ones have ended.

use std::fmt;
use std::str::FromStr;

/// Operations that begin per second, of all workers together; as text `50%` or `2000`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// As a percentage of the contender's own rate in the closed loop; above 0. Above 100 exceeds what it can do.
    Percent(f64),
    /// As a number, above 0.
    PerSecond(f64),
}

/// A text is not a rate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no rate: a number above 0, as in 2000 (operations/s), or 50% (of the contender's own peak)")]
pub struct RateError(String);

impl FromStr for Rate {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        let (digits, of): (_, fn(f64) -> Self) = match text.strip_suffix('%') {
            Some(digits) => (digits, Self::Percent),
            None => (text, Self::PerSecond),
        };
        let number = digits.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
        number.map(of).ok_or_else(|| RateError(text.to_owned()))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percent(percent) => write!(f, "{percent}%"),
            Self::PerSecond(number) => write!(f, "{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_percentages_or_numbers() {
        assert_eq!(("50%".parse(), "2000".parse()), (Ok(Rate::Percent(50.0)), Ok(Rate::PerSecond(2000.0))));
        for text in ["0", "-1", "x", "", "%", "0%", "inf", "nan%"] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_rate_survives_its_text() {
        for text in ["50%", "110%", "2000", "0.5", "12.5%"] {
            assert_eq!(text.parse::<Rate>().expect("a rate").to_string(), text);
        }
        assert_eq!(serde_json::to_string(&Rate::Percent(90.0)).expect("a text"), "\"90%\"");
    }
}
