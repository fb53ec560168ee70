//! What the devices below a file system moved (`disk_util`), which is of all jobs of a file together.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_model::joined;
use serde_json::Value;

use super::super::at_number;
use super::parts::JobPart;

/// Bytes of a sector in `disk_util` (HOWTO.rst).
const SECTOR: f64 = 512.0;
/// Bytes of the largest request that kernels make by default (`max_sectors_kb`).
const LARGEST: f64 = 1280.0 * 1024.0;
/// Milliseconds below which a run is too short for the counters.
const SHORT_MS: f64 = 1000.0;
/// The share of the jobs' requests from which on the device's are taken for all of them.
const ALL: f64 = 0.9;
/// The share of the bytes below which the device cannot have moved them, even if it gets them compressed.
pub const FEW: f64 = 0.1;
/// What words of labels begin with that name a layer below the file system, which is then a part of the contender.
const LAYERS: [&str; 11] = ["luks", "crypt", "lvm", "raid", "dm", "md", "integrity", "verity", "thin", "vdo", "bcache"];

/// Bytes that all jobs moved in a direction, and that the devices moved meanwhile.
#[derive(Clone, Copy)]
pub struct MovedBytes {
    pub jobs: f64,
    pub devices: f64,
}

impl MovedBytes {
    /// `None` if it is not counted, or may not be, since fio reads the counters four times a second and not at the end.
    pub fn of(value: &Value, parts: &[JobPart<'_>], direction: &str) -> Option<Self> {
        let all = |figure| parts.iter().map(|part| part.sum(direction, figure)).sum::<f64>();
        let times: Vec<f64> = parts.iter().filter_map(|part| part.time(direction)).collect();
        if !times.is_empty() && times.iter().sum::<f64>() < SHORT_MS {
            return None;
        }
        let jobs = Some(all("io_bytes")).filter(|bytes| *bytes > 0.0)?;
        // Versions before 3.36 count requests only.
        let of_requests = || {
            let count = counted(value, &format!("{direction}_ios"))?;
            let is_all = count > 0.0 && count >= ALL * all("total_ios");
            if is_all { Some(jobs) } else { Some(LARGEST * count).filter(|most| *most < FEW * jobs) }
        };
        let sectors = counted(value, &format!("{direction}_sectors")).map(|count| SECTOR * count);
        Some(Self { jobs, devices: sectors.or_else(of_requests)? })
    }
}

/// The disks that it used, by name, and the layers on them, where they are known. Layers that the label names are a
/// part of the contender.
pub fn conditions(value: &Value, label: &str) -> BTreeMap<String, String> {
    let disks = value["disk_util"].as_array().into_iter().flatten();
    let (layers, disks): (Vec<&Value>, Vec<&Value>) = disks.partition(|disk| is_stacked(disk));
    let names =
        |disks: &[&'_ Value]| disks.iter().filter_map(|disk| disk["name"].as_str()).map(str::to_owned).collect();
    let (layers, disks): (BTreeSet<String>, BTreeSet<String>) = (names(&layers), names(&disks));
    let kinds: BTreeSet<String> =
        layers.iter().map(|name| at_number(name).0.trim_end_matches('-').to_owned()).collect();
    let lower = label.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric());
    let is_named = words.any(|word| LAYERS.iter().any(|layer| word.starts_with(layer)));
    let kinds = if kinds.is_empty() { "none".to_owned() } else { joined(kinds, " and ") };
    let layers = (!is_named && !value["disk_util"][0].is_null()).then_some(("layers on the disk", kinds));
    let disks = (!disks.is_empty()).then(|| ("disk", joined(disks, " and ")));
    disks.into_iter().chain(layers).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Whether a device stands on others (LUKS, LVM, RAID): fio lists these too, and gives the upper ones their sums.
fn is_stacked(disk: &Value) -> bool {
    let is_named = |name: &str| name.starts_with("dm-") || name.starts_with("md");
    let is_sum = || disk.as_object().is_some_and(|fields| fields.iter().any(|(name, _)| name.starts_with("aggr_")));
    disk["name"].as_str().is_some_and(is_named) || is_sum()
}

/// A count over the devices, each once.
fn counted(value: &Value, name: &str) -> Option<f64> {
    let disks = value["disk_util"].as_array().filter(|disks| !disks.is_empty())?;
    let count = |disk: &Value| disk[name].as_f64();
    match disks.iter().all(is_stacked) {
        // What is below them is not known: each may carry the same bytes.
        true => disks.iter().map(count).try_fold(0.0, |most: f64, own| Some(most.max(own?))),
        false => disks.iter().filter(|disk| !is_stacked(disk)).map(count).sum(),
    }
}
