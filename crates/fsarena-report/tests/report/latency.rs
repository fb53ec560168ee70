//! Tests of latencies: tables, the course over time, and the curve of open loops.

use fsarena_model::probe::LatencyFigure;
use fsarena_model::{Comparison, ProbeId, probe};

use crate::fixture::{BASE, fixture, only, open_loops};

fn html(comparison: &Comparison) -> String {
    crate::rendered("html", comparison)
}

/// The section of a workload.
fn section<'a>(page: &'a str, workload: &str) -> &'a str {
    let begin = format!("<h3>{workload} <small>");
    page.split(&begin).nth(1).unwrap().split("</article>").next().unwrap()
}

/// The text from the first `begin` to the next `end`, both included.
fn part<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let from = text.find(begin).unwrap_or_else(|| panic!("no {begin}"));
    let to = from + text[from..].find(end).unwrap_or_else(|| panic!("no {end}")) + end.len();
    &text[from..to]
}

#[test]
fn the_table_of_a_workload() {
    let page = html(&open_loops());
    let section = section(&page, &format!("{BASE}@110%"));
    insta::assert_snapshot!(part(section, "<thead><tr><th scope=\"col\">latency of write", "</tbody>"));
}

#[test]
fn latencies_stand_in_their_own_table_only() {
    let page = html(&open_loops());
    for workload in [BASE, "randwrite-4k@50%"] {
        let probes = part(section(&page, workload), "<table class=\"probes\">", "</table>");
        assert!(!probes.contains("latency."), "{probes}");
    }
    assert!(section(&page, BASE).contains("latency of write"));
}

#[test]
fn quantiles_of_a_few_operations_are_marked() {
    let mut comparison = open_loops();
    let marked = |comparison: &Comparison| {
        let page = html(comparison);
        part(section(&page, "randwrite-4k@50%"), "latency of write", "</tbody>").matches('†').count()
    };
    assert_eq!(marked(&comparison), 2, "10,000 operations leave one above p99.99, and ten above p99.9");
    let cell = comparison.cells.iter_mut().find(|cell| cell.workload == "randwrite-4k@50%").unwrap();
    cell.probes.get_mut(&ProbeId::latency("write", LatencyFigure::Count)).unwrap().value = Some(900.0);
    assert_eq!(marked(&comparison), 4, "of 900, nine are above p99");
    for cell in &mut comparison.cells {
        cell.probes.remove(&ProbeId::latency("write", LatencyFigure::Count));
    }
    assert_eq!(marked(&comparison), 0, "not known, not marked");
}

#[test]
fn the_curve_of_open_loops() {
    let page = html(&open_loops());
    let figure =
        part(section(&page, BASE), "<figure class=\"broad\"><figcaption>Latency of write against", "</figure>");
    insta::assert_snapshot!(figure.replace("/>", "/>\n"));
    assert_eq!(figure.matches("class=\"cross\"").count(), 6, "ext4's p50 and p99 at 110 %, and the legend");
    assert_eq!(figure.matches("class=\"ring\"").count(), 3, "one closed loop each, and the legend");
}

#[test]
fn the_course_over_time() {
    let page = html(&open_loops());
    let details = part(section(&page, "randwrite-4k@110%"), "<summary>Latency over time", "</details>");
    insta::assert_snapshot!(details.replace("/>", "/>\n"));
    assert_eq!(details.matches("<polyline").count(), 4, "two contenders, two lines");
}

#[test]
fn a_single_point_is_no_course_and_a_single_loop_no_curve() {
    let mut comparison = open_loops();
    comparison
        .cells
        .iter_mut()
        .flat_map(|cell| &mut cell.latencies.over_time)
        .for_each(|course| course.points.truncate(1));
    assert!(!html(&comparison).contains("Latency over time"));
    assert!(!html(&fixture()).contains("against load"));
}

#[test]
fn an_impossible_figure_is_in_no_drawing() {
    let mut comparison = open_loops();
    for cell in comparison.cells.iter_mut().filter(|cell| cell.contender.0 == "ext4") {
        cell.validity = vec![fsarena_model::Finding::FasterThanDevice { times: 3.1 }.into()];
    }
    let page = html(&comparison);
    assert_eq!(part(section(&page, BASE), "against load", "</figure>").matches("class=\"ring\"").count(), 2);
}

#[test]
fn markdown_has_one_table_of_all() {
    let text = crate::rendered("markdown", &open_loops());
    insta::assert_snapshot!(part(&text, "## Latencies", "over rounds."));
    let none = {
        let mut comparison = only(&["ext4"]);
        comparison.cells.iter_mut().for_each(|cell| cell.probes.clear());
        comparison
    };
    assert!(!crate::rendered("markdown", &none).contains("## Latencies"));
}

#[test]
fn json_and_csv_have_what_the_drawings_are_made_of() {
    let json = crate::rendered("json", &open_loops());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["workloads"][1]["variant_of"], &json["workloads"][1]["rate"]), (&BASE.into(), &"50%".into()));
    let point = &json["cells"][0]["over_time"][0]["points"][0];
    assert_eq!((&point["round"], &point["slice"], &point["seconds"]), (&1.into(), &1.into(), &1.0.into()));
    let csv = crate::rendered("csv", &open_loops());
    for probe in ["latency.write.p9999", "latency.write.count", probe::RATE_OFFERED.id, probe::RATE_DONE.id] {
        assert!(csv.contains(&format!(",{probe},")), "{probe}");
    }
}
