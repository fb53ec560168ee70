//! Tests of the terminal report, with and without colour, of complete runs and of runs with failures.

use fsarena_model::Verdict;
use fsarena_model::comparison::{Cell, ContenderRow, Judged};
use fsarena_report::TerminalStyle;

use crate::fixture::{fail, fixture, interrupted, only, rename, with_tmpfs};
use crate::{summary, text};

const PLAIN: TerminalStyle = TerminalStyle { color: false, width: 120 };

#[test]
fn two_contenders() {
    insta::assert_snapshot!(text(&only(&["ext4", "xfs"]), PLAIN));
}

#[test]
fn three_contenders() {
    insta::assert_snapshot!(text(&fixture(), PLAIN));
}

#[test]
fn three_contenders_in_colour() {
    insta::assert_snapshot!(text(&fixture(), TerminalStyle { color: true, width: 120 }).replace('\x1b', "␛"));
}

#[test]
fn a_narrow_terminal() {
    insta::assert_snapshot!(text(&fixture(), TerminalStyle { color: false, width: 70 }));
}

#[test]
fn an_interrupted_run_with_damage() {
    insta::assert_snapshot!(text(&interrupted(), PLAIN));
}

#[test]
fn a_failed_trial() {
    let mut comparison = only(&["ext4", "xfs"]);
    fail(&mut comparison, "create-fsync", "xfs");
    insta::assert_snapshot!(text(&comparison, PLAIN));
}

#[test]
fn guarantees_are_told_as_more_than_those_of_all() {
    let mut comparison = only(&["ext4", "xfs"]);
    assert!(text(&comparison, PLAIN).contains("\next4 and xfs guarantee a journal and metadata checksums."));
    comparison.contenders[1].guarantees.clear();
    let text = text(&comparison, PLAIN);
    assert!(text.contains("\next4 guarantees a journal and metadata checksums."), "{text}");
}

#[test]
fn tmpfs_stands_apart() {
    insta::assert_snapshot!(text(&with_tmpfs(), PLAIN));
}

#[test]
fn the_summary_has_the_answer_the_medians_and_what_limits_them() {
    insta::assert_snapshot!(summary(&fixture(), PLAIN));
}

#[test]
fn a_single_workload_is_named_and_not_counted() {
    for (workload, said) in [
        ("seqwrite-fsync", "Made durable (seqwrite-fsync): undecided between ext4 and xfs."),
        ("create-fsync", "Made durable (create-fsync): xfs is the fastest (1.19× ahead)."),
    ] {
        let mut comparison = fixture();
        comparison.workloads.retain(|row| row.name == workload);
        let summary = summary(&comparison, PLAIN);
        assert!(summary.contains(said), "{said}: {summary}");
    }
}

#[test]
fn a_run_without_verdicts_says_so_once_and_has_no_words_of_verdicts() {
    for mut comparison in [fixture(), only(&["ext4", "xfs"])] {
        comparison.judged = Judged::default();
        comparison.run.without_verdicts = Some("This run has no verdicts: it is a trial.".to_owned());
        for text in [text(&comparison, PLAIN), summary(&comparison, PLAIN)] {
            assert_eq!(text.matches("no verdicts").count(), 1, "{text}");
            for word in ["undecided", "fastest", "faster", "ranking", "finds from", "best group", "equivalent"] {
                assert!(!text.contains(word), "{word}: {text}");
            }
        }
    }
}

#[test]
fn the_summary_says_what_went_wrong() {
    let summary = summary(&interrupted(), PLAIN);
    assert!(summary.contains("damage: round 2, btrfs") && summary.contains("interrupted"), "{summary}");
    let mut failed = only(&["ext4", "xfs"]);
    fail(&mut failed, "create-fsync", "xfs");
    assert!(crate::summary(&failed, PLAIN).contains("did-not-finish (create-fsync, xfs): "));
}

#[test]
fn many_contenders_fit_the_width_of_a_terminal() {
    let mut comparison = fixture();
    for (name, of) in [("nilfs2", "ext4"), ("f2fs", "xfs")] {
        let row = comparison.contenders.iter().find(|row| row.label.0 == of).expect("it is there").clone();
        comparison.contenders.push(ContenderRow { label: name.into(), ..row });
        let cells = comparison.cells.iter().filter(|cell| cell.contender.0 == of).cloned();
        let cells: Vec<Cell> = cells.map(|cell| Cell { contender: name.into(), ..cell }).collect();
        comparison.cells.extend(cells);
    }
    let summary = summary(&comparison, TerminalStyle { color: false, width: 100 });
    assert!(summary.lines().any(|line| line.starts_with("workload ") && line.contains("f2fs")), "{summary}");
    assert!(summary.lines().all(|line| line.chars().count() <= 100), "{summary}");
}

#[test]
fn contenders_under_several_kernels_are_not_of_one_kernel() {
    let mut comparison = fixture();
    let one = "Machine: one machine, one kernel, one version of each tool.";
    assert!(crate::rendered("text", &comparison).contains(one));
    comparison.contenders[0].kernel = Some("linux-image-6.12-amd64 6.12.1-1".to_owned());
    let text = crate::rendered("text", &comparison);
    assert!(text.contains("Machine: one machine, one version of each tool.") && !text.contains("one kernel"), "{text}");
    assert!(crate::rendered("html", &comparison).contains("linux-image-6.12-amd64 6.12.1-1"));
}

#[test]
fn a_single_contender_and_no_workload_are_no_reason_to_fail() {
    let mut comparison = only(&["ext4"]);
    assert!(text(&comparison, PLAIN).contains("create-fsync"));
    comparison.workloads.clear();
    comparison.contenders.clear();
    assert!(text(&comparison, PLAIN).starts_with("Run 12"));
}

#[test]
fn colour_says_nothing_that_the_words_do_not() {
    for comparison in [fixture(), interrupted(), with_tmpfs()] {
        let coloured = text(&comparison, TerminalStyle { color: true, width: 120 });
        let stripped = coloured.split('\x1b').map(|part| {
            part.split_once('m').map_or(part, |(code, rest)| if code.starts_with('[') { rest } else { part })
        });
        assert_eq!(stripped.collect::<String>(), text(&comparison, PLAIN));
    }
}

#[test]
fn columns_stand_straight_below_labels_of_any_script() {
    let mut comparison = only(&["ext4", "xfs"]);
    rename(&mut comparison, "ext4", "dir:/数据");
    let report = text(&comparison, PLAIN);
    let table = report.lines().skip_while(|line| !line.starts_with("workload "));
    insta::assert_snapshot!(table.take(9).collect::<Vec<_>>().join("\n"));
}

#[test]
fn contenders_of_another_durability_are_never_ranked() {
    let mut comparison = with_tmpfs();
    let mut refused = comparison.judged.verdicts[0].clone();
    (refused.b, refused.verdict) = ("tmpfs".into(), Verdict::Invalid);
    comparison.judged.verdicts.push(refused);
    assert!(!text(&comparison, PLAIN).contains("/ tmpfs"));
}
