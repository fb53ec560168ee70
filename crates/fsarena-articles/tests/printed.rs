//! Tests that what articles add to reports is harmless and well-formed.

use crate::checks::{assert_harmless, assert_self_contained, evil, is_balanced};
use fsarena_testing::schema::mistakes;

use crate::grid_fixture::grids;
use crate::rendered;
use crate::reproduced::reproduced;

#[test]
fn no_text_rules_a_terminal_or_a_page() {
    let (comparison, reproduction) = reproduced();
    let (comparison, reproduction) = (evil(&comparison), evil(&reproduction));
    for format in ["text", "html", "markdown"] {
        assert_harmless(format, &rendered(format, &comparison, Some(&reproduction)));
    }
    // The names of steps are the points of the grid.
    let mut spoiled = evil(&grids());
    spoiled.cells.iter_mut().zip(grids().cells).for_each(|(cell, sound)| cell.steps = sound.steps);
    for format in ["text", "html", "markdown", "iozone"] {
        // IOzone itself prints a tab.
        assert_harmless(format, &rendered(format, &spoiled, None).replace('\t', " "));
    }
}

#[test]
fn every_page_is_well_formed_and_needs_nothing_but_itself() {
    let (comparison, reproduction) = reproduced();
    for page in [rendered("html", &grids(), None), rendered("html", &comparison, Some(&reproduction))] {
        is_balanced(&page).unwrap();
        assert_self_contained(&page);
    }
}

#[test]
fn json_is_as_the_schema_says() {
    let schema = serde_json::from_str(include_str!("../../../docs/report.schema.json")).unwrap();
    let (comparison, reproduction) = reproduced();
    for json in [rendered("json", &grids(), None), rendered("json", &comparison, Some(&reproduction))] {
        assert_eq!(mistakes(&schema, &serde_json::from_str(&json).unwrap()), Vec::<String>::new());
    }
}
