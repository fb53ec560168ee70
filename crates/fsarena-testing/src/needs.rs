//! Requirements of tests that not every machine meets. A test whose requirement is missing is skipped, and never
//! silently.

use std::fmt;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Something that not every machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The effective user is root.
    Root,
    /// A program is on the search path.
    Program(&'static str),
    /// A file or directory exists.
    Path(&'static str),
    /// The memory of a control group can be limited, in version 1 or 2 (cgroups(7)).
    MemoryGroups,
}

impl Need {
    fn is_there(self) -> bool {
        match self {
            Self::Root => rustix::process::geteuid().is_root(),
            Self::Program(name) => {
                let path = std::env::var_os("PATH").unwrap_or_default();
                std::env::split_paths(&path).any(|directory| directory.join(name).is_file())
            }
            Self::Path(path) => Path::new(path).exists(),
            Self::MemoryGroups => {
                let handed_down = std::fs::read_to_string("/sys/fs/cgroup/cgroup.subtree_control").unwrap_or_default();
                Path::new("/sys/fs/cgroup/memory/memory.limit_in_bytes").exists()
                    || handed_down.split_whitespace().any(|controller| controller == "memory")
            }
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => write!(to, "root"),
            Self::Program(name) => write!(to, "the program {name}"),
            Self::Path(path) => write!(to, "{path}"),
            Self::MemoryGroups => write!(to, "control groups for memory"),
        }
    }
}

/// Whether the machine meets all `needs` of the calling test. If not, the test has to return at once.
///
/// The environment variable `FSARENA_NEEDS` decides what happens if something is missing. `fail`: the test fails, as in
/// `make test`. The path of a file: a line there names the test and what it needs, as in `make test NEEDS=list`. Not
/// set: the line goes to stderr, where `cargo test` hides it.
///
/// # Panics
/// If something is missing and `FSARENA_NEEDS` is `fail`, or the file cannot be written.
#[must_use]
pub fn has(needs: &[Need]) -> bool {
    let missing: Vec<String> = needs.iter().filter(|need| !need.is_there()).map(Need::to_string).collect();
    if missing.is_empty() {
        return true;
    }
    let thread = std::thread::current();
    let line = format!("not tested without {}: {}\n", missing.join(" and "), thread.name().unwrap_or("a test"));
    match std::env::var_os("FSARENA_NEEDS") {
        Some(word) if word == "fail" => panic!("{line}"),
        Some(file) => {
            let file = File::options().append(true).create(true).open(file);
            file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the list of missing needs is written");
        }
        None => eprint!("{line}"),
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_need_is_there_or_not() {
        assert!(Need::Program("sh").is_there() && !Need::Program("no-such-program").is_there());
        assert!(Need::Path("/proc").is_there() && !Need::Path("/no/such/path").is_there());
        assert!(has(&[Need::Program("sh"), Need::Path("/proc")]));
        assert_eq!(Need::Program("strace").to_string(), "the program strace");
    }
}
