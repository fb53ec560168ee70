//! Generates a fio job from the parameters of the engine `data`. Every option is set; nothing is left to fio's
//! defaults.

use std::fmt::Display;

use fsarena_model::{CacheState, DurablePoint, Nanos, Workload};

use crate::data::DataParameters;
use crate::data::parameters::{Calls, Distribution, FilesOfWork, Pattern, Preallocate, Work};
use crate::pace::Arrivals;

/// Maximum number of files of a worker: fio takes their names in one option, whose length is limited.
const MOST_FILES: u32 = 64;

/// The first of these parameters that fio does not support; `None` if it supports all.
pub fn lacks(workload: &Workload, parameters: &DataParameters) -> Option<&'static str> {
    let is_new = parameters.target() == FilesOfWork::New;
    let is_uneven = matches!(parameters.distribution, Distribution::Zipf | Distribution::Pareto);
    let by_sync = matches!(workload.durable, DurablePoint::Fsync | DurablePoint::Fdatasync);
    let several = is_new && parameters.files > 1 && by_sync;
    let blocks = parameters.file_size / parameters.block_size;
    let uneven_end = parameters.sync_every > 0 && !blocks.is_multiple_of(u64::from(parameters.sync_every));
    Some(match () {
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
    let mut job = JobText(format!("[global]\ndirectory={directory}\nrandseed={seed}\n{GENERAL}"));
    job.shape(workload, parameters);
    job.places(parameters);
    job.durability(workload, parameters);
    job.content(parameters);
    job.end(parameters, time);
    for worker in 0..parameters.workers() {
        job.0 += &format!("[worker{worker}]\n");
        job.set("filename", names(parameters, worker).join(":"));
    }
    job.0
}

/// The options of all jobs: no cache is dropped, no space is preallocated, the latency is the time from call to return.
const GENERAL: &str = "group_reporting=1
invalidate=0
fallocate=none
randrepeat=1
random_generator=tausworthe64
clat_percentiles=0
lat_percentiles=1
mem=mmap
";

struct JobText(String);

impl JobText {
    fn set(&mut self, option: &str, value: impl Display) {
        self.0 += &format!("{option}={value}\n");
    }

    fn shape(&mut self, workload: &Workload, parameters: &DataParameters) {
        self.set("thread", u8::from(parameters.processes == 1));
        self.set("filesize", parameters.file_size);
        self.set("size", parameters.file_size * u64::from(parameters.files));
        self.set("direct", u8::from(workload.cache == CacheState::Direct));
        self.set("iodepth", parameters.depth);
        self.set("fadvise_hint", u8::from(parameters.advise));
        match parameters.block_size_max {
            Some(longest) => self.set("bsrange", format!("{}-{longest}", parameters.block_size)),
            None => self.set("bs", parameters.block_size),
        }
        match parameters.calls {
            Calls::IoUring => self.ring(parameters.depth),
            Calls::Sync => self.set("ioengine", "psync"),
            Calls::Mmap => self.set("ioengine", "mmap"),
        }
        match parameters.target() {
            FilesOfWork::Existing => self.set("overwrite", 1),
            FilesOfWork::New => self.set("create_on_open", 1),
        }
        if let Some(rate) = rate_of_each(parameters) {
            self.set("rate_iops", rate);
            self.set("rate_process", if parameters.arrivals == Arrivals::Even { "linear" } else { "poisson" });
        }
    }

    /// Submits and reaps in batches, as the native engine does.
    fn ring(&mut self, depth: u32) {
        self.set("ioengine", "io_uring");
        self.set("fixedbufs", 1);
        self.set("registerfiles", 1);
        self.set("iodepth_batch_submit", depth);
        self.set("iodepth_batch_complete_min", 1);
        self.set("iodepth_batch_complete_max", depth);
    }

    fn places(&mut self, parameters: &DataParameters) {
        let DataParameters { operation, pattern, distribution, skew, stride, .. } = *parameters;
        let name = match operation {
            Work::Read => "read",
            Work::Write => "write",
            Work::Mixed => "rw",
            Work::Trim => "trim",
        };
        let order = if pattern == Pattern::Random { "rand" } else { "" };
        let skip = if stride > 0 { format!(":{stride}") } else { String::new() };
        self.set("rw", format!("{order}{name}{skip}"));
        if operation == Work::Mixed {
            self.set("rwmixread", parameters.read_percent);
        }
        if parameters.files > 1 {
            self.set("file_service_type", if pattern == Pattern::Random { "random" } else { "sequential" });
        }
        let skew = skew.unwrap_or(distribution.default_skew());
        match distribution {
            Distribution::Uniform => self.set("norandommap", 1),
            Distribution::Once => self.set("norandommap", 0),
            Distribution::Zipf => self.set("random_distribution", format!("zipf:{skew}")),
            Distribution::Pareto => self.set("random_distribution", format!("pareto:{skew}")),
        }
    }

    fn durability(&mut self, workload: &Workload, parameters: &DataParameters) {
        let several = parameters.target() == FilesOfWork::New && parameters.files > 1;
        let at_the_end = if several { (parameters.file_size / parameters.block_size) as u32 } else { 0 };
        let every = if parameters.sync_every == 0 { at_the_end } else { parameters.sync_every };
        match workload.durable {
            DurablePoint::Fsync => {
                if every > 0 {
                    self.set("fsync", every);
                }
                self.set("end_fsync", 1);
            }
            DurablePoint::Fdatasync if every > 0 => self.set("fdatasync", every),
            DurablePoint::OSync => self.set("sync", "sync"),
            DurablePoint::ODsync => self.set("sync", "dsync"),
            DurablePoint::None | DurablePoint::Fdatasync | DurablePoint::Syncfs => {}
        }
    }

    /// Random bytes that cannot be compressed or deduplicated, unless the workload asks for that.
    fn content(&mut self, parameters: &DataParameters) {
        let (compressible, duplicated) = (parameters.compressible_percent, parameters.duplicated_percent);
        let is_random = compressible == 0 && duplicated == 0;
        self.set(if is_random { "scramble_buffers" } else { "refill_buffers" }, 1);
        if compressible > 0 {
            self.set("buffer_compress_percentage", compressible);
            self.set("buffer_compress_chunk", 4096);
        }
        if duplicated > 0 {
            self.set("dedupe_percentage", duplicated);
        }
    }

    fn end(&mut self, parameters: &DataParameters, time: Option<Nanos>) {
        let DataParameters { operations, bytes, stride, repeat, file_size, block_size, .. } = *parameters;
        let is_random = parameters.pattern == Pattern::Random;
        if let Some(operations) = operations {
            self.set("number_ios", operations);
        }
        let places = (file_size * u64::from(parameters.files)).div_ceil(block_size + stride);
        let passed_over = (stride > 0 && !repeat).then_some(places * block_size);
        let by_count = operations.filter(|_| is_random).map(|count| count.saturating_mul(parameters.longest()));
        if let Some(bytes) = bytes.or(by_count).or(passed_over) {
            self.set("io_size", bytes);
        }
        if let Some(time) = time {
            let unending = is_random && operations.is_none() && bytes.is_none();
            self.set("runtime", format!("{}ms", time.0 / 1_000_000));
            self.set("time_based", u8::from(repeat || unending));
        }
    }
}

fn names(parameters: &DataParameters, worker: u32) -> Vec<String> {
    let kind = if parameters.target() == FilesOfWork::New { "new" } else { "data" };
    let first = if parameters.shared { 0 } else { worker * parameters.files };
    (first..first + parameters.files).map(|number| format!("{kind}{number}")).collect()
}

#[cfg(test)]
mod tests;
