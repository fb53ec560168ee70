//! Sentences about a run: its plan, the contenders' guarantees, what was found, and where it ran.

use std::collections::BTreeSet;

use fsarena_model::comparison::ContenderRow;
use fsarena_model::event::{Check, Note};
use fsarena_model::{Comparison, Guarantee, Label, LaneCost, Severity};

use crate::group::Group;
use crate::number::{bytes, three_digits};
use crate::{lane, machine, outcome, words};

/// `Run 12: suite quick; ext4, xfs; 6 rounds; seed 7351; complete`.
pub fn head(comparison: &Comparison) -> String {
    let suite = comparison.suite.as_ref().map_or("single workloads".to_owned(), |suite| format!("suite {suite}"));
    format!(
        "Run {}: {suite}; {}; {}; seed {}; {}",
        comparison.run,
        labels(&comparison.contenders.iter().collect::<Vec<_>>()).join(", "),
        rounds(comparison.rounds),
        comparison.seed,
        words::status(comparison.status),
    )
}

/// `1 round`, `6 rounds`.
pub fn rounds(count: u32) -> String {
    counted(count as usize, "round")
}

/// `1 pair`, `6 pairs`.
pub fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// `text` with a capital first letter.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<_> = items.into_iter().map(|item| item.to_string()).collect();
    match items.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// The labels of some contenders.
pub fn labels(contenders: &[&ContenderRow]) -> Vec<String> {
    contenders.iter().map(|row| row.label.to_string()).collect()
}

/// What the contenders of a group guarantee, and which of them guarantee more.
pub fn guarantees(group: &Group<'_>) -> Option<String> {
    let sets: Vec<BTreeSet<Guarantee>> =
        group.contenders.iter().map(|row| row.guarantees.iter().copied().collect()).collect();
    let common = sets.iter().cloned().reduce(|left, right| &left & &right)?;
    let more = more_promised(group, &sets, &common);
    let all = match group.contenders.as_slice() {
        [one] => format!("{} guarantees", one.label),
        many => format!("{} guarantee", listed(labels(many))),
    };
    match (common.is_empty(), more.is_empty()) {
        (true, true) => None,
        (true, false) => Some(format!("{}.", more.join("; "))),
        (false, true) => Some(format!("{all} {}.", listed(&common))),
        (false, false) => Some(format!("{all} {}; {}.", listed(&common), more.join("; "))),
    }
}

/// The contenders that guarantee more than `common`. Contenders with the same guarantees are named together.
fn more_promised(group: &Group<'_>, sets: &[BTreeSet<Guarantee>], common: &BTreeSet<Guarantee>) -> Vec<String> {
    let mut more: Vec<(BTreeSet<Guarantee>, Vec<&Label>)> = Vec::new();
    for (row, set) in group.contenders.iter().zip(sets).filter(|(_, set)| set.len() > common.len()) {
        let extra = set - common;
        match more.iter_mut().find(|(known, _)| *known == extra) {
            Some((_, labels)) => labels.push(&row.label),
            None => more.push((extra, vec![&row.label])),
        }
    }
    let verb = |labels: &[&Label]| if labels.len() == 1 { "also guarantees" } else { "also guarantee" };
    more.iter().map(|(extra, labels)| format!("{} {} {}", listed(labels), verb(labels), listed(extra))).collect()
}

/// Guarantees that only one contender of a pair makes, once for all pairs with the same text: `Verdicts of ext4 / btrfs
/// and xfs / btrfs: btrfs also has data checksums.`
pub fn pair_guarantees(comparison: &Comparison) -> Vec<String> {
    let mut found: Vec<(&str, Vec<String>)> = Vec::new();
    for pair in comparison.verdicts.iter().filter(|pair| !pair.guarantees.is_empty()) {
        let name = outcome::name(pair);
        match found.iter_mut().find(|(guarantees, _)| *guarantees == pair.guarantees) {
            Some((_, pairs)) if pairs.contains(&name) => {}
            Some((_, pairs)) => pairs.push(name),
            None => found.push((&pair.guarantees, vec![name])),
        }
    }
    found.into_iter().map(|(guarantees, pairs)| format!("Verdicts of {}: {guarantees}.", listed(pairs))).collect()
}

/// Why a group of weaker durability is shown separately.
pub fn apart(group: &Group<'_>) -> Option<String> {
    let class = group.durability?;
    Some(format!("Apart, durability {class}: {}. Never ranked with the others.", words::durability(class)))
}

/// What a checker found.
pub fn damage(check: &Check) -> String {
    let output = check.output.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    let output = if output.is_empty() { "the checker gave no details".to_owned() } else { output.join("; ") };
    format!("damage: round {}, {}: {output}", check.round, check.contender)
}

/// Notes, the most severe first, each with its severity in words.
pub fn notes(comparison: &Comparison) -> Vec<(&'static str, &Note)> {
    let ranks = [(Severity::Failure, "failure"), (Severity::Warning, "warning"), (Severity::Info, "note")];
    let of = |severity| comparison.notes.iter().filter(move |note| note.severity == severity);
    ranks.into_iter().flat_map(|(severity, word)| of(severity).map(move |note| (word, note))).collect()
}

/// The cost of the lane itself.
fn lane_cost(cost: &LaneCost) -> String {
    let host = match (cost.host_bytes, cost.host_flushes) {
        (Some(size), Some(flushes)) => {
            format!("; beneath, {} and {} flushes reach the device for it", bytes(size), three_digits(flushes))
        }
        (Some(size), None) => format!("; beneath, {} reach the device for it", bytes(size)),
        (None, Some(flushes)) => format!("; beneath, {} flushes reach the device for it", three_digits(flushes)),
        (None, None) => String::new(),
    };
    // The two are measured one after the other, so a part may come out larger than the whole.
    let device = cost.device.map(|span| match span < cost.back_to_back {
        true => format!(", of which the device beneath takes {span}"),
        false => ", all of it the device beneath".to_owned(),
    });
    let device = device.unwrap_or_default();
    let (busy, paced) = (cost.back_to_back, cost.paced);
    format!("A bare lane takes {busy} for a 4 KiB write and flush{device} ({paced} after a pause){host}.")
}

/// Sentences about the lane, what is beneath it, and what held the machine back.
pub fn lane_facts(comparison: &Comparison) -> Vec<String> {
    let environment = &comparison.environment;
    let sentences = [
        environment.lane_cost.as_ref().map(lane_cost),
        lane::over_rounds(comparison),
        machine::flushes(environment),
        machine::repeated_reads(environment),
        machine::held_back(comparison),
    ];
    sentences.into_iter().flatten().collect()
}

/// The machine and the place of the lanes, in one line.
pub fn environment(comparison: &Comparison) -> String {
    let environment = &comparison.environment;
    let machine = [
        environment.kernel.as_ref().map(|kernel| format!("Linux {kernel}")),
        environment.cores.map(|cores| counted(cores as usize, "core")),
        environment.cpu.clone(),
        environment.memory.map(|memory| memory.to_string()),
        environment.hypervisor.as_ref().map(|name| format!("hypervisor {name}")),
        environment.frequency_policy.as_ref().map(|policy| format!("frequency policy {policy}")),
        machine::memory_bandwidth(environment).map(|rate| format!("copying {rate} from cache to cache")),
    ];
    let place = [
        environment.storage.clone(),
        environment.host_file_system.as_ref().map(|host| format!("host file system {host}")),
        environment.device.as_ref().map(|device| format!("device {device}")),
    ];
    let machine = machine.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let place = place.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let fsarena = format!("fsarena {}", environment.fsarena);
    [machine, place, fsarena].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}
