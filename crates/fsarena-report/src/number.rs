//! Formats figures for readers: three significant digits, a unit, an interval.

use fsarena_model::Estimate;
use fsarena_model::comparison::DecisionInterval;
use fsarena_model::units::significant;

/// Shown instead of a figure that could not be read.
pub const DASH: &str = "–";

/// A figure, or a dash.
pub fn or_dash(figure: Option<String>) -> String {
    figure.unwrap_or_else(|| DASH.to_owned())
}

/// `value` without its unit: `31.2k` for a rate, `412` otherwise.
pub fn value(value: f64, unit: &str) -> String {
    match takes_prefix(unit) {
        true => prefixed(value),
        false => three_digits(value),
    }
}

/// The interval of a figure: `[30.9k, 31.6k]`; `None` if an end is not known.
pub fn interval(low: Option<f64>, high: Option<f64>, unit: &str) -> Option<String> {
    Some(format!("[{}, {}]", value(low?, unit), value(high?, unit)))
}

/// Whether a unit takes a prefix. A rate of things takes `k` and `M`. A rate of bytes and a time have their multiple in
/// the unit.
fn takes_prefix(unit: &str) -> bool {
    unit.strip_suffix("/s").is_some_and(|things| things != "B" && !things.ends_with("iB") && !things.ends_with("bytes"))
}

fn prefixed(value: f64) -> String {
    match value.abs() {
        1e9.. => three_digits(value / 1e9) + "G",
        999_500.0.. => three_digits(value / 1e6) + "M",
        999.5.. => three_digits(value / 1e3) + "k",
        _ => three_digits(value),
    }
}

/// Three significant digits. The value is rounded before it is printed, so that 9.996 becomes 10.0 and not 10.00.
pub fn three_digits(value: f64) -> String {
    let rounded = format!("{value:.2e}").parse().unwrap_or(value);
    significant(rounded, 3).replace('-', MINUS)
}

/// A share in percent, to two digits: `5 %`, `0.45 %`, `12 %`, `>1000 %`.
pub fn percent(share: f64) -> String {
    if share > 10.0 {
        return ">1000 %".to_owned();
    }
    let digits = significant(share * 100.0, 2).replace('-', MINUS);
    format!("{} %", digits.strip_suffix(".0").unwrap_or(&digits))
}

/// A share in percent, to two digits, at least as large as the share.
pub fn percent_up(share: f64) -> String {
    let step = 10f64.powf((share * 100.0).log10().floor() - 1.0).min(1.0);
    // A share that is a number of steps, but for the last digits of a float, stays as it is.
    percent(((share * 100.0 / step - 1e-9).ceil() * step) / 100.0)
}

/// A share in percent, for shares of which less than 0.1 % does not matter: `97 %`, `1.9 %`, `<0.1 %`.
pub fn share(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".to_owned(),
        ..0.1 => "<0.1 %".to_owned(),
        below @ ..9.95 => format!("{below:.1} %"),
        most => format!("{most:.0} %"),
    }
}

/// A count that is often near a whole number: `1.04`, `12.5`, `<0.01`.
pub fn count(count: f64) -> String {
    match count {
        0.0 => "0".to_owned(),
        ..0.005 => "<0.01".to_owned(),
        below @ ..9.995 => format!("{below:.2}"),
        many => three_digits(many),
    }
}

/// Two decimals, for values near 0 or 1, and as iostat prints.
pub fn hundredths(value: f64) -> String {
    format!("{value:.2}")
}

/// The sign of negative numbers among text.
pub const MINUS: &str = "−";

/// Seconds in a suitable unit: `77.4 µs`.
pub fn seconds(value: f64) -> String {
    // 999.6 µs are 1.00 ms.
    match value.abs() {
        0.0 => "0 s".to_owned(),
        0.9995.. => format!("{} s", three_digits(value)),
        0.9995e-3.. => format!("{} ms", three_digits(value * 1e3)),
        0.9995e-6.. => format!("{} µs", three_digits(value * 1e6)),
        _ => format!("{} ns", three_digits(value * 1e9)),
    }
}

/// An approximate duration: `27 s`, `4 min`, `2.5 h`.
pub fn span(seconds: f64) -> String {
    match seconds {
        ..90.0 => format!("{:.0} s", seconds.max(1.0)),
        ..5400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

/// Bytes in binary multiples: `5.30 KiB`.
pub fn bytes(value: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB"];
    let index = units.iter().enumerate().skip(1).take_while(|(n, _)| value.abs() >= 1024f64.powi(*n as i32)).count();
    format!("{} {}", three_digits(value / 1024f64.powi(index as i32)), units[index])
}

/// A ratio with its interval. The interval's width determines the number of decimals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The estimate.
    pub middle: f64,
    /// The interval's lower end.
    pub low: Option<f64>,
    /// The interval's upper end.
    pub high: Option<f64>,
}

impl Ratio {
    /// An estimate; `None` if its ratio is not known.
    pub fn of(estimate: Estimate) -> Option<Self> {
        let Estimate { ratio, low, high } = estimate;
        Some(Self { middle: ratio?, low, high })
    }

    /// An estimate with the interval that a verdict rests on; `None` if its ratio is not known.
    pub fn decided(estimate: Estimate, decision: DecisionInterval) -> Option<Self> {
        Some(Self { middle: estimate.ratio?, low: decision.low, high: decision.high })
    }

    /// A ratio without an interval.
    pub fn alone(middle: f64) -> Self {
        Self { middle, low: None, high: None }
    }

    /// A ratio without an interval, in favour of the better side: at least 1.
    pub fn favourable(ratio: f64) -> Self {
        Self::alone(ratio.max(ratio.recip()))
    }

    /// The ratio of the swapped pair.
    pub fn inverted(self) -> Self {
        let turn = |end: Option<f64>| end.map(f64::recip);
        Self { middle: self.middle.recip(), low: turn(self.high), high: turn(self.low) }
    }

    /// The estimate: `1.18×`.
    pub fn times(&self) -> String {
        format!("{}×", self.print(self.middle))
    }

    /// The interval: `[1.15, 1.21]`; `None` if there is none.
    pub fn interval(&self) -> Option<String> {
        Some(format!("[{}, {}]", self.print(self.low?), self.print(self.high?)))
    }

    /// The interval in words: `0.95× to 1.40×`; `None` if there is none.
    pub fn span(&self) -> Option<String> {
        Some(format!("{}× to {}×", self.print(self.low?), self.print(self.high?)))
    }

    /// Whether two decimals would hide the interval's width, or the side of 1 on which it ends.
    fn needs_thousandths(&self) -> bool {
        let is_narrow = self.low.zip(self.high).is_some_and(|(low, high)| (high / low).ln() < 0.01);
        let ends_at_one = [self.low, self.high].into_iter().flatten().any(|end| (end - 1.0).abs() < 0.005);
        is_narrow || ends_at_one
    }

    fn print(&self, value: f64) -> String {
        match value {
            // An interval without information is not printed with twenty digits.
            ..0.001 => "<0.001".to_owned(),
            1000.0.. => ">1000".to_owned(),
            0.2..10.0 if self.needs_thousandths() => format!("{value:.3}"),
            0.2..10.0 => format!("{value:.2}"),
            _ => three_digits(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_rounded_up() {
        let of = [0.102, 0.1, 0.0741, 0.05, 2.27, 0.995, 11.0].map(percent_up);
        assert_eq!(of, ["11 %", "10 %", "7.5 %", "5 %", "227 %", "100 %", ">1000 %"]);
    }

    #[test]
    fn numbers_beyond_a_thousand_are_cut_short() {
        let nothing = Ratio { middle: 1.2, low: Some(5.9e-31), high: Some(4.8e23) };
        assert_eq!(nothing.interval().as_deref(), Some("[<0.001, >1000]"));
        assert_eq!([0.05, 0.123, 10.0, 841.0].map(percent), ["5 %", "12 %", "1000 %", ">1000 %"]);
    }

    #[test]
    fn rates_of_things_take_a_prefix() {
        assert_eq!(value(31_234.0, "files/s"), "31.2k");
        assert_eq!(value(1_280.0, "ops/s"), "1.28k");
        assert_eq!(value(999_700.0, "ops/s"), "1.00M");
        assert_eq!(value(812.4, "files/s"), "812");
    }

    #[test]
    fn other_units_take_none() {
        assert_eq!(value(1_412.3, "MiB/s"), "1410");
        assert_eq!(value(77.42, "µs"), "77.4");
        assert_eq!(value(0.5, ""), "0.500");
    }

    #[test]
    fn three_digits_stay_three() {
        assert_eq!(three_digits(9.996), "10.0");
        assert_eq!(three_digits(0.0), "0");
        assert_eq!((three_digits(-9.996), percent(-0.17)), ("−10.0".to_owned(), "−17 %".to_owned()));
        assert_eq!(three_digits(f64::NAN), "NaN");
    }

    #[test]
    fn shares_are_as_exact_as_matters() {
        assert_eq!(
            [0.0, 1e-5, 0.00998, 0.0994, 0.0996, 1.034].map(share),
            ["0 %", "<0.1 %", "1.0 %", "9.9 %", "10 %", "103 %"]
        );
    }

    #[test]
    fn counts_near_one_have_two_decimals() {
        assert_eq!([0.0, 0.0006, 0.04, 1.0, 9.999, 512.4].map(count), ["0", "<0.01", "0.04", "1.00", "10.0", "512"]);
    }

    #[test]
    fn times_and_sizes_find_their_unit() {
        assert_eq!(seconds(77.4e-6), "77.4 µs");
        assert_eq!(seconds(0.0), "0 s");
        assert_eq!([0.2, 89.4, 229.0, 9000.0].map(span), ["1 s", "89 s", "4 min", "2.5 h"]);
        assert_eq!(bytes(5427.2), "5.30 KiB");
        assert_eq!(bytes(12.0), "12.0 B");
    }

    #[test]
    fn ratios_show_what_their_interval_is_worth() {
        let wide = Ratio { middle: 1.18, low: Some(1.15), high: Some(1.21) };
        assert_eq!((wide.times(), wide.interval()), ("1.18×".to_owned(), Some("[1.15, 1.21]".to_owned())));
        let narrow = Ratio { middle: 1.004, low: Some(1.002), high: Some(1.006) };
        assert_eq!(narrow.interval().as_deref(), Some("[1.002, 1.006]"));
        let close = Ratio { middle: 1.06, low: Some(1.004), high: Some(1.11) };
        assert_eq!(close.interval().as_deref(), Some("[1.004, 1.110]"));
        assert_eq!(wide.inverted().interval().as_deref(), Some("[0.83, 0.87]"));
    }
}
