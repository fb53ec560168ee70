//! Axes: the positions of values, and which values have a tick.

use unicode_width::UnicodeWidthStr;

/// How values are spread over an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences have equal lengths.
    Linear,
    /// Equal ratios have equal lengths.
    Logarithmic,
}

/// An axis between two positions of a drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// How values are spread.
    pub scale: Scale,
    low: f64,
    high: f64,
    left: f64,
    right: f64,
}

/// The ratio of the largest to the smallest value from which an axis is logarithmic.
const WIDE: f64 = 8.0;

/// Approximate width of a column of a tick's text, at the style sheet's 11.5 px.
const TICK_COLUMN: f64 = 6.4;

/// Approximate number of ticks of an axis.
const TICKS: f64 = 5.0;

/// Choices of digits that have a tick in each decade of a logarithmic axis.
const DIGITS: [&[f64]; 3] = [&[1.0, 1.5, 2.0, 3.0, 5.0, 7.0], &[1.0, 2.0, 5.0], &[1.0]];

/// The largest ratio on an axis of ratios. An interval that reaches further is cut there.
const FARTHEST: f64 = 100.0;

impl Axis {
    /// An axis for figures: logarithmic if they differ by a factor of more than 8, from 0 if they differ by more than
    /// 2, otherwise around them. `None` if there is nothing to show.
    pub fn of_figures(values: &[f64], (left, right): (f64, f64)) -> Option<Self> {
        let (low, high) = extremes(values)?;
        Some(if high / low > WIDE {
            Self { scale: Scale::Logarithmic, low: low / 1.25, high: high * 1.25, left, right }
        } else if low < high / 2.0 {
            Self { scale: Scale::Linear, low: 0.0, high: high * 1.05, left, right }
        } else {
            let room = ((high - low) * 0.12).max(high * 0.002);
            Self { scale: Scale::Linear, low: low - room, high: high + room, left, right }
        })
    }

    /// A logarithmic axis for figures that spans at least a factor of four. `None` if there is nothing to show.
    pub fn logarithmic(values: &[f64], (left, right): (f64, f64)) -> Option<Self> {
        let (low, high) = extremes(values)?;
        let room = (2.0 / (high / low).sqrt()).max(1.15);
        Some(Self { scale: Scale::Logarithmic, low: low / room, high: high * room, left, right })
    }

    /// An axis from 0 to `high`; `None` if `high` is not above 0.
    pub fn from_zero(high: f64, (left, right): (f64, f64)) -> Option<Self> {
        let axis = Self { scale: Scale::Linear, low: 0.0, high: high * 1.02, left, right };
        (high.is_finite() && high > 0.0).then_some(axis)
    }

    /// A logarithmic axis for ratios that includes 1 and `band`.
    pub fn of_ratios(values: &[f64], band: f64, (left, right): (f64, f64)) -> Option<Self> {
        let shown = values.iter().map(|value| value.clamp(1.0 / FARTHEST, FARTHEST));
        let all: Vec<f64> = shown.chain([band * 1.1, 1.0 / band / 1.1]).collect();
        let (low, high) = extremes(&all)?;
        let room = (high / low).powf(0.05);
        Some(Self { scale: Scale::Logarithmic, low: low / room, high: high * room, left, right })
    }

    /// The position of `value`, limited to the ends of the axis.
    pub fn at(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        self.left + share.clamp(0.0, 1.0) * (self.right - self.left)
    }

    /// Whether the axis includes 0.
    pub fn has_zero(&self) -> bool {
        self.low <= 0.0
    }

    /// The ticks, at round numbers.
    pub fn ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Logarithmic if self.high / self.low > 2.5 => self.logarithmic_ticks(),
            _ => self.linear_ticks(),
        }
    }

    /// The ticks whose texts have room next to each other: all, or every second one, third one and so on, with 0 or 1
    /// among them.
    pub fn labelled_ticks(&self, print: impl Fn(f64) -> String) -> Vec<(f64, String)> {
        let all: Vec<(f64, String)> = self.ticks().into_iter().map(|tick| (tick, print(tick))).collect();
        let is_kept = |tick: f64| (tick - 1.0).abs() < 1e-9 || tick == 0.0;
        let kept = all.iter().position(|(tick, _)| is_kept(*tick)).unwrap_or(0);
        let every = |step: usize| all.iter().skip(kept % step).step_by(step);
        let has_room = |step: &usize| {
            let ends = every(*step).map(|(tick, text)| {
                let half = text.width() as f64 * TICK_COLUMN / 2.0;
                (self.at(*tick) - half, self.at(*tick) + half)
            });
            let ends: Vec<(f64, f64)> = ends.collect();
            ends.windows(2).all(|next| next[0].1 + TICK_COLUMN <= next[1].0)
        };
        let step = (1..all.len()).find(has_room).unwrap_or(all.len().max(1));
        every(step).cloned().collect()
    }

    fn linear_ticks(&self) -> Vec<f64> {
        let step = nice_step((self.high - self.low) / TICKS);
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        (first..=last).map(|index| index as f64 * step).collect()
    }

    /// Uses the choice of digits with which the number of ticks is closest to `TICKS`.
    fn logarithmic_ticks(&self) -> Vec<f64> {
        let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let ticks = |digits: &[f64]| {
            let of = |decade| digits.iter().map(move |digit| digit * 10f64.powi(decade));
            decades.clone().flat_map(of).filter(|tick| (self.low..=self.high).contains(tick)).collect::<Vec<_>>()
        };
        let choices = DIGITS.iter().map(|digits| ticks(digits));
        choices.min_by_key(|ticks| (ticks.len() as f64 - TICKS).abs() as usize).unwrap_or_default()
    }
}

/// `10.0k` as `10k`, `2.50 ms` as `2.5 ms`: the value of a tick is exact.
pub fn short(text: &str) -> String {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    match digits.contains('.') {
        true => format!("{}{rest}", digits.trim_end_matches('0').trim_end_matches('.')),
        false => text.to_owned(),
    }
}

/// The smallest of 1, 2, 2.5, 5 and 10 times a power of ten that is at least `rough`.
fn nice_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0];
    steps.iter().map(|step| step * power).find(|step| *step >= rough).unwrap_or(10.0 * power)
}

/// The smallest and the largest of the values that are finite and positive.
fn extremes(values: &[f64]) -> Option<(f64, f64)> {
    let good = || values.iter().copied().filter(|value| value.is_finite() && *value > 0.0);
    Some((good().reduce(f64::min)?, good().reduce(f64::max)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROOM: (f64, f64) = (100.0, 400.0);

    #[test]
    fn the_scale_follows_the_figures() {
        let axis = |values: &[f64]| Axis::of_figures(values, ROOM).expect("positive values");
        assert_eq!(axis(&[1.0, 20.0]).scale, Scale::Logarithmic);
        assert!(axis(&[10.0, 30.0]).has_zero());
        assert!(!axis(&[100.0, 103.0]).has_zero());
        assert_eq!(Axis::of_figures(&[f64::NAN, 0.0], ROOM), None);
    }

    #[test]
    fn ticks_are_round() {
        let axis = Axis::of_figures(&[10.0, 30.0], ROOM).expect("positive values");
        assert_eq!(axis.ticks(), [0.0, 10.0, 20.0, 30.0]);
        let ratios = Axis::of_ratios(&[0.5, 4.0], 1.05, ROOM).expect("positive values");
        let printed: Vec<_> = ratios.ticks().iter().map(|tick| format!("{tick:.1}")).collect();
        assert_eq!(printed, ["0.5", "0.7", "1.0", "1.5", "2.0", "3.0"]);
    }

    #[test]
    fn ticks_are_short() {
        let texts = ["10.0k", "2.50", "400", "0", "0.0100", "10.0 ms", "2.50 µs"];
        assert_eq!(texts.map(short), ["10k", "2.5", "400", "0", "0.01", "10 ms", "2.5 µs"]);
    }

    proptest! {
        #[test]
        fn texts_of_ticks_do_not_touch(low in 0.02f64..1.2, times in 1.0f64..60.0, right in 150.0f64..400.0) {
            let axis = Axis::of_ratios(&[low, low * times], 1.05, (100.0, right)).expect("positive values");
            let ticks = axis.labelled_ticks(|tick| format!("{tick:.3}×"));
            prop_assert!(!ticks.is_empty());
            for next in ticks.windows(2) {
                prop_assert!(axis.at(next[1].0) - axis.at(next[0].0) >= 6.0 * TICK_COLUMN, "{ticks:?}");
            }
        }

        #[test]
        fn everything_stands_on_the_axis(values in proptest::collection::vec(1e-9f64..1e9, 1..20)) {
            let axis = Axis::of_figures(&values, ROOM).expect("positive values");
            let ticks = axis.ticks();
            prop_assert!((1..=20).contains(&ticks.len()), "{ticks:?}");
            for value in ticks.into_iter().chain(values) {
                prop_assert!((ROOM.0..=ROOM.1).contains(&axis.at(value)));
            }
        }
    }
}
