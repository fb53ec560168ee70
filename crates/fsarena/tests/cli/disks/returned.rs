//! Disks that a run accepts: their state afterwards, however the run ends.

use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Child, Stdio};

use rustix::fs::OFlags;

use super::device::{Undo, tool};
use super::*;
use crate::stage::{Doomed, out, run};

/// Asserts that the disk has no signature, neither at its start nor where lanes were.
fn assert_wiped(stage: &Stage, disk: &Disk) {
    for offset in [0, 1 << 20, 17 << 20] {
        assert_eq!(disk.signature(offset), "", "at {offset}");
    }
    assert_nothing_left(stage);
}

/// Asserts that the disk is wiped, and that doctor offers it.
fn assert_free(stage: &Stage, disk: &Disk) {
    assert_wiped(stage, disk);
    let looked = out(&run(stage.fsarena().args(["doctor", "--storage", &disk.path()]), 0));
    let free = format!("ID {}", disk.id());
    assert!(looked.contains(&free) && !looked.contains("holds data"), "{looked}");
}

/// A long run that has completed a round on the disk.
fn under_way(stage: &Stage, storage: &str) -> Child {
    let mut command = rounds(1000, stage, &["ext4"], storage);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().expect("it starts");
    let store = || out(&stage.fsarena().args(["report", "last", "--format", "json"]).output().expect("it starts"));
    wait_until("it has measured something", || {
        serde_json::from_str(&store()).is_ok_and(|run: serde_json::Value| run["rounds"].as_u64() >= Some(1))
    });
    child
}

/// Kills the run, and waits until its loop devices have released the disk.
fn kill(child: Child, disk: &Disk) {
    drop(Doomed(child));
    let is_free = || File::options().read(true).custom_flags(OFlags::EXCL.bits() as i32).open(disk.path()).is_ok();
    wait_until("the disk is free", is_free);
}

#[test]
fn a_free_disk_is_taken_and_returned_free_again_and_again() {
    let Some(stage) = Stage::of_root() else { return };
    let disk = Disk::new(&stage, "disk.img", ROOM);
    for _ in 0..2 {
        run(&mut compare(&stage, &["ext4"], &disk.path()), 0);
        assert_free(&stage, &disk);
    }
    // A disk whose size is not a multiple of the block size, named directly.
    let odd = Disk::new(&stage, "odd.img", ROOM + 1536);
    run(&mut compare(&stage, &["ext4"], &odd.path()), 0);
    assert_free(&stage, &odd);
    run(&mut compare(&stage, &["ext4"], &odd.path()), 0);
}

#[test]
fn a_disk_with_data_is_taken_with_its_id_and_returned_free() {
    let Some(stage) = Stage::of_root() else { return };
    let disk = Disk::new(&stage, "disk.img", ROOM);
    tool("mke2fs", &["-q", "-F", "-t", "ext4", &disk.path()]);
    let output = run(&mut compare(&stage, &["ext4"], &disk.path()), 2);
    let [_, hint] = lines(&output);
    let id = hint.rsplit(' ').next().expect("a word").to_owned();
    assert_eq!(id, disk.id());
    run(compare(&stage, &["ext4"], &disk.path()).args(["--erase", &id]), 0);
    assert_free(&stage, &disk);
    run(compare(&stage, &["ext4"], &disk.path()).args(["--erase", &id]), 0);
    let store = fs::read(stage.store()).expect("a store");
    assert!(!String::from_utf8_lossy(&store).contains(&id), "consent is not kept");
}

/// Item 3 of issue 14: UUIDs were searched by lane but drawn by contender, and mkfs options may set one.
#[test]
fn file_systems_are_taken_away() {
    let Some(stage) = Stage::of_root() else { return };
    let disk = Disk::new(&stage, "disk.img", ROOM);
    run(&mut compare(&stage, &["tmpfs", "t2=tmpfs", "ext4"], &disk.path()), 0);
    assert_free(&stage, &disk);
}

#[test]
fn a_killed_run_is_cleared_from_its_disk_and_goes_on_there() {
    let Some(stage) = Stage::of_root() else { return };
    let disk = Disk::new(&stage, "disk.img", ROOM);
    kill(under_way(&stage, &disk.path()), &disk);
    let output = run(stage.fsarena().arg("clean"), 0);
    assert!(err(&output).contains(&format!("what was on the lanes of {}", disk.path())), "{}", err(&output));
    assert_free(&stage, &disk);
    let resumed = run(stage.fsarena().args(["resume", "last", "--rounds", "1"]), 0);
    assert!(!err(&resumed).contains("error"), "{}", err(&resumed));
    assert_free(&stage, &disk);
}

#[test]
fn a_disk_taken_by_others_after_a_kill_is_left_alone() {
    let Some(stage) = Stage::of_root() else { return };
    let disk = Disk::new(&stage, "disk.img", ROOM);
    kill(under_way(&stage, &disk.path()), &disk);
    // The loop devices of the dead run are gone, because nothing holds them.
    tool("mke2fs", &["-q", "-F", "-t", "ext4", "-E", "lazy_itable_init=0", &disk.path()]);
    let before = hash(&disk.path());
    let output = run(stage.fsarena().arg("clean"), 0);
    assert!(err(&output).contains("which is left as it is"), "{}", err(&output));
    assert_eq!(hash(&disk.path()), before);
    assert_nothing_left(&stage);
    run(&mut compare(&stage, &["ext4"], &disk.path()), 2);
    let mounted = device::mount(&stage, &disk.path(), &[]);
    let output = run(stage.fsarena().arg("clean"), 0);
    assert!(err(&output).contains("nothing was left behind"), "{}", err(&output));
    drop(mounted);
}

#[test]
fn a_disk_that_is_mounted_after_a_kill_is_left_alone() {
    let Some(stage) = Stage::of_root() else { return };
    let disk = Disk::new(&stage, "disk.img", ROOM);
    kill(under_way(&stage, &disk.path()), &disk);
    tool("mke2fs", &["-q", "-F", "-t", "ext4", "-E", "lazy_itable_init=0", &disk.path()]);
    let _mounted = device::mount(&stage, &disk.path(), &["-o", "ro"]);
    let before = hash(&disk.path());
    let output = run(stage.fsarena().arg("clean"), 0);
    assert!(err(&output).contains("which is left as it is"), "{}", err(&output));
    assert_eq!(hash(&disk.path()), before);
}

/// The device's name is the same, but the file behind it is another one with exactly the same label.
#[test]
fn a_disk_that_was_exchanged_after_a_kill_is_left_alone() {
    let Some(stage) = Stage::of_root() else { return };
    let mut disk = Disk::new(&stage, "disk.img", ROOM);
    kill(under_way(&stage, &disk.path()), &disk);
    disk.detach();
    let copy = stage.path("copy.img");
    fs::copy(&disk.image, &copy).expect("copied");
    disk.image = copy;
    disk.attach(&[]);
    let before = hash(&disk.path());
    let output = run(stage.fsarena().arg("clean"), 0);
    assert!(err(&output).contains("it is not the disk that the run had"), "{}", err(&output));
    assert_eq!(hash(&disk.path()), before);
}

/// While a run uses the disk, nothing else can get behind its name: the run keeps the descriptor that it has checked.
#[test]
fn a_disk_cannot_be_exchanged_or_taken_while_a_run_has_it() {
    let Some(stage) = Stage::of_root() else { return };
    let disk = Disk::new(&stage, "disk.img", ROOM);
    let other = stage.file("other.img", "");
    fs::File::options().write(true).open(&other).and_then(|file| file.set_len(ROOM)).expect("an image");
    let running = Doomed(under_way(&stage, &disk.path()));
    let refused = |words: &[&str]| {
        let output = Command::new(words[0]).args(&words[1..]).output().expect("it starts");
        assert!(!output.status.success(), "{words:?}");
    };
    tool("losetup", &["--detach", &disk.path()]);
    refused(&["losetup", &disk.path(), &other]);
    refused(&["mount", &disk.path(), "/mnt"]);
    refused(&["mkswap", &disk.path()]);
    let second = compare(&stage, &["ext4"], &disk.path()).arg("--no-wait").output().expect("it starts");
    assert_eq!(second.status.code(), Some(4), "{}", err(&second));
    assert!(fs::read(&other).expect("there").iter().all(|byte| *byte == 0));
    drop(running);
    run(stage.fsarena().arg("clean"), 0);
}

#[test]
fn a_run_that_dies_or_fails_at_any_step_on_a_disk_leaves_it_free() {
    let Some(stage) = Stage::of_root() else { return };
    let disk = Disk::new(&stage, "disk.img", ROOM);
    let list = stage.path("steps");
    run(compare(&stage, &["ext4"], &disk.path()).env("FSARENA_FAULT", format!("list@{}", list.display())), 0);
    let steps = fs::read_to_string(&list).expect("the steps");
    let own = ["write disk-label", "fill lane", "wipe lane", "write release-marks"];
    let counts = own.map(|own| (own, steps.lines().filter(|line| line.ends_with(own)).count()));
    assert_eq!(counts.iter().map(|(_, count)| count).sum::<usize>(), 9, "{counts:?}");
    for (what, number) in counts.into_iter().flat_map(|(what, count)| (1..=count).map(move |number| (what, number))) {
        for fault in ["kill", "5"] {
            let mut command = compare(&stage, &["ext4"], &disk.path());
            let fault = format!("{fault}@{number}:{what}");
            let output = command.env("FSARENA_FAULT", &fault).output().expect("it starts");
            assert!(!output.status.success(), "{fault}");
            run(stage.fsarena().arg("clean"), 0);
            // The next run checks, too, that the disk is free.
            assert_wiped(&stage, &disk);
        }
    }
    assert_free(&stage, &disk);
}

#[test]
fn each_contender_has_a_partition_in_turn() {
    let Some(stage) = Stage::of_root() else { return };
    let disk = Disk::new(&stage, "disk.img", 96 << 20);
    let partitions: Vec<(String, Undo)> =
        (0..3).map(|index| disk.partition(index + 1, 1 + u64::from(index) * 30, 24)).collect();
    let paths: Vec<&str> = partitions.iter().map(|(path, _)| path.as_str()).collect();
    for count in [2, 3] {
        let storage = paths[..count].join(",");
        run(&mut rounds(2, &stage, &["ext4", "ext2"], &storage), 0);
        for path in &paths {
            assert_eq!(
                out(&Command::new("blkid").args(["-p", "-O", "1048576", path]).output().expect("it starts")),
                ""
            );
        }
        assert_nothing_left(&stage);
    }
    let [error, hint] = lines(&run(&mut compare(&stage, &["ext4"], &paths.join(",")), 2));
    assert!(error.contains("3 partitions") && hint.contains("name 1"), "{error}: {hint}");
    let dry = out(&run(compare(&stage, &["ext4", "ext2"], &paths.join(",")).arg("--dry-run"), 0));
    assert!(dry.contains("2 lanes of 16.0 MiB and a calibration device"), "{dry}");
}

#[test]
fn a_whole_disk_is_taken_by_one_contender_at_a_time() {
    let Some(stage) = Stage::of_root() else { return };
    let disk = Disk::new(&stage, "disk.img", ROOM);
    let whole = TINY.replace("\"tiny\"", "\"whole\"");
    let whole = whole.replace("\"sliced\"\nslices = 2\nwarm-up-ms = 1", "\"whole\"");
    let whole = stage.file("whole.toml", &whole);
    let command = |workload: &str| {
        let mut command = stage.fsarena();
        command.args(["compare", "ext4", "ext2", "--one-at-a-time", "--storage", &disk.path(), "--workload", workload]);
        command.args(["--rounds", "1", "--baselines", "never"]);
        command
    };
    run(&mut command(&whole), 0);
    assert_eq!(stage.json()["environment"]["queue"]["logical_block_size"], "4096");
    let dry = out(&run(command(&whole).arg("--dry-run"), 0));
    assert!(dry.contains("one lane of 38.0 MiB, which the contenders take in turn"), "{dry}");
    assert_free(&stage, &disk);
    let tiny = stage.file("tiny.toml", TINY);
    let [error, hint] = lines(&run(&mut command(&tiny), 2));
    assert!(error.contains("runs in slices") && hint.contains("--one-at-a-time"), "{error}: {hint}");
}

#[test]
fn doctor_says_what_a_disk_is_called_and_why_it_is_not_offered_and_writes_nothing() {
    let Some(stage) = Stage::of_root() else { return };
    let disk = Disk::new(&stage, "disk.img", ROOM);
    let doctor = |storage: &str| out(&run(stage.fsarena().args(["doctor", "--storage", storage]), 0));
    let zeros = hash(&disk.path());
    assert!(doctor(&disk.path()).contains(&format!("ID {}", disk.id())));
    assert_eq!(hash(&disk.path()), zeros);
    tool("mkswap", &[&disk.path()]);
    let before = hash(&disk.path());
    let words = doctor(&disk.path());
    assert!(words.contains("TYPE=swap") && words.contains("--erase"), "{words}");
    assert_eq!(hash(&disk.path()), before);
    // The disk of the root file system, if there is one, is shown as used.
    let root = tool("findmnt", &["--noheadings", "--output", "SOURCE", "/"]);
    if Path::new(root.trim()).starts_with("/dev") {
        let line =
            doctor("memory").lines().find(|line| line.contains(&format!(" {} ", root.trim()))).map(str::to_owned);
        assert!(line.is_none_or(|line| line.contains("not offered: ")), "{root}");
    }
}
