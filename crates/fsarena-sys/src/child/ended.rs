//! What a tool that has ended leaves.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Output and exit status of a tool.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// Its standard output; invalid UTF-8 is replaced.
    pub stdout: String,
    /// Its standard error; invalid UTF-8 is replaced.
    pub stderr: String,
}

impl Ended {
    /// Both streams, trimmed, standard error first: the text to show for a failure. The status follows where a signal
    /// has ended it, or it failed without a word.
    pub fn words(&self) -> String {
        let is_silent = self.stderr.trim().is_empty() && self.stdout.trim().is_empty();
        let is_unsaid = self.status.signal().is_some() || is_silent && !self.status.success();
        let status = if is_unsaid { self.status.to_string() } else { String::new() };
        let parts = [self.stderr.trim(), self.stdout.trim(), &status];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// What `program` says when it is asked for its version: the first line that names it, or else the first line, of
    /// its standard output, or of standard error if that is all there is. On standard error it may warn before.
    pub fn version_of(&self, program: &str) -> Option<&str> {
        let said = [&self.stdout, &self.stderr].map(|stream| stream.trim());
        let lines = || said.iter().find(|stream| !stream.is_empty()).into_iter().flat_map(|stream| stream.lines());
        let named = lines().find(|line| line.to_lowercase().contains(program));
        named.or(lines().next()).map(str::trim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_told_from_warnings_and_from_the_versions_of_libraries() {
        for (stdout, stderr, program, version) in [
            ("", "mke2fs 1.47\n", "mke2fs", "mke2fs 1.47"),
            ("mariadbd Ver 11.8\n", "no MAC address\n", "mariadbd", "mariadbd Ver 11.8"),
            ("fusermount3 version: 3.14.0\nSSHFS version 3.7.3\n", "", "sshfs", "SSHFS version 3.7.3"),
            ("Library version: 1.02.185\n", "", "dmsetup", "Library version: 1.02.185"),
        ] {
            let status = ExitStatus::default();
            let ended = Ended { status, stdout: stdout.to_owned(), stderr: stderr.to_owned() };
            assert_eq!(ended.version_of(program), Some(version));
        }
    }
}
