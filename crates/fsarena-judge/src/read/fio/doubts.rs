//! What a job of fio shows against its figures: it was limited, requests failed, or no file system did the work.

use std::collections::BTreeMap;

use fsarena_lane::kind::named_in;

use super::super::doubts::{FAILED, by_limit, doubt, limited};
use super::super::options::UnitBase;
use super::DIRECTIONS;
use super::parts::JobPart;
use super::work::{seconds, unit_base};
use crate::findings::JudgedFinding;

/// Options that limit a rate, the figure that they limit, and its unit as a multiple of theirs (HOWTO.rst).
const LIMITS: [(&str, &str, f64); 2] = [("rate_iops", "iops", 1.0), ("rate", "bw", 1024.0)];
/// The share of its time that a job may pause (`thinktime`) without a finding.
const PAUSED: f64 = 0.1;

/// Doubts about the figure of a direction; `label` is the contender.
pub fn of(part: &JobPart<'_>, options: &BTreeMap<&str, &str>, direction: &str, label: &str) -> Vec<JudgedFinding> {
    let failed: f64 = part.jobs.iter().filter_map(|job| job["total_err"].as_f64()).sum();
    let failed = (failed > 0.0).then(|| format!("{failed} of its requests failed"));
    let short = part.sum(direction, "short_ios");
    let short =
        (short > FAILED * part.sum(direction, "total_ios")).then(|| format!("{short} of its requests were short"));
    let is_device = |path: &&str| path.starts_with("/dev/") && !path.starts_with("/dev/shm/");
    let device = options.get("filename").and_then(|names| names.split(':').find(is_device));
    let device = device.filter(|_| named_in(label).is_some());
    let device = device.map(|path| format!("it used {path} itself, and no file system"));
    let engine = options.get("ioengine").filter(|engine| **engine == "null");
    let engine = engine.map(|_| "ioengine=null does no I/O".to_owned());
    // A limit of reads also holds back the writes that they are mixed with.
    let limits = LIMITS.iter().flat_map(|limit| DIRECTIONS.map(|direction| (limit, direction)));
    let rate = limits.into_iter().find_map(|((name, figure, unit), direction)| {
        let value = options.get(name)?;
        let most = limit(value, unit_base(options), direction)? * part.copies();
        limited(unit * part.sum(direction, figure), most, &format!("{name}={value}"))
    });
    let pause = || {
        let [read, write, trim, mixed] = DIRECTIONS.map(|direction| part.rate(direction).unwrap_or_default());
        let share = pauses_s(options)? * mixed.max(read + write + trim) / part.copies();
        (share > PAUSED).then(|| by_limit(&format!("thinktime={}", options["thinktime"])))
    };
    let doubts = [failed, short, device, engine].into_iter().flatten().map(doubt);
    doubts.chain(rate.or_else(pause)).chain(part.apart(direction)).collect()
}

/// The limit of a direction: `100,50` is of reads and of writes.
fn limit(value: &str, base: UnitBase, direction: &str) -> Option<f64> {
    let values: Vec<&str> = value.split(',').collect();
    let of = |place: usize| Some(base.bytes(values.get(place).or(values.last())?)? as f64);
    match direction {
        "mixed" => Some(of(0)? + of(1)?),
        _ => of(DIRECTIONS.iter().position(|name| *name == direction)?),
    }
}

/// The seconds that a job pauses for a request.
fn pauses_s(options: &BTreeMap<&str, &str>) -> Option<f64> {
    let requests = options.get("thinktime_blocks").and_then(|count| count.parse().ok()).unwrap_or(1.0_f64);
    Some(seconds(options.get("thinktime")?, 1e-6)? / requests)
}
