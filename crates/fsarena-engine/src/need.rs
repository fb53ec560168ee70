//! Programs of somebody else that workloads need.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use fsarena_sys::child::{self, Patience};

use crate::EngineError;

/// A program that a workload needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// Its name.
    pub program: &'static str,
    /// Debian's package that has it.
    pub package: &'static str,
    /// The argument with which it tells its version in its first line; empty: it tells none; [`Need::PACKAGED`]: it tells none, and
    /// that of its package is told.
    pub version: &'static str,
    /// Folders in which it may lie beside those of the search path; a `*` at the end of one of their parts stands for its newest version.
    pub folders: &'static [&'static str],
}

impl Need {
    /// Stands for the version of the package where a program tells none.
    pub const PACKAGED: &'static str = "dpkg-query";

    /// One on the search path that knows `--version`.
    pub const fn new(program: &'static str, package: &'static str) -> Self {
        Self { program, package, version: "--version", folders: &[] }
    }

    /// Where it lies; `None`: it is not installed.
    pub fn path(&self) -> Option<PathBuf> {
        let beside = self.folders.iter().filter_map(|folder| newest(folder)).map(|folder| folder.join(self.program));
        beside.into_iter().find(|path| path.is_file()).or_else(|| child::find_program(self.program))
    }

    /// The same, as the first word of a command.
    ///
    /// # Errors
    /// [`EngineError::Program`] if it is not installed.
    pub fn found(&self) -> Result<String, EngineError> {
        let missing = || EngineError::Program { program: self.program, words: "it is not installed".to_owned() };
        Ok(self.path().ok_or_else(missing)?.display().to_string())
    }

    /// What it says of its version in its first line; `None` where it does not, or does not start.
    pub fn said(&self) -> Option<String> {
        let path = self.path()?;
        match self.version {
            "" => None,
            Self::PACKAGED => first_line(&["dpkg-query", "-W", "-f", "${Version}", self.package].map(OsStr::new)),
            argument => first_line(&[path.as_os_str(), argument.as_ref()]).map(|line| version_in(&line).to_owned()),
        }
    }
}

/// The first line that a program says, unless it ends with an error.
fn first_line(call: &[&OsStr]) -> Option<String> {
    let said = child::run(call, Patience::query()).ok().filter(|said| said.status.success())?;
    Some(said.words().lines().next()?.trim().to_owned()).filter(|line| !line.is_empty())
}

/// From the version on, without who wrote it and where it is kept; the whole line where no word begins with a digit. Names before it may
/// have digits (`BZIP2 v1.1`), and paths may be names.
fn version_in(line: &str) -> &str {
    let line = [" - Copyright", " <$"].iter().filter_map(|end| line.find(end)).min().map_or(line, |end| &line[..end]);
    let name = if line.starts_with('/') { line.find(' ').unwrap_or(0) } else { 0 };
    let begins = |at: &usize| {
        let before = line[name..*at].trim_end_matches('v').chars().next_back();
        line[*at..].starts_with(|first: char| first.is_ascii_digit()) && before.is_none_or(|last| " /-".contains(last))
    };
    let version = line.char_indices().map(|(at, _)| at).filter(|at| *at >= name).find(begins);
    &line[version.unwrap_or(0)..]
}

/// `/usr/lib/postgresql/*/bin` with the greatest number that is there in the place of the star.
fn newest(pattern: &str) -> Option<PathBuf> {
    let Some((before, after)) = pattern.split_once("/*") else { return Some(PathBuf::from(pattern)) };
    let after = after.trim_start_matches('/');
    let names = std::fs::read_dir(before).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let numbers = names.filter_map(|name| name.parse::<u32>().ok());
    let folders = numbers.map(|number| (number, Path::new(before).join(number.to_string()).join(after)));
    folders.filter(|(_, path)| path.is_dir()).max().map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_taken() {
        let place = tempfile::tempdir().expect("temporary folder");
        for version in ["9/bin", "15/bin", "100", "new/bin"] {
            std::fs::create_dir_all(place.path().join(version)).expect("made");
        }
        let pattern = format!("{}/*/bin", place.path().display());
        assert_eq!(newest(&pattern), Some(place.path().join("15/bin")));
        assert_eq!(newest("/no/such/*/bin"), None);
    }

    #[test]
    fn of_a_line_the_version_is_told() {
        for (line, version) in [
            ("This is ApacheBench, Version 2.3 <$Revision: 1903618 $>", "2.3"),
            (
                "/usr/sbin/mariadbd-10  Ver 10.11.19-MariaDB for debian-linux-gnu",
                "10.11.19-MariaDB for debian-linux-gnu",
            ),
            ("dbench version 4.00 - Copyright Andrew Tridgell 1999-2004", "4.00"),
            ("Parallel BZIP2 v1.1.13 [Dec 18, 2015]", "1.1.13 [Dec 18, 2015]"),
            ("Server version: Apache/2.4.71 (Debian)", "2.4.71 (Debian)"),
            ("postgres (PostgreSQL) 15.20", "15.20"),
            ("fio-3.33", "3.33"),
            ("3.40.1 2022-12-28", "3.40.1 2022-12-28"),
            ("none", "none"),
        ] {
            assert_eq!(version_in(line), version);
        }
    }

    #[test]
    fn what_is_not_there_has_no_path_and_says_nothing() {
        let none = Need::new("no-such-program", "no-such-package");
        assert_eq!((none.path(), none.said()), (None, None));
        assert!(Need::new("sh", "dash").path().is_some());
    }
}
