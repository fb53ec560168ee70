//! Published articles: listed, printed and judged.

use std::process::Command;

use crate::stage::{binary, err, out, run};

fn fsarena(arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.env("NO_COLOR", "1").args(arguments);
    command
}

#[test]
fn all_five_articles_are_listed() {
    let output = out(&run(&mut fsarena(&["list", "published"]), 0));
    for name in ["axvisor", "openeuler", "phoronix-2009", "trading", "vagrant"] {
        assert!(output.lines().any(|line| line.trim_start().starts_with(name)), "{output}");
    }
}

#[test]
fn an_article_is_printed_with_findings_and_claims() {
    let output = out(&run(&mut fsarena(&["reproduce", "openeuler", "--published-only"]), 0));
    let output = output.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["IOPS, ext4: 8,141 (summary)", "! bandwidth", "! given-twice", "contradicts itself", "5.10.0-60.139.0"]
    {
        assert!(output.contains(part), "no `{part}` in\n{output}");
    }
}

#[test]
fn an_article_can_be_had_as_json() {
    let output = out(&run(&mut fsarena(&["reproduce", "phoronix-2009", "--published-only", "--format", "json"]), 0));
    let value: serde_json::Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!(value["article"]["name"], "phoronix-2009");
    assert!(value["findings"].as_array().is_some_and(|all| all.iter().any(|one| one["rule"] == "revolutions")));
}

#[test]
fn an_unknown_article_is_refused_with_the_way_out() {
    let output = run(&mut fsarena(&["reproduce", "no-such", "--published-only"]), 2);
    assert!(err(&output).contains("fsarena list articles"), "{}", err(&output));
}
