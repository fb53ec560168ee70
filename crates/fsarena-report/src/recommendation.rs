//! The best contender for the reader's own mix, as sentences and tables.

use fsarena_model::plan::how_to_install;
use fsarena_model::recommendation::{ClassAdvice, MixFlip, MixRow};
use fsarena_model::{Class, Comparison, Label, Recommendation, Unavailable, Weight};

use crate::number::{self, DASH, Ratio};
use crate::pair;
use crate::report::ColumnKind::{Figure, Name};
use crate::report::{List, ListLook, Paragraph, Section, TableLook, TableOf};
use crate::words::{self, begun, listed};

/// The explanation of the intervals.
const MEANING: &str = "Geometric means of how many times better the first of a pair is, each workload with its share \
    of the mix; pointwise 95 % intervals, by how the mean of a round varies from round to round, since workloads of \
    the same rounds share their luck; the errors of workloads with different rounds are added up. Which is best follows \
    from wider ones, which hold over all of its rivals together.";

/// The explanation of the second table.
const FLIPS: &str = "The share of a name in the mix at which another would be first by estimate, while the other names \
    keep their proportions.";

/// The section about a comparison's recommendation; `None` if the user gave no mix.
pub fn section(comparison: &Comparison) -> Option<Section> {
    let advice = comparison.judged.recommendation.as_deref()?;
    let section = sentences(comparison)?;
    Some(advice.classes.iter().flat_map(|class| tables(advice, class)).fold(section, Section::with))
}

/// The section without its tables.
pub fn sentences(comparison: &Comparison) -> Option<Section> {
    let advice = comparison.judged.recommendation.as_deref()?;
    let objections = advice.classes.iter().flat_map(objections);
    let sentences = best(comparison).chain(objections).chain([mix(advice)]).chain(absent(advice));
    Some(Section::titled(title(advice)).with(List::new(ListLook::Paragraphs, sentences)))
}

fn title(advice: &Recommendation) -> String {
    advice.profile.as_ref().map_or("By your own mix".to_owned(), |profile| format!("For the profile {profile}"))
}

/// Which contender is the best for the mix, a sentence for each durability class.
pub fn best(comparison: &Comparison) -> impl Iterator<Item = String> {
    let sentences = |advice: &'_ Recommendation| -> Vec<String> {
        advice.classes.iter().map(|class| sentence(comparison, advice, class)).collect()
    };
    comparison.judged.recommendation.as_deref().map(sentences).into_iter().flatten()
}

fn mix(advice: &Recommendation) -> String {
    let count = advice.workloads.len();
    let workloads = if count == 1 { "1 workload counts".to_owned() } else { format!("{count} workloads count") };
    format!("The mix is {}; {workloads}{}.", shares(&advice.mix.0), without(advice))
}

fn shares(weights: &[Weight]) -> String {
    listed(weights.iter().map(|weight| format!("{} {}", weight.name, number::percent(weight.share))))
}

/// What of the profile the run does not have.
fn absent(advice: &Recommendation) -> Option<String> {
    let lost: f64 = advice.absent.iter().map(|weight| weight.share).sum();
    let absent = || format!("The run lacks {} of the profile: {}.", number::percent(lost), shares(&advice.absent));
    (!advice.absent.is_empty()).then(absent)
}

/// Workloads of the mix that are missing, and how their share is used.
fn without(advice: &Recommendation) -> String {
    let one = |missing: &Unavailable| format!("{} ({})", missing.workload, how_to_install(&missing.packages));
    match advice.without.is_empty() {
        true => String::new(),
        false => {
            let missing = listed(advice.without.iter().map(one));
            let others = if advice.profile.is_some() { "the others" } else { "the others of the same name" };
            format!(", without {missing}: the programs were not there, and the share is that of {others}")
        }
    }
}

/// `Durability flushed: `, if there are several classes; otherwise empty.
fn among(advice: &Recommendation, class: &ClassAdvice) -> String {
    let words = || words::class(Class { durability: class.durability, coherence: class.coherence });
    if advice.classes.len() > 1 { format!("{}: ", begun(&words())) } else { String::new() }
}

fn sentence(comparison: &Comparison, advice: &Recommendation, class: &ClassAdvice) -> String {
    let among = among(advice, class);
    let begin = |words: &str| if among.is_empty() { begun(words) } else { format!("{among}{words}") };
    let Some(first) = &class.first else {
        return begin("none can be recommended: there are workloads of the mix in which not all can be compared.");
    };
    let margin = number::percent(comparison.run.margin);
    let text = match level(class, first, &margin) {
        None => begin(&format!("take {first}: its lead over each of the others exceeds the margin of {margin}")),
        Some(level) => format!("{among}{first} is first by estimate, but {level}"),
    };
    format!("{text}{}.{}", flips(class), leads(class, first))
}

/// The mean ratio of the first to each of the others, as sentences of their own; empty if none is known.
fn leads(class: &ClassAdvice, first: &Label) -> String {
    let lead = |row: &MixRow| {
        let ratio = ratio(row)?;
        let (other, ratio) = if row.a == *first { (&row.b, ratio) } else { (&row.a, ratio.inverted()) };
        Some(format!("{first} / {other} {} {}", ratio.times(), ratio.interval()?))
    };
    let of_first = class.pairs.iter().filter(|row| row.a == *first || row.b == *first);
    let leads: Vec<String> = of_first.filter_map(lead).collect();
    match leads.is_empty() {
        true => String::new(),
        false => format!(" Mean ratio over the mix: {}.", leads.join(", ")),
    }
}

fn ratio(row: &MixRow) -> Option<Ratio> {
    Ratio::of(row.estimate)
}

/// The contenders that are not proved to be behind the first by more than the margin.
fn level(class: &ClassAdvice, first: &Label, margin: &str) -> Option<String> {
    let of = |is_equal: bool| {
        let wanted = |label: &&Label| *label != first && class.equal.contains(label) == is_equal;
        let labels: Vec<&Label> = class.best.iter().filter(wanted).collect();
        (!labels.is_empty()).then(|| listed(labels.iter()))
    };
    let equal = of(true).map(|labels| format!("it equals {labels} within the margin of {margin}"));
    let open = of(false).map(|labels| format!("no lead of more than {margin} over {labels} is proved"));
    let all: Vec<String> = [equal, open].into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join(", and "))
}

/// What other weights would change; empty if they were not examined.
fn flips(class: &ClassAdvice) -> String {
    let flips: Vec<String> = class.flips.iter().filter_map(flip).collect();
    match (class.flips.is_empty(), flips.is_empty()) {
        (true, _) => String::new(),
        (false, true) => "; no other weight of one name changes that".to_owned(),
        (false, false) => format!("; {}", flips.join("; ")),
    }
}

/// `with reads below 31 % xfs would be better`.
fn flip(flip: &MixFlip) -> Option<String> {
    let side = |word: &str, (at, label): &(f64, Label)| format!("{word} {} {label}", number::percent(*at));
    let sides: Vec<String> =
        [flip.below.as_ref().map(|to| side("below", to)), flip.above.as_ref().map(|to| side("above", to))]
            .into_iter()
            .flatten()
            .collect();
    (!sides.is_empty()).then(|| format!("with {} {} would be better", flip.name, sides.join(" and ")))
}

fn objections(class: &ClassAdvice) -> impl Iterator<Item = String> {
    class.not_recommended.iter().map(|other| format!("{} is not recommended ({}).", other.label, other.reason))
}

fn tables(advice: &Recommendation, class: &ClassAdvice) -> [Section; 2] {
    let among = among(advice, class);
    let count = advice.workloads.len();
    let pairs = TableOf::new(TableLook::Narrow, &class.pairs)
        .column(Name, "pair", |row| format!("{} / {}", row.a, row.b))
        .column(Figure, "mean ratio", |row| pair::times(ratio(row)))
        .column(Figure, "95 %", |row| pair::interval(ratio(row)))
        .column(Figure, "not known of", |row| unknown(&row.left_out, count))
        .done();
    let flips = TableOf::new(TableLook::Narrow, &class.flips)
        .column(Name, "name", |flip| &flip.name)
        .column(Figure, "share", |flip| number::percent(flip.share))
        .column(Figure, "another below", |flip| side(flip.below.as_ref()))
        .column(Figure, "another above", |flip| side(flip.above.as_ref()))
        .done();
    let pairs = Section::titled(format!("{among}pairs over the mix")).with(pairs).with(Paragraph::legend(MEANING));
    let flips = Section::titled(format!("{among}where it would flip")).with(flips).with(Paragraph::legend(FLIPS));
    [pairs, flips]
}

/// The workloads that are the reason why a mean is missing; a dash if there is none. A reason that all of them share is
/// given once.
fn unknown(left_out: &[String], count: usize) -> String {
    if left_out.is_empty() {
        return DASH.to_owned();
    }
    let reason = |text: &String| text.split_once(" (").map(|(_, reason)| reason.trim_end_matches(')').to_owned());
    let first = left_out.first().and_then(reason);
    match first.filter(|_| count > 1 && left_out.len() == count) {
        Some(first) if left_out.iter().all(|text| reason(text).as_ref() == Some(&first)) => {
            format!("all {count}: {first}")
        }
        _ => left_out.join(", "),
    }
}

/// The share at which another contender would be first.
fn side(to: Option<&(f64, Label)>) -> String {
    match to {
        Some((at, label)) => format!("{}: {label}", number::percent(*at)),
        None => "never".to_owned(),
    }
}
