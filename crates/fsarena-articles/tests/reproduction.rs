//! Tests of a reproduction in every format: published and measured figures, parts of speed-ups, charts in the article's
//! colours.

use crate::fixture::reproduced;
use crate::rendered;

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
