//! Generates a fio job from the parameters of the engine `data`. Every option is set; nothing is left to fio's
//! defaults.

use std::fmt::Write;

use fsarena_model::{CacheState, DurablePoint, Nanos, Workload};

use super::options::SYNCS;
use crate::data::DataParameters;
use crate::data::parameters::{Calls, Distribution, FilesOfWork, Pattern, Preallocate, Work};
use crate::pace::Arrivals;

/// Maximum number of files of a worker: fio takes their names in one option, whose length is limited.
const MOST_FILES: u32 = 64;

/// The first of these parameters that fio does not support; `None` if it supports all.
pub fn lacks(workload: &Workload, parameters: &DataParameters) -> Option<String> {
    let is_new = parameters.target() == FilesOfWork::New;
    let is_uneven = matches!(parameters.distribution, Distribution::Zipf | Distribution::Pareto);
    let text = match () {
        () if parameters.operation == Work::Trim => "trim files (`operation`): it trims devices",
        () if parameters.verify => "verify what it has not written itself (`verify`)",
        () if parameters.preallocate != Preallocate::None => "preallocate inside the timer (`preallocate`)",
        () if parameters.files > MOST_FILES => "work on more than 64 files (`files`)",
        () if is_uneven && parameters.files > 1 => "spread a `distribution` over several `files`",
        () if parameters.distribution == Distribution::Zipf && parameters.skew == Some(1.0) => "have a `skew` of 1",
        () if parameters.shared && parameters.writes() && is_new => "share new files (`shared`)",
        () if parameters.rate_percent.is_some() => "find out what a percentage is of (`rate-percent`)",
        () if parameters.rate.is_some() && parameters.operation == Work::Mixed => {
            "keep one `rate` of reads and writes together"
        }
        () if rate_of_each(parameters).is_some_and(|rate| rate < 1.0 || rate.fract() != 0.0) => {
            "keep a `rate` that is no whole number for each worker"
        }
        () => return lacks_durability(workload, parameters, is_new).map(str::to_owned),
    };
    Some(text.to_owned())
}

fn lacks_durability(workload: &Workload, parameters: &DataParameters, is_new: bool) -> Option<&'static str> {
    let by_sync = matches!(workload.durable, DurablePoint::Fsync | DurablePoint::Fdatasync);
    let several = is_new && parameters.files > 1 && by_sync;
    let blocks = parameters.file_size / parameters.block_size;
    let uneven_end = parameters.sync_every > 0 && !blocks.is_multiple_of(u64::from(parameters.sync_every));
    Some(match () {
        () if workload.durable == DurablePoint::Syncfs => "make anything durable by syncfs (`durable`)",
        () if several && (parameters.block_size_max.is_some() || parameters.stride > 0 || uneven_end) => {
            "sync each of several new files at its end, unless blocks and syncs divide it (`files`)"
        }
        () if !is_new && parameters.files > 1 && parameters.sync_every > 0 => {
            "sync several files at a time (`sync-every` with `files`)"
        }
        () if parameters.sync_every > 0 && parameters.depth > 1 => {
            "wait for what is in flight before a sync (`sync-every` with `depth`)"
        }
        () if workload.durable == DurablePoint::Fdatasync && parameters.sync_every == 0 && !several => {
            "end with fdatasync (`sync-every` is missing)"
        }
        () => return None,
    })
}

fn rate_of_each(parameters: &DataParameters) -> Option<f64> {
    parameters.rate.map(|rate| rate / f64::from(parameters.workers()))
}

/// The text of the job in `directory`, as fio writes it, for at most `time`. The caller ensures that [`lacks`] finds
/// nothing.
pub fn text(
    workload: &Workload,
    parameters: &DataParameters,
    directory: &str,
    seed: u64,
    time: Option<Nanos>,
) -> String {
    let mut text = String::from("[global]\n");
    let mut line = |words: String| writeln!(text, "{words}").expect("a string can be written to");
    line(format!("directory={}", directory));
    line(format!("randseed={}", seed));
    GENERAL.iter().for_each(|words| line((*words).to_owned()));
    shape(workload, parameters).into_iter().for_each(&mut line);
    places(parameters).into_iter().for_each(&mut line);
    durability(workload, parameters).into_iter().for_each(&mut line);
    content(parameters).into_iter().for_each(&mut line);
    end(parameters, time).into_iter().for_each(&mut line);
    for worker in 0..parameters.workers() {
        line(format!("[worker{worker}]"));
        line(format!("filename={}", names(parameters, worker).join(":")));
    }
    text
}

/// The options of all jobs: no cache is dropped, no space is preallocated, the latency is the time from call to return.
const GENERAL: &[&str] = &[
    "group_reporting=1",
    "invalidate=0",
    "fallocate=none",
    "randrepeat=1",
    "random_generator=tausworthe64",
    "clat_percentiles=0",
    "lat_percentiles=1",
    "mem=mmap",
];

fn shape(workload: &Workload, parameters: &DataParameters) -> Vec<String> {
    let files = u64::from(parameters.files);
    let mut lines = vec![
        format!("thread={}", u8::from(parameters.processes == 1)),
        format!("filesize={}", parameters.file_size),
        format!("size={}", parameters.file_size * files),
        format!("direct={}", u8::from(workload.cache == CacheState::Direct)),
        format!("iodepth={}", parameters.depth),
        format!("fadvise_hint={}", u8::from(parameters.advise)),
    ];
    lines.push(match parameters.block_size_max {
        Some(longest) => format!("bsrange={}-{longest}", parameters.block_size),
        None => format!("bs={}", parameters.block_size),
    });
    lines.extend(match parameters.calls {
        Calls::IoUring => ring(parameters.depth),
        Calls::Sync => vec!["ioengine=psync".to_owned()],
        Calls::Mmap => vec!["ioengine=mmap".to_owned()],
    });
    lines.push(match parameters.target() {
        FilesOfWork::Existing => "overwrite=1".to_owned(),
        FilesOfWork::New => "create_on_open=1".to_owned(),
    });
    if let Some(rate) = rate_of_each(parameters) {
        lines.push(format!("rate_iops={rate}"));
        let is_even = parameters.arrivals == Arrivals::Even;
        lines.push(format!("rate_process={}", if is_even { "linear" } else { "poisson" }));
    }
    lines
}

/// Submits and reaps in batches, as the native engine does.
fn ring(depth: u32) -> Vec<String> {
    let mut lines = ["ioengine=io_uring", "fixedbufs=1", "registerfiles=1"].map(str::to_owned).to_vec();
    lines.push(format!("iodepth_batch_submit={depth}"));
    lines.push("iodepth_batch_complete_min=1".to_owned());
    lines.push(format!("iodepth_batch_complete_max={depth}"));
    lines
}

fn places(parameters: &DataParameters) -> Vec<String> {
    let DataParameters { operation, pattern, distribution, skew, .. } = *parameters;
    let name = match operation {
        Work::Read => "read",
        Work::Write => "write",
        Work::Mixed => "rw",
        Work::Trim => "trim",
    };
    let order = if pattern == Pattern::Random { "rand" } else { "" };
    let skip = if parameters.stride > 0 { format!(":{}", parameters.stride) } else { String::new() };
    let mut lines = vec![format!("rw={order}{name}{skip}")];
    if operation == Work::Mixed {
        lines.push(format!("rwmixread={}", parameters.read_percent));
    }
    if parameters.files > 1 {
        let order = if pattern == Pattern::Random { "random" } else { "sequential" };
        lines.push(format!("file_service_type={order}"));
    }
    let skew = skew.unwrap_or(distribution.default_skew());
    lines.push(match distribution {
        Distribution::Uniform => "norandommap=1".to_owned(),
        Distribution::Once => "norandommap=0".to_owned(),
        Distribution::Zipf => format!("random_distribution=zipf:{skew}"),
        Distribution::Pareto => format!("random_distribution=pareto:{skew}"),
    });
    lines
}

fn durability(workload: &Workload, parameters: &DataParameters) -> Vec<String> {
    let several = parameters.target() == FilesOfWork::New && parameters.files > 1;
    let at_the_end = if several { (parameters.file_size / parameters.block_size) as u32 } else { 0 };
    let every = if parameters.sync_every == 0 { at_the_end } else { parameters.sync_every };
    let by = |name: &str| (every > 0).then(|| format!("{name}={every}"));
    match workload.durable {
        DurablePoint::Fsync => by("fsync").into_iter().chain(["end_fsync=1".to_owned()]).collect(),
        DurablePoint::Fdatasync => by("fdatasync").into_iter().collect(),
        other => SYNCS
            .iter()
            .find(|(_, point)| *point == other)
            .map(|(word, _)| format!("sync={word}"))
            .into_iter()
            .collect(),
    }
}

/// Random bytes that cannot be compressed or deduplicated, unless the workload asks for that.
fn content(parameters: &DataParameters) -> Vec<String> {
    let (compressible, duplicated) = (parameters.compressible_percent, parameters.duplicated_percent);
    if compressible == 0 && duplicated == 0 {
        return vec!["scramble_buffers=1".to_owned()];
    }
    let mut lines = vec!["refill_buffers=1".to_owned()];
    if compressible > 0 {
        lines.push(format!("buffer_compress_percentage={compressible}"));
        lines.push("buffer_compress_chunk=4096".to_owned());
    }
    if duplicated > 0 {
        lines.push(format!("dedupe_percentage={duplicated}"));
    }
    lines
}

fn end(parameters: &DataParameters, time: Option<Nanos>) -> Vec<String> {
    let mut lines = Vec::new();
    let is_random = parameters.pattern == Pattern::Random;
    if let Some(operations) = parameters.operations {
        lines.push(format!("number_ios={operations}"));
    }
    let passed_over = || {
        let places =
            (parameters.file_size * u64::from(parameters.files)).div_ceil(parameters.block_size + parameters.stride);
        (parameters.stride > 0 && !parameters.repeat).then_some(places * parameters.block_size)
    };
    let by_count = || is_random.then_some(parameters.operations?.saturating_mul(parameters.longest()));
    if let Some(bytes) = parameters.bytes.or_else(by_count).or_else(passed_over) {
        lines.push(format!("io_size={bytes}"));
    }
    if let Some(time) = time {
        let unending = is_random && parameters.operations.is_none() && parameters.bytes.is_none();
        lines.push(format!("runtime={}ms", time.0 / 1_000_000));
        lines.push(format!("time_based={}", u8::from(parameters.repeat || unending)));
    }
    lines
}

/// The names of a worker's files.
fn names(parameters: &DataParameters, worker: u32) -> Vec<String> {
    let kind = if parameters.target() == FilesOfWork::New { "new" } else { "data" };
    let first = if parameters.shared { 0 } else { worker * parameters.files };
    (first..first + parameters.files).map(|number| format!("{kind}{number}")).collect()
}

#[cfg(test)]
mod tests;
