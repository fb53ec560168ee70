//! What each option of a matrix changes: a sentence per option, and a table.

use fsarena_model::comparison::EffectRow;
use fsarena_model::{Comparison, distinct, grouped};

use crate::number::{DASH, Ratio};
use crate::pair::{interval, times};
use crate::report::ColumnKind::{Figure, Name};
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
