//! Predicted against measured ratios, for readers.

use fsarena_model::difference::SideRun;
use fsarena_model::recommendation::AnotherProgram;
use fsarena_model::validation::{
    Foretold, ProfileScore, ProgramSpread, Score, ValidatedPair, ValidatedRun, Validation,
};
use fsarena_model::{Estimate, Label, Share, Verdict, WorkKind};
use fsarena_report::{PLAIN, html, markdown, predicted_against_measured, report_text, validation};

use crate::fixture::fixture;

fn pair(program: &str, predicted: f64, measured: f64, outcome: Option<Foretold>) -> ValidatedPair {
    ValidatedPair {
        profile: "mail".to_owned(),
        program: program.to_owned(),
        a: Label::from("ext4"),
        b: Label::from("xfs"),
        predicted: AnotherProgram {
            kind: WorkKind::Writes,
            estimate: Estimate::of(Some(predicted), Some((predicted * 0.8, predicted * 1.25))),
            better: 0.97,
        },
        measured: Estimate::of(Some(measured), Some((measured * 0.9, measured * 1.1))),
        verdict: if measured > 1.0 { Verdict::Faster } else { Verdict::Slower },
        outcome,
    }
}

fn found() -> Validation {
    let score = Score {
        pairs: 3,
        clear: 2,
        right_sign: Some(Share(0.5)),
        not_sure: Some(Share(0.0)),
        right_when_sure: Some(Share(0.5)),
        error: Some(Share(0.083)),
        covered: Some(Share(0.67)),
    };
    let run = SideRun { name: "run 12".to_owned(), started: "2026-03-01T12:00:00Z".to_owned(), rounds: 6 };
    Validation {
        format: 1,
        runs: vec![ValidatedRun { profile: "mail".to_owned(), run, environment: fixture().environment }],
        pairs: vec![
            pair("mbox", 1.4, 1.3, Some(Foretold::Right)),
            pair("index", 1.4, 0.7, Some(Foretold::Wrong)),
            pair("<scan>", 1.4, 1.05, None),
        ],
        profiles: vec![ProfileScore { profile: "mail".to_owned(), score }],
        all: score,
        between: Some(ProgramSpread { deviation: 0.13, freedom: 4.0 }),
        left_out: vec!["mail: a program is missing".to_owned()],
    }
}

#[test]
fn the_answer_has_the_shares_and_the_documents_have_all_pairs() {
    let answer = "Of 2 pairs that differ by more than 10 %, the profile predicts the better one in 50 %; it is not \
        sure in 0 %; where it is sure, 50 % are right. The predicted ratio is off by 8.3 % (median), and 67 % of the 90 % \
        prediction intervals contain the measured ratio.";
    let [text, markdown, html] = [
        report_text(validation(&found(), "0.0.0"), PLAIN),
        markdown(validation(&found(), "0.0.0")),
        html(validation(&found(), "0.0.0")),
    ];
    for report in [&text, &markdown, &html] {
        let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
        for said in [answer, "0.13", "run 12 (2026-03-01T12:00:00Z, 6 rounds)", "mail: a program is missing"] {
            assert!(words.contains(said), "{said}: {report}");
        }
    }
    assert!(markdown.contains(
        "| mbox | mail | writes | ext4 / xfs | 1.40× | [1.12, 1.75] | 97 % | 1.30× | [1.17, 1.43] | right |"
    ));
    assert!(text.contains("index") && !text.contains("mbox"), "only what is wrong: {text}");
    assert!(html.contains("&lt;scan&gt;") && html.contains("Predicted against measured ratios of 3 pairs"), "{html}");
}

#[test]
fn the_drawing_is_a_file_of_its_own() {
    let drawing = predicted_against_measured(&found()).expect("there are pairs");
    assert!(drawing.starts_with(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="#), "{drawing}");
    assert!(drawing.contains("<style>") && drawing.ends_with("</svg>\n"), "{drawing}");
    assert_eq!(predicted_against_measured(&Validation { pairs: Vec::new(), ..found() }), None);
}

#[test]
fn all_are_right_only_if_all_are() {
    for (share, words) in [(1.0, "100 %"), (201.0 / 202.0, ">99 %"), (0.99, "99 %")] {
        let mut found = found();
        found.all.right_when_sure = Some(Share(share));
        assert!(
            markdown(validation(&found, "0")).replace('\n', " ").contains(&format!("it is sure, {words} are right"))
        );
    }
}
