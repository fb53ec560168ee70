//! ext4 by a library within this process: the crate `rsext4`, which the hypervisor AxVisor uses. The tools of ext4 make
//! and check it.

use fsarena_model::Durability;

use super::ext::{EXT4, EXTENDED, ext};
use super::{Ground, Kind};

/// Version 0.9: with its journal, and a sync that flushes.
pub static RSEXT4: Kind = Kind {
    mkfs: EXT4.mkfs,
    ..library(
        "rsext4",
        "ext4 by the library rsext4 0.9 within this process, without system calls; workloads of `sequence` only",
    )
};

/// Version 0.1.0-pre.0 as AxVisor had it, with its journal off. It supports only blocks of 4 KiB, and leaves a wrong
/// checksum in the superblock if the file system has metadata checksums.
pub static PREVIEW: Kind = Kind {
    mkfs: &[
        "mke2fs", "-q", "-F", "-t", "ext4", "-U", "{uuid}", "-E", EXTENDED, "-b", "4096", "-O",
        "^metadata_csum,^has_journal",
    ],
    durability: |_| Durability::Unflushed,
    caution: Some(
        "the library has no sync and its journal is off: what was written is in memory until it is unmounted, and lost without that, \
         even directories. 20,000 random changes left half of the files unreadable, and of 10,000 files in one directory some read \
         back wrong (tried with 0.1.0-pre.0). Its figures are those of memory, and are not ranked with others",
    ),
    ..library(
        "rsext4-preview",
        "unsafe: rsext4 0.1.0-pre.0 as AxVisor had it; nothing is durable before it is unmounted, data may be damaged",
    )
};

const fn library(name: &'static str, about: &'static str) -> Kind {
    Kind {
        mounted_as: EXT4.mounted_as,
        ground: Ground::Library,
        durability: |_| Durability::Flushed,
        ..ext(name, about)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::command_of;
    use super::*;

    #[test]
    fn both_are_made_as_ext4_but_for_what_the_preview_does_not_bear() {
        let made = |kind| command_of(kind, &["-I", "512"]).expect("allowed");
        assert_eq!(made(&RSEXT4), made(&EXT4));
        let preview = made(&PREVIEW);
        assert!(preview.ends_with("-b 4096 -O ^metadata_csum,^has_journal -I 512 /dev/loop9"), "{preview}");
        assert_eq!((PREVIEW.mounted_as, (PREVIEW.durability)("")), ("ext4", Durability::Unflushed));
    }
}
