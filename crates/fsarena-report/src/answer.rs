//! The answer in few sentences: the winners of the workloads, the number of ties, and what more time would decide.

mod by_outcome;
mod by_work;
mod decision;

use fsarena_model::comparison::{ContenderRow, PairVerdict, WorkloadRow};
use fsarena_model::{Comparison, Label, Status, Verdict};
use fsarena_stats::FEWEST_ROUNDS;

use crate::group::{self, ClassGroup};
use crate::number::{self, span};
use crate::pair;
use crate::ranking::{Ranking, ranking};
use crate::report::Sentence;
use crate::words::{self, counted, listed, rounds};

/// The sentences of a document, each complete: one for each group of workloads, then what holds for all.
pub fn answer(comparison: &Comparison) -> Vec<Sentence> {
    let groups = group::compared(comparison);
    let by_work = groups.iter().flat_map(|group| match by_outcome::is_of_real_work(comparison) {
        true => by_outcome::sentences(group),
        false => by_work::sentences(group),
    });
    let is_decided = comparison.judged.verdicts.iter().any(|pair| pair.verdict != Verdict::Undecided);
    let condition = comparison.run.condition.iter().map(Sentence::from);
    let preface = preface(comparison).map(Sentence::from);
    let mut sentences = decision(comparison);
    sentences.extend(preface);
    match is_decided {
        true => sentences.extend(by_work.chain(condition)),
        false => sentences.extend(condition.chain(by_work)),
    }
    let counts = groups.iter().map(count);
    let rest = comparison.run.without_verdicts.clone().map_or_else(|| counts.collect(), |why| vec![why]);
    let rest = rest.into_iter().chain(time_advice(comparison));
    sentences.push(rest.collect::<Vec<_>>().join(" ").into());
    sentences.extend(apart(comparison).map(Sentence::from));
    sentences.extend(damaged(comparison).map(Sentence::from));
    if comparison.run.status == Status::Running {
        let count = rounds(comparison.run.rounds);
        sentences.push(format!("The run is still being measured, and has {count}.").into());
    }
    sentences.retain(|sentence| !sentence.0.is_empty());
    sentences
}

/// What to do, what the options of contenders give up in safety, and the space that compression saves.
pub fn decision(comparison: &Comparison) -> Vec<Sentence> {
    let costs = [decision::risks(comparison), decision::space(comparison)];
    decision::decision(comparison).into_iter().chain(costs.into_iter().flatten().map(Sentence::from)).collect()
}

/// For real work: a sentence for each outcome. Empty for other runs.
pub fn of_real_work(comparison: &Comparison) -> Vec<Sentence> {
    let groups = if by_outcome::is_of_real_work(comparison) { group::compared(comparison) } else { Vec::new() };
    groups.iter().flat_map(by_outcome::sentences).collect()
}

/// The winners, the numbers of verdicts, and what more time would decide. The condition of the machine has a place of
/// its own.
pub fn short(comparison: &Comparison) -> Vec<String> {
    let groups = group::compared(comparison);
    // The sentences on real work have the winners.
    let winners = |group| winners(group).filter(|_| !by_outcome::is_of_real_work(comparison));
    let answers = groups.iter().flat_map(|group| winners(group).into_iter().chain([count(group)]));
    let answers = comparison.run.without_verdicts.clone().map_or_else(|| answers.collect(), |why| vec![why]);
    let preface = preface(comparison).into_iter();
    preface.chain(answers).chain(time_advice(comparison)).chain(damaged(comparison)).collect()
}

/// What the suite does not show.
fn preface(comparison: &Comparison) -> Option<String> {
    Some(comparison.run.preface.clone()).filter(|preface| !preface.is_empty())
}

type Ranked<'a> = (&'a str, Ranking<'a>);

#[derive(Debug, PartialEq)]
enum Leader<'a> {
    One(&'a Label),
    Several,
    Open,
    Invalid,
}

fn lead<'a>(ranking: &Ranking<'a>) -> Leader<'a> {
    match ranking.leaders() {
        Some([one]) => Leader::One(one),
        Some(_) => Leader::Several,
        None if ranking.tiers.is_empty() => Leader::Invalid,
        None => Leader::Open,
    }
}

fn winners(group: &ClassGroup<'_>) -> Option<String> {
    let rankings = rankings(group, &group.comparison.workloads);
    let is_synthetic = !group.comparison.run.preface.is_empty();
    let mut parts = won(&rankings, group, is_synthetic);
    let is_won = !parts.is_empty();
    let others = [
        (Leader::Several, "the best are equivalent"),
        (Leader::Open, if is_synthetic { "the best is undecided" } else { "the fastest is undecided" }),
        (Leader::Invalid, "no figures can be compared"),
    ];
    for (wanted, words) in others {
        let names: Vec<String> = rankings.iter().filter(|(_, it)| lead(it) == wanted).map(name).collect();
        let all = names.join(", ");
        parts.extend((!names.is_empty()).then(|| match rankings.len() {
            1 => format!("in {all} {words}"),
            _ => format!("in {} {words} ({all})", names.len()),
        }));
    }
    let text = parts.join("; ");
    match (rankings.len(), is_won) {
        (0, _) => None,
        (_, true) => Some(format!("{text}.")),
        (1, false) => Some(format!("{}.", words::capitalised(&text))),
        (total, false) => Some(format!("Of {}, {text}.", counted(total, "workload"))),
    }
}

fn rankings<'a>(group: &ClassGroup<'a>, rows: impl IntoIterator<Item = &'a WorkloadRow>) -> Vec<Ranked<'a>> {
    rows.into_iter().map(|row| (row.name.as_str(), ranking(group, &row.name))).collect()
}

/// The contenders that lead alone, with the workloads in which they do, the most successful first.
fn led<'r, 'a>(rankings: &'r [Ranked<'a>], group: &ClassGroup<'a>) -> Vec<(&'a Label, Vec<&'r Ranked<'a>>)> {
    let own = |label| rankings.iter().filter(|(_, ranking)| lead(ranking) == Leader::One(label)).collect();
    let mut led: Vec<(&Label, Vec<&Ranked<'_>>)> = group.labels().map(|label| (label, own(label))).collect();
    led.retain(|(_, own)| !own.is_empty());
    led.sort_by_key(|(_, own)| std::cmp::Reverse(own.len()));
    led
}

/// What a leader is: `faster` of two contenders, `fastest` of several.
fn superlative(group: &ClassGroup<'_>) -> &'static str {
    if group.contenders.len() == 2 { "faster" } else { "fastest" }
}

fn won(rankings: &[Ranked<'_>], group: &ClassGroup<'_>, is_synthetic: bool) -> Vec<String> {
    let wins = match (is_synthetic, group.contenders.len()) {
        (true, 2) => "costs less".to_owned(),
        (true, _) => "costs least".to_owned(),
        (false, _) => format!("is the {}", superlative(group)),
    };
    let names = |own: &[&Ranked<'_>]| own.iter().map(|ranked| name(ranked)).collect::<Vec<_>>().join(", ");
    match rankings.len() {
        1 => led(rankings, group).iter().map(|(label, own)| format!("{label} {wins} in {}", names(own))).collect(),
        _ => led_in(rankings, group, &wins, |own| format!(" ({})", names(own))),
    }
}

/// `ext4 is the fastest in 3 of 10 workloads`, `xfs in 4`: a part for each contender that leads alone. `which` are the
/// words after a number of workloads.
fn led_in(
    rankings: &[Ranked<'_>],
    group: &ClassGroup<'_>,
    wins: &str,
    which: impl Fn(&[&Ranked<'_>]) -> String,
) -> Vec<String> {
    let total = counted(rankings.len(), "workload");
    let part = |(index, (label, own)): (usize, &(&Label, Vec<&Ranked<'_>>))| match index {
        0 => format!("{label} {wins} in {} of {total}{}", own.len(), which(own)),
        _ => format!("{label} in {}{}", own.len(), which(own)),
    };
    led(rankings, group).iter().enumerate().map(part).collect()
}

/// A workload, with the contenders that are invalid there.
fn name((name, ranking): &Ranked<'_>) -> String {
    match ranking.invalid.is_empty() || ranking.tiers.is_empty() {
        true => (*name).to_owned(),
        false => format!("{name} without {}", listed(&ranking.invalid)),
    }
}

fn count(group: &ClassGroup<'_>) -> String {
    let comparison = group.comparison;
    let pairs = group.pairs();
    let open = pairs.iter().filter(|pair| pair.is_open()).count();
    let of = |wanted: &[Verdict]| pairs.iter().filter(|pair| wanted.contains(&pair.verdict)).count();
    let margin = number::percent(comparison.run.margin);
    let few = pairs.iter().filter(|pair| pair.is_open() && pair::has_few_rounds(pair)).count();
    let parts = [
        (of(&[Verdict::Faster, Verdict::Slower]), "with a difference shown".to_owned()),
        (of(&[Verdict::Equivalent]), format!("equivalent within {margin}")),
        (of(&[Verdict::Undecided]) - open, "with little at stake".to_owned()),
        (open - few, "undecided".to_owned()),
        (few, format!("not decided, with {}", pair::FEW_ROUNDS)),
        (of(&[Verdict::Invalid]), "invalid".to_owned()),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, words)| format!("{count} {words}"));
    match pairs.len() {
        0 if comparison.judged.verdicts.is_empty() => "This run has figures, but no verdicts.".to_owned(),
        0 => "No pair could be compared.".to_owned(),
        total => format!("Of {}: {}.", counted(total, "comparison"), listed(parts)),
    }
}

fn apart(comparison: &Comparison) -> Option<String> {
    let groups = group::groups(comparison);
    let names =
        |group: &ClassGroup<'_>| Some(format!("{} ({})", listed(group.labels()), words::guaranteed(group.class?)));
    let apart: Vec<_> = groups.iter().skip(1).filter_map(names).collect();
    (!apart.is_empty()).then(|| format!("Shown apart, for other guarantees: {}.", apart.join("; ")))
}

fn damaged(comparison: &Comparison) -> Option<String> {
    let is_damaged = |row: &&ContenderRow| comparison.checks.damage.iter().any(|check| check.contender == row.label);
    let labels: Vec<&Label> = comparison.contenders.iter().filter(is_damaged).map(|row| &row.label).collect();
    (!labels.is_empty()).then(|| format!("A check found damage on {}.", listed(labels)))
}

/// Further times that are considered, in seconds.
const TIMES: [f64; 3] = [180.0, 600.0, 1800.0];

/// What more time would decide, and the command that adds the rounds that a verdict needs, or those of which an
/// interruption kept the run; `None` if nothing is open.
fn time_advice(comparison: &Comparison) -> Option<String> {
    let further =
        [more_time(comparison), more_rounds(comparison), no_more_rounds(comparison), rest_of_rounds(comparison)];
    let further = further.into_iter().flatten().collect::<Vec<_>>();
    (!further.is_empty()).then(|| further.join(" "))
}

/// For all undecided pairs: how many of them a further 3, 10 and 30 minutes would probably decide, and the maximum
/// difference of the others if it is small.
fn more_time(comparison: &Comparison) -> Option<String> {
    // How much a pair varies is not known after a round or two.
    let is_meant = |pair: &&PairVerdict| pair.is_open() && !pair::has_few_rounds(pair);
    let undecided: Vec<&PairVerdict> = comparison.judged.verdicts.iter().filter(is_meant).collect();
    if undecided.is_empty() {
        return None;
    }
    let within = |seconds| comparison.decided_within(seconds).into_iter().filter(is_meant).collect::<Vec<_>>();
    let mut parts = TIMES.map(|seconds| (seconds, within(seconds).len())).to_vec();
    parts.retain(|(_, count)| *count > 0);
    // Longer times decide no fewer pairs.
    parts.dedup_by_key(|(_, count)| *count);
    let all = match undecided.len() {
        1 => "the undecided pair".to_owned(),
        2 => "both undecided pairs".to_owned(),
        count => format!("all {count} undecided pairs"),
    };
    let words = |(index, (seconds, count)): (usize, &(f64, usize))| match index {
        0 if *count == undecided.len() => format!("A further {} would probably decide {}", span(*seconds), all),
        0 => format!(
            "A further {} would probably decide {count} of the {}",
            span(*seconds),
            counted(undecided.len(), "undecided pair")
        ),
        _ => format!("{} {count}", span(*seconds)),
    };
    let gains = parts.iter().enumerate().map(words).collect::<Vec<_>>().join(", ");
    let late = within(TIMES[2]);
    let rest: Vec<&PairVerdict> =
        undecided.iter().filter(|pair| !late.iter().any(|decided| std::ptr::eq(*decided, **pair))).copied().collect();
    let bounds: Option<Vec<f64>> = rest.iter().map(|pair| at_most(pair)).collect();
    let bound = bounds.and_then(|bounds| bounds.into_iter().reduce(f64::max)).filter(|bound| *bound < SMALL);
    let differ = |verb: &str, bound: f64| format!("probably {verb} by less than {}", number::percent(bound));
    Some(match (gains.is_empty(), bound) {
        (false, Some(bound)) => format!("{gains}; the rest {}.", differ("differ", bound)),
        (false, None) => format!("{gains}."),
        (true, Some(bound)) if rest.len() == 1 => format!("The undecided pair {}.", differ("differs", bound)),
        (true, Some(bound)) => format!("The {} undecided pairs {}.", rest.len(), differ("differ", bound)),
        (true, None) => {
            let any = if rest.len() == 1 { all } else { format!("any of the {} undecided pairs", rest.len()) };
            format!("A further {} would probably not decide {any}.", span(TIMES[2]))
        }
    })
}

/// Whether the workload of a pair runs in fewer rounds than a verdict needs.
fn never_has_enough(row: &WorkloadRow) -> bool {
    row.most_rounds.is_some_and(|most| (most as usize) < FEWEST_ROUNDS)
}

/// The workloads that get no verdict however often they run; `None` if there are none, or if nothing is compared.
fn no_more_rounds(comparison: &Comparison) -> Option<String> {
    let is_open =
        |row: &&WorkloadRow| comparison.judged.verdicts.iter().any(|pair| pair.workload == row.name && pair.is_open());
    let never = comparison.workloads.iter().filter(|row| never_has_enough(row)).filter(is_open);
    let names: Vec<&str> = never.map(|row| row.name.as_str()).collect();
    let has_any = !names.is_empty() && comparison.run.without_verdicts.is_none();
    has_any.then(|| {
        format!(
            "No verdict is possible in {}: `most-rounds` is below the {FEWEST_ROUNDS} that it needs.",
            listed(names)
        )
    })
}

/// How a run that was interrupted goes on.
fn rest_of_rounds(comparison: &Comparison) -> Option<String> {
    let run = &comparison.run;
    let when = match run.rounds {
        0 => "before a round was complete".to_owned(),
        count => format!("after {}", rounds(count)),
    };
    let words = || format!("The run was interrupted {when}; to go on: fsarena resume {}.", run.number);
    (run.status == Status::Interrupted).then(words)
}

/// The command for the rounds that pairs lack for a verdict; `None` if none lacks any, or if the run was interrupted.
fn more_rounds(comparison: &Comparison) -> Option<String> {
    let run = &comparison.run;
    let may_go_on = run.status == Status::Complete && run.without_verdicts.is_none();
    let can_have =
        |pair: &PairVerdict| !comparison.workloads.iter().any(|row| row.name == pair.workload && never_has_enough(row));
    let is_few = |pair: &&PairVerdict| may_go_on && pair.is_open() && pair::has_few_rounds(pair);
    let all = comparison.judged.verdicts.iter().filter(is_few).count();
    let few = comparison.judged.verdicts.iter().filter(is_few).filter(|pair| can_have(pair));
    let few: Vec<&PairVerdict> = few.collect();
    let lacking = few.iter().map(|pair| (FEWEST_ROUNDS as u32).saturating_sub(pair.rounds).max(1)).max()?;
    Some(format!(
        "For {}{} with {}: fsarena resume {} --rounds {lacking}.",
        if few.len() < all { format!("{} of ", few.len()) } else { String::new() },
        format_args!("the {}", counted(all, "comparison")),
        pair::FEW_ROUNDS,
        run.number
    ))
}

/// Differences above this one are not small: that a pair probably differs by less says nothing.
const SMALL: f64 = 0.1;

/// Maximum relative difference of a pair according to its pointwise interval.
fn at_most(pair: &PairVerdict) -> Option<f64> {
    let ratio = pair::ratio(pair)?;
    Some(ratio.high?.max(ratio.low?.recip()) - 1.0)
}

/// Recommended further time of a run, in seconds: the shortest time that decides at least half of the pairs that the
/// longest decides.
pub fn advised(comparison: &Comparison) -> Option<f64> {
    let most = comparison.decided_within(TIMES[2]).len();
    TIMES.into_iter().find(|seconds| most > 0 && 2 * comparison.decided_within(*seconds).len() >= most)
}

/// `10m more would probably decide 2 undecided pairs: fsarena resume 4 --budget 10m`; `None` if 30 minutes would decide
/// none.
pub fn advice(comparison: &Comparison) -> Option<String> {
    let seconds = advised(comparison)?;
    let (run, time) = (comparison.run.number, format!("{:.0}m", seconds / 60.0));
    let pairs = counted(comparison.decided_within(seconds).len(), "undecided pair");
    Some(format!("{time} more would probably decide {pairs}: fsarena resume {run} --budget {time}"))
}

/// How to decide more pairs, or that more time would decide none; `None` if nothing is open.
pub fn next_step(comparison: &Comparison) -> Option<String> {
    more_rounds(comparison).or_else(|| advice(comparison)).or_else(|| more_time(comparison))
}
