//! The answer of a gate: as a report, and as JUnit XML.

use std::fmt::Write;

use fsarena_model::difference::{Gate, GateCheck, GateOutcome};

use crate::composite::escaped;
use crate::difference::contrasts;
use crate::number::{self, Ratio, or_dash};
use crate::pair;
use crate::report::ColumnKind::{Figure, Name, Reference, Words};
use crate::report::{Entry, List, ListLook, Paragraph, Report, Section, Shade, TableLook, TableOf};
use crate::words::{counted, listed};

/// The report on a gate.
pub fn report(gate: &Gate, version: &str) -> Report {
    let title = format!("{}: {}", if gate.has_failed() { "Regression" } else { "No regression is proved" }, gate.title);
    let head = format!("{}, threshold {}", gate.title, number::percent(gate.threshold.0));
    let sections = [
        Section::titled("Checks").with(table(gate)).with(Paragraph::legend(meaning(gate))),
        Section::titled("What could be found").with(List::new(ListLook::Paragraphs, power(gate))),
        Section::titled("Notes").with(List::new(ListLook::Notes, gate.notes.clone())),
        if gate.is_interleaved { Section::default() } else { contrasts(&gate.contrasts) },
    ];
    Report::new(title, head, version).answering(answer(gate), sections)
}

/// `random writes on xfs`, `xfs over all workloads`.
fn name(check: &GateCheck) -> String {
    match &check.workload {
        Some(workload) => format!("{} in {workload}", check.contender),
        None => format!("{} over all workloads", check.contender),
    }
}

fn slower(check: &GateCheck) -> String {
    let share = |ratio: Option<f64>| or_dash(ratio.map(|ratio| number::percent(ratio.recip() - 1.0)));
    format!("{} is {} slower, and at least {}", name(check), share(check.estimate.ratio), share(check.at_most))
}

fn answer(gate: &Gate) -> String {
    let failed: Vec<String> = gate.of(GateOutcome::Regression).map(slower).collect();
    let first = match failed.is_empty() {
        true => format!("No regression of more than {} is proved.", number::percent(gate.threshold.0)),
        false => format!("{}.", listed(failed)),
    };
    let parts = [
        (GateOutcome::Passed, "cannot be slower by more than the threshold"),
        (GateOutcome::Open, "could be slower, but that is not shown"),
        (GateOutcome::Invalid, "cannot be compared"),
    ];
    let parts = parts.map(|(outcome, words)| (gate.of(outcome).count(), words)).into_iter().filter(|part| part.0 > 0);
    let parts = listed(parts.map(|(count, words)| format!("{count} {words}")));
    let rest = if parts.is_empty() { parts } else { format!("Of {}, {parts}.", counted(gate.checks.len(), "check")) };
    format!("{first} {rest}").trim_end().to_owned()
}

/// How large a slowdown would have been found.
fn power(gate: &Gate) -> Vec<String> {
    let tested: Vec<f64> = gate.checks.iter().filter_map(|check| check.finds_from.map(|share| share.0)).collect();
    let within = |limit: f64| tested.iter().filter(|finds| **finds <= limit).count();
    let twice = 2.0 * gate.threshold.0;
    let least = tested.iter().copied().fold(f64::INFINITY, f64::min);
    let none = "Nothing could be tested, so nothing could have been found.".to_owned();
    let some = format!(
        "{} of {} would have found a slowdown of {} with a probability of 80 % each, and {} would have found one of \
         {}.",
        within(twice),
        counted(gate.checks.len(), "check"),
        number::percent(twice),
        within(2.0 * twice),
        number::percent(2.0 * twice),
    );
    let blind = (within(twice) == 0 && !tested.is_empty()).then(|| {
        format!(
            "This gate is blind to slowdowns below {}: it needs more rounds, or {}.",
            number::percent(least),
            match gate.is_interleaved {
                true => "a quieter machine",
                false => "several runs per side, or best both contenders in one run (`--baseline-contender`)",
            }
        )
    });
    [if tested.is_empty() { none } else { some }].into_iter().chain(blind).collect()
}

fn meaning(gate: &Gate) -> String {
    format!(
        "Slower by 5 %: it takes 5 % longer. Slower by more than {} is a regression if the largest ratio that the test \
         leaves open (at most) is still below {}; this holds for all checks together, at 95 %. Passed: such a slowdown \
         is excluded at 95 % for this check alone. Finds from: the smallest slowdown that would have been found with a \
         probability of 80 %.",
        number::percent(gate.threshold.0),
        number::hundredths((1.0 + gate.threshold.0).recip()),
    )
}

fn outcome(check: &GateCheck) -> Entry {
    match check.outcome {
        GateOutcome::Regression => Entry::verdict(Shade::Slower, "regression"),
        GateOutcome::Passed => Entry::verdict(Shade::Equivalent, "passed"),
        GateOutcome::Open => Entry::verdict(Shade::Undecided, "open"),
        GateOutcome::Invalid => Entry::verdict(Shade::Invalid, "invalid"),
    }
}

fn table(gate: &Gate) -> crate::report::Table {
    let ratio = |check: &GateCheck| Ratio::of(check.estimate);
    let at_most = |check: &GateCheck| check.at_most.map(Ratio::alone);
    TableOf::new(TableLook::Full, &gate.checks)
        .column(Name, "contender", |check| check.contender.to_string())
        .column(Words, "workload", |check| check.workload.clone().unwrap_or_else(|| "mean of all".to_owned()))
        .column(Figure, "ratio", |check| pair::times(ratio(check)))
        .column(Figure, "95 % interval", |check| pair::interval(ratio(check)))
        .column(Figure, "at most", |check| pair::times(at_most(check)))
        .column(Words, "result", outcome)
        .column(Figure, "finds from", |check| or_dash(check.finds_from.map(|share| number::percent(share.0))))
        .column(Reference, "", |check| check.reason.clone())
        .done()
}

/// JUnit XML as continuous-integration servers read it: a test case per check; what is open or invalid is skipped.
pub fn junit(gate: &Gate) -> String {
    let count = |outcome| gate.of(outcome).count();
    let (failures, skipped) = (count(GateOutcome::Regression), count(GateOutcome::Open) + count(GateOutcome::Invalid));
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"", gate.checks.len());
    let mut xml = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n");
    let _ = writeln!(xml, "<testsuite name=\"{}\" {counts}>", escaped(&format!("fsarena gate: {}", gate.title)));
    for check in &gate.checks {
        let workload = check.workload.as_deref().unwrap_or("mean of all workloads");
        let (name, class) = (escaped(workload), escaped(&check.contender.0));
        let _ = write!(xml, "<testcase classname=\"{class}\" name=\"{name}\"");
        let _ = match (check.outcome, detail(check)) {
            (GateOutcome::Regression, detail) => {
                let detail = escaped(&detail);
                writeln!(xml, "><failure message=\"{detail}\" type=\"regression\">{detail}</failure></testcase>")
            }
            (GateOutcome::Passed, _) => writeln!(xml, "/>"),
            (GateOutcome::Open | GateOutcome::Invalid, detail) => {
                writeln!(xml, "><skipped message=\"{}\"/></testcase>", escaped(&detail))
            }
        };
    }
    xml + "</testsuite>\n</testsuites>\n"
}

fn detail(check: &GateCheck) -> String {
    let finds = check.finds_from.map(|share| format!("would find a slowdown from {}", number::percent(share.0)));
    match check.outcome {
        GateOutcome::Regression => slower(check),
        _ if check.reason.is_empty() => format!("neither passed nor a regression; {}", finds.unwrap_or_default()),
        _ => check.reason.clone(),
    }
}
