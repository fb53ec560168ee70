//! Folders in which servers have their sockets and logs, and tools what they say, beside the lane. Whoever makes one holds a lock on it for as long as he lives, so
//! that the next start knows which ones nobody needs. What we write there is where no other user can put a link in its place.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use fsarena_engine::{EngineError, unlink};
use rustix::fs::{Access, FlockOperation, OFlags, access, flock};
use tempfile::TempDir;

use crate::user::User;

/// How their names begin.
const PREFIX: &str = "fsarena-run-";

/// What is the server's in one of them.
const OF_SERVER: &str = "server";

/// A folder for one server or tool; dropped, it is removed with all that is in it.
#[derive(Debug)]
pub struct RunFolder {
    folder: TempDir,
    _lock: File,
}

impl RunFolder {
    /// An empty one. Its path is short, whatever TMPDIR says: that of a socket has at most 107 bytes (unix(7)).
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new() -> Result<Self, EngineError> {
        loop {
            let made = tempfile::Builder::new().prefix(PREFIX).tempdir_in(place());
            let folder = made.map_err(EngineError::io(format!("make a folder in {}", place().display())))?;
            // Somebody who clears away may have come before the lock: then once more.
            if let Some(lock) = locked(folder.path()).filter(|_| folder.path().exists()) {
                return Ok(Self { folder, _lock: lock });
            }
        }
    }

    /// One for a server: its user may pass it, and has a folder in it.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn for_server(user: Option<&User>) -> Result<Self, EngineError> {
        let made = Self::new()?;
        make(&made.of_server(), 0o700, user)?;
        let open = fs::set_permissions(made.path(), PermissionsExt::from_mode(0o711));
        open.map_err(EngineError::io(format!("chmod {}", made.path().display())))?;
        Ok(made)
    }

    /// Where it is. It is ours: for what we write, such as configurations, logs and streams.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The folder in it that is the server's user's: for what the server and its clients make. We write nothing there, and read by
    /// [`read`] only.
    pub fn of_server(&self) -> PathBuf {
        self.path().join(OF_SERVER)
    }
}

/// Makes a folder with these permissions, whatever is usual for new ones here, and gives it to `owner`. What is there already is left as it is.
///
/// # Errors
/// If there is something, or the file system refuses.
pub fn make(path: &Path, mode: u32, owner: Option<&User>) -> Result<(), EngineError> {
    let made = fs::DirBuilder::new().mode(0o700).create(path);
    made.map_err(EngineError::io(format!("mkdir {}", path.display())))?;
    // It is changed by its descriptor: where somebody else may rename it, its path could lead elsewhere by now.
    let folder =
        File::options().read(true).custom_flags((OFlags::NOFOLLOW | OFlags::DIRECTORY).bits() as i32).open(path);
    hand_over(&folder.map_err(EngineError::io(format!("open {}", path.display())))?, path, mode, owner)
}

/// Makes a file with that text that everybody may read, instead of one that was there, and gives it to `owner`.
///
/// # Errors
/// If the file system refuses.
pub fn write(path: &Path, text: &str, owner: Option<&User>) -> Result<(), EngineError> {
    unlink(path)?;
    let file = File::options().write(true).create_new(true).open(path);
    let mut file = file.map_err(EngineError::io(format!("make {}", path.display())))?;
    io::Write::write_all(&mut file, text.as_bytes()).map_err(EngineError::io(format!("write {}", path.display())))?;
    hand_over(&file, path, 0o644, owner)
}

fn hand_over(opened: &File, path: &Path, mode: u32, owner: Option<&User>) -> Result<(), EngineError> {
    let open = opened.set_permissions(PermissionsExt::from_mode(mode));
    open.map_err(EngineError::io(format!("chmod {}", path.display())))?;
    owner.map_or(Ok(()), |user| user.give(opened, path))
}

/// What is in a file that another user may have made; a link is not followed, and nothing but a file is read.
///
/// # Errors
/// If it is something else, or cannot be read.
pub fn read(path: &Path) -> io::Result<String> {
    // What is no file might let us wait for ever.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut file = File::options().read(true).custom_flags(flags.bits() as i32).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Where they are: root's in /run, for nobody else can put something there before.
fn place() -> &'static Path {
    let run = Path::new("/run");
    let is_ours = rustix::process::geteuid().is_root() && run.is_dir() && access(run, Access::WRITE_OK).is_ok();
    if is_ours { run } else { Path::new("/tmp") }
}

/// The lock of the folder; `None` if another process has it, or the folder is gone.
fn locked(path: &Path) -> Option<File> {
    let folder = File::open(path).ok()?;
    flock(&folder, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(folder)
}

/// Takes away the folders that dead runs have left, and says which.
pub fn clear() -> Vec<String> {
    clear_in(place())
}

fn clear_in(place: &Path) -> Vec<String> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    // A link is no folder, and is not followed.
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let ours = folders.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let removed = |path: &PathBuf| locked(path).is_some_and(|_lock| fs::remove_dir_all(path).is_ok());
    let cleared = ours.map(|entry| entry.path()).filter(removed);
    cleared.map(|path| format!("the folder {} of a server or tool", path.display())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_in_use_stays_and_one_of_a_dead_run_goes() {
        let place = tempfile::tempdir().expect("temporary folder");
        let path = |name: &str| place.path().join(name);
        for name in ["fsarena-run-dead", "fsarena-run-used", "another"] {
            fs::create_dir(path(name)).expect("made");
            fs::write(path(name).join("log"), "x").expect("written");
        }
        let lock = locked(&path("fsarena-run-used")).expect("nobody has it");
        let cleared = clear_in(place.path());
        assert!(cleared.len() == 1 && cleared[0].contains("fsarena-run-dead"), "{cleared:?}");
        assert!(path("fsarena-run-used").exists() && path("another").exists() && !path("fsarena-run-dead").exists());
        drop(lock);
        assert_eq!(clear_in(place.path()).len(), 1, "its owner is dead, too");
    }

    #[test]
    fn dropped_it_is_gone() {
        let folder = RunFolder::new().expect("made");
        let path = folder.path().to_owned();
        assert!(path.is_dir() && locked(&path).is_none());
        assert!(path.starts_with("/run") || path.starts_with("/tmp"), "{}", path.display());
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn of_a_servers_only_a_part_is_its_users() {
        use std::os::unix::fs::MetadataExt;
        let user = User::of("daemon").expect("there is somebody");
        let folder = RunFolder::for_server(user.as_ref()).expect("made");
        let facts =
            |path: &Path| fs::symlink_metadata(path).map(|known| (known.uid(), known.mode() & 0o777)).expect("there");
        let own = rustix::process::geteuid().as_raw();
        assert_eq!(facts(folder.path()), (own, 0o711));
        let (owner, mode) = facts(&folder.of_server());
        assert_eq!((owner != own, mode), (user.is_some(), 0o700));
    }

    #[test]
    fn a_planted_link_is_not_followed() {
        let place = tempfile::tempdir().expect("temporary folder");
        let [precious, link, folder] = ["precious", "link", "folder"].map(|name| place.path().join(name));
        fs::write(&precious, "kept").expect("written");
        fs::set_permissions(&precious, PermissionsExt::from_mode(0o600)).expect("changed");
        let before = fs::metadata(&precious).expect("there");
        std::os::unix::fs::symlink(&precious, &link).expect("linked");
        read(&link).expect_err("it is a link");
        let user = User::of("daemon").expect("there is somebody");
        write(&link, "ours", user.as_ref()).expect("written");
        assert!(fs::symlink_metadata(&link).expect("there").is_file());
        assert_eq!(read(&link).expect("a file"), "ours");
        std::os::unix::fs::symlink(place.path(), &folder).expect("linked");
        make(&folder, 0o755, user.as_ref()).expect_err("it is there");
        let after = fs::metadata(&precious).expect("there");
        let facts = |known: &fs::Metadata| (std::os::unix::fs::MetadataExt::uid(known), known.permissions());
        assert_eq!((fs::read_to_string(&precious).expect("there").as_str(), facts(&after)), ("kept", facts(&before)));
    }

    #[test]
    fn only_files_are_read() {
        let place = tempfile::tempdir().expect("temporary folder");
        let pipe = place.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("made");
        assert!(read(&pipe).is_err() && read(place.path()).is_err() && read(&place.path().join("none")).is_err());
    }
}
