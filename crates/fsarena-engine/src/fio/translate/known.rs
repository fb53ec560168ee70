//! The options that are understood natively, and those of them that have no effect here.

use std::collections::BTreeSet;

use crate::fio::file::Section;

/// The options that [`super::data`] and [`super::duration`] translate.
const TRANSLATED: &[&str] = &[
    "rw",
    "bs",
    "bsrange",
    "size",
    "filesize",
    "nrfiles",
    "filename",
    "io_size",
    "number_ios",
    "numjobs",
    "thread",
    "iodepth",
    "direct",
    "buffered",
    "ioengine",
    "fsync",
    "fdatasync",
    "end_fsync",
    "sync",
    "fallocate",
    "runtime",
    "time_based",
    "rwmixread",
    "rwmixwrite",
    "norandommap",
    "random_distribution",
    "refill_buffers",
    "scramble_buffers",
    "buffer_compress_percentage",
    "buffer_compress_chunk",
    "dedupe_percentage",
    "rate_iops",
    "rate_process",
    "invalidate",
    "overwrite",
    "file_service_type",
    "fadvise_hint",
];

/// Options that do not change the work here.
const WITHOUT_EFFECT: &[&str] = &[
    "directory",
    "stonewall",
    "new_group",
    "name",
    "description",
    "group_reporting",
    "percentile_list",
    "clat_percentiles",
    "lat_percentiles",
    "slat_percentiles",
    "gtod_reduce",
    "disable_lat",
    "disable_clat",
    "disable_slat",
    "disable_bw_measurement",
    "disable_bw",
    "significant_figures",
    "disk_util",
    "unlink",
    "randseed",
    "randrepeat",
    "allrandrepeat",
    "random_generator",
    "create_serialize",
    "create_fsync",
    "bwavgtime",
    "iopsavgtime",
    "exitall_on_error",
];

/// Options that are understood with one value only, with which they have no effect.
const DEFAULTS: &[(&str, &str)] = &[
    ("loops", "1"),
    ("ramp_time", "0"),
    ("verify", "0"),
    ("do_verify", "0"),
    ("zero_buffers", "0"),
    ("offset", "0"),
    ("startdelay", "0"),
    ("thinktime", "0"),
    ("continue_on_error", "none"),
    ("create_on_open", "0"),
    ("pre_read", "0"),
    ("bs_unaligned", "0"),
    ("fsync_on_close", "0"),
    ("zonemode", "none"),
    ("iodepth_batch", "1"),
    ("hipri", "0"),
    ("sqthread_poll", "0"),
    ("fixedbufs", "1"),
    ("registerfiles", "1"),
];

/// Refuses an option that is not understood, with its name.
pub fn check(section: &Section) -> Result<(), String> {
    for entry in &section.options {
        let key = entry.key.as_str();
        let is_default = DEFAULTS.iter().any(|(name, value)| key == *name && entry.value.as_deref() == Some(value));
        if !is_default && !TRANSLATED.contains(&key) && !WITHOUT_EFFECT.contains(&key) {
            return Err(format!("option `{key}` is not understood natively"));
        }
    }
    Ok(())
}

/// Remarks on the options that are understood but have no effect.
pub fn remarks(section: &Section) -> BTreeSet<String> {
    let quiet = ["stonewall", "new_group", "name", "description", "unlink", "exitall_on_error"];
    let ignored = section.options.iter().map(|entry| entry.key.as_str());
    let ignored = ignored.filter(|key| WITHOUT_EFFECT.contains(key) && !quiet.contains(key));
    let text = |key: &str| match key {
        "directory" => "`directory` is the lane's folder".to_owned(),
        "randseed" | "randrepeat" | "allrandrepeat" | "random_generator" => format!("`{key}`: the run's --seed counts"),
        _ => format!("`{key}` is without effect"),
    };
    ignored.map(text).collect()
}
