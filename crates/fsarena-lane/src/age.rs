//! Compares the versions of tools with that of the kernel, for tools whose versions follow the kernel's.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::{KINDS, Tool};

/// Minor versions per major version, roughly: 5.0 to 5.19, 6.0 to 6.19.
const RELEASES_PER_MAJOR: u32 = 20;

/// A kernel is released every nine to ten weeks.
const RELEASES_PER_YEAR: f64 = 5.5;

/// Tools that are more than this many kernel releases behind are old: two years.
const OLD: u32 = 11;

/// Major and minor number of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release {
    major: u32,
    minor: u32,
}

impl Release {
    /// The release with these numbers.
    pub const fn of(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// That of the running kernel; `None` if it is not understood.
    pub fn of_kernel() -> Option<Self> {
        rustix::system::uname().release().to_string_lossy().parse().ok()
    }

    fn index(self) -> u32 {
        self.major * RELEASES_PER_MAJOR + self.minor
    }
}

/// Parses `6.1.0`, `v6.2` or `6.18.44-fc-v657`; a version without a second number is an error.
impl FromStr for Release {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut numbers = text.trim_start_matches('v').split(|c: char| !c.is_ascii_digit());
        let mut number = || numbers.next().and_then(|digits| digits.parse::<u16>().ok()).map(u32::from).ok_or(());
        Ok(Self { major: number()?, minor: number()? })
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The first word that is a version, as `6.2` in `mkfs.btrfs, part of btrfs-progs v6.2`.
pub fn version_in(words: &str) -> Option<&str> {
    let trimmed = words.split_whitespace().map(|word| word.trim_start_matches('v').trim_end_matches([',', ')']));
    trimmed.into_iter().find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
}

/// A warning for each mkfs program that is much older than `kernel` (`uname -r`), if its version follows the kernel's.
/// `words` has the version output of each program, by program name.
pub fn old_makers(words: &BTreeMap<String, String>, kernel: &str) -> Vec<String> {
    let Ok(kernel) = kernel.parse::<Release>() else { return Vec::new() };
    let makers = KINDS.iter().filter(|kind| kind.is_numbered_as_kernels).filter_map(|kind| kind.tools.first());
    let old = makers.filter_map(|Tool { program, .. }| {
        let release: Release = version_in(words.get(*program)?)?.parse().ok()?;
        let behind = kernel.index().saturating_sub(release.index());
        let years = (f64::from(behind) / RELEASES_PER_YEAR).round();
        (behind > OLD).then(|| {
            format!(
                "{program} {release} is about {years} years older than the kernel {kernel}: what it makes by default is not \
                 what a current one makes"
            )
        })
    });
    old.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed(version: &str) -> BTreeMap<String, String> {
        let versions = [
            ("mkfs.btrfs", format!("mkfs.btrfs, part of btrfs-progs v{version}")),
            ("btrfs", format!("btrfs-progs v{version}")),
            ("mke2fs", "mke2fs 1.40.0 (5-Feb-2009)".to_owned()),
        ];
        versions.map(|(program, words)| (program.to_owned(), words)).into()
    }

    #[test]
    fn a_maker_that_is_two_years_old_is_named_once_with_the_years() {
        let words = "mkfs.btrfs 6.2 is about 3 years older than the kernel 6.18: what it makes by default is not what a current \
                     one makes";
        assert_eq!(old_makers(&installed("6.2"), "6.18.44-fc-v657"), [words]);
        for (tools, kernel) in [("6.1.0", "6.18.44-fc-v657"), ("4.20", "6.1")] {
            assert_eq!(old_makers(&installed(tools), kernel).len(), 1, "{tools} {kernel}");
        }
        for (tools, kernel) in
            [("6.17", "6.18.44"), ("6.7", "6.18"), ("5.15", "6.1"), ("6.13", "6.1"), ("6.2", "unknown")]
        {
            assert!(old_makers(&installed(tools), kernel).is_empty(), "{tools} {kernel}");
        }
        assert!(["6", "next-20250101"].iter().all(|text| text.parse::<Release>().is_err()));
    }

    #[test]
    fn versions_are_found_in_what_tools_say() {
        assert_eq!(version_in("mkfs.xfs version 6.1.0"), Some("6.1.0"));
        assert_eq!(version_in("mkfs.btrfs, part of btrfs-progs v6.2"), Some("6.2"));
        assert_eq!(version_in("mke2fs 1.47.0 (5-Feb-2023)"), Some("1.47.0"));
        assert_eq!(version_in("mkfs.nilfs2 (nilfs-utils 2.2.9)"), Some("2.2.9"));
        assert_eq!(version_in("no version"), None);
    }
}
