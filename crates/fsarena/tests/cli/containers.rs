//! What a container may not have: the nodes of loop devices, a writable /sys.

use std::fs;
use std::process::{Command, Output};

use crate::stage::{Stage, binary, err, out};

/// Runs a line of the shell in a mount namespace of its own, after `before`.
fn changed(stage: &Stage, before: &str, line: &str) -> Output {
    let fsarena = format!("{} --store {} --color never --no-progress", binary().display(), stage.store().display());
    let line = format!("set -e; {before}; fsarena() {{ {fsarena} \"$@\"; }}; {line}");
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &line]).env("HOME", stage.path("home"));
    command.output().expect("it starts")
}

/// As in `c13.sh`: a /dev that was filled before the loop devices were made.
#[test]
fn lanes_are_made_where_dev_does_not_show_loop_devices() {
    let Some(stage) = Stage::of_root() else { return };
    let dev = "mount -t tmpfs none /dev && mknod /dev/null c 1 3 && mknod /dev/zero c 1 5 && \
               mknod /dev/urandom c 1 9 && mknod /dev/random c 1 8";
    let storage = stage.path("lanes").display().to_string();
    let compare = format!(
        "fsarena compare ext2 ext4 --workload {} --rounds 1 --lane-size 120M --baselines never --storage {storage}",
        stage.small()
    );
    for control in ["mknod /dev/loop-control c 10 237", "true"] {
        let output = changed(&stage, &format!("{dev} && {control}"), &compare);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        assert_eq!(stage.left(), Vec::<String>::new());
        assert!(fs::read_dir("/var/lib/fsarena/devices").expect("made").next().is_none(), "the mount is gone");
    }
}

/// As on hardened machines, and /run on each Debian. Programs of a workload's input run where no contender is.
#[test]
fn work_that_runs_programs_is_done_where_the_usual_places_are_noexec() {
    let Some(stage) = Stage::of_root() else { return };
    let forbid = |place: &str| format!("mount --rbind {place} {place} && mount -o remount,bind,noexec {place}");
    let before = ["/run", "/dev/shm"].map(forbid).join(" && ");
    let storage = stage.path("lanes").display().to_string();
    let compare = "fsarena compare ext4 xfs --workload compile --rounds 1 --lane-size 400M --baselines never";
    let output = changed(&stage, &before, &format!("{compare} --storage {storage}"));
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(stage.left(), Vec::<String>::new());
}

/// As a tmpfs before Linux 6.6.
#[test]
fn a_place_without_direct_io_is_refused_before_a_lane_is_made() {
    let Some(stage) = Stage::of_root() else { return };
    let place = stage.path("ramfs").display().to_string();
    let compare = format!("fsarena compare ext4 --workload {} --rounds 1 --storage {place}/lanes", stage.small());
    for more in ["", "--dry-run"] {
        let before = format!("mkdir -p {place}; mount -t ramfs none {place}");
        let output = changed(&stage, &before, &format!("{compare} {more}; ls {place}"));
        assert_eq!(output.status.code(), Some(4), "{}", err(&output));
        let words = err(&output);
        assert!(words.contains(&format!("no direct I/O to `{place}`")) && words.contains("--storage"), "{words}");
        assert_eq!(stage.left(), Vec::<String>::new());
    }
}

#[test]
fn doctor_says_before_a_run_that_no_loop_device_can_be_made() {
    let Some(stage) = Stage::of_root() else { return };
    let compare = format!("fsarena compare ext4 xfs --workload {} --rounds 1", stage.small());
    for (before, why, way_out) in [
        ("mount -o remount,bind,ro /sys", "/sys is read-only", "mount -o remount,rw /sys"),
        ("mount --bind /dev/null /proc/misc && PATH=/usr/bin:/bin", "module `loop` is neither", "modprobe loop"),
    ] {
        let doctor = changed(&stage, before, "fsarena doctor");
        assert_eq!(doctor.status.code(), Some(0), "{}", err(&doctor));
        let text = out(&doctor);
        let (_, line) = text.split_once("loop devices").expect("a line");
        assert!(line.lines().next().expect("there").contains(why), "{why} in {text}");
        assert!(line.lines().nth(1).expect("there").contains(way_out), "{way_out} in {text}");
        assert!(text.contains("this machine cannot make any, see above"), "{text}");
        let refused = changed(&stage, before, &compare);
        assert_eq!(refused.status.code(), Some(4), "{}", err(&refused));
        let words = err(&refused);
        assert!(words.contains(why) && words.contains(way_out), "{words}");
        assert_eq!(stage.left(), Vec::<String>::new());
    }
}
