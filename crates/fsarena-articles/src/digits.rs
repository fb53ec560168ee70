//! Finds numerals in a text, and their precision.

/// The numerals in a text, as written: digits, with points and commas between them.
pub fn numerals(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let length = length_of_numeral(&rest.as_bytes()[start..]);
        found.push(&rest[start..start + length]);
        rest = &rest[start + length..];
    }
    found
}

/// Length of the numeral at the beginning of a text, in bytes.
fn length_of_numeral(text: &[u8]) -> usize {
    let digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let joins = |at: usize| matches!(text.get(at), Some(b'.' | b',')) && digit(at + 1);
    (0..).find(|at| !digit(*at) && !joins(*at)).unwrap_or(text.len())
}

/// The value of the first numeral in a text; commas group digits.
pub fn first_value(text: &str) -> Option<f64> {
    numerals(text).first().and_then(|numeral| numeral.replace(',', "").parse().ok())
}

/// One unit of the last significant digit of a text's first numeral: 0.01 for 3.21, 100 for 6,200.
pub fn last_unit(text: &str) -> Option<f64> {
    let numeral = numerals(text).first()?.replace(',', "");
    let exponent = match numeral.split_once('.') {
        Some((_, decimals)) => -(decimals.len() as i32),
        None => (numeral.len() - numeral.trim_end_matches('0').len()) as i32,
    };
    Some(10_f64.powi(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_are_found_as_they_are_written() {
        assert_eq!(numerals("约8,019 IOPS, 31.9ms; 2,4,8时 x86_64."), ["8,019", "31.9", "2,4,8", "86", "64"]);
        assert_eq!(numerals("1, 2 и 3."), ["1", "2", "3"]);
        assert!(numerals("三种").is_empty());
    }

    #[test]
    fn the_last_digit_that_counts_says_how_exact_a_numeral_is() {
        let unit = |text| last_unit(text).expect("there is a numeral");
        assert!((unit("3.21 MB/s") - 0.01).abs() < 1e-12);
        assert!((unit("6,200 IOPS") - 100.0).abs() < 1e-12);
        assert!((unit("8,019") - 1.0).abs() < 1e-12);
        assert_eq!(last_unit("none"), None);
    }
}
