//! Folders outside the lane for the sockets and logs of servers, and access to files in folders that another user can
//! write to. fsarena writes its own files only where no other user can put a link in their place.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use fsarena_engine::{EngineError, Scratch, unlink};
use rustix::fs::OFlags;

use crate::user::User;

/// The folder in a server's scratch directory that belongs to the server's user, for files of the server and its
/// clients. fsarena writes nothing there and reads from it with [`read`] only.
pub const OF_SERVER: &str = "server";

/// Makes a scratch directory for a server that runs as `user`, who may traverse it and owns one folder in it. It belongs
/// to fsarena's user and holds what fsarena writes: configurations, logs and streams.
pub fn for_server(user: Option<&User>) -> Result<Scratch, EngineError> {
    let made = Scratch::new()?;
    make(&made.path().join(OF_SERVER), 0o700, user)?;
    let open = fs::set_permissions(made.path(), PermissionsExt::from_mode(0o711));
    open.map_err(EngineError::io(format!("chmod {}", made.path().display())))?;
    Ok(made)
}

/// Makes a folder with the permissions `mode`, independent of the umask, and gives it to `owner`. It must not exist.
pub fn make(path: &Path, mode: u32, owner: Option<&User>) -> Result<(), EngineError> {
    let made = fs::DirBuilder::new().mode(0o700).create(path);
    made.map_err(EngineError::io(format!("mkdir {}", path.display())))?;
    // The mode is changed through the descriptor: another user could rename the folder, so that its path leads
    // elsewhere.
    let folder =
        File::options().read(true).custom_flags((OFlags::NOFOLLOW | OFlags::DIRECTORY).bits() as i32).open(path);
    hand_over(&folder.map_err(EngineError::io(format!("open {}", path.display())))?, path, mode, owner)
}

/// Makes a world-readable file with `text`, replaces an existing file, and gives it to `owner`.
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

/// Reads a file that another user may have made. Links are not followed, and only regular files are read.
pub fn read(path: &Path) -> io::Result<String> {
    // Without `NONBLOCK`, the open of a FIFO could block without end.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut file = File::options().read(true).custom_flags(flags.bits() as i32).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_servers_only_a_part_is_its_users() {
        use std::os::unix::fs::MetadataExt;
        let user = User::of("daemon").expect("the user exists");
        let folder = for_server(user.as_ref()).expect("made");
        let facts =
            |path: &Path| fs::symlink_metadata(path).map(|known| (known.uid(), known.mode() & 0o777)).expect("there");
        let own = rustix::process::geteuid().as_raw();
        assert_eq!(facts(folder.path()), (own, 0o711));
        let (owner, mode) = facts(&folder.path().join(OF_SERVER));
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
        let user = User::of("daemon").expect("the user exists");
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
