//! Tests of a reproduction in every format: published and measured figures, parts of speed-ups, charts in the article's
//! colours.

use fsarena_model::reproduction::Measured;
use fsarena_model::{Comparison, Reproduction, StepRow};
use serde_json::json;

use crate::fixture::bare;
use crate::rendered;

fn measured(median: f64) -> serde_json::Value {
    serde_json::to_value(Measured { median, low: None, high: None, rounds: 1, is_valid: true }).expect("numbers")
}

/// Two tests: a table with figures, and a chart of which only the order is known.
pub fn reproduced() -> Comparison {
    let figure = |test: &str, name: &str, label: &str, published: serde_json::Value, value: f64, valid: bool| {
        let mut properly = measured(value / 10.0);
        properly["is_valid"] = json!(valid);
        json!({"test": test, "metric": "time", "unit": "ms", "better": "lower", "at": null, "name": name,
               "contender": label, "published": published, "as_published": measured(value), "plainly": null,
               "properly": properly, "properly_for_it": properly})
    };
    let metric = |rankings: serde_json::Value| json!([{"name": "time", "unit": "ms", "better": "lower", "quantity": "milliseconds", "rankings": rankings}]);
    let article = json!({
        "name": "small", "title": "小", "english": "Small files", "language": "zh", "source": "a blog, 2026", "machine": {},
        "contenders": [{"name": "ext4", "about": "", "here": ["ext4"]}, {"name": "Btrfs", "about": "", "here": ["btrfs"]}],
        "tests": [
            {"name": "create", "title": "Create files", "original": "创建", "shown": "table", "method": "touch <a> & b",
             "as-published": [{"workload": "create-fsync", "steps": ["create"]}], "metrics": metric(json!([]))},
            {"name": "delete", "title": "Delete files", "original": "删除", "shown": "bar-chart", "method": "rm",
             "metrics": metric(json!([{"order": [["Btrfs"], ["ext4"]], "original": "Btrfs > ext4"}]))}],
        "claims": [{"name": "fast", "kind": "advice", "text": "Use Btrfs.", "original": "用", "outcome": "unsupported", "why": "no data"}]
    });
    let reproduction: Reproduction = serde_json::from_value(json!({
        "article": article, "scale": "lane", "scaled": [["create-fsync", "100 files instead of 10,000"]],
        "stand_ins": [{"name": "ext4", "as_published": "ext4", "properly": "ext4"},
                      {"name": "Btrfs", "as_published": "btrfs", "properly": "xfs"}],
        "figures": [figure("create", "ext4", "ext4", json!([12.5, "12.5ms"]), 400.0, true),
                    figure("create", "Btrfs", "btrfs", json!([25.0, "25ms"]), 800.0, false),
                    figure("delete", "ext4", "ext4", json!(null), 30.0, true),
                    figure("delete", "Btrfs", "btrfs", json!(null), 20.0, true)],
        "winners": [{"test": "create", "at": null, "published": ["ext4"], "as_published": "yes", "properly": "not-told-apart",
                     "tau": {"tau": -0.5, "low": -1.0, "high": 0.25, "pairs": 2}}],
        "as_published": {"tau": 1.0, "low": null, "high": null, "pairs": 1}, "properly": null,
        "factors": [], "summaries": [],
        "claims": [{"claim": "fast", "outcome": "unsupported", "why": "no data", "checked": false}]
    }))
    .expect("a reproduction");
    let mut comparison = Comparison { reproduction: Some(Box::new(reproduction)), ..bare() };
    let step = |name: &str, written| StepRow {
        name: name.to_owned(),
        operations: 1,
        bytes: 0,
        seconds: 1.5,
        low: None,
        high: None,
        synced: None,
        written,
        rounds: 1,
    };
    let cell = comparison.cells.iter_mut().find(|cell| cell.workload == "create-fsync").expect("in the fixture");
    cell.steps = vec![step("create", None), step("unmount", Some(313 << 20))];
    comparison
}

#[test]
fn text_has_published_beside_measured_and_what_was_left_owing() {
    let text = rendered("text", &reproduced());
    let start = text.find("Small files, reproduced").expect("it is there");
    let end = text[start..].find("\n\nVerdicts\n").expect("the usual tables follow");
    insta::assert_snapshot!(&text[start..start + end]);
}

#[test]
fn the_page_draws_the_articles_chart_beside_ours_in_its_colours() {
    let page = rendered("html", &reproduced());
    let article = page.split("<h3>Delete files").nth(1).expect("it has charts");
    let article = article.split("</article>").next().expect("it ends");
    assert_eq!(article.matches("<svg").count(), 3, "published, as published, properly");
    assert!(article.contains("bar best ranked") && article.contains("bar worst ranked"), "only the order survives");
    assert!(article.contains(r#"class="bar best""#) && article.contains(r#"class="bar worst""#));
    assert!(page.contains("touch &lt;a&gt; &amp; b"), "what an article says is text");
}

#[test]
fn markdown_and_json_have_all_of_it() {
    let markdown = rendered("markdown", &reproduced());
    assert!(markdown.contains("| Use Btrfs. |") || markdown.contains("Use Btrfs."), "{markdown}");
    let value: serde_json::Value = serde_json::from_str(&rendered("json", &reproduced())).expect("JSON");
    assert_eq!(value["reproduction"]["figures"][0]["published"][1], "12.5ms");
}

#[test]
fn what_is_scaled_alike_is_said_once() {
    let mut comparison = reproduced();
    let scaled = [("query-1", "3 days"), ("load", "1 day"), ("query-2", "3 days")];
    let scaled = scaled.map(|(workload, how)| (workload.to_owned(), how.repeat(40))).to_vec();
    comparison.reproduction.as_mut().expect("there").scaled = scaled;
    let text = rendered("text", &comparison);
    assert!(text.contains("query-1, query-2: 3 days") && text.contains("load: 1 day"), "{text}");
}
