//! Shared folders: directories on another machine, or on the host of this one, recognised by the type of their mount, and
//! what they guarantee by its options as the kernel reports them. Options of FUSE programs are not among those, so only
//! the programs' defaults are known.

use fsarena_model::{Coherence, Contender, Sharing, grouped};
use fsarena_sys::mountinfo::Mount;

use crate::kind::has_option;
use crate::space::file_system;

const AT_SERVER: &str = "at the server";
const HERE_ONLY: &str = "on this client only";
const NOT_SHOWN: &str = "not shown by the mount";
const WAITS: &str = "calls wait for it";
const GIVES_UP: &str = "calls fail, and writes may be lost";
const RECALLED: &str = "until they are recalled";
const UP_TO_SERVER: &str = "up to the server";

/// A kind of shared folder.
struct SharedKind {
    /// Types of its mounts as in mountinfo, separated by spaces.
    types: &'static str,
    about: &'static str,
    /// Whether a machine on the network serves it, and not the host of this virtual machine.
    is_remote: bool,
    sharing: SharingOf,
}

/// What mounts with these options guarantee.
type SharingOf = fn(MountOptions<'_>) -> Sharing;

const fn host(types: &'static str, about: &'static str, sharing: SharingOf) -> SharedKind {
    SharedKind { types, about, is_remote: false, sharing }
}

const fn remote(types: &'static str, about: &'static str, sharing: SharingOf) -> SharedKind {
    SharedKind { types, about, is_remote: true, sharing }
}

const KINDS: &[SharedKind] = &[
    host("vboxsf", "a shared folder of VirtualBox", not_shown),
    host("vmhgfs fuse.vmhgfs-fuse", "a shared folder of VMware", not_shown),
    host("prl_fs fuse.prl_fsd", "a shared folder of Parallels", not_shown),
    host("virtiofs", "a shared folder of the hypervisor by virtiofs", not_shown),
    host("9p", "a shared folder by 9P, as QEMU and WSL have them", plan9),
    remote("nfs nfs4", "a folder of another machine by NFS", nfs),
    remote("cifs smb3", "a folder of another machine by SMB", smb),
    // sshfs(1), dcache_timeout; glusterfs(8), --attribute-timeout; mfsmount(8), mfsattrcacheto.
    remote("fuse.sshfs", "a folder of another machine by SSH", |_| of_program("20 s by default", HERE_ONLY)),
    remote("fuse.glusterfs", "a volume of GlusterFS", |_| of_program("1 s by default", AT_SERVER)),
    remote("fuse.mfs", "a folder of MooseFS", |_| of_program("1 s by default", AT_SERVER)),
    // ceph(8), "Capabilities"; Lustre Operations Manual, "Lustre Lock Manager"; GPFS: Administration, "Tokens".
    remote("ceph fuse.ceph-fuse fuse.ceph", "a folder of CephFS", by_leases),
    remote("lustre", "a folder of Lustre", lustre),
    remote("beegfs", "a folder of BeeGFS", not_shown),
    remote("gpfs", "a folder of Storage Scale (GPFS)", by_leases),
    remote("fuse.juicefs", "a folder of an object store", juicefs),
    remote("fuse.seaweedfs fuse.s3fs", "a folder of an object store", not_shown),
];

/// The kind of a mount of this type, which may be followed by its options.
fn find(mount: &str) -> Option<&'static SharedKind> {
    let kind = mount.split(' ').next()?;
    KINDS.iter().find(|known| known.types.split(' ').any(|known| known == kind))
}

/// The type of a mount in mountinfo, made more exact by its source: MooseFS has no type of its own.
pub fn kind_of(mount: &Mount) -> &str {
    if mount.kind == "fuse" && mount.source.starts_with("mfs#") { "fuse.mfs" } else { &mount.kind }
}

/// Whether data on a mount of this type, which may be followed by its options, come over a network.
pub fn is_remote(mount: &str) -> bool {
    find(mount).is_some_and(|known| known.is_remote)
}

/// What mounts of the same file system have in common, as do the subvolumes of a btrfs. Each mount of a shared folder may
/// have a device number of its own, so its type and source are compared.
pub fn identity(mount: &Mount) -> String {
    let kind = kind_of(mount);
    match find(kind) {
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
    let SharedKind { about, is_remote, .. } = find(mount)?;
    let follows = match is_remote {
        false => {
            "what is read may come from the host's memory, and whether a flush reaches a disk is up to host and hypervisor"
        }
        true => {
            "the network is part of every figure, what is read may come from the server's memory, and whether a flush reaches a \
             disk is up to the server"
        }
    };
    Some(format!("{about} ({}): {follows}", mount.split(' ').next()?))
}

/// The guarantees of a mount of this type, as [`kind_of`] has it; `None` if it is no shared file system.
pub(crate) fn sharing(kind: &str, options: &str) -> Option<Sharing> {
    find(kind).map(|known| (known.sharing)(MountOptions(options)))
}

/// Whether fsync(2) on a mount of this type asks the server for nothing (mount.cifs(8), `nostrictsync`).
pub(crate) fn keeps_syncs(kind: &str, options: &str) -> bool {
    ["cifs", "smb3"].contains(&kind) && MountOptions(options).has("nostrictsync")
}

/// Comma-separated mount options.
#[derive(Clone, Copy)]
struct MountOptions<'a>(&'a str);

impl<'a> MountOptions<'a> {
    fn has(self, name: &str) -> bool {
        has_option(self.0, &[name])
    }

    fn value(self, name: &str) -> Option<&'a str> {
        self.0.split(',').find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
    }
}

/// nfs(5): "Data and metadata coherence", `ac`, `cto`, `local_lock`, `soft`.
fn nfs(options: MountOptions<'_>) -> Sharing {
    let seconds = |name, default| options.value(name).unwrap_or(default);
    let [least, most] = [("acregmin", "3"), ("acregmax", "60")].map(|(name, default)| seconds(name, default));
    let attributes = match most {
        "0" => "not".to_owned(),
        _ if options.has("noac") => "not".to_owned(),
        _ => format!("{least} to {most} s"),
    };
    let locks = match options.value("local_lock") {
        Some("all") => HERE_ONLY.to_owned(),
        Some("none") | None => AT_SERVER.to_owned(),
        Some(some) => format!("{some}: {HERE_ONLY}"),
    };
    let gives_up = options.has("soft") || options.has("softerr");
    Sharing {
        fsync: UP_TO_SERVER.to_owned(),
        coherence: Some(if options.has("nocto") { Coherence::Expiring } else { Coherence::CloseToOpen }),
        attributes,
        locks,
        silent_server: if gives_up { GIVES_UP } else { WAITS }.to_owned(),
    }
}

/// mount.cifs(8): `cache`, `actimeo`, `nobrl`, `hard`.
fn smb(options: MountOptions<'_>) -> Sharing {
    let is_loose = matches!(options.value("cache"), Some("loose" | "singleclient" | "ro"));
    let seconds = options.value("actimeo").unwrap_or("1");
    Sharing {
        fsync: if options.has("nostrictsync") { HERE_ONLY } else { UP_TO_SERVER }.to_owned(),
        coherence: Some(if is_loose { Coherence::Expiring } else { Coherence::Immediate }),
        attributes: if is_loose { format!("{seconds} s") } else { format!("{seconds} s, or {RECALLED}") },
        locks: if options.has("nobrl") { HERE_ONLY } else { AT_SERVER }.to_owned(),
        silent_server: if options.has("hard") { WAITS } else { GIVES_UP }.to_owned(),
    }
}

/// Documentation/filesystems/9p.rst: `cache`. Newer kernels report it as a hexadecimal sum of these bits
/// (fs/9p/v9fs.h).
fn plan9(options: MountOptions<'_>) -> Sharing {
    const LOOSE: u32 = 8;
    let (coherence, attributes) = match options.value("cache").unwrap_or("none") {
        "none" | "0" => (Coherence::Immediate, "not"),
        "loose" | "fscache" => (Coherence::Expiring, "until it is mounted again"),
        other if u32::from_str_radix(other.trim_start_matches("0x"), 16).is_ok_and(|bits| bits & LOOSE != 0) => {
            (Coherence::Expiring, "until it is mounted again")
        }
        _ => (Coherence::CloseToOpen, "not"),
    };
    Sharing { coherence: Some(coherence), silent_server: WAITS.to_owned(), ..of_program(attributes, NOT_SHOWN) }
}

fn by_leases(_: MountOptions<'_>) -> Sharing {
    let coherence = Some(Coherence::Immediate);
    Sharing { coherence, silent_server: WAITS.to_owned(), ..of_program(RECALLED, AT_SERVER) }
}

fn lustre(options: MountOptions<'_>) -> Sharing {
    let locks = if options.has("localflock") { HERE_ONLY } else { AT_SERVER };
    Sharing { locks: locks.to_owned(), ..by_leases(options) }
}

/// JuiceFS, "Cache": close-to-open unless `--open-cache`; `--attr-cache`.
fn juicefs(_: MountOptions<'_>) -> Sharing {
    Sharing { coherence: Some(Coherence::CloseToOpen), ..of_program("1 s by default", AT_SERVER) }
}

fn not_shown(_: MountOptions<'_>) -> Sharing {
    Sharing { coherence: None, ..of_program(NOT_SHOWN, NOT_SHOWN) }
}

/// A FUSE program that caches attributes for some time by default.
fn of_program(attributes: &str, locks: &str) -> Sharing {
    let [fsync, attributes, locks, silent_server] = [UP_TO_SERVER, attributes, locks, NOT_SHOWN].map(str::to_owned);
    Sharing { coherence: Some(Coherence::Expiring), fsync, attributes, locks, silent_server }
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

    const NFS: &str = "rw,relatime,vers=4.2,rsize=524288,hard,proto=tcp,local_lock=none,addr=10.0.2.2";

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

    fn coherence(kind: &str, options: &str) -> Option<Coherence> {
        sharing(kind, options).expect("a shared file system").coherence
    }

    #[test]
    fn nfs_is_close_to_open_unless_its_options_say_otherwise() {
        let usual = sharing("nfs4", NFS).expect("shared");
        let words = [usual.attributes.as_str(), usual.locks.as_str(), usual.silent_server.as_str()];
        assert_eq!((usual.coherence, words), (Some(Coherence::CloseToOpen), ["3 to 60 s", AT_SERVER, WAITS]));
        assert_eq!(coherence("nfs", "rw,nocto"), Some(Coherence::Expiring));
        let weak = sharing("nfs", "rw,acregmin=5,acregmax=600,soft,local_lock=posix").expect("shared");
        let words = [weak.attributes.as_str(), weak.locks.as_str(), weak.silent_server.as_str()];
        assert_eq!(words, ["5 to 600 s", "posix: on this client only", GIVES_UP]);
        for none in ["rw,acregmin=0,acregmax=0,acdirmin=0,acdirmax=0", "rw,sync,noac"] {
            assert_eq!(sharing("nfs", none).expect("shared").attributes, "not");
        }
    }

    #[test]
    fn caches_without_leases_expire() {
        let cases = [
            ("cifs", "rw,cache=strict,actimeo=1", Some(Coherence::Immediate)),
            ("cifs", "rw,cache=loose", Some(Coherence::Expiring)),
            ("9p", "rw,trans=virtio", Some(Coherence::Immediate)),
            ("9p", "rw,cache=loose", Some(Coherence::Expiring)),
            ("9p", "rw,cache=f", Some(Coherence::Expiring)),
            ("9p", "rw,cache=0xf", Some(Coherence::Expiring)),
            ("9p", "rw,cache=0x5", Some(Coherence::CloseToOpen)),
            ("9p", "rw,cache=5", Some(Coherence::CloseToOpen)),
            ("ceph", "rw", Some(Coherence::Immediate)),
            ("fuse.glusterfs", "rw,user_id=0", Some(Coherence::Expiring)),
            ("fuse.mfs", "rw,user_id=0", Some(Coherence::Expiring)),
            ("virtiofs", "rw", None),
            ("beegfs", "rw", None),
        ];
        for (kind, options, expected) in cases {
            assert_eq!(coherence(kind, options), expected, "{kind} {options}");
        }
        assert_eq!(sharing("ext4", "rw"), None);
        assert_eq!(sharing("lustre", "rw,localflock").expect("shared").locks, HERE_ONLY);
    }

    #[test]
    fn only_smb_can_keep_syncs_to_itself() {
        assert!(keeps_syncs("cifs", "rw,nostrictsync") && !keeps_syncs("cifs", "rw"));
        assert!(!keeps_syncs("nfs", "rw,nostrictsync"));
    }
}
