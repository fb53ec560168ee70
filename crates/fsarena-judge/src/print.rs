//! The judgement as a report.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use fsarena_model::{Better, Verdict};
use fsarena_report::number::{Ratio, or_dash, percent, three_digits};
use fsarena_report::report::ColumnKind::{Figure, Name, Words};
use fsarena_report::report::{
    Entry, List, ListLook, Paragraph, Report, Role, Section, Sentence, Shade, TableLook, TableOf,
};
use fsarena_report::{capitalised, counted};

use crate::findings::FindingClass;
use crate::judgement::{JudgedReason, Judgement, PairJudgement, RatioBound};

/// What the columns mean.
const MEANING: &str = "Plain: the ratio of the means over all results, as a reader would compute it, and Welch's t \
    as if every result were a repetition. Ratio: from results that can be compared, with the interval that the verdict \
    rests on; it holds for all pairs together, at 95 %. Other work: they did not do the same. No repetition: one of \
    them has a single run. Clock: the difference, or all of the spread, is below the steps of the program's clock. \
    Too fast to time: at most a bound of the ratio is known. Resolution: the difference is below what the spread can \
    resolve. Confounded: something else that is recorded, such as the disk or the host, differs between them. Other \
    times: they did not run at the same time, so a drift of the machine is part of the interval: what a contender in \
    several waves shows of it, else a standard deviation of 5 %.";

/// Number of pairs that the table shows.
const MOST_SHOWN: usize = 1000;

/// The report on a judgement.
pub fn report(judgement: &Judgement, version: &str) -> Report {
    let head = format!("{} of {}", counted(judgement.results, "result"), judgement.contenders.join(", "));
    let findings = judgement.findings.iter().map(|finding| {
        Sentence::new(Role::Flag, format!("{}:", finding.class)).and(Role::Plain, format!("{}.", finding.text))
    });
    let shown = judgement.pairs.get(..MOST_SHOWN).unwrap_or(&judgement.pairs);
    let more = match judgement.pairs.len() - shown.len() {
        0 => String::new(),
        _ => format!("The first {MOST_SHOWN} of {} pairs: `--format json` has all. ", judgement.pairs.len()),
    };
    let better = match judgement.better {
        Some(Better::Higher) => "Higher figures count as better. ",
        Some(Better::Lower) => "Lower figures count as better. ",
        None => "",
    };
    Report::new("What these results can show", head, version).answering(
        [answer(judgement)],
        [
            Section::titled("What speaks against them").with(List::new(ListLook::Notes, findings)),
            Section::titled("Pairs").with(table(shown)).with(Paragraph::legend(format!("{more}{better}{MEANING}"))),
        ],
    )
}

/// Number of wins, or of ties, that the answer names one by one.
const NAMED: usize = 3;

fn answer(judgement: &Judgement) -> String {
    let all = judgement.pairs.len();
    let of = |verdicts: &[Verdict]| judgement.pairs.iter().filter(|pair| verdicts.contains(&pair.verdict)).collect();
    let won: Vec<&PairJudgement> = of(&[Verdict::Faster, Verdict::Slower]);
    let tied: Vec<&PairJudgement> = of(&[Verdict::Equivalent]);
    let invalid: Vec<&PairJudgement> = of(&[Verdict::Invalid]);
    let mut sentences = match (won.len() + tied.len(), invalid.len()) {
        _ if all == 0 => vec!["There is nothing to compare: all results are of one contender.".to_owned()],
        (0, invalid) if invalid == all => vec!["These results cannot show which contender is faster.".to_owned()],
        (0, _) => vec!["These results do not show which contender is faster.".to_owned()],
        _ => [wins(judgement, &won), ties(judgement, &tied)].concat(),
    };
    let open = all - won.len() - tied.len();
    if open > 0 && open < all {
        sentences.push(format!("{open} of {all} comparisons show neither."));
    }
    format!("{}{}", sentences.join(" "), why(judgement).unwrap_or_default())
}

/// `xfs is faster than ext4: 1.20× [1.15, 1.25].`, or of many wins how many each contender has.
fn wins(judgement: &Judgement, won: &[&PairJudgement]) -> Vec<String> {
    let sides = |pair: &PairJudgement| match (pair.verdict, Ratio::of(pair.estimate)) {
        (Verdict::Slower, ratio) => (pair.b.clone(), pair.a.clone(), ratio.map(Ratio::inverted)),
        (_, ratio) => (pair.a.clone(), pair.b.clone(), ratio),
    };
    if won.len() <= NAMED {
        let sentence = |pair: &&PairJudgement| {
            let (winner, loser, ratio) = sides(pair);
            let ratio = ratio.map(|it| format!(": {} {}", it.times(), it.interval().unwrap_or_default()));
            let ratio = ratio.unwrap_or_default();
            format!("{winner} is faster than {loser}{}{ratio}.", place(judgement, pair))
        };
        return won.iter().map(sentence).collect();
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    won.iter().for_each(|pair| *counts.entry(sides(pair).0).or_default() += 1);
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    let counts: Vec<String> = counts.into_iter().map(|(name, count)| format!("{name} in {count}")).collect();
    vec![format!("The faster one of {} comparisons is {}.", judgement.pairs.len(), counts.join(", "))]
}

fn ties(judgement: &Judgement, tied: &[&PairJudgement]) -> Vec<String> {
    let margin = percent(judgement.margin.0);
    if tied.len() <= NAMED {
        let sentence = |pair: &&PairJudgement| {
            format!("{} and {} differ by less than {margin}{}.", pair.a, pair.b, place(judgement, pair))
        };
        return tied.iter().map(sentence).collect();
    }
    vec![format!("{} of {} comparisons show a difference of less than {margin}.", tied.len(), judgement.pairs.len())]
}

/// ` in WORKLOAD` where there are several.
fn place(judgement: &Judgement, pair: &PairJudgement) -> String {
    let is_only = judgement.pairs.iter().all(|other| other.workload == pair.workload);
    if is_only { String::new() } else { format!(" in {}", pair.workload) }
}

/// The finding behind the most frequent reason for which a pair has no winner.
fn why(judgement: &Judgement) -> Option<String> {
    let count = |reason: JudgedReason| judgement.pairs.iter().filter(|pair| pair.reason == reason).count();
    let causes = [
        (JudgedReason::Identity, FindingClass::Identity),
        (JudgedReason::Missing, FindingClass::Work),
        (JudgedReason::OtherWork, FindingClass::Work),
        (JudgedReason::NoRepetition, FindingClass::OneRun),
        (JudgedReason::Clock, FindingClass::Clock),
        (JudgedReason::TooFast, FindingClass::Clock),
        (JudgedReason::OtherTimes, FindingClass::Confounded),
        (JudgedReason::Confounded, FindingClass::Confounded),
    ];
    let (reason, class) = causes.into_iter().max_by_key(|(reason, _)| count(*reason))?;
    if count(JudgedReason::Resolution) > count(reason) {
        return Some(" The differences are below what the spread of the results can resolve.".to_owned());
    }
    let of = |class| judgement.findings.iter().filter(|_| count(reason) > 0).find(|finding| finding.class == class);
    // A single block of runs is no repetition either.
    let finding = of(class).or_else(|| of(FindingClass::Confounded))?;
    Some(format!(" {}: {}.", capitalised(&finding.class.to_string()), finding.text))
}

/// `1.20×`, or `≥ 46.8×`.
fn bounded(pair: &PairJudgement) -> Option<String> {
    let sign = match pair.bound {
        RatioBound::None => "",
        RatioBound::AtLeast => "≥ ",
        RatioBound::AtMost => "≤ ",
    };
    Some(format!("{sign}{}", Ratio::alone(pair.estimate.ratio?).times()))
}

fn table(pairs: &[PairJudgement]) -> fsarena_report::report::Table {
    let times = |ratio: Option<Ratio>| or_dash(ratio.map(|ratio| ratio.times()));
    let interval = |pair: &PairJudgement| or_dash(Ratio::of(pair.estimate).and_then(|ratio| ratio.interval()));
    let verdict = |pair: &PairJudgement| {
        let words = match pair.reason {
            JudgedReason::None => pair.verdict.to_string(),
            reason => format!("{}: {reason}", pair.verdict),
        };
        Entry::from(Sentence::new(Role::Verdict(Shade::from(pair.verdict)), words))
    };
    TableOf::new(TableLook::Full, pairs)
        .column(Name, "workload", |pair| pair.workload.clone())
        .column(Words, "pair", |pair| format!("{} / {}", pair.a, pair.b))
        .column(Figure, "plain", |pair| times(pair.plain_ratio.map(Ratio::alone)))
        .column(Figure, "t", |pair| or_dash(pair.plain_t.map(three_digits)))
        .column(Figure, "ratio", |pair| or_dash(bounded(pair)))
        .column(Figure, "interval", interval)
        .column(Words, "verdict on the first", verdict)
        .done()
}
