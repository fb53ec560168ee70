//! The notes about unstable cells: one sentence for each kind of instability.

use fsarena_model::Severity;
use fsarena_model::comparison::{Cell, Change};
use fsarena_model::event::Note;

/// Smallest relative change within a round, or by carry-over, that is reported, even if smaller ones are proved.
const NOTEWORTHY: f64 = 0.02;
/// Smallest relative difference between the typical slice and all of the time that is reported.
const OTHERWISE: f64 = 0.2;
/// Relative difference below which two figures are equal.
const ROUNDING: f64 = 1e-9;
/// Maximum number of cells named in a sentence.
const NAMED: usize = 4;

/// The notes; empty if all cells are stable. Rounds within `margin` (0 to 1) of their cell's median are not mentioned.
pub fn notes(cells: &[Vec<Cell>], margin: f64) -> Vec<Note> {
    let large = |change: &Change| change.is_proved() && (change.ratio.ln().abs() > f64::ln_1p(NOTEWORTHY));
    let trends = named(cells, |cells, cell| {
        let trend = cell.stability.trend.filter(Change::is_proved).filter(|_| drifts_most(cells, cell))?;
        Some(format!("becomes {}", words(&trend, "with each round")))
    });
    let within = named(cells, |_, cell| {
        let change = cell.stability.within_round.filter(large)?;
        Some(format!("becomes {}", words(&change, "from its first slices to its last")))
    });
    let carried = named(cells, |_, cell| {
        let change = cell.stability.carry_over.filter(large)?;
        Some(format!("is {}", words(&change, "right after a slice of its own")))
    });
    let whole = named(cells, |_, cell| {
        let ratio = cell.stability.whole_time.filter(|ratio| ratio.ln().abs() > f64::ln_1p(OTHERWISE))?;
        Some(format!("is {ratio:.1} times as fast"))
    });
    let whole = whole.map(|cells| {
        let typical = "figures and verdicts are about the typical slice, and some slices are far from it";
        format!("{typical}; over all of its time, compared with its typical slice, {cells}")
    });
    let sentences = [
        (Severity::Warning, whole),
        (Severity::Warning, trends.map(|text| format!("drift, measured against the other contenders: {text}"))),
        (Severity::Info, within.map(|text| format!("not steady within a round: {text}"))),
        (Severity::Info, carried.map(|text| format!("carry-over: {text}"))),
        (Severity::Info, far(cells, margin)),
    ];
    sentences.into_iter().filter_map(|(severity, text)| Some(Note { severity, text: text? })).collect()
}

/// Whether the contender of `cell` drifts most of the `cells` of its workload; the first of equals. Drift is relative to
/// the other contenders, so the drift of one appears with the opposite sign in the others.
fn drifts_most(cells: &[Cell], cell: &Cell) -> bool {
    let drift = |cell: &Cell| cell.stability.trend.map_or(0.0, |trend| trend.ratio.ln().abs());
    let most = cells.iter().map(drift).fold(0.0, f64::max);
    let first = cells.iter().find(|rival| drift(rival) > most * (1.0 - ROUNDING));
    first.is_some_and(|first| first.contender == cell.contender)
}

/// `xfs in create-fsync …; …`, for at most [`NAMED`] cells.
fn named(cells: &[Vec<Cell>], what: impl Fn(&[Cell], &Cell) -> Option<String>) -> Option<String> {
    let all: Vec<String> = cells
        .iter()
        .flat_map(|own| own.iter().filter_map(|cell| Some(format!("{} {}", name(cell), what(own, cell)?))))
        .collect();
    let more = all.len().saturating_sub(NAMED);
    let rest = (more > 0).then(|| format!("and {more} more"));
    let parts: Vec<&str> = all.iter().take(NAMED).chain(&rest).map(String::as_str).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn name(cell: &Cell) -> String {
    format!("{} in {}", cell.contender, cell.workload)
}

/// `1.2 % slower with each round [0.8, 1.7]`.
fn words(change: &Change, when: &str) -> String {
    let (word, sign) = if change.ratio < 1.0 { ("slower", -1.0) } else { ("faster", 1.0) };
    let percent = |ratio: f64| format!("{:.1}", sign * (ratio - 1.0) * 100.0).replace('-', "−");
    let (near, far) = if sign < 0.0 { (change.high, change.low) } else { (change.low, change.high) };
    format!("{} % {word} {when} [{}, {}]", percent(change.ratio), percent(near), percent(far))
}

/// `round 5 of btrfs in seqread-cold is an outlier: 40 % below its median; it counts like the others`.
fn far(cells: &[Vec<Cell>], margin: f64) -> Option<String> {
    let all: Vec<Far<'_>> = cells.iter().flatten().flat_map(|cell| far_rounds(cell, margin)).collect();
    let Far { cell, round, ratio } = all.iter().max_by(|one, other| one.distance().total_cmp(&other.distance()))?;
    let which = format!("round {round} of {}", name(cell));
    let side = if *ratio < 1.0 { "below" } else { "above" };
    let how = format!("{:.0} % {side} its median", (ratio - 1.0).abs() * 100.0);
    Some(match all.len() {
        1 => format!("{which} is an outlier: {how}; it counts like the others"),
        count => {
            format!("{count} values of rounds are outliers, {which} the furthest: {how}; they count like the others")
        }
    })
}

/// A round whose value is far from its cell's median; `ratio` is the quotient of both.
struct Far<'a> {
    cell: &'a Cell,
    round: u32,
    ratio: f64,
}

impl Far<'_> {
    fn distance(&self) -> f64 {
        self.ratio.ln().abs()
    }
}

fn far_rounds(cell: &Cell, margin: f64) -> impl Iterator<Item = Far<'_>> {
    let far = cell.stability.outliers.iter().filter_map(|round| {
        let value = cell.by_round.get(*round as usize - 1).copied().flatten()?;
        Some(Far { cell, round: *round, ratio: value / cell.figure.median? })
    });
    far.filter(move |far| far.distance() > margin.ln_1p())
}
