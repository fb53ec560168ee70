//! The values for the page's template.

use fsarena_model::{Comparison, Status, Verdict};
use serde::Serialize;

use super::matrix::{Matrix, matrices};
use super::place::{Contender, Note, Place, contenders, notes, place};
use super::reading::{Reading, reading};
use super::repeat::{Repeat, repeat};
use super::reproduction;
use super::section::{Section, sections};
use super::suite::{SuiteLine, lines};
use crate::reproduction::View;
use crate::table::{self, Table};
use crate::{answer, group, number, recommendation, remark, words};

/// Everything on the page.
#[derive(Serialize)]
pub struct Page<'a> {
    title: String,
    comparison: &'a Comparison,
    facts: Vec<String>,
    is_interrupted: bool,
    answer: String,
    tiles: Vec<Tile>,
    margin: String,
    reproduction: Option<reproduction::Section>,
    mix: Option<View>,
    matrices: Vec<Matrix>,
    suite: Vec<SuiteLine>,
    suite_meaning: &'static str,
    sections: Vec<Section>,
    explained: Vec<Table>,
    guarantees: Vec<String>,
    contenders: Vec<Contender>,
    place: Place,
    damage: Vec<String>,
    notes: Vec<Note<'a>>,
    reading: Reading,
    repeat: Repeat,
}

/// Number of pairs with a verdict.
#[derive(Serialize)]
struct Tile {
    class: &'static str,
    count: usize,
    words: &'static str,
}

impl<'a> Page<'a> {
    /// The page of a comparison.
    pub fn new(comparison: &'a Comparison) -> Self {
        let labels = group::labels(&comparison.contenders.iter().collect::<Vec<_>>());
        Self {
            title: format!("{} compared", words::listed(labels)),
            comparison,
            facts: facts(comparison),
            is_interrupted: comparison.status == Status::Interrupted,
            answer: answer::answer(comparison).join(" "),
            tiles: tiles(comparison),
            margin: number::percent(comparison.margin),
            reproduction: reproduction::section(comparison),
            mix: recommendation::view(comparison),
            matrices: matrices(comparison),
            suite: lines(comparison),
            suite_meaning: words::SUITE,
            sections: sections(comparison),
            explained: table::of_all(comparison),
            guarantees: group::groups(comparison).iter().filter_map(remark::guarantees).collect(),
            contenders: contenders(comparison),
            place: place(comparison),
            damage: comparison.damage.iter().map(remark::damage).collect(),
            notes: notes(comparison),
            reading: reading(comparison),
            repeat: repeat(comparison),
        }
    }
}

fn facts(comparison: &Comparison) -> Vec<String> {
    let suite = comparison.suite.as_ref().map(|suite| format!("suite {suite}"));
    let rest = [
        words::rounds(comparison.rounds),
        format!("started {}", comparison.started),
        words::status(comparison.status).to_owned(),
        format!("fsarena {}", comparison.environment.fsarena),
    ];
    [format!("run {}", comparison.run)].into_iter().chain(suite).chain(rest).collect()
}

/// Counts only pairs within a group.
fn tiles(comparison: &Comparison) -> Vec<Tile> {
    let groups = group::groups(comparison);
    let pairs: Vec<_> = groups.iter().flat_map(|group| answer::pairs(comparison, group)).collect();
    let tile = |class, wanted: &[Verdict], words| {
        let count = pairs.iter().filter(|pair| wanted.contains(&pair.verdict)).count();
        Tile { class, count, words }
    };
    vec![
        tile("faster", &[Verdict::Faster, Verdict::Slower], "a difference shown"),
        tile("equivalent", &[Verdict::Equivalent], "equivalent"),
        tile("undecided", &[Verdict::Undecided], "undecided"),
        tile("invalid", &[Verdict::Invalid], "invalid"),
    ]
}
