//! Why contenders differ.

use fsarena_model::explanation::{Activity, Difference, ExplainedPart, ExplainedRequests, Explanation, TestedKnob};
use fsarena_model::{Accelerator, Comparison, Layer, Meanwhile, RequestKind, Wait};

use crate::effects::of_matrix;
use crate::rendered;

fn difference(seconds: f64) -> Difference {
    Difference { seconds, low: Some(seconds - 5e-6), high: Some(seconds + 5e-6) }
}

fn part(activity: Activity, slower: f64, faster: f64, meanwhile: Vec<(Meanwhile, Difference)>) -> ExplainedPart {
    ExplainedPart {
        activity,
        slower_seconds: slower,
        faster_seconds: faster,
        difference: difference(slower - faster),
        meanwhile,
    }
}

/// xfs needs 74 µs less than ext4.
pub fn explained() -> Comparison {
    let jbd2 = Meanwhile::Ready("jbd2".to_owned());
    let waits = vec![(jbd2, difference(50e-6)), (Meanwhile::Device, difference(20e-6))];
    let mut comparison = of_matrix();
    comparison.judged.explanations = vec![Explanation {
        workload: "create-fsync".to_owned(),
        slower: "ext4".into(),
        faster: "xfs".into(),
        rounds: 6,
        slower_seconds: 200e-6,
        faster_seconds: 126e-6,
        difference: difference(74e-6),
        parts: vec![
            part(Activity::Waiting(Wait::Commit), 120e-6, 50e-6, waits),
            part(Activity::Kernel(Layer::FileSystem), 20e-6, 36e-6, Vec::new()),
            part(Activity::Ready, 30e-6, 12e-6, Vec::new()),
            part(Activity::Unknown, 30e-6, 28e-6, Vec::new()),
        ],
        is_of_runs: false,
        attributed: 1.0 - 2.0 / 74.0,
        requests: vec![ExplainedRequests {
            kind: RequestKind::Write,
            slower_count: 3.0,
            faster_count: 1.0,
            slower_duration: Some(40e-6),
            faster_duration: Some(20e-6),
            by_count: Some(60e-6),
            by_duration: Some(40e-6),
        }],
        slower_overhead: Some(0.03),
        faster_overhead: None,
        untraced: Some(70e-6),
        event_seconds: Some(700e-9),
        limited: None,
        slower_remaining: Some(0.01),
        faster_remaining: Some(0.0),
        recorded: 4_993,
        lost: 7,
        withheld: None,
    }];
    comparison.judged.tested_knobs = vec![tested(0.31, 0.27), tested(0.31, 0.2), tested(0.01, 0.0)];
    comparison
}

fn tested(predicted: f64, measured: f64) -> TestedKnob {
    TestedKnob {
        workload: "create-fsync".to_owned(),
        with: "ext4".into(),
        without: "ext4:barrier=0".into(),
        rounds: 6,
        predicted,
        measured,
        low: Some(measured - 0.02),
        high: Some(measured + if measured == 0.2 { 0.005 } else { 0.02 }),
    }
}

fn words(format: &str, comparison: &Comparison) -> String {
    rendered(format, comparison).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_format_for_people_says_why() {
    let sentence = "create-fsync: xfs takes 74.0 µs [69.0 µs, 79.0 µs] less per operation than ext4: 70.0 µs [65.0 µs, \
        75.0 µs] less waiting for a commit of the journal, log or transaction (mostly while jbd2 waits for a processor), \
        18.0 µs [13.0 µs, 23.0 µs] less waiting for a processor, but 16.0 µs [11.0 µs, 21.0 µs] more in code of the file \
        system; 2.00 µs less are unexplained.";
    for format in ["text", "summary", "markdown", "html"] {
        let report = words(format, &explained());
        assert!(report.contains(sentence), "{format}: {report}");
    }
    let text = words("text", &explained());
    for part in [
        "… while jbd2 waits for a processor −50.0 µs [−55.0 µs, −45.0 µs]",
        "in code of the file system 20.0 µs 36.0 µs +16.0 µs [+11.0 µs, +21.0 µs]",
        "all 200 µs 126 µs −74.0 µs [−79.0 µs, −69.0 µs]",
        "writes 3.00 × 40.0 µs 1.00 × 20.0 µs −60.0 µs −40.0 µs",
        "Over 6 rounds. Compared with others, traced slices are longer by 3 % (ext4) and longer by – (xfs). 700 ns for each \
         event are subtracted, which leaves 1 % (ext4) and 0 % (xfs). The kernel did not record 7 of 5000 events; the parts",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(words("html", &explained()).contains("Time per operation, from the slower to the faster: ext4 200 µs"));
    assert!(!words("text", &of_matrix()).contains("Why"));
}

/// What the parts of a sentence say, in µs: less is positive. The first is the whole difference.
fn micros(sentence: &str) -> Vec<f64> {
    let words: Vec<&str> = sentence.split([' ', ';', ',']).filter(|word| !word.is_empty()).collect();
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate().filter(|(_, word)| ["less", "more"].contains(word)) {
        // `4.00 µs less`, or `4.00 µs [3.00 µs 5.00 µs] less`.
        let first = if words[index - 1].ends_with(']') { index - 6 } else { index - 2 };
        let value: f64 = words[first].parse().expect("a number");
        found.push(if *word == "less" { value } else { -value });
    }
    found
}

#[test]
fn the_parts_of_a_sentence_add_up() {
    let small = [
        Activity::Idle,
        Activity::Kernel(Layer::Block),
        Activity::Kernel(Layer::Memory),
        Activity::Waiting(Wait::Lock),
    ];
    for (unknown, unexplained) in [(20.0, "20.0 µs less are"), (-11.0, "11.0 µs more are"), (0.0, "nothing is")] {
        let mut comparison = explained();
        let explanation = &mut comparison.judged.explanations[0];
        explanation.untraced = None;
        explanation.parts[3] = part(Activity::Kernel(Layer::Other), 40e-6, 40e-6 - unknown * 1e-6, Vec::new());
        explanation.parts.extend(small.map(|activity| part(activity, 3.5e-6, 0.0, Vec::new())));
        explanation.difference.seconds = explanation.parts.iter().map(|part| part.difference.seconds).sum();
        let sentence = words("summary", &comparison);
        let sentence = &sentence[sentence.find("create-fsync: xfs takes").expect("a sentence")..];
        let sentence = &sentence[..=sentence.find("unexplained.").expect("its end")];
        assert!(sentence.contains(unexplained) && sentence.contains("14.0 µs less in other parts"), "{sentence}");
        let found = micros(sentence);
        assert!((found[0] - found[1..].iter().sum::<f64>()).abs() < 0.1, "{found:?}: {sentence}");
    }
    // What is known takes more time, and what is not known makes the difference.
    let mut comparison = explained();
    let explanation = &mut comparison.judged.explanations[0];
    explanation.parts = vec![
        part(Activity::Kernel(Layer::Other), 92e-6, 2e-6, Vec::new()),
        part(Activity::User, 0.0, 16e-6, Vec::new()),
    ];
    let sentence = words("summary", &comparison);
    let expected = ": 16.0 µs [11.0 µs, 21.0 µs] more in the program's own code; 90.0 µs less are unexplained.";
    assert!(sentence.contains(expected), "{sentence}");
    let mut comparison = explained();
    let explanation = &mut comparison.judged.explanations[0];
    let tiny = |activity| part(activity, 1.2e-6, 0.9e-6, Vec::new());
    explanation.parts.extend([Activity::Waiting(Wait::Memory), Activity::Waiting(Wait::Queue)].map(tiny));
    let text = words("text", &comparison);
    assert!(text.contains(" smaller parts 2.40 µs 1.80 µs −600 ns – all 200 µs"), "{text}");
}

#[test]
fn traced_slices_that_show_another_difference_say_so() {
    let mut comparison = explained();
    comparison.judged.explanations[0].untraced = Some(36e-6);
    let text = words("summary", &comparison);
    let expected =
        "[69.0 µs, 79.0 µs] less per operation than ext4 when it is traced, and 36.0 µs less when not: 70.0 µs";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn traced_slices_may_be_shorter() {
    let mut comparison = explained();
    let explanation = &mut comparison.judged.explanations[0];
    (explanation.faster_overhead, explanation.faster_remaining) = (Some(-0.17), Some(-0.174));
    let text = words("text", &comparison);
    for expected in ["by 3 % (ext4) and shorter by 17 % (xfs)", "which leaves 1 % (ext4) and −17 % (xfs)."] {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn slices_that_were_not_traced_give_the_reason_with_their_explanation() {
    let mut comparison = explained();
    comparison.judged.explanations[0].limited = Some("no process numbers of the machine".to_owned());
    for format in ["text", "summary", "html"] {
        let text = words(format, &comparison);
        let reason = "The slices that explain were not traced: no process numbers of the machine.";
        assert!(text.contains(reason) && !text.contains("Each moment of a slice"), "{format}: {text}");
    }
}

#[test]
fn a_withheld_explanation_gives_its_reason_and_no_parts() {
    let mut comparison = explained();
    comparison.judged.explanations[0].withheld = Some("the traced slices do not show the difference".to_owned());
    let text = words("summary", &comparison);
    let sentence = "create-fsync: the difference between xfs and ext4 is not explained: the traced slices do";
    assert!(text.contains(sentence) && !text.contains("unexplained"), "{text}");
    for format in ["text", "html"] {
        let all = words(format, &comparison);
        assert!(!all.contains("from the slower to the faster"), "{all}");
    }
}

#[test]
fn predictions_stand_beside_what_was_measured() {
    for format in ["text", "summary"] {
        let report = words(format, &explained());
        for part in [
            "Explanations tested Within ten points of what was measured: 1 of 2 predictions that an option saves \
             at least 2 %, and 1 of 1 that it saves less. Not decided: 0.",
            "create-fsync ext4 ext4:barrier=0 31.0 % 27.0 % [25.0 %, 29.0 %] right",
            "31.0 % 20.0 % [18.0 %, 20.5 %] wrong",
        ] {
            assert!(report.contains(part), "{format}: {part}: {report}");
        }
    }
    let of = |low, high| TestedKnob { low, high, ..tested(0.31, 0.27) }.agrees();
    for (low, high, expected) in [
        (Some(0.21), Some(0.41), Some(true)),
        (Some(0.2), Some(0.29), None),
        (Some(-9.47), Some(0.95), None),
        (Some(-0.3), Some(0.2), Some(false)),
        (Some(0.42), Some(0.43), Some(false)),
        (None, None, None),
    ] {
        assert_eq!(of(low, high), expected, "{low:?} to {high:?}");
    }
    let mut comparison = explained();
    comparison.judged.explanations[0].faster = "ext4:barrier=0".into();
    let sentence = "ext4:barrier=0 takes ";
    assert!(words("text", &comparison).contains(sentence), "the user may have named it");
    comparison.run.command.push("--test-explanation".to_owned());
    for format in ["text", "html"] {
        let report = words(format, &comparison);
        assert!(!report.contains(sentence) && report.contains("Explanations tested"), "{format}");
    }
    comparison.run.command.push("ext4:barrier=0".to_owned());
    assert!(words("text", &comparison).contains(sentence), "the user named it");
    let mut comparison = explained();
    comparison.judged.tested_knobs.iter_mut().for_each(|it| (it.low, it.high) = (None, None));
    let text = words("text", &comparison);
    assert!(text.contains("0 of 0 predictions that") && text.contains("31.0 % 20.0 % – not decided"), "{text}");
}

#[test]
fn of_a_printed_figure_an_operation_is_a_run_and_nothing_explained_is_said() {
    let mut comparison = explained();
    comparison.run.guest = Some(Accelerator::Emulated);
    comparison.judged.explanations[0].is_of_runs = true;
    for said in [" less per run of the program than ", "In an emulated guest, explanations are weak: "] {
        assert!(words("text", &comparison).contains(said), "{said}");
    }
    assert!(words("html", &comparison).contains("Time per run of the program, from the slower"));
    comparison.judged.explanations.clear();
    let nothing = "Nothing is explained: ";
    assert!(!words("text", &comparison).contains(nothing));
    comparison.run.command.push("--explain".to_owned());
    assert!(words("text", &comparison).contains(nothing));
}
