//! Files that the user names for output.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser};
use fsarena_sys::fault;
use rustix::fs::{Access, access};
use tempfile::Builder;

/// Reads the name of a file for output. One that cannot be written is refused, before the work whose result it is to
/// have.
pub fn named() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| require(&path, is_replaced(&path, folder(&path))).map(|()| path))
}

/// The same for a file to which something is added.
pub fn extended() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| require(&path, !path.exists()).map(|()| path))
}

fn require(path: &Path, is_new: bool) -> Result<(), String> {
    let folder = folder(path);
    let is_written = match is_new {
        _ if path.starts_with("~") => {
            return Err("the shell replaces `~` only where a word begins, without quotes: write $HOME".to_owned());
        }
        _ if path == Path::new("-") => {
            return Err("leave the option out to write to stdout; a file of this name is ./-".to_owned());
        }
        _ if path.is_dir() => return Err("it is a folder, and a file is needed".to_owned()),
        true if !folder.is_dir() => return Err(format!("there is no folder {0}: mkdir -p {0}", folder.display())),
        true => access(folder, Access::WRITE_OK),
        false => access(path, Access::WRITE_OK),
    };
    is_written.map_err(|error| format!("it cannot be written: {error}"))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes `data` to the file at `path`. The file is replaced atomically, or stays unchanged. A symbolic link is
/// replaced, not followed. Devices, pipes and files in `/dev` and `/proc`, such as `/dev/stdout`, are written in place.
///
/// # Errors
/// If the file cannot be created or written.
pub fn write(path: &Path, data: &[u8]) -> io::Result<()> {
    let folder = folder(path).canonicalize()?;
    match is_replaced(path, &folder) {
        true => replace(path, &folder, data),
        // Appends, because other programs may write to the file behind `/dev/stdout`, too.
        false => OpenOptions::new().append(true).open(path)?.write_all(data),
    }
}

fn is_replaced(path: &Path, folder: &Path) -> bool {
    let is_other = fs::metadata(path).is_ok_and(|found| !found.is_file());
    !is_other && !["/dev", "/proc"].iter().any(|place| folder.starts_with(place))
}

fn replace(path: &Path, folder: &Path, data: &[u8]) -> io::Result<()> {
    let Some(name) = path.file_name() else { return Err(io::ErrorKind::IsADirectory.into()) };
    let path: PathBuf = folder.join(name);
    let before = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file);
    fault::step("create output")?;
    let mut file = Builder::new().prefix(".fsarena-").permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
    if let Some(before) = before {
        file.as_file().set_permissions(before.permissions())?;
    }
    file.write_all(data)?;
    file.as_file().sync_all()?;
    fault::step("rename output")?;
    file.persist(&path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_replaced_and_its_target_stays() {
        let place = tempfile::tempdir().expect("temporary folder");
        let (target, link) = (place.path().join("target"), place.path().join("link"));
        fs::write(&target, "precious").expect("written");
        for target in [&target, &place.path().join("nowhere"), place.path()] {
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(target, &link).expect("linked");
            let written = write(&link, b"report");
            if target.is_dir() {
                assert!(written.is_err(), "a folder is no file, also behind a link");
                continue;
            }
            written.expect("written");
            assert!(!link.is_symlink() && fs::read(&link).expect("there") == b"report");
        }
        assert_eq!(fs::read(&target).expect("there"), b"precious");
        assert!(!place.path().join("nowhere").exists());
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_keeps_its_mode() {
        let place = tempfile::tempdir().expect("temporary folder");
        let path = place.path().join("report.html");
        fs::write(&path, "a longer text that was there before").expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("ours");
        write(&path, b"new").expect("written");
        assert_eq!(fs::read(&path).expect("there"), b"new");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(place.path()).expect("there").count(), 1, "nothing else is left");
        write(&place.path().join("no/such/folder"), b"x").expect_err("it is not made");
        write(place.path(), b"x").expect_err("a folder is no file");
    }

    #[test]
    fn files_that_cannot_be_written_are_refused_before_they_are() {
        let place = tempfile::tempdir().expect("temporary folder");
        let refused = |path: &Path| require(path, is_replaced(path, folder(path))).err().unwrap_or_default();
        for (path, why) in [("no/such", "there is no folder"), ("", "it is a folder"), ("new", ""), ("/dev/null", "")] {
            let words = refused(&place.path().join(path));
            assert!(words.starts_with(why) && words.is_empty() == why.is_empty(), "{path}: {words}");
        }
        assert_eq!(refused(Path::new("report.html")), "");
        assert!(refused(Path::new("~/report.html")).contains("write $HOME"));
        assert!(refused(Path::new("-")).contains("./-"), "elsewhere it is stdin or stdout");
    }
}
