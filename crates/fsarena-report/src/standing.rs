//! How a contender did among those of its group in a workload, as a colour and a word. It claims no more than the
//! verdicts do.

use fsarena_model::comparison::PairVerdict;
use fsarena_model::{Comparison, Label, Verdict};

use crate::group::ClassGroup;
use crate::pair;
use crate::ranking;
use crate::report::Shade;

/// The colour: best if the contender is shown to be faster than another and slower than none, worst in the opposite
/// case. `None` if there is nothing to compare it with.
pub fn shade(group: &ClassGroup<'_>, workload: &str, label: &Label) -> Option<Shade> {
    let others = group.labels().filter(|other| *other != label);
    let verdicts: Vec<Verdict> = others.map(|other| group.verdict(workload, label, other)).collect();
    if verdicts.is_empty() || group.comparison.judged.verdicts.is_empty() {
        return None;
    }
    let has = |verdict| verdicts.contains(&verdict);
    Some(match (has(Verdict::Faster), has(Verdict::Slower)) {
        (true, true) => Shade::Between,
        (true, false) => Shade::Best,
        (false, true) => Shade::Worst,
        _ if has(Verdict::Undecided) => Shade::Undecided,
        _ if has(Verdict::Equivalent) => Shade::Equivalent,
        _ => Shade::Invalid,
    })
}

/// The word for a colour: `best`, or `best group` if the verdicts leave it open which of several is first.
pub fn word(comparison: &Comparison, workload: &str, label: &Label, shade: Shade) -> String {
    let is_alone = ranking::ranks(comparison, workload, label).is_some_and(|(best, worst)| best == worst);
    match shade {
        Shade::Best | Shade::Worst if !is_alone => format!("{shade} group"),
        _ => shade.to_string(),
    }
}

/// The pair of a contender with the one that is furthest ahead of it, if any is shown to be faster.
pub fn most_behind<'a>(group: &ClassGroup<'a>, workload: &str, label: &Label) -> Option<&'a PairVerdict> {
    let is_own = |pair: &PairVerdict| pair.a == *label || pair.b == *label;
    let is_lost = |pair: &&PairVerdict| is_own(pair) && pair::winner(pair).is_some_and(|winner| winner != label);
    let distance = |pair: &PairVerdict| pair::lead(pair).map_or(1.0, |ratio| ratio.middle);
    let lost = group.verdicts(workload).filter(is_lost);
    lost.max_by(|one, other| distance(one).total_cmp(&distance(other)))
}
