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
/// # Errors
/// The injected error.
#[inline]
pub fn step(what: &str) -> io::Result<()> {
    #[cfg(debug_assertions)]
    return injected::step(what);
    #[cfg(not(debug_assertions))]
    {
        let _ = what;
        Ok(())
    }
}

/// How a child program starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// It starts.
    Normal,
    /// A program that never ends is started in its place.
    Hanging,
}

/// Like [`step`], for the start of a child program, which can be made to hang.
///
/// # Errors
/// The injected error.
#[inline]
pub fn start(what: &str) -> io::Result<Start> {
    #[cfg(debug_assertions)]
    {
        let hangs = injected::is_hanging_next();
        injected::step(what)?;
        Ok(if hangs { Start::Hanging } else { Start::Normal })
    }
    #[cfg(not(debug_assertions))]
    {
        let _ = what;
        Ok(Start::Normal)
    }
}

#[cfg(debug_assertions)]
mod injected {
    use std::io::{self, Write};
    use std::path::PathBuf;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use rustix::process::{Signal, getpid, kill_process};

    #[derive(Debug, PartialEq, Eq)]
    pub(super) enum Fault {
        Kill(u64),
        Fail(u64, i32),
        Hang(u64),
        List(PathBuf),
    }

    static STEPS: AtomicU64 = AtomicU64::new(0);

    fn fault() -> Option<&'static Fault> {
        static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
        FAULT.get_or_init(|| parse(&std::env::var("FSARENA_FAULT").ok()?)).as_ref()
    }

    pub(super) fn parse(text: &str) -> Option<Fault> {
        let (what, at) = text.split_once('@')?;
        Some(match what {
            "kill" => Fault::Kill(at.parse().ok()?),
            "hang" => Fault::Hang(at.parse().ok()?),
            "list" => Fault::List(at.into()),
            errno => Fault::Fail(at.parse().ok()?, errno.parse().ok()?),
        })
    }

    pub(super) fn is_hanging_next() -> bool {
        fault() == Some(&Fault::Hang(STEPS.load(Ordering::SeqCst) + 1))
    }

    pub(super) fn step(what: &str) -> io::Result<()> {
        let Some(fault) = fault() else { return Ok(()) };
        let now = STEPS.fetch_add(1, Ordering::SeqCst) + 1;
        match fault {
            Fault::Kill(n) if *n == now => {
                let _ = kill_process(getpid(), Signal::KILL);
                loop {
                    std::thread::park();
                }
            }
            Fault::Fail(n, errno) if *n == now => Err(io::Error::from_raw_os_error(*errno)),
            Fault::List(path) => {
                let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
                file.and_then(|mut file| writeln!(file, "{now} {what}"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::injected::{Fault, parse};

    #[test]
    fn faults_are_parsed() {
        assert_eq!(parse("kill@7"), Some(Fault::Kill(7)));
        assert_eq!(parse("5@12"), Some(Fault::Fail(12, 5)));
        assert_eq!(parse("hang@1"), Some(Fault::Hang(1)));
        assert_eq!(parse("list@/tmp/x"), Some(Fault::List("/tmp/x".into())));
        assert_eq!(parse("kill"), None);
        assert_eq!(parse("?@1"), None);
    }
}
