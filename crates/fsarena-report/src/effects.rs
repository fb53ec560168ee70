//! What each option of a matrix changes: a sentence per option, and a table. What the layers below a file system cost:
//! a row for each workload of a contender that differs from another by layers alone.

use fsarena_model::comparison::{EffectRow, PairVerdict};
use fsarena_model::{Comparison, Label, distinct, grouped};

use crate::number::{DASH, MINUS, Ratio, or_dash};
use crate::pair::{self, interval, times};
use crate::report::ColumnKind::{Figure, Name, Words};
use crate::report::{List, ListLook, Paragraph, Role, Section, Sentence, TableLook, TableOf};
use crate::words::counted;

const MEANING: &str = "A main effect: how many times better the option is than the other, as the geometric mean over \
    all combinations of the other options of its matrix, with the pointwise 95 % interval of this one mean; it decides \
    nothing. From … to: the ratios of the single pairs. Where they are far apart, options depend on each other, and the \
    mean says little.";

/// The section; empty without a matrix.
pub fn section(comparison: &Comparison) -> Section {
    let rows: Vec<&EffectRow> = by_size(&comparison.judged.effects);
    let aside = |row: &EffectRow| match row.reason.as_str() {
        "" => String::new(),
        reason => format!("not without {reason}"),
    };
    let has_others = rows.iter().any(|row| row.pairs > 1);
    let table = TableOf::new(TableLook::Narrow, &rows)
        .column(Name, "workload", |row| &row.workload)
        .column(Name, "option", |row| &row.level)
        .column(Name, "against", |row| &row.base)
        .column(Figure, "ratio", |row| Sentence::from(times(Ratio::of(row.estimate))).and(Role::Aside, aside(row)))
        .column(Figure, "95 %", |row| interval(Ratio::of(row.estimate)));
    let table = match has_others {
        true => table.column(Figure, "from … to", |row| range(row)),
        false => table,
    };
    short(comparison).with(table.done()).with(Paragraph::legend(MEANING))
}

/// The section without its table.
pub fn short(comparison: &Comparison) -> Section {
    Section::titled("Which option matters").with(List::new(ListLook::Paragraphs, sentences(&comparison.judged.effects)))
}

/// The range of the single pairs; a dash for one pair.
fn range(row: &EffectRow) -> String {
    match (row.least, row.most) {
        (Some(least), Some(most)) if row.pairs > 1 => {
            let [least, most] = [least, most].map(|middle| Ratio::alone(middle).times());
            format!("{least} to {most}")
        }
        _ => DASH.to_owned(),
    }
}

/// The distance of the ratio from 1, in either direction.
fn size(row: &EffectRow) -> f64 {
    row.estimate.ratio.map_or(0.0, |ratio| ratio.ln().abs())
}

/// Whether the interval excludes 1.
fn is_shown(row: &EffectRow) -> bool {
    row.estimate.low.is_some_and(|low| low > 1.0) || row.estimate.high.is_some_and(|high| high < 1.0)
}

/// The rows with the largest effect of each workload first.
fn by_size(rows: &[EffectRow]) -> Vec<&EffectRow> {
    let mut workloads = grouped(rows.iter().map(|row| ((&row.matrix, &row.workload), row)));
    workloads.iter_mut().for_each(|(_, own)| own.sort_by(|one, other| size(other).total_cmp(&size(one))));
    workloads.into_iter().flat_map(|(_, own)| own).collect()
}

/// A sentence for each factor: where it seems to matter, and where most. The factor that matters most comes first.
fn sentences(rows: &[EffectRow]) -> Vec<String> {
    let mut factors = grouped(rows.iter().map(|row| ((&row.matrix, &row.factor), row)));
    let largest = |own: &[&EffectRow]| own.iter().filter(|row| is_shown(row)).map(|row| size(row)).fold(0.0, f64::max);
    factors.sort_by(|(_, one), (_, other)| largest(other).total_cmp(&largest(one)));
    factors.iter().map(|(_, own)| sentence(own)).collect()
}

fn sentence(own: &[&EffectRow]) -> String {
    let shown: Vec<&EffectRow> = own.iter().copied().filter(|row| is_shown(row)).collect();
    let workloads = |rows: &[&EffectRow]| distinct(rows.iter().map(|row| row.workload.as_str())).len();
    let (factor, all) = (&own[0].factor, counted(workloads(own), "workload"));
    if own.iter().all(|row| row.estimate.ratio.is_none()) {
        return format!("{factor}: not tested: {}.", own[0].reason);
    }
    let Some(most) = shown.iter().max_by(|one, other| size(one).total_cmp(&size(other))) else {
        return format!("{factor}: not shown to matter ({all}).");
    };
    let times = times(Ratio::of(most.estimate));
    let count = workloads(&shown);
    let EffectRow { workload, level, base, .. } = most;
    format!("{factor}: seems to matter in {count} of {all}, most in {workload}: {level} is {times} as good as {base}.")
}

const COST: &str = "Cost: how much more time the same work takes with the further layers, with the pointwise 95 % \
    interval. Where the interval contains 0 %, no cost is shown; where the pair is undecided, it only leans to one.";

/// A contender in a workload, against the one with fewer layers.
struct LayerCost<'a> {
    pair: &'a PairVerdict,
    contender: &'a Label,
    base: &'a Label,
    /// How many times as good `base` is; `None` if the pair shows no ratio.
    ratio: Option<Ratio>,
}

/// The section about layers; empty if no contender differs from another by layers alone.
pub fn of_layers(comparison: &Comparison) -> Section {
    let rows = comparison.contenders.iter();
    let mut costs: Vec<LayerCost<'_>> = Vec::new();
    for (row, base) in rows.flat_map(|row| row.without_layers.iter().map(move |base| (row, base))) {
        costs.extend(comparison.judged.verdicts.iter().filter_map(|pair| cost(pair, &row.label, base)));
    }
    let table = TableOf::new(TableLook::Narrow, &costs)
        .column(Name, "workload", |cost| &cost.pair.workload)
        .column(Name, "contender", |cost| cost.contender.to_string())
        .column(Name, "against", |cost| cost.base.to_string())
        .column(Figure, "cost", |cost| or_dash(cost.ratio.map(|ratio| format!("{} %", further(ratio.middle)))))
        .column(Figure, "95 %", |cost| or_dash(cost.ratio.and_then(further_ends)))
        .column(Words, "verdict", |cost| pair::statement(cost.pair));
    Section::titled("What the layers cost").with(table).with(Paragraph::legend(COST))
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
fn further_ends(ratio: Ratio) -> Option<String> {
    Some(format!("[{}, {}]", further(ratio.low?), further(ratio.high?)))
}

/// `12`, `−3`: the further time in percent, if the other is `times` as good.
fn further(times: f64) -> String {
    // A little below 0 is 0, too.
    let percent = ((times - 1.0) * 100.0).round() + 0.0;
    percent.to_string().replace('-', MINUS)
}
