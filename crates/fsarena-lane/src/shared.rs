//! Shared folders: directories on another machine, or on the host of this one, recognised by the type of their mount.

use fsarena_model::{Contender, grouped};
use fsarena_sys::mountinfo::Mount;

use crate::space::file_system;

/// What serves a shared folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SharedServer {
    /// The host of this virtual machine.
    Host,
    /// A machine on the network.
    Remote,
}

/// Mount types as in mountinfo, with a description and the server.
const KINDS: &[(&[&str], &str, SharedServer)] = &[
    (&["vboxsf"], "a shared folder of VirtualBox", SharedServer::Host),
    (&["vmhgfs", "fuse.vmhgfs-fuse"], "a shared folder of VMware", SharedServer::Host),
    (&["prl_fs", "fuse.prl_fsd"], "a shared folder of Parallels", SharedServer::Host),
    (&["virtiofs"], "a shared folder of the hypervisor by virtiofs", SharedServer::Host),
    (&["9p"], "a shared folder by 9P, as QEMU and WSL have them", SharedServer::Host),
    (&["nfs", "nfs4"], "a folder of another machine by NFS", SharedServer::Remote),
    (&["cifs", "smb3"], "a folder of another machine by SMB", SharedServer::Remote),
    (&["fuse.sshfs"], "a folder of another machine by SSH", SharedServer::Remote),
    (&["fuse.glusterfs"], "a volume of GlusterFS", SharedServer::Remote),
    (&["fuse.mfs"], "a folder of MooseFS", SharedServer::Remote),
    (&["ceph", "fuse.ceph-fuse", "fuse.ceph"], "a folder of CephFS", SharedServer::Remote),
    (&["lustre"], "a folder of Lustre", SharedServer::Remote),
    (&["beegfs"], "a folder of BeeGFS", SharedServer::Remote),
    (&["gpfs"], "a folder of Storage Scale (GPFS)", SharedServer::Remote),
    (&["fuse.juicefs", "fuse.seaweedfs", "fuse.s3fs"], "a folder of an object store", SharedServer::Remote),
];

/// The type of a mount in mountinfo, made more exact by its source: MooseFS has no type of its own.
pub fn kind_of(mount: &Mount) -> &str {
    if mount.kind == "fuse" && mount.source.starts_with("mfs#") { "fuse.mfs" } else { &mount.kind }
}

/// Whether data on a mount of this type, which may be followed by its options, come over a network.
pub fn is_remote(mount: &str) -> bool {
    let kind = mount.split(' ').next().unwrap_or_default();
    KINDS.iter().any(|(kinds, _, server)| kinds.contains(&kind) && *server == SharedServer::Remote)
}

/// What mounts of the same file system have in common, as do the subvolumes of a btrfs. Each mount of a shared folder may have a device number of its
/// own, so its type and source are compared.
pub fn identity(mount: &Mount) -> String {
    let kind = kind_of(mount);
    match remark(kind) {
        Some(_) => format!("{kind} {}", mount.source),
        None => format!("device {}:{}", rustix::fs::major(mount.device), rustix::fs::minor(mount.device)),
    }
}

/// The contenders that are directories, by what those on the same file system have in common, as far as it can be looked
/// up.
pub fn by_file_system(contenders: &[Contender]) -> Vec<(String, Vec<&Contender>)> {
    grouped(contenders.iter().filter_map(|it| Some((file_system(it.path.as_deref()?).ok()?, it))))
}

/// A remark about directories on a mount of this type, which may be followed by its options; `None` if it is not a
/// shared folder.
pub fn remark(mount: &str) -> Option<String> {
    let kind = mount.split(' ').next()?;
    let (_, what, server) = KINDS.iter().find(|(kinds, ..)| kinds.contains(&kind))?;
    let follows = match server {
        SharedServer::Host => {
            "what is read may come from the host's memory, and whether a flush reaches a disk is up to host and hypervisor"
        }
        SharedServer::Remote => {
            "the network is part of every figure, what is read may come from the server's memory, and whether a flush reaches a \
             disk is up to the server"
        }
    };
    Some(format!("{what} ({kind}): {follows}"))
}

#[cfg(test)]
mod tests {
    use fsarena_sys::mountinfo::parse;

    use super::*;

    const MOUNTS: &str = "\
41 29 0:38 / /vagrant rw,nodev,relatime shared:20 - vboxsf vagrant rw,iocharset=utf8,uid=1000,gid=1000
42 29 0:39 / /mnt/hgfs rw,nosuid,nodev,relatime shared:21 - fuse.vmhgfs-fuse vmhgfs-fuse rw,user_id=0,group_id=0,allow_other
43 29 0:40 / /hgfs rw,relatime - vmhgfs .host:/ rw
44 29 0:41 / /srv/nfs rw,relatime shared:22 - nfs4 10.0.2.2:/srv rw,vers=4.2,rsize=262144,hard,proto=tcp
45 29 0:42 / /srv/old rw,relatime - nfs 10.0.2.2:/srv rw,vers=3,proto=udp
46 29 0:43 / /mnt/host rw,relatime - 9p hostshare rw,trans=virtio
47 29 0:44 / /mnt/fs rw,relatime - virtiofs myfs rw
48 29 0:45 / /mnt/smb rw,relatime - cifs //server/share rw,vers=3.1.1
49 29 0:46 / /mnt/ssh rw,nosuid - fuse.sshfs me@server:/home rw
50 29 0:47 / /media/psf rw,nosuid - prl_fs none rw
51 1 254:0 / / rw,relatime - ext4 /dev/vda rw
52 29 0:48 / /mnt/other rw - fuse.rclone remote: rw
";

    #[test]
    fn shared_folders_are_known_by_the_type_of_their_mount() {
        let remarks: Vec<Option<String>> =
            parse(MOUNTS).iter().map(|mount| remark(&format!("{} {}", mount.kind, mount.all_options()))).collect();
        let names = [
            "VirtualBox (vboxsf)", "VMware (fuse.vmhgfs-fuse)", "VMware (vmhgfs)", "NFS (nfs4)", "NFS (nfs)",
            "WSL have them (9p)", "virtiofs (virtiofs)", "SMB (cifs)", "SSH (fuse.sshfs)", "Parallels (prl_fs)",
        ];
        assert_eq!(remarks.len(), names.len() + 2);
        for (found, name) in remarks.iter().zip(names) {
            assert!(found.as_ref().is_some_and(|found| found.contains(name)), "{name}: {found:?}");
        }
        assert_eq!(remarks[10..], [None, None]);
        assert_eq!(remark("cifs2 rw"), None);
    }

    #[test]
    fn only_what_another_machine_serves_comes_over_a_network() {
        let remote: Vec<bool> = parse(MOUNTS).iter().map(|mount| is_remote(kind_of(mount))).collect();
        let expected = [false, false, false, true, true, false, false, true, true, false, false, false];
        assert_eq!(remote, expected);
        let moose = "53 29 0:49 / /mnt/mfs rw - fuse mfs\\043server:9421 rw,user_id=0\n";
        let mount = parse(moose).into_iter().next().expect("a mount");
        assert_eq!(kind_of(&mount), "fuse.mfs");
        assert!(is_remote(&format!("{} rw,user_id=0", kind_of(&mount))));
    }

    #[test]
    fn a_shared_folder_is_the_same_by_its_source_and_a_disk_by_its_number() {
        let of = |line: &str| identity(&parse(line)[0]);
        let gluster = of("60 29 0:60 / /mnt/a rw - fuse.glusterfs n0:/v rw\n");
        assert_eq!(gluster, "fuse.glusterfs n0:/v");
        assert_eq!(of("61 29 0:61 /x /mnt/b ro - fuse.glusterfs n0:/v ro\n"), gluster);
        assert_ne!(of("62 29 0:62 / /mnt/c rw - fuse.glusterfs n0:/w rw\n"), gluster);
        assert_eq!(
            of("51 1 254:0 /home /home rw,noatime - ext4 /dev/root rw\n"),
            of("52 1 254:0 / / rw - ext4 /dev/vda rw\n")
        );
        assert_ne!(of("53 1 0:30 / /a rw - tmpfs tmpfs rw\n"), of("54 1 0:31 / /b rw - tmpfs tmpfs rw\n"));
    }

    #[test]
    fn notes_name_the_server() {
        assert!(remark("vboxsf").expect("known").contains("up to host and hypervisor"));
        assert!(remark("nfs rw").expect("known").contains("the network is part of every figure"));
    }
}
