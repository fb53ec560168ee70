//! The static binary alone with busybox in a chroot.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fsarena_testing::{Need, has};

use crate::stage::{SMALL, Stage, binary, copy_program, err, out};

/// A directory with the binary, busybox, and two directories to compare.
fn chroot(stage: &Stage) -> PathBuf {
    let root = stage.in_memory("root");
    for folder in ["bin", "a", "b", "root", "proc", "tmp"] {
        fs::create_dir_all(root.join(folder)).expect("made");
    }
    copy_program(binary(), &root.join("bin/fsarena"));
    copy_program(Path::new("/bin/busybox"), &root.join("bin/busybox"));
    fs::write(root.join("root/small.toml"), SMALL).expect("written");
    root
}

/// Runs a line of the shell in it.
fn shell(root: &Path, line: &str) -> Output {
    let mut command = Command::new("/usr/sbin/chroot");
    command.arg(root).args(["/bin/busybox", "sh", "-c", line]).env_clear();
    command.env("PATH", "/bin").env("HOME", "/root").output().expect("it starts")
}

#[test]
fn directories_are_compared_where_there_is_nothing_but_the_binary() {
    let stage = Stage::new();
    if !has(&[Need::Root, Need::Path("/bin/busybox")]) {
        return;
    }
    let root = chroot(&stage);
    let line = "fsarena compare dir:/a dir:/b --workload /root/small.toml --rounds 1 --baselines never --no-progress";
    let bare = shell(&root, line);
    assert_eq!(bare.status.code(), Some(0), "{}", err(&bare));
    assert!(out(&bare).contains("Run 1:"), "{}", out(&bare));
    let doctor = shell(&root, "fsarena doctor");
    assert_eq!(doctor.status.code(), Some(0), "{}", err(&doctor));
    assert!(out(&doctor).contains("missing  /proc      not here: counters, mounts and kinds"), "{}", out(&doctor));
    let with_proc = shell(&root, &format!("busybox mount -t proc proc /proc && {line}; busybox umount /proc"));
    assert_eq!(with_proc.status.code(), Some(0), "{}", err(&with_proc));
    assert!(fs::read_dir(root.join("a")).expect("there").next().is_none(), "nothing is left");
}
