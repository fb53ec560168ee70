//! Tests that what articles add to reports is harmless and well-formed.

use crate::checks::{assert_harmless, assert_self_contained, evil, is_balanced};
use crate::fixture::{grids, reproduced};
use crate::rendered;

#[test]
fn no_text_rules_a_terminal_or_a_page() {
    for format in ["text", "html", "markdown"] {
        assert_harmless(format, &rendered(format, &evil(&reproduced())));
    }
    // The names of steps are the points of the grid.
    let mut spoiled = evil(&grids());
    spoiled.cells.iter_mut().zip(grids().cells).for_each(|(cell, sound)| cell.steps = sound.steps);
    for format in ["html", "iozone"] {
        // IOzone itself prints a tab.
        assert_harmless(format, &rendered(format, &spoiled).replace('\t', " "));
    }
}

#[test]
fn every_page_is_well_formed_and_needs_nothing_but_itself() {
    for comparison in [grids(), reproduced()] {
        let page = rendered("html", &comparison);
        is_balanced(&page).unwrap();
        assert_self_contained(&page);
    }
}
