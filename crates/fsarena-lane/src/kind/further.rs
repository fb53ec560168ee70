//! File systems that few kernels have: they are compared in a guest, on the kernel of a distribution. Their programs
//! have no option for what the file system is made of, so nothing is read from what they print.

use std::path::Path;

use fsarena_model::{Bytes, Guarantee};

use super::{Identity, Kind, Tool};

/// A file system that is described by its commands.
pub struct Further {
    name: &'static str,
    about: &'static str,
    tools: &'static [Tool],
    /// The smallest lane, in MiB.
    smallest: u64,
    /// Words of the mkfs command; `{uuid}` stands for the file system's UUID.
    mkfs: &'static [&'static str],
    /// Words of the command that checks it without changing it; empty if there is none.
    check: &'static [&'static str],
    /// Words of the command of its daemon, before the device and the mount point; empty if there is none.
    daemon: &'static [&'static str],
    /// Words of the command that makes it mountable after a crash; empty if mounting it is enough.
    recover: &'static [&'static str],
    guarantees: &'static [Guarantee],
    caution: Option<&'static str>,
}

/// mkfs.nilfs2(8). No program checks it.
pub static NILFS2: Further = Further {
    name: "nilfs2",
    about: "log-structured, with continuous snapshots",
    tools: &[
        Tool { program: "mkfs.nilfs2", package: "nilfs-tools", version: "-V" },
        Tool { program: "nilfs_cleanerd", package: "nilfs-tools", version: "-V" },
    ],
    smallest: 256,
    mkfs: &["mkfs.nilfs2", "-q", "-f", "-K"],
    check: &[],
    // It leaves its parent, so it gets a PID namespace that ends it.
    daemon: &[
        "unshare",
        "--pid",
        "--fork",
        "--kill-child",
        "sh",
        "-c",
        "nilfs_cleanerd -p 1 \"$0\" \"$1\"; exec sleep infinity",
    ],
    recover: &[],
    guarantees: &[Guarantee::Journal, Guarantee::CopyOnWrite],
    caution: Some("its cleaner keeps a second of the past here, and not an hour as by default, since lanes are small"),
};

/// mkfs.f2fs(8), fsck.f2fs(8).
pub static F2FS: Further = Further {
    name: "f2fs",
    about: "log-structured, for flash memory",
    tools: &[
        Tool { program: "mkfs.f2fs", package: "f2fs-tools", version: "-V" },
        Tool { program: "fsck.f2fs", package: "f2fs-tools", version: "-V" },
    ],
    smallest: 128,
    mkfs: &["mkfs.f2fs", "-q", "-f", "-t", "0", "-U", "{uuid}"],
    check: &["fsck.f2fs", "--dry-run"],
    daemon: &[],
    recover: &[],
    guarantees: &[Guarantee::Journal],
    caution: None,
};

/// mkfs.jfs(8), fsck.jfs(8). Only fsck.jfs replays the journal, so an image after a crash mounts read-only without it.
pub static JFS: Further = Further {
    name: "jfs",
    about: "IBM's journaled file system",
    tools: &[
        Tool { program: "mkfs.jfs", package: "jfsutils", version: "-V" },
        Tool { program: "fsck.jfs", package: "jfsutils", version: "-V" },
    ],
    smallest: 32,
    mkfs: &["mkfs.jfs", "-q"],
    check: &["fsck.jfs", "-n", "-f"],
    daemon: &[],
    recover: &["fsck.jfs", "-a"],
    guarantees: &[Guarantee::Journal],
    caution: None,
};

/// mkreiserfs(8), reiserfsck(8). Linux 6.13 has removed it.
pub static REISERFS: Further = Further {
    name: "reiserfs",
    about: "one B+ tree, with a journal; no longer in Linux since 6.13",
    tools: &[
        Tool { program: "mkreiserfs", package: "reiserfsprogs", version: "-V" },
        Tool { program: "reiserfsck", package: "reiserfsprogs", version: "-V" },
    ],
    smallest: 128,
    mkfs: &["mkreiserfs", "-q", "-f", "-f", "-u", "{uuid}"],
    check: &["reiserfsck", "--check", "--quiet", "--yes"],
    daemon: &[],
    recover: &[],
    guarantees: &[Guarantee::Journal],
    caution: None,
};

/// mkfs.exfat(8), fsck.exfat(8).
pub static EXFAT: Further = Further {
    name: "exfat",
    about: "Microsoft's, for removable media: no journal, no links, no owners",
    tools: &[
        Tool { program: "mkfs.exfat", package: "exfatprogs", version: "-V" },
        Tool { program: "fsck.exfat", package: "exfatprogs", version: "-V" },
    ],
    smallest: 16,
    mkfs: &["mkfs.exfat"],
    check: &["fsck.exfat", "-n"],
    daemon: &[],
    recover: &[],
    guarantees: &[],
    caution: None,
};

/// mkudffs(8). No program checks it.
pub static UDF: Further = Further {
    name: "udf",
    about: "the file system of DVDs: no journal",
    tools: &[Tool { program: "mkudffs", package: "udftools", version: "--version" }],
    smallest: 16,
    mkfs: &["mkudffs", "--blocksize=4096", "--media-type=hd"],
    check: &[],
    daemon: &[],
    recover: &[],
    guarantees: &[],
    caution: None,
};

impl Kind for Further {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn tools(&self) -> &'static [Tool] {
        self.tools
    }

    fn smallest_lane(&self) -> Bytes {
        Bytes::mib(self.smallest)
    }

    fn mkfs(&self, device: &Path, identity: &Identity, further: &[String]) -> Vec<String> {
        let mut argv: Vec<String> = self.mkfs.iter().map(|word| word.replace("{uuid}", &identity.uuid)).collect();
        argv.extend_from_slice(further);
        argv.push(device.display().to_string());
        argv
    }

    fn check(&self, device: &Path) -> Vec<String> {
        command(self.check, device)
    }

    fn recover(&self, device: &Path) -> Vec<String> {
        command(self.recover, device)
    }

    fn daemon(&self, device: &Path, point: &Path) -> Vec<String> {
        let words = self.daemon.iter().map(|word| (*word).to_owned());
        let places = [device, point].map(|path| path.display().to_string());
        if self.daemon.is_empty() { Vec::new() } else { words.chain(places).collect() }
    }

    fn guarantees(&self, _features: &[String], _options: &str) -> Vec<Guarantee> {
        self.guarantees.to_vec()
    }

    fn caution(&self) -> Option<&'static str> {
        self.caution
    }
}

fn command(words: &[&str], device: &Path) -> Vec<String> {
    let words = words.iter().map(|word| (*word).to_owned());
    if words.len() == 0 { Vec::new() } else { words.chain([device.display().to_string()]).collect() }
}

#[cfg(test)]
mod tests {
    use super::super::strings;
    use super::*;

    #[test]
    fn the_uuid_is_that_of_the_plan_where_mkfs_takes_one() {
        let identity = Identity { uuid: "u".into(), hash_seed: "h".into() };
        let argv = F2FS.mkfs(Path::new("/dev/loop9"), &identity, &strings(["-O", "compression"]));
        assert_eq!(argv.join(" "), "mkfs.f2fs -q -f -t 0 -U u -O compression /dev/loop9");
        assert_eq!(NILFS2.check(Path::new("/dev/loop9")), Vec::<String>::new());
    }
}
