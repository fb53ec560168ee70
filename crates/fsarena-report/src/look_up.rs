//! Finds cells and verdicts of a comparison.

use fsarena_model::comparison::{Cell, ContenderRow, PairVerdict};
use fsarena_model::{Comparison, Label, Verdict};

/// The cell of `contender` in `workload`.
pub fn cell<'a>(comparison: &'a Comparison, workload: &str, contender: &Label) -> Option<&'a Cell> {
    comparison.cells.iter().find(|cell| cell.workload == workload && cell.contender == *contender)
}

/// The verdicts of `workload` between two of `contenders`, in the comparison's order.
pub fn verdicts<'a>(
    comparison: &'a Comparison,
    workload: &str,
    contenders: &[&ContenderRow],
) -> impl Iterator<Item = &'a PairVerdict> {
    let is_among = |label: &Label| contenders.iter().any(|row| row.label == *label);
    comparison.verdicts.iter().filter(move |pair| pair.workload == workload && is_among(&pair.a) && is_among(&pair.b))
}

/// The verdict on `a` against `b`, in whichever order the pair is stored. A missing pair is undecided.
pub fn verdict(comparison: &Comparison, workload: &str, a: &Label, b: &Label) -> Verdict {
    let of_workload = || comparison.verdicts.iter().filter(|pair| pair.workload == workload);
    let forth = of_workload().find(|pair| pair.a == *a && pair.b == *b).map(|pair| pair.verdict);
    let back = || of_workload().find(|pair| pair.a == *b && pair.b == *a).map(|pair| pair.verdict.reversed());
    forth.or_else(back).unwrap_or(Verdict::Undecided)
}

/// Whether an undecided pair leans to `a`.
pub fn leans(comparison: &Comparison, workload: &str, a: &Label, b: &Label) -> bool {
    let undecided =
        comparison.verdicts.iter().filter(|pair| pair.workload == workload && pair.verdict == Verdict::Undecided);
    let mut towards = undecided.filter_map(|pair| match pair.leaning? {
        Verdict::Faster => Some((&pair.a, &pair.b)),
        _ => Some((&pair.b, &pair.a)),
    });
    towards.any(|(first, second)| first == a && second == b)
}
