//! Contenders with options are made and mounted once before a run, and in a dry run: what only a mount shows is found,
//! and nothing stays.

use fsarena_sys::machine::{MachineLock, Waiting};

use crate::stage::{LANE, Stage, err, out, run};

/// What a dry run of this contender beside an `xfs` says.
fn dry(stage: &Stage, contender: &str, workload: &str, code: i32) -> String {
    let mut command = stage.compare(&["a=xfs", contender, "--dry-run", "--rounds", "3", "--workload", workload]);
    let output = run(&mut command, code);
    assert!(out(&output).contains("space"), "the plan is printed all the same");
    err(&output)
}

#[test]
fn what_the_kernel_does_not_mount_is_refused_before_a_lane_is_made() {
    let Some(stage) = Stage::of_root() else { return };
    for contender in [
        "ext4:delalloc,data=journal",
        "ext4:journal_async_commit,data=ordered",
        "ext3 -O extents",
        "ext2 -O extents",
        "ext3:delalloc",
        "b=xfs:logbufs=1",
        "b=xfs:logbsize=4k",
        "b=xfs:allocsize=3k",
        "b=xfs:sunit=8",
    ] {
        let text = dry(&stage, contender, &stage.small(), 2);
        assert!(
            text.contains("this kernel does not mount it") && text.contains("`dmesg` may say why"),
            "{contender}: {text}"
        );
    }
    let two = dry(&stage, "b=xfs:noatime,logbufs=1", &stage.small(), 2);
    assert!(two.contains("this kernel does not mount it with `logbufs=1`: "), "{two}");
    // A run says the same, and makes nothing.
    let mut command = stage.compare(&["ext4:delalloc,data=journal", "--rounds", "1", "--workload", &stage.small()]);
    assert!(err(&run(&mut command, 2)).contains("this kernel does not mount it"));
    assert!(!stage.storage().exists());
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn options_that_are_cancelled_or_replaced_are_refused() {
    let Some(stage) = Stage::of_root() else { return };
    std::fs::create_dir(stage.storage()).expect("made");
    for (contender, words) in [
        ("btrfs:nodatacow,compress=zstd", "the mount option `nodatacow`: another option cancels it"),
        ("btrfs:compress=zstd,nodatacow", "the mount option `compress=zstd`: another option cancels it"),
        ("btrfs:nodatasum,compress=lzo", "the mount option `nodatasum`: another option cancels it"),
        ("btrfs:nodatacow,datasum", "the mount option `nodatacow`: another option cancels it"),
        ("btrfs:compress=zstd,compress-force=lzo", "another option cancels it"),
        ("btrfs:compress=zstd:99", "this kernel mounts it with `compress=zstd:15` instead"),
        ("btrfs:compress=lzo:3", "this kernel mounts it with `compress=lzo` instead"),
        ("btrfs:compress=zlib:0", "this kernel mounts it with `compress=zlib:3` instead"),
        ("btrfs:max_inline=1m", "instead"),
        ("b=xfs:inode32,inode64", "the mount option `inode32`: another option cancels it"),
    ] {
        let text = dry(&stage, contender, &stage.small(), 2);
        assert!(text.contains(words) && text.contains("hint: "), "{contender}: {text}");
    }
    let matrix = ["--matrix", "btrfs:compress={no,zstd:1},{nodatacow,datacow}", "--dry-run", "--workload"];
    let text = err(&run(&mut stage.compare(&[&matrix[..], &[&stage.small()]].concat()), 2));
    assert_eq!(text.matches("error: ").count(), 1, "only compression without copies contradicts itself: {text}");
    assert!(text.contains("`btrfs:compress=zstd:1,nodatacow`"), "{text}");
    for contender in ["btrfs:noatime,compress=zstd:3,commit=9", "b=xfs:noatime,logbsize=64k,inode32"] {
        assert_eq!(dry(&stage, contender, &stage.small(), 0), "");
    }
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn options_without_effect_warnings_and_little_room_are_said() {
    let Some(stage) = Stage::of_root() else { return };
    std::fs::create_dir(stage.storage()).expect("made");
    for (contender, words) in [
        ("ext4:nobh,noatime", "`nobh` shows no effect on ext4: it is a default of this kernel, or ignored by it\n"),
        ("btrfs:commit=0", "`commit=0` shows no effect on btrfs"),
        ("ext4 -T nope", "`ext4 -T nope`: mke2fs says: Warning: the fs_type nope is not defined in mke2fs.conf\n"),
        ("ext4 -N 1", "`ext4 -N 1` has room for "),
        ("tmpfs:size=1g,nr_inodes=100", "`tmpfs:size=1g,nr_inodes=100` has room for 99 files\n"),
    ] {
        let text = dry(&stage, contender, &stage.small(), 0);
        assert!(text.starts_with(words) && text.lines().count() == 1, "{contender}: {text}");
    }
    let text = dry(&stage, "tmpfs:size=1m", "create-fsync", 2);
    assert!(text.contains("the workload `create-fsync` needs ") && text.contains("are free\nhint: "), "{text}");
    for contender in ["tmpfs:size=1g,nr_inodes=100", "ext4 -N 100"] {
        let text = dry(&stage, contender, "create-syncfs", 2);
        assert!(text.contains("the workload `create-syncfs` needs 5000 files, and with these options "), "{text}");
    }
    for contender in ["tmpfs:size=0", "tmpfs:nr_blocks=0"] {
        dry(&stage, contender, "create-syncfs", 0);
    }
    // The notes are in the report.
    let mut command = stage.compare(&["ext4:nobh", "--rounds", "1", "--baselines", "never"]);
    run(command.args(["--workload", &stage.small()]), 0);
    let notes = stage.json()["notes"].to_string();
    assert!(notes.contains("`nobh` shows no effect on ext4"), "{notes}");
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn features_are_looked_for_in_what_was_made() {
    let Some(stage) = Stage::of_root() else { return };
    // Checksums take the place of `uninit_bg`.
    let text = dry(&stage, "ext4 -O uninit_bg", &stage.small(), 2);
    assert!(text.contains("`-O uninit_bg` of mke2fs has no effect here\nhint: leave it out\n"), "{text}");
    for words in
        ["^has_journal", "extents,^64bit", "^metadata_csum,uninit_groups", "bigalloc,inline_data", "clear,extent"]
    {
        let text = dry(&stage, &format!("ext4 -O {words}"), &stage.small(), 0);
        assert!(!text.contains("no effect"), "{words}: {text}");
    }
}

#[test]
fn nothing_is_tried_while_another_run_uses_the_machine() {
    let Some(stage) = Stage::of_root() else { return };
    let lock = MachineLock::take(None, &mut Waiting::default()).expect("it can be taken").expect("it is free");
    let text = dry(&stage, "ext4:delalloc,data=journal", &stage.small(), 0);
    assert!(text.contains("another run uses this machine: "), "{text}");
    drop(lock);
    let mut plain = stage.fsarena();
    plain.args(["compare", "ext4", "xfs", "--dry-run", "--lane-size", LANE, "--workload", &stage.small()]);
    run(&mut plain, 0);
    assert!(!std::path::Path::new("/var/lib/fsarena/ledger").exists(), "without options there is nothing to be tried");
}
