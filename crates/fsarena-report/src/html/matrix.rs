//! The matrix of verdicts: workloads are rows, pairs are columns.

use fsarena_model::comparison::{PairVerdict, WorkloadRow};
use fsarena_model::{Comparison, Verdict};
use serde::Serialize;

use crate::group::{Group, groups};
use crate::{group, pair, ranking, remark};

/// The verdicts of one durability class.
#[derive(Serialize)]
pub struct Matrix {
    apart: Option<String>,
    pairs: Vec<String>,
    has_ranking: bool,
    rows: Vec<MatrixRow>,
}

#[derive(Serialize)]
struct MatrixRow {
    workload: String,
    anchor: String,
    cells: Vec<MatrixCell>,
    ranking: String,
    best: String,
}

#[derive(Serialize)]
struct MatrixCell {
    class: String,
    words: String,
    figure: String,
}

/// The anchor of a workload's section.
pub fn anchor(index: usize) -> String {
    format!("workload-{}", index + 1)
}

/// One matrix per group that has pairs.
pub fn matrices(comparison: &Comparison) -> Vec<Matrix> {
    let groups = groups(comparison);
    let numbered = groups.iter().enumerate().filter(|(_, group)| group.contenders.len() > 1);
    numbered.map(|(index, group)| matrix(comparison, group, index)).collect()
}

fn matrix(comparison: &Comparison, group: &Group<'_>, index: usize) -> Matrix {
    let mut pairs = Vec::new();
    for (index, a) in group.contenders.iter().enumerate() {
        pairs.extend(group.contenders[index + 1..].iter().map(|b| (&a.label, &b.label)));
    }
    let row = |(index, workload): (usize, &WorkloadRow)| {
        let of = |name: &str| group::verdicts(comparison, name, &group.contenders).collect::<Vec<_>>();
        let verdicts = of(&workload.name);
        let find = |(a, b)| verdicts.iter().find(|pair| (&pair.a, &pair.b) == (a, b));
        MatrixRow {
            workload: workload.name.to_string(),
            anchor: anchor(index),
            cells: pairs.iter().map(|pair| find(*pair).map_or_else(missing, |pair| cell(pair))).collect(),
            ranking: ranking::ranking(comparison, group, &workload.name).to_string(),
            best: ranking::best(comparison, group, &workload.name).unwrap_or_default(),
        }
    };
    Matrix {
        apart: (index > 0).then(|| remark::apart(group)).flatten(),
        pairs: pairs.iter().map(|(a, b)| format!("{a} / {b}")).collect(),
        has_ranking: group.contenders.len() > 2,
        rows: comparison.workloads.iter().enumerate().map(row).collect(),
    }
}

fn missing() -> MatrixCell {
    MatrixCell { class: Verdict::Undecided.to_string(), words: "not compared".to_owned(), figure: String::new() }
}

fn cell(pair: &PairVerdict) -> MatrixCell {
    let oriented = pair::decision(pair).filter(|_| pair.verdict != Verdict::Invalid);
    let oriented = oriented.map(|ratio| pair::better(pair, ratio));
    let words = match (pair.verdict, pair.leaning) {
        (Verdict::Faster, _) => format!("{} faster", pair.a),
        (Verdict::Slower, _) => format!("{} faster", pair.b),
        (Verdict::Undecided, Some(Verdict::Faster)) => format!("leaning to {}", pair.a),
        (Verdict::Undecided, Some(_)) => format!("leaning to {}", pair.b),
        (verdict, _) => verdict.to_string(),
    };
    let figure = oriented.map(|(label, ratio)| {
        let name = if matches!(pair.verdict, Verdict::Faster | Verdict::Slower) { "" } else { label.0.as_str() };
        format!("{name} {} {}", ratio.times(), ratio.interval().unwrap_or_default()).trim().to_owned()
    });
    MatrixCell { class: pair.verdict.to_string(), words, figure: figure.unwrap_or_default() }
}
