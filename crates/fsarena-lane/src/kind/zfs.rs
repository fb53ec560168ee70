//! OpenZFS (zpool(8), zfsprops(7)). A lane has a pool with one data set, which is mounted. Properties of the data set
//! follow the colon, where other kinds have mount options, and properties of the pool follow `-o`. Its UUID cannot be
//! chosen.

use fsarena_model::{Bytes, Durability, Guarantee, KernelSymbols, Wait};

use super::options::ZPOOL;
use super::{Kind, MkfsResult, given, has_option, tool};

/// Prints what was made: properties with their values and sources.
const DESCRIBE: &str = "zpool get -H -o property,value,source all $0 && zfs get -H -o property,value,source all $0";

/// Reads all blocks and compares them with their checksums, and says what does not match.
const SCRUB: &str = "zpool import -f -N -o cachefile=none -d \"$1\" $0 || exit
zpool scrub -w $0
status=$(zpool status -v $0)
zpool export $0 || exit
case $status in *'repaired 0B'*'with 0 errors'*'errors: No known data errors'*) exit 0;; esac
echo \"$status\"
exit 1";

#[rustfmt::skip]
const PREFIXES: &[&str] = &[
    "zfs_", "zpl_", "zil_", "zio_", "zap_", "txg_", "dmu_", "dbuf_", "dnode_", "dsl_", "spa_", "arc_", "abd_", "vdev_",
    "metaslab_", "sa_", "taskq_", "spl_",
];

/// OpenZFS, 2.1 to 2.3.
pub static ZFS: Kind = Kind {
    tools: &[tool("zpool", "zfsutils-linux", "version"), tool("zfs", "zfsutils-linux", "version")],
    module: Some("zfs-dkms"),
    is_pool: true,
    smallest_lane: Bytes::mib(256),
    mkfs: &["zpool", "create", "-f", "-o", "cachefile=none", "-O", "mountpoint=legacy"],
    describe: &["sh", "-c", DESCRIBE, "{pool}"],
    check: &["sh", "-c", SCRUB, "{pool}"],
    options: ZPOOL,
    made,
    guarantees,
    direct_unit,
    durability,
    symbols: KernelSymbols {
        prefixes: PREFIXES,
        waits: &[
            ("zil_commit* txg_wait_synced*", Wait::Commit),
            ("txg_wait_open* dmu_tx_wait dmu_tx_delay", Wait::LogSpace),
            ("dbuf_read* zio_wait", Wait::Read),
            ("zfs_rangelock_enter*", Wait::Lock),
        ],
        knobs: &[],
    },
    ..Kind::new("zfs", "OpenZFS: copy on write, checksums of data, compression, snapshots; a module that is built")
};

/// The properties that make a difference to the work, if this version has them.
const SHOWN: [&str; 14] = [
    "ashift", "recordsize", "compression", "checksum", "copies", "redundant_metadata", "sync", "logbias",
    "primarycache", "atime", "relatime", "xattr", "dnodesize", "direct",
];

/// Property, value and source, from the output of zpool and zfs.
fn properties(description: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    description.lines().filter_map(|line| {
        let mut columns = line.split('\t');
        Some((columns.next()?, columns.next()?, columns.next()?))
    })
}

fn made(description: &str) -> MkfsResult {
    MkfsResult { features: features(description), set: set(description), ..MkfsResult::default() }
}

fn features(description: &str) -> Vec<String> {
    let shown = properties(description).filter(|(name, ..)| SHOWN.contains(name));
    shown.map(|(name, value, _)| format!("{name}={value}")).collect()
}

/// The properties of the data set that were set when it was made.
fn set(description: &str) -> Vec<String> {
    let is_of_pool = |name: &str| name.contains('@') || ["ashift", "cachefile", "mountpoint"].contains(&name);
    let local = properties(description).filter(|(name, _, source)| *source == "local" && !is_of_pool(name));
    local.map(|(name, value, _)| format!("{name}={value}")).collect()
}

/// What it guarantees by its properties; of a directory these are not known.
fn guarantees(features: &[String], _options: &str) -> Vec<Guarantee> {
    let value = |name: &str| features.iter().find_map(|feature| feature.strip_prefix(name)?.strip_prefix('='));
    let is_on = |name: &str| value(name).is_some_and(|value| value != "off");
    given([
        (Guarantee::MetadataChecksums, true),
        (Guarantee::DataChecksums, is_on("checksum")),
        (Guarantee::CopyOnWrite, true),
        (Guarantee::DuplicatedMetadata, matches!(value("redundant_metadata"), Some("all" | "most"))),
        (Guarantee::Compression, is_on("compression")),
    ])
}

/// Since OpenZFS 2.3 direct writes of whole records are direct (zfsprops(7), `direct`); before, none were.
fn direct_unit(features: &[String]) -> Option<Bytes> {
    features.iter().find_map(|feature| feature.strip_prefix("recordsize=")?.parse().ok())
}

/// With `sync=disabled` an fsync does nothing: what it acknowledges is in memory for seconds.
fn durability(options: &str) -> Durability {
    if has_option(options, &["sync=disabled"]) { Durability::Unwritten } else { Durability::Flushed }
}

#[cfg(test)]
mod tests {
    use super::super::tests::command_for;
    use super::*;

    fn argv(contender: &str) -> Result<String, String> {
        command_for(&ZFS, &contender.parse().expect("well spelled"))
    }

    #[test]
    fn properties_are_set_when_the_pool_is_made() {
        let ours = "zpool create -f -o cachefile=none";
        let plain = format!("{ours} -o ashift=12 -O mountpoint=legacy fsarena-loop9 /dev/loop9");
        assert_eq!(argv("zfs"), Ok(plain));
        let own = format!(
            "{ours} -o ashift=13 -O mountpoint=legacy -O recordsize=16k -O sync=disabled fsarena-loop9 /dev/loop9"
        );
        assert_eq!(argv("zfs:recordsize=16k,sync=disabled -o ashift=13"), Ok(own));
        let text = argv("zfs -o comment=ashift=3 -o autotrim=off").expect("harmless");
        assert!(text.contains("-o ashift=12 -o comment=ashift=3 -o autotrim=off "), "{text}");
    }

    #[test]
    fn what_leaves_the_lane_or_its_equal_conditions_is_refused() {
        let refused = [
            ("zfs -R /mnt", "which fsarena does"),
            ("zfs -O mountpoint=/mnt", "which fsarena does"),
            ("zfs:canmount=on", "which fsarena does"),
            ("zfs:sharenfs=on", "others"),
            ("zfs:encryption=on", "its key"),
            ("zfs -o cachefile=/etc/zfs/zpool.cache", "is refused"),
            ("zfs -o autotrim=on", "no contender discards"),
            ("zfs -o ashift=9", "4096 bytes"),
            ("zfs:noatime", "atime=off"),
            ("zfs -t other", "is no option"),
            ("zfs mirror", "is no option"),
            ("zfs -n", "it makes nothing"),
            ("zfs:ro", "it could not be written to"),
            ("zfs:readonly=on", "it could not be written to"),
            ("zfs -o readonly=on", "it could not be written to"),
            ("zfs:compression", "it needs a value"),
            ("zfs:{luks", "it is not known"),
            ("zfs:recordsiz=16k", "did you mean `recordsize`?"),
            ("zfs:recordsize=3k", "a power of two"),
            ("zfs:recordsize", "a power of two"),
            ("zfs:ashift=13", "`zfs -o ashift=13`"),
            ("zfs:zoned=on", "it could not be mounted"),
            ("zfs:quota=1G", "each contender fills its lane"),
            ("zfs:refquota=1G", "each contender fills its lane"),
            ("zfs -o size=1G", "each contender fills its lane"),
            ("zfs -O volsize=1G", "no file system"),
            ("zfs -o ashift=99", "from 12 to 16"),
            ("zfs:copies=4", "it is one of 1, 2, 3"),
            ("zfs:atime=no", "it is one of on, off"),
            ("zfs -o compatibility=/etc/x", "a file that fsarena has not made"),
            ("zfs -o compatibility=../x", "a file that fsarena has not made"),
            ("zfs -o failmode=panic", "it would halt this machine"),
            ("zfs -o", "`-o` of zpool needs a value"),
            ("zfs:atime=off -d -O", "`-O` of zpool needs a value"),
            ("zfs:compress=zstd", "the property is `compression`"),
            ("zfs:recsize=16k", "the property is `recordsize`"),
        ];
        for (contender, why) in refused {
            let error = argv(contender).expect_err(contender);
            assert!(error.contains(why), "{contender}: {error}");
        }
    }

    #[test]
    fn what_was_made_is_read_from_the_properties() {
        let text = "ashift\t12\tlocal\ncachefile\tnone\tlocal\nfeature@lz4_compress\tactive\tlocal\n\
                    recordsize\t16K\tlocal\nmountpoint\tlegacy\tlocal\nchecksum\ton\tdefault\n\
                    compression\ton\tdefault\nredundant_metadata\tall\tdefault\nsync\tdisabled\tlocal\n";
        let features = features(text);
        assert!(["ashift=12", "recordsize=16K", "checksum=on"].iter().all(|it| features.contains(&(*it).to_owned())));
        assert_eq!(direct_unit(&features), Some(Bytes::kib(16)));
        assert_eq!(set(text), ["recordsize=16K", "sync=disabled"]);
        assert_eq!(durability(&set(text).join(",")), Durability::Unwritten);
        assert_eq!(durability("rw,xattr,noacl"), Durability::Flushed);
        use Guarantee::{Compression, CopyOnWrite, DataChecksums, DuplicatedMetadata, MetadataChecksums};
        let all = [MetadataChecksums, DataChecksums, CopyOnWrite, DuplicatedMetadata, Compression];
        assert_eq!(guarantees(&features, ""), all);
        let off = ["checksum=off", "compression=off", "redundant_metadata=none"].map(str::to_owned);
        assert_eq!(guarantees(&off, ""), [MetadataChecksums, CopyOnWrite]);
    }
}
