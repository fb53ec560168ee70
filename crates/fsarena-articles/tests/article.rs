//! Tests of an article as text and as JSON.

use fsarena_articles::Article;
use fsarena_articles::{article_as_json, article_as_text, judge};
use fsarena_report::TerminalStyle;

const ARTICLE: &str = r#"{
    "name": "small", "title": "小文件", "english": "A small article", "language": "zh", "source": "a test",
    "machine": { "disk": "7200 rpm" },
    "limits": [{ "bound": "revolutions", "value": 120, "why": "it turns 120 times per second" }],
    "contenders": [
        { "name": "EXT3", "about": "the old one", "here": ["ext3"] },
        { "name": "ZFS", "about": "another", "here": [] }
    ],
    "tests": [{
        "name": "sqlite", "title": "Insertions", "original": "插入", "shown": "bar-chart", "method": "12500 INSERTs",
        "work": { "operations": 12500, "flushes": 1 },
        "as-published": [{ "workload": "sqlite-insert" }],
        "properly": [{ "workload": "sqlite", "steps": ["insert"], "synced": true }, { "workload": "sqlite-insert" }],
        "remark": "One run.",
        "metrics": [{
            "name": "time", "unit": "s", "better": "lower", "quantity": "seconds",
            "figures": [
                { "contender": "EXT3", "value": 20, "text": "20", "again": [{ "value": 34, "text": "34 s", "place": "summary" }] },
                { "contender": "ZFS", "value": 870, "text": "870 s", "precision": "about" }
            ],
            "rankings": [{ "at": "1 thread", "order": [["EXT3"], ["ZFS"]], "did-not-finish": ["XFS"], "original": "最快" }]
        }]
    }],
    "claims": [{
        "name": "winner", "kind": "conclusion", "text": "EXT3 wins.", "original": "最快", "outcome": "does-not-hold",
        "why": "It does not flush."
    }]
}"#;

fn article() -> Article {
    serde_json::from_str(ARTICLE).expect("well-formed")
}

#[test]
fn an_article_is_printed_with_all_that_is_kept() {
    let article = article();
    let text = article_as_text(&article, &judge(&article), TerminalStyle { color: false, width: 90 });
    insta::assert_snapshot!(text);
}

#[test]
fn colour_adds_no_word() {
    let article = article();
    let in_style = |color| article_as_text(&article, &judge(&article), TerminalStyle { color, width: 90 });
    let colored = in_style(true);
    let plain: String = colored
        .split('\x1b')
        .enumerate()
        .map(|(at, part)| if at == 0 { part } else { part.split_once('m').expect("an escape").1 })
        .collect();
    assert_eq!(plain, in_style(false));
}

#[test]
fn json_has_the_article_and_the_findings() {
    let article = article();
    let value: serde_json::Value = serde_json::from_str(&article_as_json(&article, &judge(&article))).expect("JSON");
    assert_eq!(serde_json::from_value::<Article>(value["article"].clone()).expect("an article"), article);
    assert_eq!(value["findings"][0]["rule"], "given-twice");
}
