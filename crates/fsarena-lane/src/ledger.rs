//! The ledger: lists what a run has made and not yet removed. Each entry is written before the thing is made.
//!
//! One file per run, one JSON record per line, synced before the action that it announces. The process that holds the
//! lock of the folder owns all ledgers in it: each file that it finds belongs to a dead run, and is undone in reverse
//! order.

mod folders;
mod made;
mod parameters;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::iter;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fsarena_sys::directory::Directory;
use fsarena_sys::fault;
use fsarena_sys::machine::{Holder, MachineLock, Waiting};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

pub use folders::default_folder;
use made::DeadRun;
pub use made::{BoundLoop, Made};

use crate::{Go, LaneError};

/// What to do while another run uses the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Wait until it has ended.
    Yes,
    /// Give up.
    No,
}

/// Result of clearing away what dead runs left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cleared {
    /// What was removed, in words.
    pub removed: Vec<String>,
    /// What could not be removed.
    pub kept: Vec<Leftover>,
}

/// Something that a run has made and that could not be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// What it is, in words.
    pub what: String,
    /// Why it could not be removed.
    pub why: String,
}

/// The ledger of one run.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    file: File,
    run: DeadRun,
    made: Vec<Made>,
    _lock: File,
}

/// Most processes of one run on a machine, besides the first.
const MOST_PROCESSES: u32 = 4096;

/// A line of a ledger.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LedgerLine {
    /// The first line: ID of the boot during which the run began (`/proc/sys/kernel/random/boot_id`).
    Boot(String),
    /// Something is about to be made.
    Making(Made),
    /// The directory that was announced last is made and has this identity.
    Identified(fsarena_sys::directory::FileId),
    /// The last announcement is withdrawn: the thing was not made.
    Withdrawn,
}

/// Locks the machine for this run, or for one process of the run `session`, calls `locked`, and opens the run's ledger
/// in `folder`. While another run holds one of them, calls `waiting` repeatedly with that run's process, if it can be
/// seen: in a container with a network namespace of its own, another run is only seen by the folder that both use.
///
/// # Errors
/// [`LaneError::Busy`] if `wait` is [`Wait::No`], or `waiting` returns [`Go::Stop`]; those of `locked` and
/// [`Ledger::open`].
pub fn take_machine<E: From<LaneError>>(
    session: Option<&str>,
    folder: &Path,
    wait: Wait,
    waiting: &mut dyn FnMut(Option<&Holder>) -> Go,
    locked: impl FnOnce() -> Result<(), E>,
) -> Result<(MachineLock, Ledger, Cleared), E> {
    let mut place = Waiting::default();
    let machine = when_free(wait, waiting, || {
        let taken = MachineLock::take(session, &mut place);
        let taken = taken.map_err(LaneError::io("take the lock of", "this machine"))?;
        taken.ok_or_else(|| LaneError::Busy { holder: place.holder().cloned().map(Box::new) })
    })?;
    drop(place);
    locked()?;
    let open = if session.is_some() { Ledger::open_with_others } else { Ledger::open };
    let (ledger, cleared) = when_free(wait, waiting, || open(folder))?;
    Ok((machine, ledger, cleared))
}

/// Attempts something until no other run prevents it.
fn when_free<T>(
    wait: Wait,
    waiting: &mut dyn FnMut(Option<&Holder>) -> Go,
    mut attempt: impl FnMut() -> Result<T, LaneError>,
) -> Result<T, LaneError> {
    const PAUSE: Duration = Duration::from_millis(200);
    loop {
        match attempt() {
            Err(LaneError::Busy { holder }) if wait == Wait::No || waiting(holder.as_deref()) == Go::Stop => {
                return Err(LaneError::Busy { holder });
            }
            Err(LaneError::Busy { .. }) => std::thread::sleep(PAUSE),
            done => return done,
        }
    }
}

impl Ledger {
    /// Clears away what dead runs left, and opens a ledger for this run.
    ///
    /// # Errors
    /// [`LaneError::Busy`] if another process holds the folder. What cannot be cleared away is no error: it is
    /// reported, and the next start tries again.
    pub fn open(folder: &Path) -> Result<(Self, Cleared), LaneError> {
        // The tokens in it prove that a thing belongs to a run: no other user may read them.
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(LaneError::io("create the folder", folder))?;
        let lock = lock(folder)?;
        let run = DeadRun::new().map_err(LaneError::io("ask the kernel for", "random bytes"))?;
        let mut cleared = Cleared::default();
        clear(folder, &run.boot, &mut cleared)?;
        let path = folder.join(format!("{}.jsonl", run.token));
        let mut options = OpenOptions::new();
        let created =
            fault::step("create ledger").and_then(|()| options.create_new(true).append(true).mode(0o600).open(&path));
        let file = created.map_err(LaneError::io("create", &path))?;
        let mut ledger = Self { path, file, run, made: Vec::new(), _lock: lock };
        let boot = ledger.run.boot.clone();
        ledger.write(&LedgerLine::Boot(boot))?;
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(LaneError::io("sync the folder", folder))?;
        Ok((ledger, cleared))
    }

    /// Opens a ledger like [`Ledger::open`] for one of several processes of a run on this machine: in `folder`, or in
    /// the first of its numbered folders that no other process holds.
    ///
    /// # Errors
    /// Those of [`Ledger::open`].
    pub fn open_with_others(folder: &Path) -> Result<(Self, Cleared), LaneError> {
        let numbered = (1..=MOST_PROCESSES).map(|number| folder.join(number.to_string()));
        let mut attempts = iter::once(folder.to_owned()).chain(numbered).map(|folder| Self::open(&folder));
        let done = attempts.find(|attempt| !matches!(attempt, Err(LaneError::Busy { .. })));
        done.unwrap_or(Err(LaneError::Busy { holder: None }))
    }

    /// A unique word of this run: it marks everything that the run makes.
    pub fn token(&self) -> &str {
        &self.run.token
    }

    /// Name of what this run makes in shared places: `fsarena-TOKEN`.
    pub fn name(&self) -> String {
        name(&self.run.token)
    }

    /// Announces what is about to be made; the entry is on disk when this returns.
    ///
    /// # Errors
    /// If the entry cannot be written: the caller must then not make the thing.
    pub(crate) fn announce(&mut self, made: Made) -> Result<(), LaneError> {
        self.write(&LedgerLine::Making(made.clone()))?;
        self.made.push(made);
        Ok(())
    }

    /// Announces what is made again and again under the same name, the first time.
    pub(crate) fn announce_once(&mut self, made: Made) -> Result<(), LaneError> {
        if self.has(&made) { Ok(()) } else { self.announce(made) }
    }

    pub(crate) fn has(&self, made: &Made) -> bool {
        self.made.contains(made)
    }

    /// Withdraws the last announcement: the thing was not made, because another program has its name.
    pub(crate) fn withdraw(&mut self) -> Result<(), LaneError> {
        self.write(&LedgerLine::Withdrawn)?;
        self.made.pop();
        Ok(())
    }

    /// Makes the directory `path`, whose parent exists, with the permissions `mode`. It is later removed with its
    /// contents.
    ///
    /// # Errors
    /// If the name exists, or the directory cannot be made.
    pub fn make_directory(&mut self, path: &Path, mode: u32) -> Result<Directory, LaneError> {
        self.make_identified(path, mode, |path| Made::Directory { path, id: None })
    }

    /// Makes `path` and its missing parent directories. Each of them is later removed if it is empty then.
    ///
    /// # Errors
    /// If one cannot be made.
    pub fn make_parents(&mut self, path: &Path) -> Result<(), LaneError> {
        let absolute = std::path::absolute(path).map_err(LaneError::io("look up", path))?;
        let missing = absolute.ancestors().take_while(|folder| fs::symlink_metadata(folder).is_err());
        for folder in missing.collect::<Vec<_>>().into_iter().rev() {
            self.make_identified(folder, 0o755, |path| Made::Parent { path, id: None })?;
        }
        Ok(())
    }

    fn make_identified(
        &mut self,
        path: &Path,
        mode: u32,
        made: impl FnOnce(PathBuf) -> Made,
    ) -> Result<Directory, LaneError> {
        let refused = |error: io::Error| LaneError::io("create the folder", path)(error);
        let not_named = || io::Error::from(io::ErrorKind::InvalidInput);
        let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(not_named).map_err(refused)?;
        // Resolves the parent once, and makes the folder relative to the parent's descriptor.
        let parent = path.parent().unwrap_or(Path::new("/")).canonicalize().map_err(refused)?;
        let folder = Directory::open(&parent).map_err(refused)?;
        self.announce(made(parent.join(name)))?;
        let made = match folder.make(name, mode) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.withdraw()?;
                return Err(refused(error));
            }
            made => made.map_err(refused)?,
        };
        let id = made.id().map_err(refused)?;
        self.write(&LedgerLine::Identified(id))?;
        if let Some(last) = self.made.last_mut() {
            last.identify(id);
        }
        Ok(made)
    }

    fn write(&mut self, line: &LedgerLine) -> Result<(), LaneError> {
        let text = serde_json::to_string(line).map_err(|error| LaneError::io("write", &self.path)(error.into()))?;
        let written = fault::step("write ledger")
            .and_then(|()| self.file.write_all(format!("{text}\n").as_bytes()))
            .and_then(|()| self.file.sync_all());
        written.map_err(LaneError::io("write", &self.path))
    }

    /// Removes everything that was announced, in reverse order, and then the ledger itself; a second call does nothing.
    ///
    /// # Errors
    /// [`LaneError::Leftover`] for the first thing that cannot be removed; it and the ledger stay for the next start.
    pub fn undo(&mut self) -> Result<(), LaneError> {
        self.remove_after(0)?;
        remove(&self.path)
    }

    pub(crate) fn count(&self) -> usize {
        self.made.len()
    }

    /// Removes what was announced after the first `count` things.
    pub(crate) fn undo_after(&mut self, count: usize) -> Result<(), LaneError> {
        let later = self.count() - count;
        self.remove_after(count)?;
        (0..later).try_for_each(|_| self.write(&LedgerLine::Withdrawn))
    }

    fn remove_after(&mut self, count: usize) -> Result<(), LaneError> {
        let mut later = self.made.split_off(count);
        let Cleared { kept, .. } = made::undo(&mut later, &self.run);
        self.made.append(&mut later);
        kept.into_iter().next().map_or(Ok(()), |Leftover { what, why }| Err(LaneError::Leftover { what, why }))
    }
}

/// Name of what the run with this token makes in shared places.
pub fn name(token: &str) -> String {
    format!("fsarena-{token}")
}

/// Removes a ledger without entries, which the next start does not need.
impl Drop for Ledger {
    fn drop(&mut self) {
        if self.made.is_empty() {
            let _ = remove(&self.path);
        }
    }
}

fn lock(folder: &Path) -> Result<File, LaneError> {
    let path = folder.join("lock");
    let lock = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
    let lock = lock.map_err(LaneError::io("open", &path))?;
    let locked = flock(&lock, FlockOperation::NonBlockingLockExclusive);
    locked.map(|()| lock).map_err(|_| LaneError::Busy { holder: None })
}

/// Undoes the ledgers of dead runs in `folder`, and in its numbered folders that no process holds. The caller holds the
/// lock of `folder`.
fn clear(folder: &Path, boot: &str, all: &mut Cleared) -> Result<(), LaneError> {
    let entries = fs::read_dir(folder).map_err(LaneError::io("read the folder", folder))?;
    let (folders, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        entries.filter_map(|entry| Some(entry.ok()?.path())).partition(|path| path.is_dir());
    for folder in folders {
        if let Ok(_lock) = lock(&folder) {
            clear(&folder, boot, all)?;
        }
    }
    let paths = paths.into_iter();
    for path in paths.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")) {
        let token = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let read = fs::read(&path).map_err(|error| error.to_string());
        let cleared = match read.and_then(|bytes| parse(&bytes)) {
            Ok((begun, mut made)) => {
                made.retain(|made| !made.ends_with_its_run());
                made::undo(&mut made, &DeadRun { token, boot: boot.to_owned(), is_same_boot: begun == boot })
            }
            Err(why) => {
                let what = format!("the ledger {}", path.display());
                Cleared { removed: Vec::new(), kept: vec![Leftover { what, why }] }
            }
        };
        if cleared.kept.is_empty() {
            remove(&path)?;
        }
        all.removed.extend(cleared.removed);
        all.kept.extend(cleared.kept);
    }
    Ok(())
}

/// The boot ID of a dead run, and what its ledger announces and does not withdraw; or why it cannot be read.
fn parse(bytes: &[u8]) -> Result<(String, Vec<Made>), String> {
    let (mut boot, mut made): (String, Vec<Made>) = Default::default();
    // Bytes after the last newline are a torn entry: what it announces was never made.
    for line in bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
        match serde_json::from_slice(line).map_err(|error| format!("it cannot be read: {error}"))? {
            LedgerLine::Boot(id) => boot = id,
            LedgerLine::Making(record) => made.push(record),
            LedgerLine::Identified(id) => made.last_mut().into_iter().for_each(|made| made.identify(id)),
            LedgerLine::Withdrawn => drop(made.pop()),
        }
    }
    Ok((boot, made))
}

fn remove(ledger: &Path) -> Result<(), LaneError> {
    match fault::step("remove ledger").and_then(|()| fs::remove_file(ledger)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(LaneError::io("remove", ledger)),
    }
}

#[cfg(test)]
mod tests;
