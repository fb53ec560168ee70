//! Tests of the page: it is well-formed and self-contained, and nothing that a user typed becomes markup.

use fsarena_model::{Bytes, Comparison};

use crate::checks::{assert_self_contained, is_balanced};
use crate::fixture::{fixture, grids, interrupted, only, open_loops, rename, with_tmpfs};

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
    vec![
        fixture(),
        grids(),
        open_loops(),
        only(&["ext4", "xfs"]),
        only(&["ext4"]),
        with_tmpfs(),
        interrupted(),
        odd,
        empty,
    ]
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
fn what_a_user_typed_is_shown_and_not_obeyed() {
    let mut comparison = fixture();
    rename(&mut comparison, "xfs", "<script>alert(1)</script>");
    comparison.notes[0].text = "{{ 7 * 7 }} <b>".to_owned();
    let page = render(&comparison);
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;"));
    assert!(page.contains("{{ 7 * 7 }} &lt;b&gt;"));
}

#[test]
fn every_reference_within_the_page_has_its_target() {
    let page = render(&fixture());
    let ids: Vec<_> = page.split(" id=\"").skip(1).map(|part| part.split('"').next().unwrap()).collect();
    for target in page.split("href=\"#").skip(1).map(|part| part.split('"').next().unwrap()) {
        assert!(ids.contains(&target), "{target}");
    }
    assert_eq!(ids.len(), fixture().workloads.len());
}

#[test]
fn an_implausible_figure_is_never_printed_as_a_result() {
    let page = render(&fixture());
    let section = page.split("<h3>seqread-cold").nth(1).unwrap().split("</article>").next().unwrap();
    assert!(section.contains("impossible") && section.contains("no figure"));
    let median = fixture().cells.iter().find(|cell| cell.workload == "seqread-cold").unwrap().median.unwrap();
    assert!(!section.contains(&format!("<td class=\"number\">{:.0}", median)));
}

#[test]
fn the_page_as_a_whole() {
    insta::assert_snapshot!(render(&only(&["ext4", "xfs"])));
}
