//! Tests of the page: it is well-formed and self-contained, and nothing that a user typed becomes markup.

use std::collections::BTreeSet;

use fsarena_model::comparison::Reason;
use fsarena_model::{Bytes, Comparison, Verdict};

use crate::checks::{assert_self_contained, content, is_balanced};
use crate::fixture::{crowded, fixture, interrupted, only, open_loops, rename, with_tmpfs};

fn render(comparison: &Comparison) -> String {
    crate::rendered("html", comparison)
}

fn variations() -> Vec<Comparison> {
    let mut odd = fixture();
    rename(&mut odd, "xfs", "</title><script>alert('x')</script>");
    odd.workloads[0].why = "\"><img src=x onerror=alert(1)>".to_owned();
    odd.notes[0].text = "{{ 7 * 7 }} & <b>".to_owned();
    let mut empty = only(&["ext4"]);
    empty.workloads.clear();
    vec![fixture(), open_loops(), only(&["ext4", "xfs"]), only(&["ext4"]), with_tmpfs(), interrupted(), odd, empty]
}

#[test]
fn the_check_of_balance_can_fail() {
    assert!(is_balanced("<p><b>x</p></b>").is_err());
    assert!(is_balanced("<p>").is_err());
    assert!(is_balanced("<p><meta a=\"b\"><rect x=\"1\"/></p>").is_ok());
}

#[test]
fn a_round_that_was_set_aside_is_a_ring() {
    let mut comparison = fixture();
    assert!(!render(&comparison).contains("class=\"excluded\""));
    comparison.cells[0].stability.excluded = vec![2, 3];
    (comparison.cells[0].rounds, comparison.cells[0].samples) = (4, 16);
    let page = render(&comparison);
    assert_eq!(page.matches("class=\"excluded\"").count(), 2);
    assert!(page.contains("4 (2 excluded)"));
}

#[test]
fn a_memory_limit_stands_beside_the_state_of_the_cache() {
    let mut comparison = variations().remove(0);
    assert!(!render(&comparison).contains("within 96.0 MiB of memory"));
    comparison.workloads[0].memory_limit = Some(Bytes::mib(96));
    assert!(render(&comparison).contains("within 96.0 MiB of memory, page cache included"));
}

#[test]
fn every_page_is_well_formed() {
    for comparison in variations() {
        is_balanced(&render(&comparison)).unwrap();
    }
}

#[test]
fn every_page_needs_nothing_but_itself() {
    for comparison in variations() {
        assert_self_contained(&render(&comparison));
    }
}

#[test]
fn text_that_a_user_typed_is_shown_and_not_obeyed() {
    let mut comparison = fixture();
    rename(&mut comparison, "xfs", "<script>alert(1)</script>");
    comparison.notes[0].text = "{{ 7 * 7 }} <b>".to_owned();
    let page = render(&comparison);
    assert!(page.matches("<script").count() == 1 && page.contains("&lt;script&gt;"));
    assert!(page.contains("{{ 7 * 7 }} &lt;b&gt;"));
}

#[test]
fn every_reference_within_the_page_has_its_target() {
    let comparison = fixture();
    let page = content(&render(&comparison));
    let ids: Vec<_> = page.split(" id=\"").skip(1).map(|part| part.split('"').next().unwrap()).collect();
    for target in page.split("href=\"#").skip(1).map(|part| part.split('"').next().unwrap()) {
        assert!(ids.contains(&target), "{target}");
    }
    let (cells, pairs) = (comparison.cells.len(), comparison.judged.verdicts.len());
    assert_eq!(ids.len(), comparison.workloads.len() + cells + pairs, "each row of a contender or pair has one");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "all are different");
}

#[test]
fn an_implausible_figure_is_never_printed_as_a_result() {
    let page = render(&fixture());
    let section = page.split("<h3>seqread-cold").nth(1).unwrap().split("</article>").next().unwrap();
    assert!(section.contains("impossible") && section.contains("no figure"));
    let median = fixture().cells.iter().find(|cell| cell.workload == "seqread-cold").unwrap().figure.median.unwrap();
    assert!(!section.contains(&format!(">{median:.0}")) && !matrix(&page).contains(&format!(">{median:.0}")));
}

#[test]
fn the_page_as_a_whole() {
    insta::assert_snapshot!(content(&render(&only(&["ext4", "xfs"]))));
}

/// The table of contenders and workloads.
fn matrix(page: &str) -> &str {
    page.split("<table class=\"standings\">").nth(1).unwrap().split("</table>").next().unwrap()
}

/// A row of that table, with tags replaced by spaces.
fn row(page: &str, workload: &str) -> String {
    let row = matrix(page).split("<tr").find(|row| row.contains(&format!(">{workload}</a></th>"))).unwrap();
    let (row, _) = row.split_once("</tr>").unwrap();
    let texts: Vec<&str> = row.split(['<', '>']).skip(1).step_by(2).map(str::trim).collect();
    texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_figure_of_the_matrix_has_a_word_and_a_colour() {
    let page = render(&fixture());
    assert_eq!(
        row(&page, "create-fsync"),
        "create-fsync files&#x2f;s 2.82k between 1.19× behind xfs 3.35k best 1.12k worst \
        3.00× behind xfs xfs &gt; ext4 &gt; btrfs"
    );
    assert_eq!(
        row(&page, "randwrite-4k"),
        "randwrite-4k ops&#x2f;s 12.4k best group 12.4k best group 4.00k worst 3.09× \
        behind ext4 not-direct xfs ≈ ext4 &gt; btrfs"
    );
    let mut little = fixture();
    little.judged.verdicts.iter_mut().filter(|pair| pair.workload == "seqwrite-fsync").for_each(|pair| {
        (pair.verdict, pair.reasons) = (Verdict::Undecided, vec![Reason::Programs]);
    });
    assert_eq!(row(&render(&little), "seqwrite-fsync").matches(" little at stake ").count(), 3);
    assert!(row(&page, "stat-tree").contains("412k equivalent 409k equivalent 397k equivalent"));
    assert!(row(&page, "seqread-cold").contains("impossible invalid impossible 1940 best 1660 worst"));
    for class in ["best", "between", "worst", "equivalent", "invalid"] {
        assert!(matrix(&page).contains(&format!("class=\"{class}\"><a href=\"#workload-")), "{class}");
    }
    let page = render(&interrupted());
    assert!(row(&page, "create-fsync").contains("2.82k undecided"), "nothing is decided, so nothing is green or red");
    assert!(row(&page, "seqwrite-fsync").contains("did not finish invalid"));
    assert!(!matrix(&page).contains("class=\"best\"") && !matrix(&page).contains("class=\"worst\""));
}

#[test]
fn each_group_of_workloads_has_a_sentence_and_a_heading() {
    let mut comparison = fixture();
    for workload in &mut comparison.workloads {
        workload.group = workload.name.contains("fsync").then(|| "commits".to_owned());
    }
    let page = render(&comparison);
    assert!(page.contains(
        "<b>commits (3 workloads):</b> xfs is the fastest in create-fsync and append-fsync (1.14× to \
        1.19× ahead); undecided between ext4 and xfs in seqwrite-fsync.</p>"
    ));
    assert!(
        page.contains("<b>With a cold cache (seqread-cold):</b> xfs is the fastest (1.17× ahead); not ranked: ext4.")
    );
    assert!(page.contains("<b>In the page cache (stat-tree):</b> ext4, xfs and btrfs are equally fast."));
    let headings = matrix(&page).matches("<tr class=\"heading\"><th scope=\"rowgroup\" colspan=\"6\">").count();
    assert_eq!(
        (headings, page.matches("<p class=\"answer\">").count()),
        (4, 6),
        "and one that decides, and one about all pairs"
    );
}

#[test]
fn a_page_of_forty_workloads_is_small() {
    let comparison = crowded();
    assert_eq!((comparison.workloads.len(), comparison.contenders.len()), (40, 3));
    let page = render(&comparison);
    assert!(page.matches("<polyline").count() > 400, "or it has less to show than a real one");
    assert!(page.len() < 1_550_000, "{}", page.len());
}
