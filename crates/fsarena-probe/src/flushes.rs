//! Requests that ask the lane's device for durability: those with a flush before them, and FUA writes
//! (Documentation/block/writeback_cache_control.rst), counted where file systems submit them.
//!
//! A device without FUA, such as a loop device, gets a further flush for each FUA write: those count in
//! `device.flushes`, not here.

use std::fs;
use std::sync::Mutex;

use fsarena_sys::block;
use fsarena_sys::perf::TracepointCounter;

use fsarena_model::probe;

use crate::{Counters, Flushes, Target};

const TRACEPOINT: &str = "block/block_bio_queue";

/// Open counters of the devices that were read, until a device is read whose flushes are not to be counted: opening the
/// first counter stops all processors, and each open one slows down every request of every device.
static OPEN: Mutex<Vec<OpenTracepoint>> = Mutex::new(Vec::new());

struct OpenTracepoint {
    device: FlushedDevice,
    preflushes: TracepointCounter,
    fua: TracepointCounter,
}

/// A device. Another run's lane may have the same name and number, and is another device.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FlushedDevice {
    /// Its device number in the kernel's internal format.
    number: u64,
    /// How many disks the kernel had seen when it added this one (Documentation/ABI/stable/sysfs-block, `diskseq`).
    sequence: Option<String>,
}

/// Flushes and FUA writes, by the tracepoint `block:block_bio_queue`.
pub fn read(target: &Target) -> Counters {
    let counts = look(target);
    let (preflushes, fua) = (counts.map(|counts| counts.0 as f64), counts.map(|counts| counts.1 as f64));
    vec![(probe::DEVICE_PREFLUSHES, preflushes), (probe::DEVICE_FUA, fua)]
}

/// Without a device this reads nothing, and open counters stay open.
fn look(target: &Target) -> Option<(u64, u64)> {
    let name = target.device.as_deref()?;
    let mut open = OPEN.lock().ok()?;
    if target.flushes == Flushes::Left {
        open.clear();
        return None;
    }
    let device = FlushedDevice::of(name)?;
    if !open.iter().any(|open| open.device == device) {
        open.push(OpenTracepoint::new(device.clone())?);
    }
    open.iter().find(|open| open.device == device)?.counts()
}

impl OpenTracepoint {
    fn new(device: FlushedDevice) -> Option<Self> {
        let count = |filter: String| TracepointCounter::open(TRACEPOINT, &filter).ok();
        let preflushes = count(preflushes(device.number))?;
        let fua = count(fua(device.number))?;
        Some(Self { device, preflushes, fua })
    }

    fn counts(&self) -> Option<(u64, u64)> {
        Some((self.preflushes.read().ok()?, self.fua.read().ok()?))
    }
}

impl FlushedDevice {
    fn of(name: &str) -> Option<Self> {
        let sequence = fs::read_to_string(format!("/sys/block/{name}/diskseq")).ok();
        Some(Self { number: block::kernel_number(name)?, sequence })
    }
}

/// Filter for requests with a flush before them. The letters of a request are those of `blk_fill_rwbs` of
/// `kernel/trace/blktrace.c`: an F for a flush before it, its operation, an F for FUA, and others.
fn preflushes(device: u64) -> String {
    format!("dev == {device} && rwbs ~ \"F*\"")
}

fn fua(device: u64) -> String {
    format!("dev == {device} && (rwbs ~ \"WF*\" || rwbs ~ \"FWF*\")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flushes_that_are_not_counted_are_absent() {
        let target = Target { device: Some("loop0".to_owned()), ..Target::default() };
        assert_eq!(look(&target), None);
    }
}
