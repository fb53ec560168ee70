//! Whether what a job of fio wrote was durable when the clock stopped. What was done overrules what was asked for.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::doubts::{DONE, share_of_syncs};
use super::super::written;
use super::parts::JobPart;
use super::work;
use crate::measured::SyncedResult;

/// Options that sync once in that many writes (HOWTO.rst). fio counts these syncs only.
const PERIODIC: [&str; 2] = ["fsync", "fdatasync"];
/// Options that sync at the end of the measured time (HOWTO.rst).
const AT_END: [&str; 2] = ["end_fsync", "fsync_on_close"];

/// How often a job was to sync, and how often it did.
pub struct JobSyncs<'a> {
    part: &'a JobPart<'a>,
    /// `None` if no options are recorded.
    asked: Option<AskedSyncs>,
    /// The number of syncs that fio counted, if it did.
    count: Option<f64>,
}

struct AskedSyncs {
    /// Each write, by the way in which files are opened.
    is_open: bool,
    /// Once in that many writes.
    every: Option<f64>,
    is_at_end: bool,
    /// Its own writes to the device, without a flush (sync_file_range(2)).
    is_of_range: bool,
    /// Bytes of the files of one clone.
    size: Option<f64>,
}

impl AskedSyncs {
    fn of(part: &JobPart<'_>, options: &BTreeMap<&str, &str>) -> Self {
        let set = |name: &str| options.get(name).and_then(|text| text.parse::<f64>().ok()).filter(|it| *it > 0.0);
        let every = PERIODIC.into_iter().filter_map(set).reduce(f64::min);
        Self {
            // Before 3.27, `sync` was 0 or 1.
            is_open: options.get("sync").is_some_and(|text| ["1", "sync", "dsync"].contains(text)),
            every: every.filter(|every| part.writes(options).is_none_or(|writes| writes >= *every)),
            is_at_end: AT_END.into_iter().any(|name| set(name).is_some()),
            is_of_range: options.contains_key("sync_file_range"),
            size: options.get("size").and_then(|size| work::unit_base(options).bytes(size)).map(|bytes| bytes as f64),
        }
    }
}

impl<'a> JobSyncs<'a> {
    pub fn of(value: &Value, part: &'a JobPart<'a>) -> Self {
        let asked = work::options(value, part.jobs[0]).map(|options| AskedSyncs::of(part, &options));
        Self { part, asked, count: part.syncs() }
    }

    /// The share of the syncs that it was to do that it did.
    pub fn share(&self) -> Option<f64> {
        let asked = self.part.sum("write", "total_ios") / self.asked.as_ref()?.every?;
        share_of_syncs(self.count?, asked)
    }

    /// The least bytes that the device must have got: what is overwritten between two syncs need not be written.
    pub fn least(&self) -> f64 {
        let Some(AskedSyncs { is_open, every, is_at_end, size, .. }) = self.asked else { return 0.0 };
        let written = self.part.sum("write", "io_bytes");
        match every {
            _ if is_open || self.part.is_direct() => written,
            Some(every) => written / every,
            None if is_at_end => size.map_or(0.0, |size| written.min(size * self.part.copies())),
            None => 0.0,
        }
    }

    /// `is_lost`: the devices got less than they must have.
    pub fn result(&self, is_lost: bool) -> SyncedResult {
        let is_counted = self.count.map(|count| count > 0.0);
        let Some(AskedSyncs { is_open, every, is_at_end, is_of_range, .. }) = self.asked else {
            return if is_counted == Some(true) { SyncedResult::Synced } else { SyncedResult::Unknown };
        };
        let is_periodic = match every {
            Some(_) => self.share().map(|share| share >= DONE).or(is_counted).unwrap_or(true),
            None => is_counted == Some(true) && !is_of_range,
        };
        written(!is_lost && (is_open || is_at_end || is_periodic))
    }
}
