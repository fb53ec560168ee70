//! The same comparison on several machines, as a report.

use fsarena_model::Verdict;
use fsarena_model::across::{Across, AcrossPair, MachineFact, MachineRuns, PairOnMachine, Sample};

use crate::number::{self, DASH, Ratio, or_dash};
use crate::pair;
use crate::report::ColumnKind::{Figure, Name, Reference, Words};
use crate::report::{Count, Entry, List, ListLook, Paragraph, Report, Section, Shade, Table, TableLook, TableOf};
use crate::words::{self, counted, listed};

const ON_ALL: &str = "On all: what each of these machines shows, with an error of 5 % over the whole table. The \
    machine with the least evidence decides, so that more machines make it harder, never easier. Depends: whether it is \
    proved that the ratio is not the same on all machines.";

const SAMPLE: &str = "Mean, interval and further machine take these machines as a random sample of machines like them; \
    whether they are one, the figures cannot show. The interval is that of the mean over such machines, at 95 %. The \
    ratio of a further one is in the last interval, at 95 %; two machines show none. Both are wide with few machines. \
    Between machines: the standard deviation of the ratio from machine to machine, beyond noise and drift.";

/// How far each verdict of a machine reaches.
const SCOPES: &str = "Each session: the verdict of the run, which covers the noise of its rounds; of several runs, the one \
    that each of them has alone. This machine: the verdict also covers what another session on the same machine would \
    change. Several runs together can show what none of them shows alone; a single one shows no more than its own \
    verdict. The interval is the one that the verdict for this machine rests on; it holds for all pairs together, at \
    95 %. Neither verdict says anything about other machines.";

/// The report on several machines.
pub fn report(across: &Across, version: &str) -> Report {
    let names = listed(across.machines.iter().map(|machine| &machine.name));
    let sections = [
        Section::titled("Notes").with(List::new(ListLook::Notes, across.notes.clone())),
        Section::titled("On all machines")
            .with(all_machines(across))
            .with(Paragraph::legend(ON_ALL))
            .with(Paragraph::legend(SAMPLE)),
        Section::titled("On each machine")
            .with(each_machine(across))
            .with(Paragraph::legend(SCOPES))
            .with(Paragraph::legend(across.drift.sentence())),
        Section::titled("What differs between the machines").with(facts(across)),
        Section::titled("Not compared").with(List::new(ListLook::Notes, across.left_out.clone())),
    ];
    Report {
        facts: across.machines.iter().map(machine).collect(),
        counts: counts(across),
        ..Report::new(format!("On {}", counted(across.machines.len(), "machine")), names, version)
            .answering(missing(across).into_iter().chain([answer(across)]), sections)
    }
}

/// `node1: run 8 (2026-03-01T12:00:00Z, 6 rounds)`.
fn machine(machine: &MachineRuns) -> String {
    format!("{}: {}", machine.name, listed(machine.runs.iter().map(words::run)))
}

fn missing(across: &Across) -> Option<String> {
    let one = across.missing.iter().map(|machine| format!("`{}` ({})", machine.name, machine.why));
    (!across.missing.is_empty()).then(|| format!("Not in this report: {}.", listed(one)))
}

fn answer(across: &Across) -> String {
    let decided: Vec<String> = across.pairs.iter().filter_map(winner).collect();
    let machines = match across.machines.len() {
        2 => "both machines".to_owned(),
        count => format!("all {}", counted(count, "machine")),
    };
    let holds = match decided.is_empty() {
        true => format!("No difference holds on {machines}."),
        false => format!("On {machines} {}.", listed(decided)),
    };
    let depends: Vec<String> = across.pairs.iter().filter(|pair| pair.depends).filter_map(span).collect();
    let depends = (!depends.is_empty()).then(|| format!("It depends on the machine in {}.", listed(depends)));
    let rest = words::ties(&verdicts(across), across.margin, &format!(" on {machines}"));
    [Some(holds), depends, Some(rest)].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// `xfs is faster than ext4 in create-fsync (1.31×)`.
fn winner(pair: &AcrossPair) -> Option<String> {
    let (better, worse) = pair.verdict.ordered(&pair.a, &pair.b)?;
    let ratio = pair.sample.map(|sample| Ratio::favourable(sample.ratio).times()).unwrap_or_default();
    Some(format!("{better} is faster than {worse} in {} ({ratio})", pair.workload))
}

/// `create-fsync (xfs / ext4 from 0.80× to 1.40×)`.
fn span(pair: &AcrossPair) -> Option<String> {
    let ratios = || pair.machines.iter().filter_map(|machine| machine.estimate.ratio);
    let (least, most) = (ratios().reduce(f64::min)?, ratios().reduce(f64::max)?);
    let times = |middle| Ratio::alone(middle).times();
    Some(format!("{} ({} from {} to {})", pair.workload, name(pair), times(least), times(most)))
}

fn name(pair: &AcrossPair) -> String {
    format!("{} / {}", pair.a, pair.b)
}

fn verdicts(across: &Across) -> Vec<Verdict> {
    across.pairs.iter().map(|pair| pair.verdict).collect()
}

fn counts(across: &Across) -> Vec<Count> {
    let verdicts = verdicts(across);
    let of = |shade, wanted: &[Verdict], words| Count::of(&verdicts, wanted, shade, words);
    vec![
        of(Shade::Faster, &[Verdict::Faster, Verdict::Slower], "a difference on all machines"),
        of(Shade::Equivalent, &[Verdict::Equivalent], "equivalent on all machines"),
        of(Shade::Undecided, &[Verdict::Undecided], "undecided"),
        of(Shade::Invalid, &[Verdict::Invalid], "invalid"),
    ]
}

fn all_machines(across: &Across) -> Table {
    let mean = |sample: Sample| Ratio { middle: sample.ratio, low: Some(sample.low), high: Some(sample.high) };
    let further = |sample: Sample| Ratio { low: sample.further_low, high: sample.further_high, ..mean(sample) };
    TableOf::new(TableLook::Full, &across.pairs)
        .column(Name, "workload", |pair| &pair.workload)
        .column(Name, "pair", name)
        .column(Words, "on all", |pair| verdict(pair, pair.verdict))
        .column(Words, "depends", |pair| if pair.depends { "yes" } else { "not shown" })
        .column(Figure, "mean", |pair| pair::times(pair.sample.map(mean)))
        .column(Figure, "interval", |pair| pair::interval(pair.sample.map(mean)))
        .column(Figure, "further machine", |pair| pair::interval(pair.sample.map(further)))
        .column(Figure, "between machines", |pair| {
            or_dash(pair.sample.map(|sample| number::percent(sample.deviation.0)))
        })
        .column(Reference, "", |pair| &pair.reason)
        .done()
}

/// `xfs faster`, from the point of view of the reader.
fn verdict(pair: &AcrossPair, verdict: Verdict) -> Entry {
    let winner = verdict.ordered(&pair.a, &pair.b).map(|(winner, _)| format!("{winner} faster"));
    Entry::verdict(verdict, winner.unwrap_or_else(|| verdict.to_string()))
}

fn each_machine(across: &Across) -> Table {
    let rows = across.pairs.iter().flat_map(|pair| {
        let machines = across.machines.iter().zip(&pair.machines);
        machines.map(move |(machine, on)| (pair, machine, on))
    });
    let rows: Vec<(&AcrossPair, &MachineRuns, &PairOnMachine)> = rows.collect();
    TableOf::new(TableLook::Grouped, &rows)
        .column(Name, "workload, pair", |(pair, ..)| format!("{}, {}", pair.workload, name(pair)))
        .column(Name, "machine", |(_, machine, _)| machine.name.clone())
        .column(Figure, "ratio", |(.., on)| pair::times(Ratio::of(on.estimate)))
        .column(Figure, "interval", |(.., on)| pair::interval(Ratio::decided(on.estimate, on.decision)))
        .column(Words, "each session", |(pair, _, on)| verdict(pair, on.session))
        .column(Words, "this machine", |(pair, _, on)| verdict(pair, on.verdict))
        .column(Figure, "rounds", |(.., on)| on.rounds.to_string())
        .column(Reference, "", |(.., on)| on.reason.clone())
        .done()
}

fn facts(across: &Across) -> Table {
    let value = |fact: &MachineFact, machine: &usize| match fact.values[*machine].as_str() {
        "" => DASH.to_owned(),
        value => value.to_owned(),
    };
    let machines = across.machines.iter().enumerate().map(|(index, machine)| (machine.name.clone(), index));
    TableOf::new(TableLook::Full, &across.facts)
        .column(Name, "what differs", |fact| fact.what.clone())
        .columns(Words, machines, value)
        .done()
}
