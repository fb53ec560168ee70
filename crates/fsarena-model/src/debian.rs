//! Releases of Debian: guests and `--tools` are made of their packages.

use std::fmt;
use std::str::FromStr;

/// Debian's stable releases, from the newest. The first one is the default on every machine, whatever it runs itself.
const STABLE: [&str; 2] = ["trixie", "bookworm"];

/// What follows the name of a release if its backports are preferred.
const BACKPORTS: &str = "-backports";

/// A release of Debian, such as `bookworm`, or one whose backports are preferred, such as `bookworm-backports`. Its
/// name can be part of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebianRelease(String);

impl DebianRelease {
    /// The releases that have kernels: the stable ones, from the newest, and the newest with its backports.
    pub fn with_kernels() -> impl Iterator<Item = Self> {
        STABLE.map(str::to_owned).into_iter().chain([format!("{}{BACKPORTS}", STABLE[0])]).map(Self)
    }

    /// That of a guest whose run was stored before there was a choice: its packages were those of the host, Debian 12.
    pub fn before_choice() -> Self {
        Self("bookworm".to_owned())
    }

    /// The release, without its backports.
    pub fn base(&self) -> &str {
        self.0.trim_end_matches(BACKPORTS)
    }

    /// The suite of the backports, if they are preferred.
    pub fn backports(&self) -> Option<&str> {
        self.0.ends_with(BACKPORTS).then_some(&self.0)
    }
}

/// The newest one.
impl Default for DebianRelease {
    fn default() -> Self {
        Self(STABLE[0].to_owned())
    }
}

/// Reads `trixie` or `bookworm-backports`.
impl FromStr for DebianRelease {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match STABLE.contains(&text.strip_suffix(BACKPORTS).unwrap_or(text)) {
            true => Ok(Self(text.to_owned())),
            false => Err(format!("the releases are {}, each also with {BACKPORTS}", STABLE.join(" and "))),
        }
    }
}

impl fmt::Display for DebianRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_releases_are_names_of_folders() {
        let backports: DebianRelease = "bookworm-backports".parse().expect("it exists");
        assert_eq!((backports.base(), backports.backports()), ("bookworm", Some("bookworm-backports")));
        assert_eq!(DebianRelease::default().backports(), None);
        for wrong in ["", "-backports", "../trixie", "trixie-backports-backports", "bookworm/", "plucky"] {
            assert!(wrong.parse::<DebianRelease>().is_err(), "{wrong}");
        }
        assert!(serde_json::from_str::<DebianRelease>("\"../etc\"").is_err());
    }
}
