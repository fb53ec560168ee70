//! Translates the operation, the files, the system calls and the durability of a job.

use fsarena_model::{CacheState, DurablePoint};

use super::{BLOCK, Draft};
use crate::data::parameters::{Calls, Distribution, Pattern, Work};
use crate::fio::file::{self, Section};
use crate::fio::options::{CALLS, DISTRIBUTIONS, PROCESSES, RW, SYNCS, meaning};
use crate::pace::Arrivals;

type Done = Result<(), String>;

/// Translates everything except the duration.
pub fn translate(draft: &mut Draft<'_>) -> Done {
    operation(draft)?;
    blocks(draft)?;
    files(draft)?;
    workers(draft)?;
    calls(draft)?;
    distribution(draft)?;
    sync(draft)?;
    cache(draft)?;
    advice(draft)?;
    content(draft)?;
    rate(draft)
}

pub fn not_native(section: &Section, key: &str) -> String {
    format!("`{key}={}` is not understood natively", section.value(key).unwrap_or_default())
}

fn number(section: &Section, key: &str) -> Result<Option<u64>, String> {
    let read = |text| file::size(text).ok_or_else(|| not_native(section, key));
    section.value(key).map(read).transpose()
}

/// The meaning of `rw`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    work: Work,
    pattern: Pattern,
}

impl Kind {
    pub fn of(section: &Section) -> Option<Self> {
        let rw = section.value("rw").unwrap_or("read");
        let (_, work, pattern) = RW.iter().find(|(word, ..)| *word == rw)?;
        Some(Self { work: *work, pattern: *pattern })
    }

    pub fn is_random(self) -> bool {
        self.pattern == Pattern::Random
    }

    pub fn reads(self) -> bool {
        self.work != Work::Write
    }

    pub fn writes(self) -> bool {
        self.work != Work::Read
    }
}

fn operation(draft: &mut Draft<'_>) -> Done {
    let kind = draft.kind;
    draft.set("operation", kind.work);
    draft.set("pattern", kind.pattern);
    if kind.work == Work::Mixed {
        let reads = number(draft.section, "rwmixread")?;
        let writes = number(draft.section, "rwmixwrite")?;
        let percent = reads.or(writes.map(|writes| 100u64.saturating_sub(writes))).unwrap_or(50);
        draft.set("read-percent", percent);
    }
    Ok(())
}

fn blocks(draft: &mut Draft<'_>) -> Done {
    let section = draft.section;
    match section.value("bsrange") {
        None => draft.set("block-size", number(section, "bs")?.unwrap_or(BLOCK)),
        Some(text) => {
            let (low, high) = file::range(text).ok_or_else(|| not_native(section, "bsrange"))?;
            draft.set("block-size", low);
            draft.set("block-size-max", high);
        }
    }
    Ok(())
}

fn files(draft: &mut Draft<'_>) -> Done {
    let (section, kind) = (draft.section, draft.kind);
    let named = section.value("filename").map(|names| names.split(':').count() as u64);
    let count = number(section, "nrfiles")?.unwrap_or(1).max(named.unwrap_or(1));
    let size = number(section, "size")?;
    let each = number(section, "filesize")?.or(size.map(|size| size / count)).ok_or("`size` is missing")?;
    if size.is_some_and(|size| size != each * count) {
        return Err("`size` is not that of all files".to_owned());
    }
    draft.set("file-size", each);
    draft.set("files", count);
    if named.is_some() {
        draft.set("shared", number(section, "numjobs")?.unwrap_or(1) > 1);
    }
    match section.value("file_service_type") {
        _ if count == 1 => {}
        None | Some("random") if kind.is_random() => draft.remark("files are visited at random"),
        Some("sequential") if !kind.is_random() => {}
        _ => return Err("several files are visited in turn (`nrfiles`)".to_owned()),
    }
    target(draft, kind, count)
}

/// Without `overwrite`, fio writes into space that was never written before.
fn target(draft: &mut Draft<'_>, kind: Kind, files: u64) -> Done {
    let section = draft.section;
    let overwrites = section.is_set("overwrite");
    if kind.reads() || overwrites {
        draft.set("target", "existing");
        return Ok(());
    }
    if kind.is_random() {
        return Err("random writes without `overwrite=1` go into space that only fio lays out so".to_owned());
    }
    if files > 1 || section.value("filename").is_some() && number(section, "numjobs")?.unwrap_or(1) > 1 {
        return Err("new files that are several, or shared".to_owned());
    }
    if section.is_set("time_based") {
        return Err("with `time_based` a new file is written over, unless there is `overwrite=1`".to_owned());
    }
    draft.set("target", "new");
    let how = match section.value("fallocate") {
        None | Some("native" | "posix" | "1") => "allocate",
        Some("none" | "0") => "none",
        Some("truncate") => "truncate",
        Some(_) => return Err(not_native(section, "fallocate")),
    };
    if how == "allocate" {
        draft.remark("the new file's space is allocated inside the timer");
    }
    draft.set("preallocate", how);
    Ok(())
}

fn workers(draft: &mut Draft<'_>) -> Done {
    let count = number(draft.section, "numjobs")?.unwrap_or(1);
    draft.set(if draft.section.is_set("thread") { "threads" } else { "processes" }, count);
    Ok(())
}

fn calls(draft: &mut Draft<'_>) -> Done {
    let section = draft.section;
    let depth = number(section, "iodepth")?.unwrap_or(1);
    let engine = section.value("ioengine").unwrap_or("psync");
    let calls = match engine {
        // Without direct I/O, libaio does most of the work while it submits. io_uring does not.
        "libaio" if section.is_direct() => {
            draft.remark("libaio is io_uring natively");
            Calls::IoUring
        }
        _ => meaning(CALLS, engine).ok_or_else(|| not_native(section, "ioengine"))?,
    };
    draft.set("calls", calls);
    match calls {
        Calls::IoUring => draft.set("depth", depth),
        _ if depth > 1 => draft.remark("`iodepth` is 1, as with fio's synchronous engines"),
        _ => {}
    }
    Ok(())
}

fn distribution(draft: &mut Draft<'_>) -> Done {
    let (section, kind) = (draft.section, draft.kind);
    if !kind.is_random() {
        return Ok(());
    }
    let named = section.value("random_distribution").unwrap_or("random");
    let (name, skew) = named.split_once(':').map_or((named, None), |(name, skew)| (name, Some(skew)));
    let known = DISTRIBUTIONS.iter().find(|(known, ..)| *known == name);
    match known {
        Some((_, distribution, default)) => {
            let skew = skew.map_or(Ok(*default), str::parse::<f64>);
            draft.set("distribution", distribution);
            draft.set("skew", skew.map_err(|_| not_native(section, "random_distribution"))?);
        }
        None if name == "random" => {
            let is_uniform = section.is_set("norandommap");
            draft.set("distribution", if is_uniform { Distribution::Uniform } else { Distribution::Once });
        }
        None => return Err(not_native(section, "random_distribution")),
    }
    Ok(())
}

/// How the job makes its writes durable inside the timer.
pub fn durability(section: &Section) -> DurablePoint {
    let every = |key| section.value(key).and_then(file::size).is_some_and(|count| count > 0);
    if !Kind::of(section).is_none_or(|kind| kind.writes()) {
        return DurablePoint::None;
    }
    let sync = section.entry("sync").map(|entry| entry.value.as_deref().unwrap_or("1"));
    match sync.and_then(|word| meaning(SYNCS, word)) {
        Some(point) => point,
        None if every("fsync") || section.is_set("end_fsync") => DurablePoint::Fsync,
        None if every("fdatasync") => DurablePoint::Fdatasync,
        None => DurablePoint::None,
    }
}

fn sync(draft: &mut Draft<'_>) -> Done {
    let section = draft.section;
    draft.durable = durability(section);
    let by_open = matches!(draft.durable, DurablePoint::OSync | DurablePoint::ODsync);
    let (fsync, fdatasync) = (number(section, "fsync")?.unwrap_or(0), number(section, "fdatasync")?.unwrap_or(0));
    let ends = section.is_set("end_fsync");
    let several = [fsync > 0 || ends, fdatasync > 0, by_open].iter().filter(|is| **is).count() > 1;
    if draft.kind.writes() && several {
        return Err("`fsync`, `fdatasync` and `sync` together".to_owned());
    }
    let word = section.value("sync").unwrap_or("0");
    if !matches!(word, "0" | "none") && meaning(SYNCS, word).is_none() {
        return Err(not_native(section, "sync"));
    }
    match draft.durable {
        DurablePoint::Fsync => draft.set("sync-every", fsync),
        DurablePoint::Fdatasync => draft.set("sync-every", fdatasync),
        _ => {}
    }
    let is_synced_on_the_way = draft.durable != DurablePoint::None && !by_open && fsync.max(fdatasync) > 0;
    if is_synced_on_the_way && draft.parameters.get("depth").and_then(serde_json::Value::as_u64) > Some(1) {
        return Err("with `iodepth`, fio syncs while other writes are in flight; natively they end before".to_owned());
    }
    let files = draft.parameters["files"].as_u64();
    if fsync.max(fdatasync) > 0 && files > Some(1) {
        return Err("fio syncs one of several files at a time".to_owned());
    }
    if matches!(draft.durable, DurablePoint::Fsync | DurablePoint::Fdatasync) && fsync.max(fdatasync) > 0 && !ends {
        draft.remark("what is unsynced at the end is synced, too");
    }
    Ok(())
}

fn cache(draft: &mut Draft<'_>) -> Done {
    let (section, kind) = (draft.section, draft.kind);
    let drops = section.entry("invalidate").is_none() || section.is_set("invalidate");
    let is_mapped = section.value("ioengine") == Some("mmap");
    if section.is_direct() && is_mapped {
        return Err("what is mapped is not direct".to_owned());
    }
    draft.cache = match () {
        () if section.is_direct() => CacheState::Direct,
        () if kind.work == Work::Mixed && drops => {
            return Err("buffered reads and writes begin with `invalidate`d files".to_owned());
        }
        () if kind.reads() && drops => {
            draft.remark("the lane is mounted again before, which drops more than `invalidate` does");
            CacheState::Cold
        }
        () => CacheState::Warm,
    };
    Ok(())
}

/// By default, fio gives the kernel the pattern of buffered work as advice. For a mapping fio uses madvise(2), which
/// the native engine does not.
fn advice(draft: &mut Draft<'_>) -> Done {
    let section = draft.section;
    let pattern = if draft.kind.is_random() { "random" } else { "sequential" };
    match section.value("fadvise_hint").unwrap_or("1") {
        _ if section.is_direct() => {}
        "0" | "none" => {}
        text if text == "1" || text == pattern => match section.value("ioengine") {
            Some("mmap") => {
                draft.remark("for a mapping, the pattern is not passed to the kernel as `fadvise_hint` does")
            }
            _ => draft.set("advise", true),
        },
        _ => return Err(not_native(section, "fadvise_hint")),
    }
    Ok(())
}

fn content(draft: &mut Draft<'_>) -> Done {
    let section = draft.section;
    let compressible = number(section, "buffer_compress_percentage")?.unwrap_or(0);
    let duplicated = number(section, "dedupe_percentage")?.unwrap_or(0);
    let chunk = number(section, "buffer_compress_chunk")?;
    if compressible > 0 && chunk.is_some_and(|chunk| chunk != BLOCK) {
        return Err(not_native(section, "buffer_compress_chunk"));
    }
    if compressible > 0 && chunk.is_none() {
        draft.remark("it is 4 KiB of which a part can be compressed");
    }
    if compressible == 0 && duplicated == 0 && section.value("scramble_buffers") == Some("0") {
        return Err("`scramble_buffers=0` writes the same again and again".to_owned());
    }
    draft.set("compressible-percent", compressible);
    draft.set("duplicated-percent", duplicated);
    Ok(())
}

/// fio gives each job its rate. The native rate is that of all jobs together.
fn rate(draft: &mut Draft<'_>) -> Done {
    let (section, kind) = (draft.section, draft.kind);
    let Some(rate) = number(section, "rate_iops")?.filter(|rate| *rate > 0) else { return Ok(()) };
    if kind.work == Work::Mixed {
        return Err("`rate_iops` counts reads and writes apart".to_owned());
    }
    draft.set("rate", rate as f64 * number(section, "numjobs")?.unwrap_or(1) as f64);
    let process = section.value("rate_process").unwrap_or("linear");
    match meaning(PROCESSES, process).ok_or_else(|| not_native(section, "rate_process"))? {
        Arrivals::Even => {}
        arrivals => draft.set("arrivals", arrivals),
    }
    draft.remark("latency counts from when an operation was meant to begin");
    Ok(())
}
