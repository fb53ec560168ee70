//! The options of each mkfs, according to the tools' manuals.

use super::OptionRule::{Block, Label, Listed, Ours, Refused, Words};
use super::{MkfsOption, OptionWord, flag, value};

const SEED: &str = "it follows from the seed of the run";
pub(super) const SIZE: &str = "each contender fills its lane (`--lane-size`)";
const FILLED: &str = "each contender begins empty";
const ELSEWHERE: &str = "it uses a device or a file that fsarena has not made";
const PRINTS: &str = "it makes nothing";
pub(super) const LATER: &str = "what mkfs leaves for later is done in the background, in the time of the work";
const DISCARD: &str = "no contender discards its lane, which is written in full before each mkfs";
const OTHER_KIND: &str = "it makes another kind of file system";

/// mke2fs(8), mke2fs 1.47.
pub(crate) const MKE2FS: &[MkfsOption] = &[
    value(&["-b"], Block),
    flag(&["-c"], Refused("it reads or writes the whole lane before")),
    value(&["-C"], Listed),
    value(&["-d"], Refused(FILLED)),
    flag(&["-D"], Listed),
    value(&["-e"], Listed),
    value(&["-E"], Words(EXTENDED)),
    flag(&["-F"], Ours),
    value(&["-g"], Listed),
    value(&["-G"], Listed),
    value(&["-i"], Listed),
    value(&["-I"], Listed),
    flag(&["-j"], Listed),
    value(
        &["-J"],
        Words(&[
            ("device", OptionWord::Refused(ELSEWHERE)),
            ("fast_commit_size", OptionWord::Listed),
            ("location", OptionWord::Listed),
            ("size", OptionWord::Listed),
        ]),
    ),
    flag(&["-K"], Ours),
    value(&["-l"], Refused(ELSEWHERE)),
    value(&["-L"], Label(16)),
    value(&["-m"], Listed),
    value(&["-M"], Listed),
    flag(&["-n"], Refused(PRINTS)),
    value(&["-N"], Listed),
    value(&["-o"], Listed),
    value(&["-O"], Words(&[("journal_dev", OptionWord::Refused(OTHER_KIND)), ("", OptionWord::Listed)])),
    flag(&["-q"], Ours),
    value(&["-r"], Listed),
    value(&["-R"], Refused("`-E` has taken its place")),
    flag(&["-S"], Refused("it writes only the super block")),
    value(&["-t"], Refused("the name of the contender says it")),
    value(&["-T"], Listed),
    value(&["-U"], Refused(SEED)),
    flag(&["-v"], Listed),
    flag(&["-V"], Refused(PRINTS)),
    value(&["-z"], Refused(ELSEWHERE)),
];

const EXTENDED: &[(&str, OptionWord)] = &[
    ("assume_storage_prezeroed", OptionWord::Refused("lanes are not zero")),
    ("discard", OptionWord::Refused(DISCARD)),
    ("encoding", OptionWord::Listed),
    ("encoding_flags", OptionWord::Listed),
    ("hash_seed", OptionWord::Refused(SEED)),
    ("lazy_itable_init", OptionWord::Ours("0")),
    ("lazy_journal_init", OptionWord::Ours("0")),
    ("mmp_update_interval", OptionWord::Listed),
    ("nodiscard", OptionWord::Ours("")),
    ("num_backup_sb", OptionWord::Listed),
    ("offset", OptionWord::Refused(SIZE)),
    ("orphan_file_size", OptionWord::Listed),
    ("packed_meta_blocks", OptionWord::Listed),
    ("quotatype", OptionWord::Listed),
    ("resize", OptionWord::Listed),
    ("revision", OptionWord::Listed),
    ("root_owner", OptionWord::Listed),
    ("root_perms", OptionWord::Listed),
    ("stride", OptionWord::Listed),
    ("stripe-width", OptionWord::Listed),
    ("stripe_width", OptionWord::Listed),
    ("test_fs", OptionWord::Listed),
];

/// mkfs.xfs(8), xfsprogs 6.1 to 6.13.
pub(crate) const MKFS_XFS: &[MkfsOption] = &[
    value(&["-b"], Words(&[("size", OptionWord::Block), ("log", OptionWord::BlockLog)])),
    value(&["-c"], Refused(ELSEWHERE)),
    value(
        &["-d"],
        Words(&[
            ("file", OptionWord::Refused(ELSEWHERE)),
            ("name", OptionWord::Refused(ELSEWHERE)),
            ("sectlog", OptionWord::BlockLog),
            ("sectsize", OptionWord::Block),
            ("size", OptionWord::Refused(SIZE)),
            ("", OptionWord::Listed),
        ]),
    ),
    flag(&["-f"], Ours),
    value(&["-i"], Words(ANY)),
    flag(&["-K"], Ours),
    value(
        &["-l"],
        Words(&[
            ("file", OptionWord::Refused(ELSEWHERE)),
            ("logdev", OptionWord::Refused(ELSEWHERE)),
            ("name", OptionWord::Refused(ELSEWHERE)),
            ("sectlog", OptionWord::BlockLog),
            ("sectsize", OptionWord::Block),
            ("", OptionWord::Listed),
        ]),
    ),
    value(&["-L"], Label(12)),
    value(&["-m"], Words(&[("uuid", OptionWord::Refused(SEED)), ("", OptionWord::Listed)])),
    value(&["-n"], Words(ANY)),
    flag(&["-N"], Refused(PRINTS)),
    value(&["-p"], Refused(FILLED)),
    flag(&["-q"], Ours),
    value(&["-r"], Refused(ELSEWHERE)),
    value(&["-s"], Words(&[("log", OptionWord::BlockLog), ("size", OptionWord::Block)])),
    flag(&["-V"], Refused(PRINTS)),
];

/// The tool itself refuses words that it does not know.
const ANY: &[(&str, OptionWord)] = &[("", OptionWord::Listed)];

/// mkfs.btrfs(8), btrfs-progs 6.2 to 6.15.
pub(crate) const MKFS_BTRFS: &[MkfsOption] = &[
    value(&["-b", "--byte-count"], Refused(SIZE)),
    value(&["--compress"], Refused(FILLED)),
    value(&["--csum", "--checksum"], Listed),
    value(&["-d", "--data"], Listed),
    value(&["--device-uuid"], Refused(SEED)),
    flag(&["-f", "--force"], Ours),
    flag(&["--help"], Refused(PRINTS)),
    value(&["--inode-flags"], Refused(FILLED)),
    flag(&["-K", "--nodiscard"], Ours),
    value(&["-l", "--leafsize"], Refused("`-n` has taken its place")),
    value(&["-L", "--label"], Label(255)),
    value(&["-m", "--metadata"], Listed),
    flag(&["-M", "--mixed"], Listed),
    value(&["-n", "--nodesize"], Listed),
    value(&["-O", "--features"], Words(&[("list-all", OptionWord::Refused(PRINTS)), ("", OptionWord::Listed)])),
    flag(&["-q", "--quiet"], Listed),
    value(&["-r", "--rootdir"], Refused(FILLED)),
    value(&["-R", "--runtime-features"], Words(&[("list-all", OptionWord::Refused(PRINTS)), ("", OptionWord::Listed)])),
    value(&["-s", "--sectorsize"], Block),
    flag(&["--shrink"], Refused(SIZE)),
    value(&["-u", "--subvol"], Refused(FILLED)),
    value(&["-U", "--uuid"], Refused(SEED)),
    flag(&["-v", "--verbose"], Listed),
    flag(&["-V", "--version"], Refused(PRINTS)),
];

/// mkfs.f2fs(8), f2fs-tools 1.15 to 1.16.
pub(crate) const MKFS_F2FS: &[MkfsOption] = &[
    value(&["-a"], Listed),
    value(&["-b"], Block),
    value(&["-c"], Refused(ELSEWHERE)),
    value(&["-C"], Listed),
    value(&["-d"], Listed),
    value(&["-e"], Listed),
    value(&["-E"], Listed),
    flag(&["-f"], Ours),
    value(&["-g"], Listed),
    flag(&["-i"], Listed),
    value(&["-l"], Label(512)),
    flag(&["-m"], Refused(ELSEWHERE)),
    value(&["-o"], Listed),
    value(&["-O"], Words(ANY)),
    flag(&["-q"], Ours),
    flag(&["-r"], Listed),
    value(&["-R"], Listed),
    value(&["-s"], Listed),
    flag(&["-S"], Refused("it makes a sparse image")),
    value(&["-t"], Refused(DISCARD)),
    value(&["-T"], Listed),
    value(&["-U"], Refused(SEED)),
    flag(&["-V"], Refused(PRINTS)),
    value(&["-w"], Block),
    value(&["-z"], Listed),
];

/// mkfs.nilfs2(8), nilfs-utils 2.2.
pub(crate) const MKFS_NILFS2: &[MkfsOption] = &[
    value(&["-b"], Block),
    value(&["-B"], Listed),
    flag(&["-c"], Refused("it reads the whole lane before")),
    flag(&["-f"], Ours),
    flag(&["-h"], Refused(PRINTS)),
    flag(&["-K"], Ours),
    value(&["-L"], Label(80)),
    value(&["-m"], Listed),
    flag(&["-n"], Refused(PRINTS)),
    value(&["-O"], Words(ANY)),
    flag(&["-q"], Ours),
    flag(&["-v"], Listed),
    flag(&["-V"], Refused(PRINTS)),
];

/// mkfs.jfs(8), jfsutils 1.1.
pub(crate) const MKFS_JFS: &[MkfsOption] = &[
    flag(&["-c"], Refused("it reads the whole lane before")),
    flag(&["-f"], Ours),
    value(&["-J"], Refused(ELSEWHERE)),
    value(&["-L"], Label(16)),
    flag(&["-O"], Listed),
    flag(&["-q"], Ours),
    value(&["-s"], Listed),
    flag(&["-V"], Refused(PRINTS)),
];

/// mkreiserfs(8), reiserfsprogs 3.6.
pub(crate) const MKREISERFS: &[MkfsOption] = &[
    value(&["-b", "--block-size"], Block),
    value(&["-B", "--badblocks"], Refused(ELSEWHERE)),
    flag(&["-d", "--debug"], Listed),
    flag(&["-f"], Ours),
    value(&["--format"], Listed),
    value(&["-h", "--hash"], Listed),
    value(&["-j", "--journal-device"], Refused(ELSEWHERE)),
    value(&["-l", "--label"], Label(16)),
    value(&["-o", "--journal-offset"], Refused(ELSEWHERE)),
    flag(&["-q", "--quiet"], Ours),
    value(&["-s", "--journal-size"], Listed),
    value(&["-t", "--transaction-max-size"], Listed),
    value(&["-u", "--uuid"], Refused(SEED)),
    flag(&["-V"], Refused(PRINTS)),
];

/// mkfs.exfat(8), exfatprogs 1.2.
pub(crate) const MKFS_EXFAT: &[MkfsOption] = &[
    value(&["-b", "--boundary-align"], Listed),
    value(&["-c", "--cluster-size"], Listed),
    flag(&["-f", "--full-format"], Listed),
    flag(&["-h", "--help"], Refused(PRINTS)),
    value(&["-L", "--volume-label"], Label(11)),
    flag(&["--pack-bitmap"], Listed),
    value(&["-s", "--sector-size"], Block),
    value(&["-U", "--volume-guid"], Listed),
    flag(&["-v", "--verbose"], Listed),
    flag(&["-V", "--version"], Refused(PRINTS)),
];

/// mkudffs(8), udftools 2.3.
pub(crate) const MKUDFFS: &[MkfsOption] = &[
    value(&["-b", "--blocksize"], Refused("the lane's is 4096 bytes for each contender")),
    value(&["-l", "--label"], Label(126)),
    value(&["-m", "--media-type"], Refused("lanes are hard disks")),
    flag(&["-n", "--no-write"], Refused(PRINTS)),
    value(&["-r", "--udfrev"], Listed),
    value(&["-s", "--startblock"], Refused(SIZE)),
    value(&["-u", "--uuid"], Listed),
];
