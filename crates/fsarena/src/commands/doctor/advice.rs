//! The recommended next command.

use fsarena_lane::DEFAULT_FOLDER;

use super::kinds;
use super::page::{DoctorLine, Topic};

const WITHOUT_LANES: &str = "fsarena compare dir:/one dir:/other";

/// The command that suits this machine: `best` is the best place for lanes, and `able` says whether this user can make
/// lanes there.
pub fn section(best: Option<&str>, able: bool) -> Topic {
    let is_root = rustix::process::geteuid().is_root();
    Topic { title: "Next", lines: vec![line(best, &kinds::usual(), able, is_root)] }
}

fn line(best: Option<&str>, kinds: &[&str], able: bool, is_root: bool) -> DoctorLine {
    let Some(best) = best else {
        return DoctorLine::no("lanes", "no place has room for them").hint(WITHOUT_LANES);
    };
    if kinds.is_empty() || (is_root && !able) {
        return DoctorLine::no("lanes", "this machine cannot make any, see above").hint(WITHOUT_LANES);
    }
    let storage = if best == DEFAULT_FOLDER { String::new() } else { format!(" {}", option(best)) };
    let command = format!("fsarena compare {}{storage}", kinds.join(" "));
    match is_root {
        true => DoctorLine::ok("start", command),
        false => DoctorLine::ok("start", WITHOUT_LANES).and(format!("or with lanes: sudo {command}")),
    }
}

/// The option that selects a place.
pub fn option(place: &str) -> String {
    match place {
        DEFAULT_FOLDER => format!("--storage {place} (the default)"),
        _ if place.contains(char::is_whitespace) => format!("--storage '{place}'"),
        _ => format!("--storage {place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(best: Option<&str>, able: bool, is_root: bool) -> String {
        format!("{:?}", line(best, &["ext4", "xfs"], able, is_root))
    }

    #[test]
    fn the_command_is_one_that_works() {
        assert!(text(Some(DEFAULT_FOLDER), true, true).contains("\"fsarena compare ext4 xfs\""));
        assert!(text(Some("/data/fsarena"), true, true).contains("fsarena compare ext4 xfs --storage /data/fsarena"));
        assert!(text(Some(DEFAULT_FOLDER), false, false).contains("sudo fsarena compare"));
        assert_eq!(option("/my data/fsarena"), "--storage '/my data/fsarena'");
        assert!(text(None, true, true).contains("dir:/one"));
        assert!(text(Some(DEFAULT_FOLDER), false, true).contains("dir:/one"));
    }
}
