//! Bytes that other programs read from the storage below the lanes, or wrote to it: the traffic of its device
//! (Documentation/block/stat.rst) minus that of the lanes.

use std::path::{Path, PathBuf};

use fsarena_model::probe;

use crate::{Counters, Target, device};

/// The device below the lanes, and those of all lanes, whose traffic reaches it unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beneath {
    /// Path of the `stat` file of the device below the lanes.
    pub device: PathBuf,
    /// Paths of the `stat` files of the lanes.
    pub lanes: Vec<PathBuf>,
}

/// The traffic of other programs on the storage below all lanes.
pub fn read(target: &Target) -> Counters {
    vec![(probe::DISK_OTHERS, target.beneath.as_deref().and_then(others))]
}

/// The device is read last: I/O between the two readings counts as that of other programs, and is never negative for
/// long.
fn others(beneath: &Beneath) -> Option<f64> {
    let own: Option<f64> = beneath.lanes.iter().map(|lane| moved(lane)).sum();
    Some(moved(&beneath.device)? - own?)
}

/// Bytes read and written, according to a `stat` file.
fn moved(stat: &Path) -> Option<f64> {
    let counters = device::counters(&std::fs::read_to_string(stat).ok()?);
    let moved = counters.iter().filter(|(probe, _)| [probe::DEVICE_READ, probe::DEVICE_WRITTEN].contains(probe));
    moved.map(|(_, bytes)| *bytes).sum()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn traffic_of_lanes_is_not_counted_as_others() {
        let place = tempfile::tempdir().expect("temporary folder");
        let stat = |name: &str, read: u32, written: u32| {
            let path = place.path().join(name);
            fs::write(&path, format!("  9 0 {read} 1 9 0 {written} 1 0 5 5\n")).expect("written");
            path
        };
        let lanes = vec![stat("one", 10, 1), stat("two", 0, 9)];
        let beneath = Beneath { device: stat("all", 10, 14), lanes };
        assert_eq!(others(&beneath), Some(4.0 * 512.0));
        assert_eq!(others(&Beneath { device: place.path().join("none"), ..beneath }), None);
    }
}
