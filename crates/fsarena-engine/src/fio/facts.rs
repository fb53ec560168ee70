//! What the options of a job file state about its work.

use fsarena_model::{Better, Bytes, CacheState, DurablePoint, Measure, Metric, Nanos};

use super::file::{self, JobFile, JobOption, JobSection};

/// fio's default block size, bytes.
const BLOCK: u64 = 4096;
/// Block size from which sequential work is measured in bytes instead of operations.
const LARGE: u64 = 128 << 10;

/// The operation and the pattern, without the gap or the count behind them.
fn rw(section: &JobSection) -> &str {
    section.value("rw").unwrap_or("read").split(':').next().unwrap_or_default()
}

/// Whether a job writes or trims.
fn writes(section: &JobSection) -> bool {
    !matches!(rw(section), "read" | "randread")
}

/// Whether a job makes, looks up or removes files, and does nothing else.
pub fn makes_files(section: &JobSection) -> bool {
    matches!(section.value("ioengine"), Some("filecreate" | "filestat" | "filedelete"))
}

/// How the first job that makes its writes durable inside the timer does it.
pub fn durability(sections: &[JobSection]) -> DurablePoint {
    sections.iter().map(durability_of).find(|point| *point != DurablePoint::None).unwrap_or_default()
}

fn durability_of(section: &JobSection) -> DurablePoint {
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
pub fn cache(sections: &[JobSection]) -> CacheState {
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

/// The sizes that decide where direct I/O begins and how long it is.
fn positions(section: &JobSection) -> Vec<u64> {
    const OPTIONS: [&str; 9] =
        ["bs", "bsrange", "bssplit", "ba", "offset", "offset_align", "offset_increment", "zonesize", "zoneskip"];
    // `rw=write:4k` leaves a gap of that size behind each block, but `randread:8` is a count.
    let gap = section.value("rw").filter(|rw| !rw.starts_with("rand")).and_then(|rw| Some(rw.split_once(':')?.1));
    let values = OPTIONS.iter().filter_map(|key| section.value(key)).chain(gap);
    // `512/10:4k/90,8k-64k`: for reads, writes and trims, in ranges, with percentages.
    let sizes = values.flat_map(|value| value.split([',', ':', '-']));
    let sizes = sizes.filter_map(|size| file::size(size.split('/').next()?)).filter(|size| *size > 0);
    sizes.chain(section.is_set("bs_unaligned").then_some(1)).collect()
}

/// The largest power of two of which all positions and lengths of direct I/O are multiples, at most that of fio's
/// default block; `None` if there is no direct I/O.
pub fn direct_block(file: &JobFile) -> Option<Bytes> {
    let direct: Vec<&JobSection> = file.sections.iter().filter(|section| section.is_direct()).collect();
    let sizes = direct.iter().flat_map(|section| positions(section)).map(|size| 1 << size.trailing_zeros());
    (!direct.is_empty()).then(|| Bytes(sizes.fold(BLOCK, u64::min)))
}

/// The first option that limits how much a job does in a second.
pub fn limit(section: &JobSection) -> Option<&JobOption> {
    ["rate_iops", "rate", "thinktime"].iter().find_map(|key| section.entry(key))
}

/// Estimated duration of all jobs of the file. Those that begin with `stonewall` wait for the ones before.
pub fn lasts(file: &JobFile) -> Nanos {
    let (mut total, mut group) = (Nanos(0), Nanos(0));
    for section in &file.sections {
        if section.is_set("stonewall") {
            total = total + std::mem::take(&mut group);
        }
        group = group.max(lasts_alone(section));
    }
    total + group
}

/// A `runtime` ends the work, and with `time_based` the work goes on until then. Without one, the amount decides, at
/// the speed at which a lane is written, or at the rate of each job.
fn lasts_alone(section: &JobSection) -> Nanos {
    const SPEED: f64 = 1.5e9;
    let time = |key| section.value(key).and_then(file::time).unwrap_or_default();
    let number = |key| section.value(key).and_then(file::size).filter(|number| *number > 0).map(|number| number as f64);
    let files = number("filesize").map(|size| size * number("nrfiles").unwrap_or(1.0));
    let size = number("io_size").or(number("size")).or(files).unwrap_or(0.0) * number("loops").unwrap_or(1.0);
    let requests = number("rate_iops").map(|rate| rate * number("bs").unwrap_or(BLOCK as f64));
    let rates = [number("rate"), requests].into_iter().flatten();
    let speed = rates.fold(SPEED / number("numjobs").unwrap_or(1.0), f64::min);
    let amount = Nanos((size / speed * 1e9) as u64);
    let work = match time("runtime") {
        Nanos(0) => amount,
        end if section.is_set("time_based") => end,
        end => end.min(amount),
    };
    time("startdelay") + time("ramp_time") + work
}

/// Bytes per second for large sequential blocks, operations per second otherwise.
pub fn metric(sections: &[JobSection]) -> Metric {
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
