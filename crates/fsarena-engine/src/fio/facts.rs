//! What the options of a job file state about its work.

use fsarena_model::{Better, Bytes, CacheState, DurablePoint, Measure, Metric, Name, Workload, distinct};
use serde_json::Value;

use super::file::{self, JobFile, JobOption, JobSection};

/// fio's default block size, bytes.
pub const BLOCK: u64 = 4096;
/// Block size from which sequential work is measured in bytes instead of operations.
const LARGE: u64 = 128 << 10;

/// The workload of a job file that runs in one piece.
pub fn workload(name: Name, parameters: Value, file: &JobFile) -> Workload {
    let mut durable = file.sections.iter().map(durability);
    Workload {
        why: "A job file of fio's, as given on the command line.".to_owned(),
        durable: durable.find(|point| *point != DurablePoint::None).unwrap_or_default(),
        cache: cache(&file.sections),
        ..Workload::new(name, super::program::NAME, metric(&file.sections), parameters)
    }
}

/// The operation and the pattern, without the gap or the count behind them.
fn rw(section: &JobSection) -> &str {
    section.value("rw").unwrap_or("read").split(':').next().unwrap_or_default()
}

pub fn reads(section: &JobSection) -> bool {
    matches!(rw(section), "read" | "randread" | "rw" | "readwrite" | "randrw")
}

/// Whether a job writes or trims.
pub fn writes(section: &JobSection) -> bool {
    !matches!(rw(section), "read" | "randread")
}

/// Whether a job makes, looks up or removes files, and does nothing else.
pub fn makes_files(section: &JobSection) -> bool {
    matches!(section.value("ioengine"), Some("filecreate" | "filestat" | "filedelete"))
}

/// How the job makes its writes durable inside the timer.
pub fn durability(section: &JobSection) -> DurablePoint {
    let every = |key| section.value(key).and_then(file::size).is_some_and(|count| count > 0);
    let sync = section.entry("sync").map(|entry| entry.value.as_deref().unwrap_or("1"));
    match sync {
        _ if !writes(section) => DurablePoint::None,
        Some("sync" | "1") => DurablePoint::OSync,
        Some("dsync") => DurablePoint::ODsync,
        _ if every("fsync") || section.is_set("end_fsync") => DurablePoint::Fsync,
        _ if every("fdatasync") => DurablePoint::Fdatasync,
        _ => DurablePoint::None,
    }
}

/// By default fio drops the files of a job from memory before it (`invalidate`). The lane is mounted again before jobs
/// that do nothing but read, which drops more.
fn cache(sections: &[JobSection]) -> CacheState {
    match () {
        () if sections.iter().all(JobSection::is_direct) => CacheState::Direct,
        () if sections.iter().all(|section| !writes(section) && begins_cold(section)) => CacheState::Cold,
        () => CacheState::Warm,
    }
}

fn begins_cold(section: &JobSection) -> bool {
    let invalidates = section.entry("invalidate").is_none() || section.is_set("invalidate");
    section.is_direct() || invalidates && !section.is_set("pre_read")
}

/// The options that decide where direct I/O begins and how long it is, each with one of its sizes.
fn positions(section: &JobSection) -> Vec<(u64, &JobOption)> {
    const OPTIONS: [&str; 10] =
        ["bs", "bsrange", "bssplit", "ba", "offset", "offset_align", "offset_increment", "zonesize", "zoneskip", "rw"];
    let mut all = Vec::new();
    for entry in section.options.iter().filter(|entry| OPTIONS.contains(&entry.key.as_str())) {
        // Only the last entry of an option counts.
        if section.entry(&entry.key) != Some(entry) {
            continue;
        }
        let value = entry.value.as_deref().unwrap_or_default();
        // `rw=write:4k` leaves a gap of that size behind each block, but `randread:8` is a count.
        let value = match entry.key.as_str() {
            "rw" if value.starts_with("rand") => "",
            "rw" => value.split_once(':').map_or("", |(_, gap)| gap),
            _ => value,
        };
        all.extend(file::sizes(value).flatten().filter(|size| *size > 0).map(|size| (size, entry)));
    }
    all.extend(section.entry("bs_unaligned").filter(|_| section.is_set("bs_unaligned")).map(|entry| (1, entry)));
    all
}

/// The first option that leads to direct I/O which is not in whole sectors.
pub fn unaligned(file: &JobFile, sector: Bytes) -> Vec<&JobOption> {
    let direct = file.sections.iter().filter(|section| section.is_direct());
    let refused = direct.flat_map(positions).filter(|(size, _)| !size.is_multiple_of(sector.0));
    distinct(refused.map(|(_, entry)| entry))
}

/// The largest power of two of which all positions and lengths of direct I/O are multiples, at most that of fio's
/// default block; `None` if there is no direct I/O.
pub fn direct_block(file: &JobFile) -> Option<Bytes> {
    let direct: Vec<&JobSection> = file.sections.iter().filter(|section| section.is_direct()).collect();
    let sizes = direct.iter().flat_map(|section| positions(section)).map(|(size, _)| 1 << size.trailing_zeros());
    (!direct.is_empty()).then(|| Bytes(sizes.fold(BLOCK, u64::min)))
}

/// Bytes per second for large sequential blocks, operations per second otherwise.
fn metric(sections: &[JobSection]) -> Metric {
    let large = |section: &JobSection| {
        !rw(section).starts_with("rand") && section.value("bs").and_then(file::size).is_some_and(|block| block >= LARGE)
    };
    let in_bytes = sections.iter().all(large);
    let (name, unit, measure) = match in_bytes {
        true => ("throughput", "MiB/s", Measure::MebibytesPerSecond),
        false => ("operations-per-second", "IOPS", Measure::OperationsPerSecond),
    };
    Metric { name: name.to_owned(), unit: unit.to_owned(), measure, better: Better::Higher }
}

#[cfg(test)]
mod tests;
