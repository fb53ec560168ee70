//! What the layers below a file system cost: a row for each workload of a contender that differs from another by layers
//! alone.

use fsarena_model::comparison::PairVerdict;
use fsarena_model::{Comparison, Label};

use crate::number::{MINUS, Ratio, or_dash};
use crate::pair;
use crate::report::ColumnKind::{Figure, Name, Words};
use crate::report::{Paragraph, Section, TableLook, TableOf};

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
        .column(Figure, "cost", |cost| or_dash(cost.ratio.map(|ratio| format!("{} %", whole(ratio.middle)))))
        .column(Figure, "95 %", |cost| interval(cost.ratio))
        .column(Words, "verdict", |cost| pair::statement(cost.pair));
    Section::titled("What the layers cost").with(table).with(Paragraph::legend(MEANING))
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

/// `[9, 15]`, in percent.
fn interval(ratio: Option<Ratio>) -> String {
    let ends = ratio.and_then(|ratio| Some(format!("[{}, {}]", whole(ratio.low?), whole(ratio.high?))));
    or_dash(ends)
}

/// `12`, `−3`: the further time in percent, if the other is `times` as good.
fn whole(times: f64) -> String {
    // A little below 0 is 0, too.
    let percent = ((times - 1.0) * 100.0).round() + 0.0;
    percent.to_string().replace('-', MINUS)
}
