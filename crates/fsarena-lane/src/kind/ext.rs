//! ext2, ext3 and ext4, made without lazy initialisation (mke2fs(8)).

use std::path::Path;

use fsarena_model::{Bytes, Guarantee};

use super::{Identity, Kind, Tool, strings};

/// One of ext2, ext3 and ext4.
pub struct Ext {
    name: &'static str,
    about: &'static str,
}

/// ext2: no journal.
pub static EXT2: Ext = Ext { name: "ext2", about: "the second extended file system: no journal" };
/// ext3: ext2 with a journal.
pub static EXT3: Ext = Ext { name: "ext3", about: "ext2 with a journal" };
/// ext4: extents, delayed allocation, journal checksums.
pub static EXT4: Ext = Ext { name: "ext4", about: "extents, delayed allocation, a journal" };

const TOOLS: &[Tool] = &[
    Tool { program: "mke2fs", package: "e2fsprogs", version: "-V" },
    Tool { program: "e2fsck", package: "e2fsprogs", version: "-V" },
];

impl Kind for Ext {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn tools(&self) -> &'static [Tool] {
        TOOLS
    }

    fn smallest_lane(&self) -> Bytes {
        Bytes::mib(16)
    }

    fn mkfs(&self, device: &Path, identity: &Identity, further: &[String]) -> Vec<String> {
        let extended = format!("lazy_itable_init=0,lazy_journal_init=0,nodiscard,hash_seed={}", identity.hash_seed);
        let mut argv = strings(["mke2fs", "-q", "-F", "-t", self.name, "-U", &identity.uuid, "-E", &extended]);
        argv.extend_from_slice(further);
        argv.push(device.display().to_string());
        argv
    }

    fn check(&self, device: &Path) -> Vec<String> {
        strings(["e2fsck", "-fn", &device.display().to_string()])
    }

    fn describe(&self, device: &Path) -> Vec<String> {
        strings(["dumpe2fs", "-h", &device.display().to_string()])
    }

    fn features(&self, description: &str) -> Vec<String> {
        let line = description.lines().find_map(|line| line.strip_prefix("Filesystem features:"));
        line.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
    }

    fn guarantees(&self, features: &[String], options: &str) -> Vec<Guarantee> {
        let has = |name: &str| features.iter().any(|feature| feature == name);
        let journal = has("has_journal") && !options.split(',').any(|option| option == "norecovery");
        let mut guarantees = Vec::new();
        guarantees.extend(journal.then_some(Guarantee::Journal));
        let of_data = journal && options.split(',').any(|option| option == "data=journal");
        guarantees.extend(of_data.then_some(Guarantee::DataJournal));
        guarantees.extend(has("metadata_csum").then_some(Guarantee::MetadataChecksums));
        guarantees
    }

    /// Journalled data is written through the page cache (`ext4_dio_alignment` in fs/ext4/inode.c).
    fn made_direct(&self, mount: &str) -> Option<&'static str> {
        mount.split(',').any(|option| option == "data=journal").then_some("data=ordered")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_options_come_before_the_device() {
        let identity = Identity { uuid: "u".into(), hash_seed: "h".into() };
        let argv = EXT4.mkfs(Path::new("/dev/loop9"), &identity, &strings(["-O", "^has_journal"]));
        assert_eq!(argv[argv.len() - 3..], strings(["-O", "^has_journal", "/dev/loop9"]));
    }

    #[test]
    fn features_are_read_from_dumpe2fs() {
        let features =
            EXT4.features("Filesystem UUID: x\nFilesystem features:      has_journal ext_attr metadata_csum\n");
        assert_eq!(features, strings(["has_journal", "ext_attr", "metadata_csum"]));
        assert_eq!(EXT4.guarantees(&features, "rw"), vec![Guarantee::Journal, Guarantee::MetadataChecksums]);
    }

    #[test]
    fn data_are_journalled_only_where_there_is_a_journal() {
        let of = |features: &[&str], options| {
            EXT4.guarantees(&features.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), options)
        };
        assert_eq!(of(&["has_journal"], "rw,data=journal"), [Guarantee::Journal, Guarantee::DataJournal]);
        assert_eq!(of(&["has_journal"], "rw,data=ordered"), [Guarantee::Journal]);
        assert_eq!(of(&["extent"], "rw,data=journal"), []);
        assert_eq!(EXT2.guarantees(&strings(["ext_attr", "filetype"]), "rw"), []);
    }
}
