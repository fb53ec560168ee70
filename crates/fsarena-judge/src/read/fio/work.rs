//! What defines the work of a fio job: its options without those of places, reports and defaults (HOWTO.rst).

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::options::UnitBase;

/// Options that only say where, under which name, or what is reported, without an effect on the work.
const NO_WORK: [&str; 45] = [
    "name", "description", "directory", "filename", "filename_format", "unique_filename", "opendir", "unlink",
    "output", "output-format", "group_reporting", "new_group", "stonewall", "wait_for", "wait_for_previous", "stats",
    "per_job_logs", "write_bw_log", "write_lat_log", "write_iops_log", "write_hist_log", "log_avg_msec",
    "log_hist_msec", "log_unix_epoch", "bwavgtime", "iopsavgtime", "disk_util", "clat_percentiles", "lat_percentiles",
    "slat_percentiles", "percentile_list", "significant_figures", "randseed", "log_alternate_epoch",
    "log_alternate_epoch_clock_id", "log_entries", "log_hist_coarseness", "log_max_value", "log_offset", "log_prio",
    "log_store_compressed", "write_iolog", "exec_postrun", "kb_base", "unit_base",
];

/// Defaults of options, which are always part of the work; those of all others are 0.
const DEFAULTS: [(&str, &str); 32] = [
    ("rw", "read"),
    ("bs", "4k"),
    ("direct", "0"),
    ("sync", "0"),
    ("fsync", "0"),
    ("fdatasync", "0"),
    ("ioengine", "psync"),
    ("iodepth", "1"),
    ("numjobs", "1"),
    ("nrfiles", "1"),
    ("loops", "1"),
    ("invalidate", "1"),
    ("randrepeat", "1"),
    ("rwmixread", "50"),
    ("allow_file_create", "1"),
    ("create_fsync", "1"),
    ("create_serialize", "1"),
    ("do_verify", "1"),
    ("fadvise_hint", "1"),
    ("fallocate", "native"),
    ("file_service_type", "roundrobin"),
    ("io_submit_mode", "inline"),
    ("iodepth_batch", "1"),
    ("iodepth_batch_complete_min", "1"),
    ("mem", "malloc"),
    ("percentage_random", "100"),
    ("random_distribution", "random"),
    ("random_generator", "tausworthe"),
    ("rate_process", "linear"),
    ("rw_sequencer", "sequential"),
    ("scramble_buffers", "1"),
    ("thinktime_blocks", "1"),
];

/// The fact in place of options that are not recorded.
pub const NOT_RECORDED: (&str, &str) = ("options", "not recorded");

/// Options with times: a number without a unit is in seconds.
const TIMES: [&str; 3] = ["runtime", "ramp_time", "startdelay"];

/// The options of a job by name; `None` if none are recorded.
pub fn options<'a>(value: &'a Value, job: &'a Value) -> Option<BTreeMap<&'a str, &'a str>> {
    let global = &value["global options"];
    // With clients, there is an object for each of them.
    let global = global.as_array().and_then(|clients| clients.first()).unwrap_or(global);
    let all = [global, &job["job options"]].map(Value::as_object);
    let pairs = all.into_iter().flatten().flatten().map(|(name, value)| (known(name), value.as_str().unwrap_or("1")));
    all.iter().any(Option::is_some).then(|| pairs.collect())
}

/// Whether a job with these options starts with the jobs before it, although its group is another one.
pub fn is_no_barrier(options: &BTreeMap<&str, &str>) -> bool {
    options.contains_key("new_group") && !["stonewall", "wait_for_previous"].iter().any(|it| options.contains_key(it))
}

/// The name that newer versions print.
fn known(name: &str) -> &str {
    match name {
        "readwrite" => "rw",
        "blocksize" => "bs",
        other => other,
    }
}

/// fio's units: `k`, `kb` and `ki` are 1024 and `KiB` is 1000, unless `kb_base=1000` exchanges them (HOWTO.rst).
pub fn unit_base(options: &BTreeMap<&str, &str>) -> UnitBase {
    match options.get("kb_base") {
        Some(&"1000") => UnitBase { k: 1000, kib: 1024 },
        _ => UnitBase { k: 1024, kib: 1000 },
    }
}

/// What defines the work.
pub fn work(options: Option<&BTreeMap<&str, &str>>) -> BTreeMap<String, String> {
    let Some(options) = options else {
        return BTreeMap::from([(NOT_RECORDED.0.to_owned(), NOT_RECORDED.1.to_owned())]);
    };
    let base = unit_base(options);
    let mut work: BTreeMap<String, String> =
        DEFAULTS.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    for (name, value) in options.iter().filter(|(name, _)| !NO_WORK.contains(name)) {
        let (name, value) = match (*name, *value) {
            ("rwmixwrite", value) => {
                ("rwmixread", value.parse().map_or(value.to_owned(), |share| 100_u64.saturating_sub(share).to_string()))
            }
            // It names a place, such as that of `fstrim`.
            ("exec_prerun", _) => ("exec_prerun", "set".to_owned()),
            ("buffered", value) => ("direct", u8::from(is_zero(value)).to_string()),
            (name, "") => (name, "1".to_owned()),
            (name, value) if is_zero(value) => (name, "0".to_owned()),
            (name, value) if TIMES.contains(&name) => {
                (name, seconds(value, 1.0).map_or_else(|| value.to_owned(), |time| time.to_string()))
            }
            (name, value) => (name, parts(value, base)),
        };
        if value != "0" || work.contains_key(name) {
            work.insert(name.to_owned(), value);
        }
    }
    // Where it was is no work, but the number of files and directories is.
    let count = |name: &str| options.get(name).map(|names| names.replace("\\:", "").split(':').count());
    if let Some(count) = count("directory").filter(|count| *count > 1) {
        work.insert("directory".to_owned(), format!("{count} names"));
    }
    let format = options.get("filename_format").filter(|format| !format.is_empty());
    let has_no = |part: &str| format.is_some_and(|format| !format.contains(part));
    let files = count("filename").or(has_no("$filenum").then_some(1));
    work.extend(files.map(|count| ("nrfiles".to_owned(), count.to_string())));
    let are_shared = work["numjobs"] != "1" && (options.contains_key("filename") || has_no("$jobnum"));
    let files = if are_shared { "the same" } else { "their own" };
    work.insert("files of clones".to_owned(), files.to_owned());
    work
}

fn is_zero(value: &str) -> bool {
    ["none", "no"].contains(&value) || value.parse() == Ok(0_u64)
}

/// A list of sizes, as `4k,8k`, `4k-8k` or `4k/50:8k/50`.
fn parts(value: &str, base: UnitBase) -> String {
    let separators = [',', '-', ':', '/'];
    value
        .split_inclusive(separators)
        .map(|part| match part.strip_suffix(separators) {
            Some(text) => format!("{}{}", base.size(text), &part[text.len()..]),
            None => base.size(part),
        })
        .collect()
}

/// Seconds of `1m`, `500ms` or `60`, which is in units of `unit` seconds.
pub fn seconds(value: &str, unit: f64) -> Option<f64> {
    let digits = value.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(value.len());
    let factor = match &value[digits..] {
        "" => unit,
        "us" | "usec" => 1e-6,
        "ms" | "msec" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Some(factor * value[..digits].parse::<f64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_and_defaults_do_not_differ() {
        let of = |pairs: &[(&str, &str)]| work(Some(&pairs.iter().copied().collect()));
        let plain = of(&[("rw", "randread"), ("bs", "4096"), ("direct", "1"), ("runtime", "1m")]);
        let other = [("bs", "4k"), ("buffered", "0"), ("runtime", "60s"), ("rw", "randread"), ("fsync", "00")];
        assert_eq!(plain, of(&other));
        assert_eq!((plain["bs"].as_str(), plain["runtime"].as_str(), plain["fsync"].as_str()), ("4k", "60", "0"));
        assert_eq!(of(&[("filename", "/mnt/a"), ("group_reporting", ""), ("sync", "none")]), of(&[]));
        assert_eq!(of(&[("bssplit", "4096/50:8ki/50")])["bssplit"], "4k/50:8k/50");
        // As fio 3.33 reads them.
        for (base, value, bytes) in [
            ("1024", "4KB", "4k"),
            ("1024", "4ki", "4k"),
            ("1024", "4KiB", "4000"),
            ("1000", "4k", "4000"),
            ("1000", "4ki", "4000"),
            ("1000", "4KiB", "4k"),
            ("1000", "4096", "4k"),
        ] {
            let own = of(&[("kb_base", base), ("bs", value), ("bsrange", &format!("{value}-1")), ("unit_base", "8")]);
            assert_eq!(own, of(&[("bs", bytes), ("bsrange", &format!("{bytes}-1"))]), "{base}: {value}");
        }
        let prepared = |command| of(&[("exec_prerun", command), ("exec_postrun", command), ("write_iolog", command)]);
        assert_eq!(prepared("fstrim /mnt/ext4"), prepared("fstrim /mnt/xfs"));
        assert_ne!(prepared("fstrim /mnt/ext4"), of(&[]));
        assert_ne!(work(None), of(&[]));
        for (name, default) in DEFAULTS {
            assert_eq!(of(&[(name, default)]), of(&[]), "{name}");
            assert_eq!(of(&[(name, "0")]) == of(&[]), default == "0", "{name}");
        }
        assert_ne!(of(&[("fallocate", "none")]), of(&[]));
    }
}
