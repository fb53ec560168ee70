//! What the layers below a file system cost: a sentence for each contender that differs from another by layers alone,
//! and a table.

use fsarena_model::comparison::{PairVerdict, Reason};
use fsarena_model::{Comparison, Label, Verdict, grouped};

use crate::number::{MINUS, Ratio, or_dash};
use crate::pair;
use crate::report::ColumnKind::{Figure, Name, Words};
use crate::report::{List, ListLook, Paragraph, Section, TableLook, TableOf};
use crate::words::counted;

const MEANING: &str = "Cost: how much more time the same work takes with the further layers, with the pointwise 95 % \
    interval. Where the interval contains 0 %, no cost is shown; where the pair is undecided, it only leans to one.";

/// A contender in a workload, against the one with fewer layers.
struct LayerCost<'a> {
    pair: &'a PairVerdict,
    contender: &'a Label,
    base: &'a Label,
    /// How many times as good `base` is; `None` if the pair shows no ratio.
    ratio: Option<Ratio>,
}

/// The section; empty if no contender differs from another by layers alone.
pub fn section(comparison: &Comparison) -> Section {
    let costs = costs(comparison);
    let table = TableOf::new(TableLook::Narrow, &costs)
        .column(Name, "workload", |cost| &cost.pair.workload)
        .column(Name, "contender", |cost| cost.contender.to_string())
        .column(Name, "against", |cost| cost.base.to_string())
        .column(Figure, "cost", |cost| or_dash(cost.ratio.map(|ratio| percent(ratio.middle))))
        .column(Figure, "95 %", |cost| interval(cost.ratio))
        .column(Words, "verdict", |cost| pair::statement(cost.pair));
    short(comparison).with(table).with(Paragraph::legend(MEANING))
}

/// The section without its table.
pub fn short(comparison: &Comparison) -> Section {
    Section::titled("What the layers cost").with(List::new(ListLook::Paragraphs, sentences(&costs(comparison))))
}

fn costs(comparison: &Comparison) -> Vec<LayerCost<'_>> {
    let mut costs = Vec::new();
    for row in &comparison.contenders {
        for base in &row.without_layers {
            let pairs = comparison.judged.verdicts.iter();
            costs.extend(pairs.filter_map(|pair| cost(pair, &row.label, base)));
        }
    }
    costs
}

fn cost<'a>(pair: &'a PairVerdict, contender: &'a Label, base: &'a Label) -> Option<LayerCost<'a>> {
    let ratio = pair::valid(pair, pair::ratio(pair));
    let ratio = match (&pair.a, &pair.b) {
        (a, b) if (a, b) == (base, contender) => ratio,
        (a, b) if (a, b) == (contender, base) => ratio.map(Ratio::inverted),
        _ => return None,
    };
    Some(LayerCost { pair, contender, base, ratio })
}

/// A sentence for each contender and its base, with the workload in which the layers cost most, if a cost is shown in
/// any.
fn sentences(costs: &[LayerCost<'_>]) -> Vec<String> {
    let pairs = grouped(costs.iter().map(|cost| ((cost.contender, cost.base), cost)));
    pairs.iter().map(|(_, own)| sentence(own)).collect()
}

fn sentence(own: &[&LayerCost<'_>]) -> String {
    let LayerCost { contender, base, .. } = own[0];
    let is_shown = |ratio: &Ratio| ratio.low.is_some_and(|low| low > 1.0);
    let known = own.iter().filter_map(|cost| Some((cost.pair, cost.ratio?)));
    let most = known
        .max_by(|(_, one), (_, other)| is_shown(one).cmp(&is_shown(other)).then(one.middle.total_cmp(&other.middle)));
    let Some((PairVerdict { workload, verdict, .. }, ratio)) = most else {
        return format!("{contender} against {base}: {}.", without_ratio(own[0].pair));
    };
    let cost = format!("{} {}", percent(ratio.middle), interval(Some(ratio)));
    let place = match own.len() {
        1 => format!("in {workload}"),
        many => format!("in {workload}, the most of {}", counted(many, "workload")),
    };
    match verdict {
        _ if !is_shown(&ratio) => format!("{contender} against {base}: no cost is shown ({cost} {place})."),
        Verdict::Undecided => format!("{contender} leans to a cost of {cost} against {base} {place}: undecided."),
        _ => format!("{contender} costs {cost} against {base} {place}."),
    }
}

/// `not decided: 2 rounds, a verdict needs at least 3`: why a pair shows no ratio.
fn without_ratio(pair: &PairVerdict) -> String {
    let is_few = |reason: &&Reason| matches!(reason, Reason::FewRounds { .. } | Reason::NotMeasured);
    match (pair.reasons.iter().find(is_few), pair.reason()) {
        (Some(few), _) => few.to_string(),
        (None, reason) if reason.is_empty() => pair::words(pair),
        (None, reason) => format!("{} ({reason})", pair::words(pair)),
    }
}

/// `12 %`, `−3 %`: the further time, if the other is `times` as good.
fn percent(times: f64) -> String {
    format!("{} %", whole(times))
}

/// `[9, 15]`, in percent.
fn interval(ratio: Option<Ratio>) -> String {
    let ends = ratio.and_then(|ratio| Some(format!("[{}, {}]", whole(ratio.low?), whole(ratio.high?))));
    or_dash(ends)
}

fn whole(times: f64) -> String {
    // A little below 0 is 0, too.
    let percent = ((times - 1.0) * 100.0).round() + 0.0;
    percent.to_string().replace('-', MINUS)
}
