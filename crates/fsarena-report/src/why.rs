//! Why one contender is faster than another: a sentence, a table and a drawing of the parts of the time that differ.

use fsarena_model::explanation::{Activity, Difference, ExplainedPart, Explanation, TestedKnob};
use fsarena_model::{Accelerator, Comparison, Label, Layer, Meanwhile, RequestKind, Wait};

use crate::number::{self, hundredths, percent, seconds};
use crate::report::ColumnKind::{Figure, Name};
use crate::report::{
    Arrangement, Content, Drawing, Drawings, Fold, List, ListLook, Paragraph, Report, Section, Shown, TableLook,
    TableOf,
};
use crate::svg::waterfall::waterfall;
use crate::words;

/// The smallest share of a difference that a part in the sentence has.
const SMALLEST: f64 = 0.05;

/// The largest share of a difference that rounding hides.
const ROUNDED: f64 = 0.005;

/// By which share traced slices may show another difference than those of the verdict without a word.
const UNLIKE: f64 = 0.2;

/// The smallest share of the time that counts as a gain.
const GAIN: f64 = 0.02;

/// Most parts in the sentence.
const MOST: usize = 4;

const MEANING: &str = "Seconds per operation in slices that are traced for this purpose, and that no verdict uses. Each \
    moment of a slice is divided among the threads of the work that do not wait for each other. A wait is divided by what \
    happened meanwhile: requests at the device, or the threads for which the work waited. The difference is the time of \
    the faster contender minus that of the slower one. In brackets: the 95 % interval over rounds, whatever recording \
    may have taken. The parts add up to the whole difference.";

/// Of slices of which only the time on processors is known.
const LIMITED: &str = "Seconds per operation in slices that no verdict uses. What is known is the time on processors \
    of processes that have ended and were waited for; that of daemons and of what still ran is in the rest. If \
    processes ran at the same time, their share is smaller than it says, and the rest larger. The difference is the \
    time of the faster contender minus that of the slower one. In brackets: the 95 % interval over rounds. The parts \
    add up to the whole difference.";

/// Of a run with `--explain` that explains nothing.
const NOTHING: &str = "Nothing is explained: no slices of a pair that is decided to differ were traced.";

const EMULATED: &str = "In an emulated guest, explanations are weak: recording takes several times longer there than on a \
    real processor, which is the most that is subtracted.";

/// The report on the explanations of a comparison.
pub fn report(comparison: &Comparison) -> Report {
    let labels = comparison.contenders.iter().map(|row| row.label.to_string()).collect::<Vec<_>>();
    let title = format!("Why {} differ", words::listed(labels));
    let report = Report::new(title, format!("run {}", comparison.run.number), &comparison.environment.fsarena);
    Report { sections: vec![section(comparison, Shown::Everywhere), tested(comparison)], ..report }
}

/// The explanations of the contenders that the user named: those that `--test-explanation` adds have a table.
fn shown(comparison: &Comparison) -> Vec<&Explanation> {
    let is_test = comparison.run.command.iter().any(|word| word == "--test-explanation");
    let knobs = &comparison.judged.tested_knobs;
    let is_named = |label: &Label| comparison.run.command.contains(&label.0);
    let is_added = |label: &Label| is_test && !is_named(label) && knobs.iter().any(|knob| knob.without == *label);
    let all = comparison.judged.explanations.iter();
    all.filter(|it| !is_added(&it.slower) && !is_added(&it.faster)).collect()
}

/// The sentences and tables on all pairs, of which the tables are shown in some media, and drawings on a page.
pub fn section(comparison: &Comparison, tables: Shown) -> Section {
    let explanations = shown(comparison);
    let pairs = explanations.iter().map(|explanation| {
        let section = Section::titled(title(explanation)).with_shown(Shown::Page, drawing(explanation));
        section.with_all(self::tables(explanation))
    });
    let section = pairs.fold(short(comparison), |section, pair| section.with_shown(tables, pair));
    section.with_shown(tables, Paragraph::legend(meaning(explanations)))
}

/// How to read the explanations.
fn meaning<'a>(explanations: impl IntoIterator<Item = &'a Explanation>) -> &'static str {
    let is_limited = explanations.into_iter().map(|it| it.limited.is_some()).reduce(|one, other| one || other);
    match is_limited {
        None => "",
        Some(false) => MEANING,
        Some(true) => LIMITED,
    }
}

/// Whether options gain what the explanations predict.
pub fn tested(comparison: &Comparison) -> Section {
    let tested = &comparison.judged.tested_knobs;
    if tested.is_empty() {
        return Section::default();
    }
    let (gains, none): (Vec<_>, Vec<_>) = tested.iter().partition(|it| it.predicted >= GAIN);
    let count = |of: &[&TestedKnob], right: &[bool]| {
        of.iter().filter_map(|it| it.agrees()).filter(|agrees| right.contains(agrees)).count()
    };
    let [all_gains, all_none] = [&gains, &none].map(|of| count(of, &[true, false]));
    let answer = format!(
        "Within ten points of what was measured: {} of {all_gains} predictions that an option saves at least {}, and {} \
         of {all_none} that it saves less. Not decided: {}.",
        count(&gains, &[true]),
        percent(GAIN),
        count(&none, &[true]),
        tested.len() - all_gains - all_none,
    );
    let signed = |share: f64| format!("{:.1} %", share * 100.0).replace('-', number::MINUS);
    let table = TableOf::new(TableLook::Narrow, tested)
        .column(Name, "workload", |it| it.workload.clone())
        .column(Name, "traced", |it| it.with.to_string())
        .column(Name, "option", |it| it.without.to_string())
        .column(Figure, "predicted", |it| signed(it.predicted))
        .column(Figure, "measured", |it| signed(it.measured))
        .column(Figure, "95 %", |it| {
            number::or_dash(it.low.zip(it.high).map(|(low, high)| format!("[{}, {}]", signed(low), signed(high))))
        })
        .column(Name, "", |it| match it.agrees() {
            None => "not decided".to_owned(),
            Some(true) => "right".to_owned(),
            Some(false) => "wrong".to_owned(),
        });
    let meaning = "The share of its time that a workload saves by an option: predicted by the traced slices of the \
        contender without it, as the time in functions or flushes that the option avoids; and measured between both in \
        slices that are not traced. A prediction is right if the whole interval is within ten points of it, wrong if no \
        part of it is, and not decided otherwise, or with fewer than three rounds.";
    Section::titled("Explanations tested").with(Paragraph::plain(answer)).with(table).with(Paragraph::legend(meaning))
}

/// The sentences on all pairs.
pub fn short(comparison: &Comparison) -> Section {
    let explanations = shown(comparison);
    let limited = explanations.iter().find_map(|it| it.limited.as_ref());
    let limited = limited.map(|why| format!("The slices that explain were not traced: {why}."));
    let is_wanted = comparison.run.command.iter().any(|word| word == "--explain");
    let none = if is_wanted && explanations.is_empty() { NOTHING } else { "" };
    let is_emulated = comparison.run.guest == Some(Accelerator::Emulated) && !explanations.is_empty();
    Section::titled("Why")
        .with(Paragraph::plain(none))
        .with(List::new(ListLook::Paragraphs, explanations.iter().copied().map(sentence)))
        .with(Paragraph::legend(limited.unwrap_or_default()))
        .with(Paragraph::legend(if is_emulated { EMULATED } else { "" }))
}

/// The part of the page about a workload.
pub fn of_workload(comparison: &Comparison, workload: &str) -> Section {
    let explanations: Vec<&Explanation> = shown(comparison).into_iter().filter(|it| it.workload == workload).collect();
    let part = |it: &Explanation| {
        let section = Section::titled(title(it)).with(Paragraph::plain(sentence(it)));
        section.with(drawing(it)).with_all(tables(it))
    };
    Section::titled("Why")
        .folded(Fold::Open)
        .with_all(explanations.iter().copied().map(part))
        .with(Paragraph::legend(meaning(explanations)))
}

fn drawing(explanation: &Explanation) -> Drawings {
    let svg = if explanation.withheld.is_none() { waterfall(explanation) } else { None };
    Drawings::new(Arrangement::Wide, svg.map(|svg| Drawing { caption: String::new(), svg }))
}

fn title(explanation: &Explanation) -> String {
    format!("{}: {} against {}", explanation.workload, explanation.faster, explanation.slower)
}

/// `create-fsync: xfs takes 74.0 µs less per operation than ext4: 52.0 µs less waiting for a commit, …`.
fn sentence(explanation: &Explanation) -> String {
    let Explanation { workload, slower, faster, difference, withheld, .. } = explanation;
    if let Some(why) = withheld {
        return format!("{workload}: the difference between {faster} and {slower} is not explained: {why}.");
    }
    let known = || explanation.parts.iter().filter(|part| part.activity.is_known());
    let is_shown = |part: &&ExplainedPart| part.difference.seconds.abs() >= SMALLEST * difference.seconds;
    let shown: Vec<&ExplainedPart> = known().filter(is_shown).take(MOST).collect();
    let unexplained = explanation.unexplained();
    let named: f64 = shown.iter().map(|part| part.difference.seconds).sum();
    let others = difference.seconds - named - unexplained;
    let others = Some(others).filter(|others| others.abs() >= ROUNDED * difference.seconds);
    let list = |sign: f64, word: &str| {
        let parts = shown.iter().filter(|part| part.difference.seconds * sign > 0.0).map(|part| phrase(part, word));
        let others = others.filter(|others| others * sign > 0.0);
        let others = others.map(|others| format!("{} {word} in other parts", seconds(others.abs())));
        parts.chain(others).collect::<Vec<_>>().join(", ")
    };
    let (less, more) = (list(1.0, "less"), list(-1.0, "more"));
    let parts = [less, more].into_iter().filter(|list| !list.is_empty()).collect::<Vec<_>>().join(", but ");
    let parts = if parts.is_empty() { parts } else { format!(": {parts}") };
    let word = |seconds: f64| if seconds < 0.0 { "more" } else { "less" };
    let untraced =
        explanation.untraced.filter(|it| (it - difference.seconds).abs() > UNLIKE * difference.seconds.abs());
    let untraced = untraced.map(|it| format!(" when it is traced, and {} {} when not", seconds(it.abs()), word(it)));
    let rest = match unexplained.abs() {
        0.0 => "nothing is".to_owned(),
        some => format!("{} {} are", seconds(some), word(unexplained)),
    };
    format!(
        "{workload}: {faster} takes {} less per {} than {slower}{}{parts}; {rest} unexplained.",
        with_interval(*difference),
        unit(explanation),
        untraced.unwrap_or_default(),
    )
}

/// What times and requests are per.
pub fn unit(explanation: &Explanation) -> &'static str {
    if explanation.is_of_runs { "run of the program" } else { "operation" }
}

/// `52.0 µs [47.0, 58.0] less waiting for a commit (mostly while jbd2 waits for a processor)`.
fn phrase(part: &ExplainedPart, word: &str) -> String {
    let most = mostly(part).map(|happened| format!(" (mostly while {happened})")).unwrap_or_default();
    let Difference { seconds: size, low, high } = part.difference;
    let reversed = Difference { seconds: -size, low: high.map(|end| -end), high: low.map(|end| -end) };
    let size = match low.zip(high) {
        // An interval that contains 0 has no absolute value.
        Some((low, high)) if low * high < 0.0 => format!("perhaps {}", seconds(size.abs())),
        _ => with_interval(if size < 0.0 { reversed } else { part.difference }),
    };
    format!("{size} {word} {}{most}", activity(part.activity))
}

/// What happened for more than half of the difference of a wait, or which threads waited for a processor meanwhile.
fn mostly(part: &ExplainedPart) -> Option<String> {
    let share = |difference: &Difference| difference.seconds / part.difference.seconds;
    if let Some((happened, _)) = part.meanwhile.first().filter(|(_, first)| share(first) > 0.5) {
        return Some(meanwhile(happened));
    }
    let ready = part.meanwhile.iter().filter_map(|(happened, difference)| match happened {
        Meanwhile::Ready(thread) if share(difference) > SMALLEST => Some((thread.as_str(), share(difference))),
        _ => None,
    });
    let (threads, shares): (Vec<&str>, Vec<f64>) = ready.unzip();
    (shares.iter().sum::<f64>() > 0.5).then(|| format!("{} wait for a processor", words::listed(threads)))
}

fn with_interval(difference: Difference) -> String {
    let ends = ends(difference).map(|ends| format!(" {ends}")).unwrap_or_default();
    format!("{}{ends}", seconds(difference.seconds))
}

/// A row of the table of parts: a part, or what happened during its wait.
struct PartRow {
    name: String,
    both: Option<(f64, f64)>,
    difference: Difference,
}

fn tables(explanation: &Explanation) -> Vec<Content> {
    let Explanation { slower, faster, difference, .. } = explanation;
    let is_small = |difference: &Difference, whole: f64| difference.seconds.abs() < 0.01 * whole.abs();
    let mut rows = Vec::new();
    let is_shown = |part: &ExplainedPart| {
        let most = part.slower_seconds.max(part.faster_seconds);
        !is_small(&part.difference, difference.seconds) || most >= 0.01 * explanation.slower_seconds
    };
    let (shown, rest): (Vec<&ExplainedPart>, Vec<_>) = explanation.parts.iter().partition(|part| is_shown(part));
    for part in shown {
        let both = Some((part.slower_seconds, part.faster_seconds));
        rows.push(PartRow { name: activity(part.activity).to_owned(), both, difference: part.difference });
        let within = part.meanwhile.iter().filter(|(_, within)| !is_small(within, difference.seconds));
        rows.extend(within.map(|(happened, within)| PartRow {
            name: format!("… while {}", meanwhile(happened)),
            both: None,
            difference: *within,
        }));
    }
    if !rest.is_empty() {
        let sum = |of: fn(&ExplainedPart) -> f64| rest.iter().map(|part| of(part)).sum::<f64>();
        let both = Some((sum(|part| part.slower_seconds), sum(|part| part.faster_seconds)));
        let difference = Difference { seconds: sum(|part| part.difference.seconds), low: None, high: None };
        rows.push(PartRow { name: "smaller parts".to_owned(), both, difference });
    }
    let whole = Some((explanation.slower_seconds, explanation.faster_seconds));
    rows.push(PartRow { name: "all".to_owned(), both: whole, difference: *difference });
    let of =
        |row: &PartRow, which: fn((f64, f64)) -> f64| row.both.map(|both| seconds(which(both))).unwrap_or_default();
    let parts = TableOf::new(TableLook::Narrow, &rows)
        .column(Name, format!("per {}", unit(explanation)), |row| row.name.clone())
        .column(Figure, slower.to_string(), |row| of(row, |both| both.0))
        .column(Figure, faster.to_string(), |row| of(row, |both| both.1))
        .column(Figure, "difference", |row| change(row.difference.seconds))
        .column(Figure, "95 %", |row| {
            let ends = row.difference.low.zip(row.difference.high);
            number::or_dash(ends.map(|(low, high)| format!("[{}, {}]", change(high), change(low))))
        });
    let requests = TableOf::new(TableLook::Narrow, &explanation.requests)
        .column(Name, format!("requests per {}", unit(explanation)), |row| request(row.kind))
        .column(Figure, slower.to_string(), |row| count(row.slower_count, row.slower_duration))
        .column(Figure, faster.to_string(), |row| count(row.faster_count, row.faster_duration))
        .column(Figure, "by number", |row| number::or_dash(row.by_count.map(change)))
        .column(Figure, "by duration", |row| number::or_dash(row.by_duration.map(change)));
    let overheads = [(slower, explanation.slower_overhead), (faster, explanation.faster_overhead)];
    let overheads = overheads.map(|(label, overhead)| match overhead {
        Some(overhead) if overhead < 0.0 => format!("shorter by {} ({label})", percent(-overhead)),
        overhead => format!("longer by {} ({label})", number::or_dash(overhead.map(percent))),
    });
    let lost = match explanation.lost {
        0 => String::new(),
        lost => {
            let all = lost + explanation.recorded;
            format!(" The kernel did not record {lost} of {all} events; the parts may be wrong by as large a share.")
        }
    };
    let remaining = [(slower, explanation.slower_remaining), (faster, explanation.faster_remaining)];
    let subtracted = explanation.event_seconds.filter(|it| *it > 0.0).map(|it| {
        let [one, two] = remaining.map(|(label, left)| format!("{} ({label})", number::or_dash(left.map(percent))));
        format!(" {} for each event are subtracted, which leaves {one} and {two}.", seconds(it))
    });
    let facts = format!(
        "Over {}. Compared with others, traced slices are {}.{}{lost}",
        words::rounds(explanation.rounds),
        overheads.join(" and "),
        subtracted.unwrap_or_default(),
    );
    vec![parts.into(), requests.into(), Paragraph::legend(facts).into()]
}

/// How much more time the faster contender takes, if the slower one takes `seconds` more.
pub fn change(seconds: f64) -> String {
    let sign = if seconds > 0.0 { number::MINUS } else { "+" };
    if seconds == 0.0 { number::seconds(0.0) } else { format!("{sign}{}", number::seconds(seconds.abs())) }
}

fn ends(difference: Difference) -> Option<String> {
    let ends = difference.low.zip(difference.high);
    ends.map(|(low, high)| format!("[{}, {}]", seconds(low), seconds(high)))
}

fn count(count: f64, duration: Option<f64>) -> String {
    match duration.map(seconds) {
        _ if count == 0.0 => number::DASH.to_owned(),
        Some(duration) => format!("{} × {duration}", hundredths(count)),
        None => hundredths(count),
    }
}

/// What the work did, as the object of "less" and "more".
pub fn activity(activity: Activity) -> &'static str {
    match activity {
        Activity::User => "in the program's own code",
        Activity::Kernel(layer) => match layer {
            Layer::FileSystem => "in code of the file system",
            Layer::PageCache => "in code for names and the page cache",
            Layer::Checksum => "in checksums, compression and encryption",
            Layer::Copying => "in copying data",
            Layer::Block => "in the block layer and its drivers",
            Layer::Communication => "in pipes and sockets",
            Layer::Memory => "in memory management",
            Layer::Processes => "in starting and ending programs",
            Layer::Interrupts => "in interrupts",
            Layer::Other => "in other code of the kernel",
            Layer::All => "in the kernel",
        },
        Activity::Ready => "waiting for a processor",
        Activity::Waiting(wait) => match wait {
            Wait::Commit => "waiting for a commit of the journal, log or transaction",
            Wait::LogSpace => "waiting for space in the journal, log or metadata",
            Wait::Writeback => "waiting for pages to be written",
            Wait::Read => "waiting for pages to be read",
            Wait::Request => "waiting for direct or asynchronous I/O",
            Wait::Lock => "waiting for a lock",
            Wait::Memory => "waiting for memory",
            Wait::Throttling => "held back because of dirty pages",
            Wait::Queue => "waiting for a place in the device's queue",
            Wait::KernelWork => "waiting for work of a kernel thread",
            Wait::Program => "waiting for other programs",
            Wait::Unknown => "waiting for an unknown reason",
        },
        Activity::Idle => "while all threads of the work sleep",
        Activity::Unknown => "in an unknown way",
    }
}

fn meanwhile(happened: &Meanwhile) -> String {
    match happened {
        Meanwhile::Device => "the device has requests".to_owned(),
        Meanwhile::Flush => "the device flushes its cache".to_owned(),
        Meanwhile::Runs(thread) => format!("{thread} runs"),
        Meanwhile::Computes(thread) => format!("{thread} compresses, encrypts or checksums"),
        Meanwhile::Ready(thread) => format!("{thread} waits for a processor"),
        Meanwhile::Sleeps(thread) => format!("{thread} sleeps, and the device is idle"),
        Meanwhile::Unknown => "something unknown happens".to_owned(),
    }
}

fn request(kind: RequestKind) -> &'static str {
    match kind {
        RequestKind::Read => "reads",
        RequestKind::ReadMetadata => "reads of metadata",
        RequestKind::Write => "writes",
        RequestKind::WriteMetadata => "writes of metadata",
        RequestKind::Flush => "flushes of the cache",
        RequestKind::Other => "discards and others",
    }
}
