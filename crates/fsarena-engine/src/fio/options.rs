//! The options of fio that this crate knows.

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
