//! The tables of the calibration.

use fsarena_stats::simulate::{Cell, Goal, Met, Section, Share, Tally};

/// Prints all cells, table by table, and how many goals were met.
pub fn print(cells: &[Cell], tallies: &[Tally], seed: u64) {
    println!("{}", LEGEND.replace("SEED", &seed.to_string()));
    let mut last = None;
    for (cell, tally) in cells.iter().zip(tallies) {
        if last != Some(cell.section) {
            println!("\n{}\n{HEADER}", title(cell.section));
            last = Some(cell.section);
        }
        println!("{}", line(cell, tally));
    }
    println!("\n{}", summary(cells, tallies));
}

const LEGEND: &str = "\
The decision rule in simulated runs whose truth is known; seed SEED.
suite    contenders × workloads; sd is that of a pair's difference from round to round
false    runs with any false winner, with its 95 % interval, and pairs with one
covers   runs whose decision intervals hold all truths at stopping
right    truly different pairs whose winner was found; equal: pairs called equivalent; open: pairs without verdict
rounds   median (and 90 %) of the rounds until a true winner was found or, where none is, until equivalence
f.equal  pairs at the margin or beyond that were called equivalent
1 pair   pointwise intervals that hold the truth when the pair was decided
suite    the geometric mean's intervals that hold the truth
goals    met; barely: the figure meets it, its 95 % interval does not; NOT MET (nearly: within the interval)";

const HEADER: &str = "\
suite   cell                                              runs  false in runs       pairs  covers   right   equal    open  \
rounds   f.equal  1 pair   suite  goals";

/// The words by which a cell can be chosen.
pub fn heading(cell: &Cell) -> String {
    let Cell { section, name, scenario, .. } = cell;
    format!("{section:?} {} × {}  {name}", scenario.effects.len(), scenario.workloads)
}

fn title(section: Section) -> &'static str {
    match section {
        Section::NoDifference => "No true difference, noise of all kinds (sd 3 % unless said)",
        Section::AtTheMargin => "A difference of the margin (5 %) or beyond must not pass for equivalence",
        Section::Power => "One contender is better: how often and after how many rounds it is found",
        Section::Field => "The rules of the field on the same data, no true difference, no lanes",
        Section::Broken => "The rule broken on purpose: each line must show a failing figure",
    }
}

fn line(cell: &Cell, tally: &Tally) -> String {
    let Cell { name, scenario, .. } = cell;
    let wrong = tally.runs_with_false_winner;
    let rounds = if tally.found.of > 0 { &tally.rounds_to_find } else { &tally.rounds_to_equal };
    let round = |part| rounds.quantile(part).map_or("-".to_owned(), |rounds| rounds.to_string());
    let interval =
        wrong.interval().map_or(String::new(), |(low, high)| format!("({:.1}–{:.1})", 100.0 * low, 100.0 * high));
    format!(
        "{:<7} {name:<48} {:>5} {:>6} {interval:<12} {:>6} {:>7} {:>7} {:>7} {:>7}  {:<8} {:>6} {:>7} {:>7}  {}",
        format!("{} × {}", scenario.effects.len(), scenario.workloads),
        wrong.of,
        percent(wrong),
        percent(tally.false_winner),
        percent(tally.runs_covered),
        percent(tally.found),
        percent(tally.equivalent),
        percent(tally.undecided),
        format!("{} ({})", round(0.5), round(0.9)),
        percent(tally.false_equivalent),
        percent(tally.pointwise_covered),
        percent(tally.suite_covered),
        goals(cell, tally),
    )
}

fn percent(share: Share) -> String {
    share.fraction().map_or("-".to_owned(), |part| format!("{:.1}%", 100.0 * part))
}

fn goals(cell: &Cell, tally: &Tally) -> String {
    let goals = cell.goals.iter().filter_map(|goal| Some(format!("{}: {}", words(goal), word(goal.judge(tally)?))));
    goals.collect::<Vec<_>>().join("; ")
}

fn words(goal: &Goal) -> String {
    match goal {
        Goal::NoFalseWinner => "false ≤ 5%".to_owned(),
        Goal::NoFalseEquivalent => "f.equal ≤ 5%".to_owned(),
        Goal::Coverage => "covers ≥ 95%".to_owned(),
        Goal::Found { share, median } => format!("right ≥ {:.0}%, median ≤ {median}", 100.0 * share),
        Goal::FoundBy { share, round } => format!("right ≥ {:.0}% by {round}", 100.0 * share),
        Goal::BreaksWinners => "must show false > 5%".to_owned(),
        Goal::BreaksPower { share, round } => format!("must show right < {:.0}% by {round}", 100.0 * share),
    }
}

fn word(met: Met) -> &'static str {
    match met {
        Met::Surely => "met",
        Met::Barely => "barely",
        Met::Nearly => "NOT MET, nearly",
        Met::Missed => "NOT MET",
    }
}

fn summary(cells: &[Cell], tallies: &[Tally]) -> String {
    let goals = || cells.iter().zip(tallies).flat_map(|(cell, tally)| cell.goals.iter().map(|goal| goal.judge(tally)));
    let met = goals().flatten().filter(|met| met.is_met()).count();
    format!("{met} of {} goals met", goals().flatten().count())
}
