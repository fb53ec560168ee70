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

/// Tools may be released shortly before their kernel: up to this many releases ahead are not new.
const NEW: u32 = 2;

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

/// Age of tools relative to the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// About as old as the kernel.
    Alike,
    /// More than about two years older than the kernel.
    Old,
    /// Clearly newer than the kernel.
    New,
}

/// Compares the version of `tools` with that of `kernel`.
pub fn compare(tools: Release, kernel: Release) -> Age {
    match (tools.index(), kernel.index()) {
        (tools, kernel) if kernel > tools + OLD => Age::Old,
        (tools, kernel) if tools > kernel + NEW => Age::New,
        _ => Age::Alike,
    }
}

/// Years between the releases of `tools` and `kernel`, rounded; 0 if the tools are newer.
pub fn years(tools: Release, kernel: Release) -> u32 {
    (f64::from(kernel.index().saturating_sub(tools.index())) / RELEASES_PER_YEAR).round() as u32
}

/// The first word that is a version, as `6.2` in `mkfs.btrfs, part of btrfs-progs v6.2`.
pub fn version_in(words: &str) -> Option<&str> {
    let trimmed = words.split_whitespace().map(|word| word.trim_start_matches('v').trim_end_matches([',', ')']));
    trimmed.into_iter().find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
}

/// The mkfs programs whose versions follow the kernel's, each with its version. `words` has the version output of each
/// program, by program name.
pub fn makers(words: &BTreeMap<String, String>) -> Vec<(Tool, &str)> {
    let makers = KINDS.iter().filter(|kind| kind.is_numbered_as_kernels).filter_map(|kind| kind.tools.first());
    makers.filter_map(|tool| Some((*tool, version_in(words.get(tool.program)?)?))).collect()
}

/// A warning for each mkfs program that is much older than `kernel` (`uname -r`), which ends with `hint`.
pub fn old_makers(words: &BTreeMap<String, String>, kernel: &str, hint: &str) -> Vec<String> {
    let Ok(kernel) = kernel.parse::<Release>() else { return Vec::new() };
    let releases = makers(words).into_iter().filter_map(|(tool, version)| Some((tool.program, version.parse().ok()?)));
    let old = releases.filter(|(_, release)| compare(*release, kernel) == Age::Old);
    old.map(|(program, release)| {
        format!(
            "{program} {release} is about {} years older than the kernel {kernel}: what it makes by default is not what a \
             current one makes{hint}",
            years(release, kernel)
        )
    })
    .collect()
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
    fn an_old_maker_is_named_once_with_the_years() {
        let words = "mkfs.btrfs 6.2 is about 3 years older than the kernel 6.18: what it makes by default is not what a current \
                     one makes; hint";
        assert_eq!(old_makers(&installed("6.2"), "6.18.44-fc-v657", "; hint"), [words]);
        assert!(old_makers(&installed("6.17"), "6.18.44", "").is_empty());
        assert!(old_makers(&installed("6.2"), "unknown", "").is_empty());
    }

    fn release(text: &str) -> Release {
        text.parse().expect("a version")
    }

    #[test]
    fn versions_are_found_in_what_tools_say() {
        assert_eq!(version_in("mkfs.xfs version 6.1.0"), Some("6.1.0"));
        assert_eq!(version_in("mkfs.btrfs, part of btrfs-progs v6.2"), Some("6.2"));
        assert_eq!(version_in("mke2fs 1.47.0 (5-Feb-2023)"), Some("1.47.0"));
        assert_eq!(version_in("mkfs.nilfs2 (nilfs-utils 2.2.9)"), Some("2.2.9"));
        assert_eq!(version_in("no version"), None);
    }

    #[test]
    fn two_years_are_old_and_less_is_not() {
        for (tools, kernel, age) in [
            ("6.1.0", "6.18.44-fc-v657", Age::Old),
            ("6.7", "6.18", Age::Alike),
            ("5.15", "6.1", Age::Alike),
            ("4.20", "6.1", Age::Old),
            ("6.13", "6.1", Age::New),
            ("6.13", "6.12", Age::Alike),
        ] {
            assert_eq!(compare(release(tools), release(kernel)), age, "{tools} {kernel}");
        }
        assert_eq!(years(release("6.1"), release("6.18")), 3);
        assert!(["6", "next-20250101"].iter().all(|text| text.parse::<Release>().is_err()));
    }
}
