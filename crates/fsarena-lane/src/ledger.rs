//! The ledger: what a run has made and not yet taken away, written before it is made.
//!
//! One file per run, one JSON record per line, synced before the act that it announces. Whoever holds the lock of the
//! folder owns the machine; every file found then belongs to a run that is dead, and is worked off backwards.

mod made;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

pub use made::{Made, make_folder};

use crate::{Go, LaneError};

/// What to do while another run has the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Wait until it has ended.
    Yes,
    /// Give up.
    No,
}

/// What was taken away of an earlier run, in words.
pub type Cleared = Vec<String>;

/// The ledger of one run, and with it the machine.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    file: File,
    made: Vec<Made>,
    token: String,
    _lock: File,
}

/// The ledgers' folder: `/var/lib/fsarena/ledger` for root, else below the user's state directory.
///
/// # Errors
/// If an ordinary user has neither `XDG_STATE_HOME` nor `HOME`.
pub fn default_folder() -> Result<PathBuf, LaneError> {
    if rustix::process::geteuid().is_root() {
        return Ok("/var/lib/fsarena/ledger".into());
    }
    let state = std::env::var_os("XDG_STATE_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = std::env::var_os("HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = state.or_else(|| home.map(|home| home.join(".local/state"))).ok_or(LaneError::NoHome)?;
    Ok(state.join("fsarena/ledger"))
}

impl Ledger {
    /// Takes the machine, clears away what dead runs left, and opens a ledger for this one.
    ///
    /// `waiting` is called again and again while another run has the machine and is waited for.
    ///
    /// # Errors
    /// [`LaneError::Busy`] if it may not wait, or `waiting` says so; [`LaneError::Leftover`] if something cannot be
    /// cleared away.
    pub fn open(folder: &Path, wait: Wait, waiting: &mut dyn FnMut() -> Go) -> Result<(Self, Cleared), LaneError> {
        // The tokens in it are what makes a thing ours: nobody else may read them.
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(LaneError::io("create the folder", folder))?;
        let lock = take_lock(folder, wait, waiting)?;
        let cleared = clear(folder)?;
        let token = fresh_token();
        let path = folder.join(format!("{token}.jsonl"));
        let file = OpenOptions::new().create_new(true).append(true).open(&path);
        let file = file.map_err(LaneError::io("create", &path))?;
        sync_folder(folder)?;
        Ok((Self { path, file, made: Vec::new(), token, _lock: lock }, cleared))
    }

    /// A word that no other run has: it marks all that this one makes.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Announces what is about to be made; it is on the disk when this returns.
    ///
    /// # Errors
    /// If it cannot be written: then nothing must be made.
    pub fn announce(&mut self, made: Made) -> Result<(), LaneError> {
        self.write(&made)?;
        self.made.push(made);
        Ok(())
    }

    /// Takes back the last announcement: it was not made, for somebody else had it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn withdraw(&mut self) -> Result<(), LaneError> {
        self.write(&Made::Withdrawn)?;
        self.made.pop();
        Ok(())
    }

    fn write(&mut self, made: &Made) -> Result<(), LaneError> {
        let line = serde_json::to_string(made).map_err(|error| LaneError::io("write", &self.path)(error.into()))?;
        let written = self.file.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.file.sync_all());
        written.map_err(LaneError::io("write", &self.path))
    }

    /// Takes away everything that was announced, the last first, and then the ledger itself; a second call has
    /// nothing to do.
    ///
    /// # Errors
    /// [`LaneError::Leftover`] for the first thing that stays; it and the ledger are then left for another call.
    pub fn undo(&mut self) -> Result<(), LaneError> {
        while let Some(made) = self.made.last() {
            made.undo(&self.token)?;
            self.made.pop();
        }
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            other => other.map_err(LaneError::io("remove", &self.path)),
        }
    }
}

/// A ledger that announces nothing any more is of no use to the next start.
impl Drop for Ledger {
    fn drop(&mut self) {
        if self.made.is_empty() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// How often a lock that another run has is asked for.
const ASKING: Duration = Duration::from_millis(200);

fn take_lock(folder: &Path, wait: Wait, waiting: &mut dyn FnMut() -> Go) -> Result<File, LaneError> {
    let path = folder.join("lock");
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let lock = lock.map_err(LaneError::io("open", &path))?;
    while flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        if wait == Wait::No || waiting() == Go::Stop {
            return Err(LaneError::Busy);
        }
        std::thread::sleep(ASKING);
    }
    Ok(lock)
}

/// Works off the ledgers of dead runs. The caller holds the lock.
fn clear(folder: &Path) -> Result<Cleared, LaneError> {
    let entries = fs::read_dir(folder).map_err(LaneError::io("read the folder", folder))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut cleared = Cleared::new();
    for path in paths.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")) {
        let token = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).map_err(LaneError::io("read", &path))?;
        for made in announced(&text, &path)?.iter().rev().filter(|made| !made.ends_with_its_run()) {
            cleared.extend(made.undo(&token)?);
        }
        fs::remove_file(&path).map_err(LaneError::io("remove", &path))?;
    }
    Ok(cleared)
}

/// What a dead run's ledger announces and does not withdraw.
fn announced(text: &str, path: &Path) -> Result<Vec<Made>, LaneError> {
    let mut made = Vec::new();
    // What follows the last newline is torn: what it would have announced was never made.
    for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        match serde_json::from_str(line) {
            Ok(Made::Withdrawn) => drop(made.pop()),
            Ok(record) => made.push(record),
            Err(error) => {
                let what = format!("the ledger {}", path.display());
                return Err(LaneError::Leftover { what, why: format!("it cannot be read: {error}") });
            }
        }
    }
    Ok(made)
}

fn sync_folder(folder: &Path) -> Result<(), LaneError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(LaneError::io("sync the folder", folder))
}

/// Time and process make a word that no other run has had.
fn fresh_token() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{:x}", now.as_nanos(), std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_runs_ledger_is_worked_off_by_the_next() {
        let place = tempfile::tempdir().expect("temporary folder");
        let (folder, made) = (place.path().join("ledger"), place.path().join("run"));
        let (mut ledger, _) = Ledger::open(&folder, Wait::No, &mut || Go::On).expect("free");
        ledger.announce(Made::Folder { path: made.clone() }).expect("written");
        make_folder(&made, ledger.token()).expect("made");
        fs::write(made.join("image"), "x").expect("written");
        drop(ledger);
        let (mut ledger, cleared) = Ledger::open(&folder, Wait::No, &mut || Go::On).expect("free again");
        assert_eq!(cleared.len(), 1);
        assert!(!made.exists());
        ledger.undo().expect("nothing to do");
    }

    #[test]
    fn what_is_not_ours_stays() {
        let place = tempfile::tempdir().expect("temporary folder");
        let (folder, theirs) = (place.path().join("ledger"), place.path().join("theirs"));
        let (mut ledger, _) = Ledger::open(&folder, Wait::No, &mut || Go::On).expect("free");
        ledger.announce(Made::Folder { path: theirs.clone() }).expect("written");
        fs::create_dir(&theirs).expect("made by somebody else");
        fs::write(theirs.join("precious"), "x").expect("written");
        ledger.undo().expect("nothing of ours");
        assert!(theirs.join("precious").exists());
    }

    #[test]
    fn a_torn_last_line_announces_nothing() {
        let place = tempfile::tempdir().expect("temporary folder");
        fs::write(place.path().join("1-1.jsonl"), "{\"folder\":{\"pa").expect("written");
        let (mut ledger, cleared) = Ledger::open(place.path(), Wait::No, &mut || Go::On).expect("free");
        assert!(cleared.is_empty());
        ledger.undo().expect("nothing to do");
    }

    #[test]
    fn what_was_withdrawn_or_ends_with_its_run_is_left_alone_and_rubbish_is_said() {
        let place = tempfile::tempdir().expect("temporary folder");
        let (theirs, ledger) = (place.path().join("theirs"), place.path().join("1-1.jsonl"));
        fs::create_dir(&theirs).expect("made");
        let folder = serde_json::to_string(&Made::Folder { path: theirs.clone() }).expect("plain");
        let mount = serde_json::to_string(&Made::Mount { path: "/".into() }).expect("plain");
        fs::write(&ledger, format!("{folder}\n\"withdrawn\"\n{mount}\n")).expect("written");
        Ledger::open(place.path(), Wait::No, &mut || Go::On).expect("nothing to do").0.undo().expect("nothing");
        assert!(theirs.exists() && !ledger.exists());
        fs::write(&ledger, "{\"of-the-future\":{}}\n").expect("written");
        assert!(matches!(Ledger::open(place.path(), Wait::No, &mut || Go::On), Err(LaneError::Leftover { .. })));
        assert!(ledger.exists(), "it is kept");
    }

    #[test]
    fn a_second_run_is_refused_or_waits() {
        let place = tempfile::tempdir().expect("temporary folder");
        let first = Ledger::open(place.path(), Wait::No, &mut || Go::On).expect("free");
        assert!(matches!(Ledger::open(place.path(), Wait::No, &mut || Go::On), Err(LaneError::Busy)));
        drop(first);
        assert!(Ledger::open(place.path(), Wait::No, &mut || Go::On).is_ok());
    }
}
