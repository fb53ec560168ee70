//! XFS (mkfs.xfs(8)).

use fsarena_model::{Avoided, Bytes, Guarantee, KernelSymbols, Knob, Wait};

use super::options::{MKFS_XFS, mounts};
use super::{Kind, LargeBlocks, MkfsResult, given, tool};
use crate::age::Release;

pub static XFS: Kind = Kind {
    tools: &[tool("mkfs.xfs", "xfsprogs", "-V"), tool("xfs_repair", "xfsprogs", "-V")],
    is_numbered_as_kernels: true,
    smallest_lane: Bytes::mib(300),
    mkfs: &["mkfs.xfs", "-q", "-f", "-K", "-m", "uuid={uuid}"],
    describe: &["xfs_info"],
    check: &["xfs_repair", "-n"],
    options: MKFS_XFS,
    mount: &[mounts::XFS],
    // xfs_fs_fill_super() in fs/xfs/xfs_super.c.
    large_blocks: LargeBlocks::Since(Release::of(6, 12)),
    made,
    guarantees,
    symbols: KernelSymbols {
        prefixes: &["xfs_", "__xfs_", "xlog_", "__xlog_"],
        waits: &[
            ("xlog_wait_on_iclog xlog_force_lsn xlog_cil_force_seq xfs_log_force* xlog_cil_push_now", Wait::Commit),
            ("__xfs_iunpin_wait", Wait::Commit),
            ("xlog_grant_head_* xlog_state_get_iclog_space xlog_cil_push_background xlog_cil_commit", Wait::LogSpace),
            ("xfs_buf_iowait", Wait::Read),
            ("xfs_buf_lock xfs_ilock*", Wait::Lock),
        ],
        // mkfs.xfs(8), xfs(5), mount(8).
        knobs: &[
            Knob { with: "xfs -m rmapbt=1", without: "xfs -m rmapbt=0", avoids: Avoided::Functions(&["xfs_rmap*"]) },
            Knob { with: "xfs", without: "xfs:noatime", avoids: Avoided::Functions(&["touch_atime"]) },
            Knob { with: "xfs", without: "xfs:lazytime", avoids: Avoided::Functions(&["xfs_vn_update_time"]) },
        ],
    },
    ..Kind::new("xfs", "allocation groups, delayed logging, extents in B+ trees")
};

/// Names with the value 1, and as `name=value` the allocation groups' number and size, and the sizes of sectors and
/// inodes.
fn features(description: &str) -> Vec<String> {
    let words = description.split([' ', ',', '\n']).filter_map(|word| word.split_once('='));
    let sizes = ["agcount", "agsize", "sectsz", "isize"];
    let described = words.filter_map(|(name, value)| match value {
        "1" if name != "version" => Some(name.to_owned()),
        _ if sizes.contains(&name) => Some(format!("{name}={value}")),
        _ => None,
    });
    let mut features: Vec<String> = described.collect();
    features.sort();
    features.dedup();
    features
}

/// xfs_info(8) does not print the UUID.
fn made(description: &str) -> MkfsResult {
    let line = description.lines().find_map(|line| line.strip_prefix("data "));
    let number = |name: &str| {
        let mut words = line?.split([' ', '=', ',']).filter(|word| !word.is_empty());
        words.find(|word| *word == name)?;
        words.next()?.parse::<u64>().ok()
    };
    let block = number("bsize");
    let size = block.zip(number("blocks")).map(|(size, blocks)| Bytes(size * blocks));
    MkfsResult { size, block: block.map(Bytes), features: features(description), ..MkfsResult::default() }
}

fn guarantees(features: &[String], _options: &str) -> Vec<Guarantee> {
    let has_checksums = features.iter().any(|feature| feature == "crc");
    given([(Guarantee::Journal, true), (Guarantee::MetadataChecksums, has_checksums)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_size_and_features_are_read_from_xfs_info() {
        let text = "meta-data=/dev/loop9             isize=512    agcount=4, agsize=131072 blks\n\
                    \u{20}        =                       crc=1        finobt=1, rmapbt=0\n\
                    data     =                       bsize=4096   blocks=524288, imaxpct=25\n";
        assert_eq!(made(text).size, Some(Bytes::gib(2)));
        assert_eq!(guarantees(&features(text), "rw"), [Guarantee::Journal, Guarantee::MetadataChecksums]);
        assert_eq!(features(text), ["agcount=4", "agsize=131072", "crc", "finobt", "isize=512"]);
    }
}
