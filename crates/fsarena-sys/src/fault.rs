//! Fault injection. Every call that makes, mounts, fills, renames or removes something on the machine, and every write
//! of the ledger and the store, passes [`step`] first. A test counts the steps of a run and then lets a run die, fail
//! or hang at each of them in turn.
//!
//! Release builds have no injection: [`step`] is then empty.

use std::io;

/// Announces the action `what` (a verb and a noun, such as `mkdir work`), just before it is done.
///
/// In builds with debug assertions the environment variable `FSARENA_FAULT` has one of these forms, n counts from 1:
/// - `kill@n`: the process kills itself with SIGKILL at step n.
/// - `ERRNO@n`: step n fails with that number, such as `5@12` for EIO.
/// - `hang@n`: a child program that starts at step n does not end. Other steps are calls of the kernel, which no time
///   limit can end.
/// - `list@FILE`: the name of each step is appended to FILE.
///
/// With `n:NAME` in place of n, only steps of that name count: how many others come before may depend on the machine.
///
/// # Errors
/// The injected error.
#[inline]
pub fn step(what: &str) -> io::Result<()> {
    if cfg!(debug_assertions) { injected::step(what) } else { Ok(()) }
}

/// Like [`step`], for the start of a child program. Returns whether a program that never ends is to be started in its
/// place.
///
/// # Errors
/// The injected error.
#[inline]
pub fn start(what: &str) -> io::Result<bool> {
    let is_hanging = cfg!(debug_assertions) && injected::is_hanging_next(what);
    step(what).map(|()| is_hanging)
}

mod injected {
    use std::io::{self, Write};
    use std::path::PathBuf;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use rustix::process::{Signal, getpid, kill_process};

    #[derive(Debug, PartialEq, Eq)]
    pub(super) enum Fault {
        Kill(At),
        Fail(At, i32),
        Hang(At),
        List(PathBuf),
    }

    /// The step that counts: the `number`th of those called `name`, or of all.
    #[derive(Debug, PartialEq, Eq)]
    pub(super) struct At {
        pub number: u64,
        pub name: Option<String>,
    }

    impl At {
        fn parse(text: &str) -> Option<At> {
            let (number, name) =
                text.split_once(':').map_or((text, None), |(number, name)| (number, Some(name.into())));
            Some(At { number: number.parse().ok()?, name })
        }

        fn counts(&self, what: &str) -> bool {
            self.name.as_deref().is_none_or(|name| name == what)
        }
    }

    static STEPS: AtomicU64 = AtomicU64::new(0);

    fn fault() -> Option<&'static Fault> {
        static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
        FAULT.get_or_init(|| parse(&std::env::var("FSARENA_FAULT").ok()?)).as_ref()
    }

    pub(super) fn parse(text: &str) -> Option<Fault> {
        let (what, at) = text.split_once('@')?;
        Some(match what {
            "kill" => Fault::Kill(At::parse(at)?),
            "hang" => Fault::Hang(At::parse(at)?),
            "list" => Fault::List(at.into()),
            errno => Fault::Fail(At::parse(at)?, errno.parse().ok()?),
        })
    }

    pub(super) fn is_hanging_next(what: &str) -> bool {
        let next = STEPS.load(Ordering::SeqCst) + 1;
        matches!(fault(), Some(Fault::Hang(at)) if at.counts(what) && at.number == next)
    }

    pub(super) fn step(what: &str) -> io::Result<()> {
        let Some(fault) = fault() else { return Ok(()) };
        if matches!(fault, Fault::Kill(at) | Fault::Fail(at, _) | Fault::Hang(at) if !at.counts(what)) {
            return Ok(());
        }
        let now = STEPS.fetch_add(1, Ordering::SeqCst) + 1;
        match fault {
            Fault::Kill(at) if at.number == now => {
                let _ = kill_process(getpid(), Signal::KILL);
                loop {
                    std::thread::park();
                }
            }
            Fault::Fail(at, errno) if at.number == now => Err(io::Error::from_raw_os_error(*errno)),
            Fault::List(path) => {
                let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
                file.and_then(|mut file| writeln!(file, "{now} {what}"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::injected::{At, Fault, parse};

    #[test]
    fn faults_are_parsed() {
        let at = |number| At { number, name: None };
        assert_eq!(parse("kill@7"), Some(Fault::Kill(at(7))));
        assert_eq!(parse("5@12"), Some(Fault::Fail(at(12), 5)));
        assert_eq!(parse("hang@1"), Some(Fault::Hang(at(1))));
        assert_eq!(parse("kill@2:fill lane"), Some(Fault::Kill(At { number: 2, name: Some("fill lane".into()) })));
        assert_eq!(parse("list@/tmp/x"), Some(Fault::List("/tmp/x".into())));
        assert_eq!(parse("kill"), None);
        assert_eq!(parse("?@1"), None);
    }
}
