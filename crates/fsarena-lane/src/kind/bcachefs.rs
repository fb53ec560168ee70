//! bcachefs (bcachefs(8)). Linux had it from 6.7 to 6.17; the programs are in Debian's `experimental`. Its mkfs stores
//! options, which its mounts have unless they replace them.

use fsarena_model::{Bytes, Durability, Guarantee, KernelSymbols, Wait};

use super::options::{BCACHEFS_FORMAT, mounts};
use super::{Kind, MkfsResult, given, has_option, tool};

pub static BCACHEFS: Kind = Kind {
    tools: &[tool("bcachefs", "bcachefs-tools/experimental", "version")],
    smallest_lane: Bytes::mib(64),
    mkfs: &["bcachefs", "format", "-q", "-f", "-U", "{uuid}"],
    describe: &["bcachefs", "show-super"],
    check: &["bcachefs", "fsck", "-n"],
    options: BCACHEFS_FORMAT,
    mount: &[mounts::BCACHEFS],
    made,
    guarantees,
    durability,
    caution: Some("its mkfs and its checker crash now and then (version 1.13), and are then called once more"),
    symbols: KernelSymbols {
        prefixes: &["bch2_", "__bch2_", "six_"],
        waits: &[
            ("bch2_journal_flush* bch2_journal_meta", Wait::Commit),
            ("bch2_journal_res_get_slowpath __bch2_wait_on_allocator", Wait::LogSpace),
            ("__bch2_btree_node_wait_on_read", Wait::Read),
            ("six_lock_*", Wait::Lock),
        ],
        ..KernelSymbols::NONE
    },
    ..Kind::new("bcachefs", "copy on write, checksums of data, snapshots, compression; no longer in Linux since 6.18")
};

/// The stored options that make a difference to the work.
const SHOWN: [&str; 8] = [
    "block_size", "btree_node_size", "metadata_checksum", "data_checksum", "compression", "background_compression",
    "str_hash", "nocow",
];

/// `  NAME:   VALUE`, or all values with the one that is set in brackets.
fn value(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().split_once(':')?;
    let chosen = value.split_once('[').and_then(|(_, rest)| rest.split(']').next());
    Some((name, chosen.unwrap_or(value.trim())))
}

fn features(description: &str) -> Vec<String> {
    let shown = description.lines().filter_map(value).filter(|(name, _)| SHOWN.contains(name));
    shown.map(|(name, value)| format!("{name}={}", value.replace(' ', ""))).collect()
}

/// Sizes are rounded, but those of buckets are powers of two.
fn made(description: &str) -> MkfsResult {
    let value =
        |wanted| description.lines().filter_map(value).find(|(name, _)| *name == wanted).map(|(_, value)| value);
    let bytes = |wanted| value(wanted)?.replace(' ', "").parse::<Bytes>().ok();
    let buckets = value("Buckets").and_then(|count| count.parse::<u64>().ok());
    let size = buckets.zip(bytes("Bucket size")).map(|(count, size)| Bytes(count * size.0));
    let uuid = value("External UUID").map(str::to_owned);
    MkfsResult { uuid, size, block: bytes("block_size"), features: features(description), ..MkfsResult::default() }
}

/// A mount option replaces what is stored.
fn guarantees(features: &[String], options: &str) -> Vec<Guarantee> {
    let value = |name: &str| {
        let mut words = options.split(',').chain(features.iter().map(String::as_str));
        words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    };
    let is_on = |name: &str| value(name).is_some_and(|value| value != "none");
    let is_in_place = has_option(options, &["nocow"]) || value("nocow") == Some("1");
    given([
        (Guarantee::Journal, true),
        (Guarantee::MetadataChecksums, is_on("metadata_checksum")),
        (Guarantee::DataChecksums, is_on("data_checksum") && !is_in_place),
        (Guarantee::CopyOnWrite, !is_in_place),
        (Guarantee::Compression, (is_on("compression") || is_on("background_compression")) && !is_in_place),
    ])
}

/// With `journal_flush_disabled` an fsync does nothing: what it acknowledges is in memory for up to a second.
fn durability(options: &str) -> Durability {
    if has_option(options, &["journal_flush_disabled"]) { Durability::Unwritten } else { Durability::Flushed }
}

#[cfg(test)]
mod tests {
    use super::super::tests::command_of;
    use super::*;

    const DESCRIPTION: &str = "External UUID:                             11-22\nInternal UUID:                             33\n\
        Options:\n  block_size:                              4.00 KiB\n  metadata_checksum:                       none [crc32c] crc64 xxhash \n\
        \u{20} data_checksum:                           [none] crc32c crc64 xxhash \n  compression:                             zstd\n\
        \u{20} nocow:                                   0\n  Bucket size:                             128 KiB\n  Buckets:                                 2560\n";

    #[test]
    fn what_was_made_is_read_from_the_super_block() {
        let made = made(DESCRIPTION);
        assert_eq!((made.uuid.as_deref(), made.size), (Some("11-22"), Some(Bytes::mib(320))));
        assert_eq!(made.block, Some(Bytes::kib(4)));
        let features = made.features;
        let expected =
            ["block_size=4.00KiB", "metadata_checksum=crc32c", "data_checksum=none", "compression=zstd", "nocow=0"];
        assert_eq!(features, expected);
        use Guarantee::{Compression, CopyOnWrite, DataChecksums, Journal, MetadataChecksums};
        assert_eq!(guarantees(&features, "rw"), [Journal, MetadataChecksums, CopyOnWrite, Compression]);
        let options = "rw,data_checksum=xxhash,compression=none";
        assert_eq!(guarantees(&features, options), [Journal, MetadataChecksums, DataChecksums, CopyOnWrite]);
        assert_eq!(guarantees(&features, "rw,nocow"), [Journal, MetadataChecksums]);
    }

    #[test]
    fn what_is_not_a_lanes_own_is_refused() {
        let ours = "bcachefs format -q -f -U u";
        let own = command_of(&BCACHEFS, &["--compression=zstd", "-L", "x"]);
        assert_eq!(own, Ok(format!("{ours} --compression zstd -L x /dev/loop9")));
        for (word, why) in [
            ("--replicas=2", "a single device"),
            ("--discard", "no contender discards"),
            ("--encrypted", "its key"),
            ("--fs_size=1G", "fills its lane"),
            ("--source=/etc", "begins empty"),
            ("--errors=panic", "it would halt this machine"),
        ] {
            let error = command_of(&BCACHEFS, &[word]).expect_err(word);
            assert!(error.contains(why), "{word}: {error}");
        }
        assert_eq!(durability("rw,journal_flush_disabled"), Durability::Unwritten);
    }
}
