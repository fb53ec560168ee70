//! Translates the duration of a job, and decides whether it may be cut into slices.

use fsarena_model::{CacheState, DurablePoint, Mode, Nanos};

use super::Draft;
use super::data::Kind;
use crate::fio::file::Section;
use crate::fio::value;

/// Number of slices of a sliced job.
const SLICES: u32 = 4;
/// Minimum length of a slice.
const SHORTEST: Nanos = Nanos::millis(50);

/// Translates the duration, and divides it into slices if possible.
pub fn translate(draft: &mut Draft<'_>) -> Result<(), String> {
    let section = draft.section;
    let kind = Kind::of(section).ok_or("`rw`")?;
    let time = read(section, "runtime", value::time)?.filter(|time| time.0 > 0);
    let is_time_based = section.is_set("time_based");
    if is_time_based && time.is_none() {
        return Err("`time_based` without `runtime`".to_owned());
    }
    amount(draft, kind, is_time_based)?;
    if is_time_based && !kind.is_random {
        draft.set("repeat", true);
    }
    draft.timed = time;
    if is_time_based && leaves_nothing(draft, section, kind) {
        slice(draft);
    }
    Ok(())
}

fn read<T>(section: &Section, key: &str, of: fn(&str) -> Option<T>) -> Result<Option<T>, String> {
    section.value(key).map(|text| of(text).ok_or(format!("`{key}={text}` is not understood natively"))).transpose()
}

/// Translates the amount of work. A random job ends when it has moved as many bytes as its files hold.
fn amount(draft: &mut Draft<'_>, kind: Kind, is_time_based: bool) -> Result<(), String> {
    if let Some(operations) = read(draft.section, "number_ios", value::size)? {
        draft.set("operations", operations);
    }
    let number = |name: &str| draft.parameters[name].as_u64().unwrap_or(1);
    let all = number("file-size") * number("files");
    let own_end = (kind.is_random && !is_time_based).then_some(all);
    let bytes = read(draft.section, "io_size", value::size)?;
    if bytes.is_some_and(|bytes| bytes > all) && !kind.is_random {
        return Err("`io_size` is more than the files hold".to_owned());
    }
    if let Some(bytes) = bytes.or(own_end).filter(|_| !is_time_based) {
        draft.set("bytes", bytes);
    }
    Ok(())
}

/// Whether slices are independent: each uses direct I/O, or makes its own writes durable.
fn leaves_nothing(draft: &Draft<'_>, section: &Section, kind: Kind) -> bool {
    let each = |key| section.value(key).and_then(value::size) == Some(1);
    let is_synced = match draft.durable {
        DurablePoint::OSync | DurablePoint::ODsync => true,
        DurablePoint::Fsync => each("fsync"),
        DurablePoint::Fdatasync => each("fdatasync"),
        DurablePoint::None | DurablePoint::Syncfs => false,
    };
    draft.cache == CacheState::Direct || (kind.writes && is_synced)
}

fn slice(draft: &mut Draft<'_>) {
    let Some(time) = draft.timed.filter(|time| time.0 >= SHORTEST.0 * u64::from(SLICES)) else { return };
    draft.mode = Mode::Sliced;
    draft.slices = SLICES;
    let slice = Nanos(time.0 / u64::from(SLICES));
    draft.timed = Some(slice);
    draft.remark(&format!("`runtime` is {SLICES} slices of {slice} in each round"));
}
