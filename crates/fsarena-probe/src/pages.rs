//! What the page cache took in: direct I/O that dirties pages is not direct (proc_vmstat(5)).

use crate::{Counter, Probe, field};

/// The machine's page cache.
pub struct Pages;

const COUNTERS: &[Counter] =
    &[Counter { name: "pages.dirtied", unit: "pages" }, Counter { name: "pages.cached", unit: "pages" }];

impl Probe for Pages {
    fn counters(&self) -> &'static [Counter] {
        COUNTERS
    }

    fn read(&self, _device: Option<&str>) -> Vec<Option<f64>> {
        let text = std::fs::read_to_string("/proc/vmstat").unwrap_or_default();
        vec![field(&text, "nr_dirtied "), field(&text, "nr_file_pages ")]
    }
}
