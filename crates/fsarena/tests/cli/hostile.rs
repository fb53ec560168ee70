//! Files, paths and arguments with control sequences for terminals, markup for pages or formulas for spreadsheets.

use std::fs;
use std::path::Path;

use crate::stage::{SMALL, Stage, err, out, run};

const ESCAPES: &str = "\\u001b[31mRED\\u001b]0;title\\u0007\\u009b2J \\u202Ertl \\nFORGED | *md* `c`";

/// [`SMALL`] with hostile texts.
fn workload(stage: &Stage) -> String {
    let text = SMALL
        .replace("\"A few files, each made durable.\"", &format!("\"=cmd() <script>alert(1)</script> {ESCAPES}\""))
        .replace("\"A test.\"", &format!("\"</pre></details><script>alert(2)</script>{ESCAPES}\""))
        .replace("\"files/s\"", &format!("\"-<b>{ESCAPES}\""))
        .replace("name = \"small\"", "name = \"evil\"");
    stage.file("evil.toml", &text)
}

fn is_ruling(c: char) -> bool {
    (c.is_control() && c != '\n') || ('\u{2028}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c)
}

/// Asserts that the text has no control characters, and that no line begins with the forged text, except by our own
/// line wrapping.
fn is_harmless(what: &str, text: &str) {
    let text = text.replace("/\nFORGED", "");
    let ruling: Vec<&str> =
        text.lines().filter(|line| line.contains(is_ruling) || line.starts_with("FORGED")).collect();
    assert_eq!(ruling, Vec::<&str>::new(), "{what}");
}

#[test]
fn no_text_of_a_run_rules_terminal_page_or_spreadsheet() {
    let stage = Stage::new();
    let folder = |name: &str| {
        fs::create_dir(stage.path(name)).expect("made");
        format!("dir:{}", stage.path(name).display())
    };
    let (a, b) = (folder("e\u{1b}[31mred\nFORGED"), folder("\u{202e}rtl"));
    let evil = workload(&stage);
    let arguments = ["compare", &a, &b, "--rounds", "1", "--baselines", "never", "--workload", &evil];
    let dry = run(stage.fsarena().args(arguments).arg("--dry-run"), 0);
    assert!(out(&dry).contains(r"\u{1b}[31mRED") && out(&dry).contains(r"\nFORGED"), "{}", out(&dry));
    let done = run(stage.fsarena().args(arguments).arg("-v"), 0);
    let runs = run(stage.fsarena().arg("runs"), 0);
    assert!(out(&runs).contains(r"\u{1b}[31mred\nFORGED"), "{}", out(&runs));
    for (what, output) in [("--dry-run", &dry), ("compare", &done), ("runs", &runs)] {
        is_harmless(what, &out(output));
        is_harmless(what, &err(output));
    }
    for format in ["text", "html", "json", "markdown", "csv"] {
        let report = out(&run(stage.fsarena().args(["report", "--format", format]), 0));
        is_harmless(format, &report);
        assert!(format != "html" || report.matches("<script").count() == 1, "{report}");
        assert!(format != "csv" || (report.contains(",\"'-<b>") || report.contains(",'-<b>")), "{report}");
    }
    let command = stage.json()["command"].as_array().expect("words").clone();
    for typed in [&a, &b, &evil] {
        assert!(command.iter().any(|word| word == typed), "the command has what was typed: {command:?}");
    }
}

#[test]
fn refusals_show_what_was_typed_and_do_not_obey_it() {
    let stage = Stage::new();
    let contender = stage.file("contender.toml", "kind = \"ext\\u001b[31m9\\nFORGED\"\n");
    let label = stage.file("label.toml", "kind = \"ext4\"\nlabel = \"a\\nFORGED \\u202e\"\n");
    let arguments = [
        vec!["compare", &contender, "ext4"],
        vec!["compare", &label, "ext4"],
        vec!["compare", "a\u{1b}]0;x\u{7}=ext4"],
        vec!["compare", "dir:/no/\u{1b}[31m\nFORGED"],
        vec!["compare", "ext4", "--workload", "\u{1b}[31m"],
        vec!["compare", "ext4", "--margin", "\u{1b}[31m\nFORGED"],
        vec!["report", "\u{9b}31m"],
        vec!["--\u{1b}[31m"],
    ];
    for words in arguments {
        let output = run(stage.fsarena().args(&words), 2);
        is_harmless(&format!("{words:?}"), &err(&output));
        assert!(err(&output).starts_with("error: "), "{}", err(&output));
    }
}

/// An output file is replaced atomically; a link there is replaced, not followed.
#[test]
fn reports_are_written_without_following_links() {
    let stage = Stage::new();
    let [a, b] = ["a", "b"].map(|name| {
        fs::create_dir(stage.path(name)).expect("made");
        format!("dir:{}", stage.path(name).display())
    });
    run(
        stage.fsarena().args([
            "compare",
            &a,
            &b,
            "--rounds",
            "1",
            "--baselines",
            "never",
            "--workload",
            &stage.small(),
        ]),
        0,
    );
    let (target, link) = (stage.path("precious"), stage.path("report.csv"));
    fs::write(&target, "precious").expect("written");
    std::os::unix::fs::symlink(&target, &link).expect("linked");
    let report = |output: &Path, code| {
        let mut command = stage.fsarena();
        run(command.args(["report", "--format", "csv", "-o"]).arg(output), code)
    };
    report(&link, 0);
    assert!(!link.is_symlink() && fs::read_to_string(&link).expect("there").starts_with("kind,"));
    assert_eq!(fs::read(&target).expect("there"), b"precious");
    assert!(out(&report(Path::new("/dev/stdout"), 0)).starts_with("kind,"));
    assert!(err(&report(Path::new("/dev/full"), 4)).contains("/dev/full"));
    assert!(Path::new("/dev/stdout").is_symlink() && !Path::new("/dev/full").is_file(), "they are as they were");
}
