//! The users that servers run as: never root.

use std::fs::{self, File};
use std::path::Path;

use fsarena_engine::EngineError;
use rustix::fs::{Gid, Uid};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    name: String,
    uid: u32,
    gid: u32,
}

/// A user that owns no files and exists on every machine. It replaces a package's user that does not exist.
const NOBODY: &str = "nobody";

impl User {
    /// The user `name`, or `nobody` if it does not exist. `None` if this process is not root: servers then run as its
    /// user.
    ///
    /// # Errors
    /// If this process is root and neither user exists.
    pub fn of(name: &str) -> Result<Option<Self>, EngineError> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        let users = fs::read_to_string("/etc/passwd").map_err(EngineError::io("read /etc/passwd"))?;
        let found = find(&users, name).or_else(|| find(&users, NOBODY));
        let none = || {
            EngineError::Wrong(format!("there is neither a user `{name}` nor `{NOBODY}`, and no server runs as root"))
        };
        found.map(Some).ok_or_else(none)
    }

    /// The user that a server runs as, as the beginning of its line in a report. `name` is the user of the server's
    /// package.
    pub fn of_report(name: &str) -> String {
        match Self::of(name) {
            Ok(Some(user)) => format!("as {}: ", user.name),
            Ok(None) => "as the own user: ".to_owned(),
            // The server will not start.
            Err(_) => String::new(),
        }
    }

    /// First words of a command that runs as this user and is killed when its parent ends. A change of the user clears
    /// the parent-death signal (prctl(2), PR_SET_PDEATHSIG), so setpriv(1) sets it again.
    pub fn words(&self) -> Vec<String> {
        let Self { uid, gid, .. } = self;
        let options = [format!("--reuid={uid}"), format!("--regid={gid}"), "--clear-groups".to_owned()];
        ["setpriv".to_owned()].into_iter().chain(options).chain(["--pdeathsig=KILL".to_owned()]).collect()
    }

    /// Gives an open file or folder to this user. The descriptor ensures that no other file is given away; `path` is
    /// for the error.
    pub fn give(&self, opened: &File, path: &Path) -> Result<(), EngineError> {
        let (uid, gid) = (Uid::from_raw(self.uid), Gid::from_raw(self.gid));
        let given = rustix::fs::fchown(opened, Some(uid), Some(gid));
        given.map_err(EngineError::io(format!("chown {}", path.display())))
    }
}

/// Finds a user other than root in passwd(5): name, password, user, group, and more.
fn find(users: &str, name: &str) -> Option<User> {
    let mut fields =
        users.lines().map(|line| line.split(':')).find(|fields| fields.clone().next() == Some(name))?.skip(2);
    let mut number = || fields.next()?.parse::<u32>().ok();
    Some(User { name: name.to_owned(), uid: number()?, gid: number()? }).filter(|user| user.uid != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_say_as_whom() {
        let lines = [User::of_report("no-such-user"), User::of_report("daemon")];
        match rustix::process::geteuid().is_root() {
            true => assert_eq!(lines, ["as nobody: ", "as daemon: "]),
            false => assert_eq!(lines, ["as the own user: "; 2]),
        }
    }

    #[test]
    fn a_user_is_found_by_its_whole_name_and_is_never_root() {
        let users = "root:x:0:0:root:/root:/bin/sh\nmysql:x:102:105:,,,:/nonexistent:/bin/false\nbroken:x\n";
        assert_eq!(find(users, "mysql"), Some(User { name: "mysql".to_owned(), uid: 102, gid: 105 }));
        for none in ["mysq", "root", "broken", ""] {
            assert_eq!(find(users, none), None, "{none}");
        }
    }
}
