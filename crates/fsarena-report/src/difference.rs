//! Two sides of runs that were not interleaved, as a report.

use fsarena_model::difference::{Change, Contrast, Difference, MachineChange, SideRun};
use fsarena_model::{Verdict, grouped};

use crate::number::{self, DASH, Ratio, or_dash};
use crate::pair;
use crate::report::ColumnKind::{Figure, Name, Reference, Words};
use crate::report::{Count, Entry, List, ListLook, Paragraph, Report, Section, Table, TableLook, TableOf};
use crate::words::{self, listed};

const COVERED: &str = "Before and after are medians over rounds, the change is one of geometric means. The interval of \
    a change is the one that its verdict rests on: it holds for all changes of the table together, at 95 %. It covers \
    the noise of the rounds, each of which had a fresh file system, and the drift between runs as far as it is known. \
    Within runs: the 95 % interval of this change alone, without that drift: what it leaves out is no evidence. Finds \
    from: the smallest change that would have been decided with a probability of 80 %.";

const UNCOVERED: &str = "The sides were measured one after the other. Each side has only the sessions that it has, so \
    whatever was different in them and is not in the list of differences counts as a change. The same contenders in \
    one run, in turn, need none of this: `fsarena compare old=dir:/a new=dir:/b`.";

/// The report on two sides.
pub fn report(difference: &Difference, version: &str) -> Report {
    let [after, before] = [&difference.after, &difference.before].map(|runs| listed(runs.iter().map(words::run)));
    let sides = format!("{after} against {before}");
    let title = format!("{} against {}", names(&difference.after), names(&difference.before));
    let sections = [
        changes(difference),
        machine(difference),
        contrasts(&difference.contrasts),
        Section::titled("Not compared").with(List::new(ListLook::Notes, difference.left_out.clone())),
        Section::titled("What the intervals cover")
            .with(Paragraph::legend(difference.drift.sentence()))
            .with(Paragraph::legend(COVERED))
            .with(Paragraph::legend(UNCOVERED)),
    ];
    let withheld = difference.withheld.as_ref().map(|why| format!("Nothing is decided: {why}."));
    let answer = withheld.into_iter().chain([answer(difference)]);
    Report { counts: counts(difference), ..Report::new(title, sides, version).answering(answer, sections) }
}

fn names(runs: &[SideRun]) -> String {
    listed(runs.iter().map(|run| &run.name))
}

fn answer(difference: &Difference) -> String {
    let of = |verdict: Verdict| {
        let name = |change: &Change| {
            let times = change.estimate.ratio.map(Ratio::favourable);
            format!("{} ({})", words::placed(&change.contender, change.workload.as_deref()), pair::times(times))
        };
        difference.changes.iter().filter(|change| change.verdict == verdict).map(name).collect::<Vec<String>>()
    };
    let (faster, slower) = (of(Verdict::Faster), of(Verdict::Slower));
    let after = names(&difference.after);
    let sentence = |verb: &str, found: &[String]| match found {
        [] => None,
        [one] => Some(format!("In {after} {one} is {verb}.")),
        found => Some(format!("In {after} {} are {verb}.", listed(found))),
    };
    let proved = [sentence("slower", &slower), sentence("faster", &faster)].into_iter().flatten();
    let none = (faster.is_empty() && slower.is_empty()).then(|| format!("No change is proved in {after}."));
    let rest = words::ties(&verdicts(difference), difference.margin, "");
    proved.chain(none).chain([rest]).collect::<Vec<_>>().join(" ")
}

fn verdicts(difference: &Difference) -> Vec<Verdict> {
    difference.changes.iter().map(|change| change.verdict).collect()
}

fn counts(difference: &Difference) -> Vec<Count> {
    let verdicts = verdicts(difference);
    let all = [Verdict::Faster, Verdict::Slower, Verdict::Equivalent, Verdict::Undecided, Verdict::Invalid];
    all.map(|verdict| Count::of(&verdicts, &[verdict], verdict.into(), verdict.to_string())).into()
}

/// A table for each contender.
fn changes(difference: &Difference) -> Section {
    let section = Section::titled(match &difference.control {
        Some(control) => format!("Changes, relative to {control}"),
        None => "Changes".to_owned(),
    });
    let changes = grouped(difference.changes.iter().map(|change| (&change.contender, change)));
    section.with_all(changes.iter().map(|(label, rows)| Section::titled(label.to_string()).with(table(rows))))
}

fn table(rows: &[&Change]) -> Table {
    let figure = |figure: Option<f64>, unit: &str| or_dash(figure.map(|it| number::value(it, unit)));
    let ratio = |change: &Change| Ratio::decided(change.estimate, change.decision);
    let within = |change: &Change| Some(Ratio { low: change.within_low, high: change.within_high, ..ratio(change)? });
    TableOf::new(TableLook::Full, rows)
        .column(Name, "workload", |change| change.workload.clone().unwrap_or_else(|| "mean of all".to_owned()))
        .column(Words, "unit", |change| change.unit.clone())
        .column(Figure, "before", |change| figure(change.before, &change.unit))
        .column(Figure, "after", |change| figure(change.after, &change.unit))
        .column(Figure, "change", |change| pair::times(ratio(change)))
        .column(Figure, "interval", |change| pair::interval(ratio(change)))
        .column(Figure, "within runs", |change| pair::interval(within(change)))
        .column(Words, "verdict", |change| Entry::verdict(change.verdict, change.verdict.to_string()))
        .column(Figure, "finds from", |change| or_dash(change.detectable.map(|ratio| number::percent(ratio - 1.0))))
        .column(Reference, "", |change| change.reason.clone())
        .done()
}

fn machine(difference: &Difference) -> Section {
    let figure = |value: f64, row: &MachineChange| number::value(value, &row.unit);
    let table = TableOf::new(TableLook::Narrow, &difference.machine)
        .column(Name, "without a contender", |row| row.what.clone())
        .column(Words, "unit", |row| row.unit.clone())
        .column(Figure, "before", |row| figure(row.before, row))
        .column(Figure, "after", |row| figure(row.after, row))
        .column(Figure, "change", |row| format!("{}×", number::hundredths(row.ratio)));
    let text = "Above 1 the second side is better. If these change, the machine changed, and not only the contenders.";
    Section::titled("The machine itself").with(table).with(Paragraph::legend(text))
}

/// What differs, apart from the figures.
pub fn contrasts(contrasts: &[Contrast]) -> Section {
    let or_none = |text: &str| if text.is_empty() { DASH.to_owned() } else { text.to_owned() };
    let table = TableOf::new(TableLook::Full, contrasts)
        .column(Name, "what differs", |contrast| contrast.what.clone())
        .column(Words, "before", |contrast| or_none(&contrast.before))
        .column(Words, "after", |contrast| or_none(&contrast.after));
    let none =
        if contrasts.is_empty() { "Plan, machine and programs are the same, as far as they are recorded." } else { "" };
    Section::titled("What else differs").with(table).with(Paragraph::plain(none))
}
