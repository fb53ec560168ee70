//! How a contender did among those of its group in a workload, as a colour and a word. It claims no more than the
//! verdicts do.

use std::cmp::Reverse;

use fsarena_model::comparison::PairVerdict;
use fsarena_model::{Label, Verdict};

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
pub fn word(group: &ClassGroup<'_>, workload: &str, label: &Label, shade: Shade) -> String {
    let is_alone = ranking::ranks(group.comparison, workload, label).is_some_and(|(best, worst)| best == worst);
    match shade {
        Shade::Best | Shade::Worst if !is_alone => format!("{shade} group"),
        Shade::Undecided if !own_pairs(group, workload, label).any(PairVerdict::is_open) => {
            "little at stake".to_owned()
        }
        _ => shade.to_string(),
    }
}

/// The pair of a contender with one that is shown to be faster: one of the best group, if any of it is, then one that is
/// faster than most, so that several contenders are compared with the same one, and then the nearest.
pub fn behind<'a>(group: &ClassGroup<'a>, workload: &str, label: &Label) -> Option<&'a PairVerdict> {
    let best = ranking::best_group(group, workload);
    let lost = own_pairs(group, workload, label).filter_map(|pair| {
        let winner = pair::winner(pair).filter(|winner| *winner != label)?;
        let beaten = group.labels().filter(|other| group.verdict(workload, winner, other) == Verdict::Faster).count();
        Some(((!best.contains(&winner.0.as_str()), Reverse(beaten)), pair::lead(pair)?.middle, pair))
    });
    let nearest = lost.min_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    nearest.map(|(_, _, pair)| pair)
}

fn own_pairs<'a>(group: &ClassGroup<'a>, workload: &str, label: &Label) -> impl Iterator<Item = &'a PairVerdict> {
    group.verdicts(workload).filter(move |pair| pair.a == *label || pair.b == *label)
}
