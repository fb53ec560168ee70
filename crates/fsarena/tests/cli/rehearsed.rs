//! A dry run refuses what the run would refuse, and touches nothing.

use std::process::Command;

use crate::stage::{Stage, err, is_root, run};

/// mkfs would take a word that is neither an option nor a value as the device, and overwrite it.
#[test]
fn no_option_reaches_a_file_of_the_user() {
    let stage = Stage::without_runs();
    let file = stage.file("disk.img", "kept");
    let toml = |name: &str, kind: &str, mkfs: &str| {
        stage.file(name, &format!("kind = \"{kind}\"\nmkfs = [{mkfs}]\n"));
        format!("a=./{name}")
    };
    let of_file = toml("value.toml", "btrfs", "'-L', '', '-n', 'disk.img'");
    let dry = |contender: &str, code| {
        let mut command = stage.fsarena();
        command.current_dir(stage.place.path()).args(["compare", contender, "b=xfs", "--dry-run", "--rounds", "1"]);
        let text = err(&run(command.args(["--workload", &stage.small()]), code));
        assert_eq!(std::fs::read_to_string(&file).expect("there"), "kept");
        text
    };
    for (contender, words) in [
        ("btrfs --label= -n disk.img", "fails: "),
        ("btrfs --label= --nodesize disk.img", "fails: "),
        (&of_file, "fails: "),
        ("btrfs --csum=", "`--csum` of mkfs.btrfs is refused: its value is empty\nhint: "),
        ("btrfs -L -n disk.img", "`disk.img` is no option of mkfs.btrfs"),
    ] {
        let text = dry(contender, 2);
        assert!(text.contains(words), "{contender}: {text}");
    }
    for contender in ["btrfs --label= -n 16k", &toml("empty.toml", "ext4", "'-L', ''")] {
        dry(contender, 0);
    }
}

#[test]
fn directories_that_a_run_refuses_are_refused() {
    let Some(stage) = Stage::of_root() else { return };
    let folder = |name: &str| {
        let path = stage.path(name);
        std::fs::create_dir_all(&path).expect("made");
        path
    };
    let (theirs, open, fixed, read_only) = (folder("theirs/in"), folder("open"), folder("fixed"), folder("ro"));
    std::os::unix::fs::chown(stage.path("theirs"), Some(65534), Some(65534)).expect("root may");
    std::fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("root may");
    fsarena_sys::mount::mount("tmpfs", "none", "ro", &read_only).expect("in the namespace of this test");
    let mut cases = vec![
        (theirs, "is not a safe place for root's files: it belongs to another user\nhint: name a directory to which"),
        (open, "is not a safe place for root's files: others may write to it\nhint: name a directory to which"),
        (read_only.clone(), "/ro`: Read-only file system (os error 30)\nhint: name a directory to which"),
    ];
    // A tmpfs may have no such attributes.
    if Command::new("chattr").arg("+a").arg(&fixed).status().is_ok_and(|status| status.success()) {
        cases.push((fixed.clone(), "let no folder be made and removed in it\nhint: chattr -i -a "));
    }
    for (path, words) in &cases {
        for dry in [&["--dry-run"][..], &[]] {
            let mut command = stage.fsarena();
            command.arg("compare").arg(format!("dir:{}", path.display())).arg("tmpfs");
            command.args(["--rounds", "1", "--workload", &stage.small()]);
            let text = err(&run(command.args(dry), 2));
            assert!(text.contains(words), "{words} in {text}");
        }
        assert_eq!(std::fs::read_dir(path).expect("there").count(), 0, "{}", path.display());
    }
    let _ = Command::new("chattr").arg("-a").arg(&fixed).status();
    fsarena_sys::mount::unmount_plainly(&read_only).expect("it is not busy");
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn stores_that_a_run_refuses_are_refused() {
    let stage = Stage::without_runs();
    let text = stage.file("text", "no store");
    let folder = stage.place.path().display().to_string();
    let below = format!("{text}/store.sqlite");
    for (store, code, words) in [
        (&text, 4, "file is not a database"),
        (&folder, 2, "is not a file"),
        (&below, 4, "cannot be written"),
        (&"~/x.sqlite".to_owned(), 2, "the shell has not replaced the `~`\nhint: "),
    ] {
        let mut command = stage.fsarena_with(store.as_ref());
        command.args(["compare", "ext4", "xfs", "--dry-run", "--workload", &stage.small(), "--rounds", "1"]);
        let text = err(&run(&mut command, code));
        assert!(text.contains(words) && text.contains("hint: "), "{words} in {text}");
    }
    let new = stage.path("new/deep");
    let mut command = stage.fsarena_with(&new.join("store.sqlite"));
    command.args(["compare", "ext4", "xfs", "--dry-run", "--workload", &stage.small(), "--rounds", "1"]);
    run(&mut command, 0);
    assert!(!new.exists());
}

#[test]
fn kernels_of_guests_are_packages() {
    let stage = Stage::without_runs();
    let file = stage.file("file", "no package");
    for (contender, words) in [
        (format!("ext4@{file}"), "it is no package of Debian"),
        ("ext4@/no/such.deb".to_owned(), "there is no such file"),
    ] {
        let mut command = stage.fsarena();
        command.args(["compare", &contender, "xfs", "--dry-run", "--rounds", "1", "--workload", &stage.small()]);
        let text = err(&run(&mut command, 2));
        assert!(text.contains("has no kernel that can be booted: ") && text.contains(words), "{text}");
    }
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let stage = Stage::without_runs();
    let mut command = stage.fsarena();
    command.args([
        "compare",
        "a=ext4 -b 1024",
        "b=xfs -N",
        "c=dir:/no/such",
        "d=hfsplus",
        "e=ext4 -O nonsense",
        "f=ext4:noatme -O nor-this-feature",
    ]);
    command.args(["--workload", "no-such", "--workload", "nor-this", "--storage=~/lanes", "--dry-run"]);
    let text = err(&run(&mut command, 2));
    for words in [
        "`a`",
        "`b`",
        "`c`",
        "`hfsplus`",
        "`e`",
        "`f`: `mke2fs",
        "`no-such`",
        "`nor-this`",
        "`~/lanes` is no place for lanes",
    ] {
        assert_eq!(
            text.lines().filter(|line| line.starts_with("error: ") && line.contains(words)).count(),
            1,
            "{text}"
        );
    }
    assert!(!is_root() || text.contains("`f`: the kernel refuses its mount options"), "{text}");
    let mut command = stage.fsarena();
    command.args(["compare", "ext4", "xfs", "--slowdown", "zfs=5%", "--lane-size", "1000", "--no-counters", "jfs"]);
    let text = err(&run(command.args(["--workload", &stage.small(), "--dry-run"]), 2));
    for words in ["no contender `jfs`", "not made of whole blocks"] {
        assert!(text.contains(words), "{words} in {text}");
    }
}
