//! Leftovers of dead runs, and whether a run is in progress. This only looks: `clean` removes leftovers.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use fsarena_lane::default_folder;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::page::{DoctorLine, Topic};

/// The folder with the ledgers of root's runs.
const ROOTS_FOLDER: &str = "/var/lib/fsarena/ledger";

/// The ledgers of this user, and those of root, whose runs would disturb measurements.
pub fn section() -> Topic {
    let own = match default_folder() {
        Ok(folder) => look("own runs", &folder),
        Err(error) => {
            DoctorLine::note("own runs", error.to_string()).hint("set HOME or XDG_STATE_HOME, or compare cannot run")
        }
    };
    let is_root = rustix::process::geteuid().is_root();
    let of_root = (!is_root).then(|| look("root's runs", Path::new(ROOTS_FOLDER)));
    let lines = [own].into_iter().chain(of_root).collect();
    Topic { title: "Runs that are under way, and what dead ones left", lines }
}

fn look(subject: &str, folder: &Path) -> DoctorLine {
    match is_held(&folder.join("lock")).and_then(|held| Ok((held, ledgers(folder)?))) {
        Ok((held, ledgers)) => verdict(subject, held, &ledgers),
        Err(error) if error.kind() == io::ErrorKind::NotFound => DoctorLine::ok(subject, "none yet"),
        Err(error) => DoctorLine::note(subject, format!("{}: could not be read: {error}", folder.display())),
    }
}

fn verdict(subject: &str, held: bool, ledgers: &[PathBuf]) -> DoctorLine {
    let names: Vec<String> = ledgers.iter().map(|path| path.display().to_string()).collect();
    match (held, names.len()) {
        (true, _) => DoctorLine::note(subject, "another run has the machine: the figures above include its noise")
            .hint("wait for it; compare waits by itself"),
        (false, 0) => DoctorLine::ok(subject, "none is under way, and nothing was left behind"),
        (false, _) => DoctorLine::note(subject, format!("killed runs left things behind: {}", names.join(", ")))
            .hint("fsarena clean (the next compare does it, too)"),
    }
}

/// Whether a run holds the exclusive lock of its folder. A shared lock, released at once, tests that without blocking
/// any run.
fn is_held(lock: &Path) -> io::Result<bool> {
    let file = File::open(lock)?;
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Ok(false),
        Err(Errno::WOULDBLOCK) => Ok(true),
        Err(errno) => Err(errno.into()),
    }
}

fn ledgers(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths: io::Result<Vec<PathBuf>> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use fsarena_lane::Ledger;

    use super::*;

    #[test]
    fn a_live_run_a_dead_one_and_none_are_distinguished() {
        let place = tempfile::tempdir().expect("temporary folder");
        let folder = place.path().join("ledger");
        let text = || format!("{:?}", look("runs", &folder));
        assert!(text().contains("none yet"));
        let (ledger, _) = Ledger::open(&folder).expect("free");
        assert!(text().contains("another run has the machine"));
        drop(ledger);
        std::fs::write(folder.join("1-1.jsonl"), "").expect("as a killed run leaves it");
        assert!(text().contains("fsarena clean"));
        let (mut ledger, _) = Ledger::open(&folder).expect("free");
        ledger.undo().expect("nothing to do");
        drop(ledger);
        assert!(text().contains("nothing was left behind"));
    }
}
