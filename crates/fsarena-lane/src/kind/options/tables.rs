//! The options of each mkfs, according to the tools' manuals.

use super::OptionRule::{
    Block, BlockLog, Feature, Fixed, Label, Listed, Needs, OneOf, Ours, Record, Refused, Valued, Words,
};
use super::OptionRules;

const SEED: &str = "it follows from the seed of the run";
pub(super) const SIZE: &str = "each contender fills its lane (`--lane-size`)";
const FILLED: &str = "each contender begins empty";
pub(super) const ELSEWHERE: &str = "it uses a device or a file that fsarena has not made";
const PRINTS: &str = "it makes nothing";
const WRITES: &str = "it reads or writes the whole lane before";
const LATER: &str = "what mkfs leaves for later is done in the background, in the time of the work";
pub(super) const DISCARD: &str = "no contender discards its lane, which is written in full before each mkfs";
pub(super) const READ_ONLY: &str = "it could not be written to";
pub(super) const HALTS: &str = "it would halt this machine";
pub(super) const COLON: &str = "mount options follow a colon, as in `KIND:noatime`";

/// Words that the tool itself knows or refuses.
const ANY: &OptionRules = &[("", Listed)];

/// mke2fs(8), mke2fs 1.47.
pub(crate) const MKE2FS: &OptionRules = &[
    ("-C= -D -g= -G= -i= -I= -m= -M= -N= -r= -T= -v", Listed),
    ("-e=", Words(&[("panic", Refused(HALTS)), ("", Listed)])),
    ("-j", Needs("has_journal")),
    ("-F -K -q", Ours),
    ("-b=", Block),
    ("-L=", Label(16)),
    ("-E=", Words(EXTENDED)),
    ("-J=", Words(JOURNAL)),
    ("-o=", Words(&[("linux", Ours), ("", Refused(COLON))])),
    ("-O=", Words(EXT_FEATURES)),
    ("-c", Refused(WRITES)),
    ("-n -V", Refused(PRINTS)),
    ("-S", Refused("it writes only the super block")),
    ("-d=", Refused(FILLED)),
    ("-l= -z=", Refused(ELSEWHERE)),
    ("-R=", Refused("`-E` has taken its place")),
    ("-t=", Refused("the name of the contender says it")),
    ("-U=", Refused(SEED)),
];

const JOURNAL: &OptionRules = &[
    ("device", Refused(ELSEWHERE)),
    ("fast_commit_size", Needs("fast_commit")),
    ("location size", Needs("has_journal")),
];

const EXT_FEATURES: &OptionRules = &[
    ("journal_dev", Refused("it makes another kind of file system")),
    ("feature_*", Refused("a feature is given by its name, and not by its number")),
    ("", Feature),
];

const EXTENDED: &OptionRules = &[
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
pub(crate) const MKFS_XFS: &OptionRules = &[
    ("-f -K -q", Ours),
    ("-L=", Label(12)),
    ("-i= -n=", Words(ANY)),
    ("-b= -s=", Words(&[("log", BlockLog), ("size", Block)])),
    ("-d=", Words(DATA_SECTION)),
    ("-l=", Words(LOG_SECTION)),
    ("-m=", Words(&[("uuid", Refused(SEED)), ("", Listed)])),
    ("-N -V", Refused(PRINTS)),
    ("-c= -r=", Refused(ELSEWHERE)),
    ("-p=", Refused(FILLED)),
];

const DATA_SECTION: &OptionRules = &[
    ("file name", Refused(ELSEWHERE)),
    ("sectlog", BlockLog),
    ("sectsize", Block),
    ("size", Refused(SIZE)),
    ("", Listed),
];

const LOG_SECTION: &OptionRules =
    &[("file logdev name", Refused(ELSEWHERE)), ("sectlog", BlockLog), ("sectsize", Block), ("", Listed)];

/// mkfs.btrfs(8), btrfs-progs 6.2 to 6.15.
pub(crate) const MKFS_BTRFS: &OptionRules = &[
    ("--csum|--checksum= -d|--data= -m|--metadata= -M|--mixed -n|--nodesize= -q|--quiet -v|--verbose", Listed),
    ("-f|--force -K|--nodiscard", Ours),
    ("-s|--sectorsize=", Block),
    ("-L|--label=", Label(255)),
    ("-O|--features= -R|--runtime-features=", Words(&[("list-all", Refused(PRINTS)), ("", Listed)])),
    ("--help -V|--version", Refused(PRINTS)),
    ("-b|--byte-count= --shrink", Refused(SIZE)),
    ("--compress= --inode-flags= -r|--rootdir= -u|--subvol=", Refused(FILLED)),
    ("--device-uuid= -U|--uuid=", Refused(SEED)),
    ("-l|--leafsize=", Refused("`-n` has taken its place")),
];

const ONE_DEVICE: &str = "a lane is a single device";
const KEY: &str = "its key would have to be loaded at each mount";

/// bcachefs(8), bcachefs-tools 1.13.
pub(crate) const BCACHEFS_FORMAT: &OptionRules = &[
    ("--acl --inodes_32bit --inodes_use_key_cache --journal_transaction_names --nocow --shard_inode_numbers", Listed),
    ("--grpquota --prjquota --usrquota -v|--verbose --wide_macs", Listed),
    ("--background_compression= --btree_node_size= --bucket= --compression= --data_checksum=", Listed),
    ("--encoded_extent_max= --gc_reserve_bytes= --gc_reserve_percent= -l|--label= --metadata_checksum=", Listed),
    ("--root_reserve_percent= --str_hash= --superblock_size=", Listed),
    ("-f|--force -q|--quiet", Ours),
    ("--block_size=", Block),
    ("-L|--fs_label=", Label(32)),
    ("--errors=", Words(&[("panic", Refused(HALTS)), ("", Listed)])),
    (
        "--background_target= --data_allowed= --data_replicas= --data_replicas_required= --durability=",
        Refused(ONE_DEVICE),
    ),
    ("--erasure_code --foreground_target= --metadata_replicas= --metadata_replicas_required=", Refused(ONE_DEVICE)),
    ("--metadata_target= --promote_target= --replicas=", Refused(ONE_DEVICE)),
    ("--discard", Refused(DISCARD)),
    ("--encrypted --no_passphrase", Refused(KEY)),
    ("--fs_size=", Refused(SIZE)),
    ("-h|--help", Refused(PRINTS)),
    ("--source=", Refused(FILLED)),
    ("-U|--uuid=", Refused(SEED)),
];

const MOUNTED: &str = "it says where it is mounted, which fsarena does";

/// zpool-create(8), zpoolprops(7), zfsprops(7), OpenZFS 2.1 to 2.3.
pub(crate) const ZPOOL: &OptionRules = &[
    ("-d", Listed),
    ("-f", Ours),
    ("-n", Refused(PRINTS)),
    ("-m= -R=", Refused(MOUNTED)),
    ("-o=", Words(POOL)),
    ("-O=", Words(DATA_SET)),
];

const POOL: &OptionRules = &[
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
];

const DATA_SET: &OptionRules = &[
    ("canmount mountpoint", Refused(MOUNTED)),
    ("encryption keyformat keylocation pbkdf2iters", Refused(KEY)),
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
    ("atime overlay relatime", OneOf("on off")),
    ("copies", OneOf("1 2 3")),
    ("direct", OneOf("disabled standard always")),
    ("dnodesize", OneOf("legacy auto 1k 2k 4k 8k 16k")),
    ("logbias", OneOf("latency throughput")),
    ("primarycache secondarycache", OneOf("all none metadata")),
    ("redundant_metadata", OneOf("all most some none")),
    ("sync", OneOf("standard always disabled")),
    ("xattr", OneOf("on off sa dir")),
    ("aclinherit aclmode acltype casesensitivity checksum compression context dedup defcontext devices", Valued),
    ("exec filesystem_limit fscontext longname mlslabel nbmand normalization prefetch rootcontext", Valued),
    ("setuid snapdir snapdev snapshot_limit special_small_blocks utf8only version vscan", Valued),
];

/// mkfs.f2fs(8), f2fs-tools 1.15 to 1.16.
pub(crate) const MKFS_F2FS: &OptionRules = &[
    ("-a= -C= -d= -e= -E= -g= -i -o= -r -R= -s= -T= -z=", Listed),
    ("-f -q", Ours),
    ("-b= -w=", Block),
    ("-l=", Label(512)),
    ("-O=", Words(ANY)),
    ("-c= -m", Refused(ELSEWHERE)),
    ("-S", Refused("it makes a sparse image")),
    ("-V", Refused(PRINTS)),
    ("-t=", Fixed("0", DISCARD)),
    ("-U=", Refused(SEED)),
];

/// mkfs.nilfs2(8), nilfs-utils 2.2.
pub(crate) const MKFS_NILFS2: &OptionRules = &[
    ("-B= -m= -v", Listed),
    ("-f -K -q", Ours),
    ("-b=", Block),
    ("-L=", Label(80)),
    ("-O=", Words(ANY)),
    ("-c", Refused(WRITES)),
    ("-h -n -V", Refused(PRINTS)),
];

/// mkfs.jfs(8), jfsutils 1.1.
pub(crate) const MKFS_JFS: &OptionRules = &[
    ("-O -s=", Listed),
    ("-f -q", Ours),
    ("-L=", Label(16)),
    ("-c", Refused(WRITES)),
    ("-V", Refused(PRINTS)),
    ("-J=", Refused(ELSEWHERE)),
];

/// mkreiserfs(8), reiserfsprogs 3.6.
pub(crate) const MKREISERFS: &OptionRules = &[
    ("-d|--debug --format= -h|--hash= -s|--journal-size= -t|--transaction-max-size=", Listed),
    ("-f -q|--quiet", Ours),
    ("-b|--block-size=", Block),
    ("-l|--label=", Label(16)),
    ("-V", Refused(PRINTS)),
    ("-B|--badblocks= -j|--journal-device= -o|--journal-offset=", Refused(ELSEWHERE)),
    ("-u|--uuid=", Refused(SEED)),
];

/// mkfs.exfat(8), exfatprogs 1.2.
pub(crate) const MKFS_EXFAT: &OptionRules = &[
    ("-b|--boundary-align= -c|--cluster-size= --pack-bitmap -U|--volume-guid= -v|--verbose", Listed),
    ("-f|--full-format", Refused(WRITES)),
    ("-s|--sector-size=", Block),
    ("-L|--volume-label=", Label(11)),
    ("-h|--help -V|--version", Refused(PRINTS)),
];

/// mkudffs(8), udftools 2.3.
pub(crate) const MKUDFFS: &OptionRules = &[
    ("-r|--udfrev= -u|--uuid=", Listed),
    ("-l|--label=", Label(126)),
    ("-n|--no-write", Refused(PRINTS)),
    ("-b|--blocksize=", Fixed("4096", "the lane's is 4096 bytes for each contender")),
    ("-m|--media-type=", Fixed("hd", "lanes are hard disks")),
    ("-s|--startblock=", Refused(SIZE)),
];
