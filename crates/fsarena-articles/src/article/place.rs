//! Positions on a chart's axis, with the figures and rankings that belong to them.

use super::{PublishedTest, Source, StatedOrder};

/// The place replaces this text in the names of a source's workload and steps.
const PLACE: &str = "{at}";
/// Separates the first and the last of several places.
const TO: &str = " to ";

/// ` at 4`, to follow what is there; nothing without a place.
pub(crate) fn at_place(place: Option<&String>) -> String {
    place.map(|place| format!(" at {place}")).unwrap_or_default()
}

impl Source {
    /// The source of a figure at that place.
    pub fn at(&self, place: Option<&str>) -> Self {
        let named = |name: &String| name.replace(PLACE, place.unwrap_or_default());
        Self { workload: named(&self.workload), steps: self.steps.iter().map(named).collect(), synced: self.synced }
    }
}

impl StatedOrder {
    /// The places of the test to which it refers, if it names the first and the last: `2 to 64`.
    pub fn range<'a>(&self, test: &'a PublishedTest) -> Option<&'a [String]> {
        let (first, last) = self.at.as_deref()?.split_once(TO)?;
        let position = |name: &str| test.places.iter().position(|place| place == name);
        test.places.get(position(first)?..=position(last)?)
    }

    /// Whether it refers to that place.
    pub fn is_at(&self, test: &PublishedTest, place: Option<&str>) -> bool {
        let is_within = |range: &[String]| range.iter().any(|own| Some(own.as_str()) == place);
        self.at.as_deref() == place || self.range(test).is_some_and(is_within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_source_at_a_place_names_its_workload_and_its_steps() {
        let source: Source =
            serde_json::from_value(json!({ "workload": "query-{at}", "steps": ["64/{at}/read"] })).expect("a source");
        let there = source.at(Some("32"));
        assert_eq!((there.workload.as_str(), there.steps), ("query-32", vec!["64/32/read".to_owned()]));
        let plain = Source { workload: "grid".to_owned(), steps: Vec::new(), synced: true };
        assert_eq!(plain.at(None), plain);
    }

    #[test]
    fn an_order_may_be_about_several_places() {
        let test: PublishedTest = serde_json::from_value(json!({
            "name": "a1", "title": "", "original": "", "shown": "bar-chart", "method": "", "metrics": [],
            "axis": "threads", "places": ["1", "2", "4", "32", "64"],
        }))
        .expect("a test");
        let ranking = |at: Option<&str>| StatedOrder {
            at: at.map(str::to_owned),
            order: Vec::new(),
            did_not_finish: Vec::new(),
            original: String::new(),
        };
        let several = ranking(Some("2 to 32"));
        let places = |own: &StatedOrder| test.places.iter().filter(|place| own.is_at(&test, Some(place))).count();
        assert_eq!((places(&several), several.range(&test).map(<[String]>::len)), (3, Some(3)));
        assert_eq!((places(&ranking(Some("1"))), places(&ranking(None))), (1, 0));
        for none in ["8 to 32", "32 to 2", "up to 4"] {
            assert_eq!(ranking(Some(none)).range(&test), None, "{none}");
        }
    }
}
