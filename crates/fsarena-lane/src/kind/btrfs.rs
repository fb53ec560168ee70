//! Btrfs (mkfs.btrfs(8)).

use fsarena_model::{Avoided, Bytes, Guarantee, KernelSymbols, Knob, Wait};

use super::options::{MKFS_BTRFS, mounts};
use super::{Kind, LargeBlocks, MkfsResult, given, has_option, tool};

pub static BTRFS: Kind = Kind {
    tools: &[tool("mkfs.btrfs", "btrfs-progs", "--version"), tool("btrfs", "btrfs-progs", "--version")],
    is_numbered_as_kernels: true,
    smallest_lane: Bytes::mib(128),
    mkfs: &["mkfs.btrfs", "-f", "-K", "-U", "{uuid}"],
    describe: &["btrfs", "inspect-internal", "dump-super"],
    check: &["btrfs", "check", "--readonly"],
    options: MKFS_BTRFS,
    mount: &[mounts::BTRFS],
    large_blocks: LargeBlocks::Listed("/sys/fs/btrfs/features/supported_sectorsizes"),
    made,
    guarantees,
    made_direct,
    symbols: KernelSymbols {
        prefixes: &[
            "btrfs_", "__btrfs_", "extent_", "__extent_", "read_extent_", "write_one_eb", "lock_extent",
            "lookup_inline_extent", "lookup_extent_", "copy_extent_buffer", "copy_for_split", "copy_items",
        ],
        waits: &[
            ("wait_log_commit btrfs_sync_log wait_for_commit btrfs_wait_for_commit", Wait::Commit),
            ("btrfs_commit_transaction* btrfs_wait_tree_log_extents write_all_supers", Wait::Commit),
            ("handle_reserve_ticket __reserve_bytes wait_current_trans btrfs_balance_delayed_items", Wait::LogSpace),
            ("btrfs_wait_ordered_* btrfs_start_ordered_extent*", Wait::Writeback),
            ("read_extent_buffer_pages*", Wait::Read),
            ("btrfs_tree_lock* btrfs_tree_read_lock* lock_extent* btrfs_lock_extent*", Wait::Lock),
        ],
        // btrfs(5), mkfs.btrfs(8).
        knobs: &[
            Knob { with: "btrfs", without: "btrfs:nobarrier", avoids: Avoided::Flushes },
            Knob {
                with: "btrfs",
                without: "btrfs:nodatasum",
                avoids: Avoided::Functions(&[
                    "btrfs_csum_one_bio", "btrfs_csum_file_blocks", "btrfs_lookup_bio_sums", "btrfs_lookup_csums_*",
                    "btrfs_data_csum_ok", "btrfs_check_block_csum", "btrfs_verify_data_csum", "btrfs_check_data_csum",
                    "btrfs_check_sector_csum", "btrfs_del_csums",
                ]),
            },
            Knob {
                with: "btrfs --csum sha256",
                without: "btrfs --csum crc32c",
                avoids: Avoided::Functions(&["sha256_*"]),
            },
            Knob { with: "btrfs", without: "btrfs:noatime", avoids: Avoided::Functions(&["touch_atime"]) },
        ],
    },
    ..Kind::new("btrfs", "copy on write, checksums of data, snapshots, compression")
};

/// The flags of the super block in lower case, the checksum, and the profiles that mkfs printed.
fn features(description: &str) -> Vec<String> {
    let mut features = Vec::new();
    for line in description.lines().map(str::trim) {
        features.extend(flag(line));
        features.extend(line.strip_prefix("csum_type").map(|rest| format!("csum={}", checksum(rest))));
        for profile in ["Data", "Metadata"] {
            let rest = line.strip_prefix(profile).and_then(|rest| rest.strip_prefix(':'));
            let name = rest.and_then(|rest| rest.split_whitespace().next());
            features.extend(name.map(|name| format!("{}={}", profile.to_lowercase(), name.to_lowercase())));
        }
    }
    features
}

fn made(description: &str) -> MkfsResult {
    let value = |name: &str| {
        let mut lines = description.lines().filter_map(|line| line.split_once(char::is_whitespace));
        lines.find_map(|(known, value)| (known == name).then(|| value.trim().to_owned()))
    };
    let bytes = |name: &str| value(name).and_then(|bytes| bytes.parse().ok()).map(Bytes);
    let (size, block, features) = (bytes("total_bytes"), bytes("sectorsize"), features(description));
    MkfsResult { uuid: value("fsid"), size, block, features, ..MkfsResult::default() }
}

fn guarantees(features: &[String], options: &str) -> Vec<Guarantee> {
    given([
        (Guarantee::MetadataChecksums, true),
        (Guarantee::DataChecksums, !has_option(options, &["nodatasum", "nodatacow"])),
        (Guarantee::CopyOnWrite, !has_option(options, &["nodatacow"])),
        (Guarantee::DuplicatedMetadata, features.iter().any(|feature| feature == "metadata=dup")),
        (Guarantee::Compression, options.split(',').any(|option| option.starts_with("compress"))),
    ])
}

/// Since Linux 6.15 direct writes to files with checksums pass through the page cache (fs/btrfs/direct-io.c).
/// Compression needs checksums: without them the files are not compressed, which is a different contender.
fn made_direct(mount: &str) -> Option<&'static str> {
    let is_compressed = mount.split(',').any(|option| option.starts_with("compress"));
    let is_so = is_compressed && !has_option(mount, &["compress=no", "compress=none"]);
    (!is_so && !has_option(mount, &["nodatasum", "nodatacow"])).then_some("nodatasum")
}

/// Parses a flag: each is on its own line, in capitals between `(`, `|` and `)`.
fn flag(line: &str) -> Option<String> {
    let word = line.trim_matches(['(', '|', ')', ' ']);
    let is_flag = word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    is_flag.then(|| word.to_lowercase())
}

/// `0 (crc32c)` is crc32c.
fn checksum(rest: &str) -> &str {
    rest.split(['(', ')']).nth(1).unwrap_or(rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read_from_mkfs_and_the_super_block() {
        let text = "  Data:             single            8.00MiB\n  Metadata:         DUP             102.38MiB\n\
                    csum_type\t\t0 (crc32c)\nincompat_flags\t\t0x341\n\t\t\t( MIXED_BACKREF |\n\t\t\t  EXTENDED_IREF |\n\t\t\t  NO_HOLES )";
        let features = features(text);
        assert!(features.contains(&"metadata=dup".to_owned()));
        assert!(features.contains(&"csum=crc32c".to_owned()));
        assert!(features.contains(&"mixed_backref".to_owned()) && features.contains(&"no_holes".to_owned()));
    }

    #[test]
    fn what_was_made_is_read_from_the_super_block() {
        let made = made("fsid\t\t\t11-22\nmetadata_uuid\t\t33\ntotal_bytes\t\t2147483648\n");
        assert_eq!((made.uuid.as_deref(), made.size), (Some("11-22"), Some(Bytes::gib(2))));
    }

    #[test]
    fn without_checksums_they_are_not_guaranteed() {
        assert!(!guarantees(&[], "rw,nodatasum").contains(&Guarantee::DataChecksums));
        assert!(guarantees(&[], "rw,nodatasum").contains(&Guarantee::CopyOnWrite));
        assert!(!guarantees(&[], "rw,nodatacow").contains(&Guarantee::CopyOnWrite));
    }

    #[test]
    fn checksums_keep_direct_io_from_being_direct() {
        assert_eq!(["", "noatime", "compress=no"].map(made_direct), [Some("nodatasum"); 3]);
        assert_eq!(["nodatasum", "noatime,nodatacow", "compress=zstd"].map(made_direct), [None; 3]);
    }
}
