//! File systems of other machines that a guest mounts when it boots, in the spelling of fstab(5).

use std::fmt;
use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::Path;
use std::str::FromStr;

use fsarena_sys::mount::mount;

/// A file system that the guest mounts when it boots: the first four fields of a line of fstab(5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootMount {
    source: String,
    point: String,
    kind: String,
    options: String,
}

/// Why a line names nothing that a guest can mount.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadMount {
    /// Fields are missing, or there are too many.
    #[error("`{0}` has to be `SOURCE DIRECTORY TYPE [OPTIONS]`, as a line of fstab(5)")]
    Fields(String),
    /// The mount point is not absolute.
    #[error("`{0}` is no absolute path of a directory")]
    Point(String),
    /// A guest cannot look up names of hosts.
    #[error("`{0}` has to begin with the server's IP address, as in 10.0.2.2:/export: a guest looks up no names")]
    Server(String),
}

impl BootMount {
    /// Mounts it; makes the mount point.
    ///
    /// # Errors
    /// With the kernel's words.
    pub fn mount(&self) -> io::Result<()> {
        mount_at(&self.point, &self.kind, &self.source, &self.options)
    }
}

/// Mounts a file system; makes the mount point.
pub fn mount_at(point: &str, kind: &str, source: &str, options: &str) -> io::Result<()> {
    fs::create_dir_all(point)?;
    let mounted = mount(kind, source, options, Path::new(point));
    mounted.map_err(|error| io::Error::other(format!("mount {source} at {point}: {error}")))
}

/// The kernel's NFS client takes the server's address as an option, which mount.nfs(8) adds.
fn with_address(source: &str, options: &str) -> Result<String, BadMount> {
    if options.split(',').any(|option| option.starts_with("addr=")) {
        return Ok(options.to_owned());
    }
    let host = source.rsplit_once(":/").map_or("", |(host, _)| host.trim_matches(['[', ']']));
    let address: IpAddr = host.parse().map_err(|_| BadMount::Server(source.to_owned()))?;
    Ok(format!("{options},addr={address}"))
}

impl FromStr for BootMount {
    type Err = BadMount;

    fn from_str(line: &str) -> Result<Self, BadMount> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (source, point, kind, options) = match fields[..] {
            [source, point, kind] => (source, point, kind, "defaults"),
            [source, point, kind, options] => (source, point, kind, options),
            _ => return Err(BadMount::Fields(line.to_owned())),
        };
        if !point.starts_with('/') {
            return Err(BadMount::Point(point.to_owned()));
        }
        let is_nfs = ["nfs", "nfs4"].contains(&kind);
        let options = if is_nfs { with_address(source, options)? } else { options.to_owned() };
        Ok(Self { source: source.to_owned(), point: point.to_owned(), kind: kind.to_owned(), options })
    }
}

impl fmt::Display for BootMount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.source, self.point, self.kind, self.options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<String, BadMount> {
        line.parse::<BootMount>().map(|mount| mount.to_string())
    }

    #[test]
    fn a_line_is_one_of_fstab() {
        assert_eq!(read("tag /mnt/a 9p trans=virtio").as_deref(), Ok("tag /mnt/a 9p trans=virtio"));
        assert_eq!(read(" none  /mnt/a\ttmpfs ").as_deref(), Ok("none /mnt/a tmpfs defaults"));
        for wrong in ["", "tag /mnt/a", "tag /mnt/a 9p rw 0 0"] {
            assert!(matches!(read(wrong), Err(BadMount::Fields(_))), "{wrong}");
        }
        assert!(matches!(read("tag mnt 9p"), Err(BadMount::Point(_))));
    }

    #[test]
    fn the_servers_address_becomes_an_option_of_nfs() {
        let expected = "10.0.2.2:/a /mnt nfs4 vers=4.2,addr=10.0.2.2";
        assert_eq!(read("10.0.2.2:/a /mnt nfs4 vers=4.2").as_deref(), Ok(expected));
        assert_eq!(read(expected).as_deref(), Ok(expected), "what a guest reads is complete");
        assert_eq!(read("[fd00::1]:/a /mnt nfs").as_deref(), Ok("[fd00::1]:/a /mnt nfs defaults,addr=fd00::1"));
        assert!(matches!(read("server:/a /mnt nfs4"), Err(BadMount::Server(_))));
    }
}
