//! External programs: which of them workloads need, and what it costs to start them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use fsarena_sys::child::{self, Patience};
use fsarena_sys::clock;

use crate::meter::Meter;
use crate::{EngineError, Job, Limit, NextRun, Operation, RunStats};

/// A program that a workload needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// Its name.
    pub program: &'static str,
    /// The Debian package that contains it, or the address of its source (`https://`); empty if neither is known.
    pub package: &'static str,
    /// The argument with which it prints its version in the first line. Empty if it prints none. [`Need::PACKAGED`] if
    /// it prints none and the version of its package is used.
    pub version: &'static str,
    /// Folders that are searched before the search path. A part `*` of a folder stands for the newest version.
    pub folders: &'static [&'static str],
}

impl Need {
    /// A value of `version`: the version of the package is used.
    pub const PACKAGED: &'static str = "dpkg-query";

    /// A program on the search path that supports `--version`.
    pub const fn new(program: &'static str, package: &'static str) -> Self {
        Self { program, package, version: "--version", folders: &[] }
    }

    /// Whether Debian has a package of it.
    pub fn is_packaged(&self) -> bool {
        !self.package.starts_with("https://")
    }

    /// Its path; `None` if it is not installed.
    pub fn path(&self) -> Option<PathBuf> {
        let in_folders =
            self.folders.iter().filter_map(|folder| newest(folder)).map(|folder| folder.join(self.program));
        in_folders.into_iter().find(|path| path.is_file()).or_else(|| child::find_program(self.program))
    }

    /// Its path, as the first word of a command.
    ///
    /// # Errors
    /// [`EngineError::Program`] if it is not installed.
    pub fn found(&self) -> Result<String, EngineError> {
        let missing = || EngineError::program(self.program)("it is not installed".to_owned());
        Ok(self.path().ok_or_else(missing)?.display().to_string())
    }

    /// The version that it prints; `None` if it prints none, or does not start.
    pub fn version_found(&self) -> Option<String> {
        let path = self.path()?;
        match self.version {
            "" => None,
            Self::PACKAGED => {
                self.version_said(&["dpkg-query", "-W", "-f", "${Version}", self.package].map(OsStr::new))
            }
            argument => {
                self.version_said(&[path.as_os_str(), argument.as_ref()]).map(|line| version_in(&line).to_owned())
            }
        }
    }

    /// What a call prints about its version; `None` if it fails.
    fn version_said(&self, call: &[&OsStr]) -> Option<String> {
        let ended = child::run(call, Patience::query()).ok().filter(|ended| ended.status.success())?;
        ended.version_of(self.program).map(str::to_owned)
    }
}

/// The part of a line from the version on, without the author and the repository. The whole line if no word begins with
/// a digit. Names before the version may have digits (`BZIP2 v1.1`), and may be paths; what stands in parentheses is
/// the version of a package, if another one follows.
fn version_in(line: &str) -> &str {
    let line = [" - Copyright", " <$"].iter().filter_map(|end| line.find(end)).min().map_or(line, |end| &line[..end]);
    let name = if line.starts_with('/') { line.find(' ').unwrap_or(0) } else { 0 };
    let begins = |at: &usize| {
        let before = line[name..*at].trim_end_matches('v').chars().next_back();
        line[*at..].starts_with(|first: char| first.is_ascii_digit()) && before.is_none_or(|last| " /-".contains(last))
    };
    let versions = || line.char_indices().map(|(at, _)| at).filter(|at| *at >= name).filter(begins);
    let is_outside = |at: &usize| line[..*at].matches('(').count() == line[..*at].matches(')').count();
    &line[versions().find(is_outside).or(versions().next()).unwrap_or(0)..]
}

/// A pattern such as `/usr/lib/postgresql/*/bin`, with the star replaced by the greatest number that exists.
fn newest(pattern: &str) -> Option<PathBuf> {
    let Some((before, after)) = pattern.split_once("/*") else { return Some(PathBuf::from(pattern)) };
    let after = after.trim_start_matches('/');
    let names = std::fs::read_dir(before).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let numbers = names.filter_map(|name| name.parse::<u32>().ok());
    let folders = numbers.map(|number| (number, Path::new(before).join(number.to_string()).join(after)));
    folders.filter(|(_, path)| path.is_dir()).max().map(|(_, path)| path)
}

/// A job that starts the program `true` `count` times from this process, one after the other. Each start is an
/// operation.
pub fn starts_job(count: u64) -> Box<dyn Job> {
    let program = child::find_program("true").unwrap_or_else(|| Path::new("/bin/true").to_owned());
    Box::new(Starts { program, count })
}

struct Starts {
    program: PathBuf,
    count: u64,
}

impl Job for Starts {
    /// The started programs may run on another processor, like those of a shell.
    fn next_run(&self) -> NextRun {
        NextRun::not_alone()
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let mut meter = Meter::start(clock::now(), limit, None, stats);
        for _ in 0..self.count {
            let Some(begin) = meter.begin().filter(|_| !meter.is_over()) else { break };
            child::start(&self.program).map_err(EngineError::io("start a program that does nothing"))?;
            meter.done(Operation::Run, begin, 0);
        }
        meter.stop();
        Ok(())
    }
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
    fn a_version_is_found_in_a_line() {
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
            ("gcc (Debian 12.2.0-14+deb12u1) 12.2.0", "12.2.0"),
            ("bash (GNU 5)", "5)"),
            ("fio-3.33", "3.33"),
            ("3.40.1 2022-12-28", "3.40.1 2022-12-28"),
            ("none", "none"),
        ] {
            assert_eq!(version_in(line), version);
        }
    }
}
