//! `--tools`: real programs of another release of Debian make file systems on this machine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use fsarena_lane::KINDS;
use fsarena_lane::kind::Ground;
use fsarena_model::DebianRelease;
use fsarena_testing::{Need, has};

use crate::guests::{CACHE, cover, empty_cache};
use crate::stage::{Stage, err, out, run};

/// The folder of the programs, which are fetched once for all tests, before a stage takes the test's network away.
fn programs() -> Option<&'static Path> {
    static PROGRAMS: OnceLock<PathBuf> = OnceLock::new();
    let get = || {
        let packages = fsarena_place::file_system_packages();
        let fetched = fsarena_guest::tools(Path::new(CACHE), &DebianRelease::default(), &packages, &mut |_| ());
        fetched.expect("packages can be fetched")
    };
    has(&[Need::Root, Need::Program("apt-get")]).then(|| PROGRAMS.get_or_init(get).as_path())
}

#[test]
fn file_systems_are_made_and_checked_by_programs_that_are_not_installed() {
    let Some(programs) = programs() else { return };
    // What has a module that is built, or programs in no release, is for guests.
    let kinds = KINDS.iter().filter(|kind| kind.ground == Ground::Lane && kind.module.is_none());
    for tool in kinds.flat_map(|kind| kind.tools).filter(|tool| !tool.package.contains('/')) {
        let output = Command::new(programs.join(tool.program)).arg(tool.version).output().expect("it starts");
        let words = format!("{}{}", out(&output), err(&output));
        // Those of an older C library end before they print their name.
        let is_started = words.contains(tool.program) || words.contains(tool.package) || words.contains("fsck");
        assert!(is_started && !words.contains("shared librar"), "{tool:?}: {words}");
    }
    let stage = Stage::new();
    // This machine has no mkfs of Btrfs.
    let installed = fsarena_sys::child::find_program("mkfs.btrfs");
    installed.iter().for_each(|path| cover(&path.display().to_string(), Path::new("/dev/null")));
    let arguments = ["ext4", "xfs", "btrfs", "--tools", "trixie", "--rounds", "1", "--baselines", "never"];
    run(stage.compare(&arguments).args(["--workload", &stage.small()]), 0);
    run(stage.fsarena().args(["resume", "last", "--rounds", "1"]), 0);
    let report = stage.json();
    let environment = &report["environment"];
    assert_eq!(environment["tools_release"], "trixie");
    for (program, version) in [
        ("mke2fs", "mke2fs 1.47.2"),
        ("e2fsck", "e2fsck 1.47.2"),
        ("mkfs.xfs", "mkfs.xfs version 6.13"),
        ("xfs_repair", "xfs_repair version 6.13"),
        ("mkfs.btrfs", "mkfs.btrfs, part of btrfs-progs v6.14"),
        ("btrfs", "btrfs-progs v6.14"),
    ] {
        let found = environment["tools"][program].as_str().unwrap_or_default();
        assert!(found.starts_with(version), "{environment}");
    }
    assert_eq!(report["clean_checks"], 6, "three in each of two rounds");
    // Debian 12's mke2fs.conf leaves it out.
    assert!(report["contenders"][0]["features"].to_string().contains("orphan_file"), "{}", report["contenders"][0]);
    assert!(!report["notes"].to_string().contains("older than the kernel"), "{}", report["notes"]);
    assert!(report["command"].to_string().contains("\"--tools\",\"trixie\""), "{}", report["command"]);
    let full = out(&run(stage.fsarena().args(["report", "last"]), 0));
    assert!(full.contains("of Debian trixie: btrfs"), "{full}");
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn programs_that_cannot_be_had_are_refused_with_the_way_out() {
    if programs().is_none() {
        return;
    }
    let stage = Stage::new();
    let ended = |arguments: &[&str], code, expected: &str, hint: &str| {
        let output = run(stage.compare(arguments).args(["--rounds", "1", "--workload", &stage.small()]), code);
        let text = err(&output);
        assert!(text.contains(expected) && text.contains(hint), "{text}");
        assert_eq!(stage.left(), Vec::<String>::new());
    };
    let in_guest = "these contenders run in a guest";
    ended(&["ext4", "xfs", "--tools", "trixie", "--guest"], 2, in_guest, "hint: --guest-release trixie");
    ended(&["ext4", "9p", "--tools", "bookworm"], 2, in_guest, "hint: --guest-release bookworm");
    ended(&["tmpfs", "a=tmpfs", "--tools", "trixie"], 2, "none of them needs a lane", "hint: leave out --tools");
    ended(&["ext4", "xfs", "--tools", "plucky"], 2, "the releases are trixie and bookworm", "");
    ended(&["ext4 -O nonsense", "xfs", "--tools", "trixie"], 2, "`mke2fs -O nonsense` fails", "hint: leave it out");

    // The test's network has no devices.
    let lists = "fetch the lists of packages of Debian trixie: ";
    let fetched = Path::new(CACHE).join("tools");
    let elsewhere = stage.path("trixie");
    run(Command::new("cp").arg("-a").arg(fetched.join("trixie")).arg(&elsewhere), 0);
    empty_cache("512M");
    ended(
        &["ext4", "xfs", "--tools", "trixie"],
        4,
        lists,
        "hint: without a network: name a release that was fetched before, or copy",
    );
    ended(&["ext4", "xfs", "--tools", "trixie", "--dry-run"], 0, "trixie are not in the cache yet", "");
    // What the kernel refuses, it refuses whichever programs there are.
    for further in [&["--dry-run"][..], &[]] {
        let options = [&["ext4:foo", "xfs", "--tools", "trixie"], further].concat();
        ended(&options, 2, "the kernel refuses its mount options: ext4: Unknown parameter 'foo'", "hint: ");
    }
    std::fs::create_dir(&fetched).expect("made");
    run(Command::new("cp").arg("-a").arg(elsewhere).arg(&fetched), 0);
    let newest = std::fs::File::options().write(true).open(fetched.join("trixie/newest")).expect("there");
    // Older ones are better than none.
    newest.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("ours");
    ended(&["ext4", "xfs", "--tools", "trixie", "--baselines", "never"], 0, "", "");

    // A copy of another user's cache.
    std::os::unix::fs::chown(fetched.join("trixie"), Some(65534), None).expect("root may");
    let foreign = "is not a safe place for root's files: it belongs to another user";
    ended(&["ext4", "xfs", "--tools", "trixie"], 4, foreign, "hint: if you trust what is there: chown -R root");
}
