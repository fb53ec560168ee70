//! Pages that the page cache took in: direct I/O that dirties pages is not direct.
//!
//! The kernel counts dirtied pages of each file system's backing device (debugfs, `mm/backing-dev.c`) and of the whole
//! machine (proc_vmstat(5)); only the second includes writes of other programs.

use fsarena_model::probe;

use crate::{Counters, Target, field};

/// The kernel reports KiB; a page has 4 KiB.
const KIB_PER_PAGE: f64 = 4.0;

/// The counters of the page cache, of the lane's file system and of the machine.
pub fn read(target: &Target) -> Counters {
    let info = target.backing.as_ref().map(|name| format!("/sys/kernel/debug/bdi/{name}/stats"));
    let info = info.and_then(|path| std::fs::read_to_string(path).ok());
    let machine = std::fs::read_to_string("/proc/vmstat").unwrap_or_default();
    vec![
        (probe::PAGES_DIRTIED, info.and_then(|text| field(&text, "BdiDirtied")).map(|kib| kib / KIB_PER_PAGE)),
        (probe::MACHINE_DIRTIED, field(&machine, "nr_dirtied ")),
        (probe::PAGES_CACHED, field(&machine, "nr_file_pages ")),
    ]
}
