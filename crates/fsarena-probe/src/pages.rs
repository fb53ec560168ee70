//! Pages that the page cache took in: direct I/O that dirties pages is not direct.
//!
//! The kernel counts dirtied pages of each file system's backing device (debugfs, `mm/backing-dev.c`) and of the whole
//! machine (proc_vmstat(5)); only the second includes writes of other programs.

use fsarena_model::{Probe, probe};

use crate::{Source, Target, field};

/// The page cache, of the lane's file system and of the machine.
pub struct Pages;

const COUNTERS: &[Probe] = &[probe::PAGES_DIRTIED, probe::MACHINE_DIRTIED, probe::PAGES_CACHED];

/// The kernel reports KiB; a page has 4 KiB.
const KIB_PER_PAGE: f64 = 4.0;

impl Source for Pages {
    fn counters(&self) -> &'static [Probe] {
        COUNTERS
    }

    fn read(&self, target: &Target) -> Vec<Option<f64>> {
        let info = target.backing.as_ref().map(|name| format!("/sys/kernel/debug/bdi/{name}/stats"));
        let info = info.and_then(|path| std::fs::read_to_string(path).ok());
        let machine = std::fs::read_to_string("/proc/vmstat").unwrap_or_default();
        vec![
            info.and_then(|text| dirtied(&text)).map(|kib| kib / KIB_PER_PAGE),
            field(&machine, "nr_dirtied "),
            field(&machine, "nr_file_pages "),
        ]
    }
}

/// `BdiDirtied:  10950148 kB` has a unit after the number.
fn dirtied(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("BdiDirtied:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dirtied_pages_are_read_in_kib() {
        assert_eq!(dirtied("BdiWriteback: 0 kB\nBdiDirtied:       10950148 kB\n"), Some(10_950_148.0));
        assert_eq!(dirtied(""), None);
    }
}
