//! What the mounts of shared file systems guarantee, by their type and their options as the kernel reports them.
//! Options of FUSE programs are not among those, so only the programs' defaults are known.

use fsarena_model::{Coherence, Sharing};

use crate::kind::has_option;

const AT_SERVER: &str = "at the server";
const HERE_ONLY: &str = "on this client only";
const NOT_SHOWN: &str = "not shown by the mount";
const WAITS: &str = "calls wait for it";
const GIVES_UP: &str = "calls fail, and writes may be lost";
const RECALLED: &str = "until they are recalled";
const UP_TO_SERVER: &str = "up to the server";

/// The guarantees of a mount of this type, as [`crate::shared::kind_of`] has it; `None` if it is no shared file system.
pub fn of(kind: &str, options: &str) -> Option<Sharing> {
    let options = MountOptions(options);
    let sharing = match kind {
        "nfs" | "nfs4" => nfs(options),
        "cifs" | "smb3" => smb(options),
        "9p" => plan9(options),
        // ceph(8), "Capabilities"; Lustre Operations Manual, "Lustre Lock Manager"; GPFS: Administration, "Tokens".
        "ceph" | "fuse.ceph-fuse" | "fuse.ceph" | "gpfs" => by_leases(AT_SERVER),
        "lustre" => by_leases(if options.has("localflock") { HERE_ONLY } else { AT_SERVER }),
        // glusterfs(8), --attribute-timeout; mfsmount(8), mfsattrcacheto; sshfs(1), dcache_timeout.
        "fuse.glusterfs" => of_program("1 s by default", AT_SERVER),
        "fuse.mfs" => of_program("1 s by default", AT_SERVER),
        "fuse.sshfs" => of_program("20 s by default", HERE_ONLY),
        // JuiceFS, "Cache": close-to-open unless --open-cache; --attr-cache.
        "fuse.juicefs" => {
            Sharing { coherence: Some(Coherence::CloseToOpen), ..of_program("1 s by default", AT_SERVER) }
        }
        _ if crate::shared::remark(kind).is_some() => Sharing { coherence: None, ..of_program(NOT_SHOWN, NOT_SHOWN) },
        _ => return None,
    };
    Some(sharing)
}

/// Whether fsync(2) on a mount of this type asks the server for nothing (mount.cifs(8), `nostrictsync`).
pub fn keeps_syncs(kind: &str, options: &str) -> bool {
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

fn by_leases(locks: &str) -> Sharing {
    let coherence = Some(Coherence::Immediate);
    Sharing { coherence, silent_server: WAITS.to_owned(), ..of_program(RECALLED, locks) }
}

/// A FUSE program that caches attributes for some time by default.
fn of_program(attributes: &str, locks: &str) -> Sharing {
    let [fsync, attributes, locks, silent_server] = [UP_TO_SERVER, attributes, locks, NOT_SHOWN].map(str::to_owned);
    Sharing { coherence: Some(Coherence::Expiring), fsync, attributes, locks, silent_server }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NFS: &str = "rw,relatime,vers=4.2,rsize=524288,hard,proto=tcp,local_lock=none,addr=10.0.2.2";

    fn coherence(kind: &str, options: &str) -> Option<Coherence> {
        of(kind, options).expect("a shared file system").coherence
    }

    #[test]
    fn nfs_is_close_to_open_unless_its_options_say_otherwise() {
        let usual = of("nfs4", NFS).expect("shared");
        let words = [usual.attributes.as_str(), usual.locks.as_str(), usual.silent_server.as_str()];
        assert_eq!((usual.coherence, words), (Some(Coherence::CloseToOpen), ["3 to 60 s", AT_SERVER, WAITS]));
        assert_eq!(coherence("nfs", "rw,nocto"), Some(Coherence::Expiring));
        let weak = of("nfs", "rw,acregmin=5,acregmax=600,soft,local_lock=posix").expect("shared");
        let words = [weak.attributes.as_str(), weak.locks.as_str(), weak.silent_server.as_str()];
        assert_eq!(words, ["5 to 600 s", "posix: on this client only", GIVES_UP]);
        for none in ["rw,acregmin=0,acregmax=0,acdirmin=0,acdirmax=0", "rw,sync,noac"] {
            assert_eq!(of("nfs", none).expect("shared").attributes, "not");
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
        assert_eq!(of("ext4", "rw"), None);
        assert_eq!(of("lustre", "rw,localflock").expect("shared").locks, HERE_ONLY);
    }

    #[test]
    fn only_smb_can_keep_syncs_to_itself() {
        assert!(keeps_syncs("cifs", "rw,nostrictsync") && !keeps_syncs("cifs", "rw"));
        assert!(!keeps_syncs("nfs", "rw,nostrictsync"));
    }
}
