//! The best contender for the reader's own mix, as sentences and tables.

use fsarena_model::plan::how_to_install;
use fsarena_model::recommendation::{AnotherProgram, ClassAdvice, KindChoice, MixFlip, MixRow, Preference};
use fsarena_model::{Class, Comparison, Label, Recommendation, Unavailable, Weight, WorkKind};

use crate::number::{self, Ratio, or_dash};
use crate::pair;
use crate::report::ColumnKind::{Figure, Name, Words};
use crate::report::{List, ListLook, Paragraph, Section, TableLook, TableOf};
use crate::words::{self, capitalised, either, listed};

const MEANING: &str = "Mean over these workloads: the geometric mean of how many times better the first of a pair is, \
    each workload with its share of the mix; pointwise 95 % intervals, by how the mean of a round varies from round to \
    round, since workloads of the same rounds share their luck; the errors of workloads with different rounds are \
    added up. A contender is taken if its mean lead over each rival exceeds the margin, the interval of that lead, which \
    holds over all rivals together, excludes 1, and another program finds it better with a probability of at least 90 %, \
    the kinds of work having their shares of the mix.";

const ANOTHER: &str = "What a program for the same purpose that is not in the mix would show: 90 % prediction interval, \
    by how the workloads of the mix differ from each other and how far such predictions were off. A program that reads \
    has nothing to make durable, one that writes is followed by a sync, one that syncs does so again and again; \
    workloads of the other two kinds have 15 % of their weights.";

const FLIPS: &str = "The share of a name in the mix at which another would be first by estimate, while the other names \
    keep their proportions.";

/// The section about a comparison's recommendation; empty if the user gave no mix.
pub fn section(comparison: &Comparison) -> Section {
    let advice = comparison.judged.recommendation.iter();
    let tables = advice.flat_map(|advice| advice.classes.iter().flat_map(|class| tables(advice, class)));
    sentences(comparison).with_all(tables)
}

/// The section without its tables.
pub fn sentences(comparison: &Comparison) -> Section {
    let Some(advice) = comparison.judged.recommendation.as_deref() else { return Section::default() };
    let basis = advice.classes.iter().flat_map(|class| {
        let first = class.first.iter();
        first.flat_map(|first| leads(class, first).into_iter().chain(others(class, first)))
    });
    let objections = advice.classes.iter().flat_map(objections);
    let sentences = basis.chain(objections).chain([mix(advice)]).chain(few(advice)).chain(absent(advice));
    Section::titled(capitalised(&title(advice))).with(List::new(ListLook::Paragraphs, sentences))
}

/// What is decided: `for the profile mail`, `for 12 % of the profile mail`.
pub fn title(advice: &Recommendation) -> String {
    let part = match lacking(advice) {
        0.0 => String::new(),
        lacking => format!("{} of ", number::percent(1.0 - lacking)),
    };
    advice.profile.as_ref().map_or("for your own mix".to_owned(), |profile| format!("for {part}the profile {profile}"))
}

/// The share of the profile that the run does not have.
fn lacking(advice: &Recommendation) -> f64 {
    // The sum of no numbers is -0.
    advice.absent.iter().map(|weight| weight.share).sum::<f64>() + 0.0
}

/// Which contender is the best for the mix, a text for each durability class.
pub fn best(comparison: &Comparison, advice: &Recommendation) -> impl Iterator<Item = String> {
    advice.classes.iter().map(|class| choice(comparison, advice, class))
}

fn mix(advice: &Recommendation) -> String {
    let count = advice.workloads.len();
    let workloads = if count == 1 { "1 workload counts".to_owned() } else { format!("{count} workloads count") };
    format!("The mix is {}; {workloads}{}.", shares(&advice.mix.0), without(advice))
}

/// Two programs hardly show how much programs differ.
fn few(advice: &Recommendation) -> Option<String> {
    let is_predicted = advice.classes.iter().flat_map(|class| &class.pairs).any(|row| !row.another.is_empty());
    (is_predicted && advice.workloads.len() < 3).then(|| {
        "Fewer than three workloads do not show how much programs differ from each other: for another program that is \
         assumed, as other mixes showed it."
            .to_owned()
    })
}

fn shares(weights: &[Weight]) -> String {
    listed(weights.iter().map(|weight| format!("{} {}", weight.name, number::percent(weight.share))))
}

/// What of the profile the run does not have.
fn absent(advice: &Recommendation) -> Option<String> {
    let lacking = number::percent(lacking(advice));
    let absent = || format!("The run lacks {lacking} of the profile: {}.", shares(&advice.absent));
    (!advice.absent.is_empty()).then(absent)
}

/// Workloads of the mix that are missing, and how their share is used.
fn without(advice: &Recommendation) -> String {
    if advice.without.is_empty() {
        return String::new();
    }
    let one = |missing: &Unavailable| format!("{} ({})", missing.workload, how_to_install(&missing.packages));
    let missing = listed(advice.without.iter().map(one));
    let others = if advice.profile.is_some() { "the others" } else { "the others of the same name" };
    format!(", without {missing}: the programs were not there, and the share is that of {others}")
}

/// `durability flushed: `, if there are several classes; otherwise empty.
fn among(advice: &Recommendation, class: &ClassAdvice) -> String {
    let words = words::class(Class { durability: class.durability, coherence: class.coherence });
    if advice.classes.len() > 1 { format!("{words}: ") } else { String::new() }
}

fn choice(comparison: &Comparison, advice: &Recommendation, class: &ClassAdvice) -> String {
    let among = among(advice, class);
    let Some(first) = &class.first else {
        return format!("{among}none can be recommended: {}.", incomparable(class));
    };
    let margin = number::percent(comparison.run.margin);
    let is_equal = |label: &Label| label == first || class.equal.contains(label);
    let mut all = class.pairs.iter().flat_map(|row| [&row.a, &row.b]).filter(|label| is_candidate(class, label));
    // What is not decided does not flip.
    let text = match class.best.as_slice() {
        _ if !class.depends.is_empty() => format!("it depends: {}.{}", preferences(class), kinds(class)),
        [_] if all.clone().all(|label| label == first) => format!("take {first}: no other can be recommended."),
        [_] => format!(
            "take {first}: its mean lead over each of the others exceeds the margin of {margin}, and it is better in \
             another program with a probability of at least 90 %{}.",
            flips(class)
        ),
        best if !best.iter().all(is_equal) => {
            let but = open(class, first, &margin);
            format!("keep what you have: {first} is first by estimate, but {but}.{}", kinds(class))
        }
        best if all.all(|label| best.contains(label)) => {
            format!("keep what you have: {} are equal within the margin of {margin}.", listed(best))
        }
        best => format!(
            "take {}: they are equal within the margin of {margin}, and better than the others{}.",
            either(best),
            flips(class)
        ),
    };
    format!("{among}{text}")
}

fn is_candidate(class: &ClassAdvice, label: &Label) -> bool {
    class.not_recommended.iter().all(|other| other.label != *label)
}

/// Which two contenders cannot be compared, in what and why: candidates, if there are two.
fn incomparable(class: &ClassAdvice) -> String {
    let rows = || class.pairs.iter().filter(|row| !row.left_out.is_empty());
    let row = rows().find(|row| is_candidate(class, &row.a) && is_candidate(class, &row.b)).or(rows().next());
    row.map_or("not all can be compared".to_owned(), |row| {
        format!("{} and {} cannot be compared in {}", row.a, row.b, pair::first_of(&row.left_out))
    })
}

/// `ext4 for unpack-archive and copy-tree, xfs for sqlite-wal`.
fn preferences(class: &ClassAdvice) -> String {
    let preference = |it: &Preference| format!("{} for {}", either(&it.contenders), listed(&it.workloads));
    class.depends.iter().map(preference).collect::<Vec<_>>().join(", ")
}

/// The mean ratio of the first to each of the others; `None` if none is known.
fn leads(class: &ClassAdvice, first: &Label) -> Option<String> {
    let lead = |row: &MixRow| {
        let (other, ratio) = of_first(row, first, Ratio::of(row.estimate)?);
        Some(format!("{first} over {other} {} {}", ratio.times(), ratio.interval()?))
    };
    let leads: Vec<String> = rows(class, first).filter_map(lead).collect();
    (!leads.is_empty()).then(|| format!("Weighted geometric mean over these workloads: {}.", leads.join(", ")))
}

/// ` Another program that writes: take ext4 or xfs; one that reads: take btrfs.`; empty if no kind decides.
fn kinds(class: &ClassAdvice) -> String {
    let one = |it: &KindChoice| format!("{}: take {}", it.kind, either(&it.contenders));
    let kinds: Vec<String> = class.kinds.iter().map(one).collect();
    if kinds.is_empty() { String::new() } else { format!(" Another program that {}.", kinds.join("; one that ")) }
}

/// What another program of each kind would show of the first and each of the others.
fn others(class: &ClassAdvice, first: &Label) -> impl Iterator<Item = String> {
    let other = move |row: &MixRow, kind: WorkKind| {
        let another = row.another.iter().find(|it| it.kind == kind)?;
        let (other, ratio) = of_first(row, first, Ratio::of(another.estimate)?);
        let better = if row.a == *first { another.better } else { 1.0 - another.better };
        Some(format!("{first} / {other} {}, {first} is better in {} of 100", ratio.span()?, of_100(better)))
    };
    let of_kind = move |kind: WorkKind| {
        let others: Vec<String> = rows(class, first).filter_map(|row| other(row, kind)).collect();
        (!others.is_empty()).then(|| format!("Another program that {kind} (90 %): {}.", others.join("; ")))
    };
    [WorkKind::Reads, WorkKind::Writes, WorkKind::Syncs].into_iter().filter_map(of_kind)
}

fn rows<'a>(class: &'a ClassAdvice, first: &Label) -> impl Iterator<Item = &'a MixRow> {
    class.pairs.iter().filter(move |row| row.a == *first || row.b == *first)
}

/// The other of a pair, and the ratio of the first to it.
fn of_first<'a>(row: &'a MixRow, first: &Label, ratio: Ratio) -> (&'a Label, Ratio) {
    if row.a == *first { (&row.b, ratio) } else { (&row.a, ratio.inverted()) }
}

/// A probability as a whole number of cases, rounded down, neither none nor all of them.
fn of_100(probability: f64) -> f64 {
    (probability * 100.0).floor().clamp(1.0, 99.0)
}

/// The contenders than which the first is not clearly better.
fn open(class: &ClassAdvice, first: &Label, margin: &str) -> String {
    let of = |is_wanted: &dyn Fn(&Label) -> bool| {
        let labels: Vec<&Label> = class.best.iter().filter(|label| *label != first && is_wanted(label)).collect();
        (!labels.is_empty()).then(|| listed(labels.iter()))
    };
    let (is_equal, is_led) = (|label: &Label| class.equal.contains(label), |label: &Label| class.led.contains(label));
    let equal = of(&is_equal).map(|labels| format!("it equals {labels} within the margin of {margin}"));
    let led = of(&|label| is_led(label) && !is_equal(label))
        .map(|labels| format!("its lead over {labels} is shown for this mix and not for another program"));
    let unclear =
        of(&|label| !is_led(label) && !is_equal(label)).map(|labels| format!("it is not clearly better than {labels}"));
    [equal, led, unclear].into_iter().flatten().collect::<Vec<_>>().join(", and ")
}

/// What other weights would change; empty if they were not examined.
fn flips(class: &ClassAdvice) -> String {
    let flips: Vec<String> = class.flips.iter().filter_map(flip).collect();
    match (class.flips.is_empty(), flips.is_empty()) {
        (true, _) => String::new(),
        (false, true) => "; no other weight of one name puts another first by estimate".to_owned(),
        (false, false) => format!("; {}", flips.join("; ")),
    }
}

/// `with reads below 31 % xfs would be first by estimate`.
fn flip(flip: &MixFlip) -> Option<String> {
    let sides = [("below", &flip.below), ("above", &flip.above)].into_iter().filter_map(|(word, to)| {
        let (at, label) = to.as_ref()?;
        Some(format!("{word} {} {label}", number::percent(*at)))
    });
    let sides: Vec<String> = sides.collect();
    (!sides.is_empty()).then(|| format!("with {} {} would be first by estimate", flip.name, sides.join(" and ")))
}

fn objections(class: &ClassAdvice) -> impl Iterator<Item = String> {
    class.not_recommended.iter().map(|other| format!("{} is not recommended ({}).", other.label, other.reason))
}

fn tables(advice: &Recommendation, class: &ClassAdvice) -> [Section; 3] {
    let among = among(advice, class);
    let unknown = |left_out: &[String]| (!left_out.is_empty()).then(|| pair::first_of(left_out));
    let pairs = TableOf::new(TableLook::Narrow, &class.pairs)
        .column(Name, "pair", |row| format!("{} / {}", row.a, row.b))
        .column(Figure, "mean ratio", |row| pair::times(Ratio::of(row.estimate)))
        .column(Figure, "95 %", |row| pair::interval(Ratio::of(row.estimate)))
        .column(Figure, "not known of", |row| or_dash(unknown(&row.left_out)));
    let predicted: Vec<(&MixRow, &AnotherProgram)> =
        class.pairs.iter().flat_map(|row| row.another.iter().map(move |another| (row, another))).collect();
    let another = TableOf::new(TableLook::Narrow, &predicted)
        .column(Name, "pair", |(row, _)| format!("{} / {}", row.a, row.b))
        .column(Words, "the program", |(_, another)| another.kind.to_string())
        .column(Figure, "90 %", |(_, another)| pair::interval(Ratio::of(another.estimate)))
        .column(Figure, "first better", |(_, another)| format!("{} of 100", of_100(another.better)));
    let flips = TableOf::new(TableLook::Narrow, &class.flips)
        .column(Name, "name", |flip| &flip.name)
        .column(Figure, "share", |flip| number::percent(flip.share))
        .column(Figure, "another below", |flip| side(flip.below.as_ref()))
        .column(Figure, "another above", |flip| side(flip.above.as_ref()));
    let pairs = Section::titled(format!("{among}pairs over the mix")).with(pairs).with(Paragraph::legend(MEANING));
    let another =
        Section::titled(format!("{among}pairs in another program")).with(another).with(Paragraph::legend(ANOTHER));
    let flips = Section::titled(format!("{among}where it would flip")).with(flips).with(Paragraph::legend(FLIPS));
    [pairs, another, flips]
}

/// The share at which another contender would be first.
fn side(to: Option<&(f64, Label)>) -> String {
    match to {
        Some((at, label)) => format!("{}: {label}", number::percent(*at)),
        None => "never".to_owned(),
    }
}
