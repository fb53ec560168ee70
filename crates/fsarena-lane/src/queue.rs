//! A lane's queue settings: equal for all lanes, and as the given medium would have them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use fsarena_model::{Medium, Plan};

use crate::LaneError;

/// Settings that are written; the other settings are only read back.
fn wanted(plan: &Plan) -> [(&'static str, &'static str); 4] {
    let (rotational, throttling) = match plan.lanes.medium {
        // The kernel's own defaults: 2 ms for devices that do not rotate, 75 ms for those that do.
        Medium::Nvme | Medium::Ssd => ("0", "2000"),
        Medium::Hdd => ("1", "75000"),
    };
    // A lane of a guest has a virtual disk beneath it, whose latency is no reason to throttle writeback. In a guest
    // with Linux 6.1, writers waited for ever in `wbt_wait`, with no request in flight (docs/decisions/0026).
    let throttling = if plan.guest.is_some() { "0" } else { throttling };
    [("rotational", rotational), ("scheduler", "none"), ("wbt_lat_usec", throttling), ("discard_max_bytes", "0")]
}

const READ_BACK: [&str; 9] = [
    "rotational", "scheduler", "wbt_lat_usec", "discard_max_bytes", "logical_block_size", "physical_block_size",
    "read_ahead_kb", "write_cache", "fua",
];

fn setting(device: u32, name: &str) -> PathBuf {
    PathBuf::from(format!("/sys/block/loop{device}/queue/{name}"))
}

/// Sets a loop device's queue as `plan` has it, and verifies each setting. Settings that this kernel lacks are skipped.
pub fn imitate(device: u32, plan: &Plan) -> Result<(), LaneError> {
    for (name, value) in wanted(plan) {
        let path = setting(device, name);
        if !path.exists() {
            continue;
        }
        fs::write(&path, value).map_err(LaneError::io("set", &path))?;
        let found = read(device, name).unwrap_or_default();
        if found != value {
            return Err(LaneError::Queue { path, wanted: value.to_owned(), found });
        }
    }
    Ok(())
}

/// Current queue settings of a loop device, by name.
pub fn settings(device: u32) -> BTreeMap<String, String> {
    READ_BACK.into_iter().filter_map(|name| Some((name.to_owned(), read(device, name)?))).collect()
}

/// Reads a setting; of a choice such as `[none] mq-deadline`, the active one.
fn read(device: u32, name: &str) -> Option<String> {
    let text = fs::read_to_string(setting(device, name)).ok()?;
    let chosen = text.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    Some(chosen.unwrap_or(text.trim()).to_owned())
}
