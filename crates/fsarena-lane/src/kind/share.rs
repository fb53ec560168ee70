//! Folders of the host that a guest mounts. fsarena starts their servers (`fsarena-guest/src/shares.rs`).

use super::options::mounts;
use super::{Ground, Kind, tool};

/// 9P, served by QEMU.
pub static PLAN9: Kind = share("9p", "9p", "a folder of the host in a guest, by 9P (QEMU)");
/// virtiofs, served by virtiofsd.
pub static VIRTIOFS: Kind = share("virtiofs", "virtiofs", "a folder of the host in a guest, by virtiofs");
/// NFS 4.2, served by NFS-Ganesha.
pub static NFS: Kind = share("nfs", "nfs4", "a folder of the host in a guest, by NFS 4.2");
/// SMB 3.1.1, served by Samba.
pub static SMB: Kind = share("smb", "cifs", "a folder of the host in a guest, by SMB 3.1.1");
/// SFTP, served by OpenSSH's sftp-server; sshfs(1) is a FUSE file system.
pub static SSHFS: Kind = Kind {
    mounter: Some("sshfs"),
    tools: &[tool("sshfs", "sshfs", "--version")],
    ..share("sshfs", "fuse.sshfs", "a folder of the host in a guest, by SFTP without encryption (sshfs)")
};

const fn share(name: &'static str, mounted_as: &'static str, about: &'static str) -> Kind {
    Kind { mounted_as, ground: Ground::Share, mount: &[mounts::SHARE], ..Kind::new(name, about) }
}
