//! What settling what is undecided would cost, in rounds and in time.

use fsarena_model::comparison::PairVerdict;
use fsarena_model::{Comparison, Verdict};

use crate::number;
use crate::remark::counted;

/// `about 10 more rounds (4 min) would settle it`; nothing for a pair that is decided, or that has no price.
pub fn of_pair(pair: &PairVerdict) -> Option<String> {
    let rounds = counted(more(pair)? as usize, "more round");
    let time = pair.needs_seconds.map(|seconds| format!(" ({})", number::span(seconds))).unwrap_or_default();
    Some(format!("about {rounds}{time} would settle it"))
}

/// What would settle all pairs that have a price: as many rounds as the dearest one needs, in each of them the workloads
/// that still need it.
pub fn of_run(comparison: &Comparison) -> Option<String> {
    let undecided = || comparison.verdicts.iter().filter(|pair| pair.verdict == Verdict::Undecided);
    let rounds = counted(undecided().filter_map(more).max()? as usize, "more round");
    let time = seconds(comparison).map(|seconds| format!(", {},", number::span(seconds))).unwrap_or_default();
    let which = if undecided().all(|pair| more(pair).is_some()) { "" } else { " that have a price" };
    Some(format!("About {rounds}{time} would probably settle the undecided ones{which}."))
}

/// Rounds still missing.
fn more(pair: &PairVerdict) -> Option<u32> {
    let needed = pair.needs_rounds.filter(|_| pair.verdict == Verdict::Undecided)?;
    Some(needed.saturating_sub(pair.rounds))
}

/// Of each workload the time of its dearest pair; `None` if one of them is not known.
fn seconds(comparison: &Comparison) -> Option<f64> {
    let priced = |name: &str| {
        let of_workload = comparison.verdicts.iter().filter(move |pair| pair.workload == name && more(pair).is_some());
        of_workload.map(|pair| pair.needs_seconds).collect::<Option<Vec<f64>>>()
    };
    let dearest = |seconds: Vec<f64>| seconds.into_iter().fold(0.0, f64::max);
    comparison.workloads.iter().map(|row| priced(&row.name).map(dearest)).sum()
}
