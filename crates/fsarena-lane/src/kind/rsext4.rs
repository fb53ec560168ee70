//! ext4 by a library within this process: the crate `rsext4`, which the hypervisor AxVisor uses. The tools of ext4 make
//! and check it.

use std::path::Path;

use fsarena_model::{Bytes, Durability, Guarantee};

use super::ext::EXT4;
use super::{Ground, Identity, Kind, Tool};

/// A version of the library.
pub struct Rsext4 {
    name: &'static str,
    about: &'static str,
    caution: Option<&'static str>,
    /// Options of mke2fs in addition to those of ext4.
    made: &'static [&'static str],
    durability: Durability,
}

/// Version 0.9: with its journal, and a sync that flushes.
pub static RSEXT4: Rsext4 = Rsext4 {
    name: "rsext4",
    about: "ext4 by the library rsext4 0.9 within this process, without system calls; workloads of `sequence` only",
    caution: None,
    made: &[],
    durability: Durability::Flushed,
};

/// Version 0.1.0-pre.0 as AxVisor had it, with its journal off. It supports only blocks of 4 KiB, and leaves a wrong
/// checksum in the superblock if the file system has metadata checksums.
pub static PREVIEW: Rsext4 = Rsext4 {
    name: "rsext4-preview",
    about: "unsafe: rsext4 0.1.0-pre.0 as AxVisor had it; nothing is durable before it is unmounted, data may be damaged",
    caution: Some(
        "the library has no sync and its journal is off: what was written is in memory until it is unmounted, and lost without that, \
         even directories. 20,000 random changes left half of the files unreadable, and of 10,000 files in one directory some read \
         back wrong (tried with 0.1.0-pre.0). Its figures are those of memory, and are not ranked with others",
    ),
    made: &["-b", "4096", "-O", "^metadata_csum,^has_journal"],
    durability: Durability::Unflushed,
};

impl Kind for Rsext4 {
    fn name(&self) -> &'static str {
        self.name
    }

    fn mounted_as(&self) -> &'static str {
        EXT4.name()
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn ground(&self) -> Ground {
        Ground::Library
    }

    fn tools(&self) -> &'static [Tool] {
        EXT4.tools()
    }

    fn smallest_lane(&self) -> Bytes {
        EXT4.smallest_lane()
    }

    fn mkfs(&self, device: &Path, identity: &Identity, further: &[String]) -> Vec<String> {
        let made = self.made.iter().map(|word| (*word).to_owned());
        EXT4.mkfs(device, identity, &made.chain(further.iter().cloned()).collect::<Vec<_>>())
    }

    fn check(&self, device: &Path) -> Vec<String> {
        EXT4.check(device)
    }

    fn describe(&self, device: &Path) -> Vec<String> {
        EXT4.describe(device)
    }

    fn features(&self, description: &str) -> Vec<String> {
        EXT4.features(description)
    }

    fn guarantees(&self, features: &[String], options: &str) -> Vec<Guarantee> {
        EXT4.guarantees(features, options)
    }

    fn caution(&self) -> Option<&'static str> {
        self.caution
    }

    fn durability(&self, _options: &str) -> Durability {
        self.durability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_made_as_ext4_but_for_what_the_preview_does_not_bear() {
        let identity = Identity { uuid: "u".into(), hash_seed: "h".into() };
        let (device, further) = (Path::new("/dev/loop9"), ["-I".to_owned(), "512".to_owned()]);
        assert_eq!(RSEXT4.mkfs(device, &identity, &further), EXT4.mkfs(device, &identity, &further));
        let argv = PREVIEW.mkfs(device, &identity, &further).join(" ");
        assert!(argv.ends_with("-b 4096 -O ^metadata_csum,^has_journal -I 512 /dev/loop9"), "{argv}");
        assert_eq!((PREVIEW.mounted_as(), PREVIEW.durability("")), ("ext4", Durability::Unflushed));
    }
}
