//! A file system that turns read-only while a run uses it.

use std::fs;
use std::process::{Command, Stdio};

use super::device::{mount, point, tool};
use super::*;
use crate::stage::{out, run};

#[test]
fn a_directory_that_turns_read_only_is_stated_and_the_run_goes_on_with_the_other() {
    let Some(stage) = Stage::of_root() else { return };
    let disk = Disk::new(&stage, "disk.img", 400 << 20);
    tool("mke2fs", &["-q", "-F", "-t", "ext4", &disk.path()]);
    let mounted = mount(&stage, &disk.path(), &[]);
    let (turns, stays) = (point(&stage, &disk.path()), stage.path("stays"));
    fs::create_dir(&stays).expect("made");
    let [one, other] = [&turns, &stays].map(|folder| format!("dir:{}", folder.display()));
    let tiny = stage.file("tiny.toml", TINY);
    let mut command = stage.fsarena();
    command.args(["compare", &one, &other, "--workload", &tiny, "--rounds", "60", "--baselines", "never"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let entries = || fs::read_dir(&turns).expect("there").count();
    // The checks before it make an empty folder.
    let is_used = |entry: fs::DirEntry| fs::read_dir(entry.path()).is_ok_and(|mut inner| inner.next().is_some());
    wait_until("the run has begun", || fs::read_dir(&turns).expect("there").flatten().any(is_used));
    let remounted = |how: &str| Command::new("mount").args(["-o", how]).arg(&turns).output().expect("mount starts");
    // This fails while a file is open for writing, so it is repeated.
    wait_until("it is read-only", || remounted("remount,ro").status.success());
    let output = child.wait_with_output().expect("it ends");
    // Without line breaks, because sentences are wrapped.
    let text = out(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(3), "{text}{}", err(&output));
    assert!(text.contains("Read-only file system") && text.contains("cannot be cleared away"), "{text}");
    assert!(text.contains("60 rounds"), "{text}");
    assert!(remounted("remount,rw").status.success());
    run(stage.fsarena().arg("clean"), 0);
    assert_eq!(entries(), 1, "lost+found");
    drop(mounted);
}
