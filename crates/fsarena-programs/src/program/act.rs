//! What a workload runs: scripts of a shell, and commands that no shell interprets.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use serde::Deserialize;

/// Stands for the job's directory in the words of a command.
const DIRECTORY: &str = "{dir}";

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "expected a script, or the list of the words of a command")]
pub enum Act {
    /// A script, which the shell runs.
    Script(String),
    /// A program and its arguments. `{dir}` in them is the job's directory.
    Command(Vec<String>),
}

impl Act {
    /// The words with which it is started: `shell` runs a script.
    pub fn argv(&self, shell: &str, directory: &Path) -> Vec<OsString> {
        match self {
            Self::Script(text) => [shell, "-c", text].map(OsString::from).to_vec(),
            Self::Command(words) => words.iter().map(|word| filled_in(word, directory)).collect(),
        }
    }

    /// The program of a command that exists before it runs; `None` for a script, and for a program in the job's
    /// directory.
    pub fn program(&self) -> Option<&str> {
        match self {
            Self::Script(_) => None,
            Self::Command(words) => words.first().map(String::as_str).filter(|program| !program.contains(DIRECTORY)),
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Self::Script(text) => text.trim().is_empty(),
            Self::Command(words) => words.first().is_none_or(String::is_empty),
        }
    }

    /// Its non-empty lines. A command is one line.
    pub fn lines(&self) -> Vec<String> {
        match self {
            Self::Script(text) => {
                text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
            }
            Self::Command(words) => vec![in_one_line(words)],
        }
    }
}

/// The words of a command for a reader: those with blanks in quotes.
pub fn in_one_line(words: &[String]) -> String {
    let is_plain = |word: &str| !word.is_empty() && !word.contains(char::is_whitespace);
    let shown = |word: &String| if is_plain(word) { word.clone() } else { format!("'{word}'") };
    words.iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// The word with the directory in place of `{dir}`. Nothing else in it has a meaning, whatever is in the path.
fn filled_in(word: &str, directory: &Path) -> OsString {
    let pieces: Vec<&[u8]> = word.split(DIRECTORY).map(str::as_bytes).collect();
    OsString::from_vec(pieces.join(directory.as_os_str().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_a_word_stays_one_word() {
        let words = ["cp", "{dir}/{dir}", "a b", "{dir", "$HOME"].map(str::to_owned).to_vec();
        let argv = Act::Command(words).argv("sh", Path::new("/a $b;'/{dir}"));
        assert_eq!(argv, ["cp", "/a $b;'/{dir}//a $b;'/{dir}", "a b", "{dir", "$HOME"]);
        assert_eq!(Act::Script("{dir}".to_owned()).argv("bash", Path::new("/x")), ["bash", "-c", "{dir}"]);
    }
}
