//! The answer of a gate: as a report, and as JUnit XML.

use fsarena_model::difference::{Gate, GateCheck, GateOutcome};

use crate::difference::contrasts;
use crate::number::{self, Ratio, or_dash};
use crate::pair;
use crate::report::ColumnKind::{Figure, Name, Reference, Words};
use crate::report::{Entry, List, ListLook, Paragraph, Report, Section, Shade, Table, TableLook, TableOf};
use crate::text::layout::visible;
use crate::words::{self, counted, listed};

/// The report on a gate.
pub fn report(gate: &Gate, version: &str) -> Report {
    let outcome = match (gate.of(GateOutcome::Regression).next(), gate.failed) {
        (Some(_), _) => "Regression",
        (None, true) => "The gate fails without a regression",
        (None, false) => "No regression is proved",
    };
    let title = format!("{outcome}: {}", gate.title);
    let head = format!("{}, threshold {}", gate.title, number::percent(gate.threshold.0));
    let sections = [
        Section::titled("Checks").with(table(gate)).with(Paragraph::legend(meaning(gate))),
        Section::titled("What could be found").with(List::new(ListLook::Paragraphs, power(gate))),
        Section::titled("Notes").with(List::new(ListLook::Notes, gate.notes.clone())),
        Section::titled("Not compared").with(List::new(ListLook::Notes, gate.left_out.clone())),
        if gate.is_interleaved { Section::default() } else { contrasts(&gate.contrasts) },
    ];
    Report::new(title, head, version).answering([answer(gate)], sections)
}

fn slower(check: &GateCheck) -> String {
    let share = |ratio: Option<f64>| or_dash(ratio.map(|ratio| number::percent(ratio.recip() - 1.0)));
    let name = words::placed(&check.contender, check.workload.as_deref());
    let reason = if check.reason.is_empty() { String::new() } else { format!("; {}", check.reason) };
    format!("{name} is {} slower (at least {}{reason})", share(check.estimate.ratio), share(check.at_most))
}

fn answer(gate: &Gate) -> String {
    let failed: Vec<String> = gate.of(GateOutcome::Regression).map(slower).collect();
    let limit = number::percent(gate.threshold.0);
    let first = match (failed.is_empty(), blind(gate)) {
        (true, None) => format!("No regression of more than {limit} is proved."),
        (true, Some(blind)) => {
            format!("The gate fails, though no regression of more than {limit} is proved: {blind}.")
        }
        (false, None) => format!("{}.", listed(failed)),
        (false, Some(blind)) => format!("{}. {blind}.", listed(failed)),
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

/// `1 of 2 checks would not have found a slowdown of 20 %, which is required`; `None` if each would, or nothing is
/// required.
fn blind(gate: &Gate) -> Option<String> {
    let blind = gate.checks.iter().filter(|check| gate.is_blind(check)).count();
    let required = gate.requires_finds.filter(|_| blind > 0)?;
    let others = gate.checks.len() - gate.of(GateOutcome::Regression).count();
    let without = if others < gate.checks.len() { " without a regression" } else { "" };
    let (checks, required) = (counted(others, "check"), number::percent(required.0));
    Some(format!("{blind} of {checks}{without} would not have found a slowdown of {required}, which is required"))
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
    let none_found = (within(twice) == 0 && !tested.is_empty()).then(|| {
        format!(
            "This gate is blind to slowdowns below {}: it needs more rounds{}.",
            number::percent_up(least),
            match gate.is_interleaved {
                true => " or a quieter machine",
                false => ", more runs per side, or, best of all, both contenders in one run (`--baseline-contender`)",
            }
        )
    });
    [if tested.is_empty() { none } else { some }].into_iter().chain(none_found).collect()
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

fn table(gate: &Gate) -> Table {
    let ratio = |check: &GateCheck| Ratio::of(check.estimate);
    let at_most = |check: &GateCheck| check.at_most.map(Ratio::alone);
    TableOf::new(TableLook::Full, &gate.checks)
        .column(Name, "contender", |check| check.contender.to_string())
        .column(Name, "workload", |check| check.workload.clone().unwrap_or_else(|| "mean of all".to_owned()))
        .column(Figure, "ratio", |check| pair::times(ratio(check)))
        .column(Figure, "95 % interval", |check| pair::interval(ratio(check)))
        .column(Figure, "at most", |check| pair::times(at_most(check)))
        .column(Words, "result", outcome)
        .column(Figure, "finds from", |check| or_dash(check.finds_from.map(|share| number::percent_up(share.0))))
        .column(Reference, "", |check| check.reason.clone())
        .done()
}

/// JUnit XML as continuous-integration servers read it: a test case per check; what is open or invalid is skipped.
pub fn junit(gate: &Gate) -> String {
    let is_failure = |check: &GateCheck| gate.is_blind(check) || check.outcome == GateOutcome::Regression;
    let is_skipped = |check: &GateCheck| !is_failure(check) && check.outcome != GateOutcome::Passed;
    let failures = gate.checks.iter().filter(|check| is_failure(check)).count();
    let skipped = gate.checks.iter().filter(|check| is_skipped(check)).count();
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"", gate.checks.len());
    let name = escaped(&format!("fsarena gate: {}", gate.title));
    let mut xml = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n");
    xml += &format!("<testsuite name=\"{name}\" {counts}>\n");
    for check in &gate.checks {
        let name = escaped(check.workload.as_deref().unwrap_or("mean of all workloads"));
        xml += &format!("<testcase classname=\"{}\" name=\"{name}\"", escaped(&check.contender.0));
        let detail = escaped(&detail(gate, check));
        xml += &if is_failure(check) {
            let kind = if check.outcome == GateOutcome::Regression { "regression" } else { "blind" };
            format!("><failure message=\"{detail}\" type=\"{kind}\">{detail}</failure></testcase>\n")
        } else if is_skipped(check) {
            format!("><skipped message=\"{detail}\"/></testcase>\n")
        } else {
            "/>\n".to_owned()
        };
    }
    xml + "</testsuite>\n</testsuites>\n"
}

fn detail(gate: &Gate, check: &GateCheck) -> String {
    if check.outcome == GateOutcome::Regression {
        return slower(check);
    }
    let open = (check.outcome == GateOutcome::Open).then(|| "neither passed nor a regression".to_owned());
    let finds = check.finds_from.filter(|_| check.outcome != GateOutcome::Invalid);
    let finds = finds.map(|share| format!("would find a slowdown from {}", number::percent_up(share.0)));
    let required = gate
        .requires_finds
        .filter(|_| gate.is_blind(check))
        .map(|share| format!("{} is required", number::percent(share.0)));
    let reason = (!check.reason.is_empty()).then(|| check.reason.clone());
    [open.filter(|_| finds.is_some()), finds, reason, required].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn escaped(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
