//! The options of each mkfs, according to the tools' manuals.

use super::OptionRule::{Block, BlockLog, Feature, Fixed, Label, Listed, Needs, Ours, Record, Refused, Valued, Words};
use super::{ListRules, MkfsOptions, flags, values};

const SEED: &str = "it follows from the seed of the run";
pub(super) const SIZE: &str = "each contender fills its lane (`--lane-size`)";
const FILLED: &str = "each contender begins empty";
pub(super) const ELSEWHERE: &str = "it uses a device or a file that fsarena has not made";
const PRINTS: &str = "it makes nothing";
const WRITES: &str = "it reads or writes the whole lane before";
const LATER: &str = "what mkfs leaves for later is done in the background, in the time of the work";
const DISCARD: &str = "no contender discards its lane, which is written in full before each mkfs";
const OTHER_KIND: &str = "it makes another kind of file system";
pub(super) const READ_ONLY: &str = "it could not be written to";
pub(super) const HALTS: &str = "it would halt this machine";
pub(super) const COLON: &str = "mount options follow a colon, as in `KIND:noatime`";

/// Words that the tool itself knows or refuses.
const ANY: &ListRules = &[("", Listed)];

/// mke2fs(8), mke2fs 1.47.
pub(crate) const MKE2FS: &[MkfsOptions] = &[
    values("-C -g -G -i -I -m -M -N -r -T", Listed),
    values("-e", Words(&[("panic", Refused(HALTS)), ("", Listed)])),
    flags("-D -v", Listed),
    flags("-j", Needs("has_journal")),
    flags("-F -K -q", Ours),
    values("-b", Block),
    values("-L", Label(16)),
    values("-E", Words(EXTENDED)),
    values(
        "-J",
        Words(&[
            ("device", Refused(ELSEWHERE)),
            ("fast_commit_size", Needs("fast_commit")),
            ("location size", Needs("has_journal")),
        ]),
    ),
    values("-o", Words(&[("linux", Ours), ("", Refused(COLON))])),
    values("-O", Words(EXT_FEATURES)),
    flags("-c", Refused(WRITES)),
    flags("-n -V", Refused(PRINTS)),
    flags("-S", Refused("it writes only the super block")),
    values("-d", Refused(FILLED)),
    values("-l -z", Refused(ELSEWHERE)),
    values("-R", Refused("`-E` has taken its place")),
    values("-t", Refused("the name of the contender says it")),
    values("-U", Refused(SEED)),
];

const EXT_FEATURES: &ListRules = &[
    ("journal_dev", Refused(OTHER_KIND)),
    ("feature_*", Refused("a feature is given by its name, and not by its number")),
    ("", Feature),
];

const EXTENDED: &ListRules = &[
    ("encoding encoding_flags", Needs("casefold")),
    ("packed_meta_blocks revision root_owner root_perms stride stripe-width stripe_width test_fs", Listed),
    ("mmp_update_interval", Needs("mmp")),
    ("num_backup_sb", Needs("sparse_super2")),
    ("orphan_file_size", Needs("orphan_file")),
    ("quotatype", Needs("quota")),
    ("resize", Needs("resize_inode")),
    ("lazy_itable_init lazy_journal_init", Fixed("0", LATER)),
    ("nodiscard", Ours),
    ("assume_storage_prezeroed", Refused("lanes are not zero")),
    ("discard", Refused(DISCARD)),
    ("hash_seed", Refused(SEED)),
    ("offset", Refused(SIZE)),
];

/// mkfs.xfs(8), xfsprogs 6.1 to 6.13.
pub(crate) const MKFS_XFS: &[MkfsOptions] = &[
    flags("-f -K -q", Ours),
    values("-L", Label(12)),
    values("-i -n", Words(ANY)),
    values("-b -s", Words(&[("log", BlockLog), ("size", Block)])),
    values(
        "-d",
        Words(&[
            ("file name", Refused(ELSEWHERE)),
            ("sectlog", BlockLog),
            ("sectsize", Block),
            ("size", Refused(SIZE)),
            ("", Listed),
        ]),
    ),
    values(
        "-l",
        Words(&[("file logdev name", Refused(ELSEWHERE)), ("sectlog", BlockLog), ("sectsize", Block), ("", Listed)]),
    ),
    values("-m", Words(&[("uuid", Refused(SEED)), ("", Listed)])),
    flags("-N -V", Refused(PRINTS)),
    values("-c -r", Refused(ELSEWHERE)),
    values("-p", Refused(FILLED)),
];

/// mkfs.btrfs(8), btrfs-progs 6.2 to 6.15.
pub(crate) const MKFS_BTRFS: &[MkfsOptions] = &[
    values("--csum|--checksum -d|--data -m|--metadata -n|--nodesize", Listed),
    flags("-M|--mixed -q|--quiet -v|--verbose", Listed),
    flags("-f|--force -K|--nodiscard", Ours),
    values("-s|--sectorsize", Block),
    values("-L|--label", Label(255)),
    values("-O|--features -R|--runtime-features", Words(&[("list-all", Refused(PRINTS)), ("", Listed)])),
    flags("--help -V|--version", Refused(PRINTS)),
    flags("--shrink", Refused(SIZE)),
    values("-b|--byte-count", Refused(SIZE)),
    values("--compress --inode-flags -r|--rootdir -u|--subvol", Refused(FILLED)),
    values("--device-uuid -U|--uuid", Refused(SEED)),
    values("-l|--leafsize", Refused("`-n` has taken its place")),
];

const MOUNTED: &str = "it says where it is mounted, which fsarena does";

/// zpool-create(8), zpoolprops(7), zfsprops(7), OpenZFS 2.1 to 2.3.
pub(crate) const ZPOOL: &[MkfsOptions] = &[
    flags("-d", Listed),
    flags("-f", Ours),
    flags("-n", Refused(PRINTS)),
    values("-m -R", Refused(MOUNTED)),
    values(
        "-o",
        Words(&[
            ("ashift", BlockLog),
            ("cachefile", Fixed("none", "the machine would import the pool when it starts")),
            ("altroot", Refused(MOUNTED)),
            ("autotrim=off", Listed),
            ("autotrim", Refused(DISCARD)),
            ("compatibility=/* compatibility=.*", Refused(ELSEWHERE)),
            ("failmode=panic", Refused(HALTS)),
            ("readonly", Refused(READ_ONLY)),
            ("size", Refused(SIZE)),
            ("autoexpand autoreplace comment compatibility dedup_table_quota delegation failmode feature@*", Valued),
            ("listsnapshots multihost version", Valued),
        ]),
    ),
    values(
        "-O",
        Words(&[
            ("canmount mountpoint", Refused(MOUNTED)),
            ("encryption keyformat keylocation pbkdf2iters", Refused("its key would have to be loaded at each mount")),
            ("sharenfs sharesmb", Refused("others would get access to it")),
            ("noatime", Refused("the property is `atime=off`")),
            ("compress", Refused("the property is `compression`")),
            ("recsize", Refused("the property is `recordsize`")),
            ("ashift", Refused("it belongs to the pool, as in `zfs -o ashift=13`")),
            ("readonly=off zoned=off", Listed),
            ("readonly ro", Refused(READ_ONLY)),
            ("zoned", Refused("it could not be mounted here")),
            ("quota refquota refreservation reservation", Refused(SIZE)),
            ("volblocksize volmode volsize volthreading", Refused("a volume has it, which is no file system")),
            ("recordsize", Record),
            ("aclinherit aclmode acltype atime casesensitivity checksum compression context copies dedup", Valued),
            ("defcontext devices direct dnodesize exec filesystem_limit fscontext logbias longname mlslabel", Valued),
            ("nbmand normalization overlay prefetch primarycache redundant_metadata relatime rootcontext", Valued),
            ("secondarycache setuid snapdir snapdev snapshot_limit special_small_blocks sync utf8only", Valued),
            ("version vscan xattr", Valued),
        ]),
    ),
];

/// mkfs.f2fs(8), f2fs-tools 1.15 to 1.16.
pub(crate) const MKFS_F2FS: &[MkfsOptions] = &[
    values("-a -C -d -e -E -g -o -R -s -T -z", Listed),
    flags("-i -r", Listed),
    flags("-f -q", Ours),
    values("-b -w", Block),
    values("-l", Label(512)),
    values("-O", Words(ANY)),
    flags("-m", Refused(ELSEWHERE)),
    flags("-S", Refused("it makes a sparse image")),
    flags("-V", Refused(PRINTS)),
    values("-c", Refused(ELSEWHERE)),
    values("-t", Fixed("0", DISCARD)),
    values("-U", Refused(SEED)),
];

/// mkfs.nilfs2(8), nilfs-utils 2.2.
pub(crate) const MKFS_NILFS2: &[MkfsOptions] = &[
    values("-B -m", Listed),
    flags("-v", Listed),
    flags("-f -K -q", Ours),
    values("-b", Block),
    values("-L", Label(80)),
    values("-O", Words(ANY)),
    flags("-c", Refused(WRITES)),
    flags("-h -n -V", Refused(PRINTS)),
];

/// mkfs.jfs(8), jfsutils 1.1.
pub(crate) const MKFS_JFS: &[MkfsOptions] = &[
    values("-s", Listed),
    flags("-O", Listed),
    flags("-f -q", Ours),
    values("-L", Label(16)),
    flags("-c", Refused(WRITES)),
    flags("-V", Refused(PRINTS)),
    values("-J", Refused(ELSEWHERE)),
];

/// mkreiserfs(8), reiserfsprogs 3.6.
pub(crate) const MKREISERFS: &[MkfsOptions] = &[
    values("--format -h|--hash -s|--journal-size -t|--transaction-max-size", Listed),
    flags("-d|--debug", Listed),
    flags("-f -q|--quiet", Ours),
    values("-b|--block-size", Block),
    values("-l|--label", Label(16)),
    flags("-V", Refused(PRINTS)),
    values("-B|--badblocks -j|--journal-device -o|--journal-offset", Refused(ELSEWHERE)),
    values("-u|--uuid", Refused(SEED)),
];

/// mkfs.exfat(8), exfatprogs 1.2.
pub(crate) const MKFS_EXFAT: &[MkfsOptions] = &[
    values("-b|--boundary-align -c|--cluster-size -U|--volume-guid", Listed),
    flags("--pack-bitmap -v|--verbose", Listed),
    flags("-f|--full-format", Refused(WRITES)),
    values("-s|--sector-size", Block),
    values("-L|--volume-label", Label(11)),
    flags("-h|--help -V|--version", Refused(PRINTS)),
];

/// mkudffs(8), udftools 2.3.
pub(crate) const MKUDFFS: &[MkfsOptions] = &[
    values("-r|--udfrev -u|--uuid", Listed),
    values("-l|--label", Label(126)),
    flags("-n|--no-write", Refused(PRINTS)),
    values("-b|--blocksize", Fixed("4096", "the lane's is 4096 bytes for each contender")),
    values("-m|--media-type", Fixed("hd", "lanes are hard disks")),
    values("-s|--startblock", Refused(SIZE)),
];
