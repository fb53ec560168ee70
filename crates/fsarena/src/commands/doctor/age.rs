//! How old tools are against the kernel, for those that are numbered as kernels are.

use std::fmt;
use std::str::FromStr;

/// Kernels of one major number, roughly: 5.0 to 5.19, 6.0 to 6.19.
const RELEASES_PER_MAJOR: u32 = 20;

/// Kernels come every nine to ten weeks.
const RELEASES_PER_YEAR: f64 = 5.5;

/// Two years.
const OLD: u32 = 11;

/// Tools may come a little before their kernel.
const NEW: u32 = 2;

/// The first two numbers of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Release {
    major: u32,
    minor: u32,
}

impl Release {
    fn index(self) -> u32 {
        self.major * RELEASES_PER_MAJOR + self.minor
    }
}

/// `6.1.0`, `v6.2`, `6.18.44-fc-v657`; a version without a second number is refused.
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

/// How tools stand to the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// Of about its age.
    Alike,
    /// More than about two years older.
    Old,
    /// Clearly newer.
    New,
}

/// How `tools` stand to `kernel`.
pub fn compare(tools: Release, kernel: Release) -> Age {
    match (tools.index(), kernel.index()) {
        (tools, kernel) if kernel > tools + OLD => Age::Old,
        (tools, kernel) if tools > kernel + NEW => Age::New,
        _ => Age::Alike,
    }
}

/// The years between the two, rounded.
pub fn years(tools: Release, kernel: Release) -> u32 {
    (f64::from(kernel.index().saturating_sub(tools.index())) / RELEASES_PER_YEAR).round() as u32
}

/// The first word that is a version, as `6.2` in `mkfs.btrfs, part of btrfs-progs v6.2`.
pub fn version_in(words: &str) -> Option<&str> {
    let trimmed = words.split_whitespace().map(|word| word.trim_start_matches('v').trim_end_matches(','));
    trimmed.into_iter().find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(text: &str) -> Release {
        text.parse().expect("a version")
    }

    #[test]
    fn versions_are_found_in_what_tools_say() {
        assert_eq!(version_in("mkfs.xfs version 6.1.0"), Some("6.1.0"));
        assert_eq!(version_in("mkfs.btrfs, part of btrfs-progs v6.2"), Some("6.2"));
        assert_eq!(version_in("mke2fs 1.47.0 (5-Feb-2023)"), Some("1.47.0"));
        assert_eq!(version_in("no version"), None);
    }

    #[test]
    fn two_years_are_old_and_less_is_not() {
        assert_eq!(compare(release("6.1.0"), release("6.18.44-fc-v657")), Age::Old);
        assert_eq!(compare(release("6.7"), release("6.18")), Age::Alike);
        assert_eq!(compare(release("5.15"), release("6.1")), Age::Alike);
        assert_eq!(compare(release("4.20"), release("6.1")), Age::Old);
        assert_eq!(years(release("6.1"), release("6.18")), 3);
    }

    #[test]
    fn newer_tools_are_told() {
        assert_eq!(compare(release("6.13"), release("6.1")), Age::New);
        assert_eq!(compare(release("6.13"), release("6.12")), Age::Alike);
    }

    #[test]
    fn half_a_version_is_none() {
        assert!("6".parse::<Release>().is_err());
        assert!("next-20250101".parse::<Release>().is_err());
    }
}
