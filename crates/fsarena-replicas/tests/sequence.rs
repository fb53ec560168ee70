//! Sequences of steps in a directory of a mounted file system.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Job, Limit, RunStats, Upkeep};
use fsarena_model::{Bytes, Workload, probe};

use crate::engine;

const STEPS: &str = r#"
    parameters.steps = [
        { name = "create", do = "create", where = "files/small", count = 5, size = "3000" },
        { name = "large", do = "create", where = "files/large", size = "2500K", block = "64K" },
        { name = "random", do = "random-write", where = "files/large", count = 20, block = "4K" },
        { name = "append", do = "append", where = "files/small", count = 2, size = 100 },
        { name = "over", do = "write", where = "files/small", from = 4 },
        { name = "read", do = "read", where = "files/small", cold = true },
        { name = "mkdir", do = "mkdir", where = "dirs/dir", count = 3 },
        { name = "inner", do = "create", where = "inner", inside = "dirs/dir", each = 2, count = 6, size = 0 },
        { name = "rename", do = "rename", where = "inner", to = "renamed", count = 4, sync = "within" },
        { name = "attributes", do = "attributes", where = ["renamed", "inner"] },
        { name = "list", do = "list", where = "files", count = 6 },
        { name = "stat", do = "stat", where = "files/small" },
        { name = "delete", do = "delete", where = "files/small", from = 3, count = 1 },
        { name = "more", do = "mkdir", where = "other/dir", count = 2 },
        { name = "rmdir", do = "rmdir", where = "other/dir", count = 1 },
        { name = "tree", do = "delete-tree", where = "other" },
        { name = "final-sync", do = "sync" },
    ]
"#;

fn workload(steps: &str) -> Workload {
    fsarena_testing::workload("sequence", toml::from_str(steps).expect("a table"))
}

fn refused(steps: &str) -> String {
    let engine = engine("sequence");
    match engine.traits(&workload(steps)) {
        Err(EngineError::Parameters { what, .. }) => what,
        other => panic!("{other:?}"),
    }
}

fn done(directory: &Path) -> (Box<dyn Job>, RunStats) {
    let engine = engine("sequence");
    let mut job = engine.open(&workload(STEPS), directory, 7).expect("understood");
    let (mut stats, stop) = (RunStats::new(), AtomicBool::new(false));
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("nothing to do");
    job.run(&Limit::new(None, &stop), &mut stats).expect("done");
    (job, stats)
}

#[test]
fn each_step_is_counted_and_what_is_left_is_as_it_should_be() {
    let place = tempfile::tempdir().expect("temporary folder");
    let (mut job, stats) = done(place.path());
    let step = |name: &str| stats.steps.iter().find(|step| step.name == name).expect("a step");
    assert_eq!(stats.steps.len(), 17);
    assert_eq!((step("create").operations, step("create").bytes), (5, 15_000));
    assert_eq!((step("large").operations, step("random").operations), (1, 20));
    assert_eq!((step("read").operations, step("read").bytes), (5, 15_200));
    assert_eq!((step("attributes").operations, step("tree").operations), (6, 2));
    assert!(step("create").synced.is_some() && step("rename").synced.is_none() && step("read").synced.is_none());
    assert_eq!(stats.operations, stats.steps.iter().map(|step| step.operations).sum::<u64>());

    let found = job.verify(place.path(), &fsarena_engine::NEVER).expect("readable");
    assert_eq!((found.files, found.differences), (16, Vec::<String>::new()));
    let renamed = fs::metadata(place.path().join("dirs/dir-1/renamed-1")).expect("it is there");
    assert_eq!((renamed.mode() & 0o777, renamed.mtime()), (0o640, 1_000_000_000));
    let small = engine("sequence").traits(&workload(STEPS)).expect("understood").peak;
    assert_eq!(small, Bytes(15_000 + 200 + 2500 * 1024));
}

#[test]
fn a_changed_byte_a_missing_file_and_a_surplus_one_are_found() {
    let place = tempfile::tempdir().expect("temporary folder");
    let (mut job, _) = done(place.path());
    let at = |name: &str| place.path().join(name);
    let mut bytes = fs::read(at("files/large-0")).expect("it is there");
    bytes[1_500_000] ^= 1;
    fs::write(at("files/large-0"), bytes).expect("ours");
    fs::remove_file(at("files/small-1")).expect("it is there");
    fs::write(at("dirs/dir-0/surplus"), "x").expect("ours");
    fs::write(at("files/small-0"), "short").expect("ours");
    let found = job.verify(place.path(), &fsarena_engine::NEVER).expect("readable").differences;
    let wanted = [
        "files/large-0: byte 1500000 is another",
        "files/small-0: it has 5 bytes and should have 3100",
        "files/small-1: it is missing",
        "dirs/dir-0/surplus: it should not be there",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn steps_that_do_not_fit_together_are_refused_by_name() {
    let step = |name: &str, more: &str| format!("[[parameters.steps]]\nname = '{name}'\n{more}\n");
    let create = step("one", "do = 'create'\nwhere = 'a'\nsize = 1\ncount = 2");
    let cases = [
        (step("one", "do = 'read'\nwhere = 'a'"), "nothing made `a` before"),
        (create.clone() + &step("two", "do = 'read'\nwhere = 'a'\ncount = 3"), "there is no file `a-2` then"),
        (create.clone() + &step("one", "do = 'sync'"), "there are two of that name"),
        (step("one", "do = 'create'\nwhere = '../a'\nsize = 1"), "without `..`"),
        (step("one", "do = 'create'\nwhere = 'a'"), "`size` goes with"),
        (step("one", "do = 'create'\nwhere = 'a'\nsize = 1\ncount = 32000000000"), "at most a million"),
        (step("one", "do = 'create'\nwhere = 'a'\nsize = '32G'\nblock = 1"), "at most ten million"),
        (step("one", "do = 'mkdir'\nwhere = 'a'\ncount = 1000000\nchain = 1"), "at most 1,000 levels"),
        (create.clone() + &step("two", "do = 'random-read'\nwhere = 'a'\ncount = 1\nblock = '4K'"), "no block of 4096"),
        (
            step("one", "do = 'create'\nwhere = 'd/a'\nsize = 1") + &step("two", "do = 'list'\nwhere = 'd'\ncount = 3"),
            "`d` has 1 entries then, and not 3",
        ),
    ];
    for (steps, wanted) in cases {
        let what = refused(&steps);
        assert!(what.contains(wanted), "{what}");
    }
}

#[test]
fn a_chain_of_folders_has_files_in_each_and_each_write_may_be_durable() {
    let steps = r#"
        parameters.steps = [
            { name = "folders", do = "mkdir", where = "tree/level", count = 9, chain = 3, sync = "within" },
            { name = "files", do = "create", where = "file", inside = "tree/level", each = 2, count = 18,
              size = "6K", block = "4K", sync = "each" },
        ]
    "#;
    let place = tempfile::tempdir().expect("temporary folder");
    let sequence = engine("sequence");
    let mut job = sequence.open(&workload(steps), place.path(), 7).expect("understood");
    let (mut stats, stop) = (RunStats::new(), AtomicBool::new(false));
    job.run(&Limit::new(None, &stop), &mut stats).expect("done");
    let found = job.verify(place.path(), &fsarena_engine::NEVER).expect("readable");
    assert_eq!((found.files, found.differences), (1 + 9 + 18, Vec::<String>::new()));
    assert_eq!(stats.reported, [(probe::DURABLE_WRITES, 36.0)], "two for each file, and none for folders");
    for path in ["tree/level-2/file-1", "tree/level-0/level-2/file-0", "tree/level-0/level-0/level-1/file-1"] {
        assert_eq!(fs::metadata(place.path().join(path)).expect("it is there").len(), 6 << 10);
    }
    let refused_for_a_library = sequence.require_library(&workload(steps), "rsext4");
    assert!(matches!(refused_for_a_library, Err(EngineError::NoLibrary { .. })));
    assert!(refused(&steps.replace("within", "each")).contains("goes with what writes files"));
    assert!(refused(&steps.replace("chain = 3", "chain = 0")).contains("`chain` goes with"));
}

/// A file system on an image. Its contents are read with e2fsprogs, which are independent of the library.
struct Image(tempfile::TempDir);

impl Image {
    fn made(options: &[&str]) -> Self {
        let image = Self(tempfile::tempdir().expect("temporary folder"));
        fs::File::create(image.path()).and_then(|file| file.set_len(64 << 20)).expect("there is room");
        let mut made = Command::new("mke2fs");
        made.args(["-q", "-F", "-t", "ext4", "-b", "4096"]).args(options).arg(image.path());
        assert!(made.status().expect("e2fsprogs are installed").success());
        image
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("image")
    }

    /// Checks the image, and copies its contents.
    fn read(&self) -> PathBuf {
        let check = Command::new("e2fsck").arg("-fn").arg(self.path()).output().expect("it starts");
        assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
        let request = format!("rdump / {}", self.0.path().display());
        let copied = Command::new("debugfs").args(["-R", &request]).arg(self.path()).output().expect("it starts");
        assert!(copied.status.success());
        self.0.path().join("under-test")
    }
}

#[test]
fn libraries_leave_the_same_on_their_device() {
    let without = ["-O", "^metadata_csum,^has_journal"];
    for (library, options) in [("rsext4", &[][..]), ("rsext4-preview", &without[..])] {
        let image = Image::made(options);
        let engine = engine("sequence");
        let mut job = engine.open_in_library(&workload(STEPS), library, &image.path(), 7).expect("understood");
        let (mut stats, stop) = (RunStats::new(), AtomicBool::new(false));
        job.run(&Limit::new(None, &stop), &mut stats).expect("done");
        let step = |name: &str| stats.steps.iter().find(|step| step.name == name);
        let left = step("unmount").and_then(|step| step.written).expect("counted");
        let has_sync = library == "rsext4";
        assert_eq!(
            (step("final-sync").is_some(), step("create").expect("done").synced.is_some()),
            (has_sync, has_sync)
        );
        assert!(left > Bytes(1 << 10), "{left}");
        let found = job.verify(&image.read(), &fsarena_engine::NEVER).expect("readable");
        assert_eq!((found.files, found.differences), (16, Vec::<String>::new()), "{library}");
    }
}

#[test]
fn work_by_system_calls_is_refused_for_libraries_by_name() {
    let native = Workload { engine: "data".to_owned(), ..workload(STEPS) };
    let data = fsarena_engine::engine("data").expect("it is there");
    let error = data.require_library(&native, "rsext4").expect_err("refused").to_string();
    assert!(error.contains("`data` makes system calls") && error.contains("`rsext4`"), "{error}");
    let many = "[[parameters.steps]]\nname = 'many'\ndo = 'create'\nwhere = 'a'\nsize = 1\ncount = 5000\n";
    let sequence = engine("sequence");
    let many = workload(many);
    sequence.require_library(&many, "rsext4").expect("as many as there is room for");
    let error = sequence.require_library(&many, "rsext4-preview").expect_err("refused").to_string();
    assert!(error.contains("with more than 4000 `rsext4-preview` damages them"), "{error}");
    assert!(data.open_in_library(&native, "rsext4", Path::new("/dev/null"), 1).is_err());
}
