//! XFS (mkfs.xfs(8)).

use std::path::Path;

use fsarena_model::{Bytes, Guarantee};

use super::{Identity, Kind, Tool, strings};

/// XFS.
pub struct Xfs;

impl Kind for Xfs {
    fn name(&self) -> &'static str {
        "xfs"
    }

    fn about(&self) -> &'static str {
        "allocation groups, delayed logging, extents in B+ trees"
    }

    fn tools(&self) -> &'static [Tool] {
        &[
            Tool { program: "mkfs.xfs", package: "xfsprogs", version: "-V" },
            Tool { program: "xfs_repair", package: "xfsprogs", version: "-V" },
        ]
    }

    fn smallest_lane(&self) -> Bytes {
        Bytes::mib(300)
    }

    fn mkfs(&self, device: &Path, identity: &Identity, further: &[String]) -> Vec<String> {
        let uuid = format!("uuid={}", identity.uuid);
        let mut argv = strings(["mkfs.xfs", "-q", "-f", "-K", "-m", &uuid]);
        argv.extend_from_slice(further);
        argv.push(device.display().to_string());
        argv
    }

    fn check(&self, device: &Path) -> Vec<String> {
        strings(["xfs_repair", "-n", &device.display().to_string()])
    }

    fn describe(&self, device: &Path) -> Vec<String> {
        strings(["xfs_info", &device.display().to_string()])
    }

    /// Names with the value 1, and as `name=value` the allocation groups' number and size, and the sizes of sectors and
    /// inodes.
    fn features(&self, description: &str) -> Vec<String> {
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

    fn guarantees(&self, features: &[String], _options: &str) -> Vec<Guarantee> {
        let mut guarantees = vec![Guarantee::Journal];
        guarantees.extend(features.iter().any(|feature| feature == "crc").then_some(Guarantee::MetadataChecksums));
        guarantees
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read_from_xfs_info() {
        let text =
            "meta-data=/dev/loop9 isize=512    agcount=4, agsize=131072 blks\n         =    crc=1  finobt=1, rmapbt=0";
        assert_eq!(Xfs.guarantees(&Xfs.features(text), "rw"), [Guarantee::Journal, Guarantee::MetadataChecksums]);
        assert_eq!(Xfs.features(text), strings(["agcount=4", "agsize=131072", "crc", "finobt", "isize=512"]));
    }
}
