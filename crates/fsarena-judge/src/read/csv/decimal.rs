//! Figures of a CSV: points and commas in them, and how far they are rounded.

use std::borrow::Cow;

/// What separates the whole part of figures from their fraction.
pub(super) enum Decimal {
    Point,
    Comma,
    /// Some figures have a comma and others a point.
    Both,
    /// Points separate thousands or fractions.
    Unclear,
}

impl Decimal {
    /// A comma counts as decimal if some figure shows it: as a separator of thousands, three digits would follow it. So
    /// does a point, unless fields are not separated by commas, as where these are decimal, and other figures have none.
    pub fn of<'a>(separator: u8, column: impl Iterator<Item = Cow<'a, str>>) -> Self {
        let (mut has_comma, mut has_point, mut has_none, mut is_decimal) = (false, false, false, separator == b',');
        let shows = |(whole, rest): (&str, &str)| {
            let whole = whole.trim_start_matches('-');
            whole == "0" || whole.len() > 3 || rest.len() != 3
        };
        for text in column {
            let text = text.trim();
            let (comma, point) = (text.split_once(','), text.split_once('.'));
            has_comma |= comma.is_some_and(shows);
            has_point |= point.is_some();
            has_none |= point.is_none();
            is_decimal |= point.is_some_and(shows);
        }
        match (has_comma, has_point) {
            (true, true) => Self::Both,
            (true, false) => Self::Comma,
            (false, true) if has_none && !is_decimal => Self::Unclear,
            (false, _) => Self::Point,
        }
    }

    /// The number; without it, what to add to the message.
    pub fn number(&self, text: &str) -> Result<f64, &'static str> {
        match (self, text.contains(',')) {
            (_, true) if text.contains('.') => Err(": it has a comma and a point"),
            (Self::Unclear, false) if text.contains('.') => Err(": whether its point is decimal is not clear"),
            (Self::Point | Self::Unclear, true) => Err(": whether its comma is decimal is not clear"),
            (Self::Both, true) => Err(": other figures have a decimal point"),
            (Self::Comma, _) => text.replacen(',', ".", 1).parse().map_err(|_| ""),
            (_, false) => text.parse().map_err(|_| ""),
        }
    }
}

/// How far a figure may be off since it is rounded: half a step of its last digit.
pub fn rounding(text: &str) -> f64 {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let decimals = digits.split_once(['.', ',']).map_or(0, |(_, decimals)| decimals.len());
    let power = exponent.parse().unwrap_or(0) - i32::try_from(decimals).unwrap_or(i32::MAX);
    0.5 * 10_f64.powi(power)
}

/// The same if zeros at its end are no digits.
pub fn rounding_without_zeros(text: &str) -> f64 {
    let digits = text.split(['e', 'E']).next().unwrap_or_default().bytes().rev().filter(u8::is_ascii_digit);
    rounding(text) * 10_f64.powi(digits.take_while(|digit| *digit == b'0').count() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_rounded_to_their_last_digit() {
        assert_eq!(["200", "0.3", "1,25", "2e3", "2.5E1"].map(rounding), [0.5, 0.05, 0.005, 500.0, 0.5]);
        let without_zeros = ["200", "0.300", "2.0e3"].map(|text| (2.0 * rounding_without_zeros(text)).log10().round());
        assert_eq!(without_zeros, [2.0, -1.0, 3.0]);
    }

    #[test]
    fn decimal_commas_count_where_they_are_clear() {
        let by = |separator: u8, column: &[&'static str]| {
            let decimal = Decimal::of(separator, column.iter().map(|text| Cow::Borrowed(*text)));
            column.iter().map(|text| decimal.number(text)).collect::<Result<Vec<f64>, _>>()
        };
        let read = |column: &[&'static str]| by(b',', column);
        assert_eq!(read(&["100,5", "1,024", "7"]), Ok(vec![100.5, 1.024, 7.0]));
        assert_eq!(read(&["0,125"]), Ok(vec![0.125]));
        assert_eq!(read(&["1.024", "2e3"]), Ok(vec![1.024, 2000.0]));
        assert_eq!(read(&["1,024", "200"]), Err(": whether its comma is decimal is not clear"));
        assert_eq!(read(&["100,5", "1.024"]), Err(": other figures have a decimal point"));
        assert_eq!(read(&["1,024,000"]), Err(""));
        // German thousands.
        let german = |column: &[&'static str]| by(b';', column);
        assert_eq!(german(&["12.345", "998"]), Err(": whether its point is decimal is not clear"));
        assert_eq!(by(b'\t', &["1.002", "998"]), Err(": whether its point is decimal is not clear"));
        assert_eq!(german(&["12.345,5", "998,1"]), Err(": it has a comma and a point"));
        assert_eq!(read(&["1,234.5", "998.1"]), Err(": it has a comma and a point"));
        assert_eq!(
            [german(&["12.345", "12.5"]), german(&["0.125", "7"])],
            [Ok(vec![12.345, 12.5]), Ok(vec![0.125, 7.0])]
        );
        assert_eq!(
            [german(&["12.345", "12.401"]), read(&["12.345", "7"])],
            [Ok(vec![12.345, 12.401]), Ok(vec![12.345, 7.0])]
        );
    }
}
