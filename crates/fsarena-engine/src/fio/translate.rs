//! Translates a job of a job file into parameters of the engine `data`, if every option of it is understood.

mod data;

use std::collections::BTreeSet;

use fsarena_model::{Better, Bytes, CacheState, DurablePoint, Measure, Metric, Mode, Name, Nanos, Workload};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::file::{self, Entry, JobFile, Section};
use super::options::{DEFAULTS, TRANSLATED, WITHOUT_EFFECT, has};
use data::Kind;

/// fio's default block size, bytes.
const BLOCK: u64 = 4096;
/// Block size from which sequential work is measured in bytes instead of operations.
const LARGE: u64 = 128 << 10;

/// A job as a native workload.
pub struct Native {
    /// The workload.
    pub workload: Workload,
    /// The differences from fio, as parts of sentences.
    pub remarks: Vec<String>,
}

/// A workload under construction.
struct Draft<'a> {
    section: &'a Section,
    kind: Kind,
    parameters: Map<String, Value>,
    remarks: BTreeSet<String>,
    durable: DurablePoint,
    cache: CacheState,
    mode: Mode,
    timed: Option<Nanos>,
}

impl Draft<'_> {
    fn set(&mut self, name: &str, value: impl Serialize) {
        self.parameters.insert(name.to_owned(), json!(value));
    }

    fn remark(&mut self, text: &str) {
        self.remarks.insert(text.to_owned());
    }
}

/// Translates a job into a native workload.
///
/// # Errors
/// The reason why it has to run through fio.
pub fn natively(name: &Name, section: &Section) -> Result<Native, String> {
    check(section)?;
    let mut draft = Draft {
        section,
        kind: Kind::of(section).ok_or_else(|| data::not_native(section, "rw"))?,
        parameters: Map::new(),
        remarks: remarks(section),
        durable: DurablePoint::None,
        cache: CacheState::Warm,
        mode: Mode::Whole,
        timed: None,
    };
    data::translate(&mut draft)?;
    duration(&mut draft)?;
    let workload = Workload {
        why: "A job of fio's, as given on the command line.".to_owned(),
        durable: draft.durable,
        cache: draft.cache,
        mode: draft.mode,
        timed_ms: draft.timed.map_or(0, |time| time.0 / 1_000_000),
        slices: SLICES,
        ..Workload::new(name.clone(), "data", metric(std::slice::from_ref(section)), Value::Object(draft.parameters))
    };
    let remarks = draft.remarks.into_iter().collect();
    match crate::data::Parameters::of(&workload) {
        Ok(_) => Ok(Native { workload, remarks }),
        Err(error) => Err(error.to_string()),
    }
}

/// A whole job file as a workload that runs through fio.
pub fn as_it_is(name: Name, file: &JobFile) -> Workload {
    let mut durable = file.sections.iter().map(data::durability);
    let is_direct = file.sections.iter().all(Section::is_direct);
    let parameters = json!({ "job": file.text(&["directory"], &[]) });
    Workload {
        why: "A job file of fio's, as given on the command line.".to_owned(),
        durable: durable.find(|point| *point != DurablePoint::None).unwrap_or(DurablePoint::None),
        cache: if is_direct { CacheState::Direct } else { CacheState::Warm },
        ..Workload::new(name, super::program::NAME, metric(&file.sections), parameters)
    }
}

/// The options that decide where direct I/O begins and how long it is, each with one of its sizes.
fn positions(section: &Section) -> Vec<(u64, &Entry)> {
    const OPTIONS: &str = "bs bsrange bssplit ba offset offset_align offset_increment zonesize zoneskip rw";
    let mut all = Vec::new();
    for entry in section.options.iter().filter(|entry| has(OPTIONS, &entry.key)) {
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
        // `512/10:4k/90,8k-64k`: for reads, writes and trims, in ranges, with percentages.
        let sizes = value.split([',', ':', '-']).map(|size| size.split('/').next().unwrap_or_default());
        all.extend(sizes.filter_map(file::size).filter(|size| *size > 0).map(|size| (size, entry)));
    }
    all.extend(section.entry("bs_unaligned").filter(|_| section.is_set("bs_unaligned")).map(|entry| (1, entry)));
    all
}

/// The first option that leads to direct I/O which is not in whole sectors.
pub fn unaligned(file: &JobFile, sector: Bytes) -> Option<&Entry> {
    let direct = file.sections.iter().filter(|section| section.is_direct());
    let mut all = direct.flat_map(positions);
    all.find(|(size, _)| !size.is_multiple_of(sector.0)).map(|(_, entry)| entry)
}

/// The largest power of two of which all positions and lengths of direct I/O are multiples, at most that of fio's
/// default block; `None` if there is no direct I/O.
pub fn direct_block(file: &JobFile) -> Option<Bytes> {
    let direct: Vec<&Section> = file.sections.iter().filter(|section| section.is_direct()).collect();
    let sizes = direct.iter().flat_map(|section| positions(section)).map(|(size, _)| 1 << size.trailing_zeros());
    (!direct.is_empty()).then(|| Bytes(sizes.fold(BLOCK, u64::min)))
}

/// How long the jobs of the file run, as far as the file gives their time.
pub fn lasts(file: &JobFile) -> Nanos {
    let mut total = Nanos(0);
    let mut group = Nanos(0);
    for section in &file.sections {
        if section.is_set("stonewall") {
            total = total + std::mem::take(&mut group);
        }
        let time = |key| section.value(key).and_then(file::time).unwrap_or_default();
        group = group.max(time("runtime") + time("ramp_time"));
    }
    total + group
}

/// Bytes per second for large sequential blocks, operations per second otherwise.
fn metric(sections: &[Section]) -> Metric {
    let large = |section: &Section| {
        let is_random = section.value("rw").is_some_and(|rw| rw.starts_with("rand"));
        !is_random && section.value("bs").and_then(file::size).is_some_and(|block| block >= LARGE)
    };
    let in_bytes = sections.iter().all(large);
    let (name, unit, measure) = match in_bytes {
        true => ("throughput", "MiB/s", Measure::MebibytesPerSecond),
        false => ("operations-per-second", "IOPS", Measure::OperationsPerSecond),
    };
    Metric { name: name.to_owned(), unit: unit.to_owned(), measure, better: Better::Higher }
}

/// Number of slices of a job that can be sliced.
const SLICES: u32 = 4;
/// Minimum length of a slice.
const SHORTEST: Nanos = Nanos::millis(50);

/// Translates the duration, and divides it into slices if possible.
fn duration(draft: &mut Draft<'_>) -> Result<(), String> {
    let section = draft.section;
    let kind = draft.kind;
    let time = parsed(section, "runtime", file::time)?.filter(|time| time.0 > 0);
    let is_time_based = section.is_set("time_based");
    if is_time_based && time.is_none() {
        return Err("`time_based` without `runtime`".to_owned());
    }
    amount(draft, kind, is_time_based)?;
    if is_time_based && !kind.is_random() {
        draft.set("repeat", true);
    }
    draft.timed = time;
    if is_time_based && leaves_nothing(draft, section, kind) {
        slice(draft);
    }
    Ok(())
}

fn parsed<T>(section: &Section, key: &str, of: fn(&str) -> Option<T>) -> Result<Option<T>, String> {
    section.value(key).map(|text| of(text).ok_or(format!("`{key}={text}` is not understood natively"))).transpose()
}

/// Translates the amount of work. A random job ends when it has moved as many bytes as its files hold.
fn amount(draft: &mut Draft<'_>, kind: Kind, is_time_based: bool) -> Result<(), String> {
    if let Some(operations) = parsed(draft.section, "number_ios", file::size)? {
        draft.set("operations", operations);
    }
    let number = |name: &str| draft.parameters[name].as_u64().unwrap_or(1);
    let all = number("file-size") * number("files");
    let own_end = (kind.is_random() && !is_time_based).then_some(all);
    let bytes = parsed(draft.section, "io_size", file::size)?;
    if bytes.is_some_and(|bytes| bytes > all) && !kind.is_random() {
        return Err("`io_size` is more than the files hold".to_owned());
    }
    if let Some(bytes) = bytes.or(own_end).filter(|_| !is_time_based) {
        draft.set("bytes", bytes);
    }
    Ok(())
}

/// Whether slices are independent: each uses direct I/O, or makes its own writes durable.
fn leaves_nothing(draft: &Draft<'_>, section: &Section, kind: Kind) -> bool {
    let each = |key| section.value(key).and_then(file::size) == Some(1);
    let is_synced = match draft.durable {
        DurablePoint::OSync | DurablePoint::ODsync => true,
        DurablePoint::Fsync => each("fsync"),
        DurablePoint::Fdatasync => each("fdatasync"),
        DurablePoint::None | DurablePoint::Syncfs => false,
    };
    draft.cache == CacheState::Direct || (kind.writes() && is_synced)
}

fn slice(draft: &mut Draft<'_>) {
    let Some(time) = draft.timed.filter(|time| time.0 >= SHORTEST.0 * u64::from(SLICES)) else { return };
    draft.mode = Mode::Sliced;
    let slice = Nanos(time.0 / u64::from(SLICES));
    draft.timed = Some(slice);
    draft.remark(&format!("`runtime` is {SLICES} slices of {slice} in each round"));
}

/// Refuses an option that is not understood, with its name.
fn check(section: &Section) -> Result<(), String> {
    for entry in &section.options {
        let key = entry.key.as_str();
        let is_default = DEFAULTS.iter().any(|(name, value)| key == *name && entry.value.as_deref() == Some(value));
        if !is_default && !has(TRANSLATED, key) && !has(WITHOUT_EFFECT, key) {
            return Err(format!("option `{key}` is not understood natively"));
        }
    }
    Ok(())
}

/// Remarks on the options that are understood but have no effect.
fn remarks(section: &Section) -> BTreeSet<String> {
    let quiet = ["stonewall", "new_group", "name", "description", "unlink", "exitall_on_error"];
    let ignored = section.options.iter().map(|entry| entry.key.as_str());
    let ignored = ignored.filter(|key| has(WITHOUT_EFFECT, key) && !quiet.contains(key));
    let text = |key: &str| match key {
        "directory" => "`directory` is the lane's folder".to_owned(),
        "randseed" | "randrepeat" | "allrandrepeat" | "random_generator" => format!("`{key}`: the run's --seed counts"),
        _ => format!("`{key}` is without effect"),
    };
    ignored.map(text).collect()
}

#[cfg(test)]
mod tests;
