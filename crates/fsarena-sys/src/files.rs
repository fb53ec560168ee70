//! How many files the process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What a program may need in addition to the files of its work: the usual limit of a shell.
const USUAL: u64 = 1024;

/// Raises the limit of open files so far that there can be `count` of them in addition to the usual ones. Does nothing
/// where it is as high already, and ends at the limit that only root may raise.
pub fn allow(count: u64) {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = USUAL.saturating_add(count).min(maximum.unwrap_or(u64::MAX));
    if current.is_some_and(|current| current < wanted) {
        // What is refused is found when a file is opened.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_raised_and_never_lowered() {
        let limit = || getrlimit(Resource::Nofile).current.expect("limited");
        let before = limit();
        allow(0);
        assert_eq!(limit(), before.max(USUAL));
        allow(u64::MAX);
        assert_eq!(Some(limit()), getrlimit(Resource::Nofile).maximum);
    }
}
