//! What changed between two sides of runs, for readers.

use fsarena_model::comparison::DecisionInterval;
use fsarena_model::difference::{Change, Contrast, Difference, DriftSource, SessionDrift};
use fsarena_model::{Estimate, Label, Share, Verdict};
use fsarena_report::{PLAIN, difference as report, markdown, report_text};

fn change(contender: &str, workload: Option<&str>, ratio: f64, verdict: Verdict) -> Change {
    let ends = Some((ratio * 0.9, ratio * 1.1));
    Change {
        workload: workload.map(str::to_owned),
        contender: Label::from(contender),
        unit: "files/s".to_owned(),
        before: None,
        after: None,
        estimate: Estimate::of(Some(ratio), ends),
        decision: DecisionInterval::of(ends),
        within_low: None,
        within_high: None,
        verdict,
        reason: String::new(),
        detectable: None,
        rounds: [6, 6],
    }
}

fn difference(changes: Vec<Change>) -> Difference {
    Difference {
        format: 1,
        before: Vec::new(),
        after: Vec::new(),
        margin: Share(0.05),
        control: None,
        drift: SessionDrift { deviation: Share(0.05), source: DriftSource::Assumed },
        changes,
        machine: Vec::new(),
        contrasts: Vec::new(),
        left_out: Vec::new(),
        withheld: None,
    }
}

#[test]
fn the_answer_names_all_that_is_proved_and_counts_what_the_table_has() {
    let only_mean = [
        change("ext4", Some("create"), 1.0, Verdict::Undecided),
        change("ext4", Some("append"), 1.0, Verdict::Undecided),
        change("ext4", None, 0.5, Verdict::Slower),
    ];
    let text = markdown(report(&difference(only_mean.to_vec()), "0.0.0"));
    assert!(text.contains("ext4 over all workloads (2.00×) is slower."), "{text}");
    assert!(!text.contains("No change is proved") && text.contains("Of 3 comparisons, 0 are equal"), "{text}");
    let mut wide = difference(Vec::new());
    let long = |what: &str| format!("{what} {}", "word ".repeat(30).trim_end());
    wide.contrasts = vec![Contrast { what: "lanes".to_owned(), before: String::new(), after: long("a") }];
    wide.contrasts.push(Contrast { what: "kernel".to_owned(), before: long("b"), after: long("c") });
    let text = report_text(report(&wide, "0.0.0"), PLAIN);
    assert!(text.contains("lanes: after a word") && text.contains("kernel: before b word"), "{text}");
    let both = only_mean.map(|one| Change { verdict: Verdict::Slower, ..one });
    let text = markdown(report(&difference(both.to_vec()), "0.0.0"));
    assert!(text.contains("and ext4 over all workloads (2.00×) are slower."), "{text}");
}
