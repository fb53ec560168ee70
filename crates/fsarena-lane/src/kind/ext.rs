//! ext2, ext3 and ext4, made without lazy initialisation (mke2fs(8)).

use fsarena_model::{Avoided, Bytes, Guarantee, KernelSymbols, Knob, Wait};

use super::options::{MKE2FS, mounts};
use super::{Kind, LargeBlocks, MkfsResult, Tool, given, has_option, tool};
use crate::age::Release;

/// ext2: no journal.
pub static EXT2: Kind = Kind {
    mkfs: &["mke2fs", "-q", "-F", "-t", "ext2", "-U", "{uuid}", "-E", EXTENDED],
    mount: &[mounts::EXT2, mounts::EXT],
    ..ext("ext2", "the second extended file system: no journal")
};
/// ext3: ext2 with a journal.
pub static EXT3: Kind = Kind {
    mkfs: &["mke2fs", "-q", "-F", "-t", "ext3", "-U", "{uuid}", "-E", EXTENDED],
    ..ext("ext3", "ext2 with a journal")
};
/// ext4: extents, delayed allocation, journal checksums.
pub static EXT4: Kind = Kind {
    mkfs: &["mke2fs", "-q", "-F", "-t", "ext4", "-U", "{uuid}", "-E", EXTENDED],
    symbols: KernelSymbols { knobs: KNOBS, ..SYMBOLS },
    ..ext("ext4", "extents, delayed allocation, a journal")
};

/// Extended options of mke2fs(8).
pub(super) const EXTENDED: &str = "lazy_itable_init=0,lazy_journal_init=0,nodiscard,hash_seed={hash_seed}";

const E2FSPROGS: &[Tool] = &[tool("mke2fs", "e2fsprogs", "-V"), tool("e2fsck", "e2fsprogs", "-V")];

/// What all of them have in common.
pub(super) const fn ext(name: &'static str, about: &'static str) -> Kind {
    Kind {
        tools: E2FSPROGS,
        smallest_lane: Bytes::mib(16),
        describe: &["dumpe2fs", "-h"],
        check: &["e2fsck", "-fn"],
        options: MKE2FS,
        mount: &[mounts::EXT],
        built_in: &[("casefold", "/sys/fs/ext4/features/casefold")],
        // ext4_enable_large_blocks() in fs/ext4/inode.c.
        large_blocks: LargeBlocks::Since(Release::of(6, 19)),
        made,
        guarantees,
        made_direct,
        symbols: SYMBOLS,
        ..Kind::new(name, about)
    }
}

/// Functions of ext4 and its journal; ext4's driver mounts ext2 and ext3 as well.
const SYMBOLS: KernelSymbols = KernelSymbols {
    prefixes: &[
        "ext4_", "__ext4_", "jbd2_", "__jbd2_", "journal_", "mb_", "es_", "start_this_handle", "add_transaction_",
    ],
    waits: &[
        ("jbd2_log_wait_commit jbd2_complete_transaction ext4_fc_commit jbd2_fc_*", Wait::Commit),
        ("wait_transaction_locked add_transaction_credits start_this_handle __jbd2_log_wait_for_space", Wait::LogSpace),
        ("jbd2_journal_lock_updates do_get_write_access", Wait::LogSpace),
        ("ext4_read_* ext4_bread* ext4_get_inode_loc", Wait::Read),
    ],
    knobs: &[],
};

/// What ext4(5) and mke2fs(8) let one do without.
const KNOBS: &[Knob] = &[
    Knob { with: "ext4", without: "ext4:barrier=0", avoids: Avoided::Flushes },
    Knob { with: "ext4", without: "ext4 -O ^has_journal", avoids: Avoided::Functions(&["jbd2_*", "__jbd2_*"]) },
    Knob {
        with: "ext4",
        without: "ext4 -O ^metadata_csum",
        avoids: Avoided::Functions(&[
            "ext4_inode_csum*", "ext4_dirblock_csum*", "ext4_dx_csum*", "ext4_extent_block_csum*",
            "ext4_block_bitmap_csum*", "ext4_inode_bitmap_csum*", "ext4_group_desc_csum*", "jbd2_block_tag_csum*",
            "jbd2_descriptor_block_csum*",
        ]),
    },
    Knob { with: "ext4", without: "ext4:noauto_da_alloc", avoids: Avoided::Functions(&["ext4_alloc_da_blocks"]) },
    Knob { with: "ext4", without: "ext4:noatime", avoids: Avoided::Functions(&["touch_atime"]) },
    Knob { with: "ext4", without: "ext4:lazytime", avoids: Avoided::Functions(&["ext4_dirty_inode"]) },
];

fn features(description: &str) -> Vec<String> {
    let line = description.lines().find_map(|line| line.strip_prefix("Filesystem features:"));
    line.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

fn made(description: &str) -> MkfsResult {
    let value = |name: &str| {
        let line = description.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map(|value| value.trim().to_owned())
    };
    let number = |name: &str| value(name)?.parse::<u64>().ok();
    let block = number("Block size");
    let size = number("Block count").zip(block).map(|(count, size)| Bytes(count * size));
    let (uuid, hash_seed) = (value("Filesystem UUID"), value("Directory Hash Seed"));
    let usual: [(_, &[&str]); 3] = [
        ("Default mount options", &["(none)", "acl", "user_xattr"]),
        ("Default directory hash", &["half_md4"]),
        ("Errors behavior", &["Continue", "Remount"]),
    ];
    let unusual = usual.iter().find_map(|(name, usual)| {
        let value = value(name)?;
        let other = value.split(' ').find(|word| !["read-only", ""].contains(word) && !usual.contains(word))?;
        Some(format!("`{name}` has `{other}`, which comes from its mke2fs.conf"))
    });
    let (block, features) = (block.map(Bytes), features(description));
    MkfsResult { uuid, hash_seed, size, block, configured: unusual, features, ..MkfsResult::default() }
}

fn guarantees(features: &[String], options: &str) -> Vec<Guarantee> {
    let has = |name: &str| features.iter().any(|feature| feature == name);
    let journal = has("has_journal") && !has_option(options, &["norecovery"]);
    given([
        (Guarantee::Journal, journal),
        (Guarantee::DataJournal, journal && has_option(options, &["data=journal"])),
        (Guarantee::MetadataChecksums, has("metadata_csum")),
    ])
}

/// Journalled data is written through the page cache (`ext4_dio_alignment` in fs/ext4/inode.c).
fn made_direct(mount: &str) -> Option<&'static str> {
    has_option(mount, &["data=journal"]).then_some("data=ordered")
}

#[cfg(test)]
mod tests {
    use super::super::Identity;
    use super::super::tests::command_of;
    use super::*;

    fn strings<const N: usize>(parts: [&str; N]) -> Vec<String> {
        parts.map(str::to_owned).to_vec()
    }

    #[test]
    fn further_options_come_before_the_device() {
        let command = command_of(&EXT4, &["-O", "^has_journal"]).expect("allowed");
        assert!(command.ends_with(" -O ^has_journal /dev/loop9"), "{command}");
    }

    #[test]
    fn features_and_sizes_are_recognised_however_they_are_written() {
        let refused = [
            (["-O", "JOURNAL_DEV"], "another kind of file system"),
            (["-O", "+journal_dev"], "another kind of file system"),
            (["-O", "extent journal_dev"], "another kind of file system"),
            (["-O", "FEATURE_I3"], "not by its number"),
            (["-O", "has_journal,^HAS_JOURNAL"], "`has_journal` contradicts it"),
            (["-b", "0x400"], "decimal digits"),
            (["-b", "-1024"], "decimal digits"),
            (["-b", "02000"], "decimal digits"),
            (["-o", "noatime"], "mount options follow a colon"),
        ];
        for (words, reason) in refused {
            let error = command_of(&EXT4, &words).expect_err(reason);
            assert!(error.contains(reason), "{words:?}: {error}");
        }
        command_of(&EXT4, &["-o", "Linux"]).expect("it is Linux");
    }

    #[test]
    fn features_are_read_from_dumpe2fs() {
        let features = features("Filesystem UUID: x\nFilesystem features:      has_journal ext_attr metadata_csum\n");
        assert_eq!(features, strings(["has_journal", "ext_attr", "metadata_csum"]));
        assert_eq!(guarantees(&features, "rw"), vec![Guarantee::Journal, Guarantee::MetadataChecksums]);
    }

    #[test]
    fn what_was_made_is_read_from_dumpe2fs_and_compared() {
        let text = "Filesystem UUID:          u\nBlock count:              16384\nBlock size:               4096\nDirectory Hash Seed:      h\n";
        let intended = Identity { uuid: "u".into(), hash_seed: "h".into() };
        let differs = |text: &str, size| made(text).differs(&intended, Bytes::mib(size));
        assert_eq!(differs(text, 64), None);
        assert_eq!(differs(text, 128).as_deref(), Some("it has 64.0 MiB of 128 MiB"));
        assert_eq!(differs(&text.replace(" h\n", " i\n"), 64).as_deref(), Some("its hash seed is i, and not h"));
        assert_eq!(differs("", 64), None, "what is not described is not known");
        let usual = "Default mount options:    user_xattr acl\nErrors behavior:          Remount read-only\n\
                     Default directory hash:   half_md4\n";
        assert_eq!(differs(usual, 64), None);
        for (from, to) in [("acl", "nobarrier"), ("half_md4", "tea"), ("Remount read-only", "Panic")] {
            let why = differs(&usual.replace(from, to), 64).expect("the kernel does not show it");
            assert!(why.contains(&format!("has `{to}`, which comes from its mke2fs.conf")), "{why}");
        }
    }

    #[test]
    fn data_are_journalled_only_where_there_is_a_journal() {
        let of = |features: &[&str], options| {
            guarantees(&features.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), options)
        };
        assert_eq!(of(&["has_journal"], "rw,data=journal"), [Guarantee::Journal, Guarantee::DataJournal]);
        assert_eq!(of(&["has_journal"], "rw,data=ordered"), [Guarantee::Journal]);
        assert_eq!(of(&["extent"], "rw,data=journal"), []);
        assert_eq!(guarantees(&strings(["ext_attr", "filetype"]), "rw"), []);
    }
}
