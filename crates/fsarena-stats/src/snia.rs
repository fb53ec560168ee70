//! When a device is in its steady state: the rule of SNIA's Solid State Storage Performance Test Specification 2.0.2.

/// Number of last rounds that the rule uses.
const WINDOW: usize = 5;
/// Maximum distance between the best and the worst of them, as a share of their mean.
const RANGE: f64 = 0.20;
/// Maximum distance between the ends of the line fitted to them, as a share of their mean.
const SLOPE: f64 = 0.10;

/// The last five rounds of a device, judged by the rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SteadyWindow {
    /// Their mean, in the unit of the values.
    pub mean: f64,
    /// The distance between the best and the worst, as a share of the mean.
    pub range: f64,
    /// The distance between the ends of the line that least squares fit to them, as a share of the mean; never
    /// negative.
    pub slope: f64,
}

impl SteadyWindow {
    /// The last five of `values`, one of each round; `None` if there are fewer, or their mean is not above 0.
    pub fn of(values: &[f64]) -> Option<Self> {
        let window = &values[values.len().checked_sub(WINDOW)?..];
        let mean = window.iter().sum::<f64>() / WINDOW as f64;
        let most = window.iter().copied().fold(f64::MIN, f64::max);
        let least = window.iter().copied().fold(f64::MAX, f64::min);
        let steps = (WINDOW - 1) as f64;
        let places = || (0..WINDOW).map(|place| place as f64 - steps / 2.0);
        let square: f64 = places().map(|place| place * place).sum();
        let slope = places().zip(window).map(|(place, value)| place * value).sum::<f64>() / square;
        (mean > 0.0).then(|| Self { mean, range: (most - least) / mean, slope: (slope * steps).abs() / mean })
    }

    /// Whether the device is in its steady state.
    pub fn is_steady(&self) -> bool {
        self.range <= RANGE && self.slope <= SLOPE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(values: [f64; 5]) -> (f64, f64, bool) {
        let window = SteadyWindow::of(&values).expect("five");
        ((window.range * 1e6).round() / 1e6, (window.slope * 1e6).round() / 1e6, window.is_steady())
    }

    /// Worked by hand: of `y = 90, 108, 92, 108, 102` with mean 100 the line has the slope (−2·90 − 108 + 108 + 2·102)
    /// / 10 = 2.4 for each round, and so rises by 9.6 from the first to the last.
    #[test]
    fn worked_examples() {
        assert_eq!(window([100.0; 5]), (0.0, 0.0, true));
        assert_eq!(window([90.0, 108.0, 92.0, 108.0, 102.0]), (0.18, 0.096, true));
        assert_eq!(window([94.0, 97.0, 100.0, 103.0, 106.0]), (0.12, 0.12, false), "it still grows");
        assert_eq!(window([106.0, 103.0, 100.0, 97.0, 94.0]), (0.12, 0.12, false), "it still falls");
        assert_eq!(window([88.0, 110.0, 104.0, 110.0, 88.0]), (0.22, 0.0, false), "it swings");
    }

    #[test]
    fn only_the_last_five_count() {
        let values = [900.0, 500.0, 100.0, 100.0, 100.0, 100.0, 100.0];
        assert!(SteadyWindow::of(&values).expect("enough").is_steady());
        assert!(!SteadyWindow::of(&values[..6]).expect("enough").is_steady());
    }

    #[test]
    fn fewer_than_five_rounds_or_a_rate_of_zero_give_no_window() {
        assert_eq!(SteadyWindow::of(&[100.0; 4]), None);
        assert_eq!(SteadyWindow::of(&[0.0; 5]), None);
    }
}
