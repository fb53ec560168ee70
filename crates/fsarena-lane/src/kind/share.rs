//! Folders of the host that a guest mounts. fsarena starts their servers (`fsarena-guest/src/shares.rs`).

use super::{Ground, Kind, Tool};

/// A folder of the host, shared with a guest.
pub struct Share {
    name: &'static str,
    mounted_as: &'static str,
    about: &'static str,
    /// The program that mounts it; none: the kernel does.
    mounter: &'static [Tool],
}

/// 9P, served by QEMU.
pub static PLAN9: Share =
    Share { name: "9p", mounted_as: "9p", about: "a folder of the host in a guest, by 9P (QEMU)", mounter: &[] };
/// virtiofs, served by virtiofsd.
pub static VIRTIOFS: Share = Share {
    name: "virtiofs",
    mounted_as: "virtiofs",
    about: "a folder of the host in a guest, by virtiofs",
    mounter: &[],
};
/// NFS 4.2, served by NFS-Ganesha.
pub static NFS: Share =
    Share { name: "nfs", mounted_as: "nfs4", about: "a folder of the host in a guest, by NFS 4.2", mounter: &[] };
/// SMB 3.1.1, served by Samba.
pub static SMB: Share =
    Share { name: "smb", mounted_as: "cifs", about: "a folder of the host in a guest, by SMB 3.1.1", mounter: &[] };
/// SFTP, served by OpenSSH's sftp-server; sshfs(1) is a FUSE file system.
pub static SSHFS: Share = Share {
    name: "sshfs",
    mounted_as: "fuse.sshfs",
    about: "a folder of the host in a guest, by SFTP without encryption (sshfs)",
    mounter: &[Tool { program: "sshfs", package: "sshfs", version: "--version" }],
};

impl Kind for Share {
    fn name(&self) -> &'static str {
        self.name
    }

    fn mounted_as(&self) -> &'static str {
        self.mounted_as
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn ground(&self) -> Ground {
        Ground::Share
    }

    fn tools(&self) -> &'static [Tool] {
        self.mounter
    }

    fn mounter(&self) -> Option<&'static str> {
        self.mounter.first().map(|tool| tool.program)
    }
}
