//! Errors of guests. Each names the action and its object.

use std::io;
use std::path::{Path, PathBuf};

use fsarena_model::{Bytes, ErrorCategory, Explained};
use rustix::fs::statvfs;

use crate::packages::and_others;

/// Free bytes of a file system that is full: less than a piece of what a program writes.
const FULL: u64 = 1 << 20;

/// Bytes of errors of apt that are shown in full.
const MOST_WORDS: usize = 500;

/// What has ended a guest, as far as it can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndCause {
    /// QEMU refused the user's arguments.
    Arguments,
    /// QEMU failed with KVM before the guest had booted.
    Kvm,
    /// Another process killed QEMU: the kernel does if memory is short.
    Killed,
    /// Anything else.
    Guest,
}

/// Why a guest cannot be prepared, booted or used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum GuestError {
    #[error("{act} `{}`: {source}", path.display())]
    Io { act: &'static str, path: PathBuf, source: io::Error },
    #[error("`{program}` is needed and is not installed")]
    ProgramMissing { program: &'static str, package: &'static str },
    #[error("`{kind}` needs `{program}` on this machine, which is not installed")]
    ServerMissing { kind: &'static str, program: &'static str, package: &'static str },
    #[error("the server of `{kind}` needs root")]
    ShareNeedsRoot { kind: &'static str },
    #[error("`{command}` failed: {words}")]
    Program { command: String, words: String },
    #[error("fetch {package}: {}", in_short(words))]
    Package { package: String, words: String },
    #[error("the key that signs Debian's packages is missing: there is no {path}")]
    NoKeyring { path: &'static str },
    #[error("`{package}` has no kernel that can be booted: {what}")]
    NoKernel { package: String, what: String },
    #[error("Debian's lists of packages have no kernel `{package}` with its modules")]
    UnknownKernel { package: String, known: Vec<String> },
    #[error("build the module `{module}` for Linux {kernel}: {words}")]
    Module { module: String, kernel: String, words: String },
    #[error("no room in the cache `{}`: {words}", cache.display())]
    CacheFull { cache: PathBuf, words: String },
    #[error("no room for {what} of {needed} in {place}: {source}")]
    NoRoom { what: &'static str, place: String, needed: Bytes, source: io::Error },
    /// The host's memory does not suffice for guests and for disks that lie in it.
    #[error("no room in memory for {guests} of guests with QEMU{}: {free} are available", and_disks(*disks))]
    NoMemory { guests: Bytes, disks: Bytes, free: Bytes },
    #[error("the guest {what}{}", tail(console))]
    Ended { what: String, console: String, cause: EndCause },
}

fn tail(console: &str) -> String {
    if console.is_empty() { String::new() } else { format!("; its last words were:\n{console}") }
}

/// The first of many errors of apt: without a network there is one for each package.
fn in_short(words: &str) -> String {
    match words.split_once("; ") {
        Some((first, others)) if words.len() > MOST_WORDS => {
            format!("{first}{}", and_others(others.split("; ").count()))
        }
        _ => words.to_owned(),
    }
}

fn and_disks(disks: Bytes) -> String {
    if disks.0 == 0 { String::new() } else { format!(" and {disks} of their disks") }
}

impl GuestError {
    /// Turns an I/O error into one that says what was done to what.
    pub fn io(act: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { act, path, source }
    }

    pub(crate) fn no_kernel(package: &str, what: impl Into<String>) -> Self {
        Self::NoKernel { package: package.to_owned(), what: what.into() }
    }

    /// Whether a release does not have the package: not whether it cannot be fetched.
    pub fn is_unknown_package(&self) -> bool {
        match self {
            Self::Package { words, .. } => words.contains("Unable to locate"),
            error => matches!(error, Self::NoKernel { .. } | Self::UnknownKernel { .. }),
        }
    }

    /// This error of filling `cache`; another one if there was no room for it.
    pub fn of_cache(self, cache: &Path) -> Self {
        if self.is_full(cache) { Self::CacheFull { cache: cache.to_owned(), words: self.to_string() } } else { self }
    }

    /// Whether this machine does not know the key of a release.
    fn is_unsigned(&self) -> bool {
        matches!(self, Self::Package { words, .. } if words.contains("NO_PUBKEY") || words.contains("not signed"))
    }

    /// Whether it is an error of filling `cache`, in which there is no room.
    fn is_full(&self, cache: &Path) -> bool {
        // tar and apt say it in their own ways.
        let free = statvfs(cache).map(|found| found.f_bfree.saturating_mul(found.f_frsize));
        match self {
            Self::Io { source, .. } => source.kind() == io::ErrorKind::StorageFull,
            Self::Package { words, .. } => {
                ["enough free space", "No space left on device"].iter().any(|full| words.contains(full))
            }
            Self::Program { .. } | Self::NoKernel { .. } => free.is_ok_and(|free| free < FULL),
            _ => false,
        }
    }
}

impl Explained for GuestError {
    fn category(&self) -> ErrorCategory {
        match self {
            Self::NoKernel { .. } | Self::UnknownKernel { .. } => ErrorCategory::Use,
            Self::Ended { cause: EndCause::Arguments, .. } => ErrorCategory::Use,
            Self::Ended { cause: EndCause::Killed | EndCause::Guest, .. } => ErrorCategory::Trial,
            _ => ErrorCategory::Machine,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::ProgramMissing { package, .. } => format!("apt-get install {package}"),
            Self::ServerMissing { kind, package, .. } => {
                format!("apt-get install {package}, or name contenders without `{kind}`")
            }
            Self::ShareNeedsRoot { .. } => {
                "run it as root, or name contenders without it: `9p` and `sshfs` need no root".to_owned()
            }
            error if error.is_unsigned() => {
                "this machine's key is older than that release: apt-get install debian-archive-keyring".to_owned()
            }
            Self::Package { .. } if self.is_unknown_package() => {
                "packages come from Debian's mirrors; --guest-release names another release".to_owned()
            }
            Self::Package { .. } => {
                "without a network: name a release that was fetched before, or copy what another machine has fetched: \
                 /var/cache/fsarena, or ~/.cache/fsarena"
                    .to_owned()
            }
            Self::NoKeyring { .. } => "apt-get install debian-archive-keyring".to_owned(),
            Self::NoKernel { .. } => {
                "name a package such as linux-image-amd64, or its .deb, with --guest-kernel; since Linux 6.19 \
                 linux-binary-*.deb and linux-modules-*.deb have to be next to it"
                    .to_owned()
            }
            Self::UnknownKernel { known, .. } => {
                format!("they have {}; or name a package's file: ./linux-image.deb", known.join(", "))
            }
            Self::Module { module, .. } => {
                format!(
                    "name contenders without `{module}`, or another kernel or release: --guest-kernel, \
                     --guest-release; without a network, copy the cache of a machine that has built it"
                )
            }
            Self::CacheFull { .. } => {
                "a guest needs 1 GB there, and --tools 200 MB: free some, or as another user than root name a place \
                 with XDG_CACHE_HOME"
                    .to_owned()
            }
            Self::NoRoom { .. } => "name another place with --storage, or a smaller --lane-size".to_owned(),
            Self::NoMemory { guests, free, .. } if guests > free => "a smaller --guest-memory".to_owned(),
            Self::NoMemory { .. } => {
                "a smaller --lane-size or --guest-memory, or another place for virtual disks: --storage dir:PATH"
                    .to_owned()
            }
            Self::Ended { cause, .. } => match cause {
                EndCause::Arguments => "its arguments include those of --qemu: `man qemu-system-x86_64` lists them",
                EndCause::Kvm => "let QEMU emulate the processor: `--guest emulated`, or `fsarena guest emulated`",
                EndCause::Killed => {
                    "the kernel kills programs if memory is short (dmesg says so): a smaller --lane-size or \
                     --guest-memory"
                }
                EndCause::Guest => {
                    "its last words may say why; more --guest-memory may help, or another --guest-kernel"
                }
            }
            .to_owned(),
            Self::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                "it belongs to another user; the root of a user namespace is not that of the machine: run fsarena outside \
                 of it"
                    .to_owned()
            }
            Self::Io { .. } | Self::Program { .. } => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_errors_of_apt_the_first_is_shown() {
        let shown = |words: String| GuestError::Package { package: "`a` and 97 others".to_owned(), words }.to_string();
        assert_eq!(shown("no x; no y".to_owned()), "fetch `a` and 97 others: no x; no y");
        let many = vec!["Failed to fetch it"; 98].join("; ");
        assert_eq!(shown(many), "fetch `a` and 97 others: Failed to fetch it and 97 others");
    }

    /// The words of apt in a tmpfs of 60 MB.
    #[test]
    fn a_cache_that_is_full_while_packages_are_fetched_is_one_without_room() {
        let of_apt = |words: &str| {
            let (package, words) = ("linux-image-amd64".to_owned(), words.to_owned());
            let error = GuestError::Package { package, words };
            error.of_cache(Path::new("/var/cache/fsarena")).hint().expect("a way out")
        };
        let full = of_apt("Error writing to file - write (28: No space left on device)");
        assert!(full.starts_with("a guest needs 1 GB there"), "{full}");
        let elsewhere = of_apt("Could not resolve 'deb.debian.org'");
        assert!(elsewhere.starts_with("without a network: name a release"), "{elsewhere}");
        assert!(of_apt("Unable to locate package x").starts_with("packages come from Debian's mirrors"));
    }
}
