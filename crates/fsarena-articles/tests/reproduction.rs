//! Tests of a reproduction in every format: published and measured figures, parts of speed-ups, charts in the article's
//! colours.

use fsarena_articles::article::{Quantity, Shown};
use fsarena_articles::reproduction::ReproducedFigure;
use fsarena_articles::{Reproduction, additions, additions_of};
use fsarena_model::plan::{Extension, Harness, Opaque};
use fsarena_model::{Plan, RunRecord, Scale};

use crate::reproduced::reproduced;

/// The report on the fixture with this reproduction.
fn rendered(format: &str, reproduction: &Reproduction) -> String {
    crate::rendered(format, &reproduced().0, Some(reproduction))
}

/// The report on the fixture.
fn unchanged(format: &str) -> String {
    rendered(format, &reproduced().1)
}

#[test]
fn text_has_published_and_measured_figures_and_steps_outside_of_tests() {
    let text = unchanged("text");
    let start = text.find("Small files, reproduced").expect("it is there");
    let end = text[start..].find("\n\nVerdicts\n").expect("the usual tables follow");
    insta::assert_snapshot!(&text[start..start + end]);
}

#[test]
fn the_page_draws_the_articles_chart_beside_ours_in_its_colours() {
    let page = unchanged("html");
    let article = page.split("<h3>Delete files").nth(1).expect("it has charts");
    let article = article.split("</article>").next().expect("it ends");
    assert_eq!(article.matches("<svg").count(), 3, "published, as published, properly");
    assert!(article.contains("bar best ranked") && article.contains("bar worst ranked"), "only the order survives");
    assert!(article.contains(r#"class="bar best""#) && article.contains(r#"class="bar worst""#));
    assert!(page.contains("touch &lt;a&gt; &amp; b"), "what an article says is text");
}

#[test]
fn markdown_and_json_have_all_of_it() {
    let markdown = unchanged("markdown");
    assert!(markdown.contains("| Use Btrfs. |") || markdown.contains("Use Btrfs."), "{markdown}");
    let value: serde_json::Value = serde_json::from_str(&unchanged("json")).expect("JSON");
    assert_eq!(value["reproduction"]["figures"][0]["published"][1], "12.5ms");
}

#[test]
fn workloads_scaled_alike_are_listed_once() {
    let (_, mut reproduction) = reproduced();
    let scaled = [("query-1", "3 days"), ("load", "1 day"), ("query-2", "3 days")];
    let scaled = scaled.map(|(workload, how)| (workload.to_owned(), how.repeat(40))).to_vec();
    reproduction.scaled = scaled;
    let text = rendered("text", &reproduction);
    assert!(text.contains("query-1, query-2: 3 days") && text.contains("load: 1 day"), "{text}");
}

#[test]
fn differences_from_the_article_and_missing_contenders_are_printed() {
    let (_, mut reproduction) = reproduced();
    let article = &mut reproduction.article;
    article.contenders[1].differs = Some("It is another version.".to_owned());
    article.differences = vec!["MariaDB is in the place of MySQL.".to_owned()];
    let further = [("Space", "here", "the table of space."), ("Snapshots", "nothing", "No other has them.")];
    let further = further.map(|(what, key, text)| serde_json::json!({"what": what, key: text}));
    article.further = further.map(|one| serde_json::from_value(one).expect("a part of an article")).to_vec();
    reproduction.stand_ins[0].as_published = None;
    reproduction.stand_ins[0].properly = None;
    for format in ["text", "html", "markdown"] {
        let text = rendered(format, &reproduction).split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "Of the article's contenders ext4 takes no part in this run",
            "Not in the article: ext4.",
            "ext4 takes no part; ext4 among the contenders would represent it.",
            "Btrfs is btrfs here. It is another version.",
            "MariaDB is in the place of MySQL.",
            "Space: the table of space.",
            "Snapshots: nothing here. No other has them.",
        ] {
            let part = if format == "html" { part.replace('\'', "&#x27;") } else { part.to_owned() };
            assert!(text.contains(&part), "{format}: {part}: {text}");
        }
    }
}

#[test]
fn figures_along_an_axis_are_lines_if_the_articles_are() {
    let (_, mut reproduction) = reproduced();
    let test = &mut reproduction.article.tests[0];
    (test.shown, test.axis) = (Shown::LineChart, Some("record size, KiB".to_owned()));
    let own = reproduction.figures.iter().filter(|figure| figure.test == "create").cloned().collect::<Vec<_>>();
    reproduction.figures.retain(|figure| figure.test != "create");
    for place in ["4", "16", "64"] {
        let at = |figure: &ReproducedFigure| ReproducedFigure { at: Some(place.to_owned()), ..figure.clone() };
        reproduction.figures.extend(own.iter().map(at));
    }
    let charts = |reproduction: &Reproduction| {
        let page = rendered("html", reproduction);
        let article = page.split("<h3>Create files").nth(1).expect("it has charts");
        article.split("</article>").next().expect("it ends").to_owned()
    };
    let lines = charts(&reproduction);
    let points = |svg: &str| {
        let of = |line: &str| line.split("points=\"").nth(1)?.split('"').next().map(|all| all.split(' ').count());
        svg.split("<polyline").skip(1).filter_map(of).collect::<Vec<usize>>()
    };
    assert_eq!(points(&lines), [3; 6], "two contenders in three charts");
    assert!(lines.contains("record size, KiB"), "{lines}");
    reproduction.figures.last_mut().expect("there").unfinished.published = true;
    assert_eq!(points(&charts(&reproduction)), [3, 2, 3, 3, 3, 3], "without a point where it did not finish");
    reproduction.figures.iter_mut().for_each(|figure| figure.at = figure.at.take().map(|at| format!("{at} KiB")));
    assert_eq!(charts(&reproduction).matches("<polyline").count(), 0, "places that are no numbers are bars");
}

#[test]
fn columns_of_iostat_are_among_all_if_the_article_has_the_use_of_the_device() {
    let (comparison, mut reproduction) = reproduced();
    let has_iostat = |reproduction: &Reproduction| additions_of(&comparison, Some(reproduction)).has_iostat;
    assert!(!has_iostat(&reproduction), "its metrics are times");
    reproduction.article.tests[0].metrics[0].quantity = Some(Quantity::Utilisation);
    assert!(has_iostat(&reproduction));
}

#[test]
fn an_article_that_cannot_be_read_is_an_error_with_its_run() {
    let data = Opaque::new(&serde_json::json!({ "name": 7 })).expect("JSON");
    let extension = Extension { data, scale: Scale::Standard, harness: Harness::Both };
    let plan = Plan { extension: Some(Box::new(extension)), ..Plan::of(Vec::new()) };
    let error = additions(&RunRecord::new(3, plan, String::new()), &reproduced().0).expect_err("unreadable");
    assert!(error.to_string().starts_with("the article of run 3 cannot be read: "), "{error}");
}
