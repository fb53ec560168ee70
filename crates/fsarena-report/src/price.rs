//! Estimates what more time would decide.

use fsarena_model::comparison::PairVerdict;
use fsarena_model::{Comparison, Verdict};

use crate::number::{self, span};
use crate::outcome;
use crate::remark::counted;

/// Further times that are considered, in seconds.
const TIMES: [f64; 3] = [180.0, 600.0, 1800.0];

/// For all undecided pairs: how many of them a further 3, 10 and 30 minutes would probably decide, and the maximum
/// difference of the others.
pub fn of_run(comparison: &Comparison) -> Option<String> {
    let undecided: Vec<&PairVerdict> =
        comparison.verdicts.iter().filter(|pair| pair.verdict == Verdict::Undecided && pair.ratio.is_some()).collect();
    if undecided.is_empty() {
        return None;
    }
    let counts = TIMES.map(|seconds| (seconds, comparison.decided_within(seconds).len()));
    let mut parts: Vec<(f64, usize)> = Vec::new();
    for (seconds, count) in counts {
        if count > parts.last().map_or(0, |(_, before)| *before) {
            parts.push((seconds, count));
        }
    }
    let words = |(index, (seconds, count)): (usize, &(f64, usize))| match index {
        0 if undecided.len() == 1 => format!("A further {} would probably decide the undecided pair", span(*seconds)),
        0 if *count == undecided.len() => {
            let all =
                if *count == 2 { "both undecided pairs".to_owned() } else { format!("all {}", pairs(&undecided)) };
            format!("A further {} would probably decide {all}", span(*seconds))
        }
        0 => format!("A further {} would probably decide {count} of the {}", span(*seconds), pairs(&undecided)),
        _ => format!("{} {count}", span(*seconds)),
    };
    let gains: Vec<String> = parts.iter().enumerate().map(words).collect();
    let late = comparison.decided_within(TIMES[2]);
    let rest: Vec<&PairVerdict> =
        undecided.iter().filter(|pair| !late.iter().any(|decided| std::ptr::eq(*decided, **pair))).copied().collect();
    let bound = rest.iter().filter_map(|pair| at_most(pair)).fold(0.0, f64::max);
    let which = match (gains.is_empty(), undecided.len()) {
        (false, _) => "the rest probably differ".to_owned(),
        (true, 1) => "The undecided pair probably differs".to_owned(),
        (true, _) => format!("The {} probably differ", pairs(&undecided)),
    };
    let rest = (bound > 0.0 && !rest.is_empty()).then(|| format!("{which} by less than {}", number::percent(bound)));
    let sentence = gains.into_iter().collect::<Vec<_>>().join(", ");
    match (sentence.is_empty(), rest) {
        (true, None) => None,
        (true, Some(rest)) => Some(format!("{rest}.")),
        (false, None) => Some(format!("{sentence}.")),
        (false, Some(rest)) => Some(format!("{sentence}; {rest}.")),
    }
}

fn pairs(undecided: &[&PairVerdict]) -> String {
    counted(undecided.len(), "undecided pair")
}

/// Maximum relative difference of a pair according to its pointwise interval.
fn at_most(pair: &PairVerdict) -> Option<f64> {
    let ratio = outcome::ratio(pair)?;
    Some(ratio.high?.max(ratio.low?.recip()) - 1.0)
}

/// Recommended further time of a run, in seconds: the shortest time that decides at least half of the pairs that the
/// longest decides.
pub fn advised(comparison: &Comparison) -> Option<f64> {
    let most = comparison.decided_within(TIMES[2]).len();
    TIMES.into_iter().find(|seconds| most > 0 && 2 * comparison.decided_within(*seconds).len() >= most)
}
