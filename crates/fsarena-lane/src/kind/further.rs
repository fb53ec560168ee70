//! File systems that few kernels have: they are compared in a guest, on the kernel of a distribution. Their programs
//! have no option for what the file system is made of, so nothing is read from what they print.

use fsarena_model::{Bytes, Guarantee, KernelSymbols, Wait};

use super::options::{MKFS_EXFAT, MKFS_F2FS, MKFS_JFS, MKFS_NILFS2, MKREISERFS, MKUDFFS, mounts};
use super::{Kind, tool};

/// Starts the cleaner of the device `$0`, mounted at `$1`, with what differs from nilfs_cleanerd.conf(5). By default it keeps all that
/// was overwritten in the last hour, and cleans at most 32 MiB per second when space is short, so small lanes fill up.
const CLEANER: &str = "exec nilfs_cleanerd -n -c /proc/self/fd/3 \"$0\" \"$1\" 3<<END
protection_period 1
clean_check_interval 1
mc_nsegments_per_clean 32
mc_cleaning_interval 0.1
retry_interval 1
use_set_suinfo
END
";

/// mkfs.nilfs2(8). No program checks it.
pub static NILFS2: Kind = Kind {
    tools: &[tool("mkfs.nilfs2", "nilfs-tools", "-V"), tool("nilfs_cleanerd", "nilfs-tools", "-V")],
    smallest_lane: Bytes::mib(256),
    options: MKFS_NILFS2,
    mount: &[mounts::NILFS2],
    mkfs: &["mkfs.nilfs2", "-q", "-f", "-K"],
    daemon: &["sh", "-c", CLEANER],
    guarantees: |_, _| vec![Guarantee::Journal, Guarantee::CopyOnWrite],
    caution: Some(
        "its cleaner keeps a second of the past here, and not an hour as by default, and does not pause when space is \
         short, since lanes are small",
    ),
    symbols: KernelSymbols {
        prefixes: &["nilfs_"],
        waits: &[("nilfs_segctor_* nilfs_construct_*", Wait::Commit), ("nilfs_transaction_*", Wait::LogSpace)],
        ..KernelSymbols::NONE
    },
    ..Kind::new("nilfs2", "log-structured, with continuous snapshots")
};

/// mkfs.f2fs(8), fsck.f2fs(8).
pub static F2FS: Kind = Kind {
    tools: &[tool("mkfs.f2fs", "f2fs-tools", "-V"), tool("fsck.f2fs", "f2fs-tools", "-V")],
    smallest_lane: Bytes::mib(128),
    options: MKFS_F2FS,
    mount: &[mounts::F2FS],
    mkfs: &["mkfs.f2fs", "-q", "-f", "-t", "0", "-U", "{uuid}"],
    check: &["fsck.f2fs", "--dry-run"],
    guarantees: |_, _| vec![Guarantee::Journal],
    symbols: KernelSymbols {
        prefixes: &["f2fs_", "__f2fs_"],
        waits: &[
            ("f2fs_issue_flush f2fs_issue_checkpoint f2fs_wait_on_node_pages_writeback", Wait::Commit),
            ("f2fs_wait_on_page_writeback", Wait::Writeback),
            ("f2fs_balance_fs", Wait::LogSpace),
            ("f2fs_get_node_* __get_node_* __get_meta_* f2fs_find_data_* f2fs_get_lock_data_*", Wait::Read),
        ],
        ..KernelSymbols::NONE
    },
    ..Kind::new("f2fs", "log-structured, for flash memory")
};

/// mkfs.jfs(8), fsck.jfs(8). Only fsck.jfs replays the journal, so an image after a crash mounts read-only without it.
pub static JFS: Kind = Kind {
    tools: &[tool("mkfs.jfs", "jfsutils", "-V"), tool("fsck.jfs", "jfsutils", "-V")],
    smallest_lane: Bytes::mib(32),
    options: MKFS_JFS,
    mount: &[mounts::JFS],
    mkfs: &["mkfs.jfs", "-q"],
    check: &["fsck.jfs", "-n", "-f"],
    recover: &["fsck.jfs", "-a"],
    guarantees: |_, _| vec![Guarantee::Journal],
    symbols: KernelSymbols {
        prefixes: &["jfs_"],
        waits: &[("lmGroupCommit jfs_flush_journal", Wait::Commit), ("txBegin", Wait::LogSpace)],
        ..KernelSymbols::NONE
    },
    ..Kind::new("jfs", "IBM's journaled file system")
};

/// mkreiserfs(8), reiserfsck(8). Linux 6.13 has removed it.
pub static REISERFS: Kind = Kind {
    tools: &[tool("mkreiserfs", "reiserfsprogs", "-V"), tool("reiserfsck", "reiserfsprogs", "-V")],
    smallest_lane: Bytes::mib(128),
    options: MKREISERFS,
    mount: &[mounts::REISERFS],
    mkfs: &["mkreiserfs", "-q", "-f", "-f", "-u", "{uuid}"],
    check: &["reiserfsck", "--check", "--quiet", "--yes"],
    guarantees: |_, _| vec![Guarantee::Journal],
    symbols: KernelSymbols { prefixes: &["reiserfs_"], ..KernelSymbols::NONE },
    ..Kind::new("reiserfs", "one B+ tree, with a journal; no longer in Linux since 6.13")
};

/// mkfs.exfat(8), fsck.exfat(8).
pub static EXFAT: Kind = Kind {
    tools: &[tool("mkfs.exfat", "exfatprogs", "-V"), tool("fsck.exfat", "exfatprogs", "-V")],
    smallest_lane: Bytes::mib(16),
    options: MKFS_EXFAT,
    mkfs: &["mkfs.exfat"],
    check: &["fsck.exfat", "-n"],
    symbols: KernelSymbols { prefixes: &["exfat_"], ..KernelSymbols::NONE },
    ..Kind::new("exfat", "Microsoft's, for removable media: no journal, no links, no owners")
};

/// mkudffs(8). No program checks it.
pub static UDF: Kind = Kind {
    tools: &[tool("mkudffs", "udftools", "--version")],
    smallest_lane: Bytes::mib(16),
    options: MKUDFFS,
    mkfs: &["mkudffs", "--blocksize=4096", "--media-type=hd"],
    symbols: KernelSymbols { prefixes: &["udf_"], ..KernelSymbols::NONE },
    ..Kind::new("udf", "the file system of DVDs: no journal")
};

#[cfg(test)]
mod tests {
    use super::super::tests::command_of;
    use super::*;

    #[test]
    fn the_uuid_is_that_of_the_plan_where_mkfs_takes_one() {
        let command = command_of(&F2FS, &["-O", "compression"]).expect("allowed");
        assert_eq!(command, "mkfs.f2fs -q -f -t 0 -U u -O compression /dev/loop9");
        for (kind, words, ours) in [(&F2FS, &["-t", "0"][..], "-t 0"), (&UDF, &["-b4096", "-mhd"], "--media-type=hd")] {
            let command = command_of(kind, words).expect("our own values");
            assert_eq!(command.matches(ours).count(), 1, "{command}");
        }
        let other = command_of(&F2FS, &["-t", "1"]).expect_err("other");
        assert!(other.contains("no contender discards"), "{other}");
        assert!(NILFS2.check.is_empty());
    }
}
