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

/// The sentences of a report, each complete: what to do, the machine's condition, one for each group of workloads, then
/// what holds for all.
pub fn answer(comparison: &Comparison) -> Vec<Sentence> {
    let run = &comparison.run;
    let groups = group::compared(comparison);
    let of_workloads = groups.iter().flat_map(|group| match by_outcome::is_of_real_work(comparison) {
        true => by_outcome::sentences(group),
        false => by_work::sentences(group),
    });
    let counts = run.without_verdicts.clone().map_or_else(|| groups.iter().map(count).collect(), |why| vec![why]);
    let further =
        [more_time(comparison), more_rounds(comparison), no_more_rounds(comparison), rest_of_rounds(comparison)];
    let counts: Vec<String> = counts.into_iter().chain(further.into_iter().flatten()).collect();
    let is_running = run.status == Status::Running;
    let running = is_running.then(|| format!("The run is still being measured, and has {}.", rounds(run.rounds)));
    let before =
        [decision::risks(comparison), decision::space(comparison), Some(run.preface.clone()), run.condition.clone()];
    let after = [Some(counts.join(" ")), apart(comparison), damaged(comparison), running];
    let [before, after] = [before, after].map(|texts| texts.into_iter().flatten().map(Sentence::from));
    let all = decision::decision(comparison).into_iter().chain(before).chain(of_workloads).chain(after);
    let mut all: Vec<Sentence> = all.filter(|sentence| !sentence.0.is_empty()).collect();
    // Several groups of contenders may have the same one.
    all.dedup();
    all
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

/// For all undecided pairs: how many of them a further 3, 10 and 30 minutes would probably decide.
fn more_time(comparison: &Comparison) -> Option<String> {
    // How much a pair varies is not known after a round or two.
    let is_meant = |pair: &&PairVerdict| pair.is_open() && !pair::has_few_rounds(pair);
    let all = comparison.judged.verdicts.iter().filter(is_meant).count();
    let within = |seconds| comparison.decided_within(seconds).into_iter().filter(is_meant).count();
    let mut times = TIMES.map(|seconds| (seconds, within(seconds))).to_vec();
    times.retain(|(_, count)| *count > 0);
    // Longer times decide no fewer pairs.
    times.dedup_by_key(|(_, count)| *count);
    let pairs = |count: &str| match all {
        1 => "the undecided pair".to_owned(),
        _ => format!("{count} of the {all} undecided pairs"),
    };
    let later: String = times.iter().skip(1).map(|(seconds, count)| format!(", {} {count}", span(*seconds))).collect();
    let words = match times.first() {
        Some((seconds, count)) => {
            let decided = pairs(&count.to_string());
            format!("A further {} would probably decide {decided}{later}.", span(*seconds))
        }
        None => format!("A further {} would probably not decide {}.", span(TIMES[2]), pairs("any")),
    };
    (all > 0).then_some(words)
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
