//! The options of fio that this crate knows, in both directions: job files are read into parameters of the engine
//! `data`, and written from them.

use fsarena_model::DurablePoint;

use crate::data::parameters::{Calls, Distribution, Pattern, Work};
use crate::pace::Arrivals;

/// The values of `rw`.
pub const RW: &[(&str, Work, Pattern)] = &[
    ("read", Work::Read, Pattern::Sequential),
    ("write", Work::Write, Pattern::Sequential),
    ("randread", Work::Read, Pattern::Random),
    ("randwrite", Work::Write, Pattern::Random),
    ("rw", Work::Mixed, Pattern::Sequential),
    ("readwrite", Work::Mixed, Pattern::Sequential),
    ("randrw", Work::Mixed, Pattern::Random),
];
/// The values of `ioengine` that are understood natively.
pub const CALLS: &[(&str, Calls)] = &[
    ("psync", Calls::Sync),
    ("sync", Calls::Sync),
    ("vsync", Calls::Sync),
    ("pvsync", Calls::Sync),
    ("pvsync2", Calls::Sync),
    ("io_uring", Calls::IoUring),
    ("mmap", Calls::Mmap),
];
/// The values of `random_distribution` that have a number, and fio's default of it (fio.h: `FIO_DEF_ZIPF`,
/// `FIO_DEF_PARETO`).
pub const DISTRIBUTIONS: &[(&str, Distribution, f64)] =
    &[("zipf", Distribution::Zipf, 1.1), ("pareto", Distribution::Pareto, 0.2)];
/// The values of `rate_process`.
pub const PROCESSES: &[(&str, Arrivals)] = &[("linear", Arrivals::Even), ("poisson", Arrivals::Poisson)];
/// The values of `sync` that make each write durable.
pub const SYNCS: &[(&str, DurablePoint)] =
    &[("sync", DurablePoint::OSync), ("1", DurablePoint::OSync), ("dsync", DurablePoint::ODsync)];

/// The meaning of `word` in a table.
pub fn meaning<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}

/// The first word in a table that means `wanted`.
pub fn word<T: PartialEq>(table: &[(&'static str, T)], wanted: &T) -> Option<&'static str> {
    table.iter().find(|(_, meaning)| meaning == wanted).map(|(word, _)| *word)
}

/// Options that have two names. The second name is used here.
const ALIASES: &[(&str, &str)] = &[
    ("readwrite", "rw"),
    ("blocksize", "bs"),
    ("blocksize_range", "bsrange"),
    ("blockalign", "ba"),
    ("blocksize_unaligned", "bs_unaligned"),
    ("nr_files", "nrfiles"),
    ("io_limit", "io_size"),
    ("timeout", "runtime"),
    ("wait_for_previous", "stonewall"),
    ("iomem", "mem"),
    ("start_delay", "startdelay"),
];

/// The first name of an option.
pub fn first_name(key: &str) -> String {
    ALIASES.iter().find(|(other, _)| *other == key).map_or(key, |(_, first)| first).to_owned()
}

/// I/O engines that work on the files of a folder and do nothing else.
pub const ENGINES: &str = "sync, psync, vsync, pvsync, pvsync2, libaio, posixaio, io_uring, mmap, splice, ftruncate, \
                       falloc, filecreate, filestat, filedelete";

/// Options that reach beyond the folder, or whose space cannot be determined beforehand, with the reason.
pub const REFUSED: &[(&str, &str)] = &[
    ("exec_prerun", "runs a command as root"),
    ("exec_postrun", "runs a command as root"),
    ("ioengine_so_path", "loads foreign code"),
    ("ioscheduler", "changes a disk of this machine"),
    ("allow_mounted_write", "writes to disks that are mounted"),
    ("opendir", "works on files that are already there"),
    ("read_iolog", "names files of its own"),
    ("merge_blktrace_file", "names files of its own"),
    ("replay_redirect", "names a file of its own"),
    ("cgroup", "changes this machine's control groups"),
    ("cgroup_weight", "changes this machine's control groups"),
    ("cgroup_nodelete", "changes this machine's control groups"),
    ("fill_device", "fills the lane"),
    ("fill_fs", "fills the lane"),
    ("file_append", "lets a file grow without a bound"),
    ("kb_base", "gives sizes another meaning"),
    ("profile", "brings options of its own"),
    ("create_only", "does no work"),
];

/// The options that are translated.
pub const TRANSLATED: &str = "\
    rw bs bsrange size filesize nrfiles filename io_size number_ios numjobs thread iodepth direct buffered \
    ioengine fsync fdatasync end_fsync sync fallocate runtime time_based rwmixread rwmixwrite norandommap \
    random_distribution refill_buffers scramble_buffers buffer_compress_percentage buffer_compress_chunk \
    dedupe_percentage rate_iops rate_process invalidate overwrite file_service_type fadvise_hint";

/// Options that do not change the work here.
pub const WITHOUT_EFFECT: &str = "\
    directory stonewall new_group name description group_reporting percentile_list clat_percentiles \
    lat_percentiles slat_percentiles gtod_reduce disable_lat disable_clat disable_slat disable_bw_measurement \
    disable_bw significant_figures disk_util unlink randseed randrepeat allrandrepeat random_generator \
    create_serialize create_fsync bwavgtime iopsavgtime exitall_on_error";

/// Options that are understood with one value only, with which they have no effect.
pub const DEFAULTS: &[(&str, &str)] = &[
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

/// Whether `word` is one of `words`.
pub fn has(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}
