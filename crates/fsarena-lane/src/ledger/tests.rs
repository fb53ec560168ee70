//! Tests of the ledger: what is undone, what is kept, and where it lies.

use std::os::unix::fs::MetadataExt;

use fsarena_sys::{mount, namespace};
use fsarena_testing::{Need, has};

use super::*;

/// A child that another test has just forked has the lock as well, until it becomes another program.
fn open(place: &Path) -> (Ledger, Cleared) {
    let begun = std::time::Instant::now();
    loop {
        match Ledger::open(&place.join("ledger")) {
            Err(LaneError::Busy { .. }) if begun.elapsed().as_secs() < 20 => std::thread::yield_now(),
            opened => return opened.expect("no other process has it"),
        }
    }
}

fn place() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

#[test]
fn a_dead_runs_ledger_is_worked_off_by_the_next() {
    let place = place();
    let (mut ledger, _) = open(place.path());
    let made = ledger.make_directory(&place.path().join("run"), 0o711).expect("made");
    fs::write(made.path().join("image"), "x").expect("written");
    drop(ledger);
    let (mut ledger, cleared) = open(place.path());
    assert_eq!((cleared.removed.len(), cleared.kept), (1, vec![]));
    assert!(!place.path().join("run").exists());
    ledger.undo().expect("nothing to do");
}

/// The device number of the directory that a ledger of this boot, or of another one, recorded is not that of its
/// parent now.
#[test]
fn device_numbers_are_compared_within_one_boot_only() {
    for (is_same_boot, is_removed) in [(true, false), (false, true)] {
        let place = place();
        let (mut ledger, _) = open(place.path());
        ledger.make_directory(&place.path().join("run"), 0o711).expect("made");
        let (path, boot) = (ledger.path.clone(), ledger.run.boot.clone());
        drop(ledger);
        let text = fs::read_to_string(&path).expect("readable");
        let device = fs::metadata(place.path()).expect("there").dev();
        let mut text = text.replace(&format!("\"device\":{device}"), "\"device\":1");
        assert!(text.contains("\"device\":1}") || text.contains("\"device\":1,"), "{text}");
        if !is_same_boot {
            text = text.replace(&boot, "another-boot");
        }
        fs::write(&path, text).expect("written");
        let (_, cleared) = open(place.path());
        assert_eq!(cleared.kept.is_empty(), is_removed, "{cleared:?}");
        assert_eq!(place.path().join("run").exists(), !is_removed);
    }
}

#[test]
fn a_ledger_without_entries_goes_with_its_run() {
    let place = place();
    let ledgers = || fs::read_dir(place.path().join("ledger")).expect("there").flatten();
    let count = || ledgers().filter(|entry| entry.path().extension().is_some_and(|end| end == "jsonl")).count();
    let (ledger, _) = open(place.path());
    assert_eq!((count(), ledger.name()), (1, format!("fsarena-{}", ledger.token())));
    drop(ledger);
    assert_eq!(count(), 0);
}

#[test]
fn scratch_directories_are_where_other_users_can_make_nothing() {
    let place = place();
    let (mut ledger, _) = open(place.path());
    let scratch = ledger.make_scratch().expect("made");
    assert_eq!(scratch.file_name().and_then(|name| name.to_str()), Some(ledger.name().as_str()));
    if rustix::process::geteuid().is_root() {
        assert_eq!(scratch.parent(), Some(Path::new("/run")));
        assert_eq!(default_folder().ok(), Some(PathBuf::from("/var/lib/fsarena/ledger")));
    }
    ledger.undo().expect("removed");
    assert!(!scratch.exists());
}

#[test]
fn a_directory_that_is_not_the_one_that_was_made_stays() {
    let place = place();
    let theirs = place.path().join("run");
    let (mut ledger, _) = open(place.path());
    ledger.make_directory(&theirs, 0o711).expect("made");
    fs::rename(&theirs, place.path().join("moved")).expect("renamed");
    fs::create_dir(&theirs).expect("made by another program");
    fs::write(theirs.join("precious"), "x").expect("written");
    ledger.undo().expect("nothing of ours");
    assert!(theirs.join("precious").exists() && place.path().join("moved").exists());
}

#[test]
fn a_directory_that_exists_is_not_taken_over() {
    let place = place();
    let theirs = place.path().join("run");
    fs::create_dir(&theirs).expect("made");
    let (mut ledger, _) = open(place.path());
    ledger.make_directory(&theirs, 0o711).expect_err("it is there");
    ledger.undo().expect("nothing to do");
    assert!(theirs.exists());
}

#[test]
fn a_directory_whose_making_was_only_announced_goes_if_it_is_empty() {
    let place = place();
    let (mut ledger, _) = open(place.path());
    for name in ["empty", "full", "absent"] {
        ledger.announce(Made::Directory { path: place.path().join(name), id: None }).expect("written");
    }
    drop(ledger);
    fs::create_dir(place.path().join("empty")).expect("made");
    fs::create_dir(place.path().join("full")).expect("made");
    fs::write(place.path().join("full/precious"), "x").expect("written");
    let (_, cleared) = open(place.path());
    assert!(!place.path().join("empty").exists() && place.path().join("full/precious").exists(), "{cleared:?}");
}

#[test]
fn parents_that_were_missing_go_if_they_are_empty() {
    let place = place();
    let (mut ledger, _) = open(place.path());
    ledger.make_parents(&place.path().join("a/b/c")).expect("made");
    ledger.make_parents(&place.path().join("a/d")).expect("made");
    fs::write(place.path().join("a/d/precious"), "x").expect("written");
    ledger.undo().expect("nothing stays that should not");
    assert!(!place.path().join("a/b").exists() && place.path().join("a/d/precious").exists());
}

#[test]
fn a_torn_last_line_announces_nothing() {
    let place = place();
    fs::create_dir(place.path().join("ledger")).expect("made");
    fs::write(place.path().join("ledger/1.jsonl"), "{\"boot\":\"x\"}\n{\"making\":{\"pa").expect("written");
    let (mut ledger, cleared) = open(place.path());
    assert_eq!(cleared, Cleared::default());
    ledger.undo().expect("nothing to do");
    assert!(!place.path().join("ledger/1.jsonl").exists());
}

#[test]
fn unremovable_and_unreadable_entries_are_kept_and_the_rest_is_removed() {
    let place = place();
    let (mut ledger, _) = open(place.path());
    ledger.make_directory(&place.path().join("run"), 0o711).expect("made");
    drop(ledger);
    let rubbish = place.path().join("ledger/1.jsonl");
    fs::write(&rubbish, "{\"of-the-future\":{}}\n").expect("written");
    let (mut ledger, cleared) = open(place.path());
    assert_eq!((cleared.removed.len(), cleared.kept.len()), (1, 1), "{cleared:?}");
    assert!(rubbish.exists() && !place.path().join("run").exists());
    ledger.make_directory(&place.path().join("next"), 0o711).expect("a run can start all the same");
    ledger.undo().expect("and end");
}

#[test]
fn withdrawn_entries_and_those_that_end_with_their_run_are_left_alone() {
    let place = place();
    let (mut ledger, _) = open(place.path());
    let theirs = place.path().join("theirs");
    fs::create_dir(&theirs).expect("made");
    ledger.announce(Made::Mount { path: "/".into() }).expect("written");
    ledger.announce(Made::Directory { path: theirs.clone(), id: None }).expect("written");
    ledger.withdraw().expect("written");
    drop(ledger);
    assert_eq!(open(place.path()).1, Cleared::default());
    assert!(theirs.exists());
}

#[test]
fn a_folder_of_ledgers_is_had_once() {
    let place = place();
    let first = open(place.path());
    assert!(matches!(Ledger::open(&place.path().join("ledger")), Err(LaneError::Busy { .. })));
    drop(first);
    open(place.path());
}

#[test]
fn any_bytes_are_a_ledger_or_an_error() {
    use rand::RngExt as _;
    let mut random = fsarena_model::seed::generator(1, "fuzz", &[]);
    let whole = br#"{"boot":"b"}
{"making":{"directory":{"path":"/x","id":null}}}
{"identified":{"device":1,"inode":2}}
"withdrawn"
{"making":{"loop":{"number":1000,"name":"n","backing":"/b"}}}
{"making":{"disk":{"path":"/dev/x","size":9,"boot":"b","sequence":7,"lane_size":4096,"lanes":3}}}
"#;
    let (_, made) = parse(whole).expect("a ledger");
    let lines = made.into_iter().map(|made| serde_json::to_string(&LedgerLine::Making(made)).expect("JSON"));
    assert!(String::from_utf8_lossy(whole).ends_with(&format!("{}\n", lines.collect::<Vec<_>>().join("\n"))));
    for _ in 0..20_000 {
        let mut bytes = whole.to_vec();
        for _ in 0..random.random_range(1..8) {
            let at = random.random_range(0..bytes.len());
            bytes[at] = random.random();
        }
        bytes.truncate(random.random_range(0..=bytes.len()));
        let _ = parse(&bytes);
    }
}

/// A mount that the ledger announces is undone before its folder is removed. A folder with another one is kept.
#[test]
fn a_folder_is_not_removed_with_a_mount_of_others_in_it() {
    if !has(&[Need::Root]) {
        return;
    }
    namespace::enter_private_mounts().expect("root may");
    for is_announced in [true, false] {
        let place = place();
        let (mut ledger, _) = open(place.path());
        let run = place.path().canonicalize().expect("there").join("run");
        ledger.make_directory(&run, 0o711).expect("made");
        let (point, file) = (run.join("point"), run.join("point/precious"));
        fs::create_dir(&point).expect("made");
        if is_announced {
            ledger.announce(Made::Mount { path: point.clone() }).expect("written");
        }
        mount::mount("tmpfs", "tmpfs", "", &point).expect("mounted");
        fs::write(&file, "x").expect("written");
        if !is_announced {
            let error = ledger.undo().expect_err("something is mounted").to_string();
            assert!(error.contains("something is mounted in it") && file.exists(), "{error}");
            mount::unmount_plainly(&point).expect("unmounted");
        }
        ledger.undo().expect("removed");
        assert!(!run.exists());
    }
}
