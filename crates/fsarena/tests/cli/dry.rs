//! `--dry-run` finds all errors that can be found without creating anything.

use std::path::{Path, PathBuf};
use std::process::Command;

use fsarena_testing::{Need, has, holds_lanes};

use crate::stage::{Stage, binary, err, is_root, out, run, wait_until};

#[test]
fn a_plan_that_cannot_work_is_refused_before_anything_is_made() {
    let stage = Stage::without_runs();
    let small = stage.small();
    let dry_on = |lanes: &str, arguments: &[&str], code, words: &str| {
        let mut command = stage.fsarena();
        command.args(["compare", "--dry-run", "--workload", &small, "--rounds", "1", "--lane-size", lanes]);
        let output = run(command.args(arguments), code);
        assert!(out(&output).contains("space"), "the plan is printed all the same");
        assert!(err(&output).contains(words), "{words} in {}", err(&output));
        assert!(code == 0 || !err(&output).contains("it is made below"), "{}", err(&output));
    };
    let dry = |arguments: &[&str], code, words: &str| dry_on("320M", arguments, code, words);
    let kernels =
        ["compare", "ext4@linux-6.1", "ext4@linux-6.12", "--dry-run", "--lane-size", "320M", "--workload", &small];
    let plan = out(&stage.fsarena().args(kernels).output().expect("it starts"));
    assert!(plan.contains("2 lanes of 320 MiB and a calibration device for each kernel: 1.25 GiB"), "{plan}");
    // The lanes and guests of both kernels.
    let two = ["ext4@linux-6.1", "ext4@linux-6.12"];
    let storage = stage.place.path().display().to_string();
    dry_on("900T", &[&two[..], &["--storage", &storage]].concat(), 4, "are needed for 4 lanes");
    dry_on("900T", &two, 4, "no room in memory for 3.50 GiB of guests with QEMU and 3600 TiB of their disks: ");
    let most = fsarena_sys::memory::available().expect("known").0 / 10 * 7;
    dry(&[&two[..], &["--guest-memory", &most.to_string()]].concat(), 4, "hint: a smaller --guest-memory");
    let file = stage.file("file", "x");
    for place in ["/proc", "/sys/kernel", &file, &format!("{file}/below")] {
        dry(&["ext4", "xfs", "--storage", place], 2, "no place for lanes");
    }
    dry(&["ext4", "xfs", "--storage", "mem"], 2, "there is no folder `mem`");
    dry(&["ext4", "xfs", "--storage", "/dev/null"], 2, "no block device");
    dry(&["ext4", "xfs", "--storage", "/dev/no-such-disk"], 2, "`/dev/no-such-disk` does not exist");
    let reason = if holds_lanes() { "are free" } else { "no direct I/O" };
    dry_on("900T", &["ext4", "xfs", "--storage", "memory"], 4, reason);
    let new = stage.path("new/deep").display().to_string();
    dry(&["ext4", "xfs", "--storage", &new], 0, "new/deep does not exist: it is made below /");
    assert!(!stage.path("new").exists());
    if is_root() {
        dry(&["ext4:bogus", "xfs"], 2, "Unknown parameter 'bogus'");
        // A guest has a kernel of its own.
        dry(&["ext4:bogus", "xfs", "--guest", "emulated"], 0, "");
        dry(&["ext4", "t=tmpfs:size=many"], 2, "size");
        dry(&["ext4:noatime,data=journal", "xfs:noatime,logbsize=64k", "tmpfs:huge=never"], 0, "");
    }
}

#[test]
fn a_plan_of_a_guest_says_so() {
    let stage = Stage::without_runs();
    let plan = |arguments: &[&str]| {
        let mut command = stage.fsarena();
        command.args(["compare", "--dry-run", "--workload", &stage.small(), "--rounds", "1", "--lane-size", "320M"]);
        out(&run(command.args(arguments), 0))
    };
    let deterministic = ["ext4", "xfs", "--guest", "deterministic"];
    let text = plan(&deterministic);
    for words in
        ["guest\n  deterministic; Debian trixie, 1.00 GiB of memory, a simulated disk (", "that the guest simulates"]
    {
        assert!(text.contains(words), "{text}");
    }
    assert!(!text.contains("images in memory"), "{text}");
    assert!(!plan(&["t=tmpfs", "tmpfs"]).contains("guest"));
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&plan(&[arguments, &["--format", "json"]].concat())).expect("JSON")
    };
    let simulated = json(&deterministic);
    assert_eq!(simulated["guest"]["accelerator"], "deterministic");
    assert_eq!(simulated["guest"]["simulated_disk"]["latency"], 100_000);
    let own = json(&["ext4@luks,sector=512+lvm", "ext4", "--guest", "--guest-kernel", "linux-image-amd64"]);
    assert_eq!((&own["guest"]["release"], &own["guest"]["kernel"]), (&"trixie".into(), &"linux-image-amd64".into()));
    assert_eq!(own["contenders"][0]["layers"][0]["name"], "luks");
    let disks = json(&["ext4@cache=none", "ext4"]);
    assert_eq!(disks["contenders"][0]["disk"]["cache"], "none");
    assert_eq!(json(&["ext4@linux-6.12", "ext4"])["contenders"][0]["kernel"], "linux-6.12");
    assert_eq!(json(&["t=tmpfs", "tmpfs"])["guest"], serde_json::Value::Null);
    assert!(plan(&["ext4", "--guest"]).contains("in a guest without KVM each round takes several times longer"));
    // Guests that count instructions have no budget.
    let mut kernels = stage.fsarena();
    kernels.args(["compare", "--dry-run", "ext4@linux-6.1", "ext4@linux-6.12", "--workload", &stage.small()]);
    let in_turn = run(kernels.args(["--guest", "deterministic", "--budget", "20s", "--lane-size", "320M"]), 0);
    assert!(out(&in_turn).contains("\n  4 rounds of about "), "{}", out(&in_turn));
    assert!(err(&in_turn).contains("one after the other, without a budget: 4 rounds"), "{}", err(&in_turn));
}

#[test]
fn options_without_effect_are_refused() {
    let stage = Stage::without_runs();
    for (arguments, words) in [
        (&["--workload", "create-fsync", "--prepare", "true"][..], "`--prepare` is about a command of your own"),
        (&["--workload", "create-fsync", "--time-limit", "3s"], "`--time-limit` is about a command of your own"),
        (&["--workload", "create-fsync", "--erase", "x"], "names none of the disks of this run"),
        (&["--workload", "create-fsync", "--guest-kernel", "linux-6.1"], "`--guest-kernel` is about a guest"),
        (&["--workload", "create-fsync", "--guest-release", "bookworm"], "`--guest-release` is about a guest"),
        (&["--fio", "fio --name=t --rw=trim --size=16m"], "fio trims devices, and no files"),
        (&["--workload", "create-fsync", "--guest-memory", "2G"], "`--guest-memory` is about a guest"),
        (
            &["--workload", "create-fsync", "--guest", "deterministic", "--storage", "dir:/var/tmp"],
            "`--storage dir:/var/tmp` has no effect",
        ),
        (
            &["--workload", "create-fsync", "--guest", "--guest-disk", "latency=20us", "--storage", "dir:/var/tmp"],
            "`--storage dir:/var/tmp` has no effect",
        ),
        (&["--workload", "create-fsync", "--when-lost", "continue"], "--when-lost needs clients"),
        (&["--workload", "create-fsync", "--server", "sdb=sh"], "--server needs clients"),
        (&["--workload", "create-fsync", "--clients-scale", "2"], "--clients-scale needs clients"),
        (&["--workload", "create-fsync", "--clients", "local:2", "--clients-scale", "2,2"], "has 2 twice"),
        (&["--workload", "create-fsync", "--precondition"], "lanes are in memory"),
        (&["--workload", "create-fsync", "--scale", "published"], "another amount of work at --scale published"),
        (&["t=tmpfs", "--workload", "create-fsync", "--storage", ""], "there is nothing after `--storage`"),
        (&["--workload", "create-fsync", "--storage", "dir:"], "there is no path after `--storage dir:`"),
        (&["--workload", "create-fsync", "--client="], "there is nothing after `--client=`"),
        (&["e=ext4@linux-6.1", "--workload", "create-fsync", "--baselines", "always"], "`--baselines` has no effect"),
        (
            &["c=ext4@cache=none", "--workload", "create-fsync", "--storage", "memory"],
            "`c` names a cache mode, which makes no difference for a disk in memory",
        ),
        (
            &["9p", "--workload", "create-fsync", "--guest", "deterministic"],
            "`9p` is a folder of the host, and the others lie on a simulated disk",
        ),
        (
            &["bcachefs", "--workload", "create-fsync", "--guest", "--guest-release", "bookworm"],
            "bcachefs-tools of Debian's suite experimental does not fit bookworm",
        ),
        (
            &["9p@linux-6.1", "--workload", "create-fsync"],
            "`9p@linux-6.1` is a folder of the host, for which there is one",
        ),
    ] {
        let mut command = stage.fsarena();
        command.args(["compare", "ext4", "xfs", "--dry-run", "--rounds", "1"]);
        if !arguments.contains(&"--storage") {
            command.args(["--storage", "memory"]);
        }
        let printed = err(&run(command.args(arguments), 2));
        assert!(printed.contains(words) && printed.contains("hint:"), "{words} in {printed}");
    }
    let directory = format!("dir:{}", stage.place.path().display());
    for (arguments, words) in [
        (&["compare", &directory, "--test-explanation", "--workload", "create-fsync"][..], "no option by which"),
        (&["compare", "xfs:noatime", "--test-explanation", "--workload", "create-fsync"], "without options: ext4, xfs"),
        (&["compare", "ext2", "ext3", "--test-explanation", "--workload", "create-fsync"], "no option by which"),
        (
            &["compare", &directory, "--explain", "--workload", "create-fsync"],
            "two contenders differ in, and there is one",
        ),
        (&["gate", "1", "--baseline-contender", "a", "--control", "b"], "cannot be used with"),
        (&["reproduce", "openeuler", "--published-only", "--rounds", "3"], "cannot be used with"),
        (
            &["compare", "ext4", "--guest", "--guest-memory", "1M", "--dry-run"],
            "the kernel of a guest alone needs more than",
        ),
        (
            &["bisect", "ext4", "--kernels", "a,b", "--guest-memory", "1M"],
            "the kernel of a guest alone needs more than",
        ),
        (&["compare", "ext4", "--guest-disk", "latency=100us,latency=20us", "--dry-run"], "`latency` is given twice"),
        (&["compare", "ext4", "--guest-disk", "bandwidth=500K"], "`500K` is not a whole number of MiB, of at least 1"),
        (&["compare", "ext4", "--guest-disk", "cache=1500K"], "`1500K` is not a whole number of MiB, of at least 0"),
        (
            &["compare", "ext4@linux-6.1", "--workload", "create-fsync", "--guest-kernel", "linux-6.1"],
            "`--guest-kernel` has no effect: each contender",
        ),
        (&["compare", "ext4@luks@lvm", "--workload", "create-fsync"], "follows a `+`, as in `luks+lvm`"),
        (&["compare", "ext4@linux6.12", "--workload", "create-fsync"], "that version is `linux-6.12`"),
    ] {
        let printed = err(&run(stage.fsarena().args(arguments), 2));
        assert!(printed.contains(words), "{words} in {printed}");
    }
    // A contender that is refused is there for what depends on all.
    let refused = ["compare", "ext4", "ext4 -b 1024", "--explain", "--workload", "create-fsync"];
    let errors = err(&run(stage.fsarena().args(refused), 2));
    assert!(errors.contains("`-b 1024` of mke2fs is refused") && errors.matches("error: ").count() == 1, "{errors}");
    let huge = ["compare", "ext4", "--guest=emulated", "--guest-memory", "10T", "--dry-run", "--workload", "stat-tree"];
    let text = err(&run(stage.fsarena().args(huge), 4));
    assert!(
        text.contains("no room in memory for 10.0 TiB of guests with QEMU")
            && text.contains("a smaller --guest-memory"),
        "{text}"
    );
    // Here it would be none of the machine's.
    let elsewhere =
        ["compare", "ext4@linux-6.12", "ext4", "--on", "fsarena agent", "--dry-run", "--workload", "stat-tree"];
    assert!(err(&run(stage.fsarena().args(elsewhere), 2)).contains("hint: leave out --on"));
}

#[test]
fn disks_that_a_run_refuses_are_refused() {
    let stage = Stage::without_runs();
    let disk = std::fs::read_to_string("/proc/self/mountinfo").expect("readable");
    let disk = disk.lines().filter_map(|line| line.split(" - ").nth(1)?.split(' ').nth(1)).find(|it| is_disk(it));
    let Some(disk) = disk.filter(|_| is_root()) else { return };
    let mut command = stage.fsarena();
    command.args(["compare", "ext4", "xfs", "--dry-run", "--lane-size", "320M", "--workload", &stage.small()]);
    let text = err(&run(command.args(["--storage", disk]), 2));
    assert!(text.contains(&format!("`{disk}` is not free: ")) && text.contains("hint: "), "{text}");
}

/// Whether it is a block device that is mounted, and no loop device of a test, which may vanish meanwhile.
fn is_disk(path: &str) -> bool {
    use std::os::unix::fs::FileTypeExt;
    path.starts_with("/dev/")
        && !path.starts_with("/dev/loop")
        && std::fs::metadata(path).is_ok_and(|found| found.file_type().is_block_device())
}

#[test]
fn a_file_for_output_that_cannot_be_written_is_refused_before_the_work() {
    let stage = Stage::without_runs();
    for arguments in [
        &["compare", "ext4", "xfs", "--dry-run", "-o", "/nope/x"][..],
        &["report", "-o", "/nope/x"],
        &["gate", "--baseline", "1", "--junit", "/nope/x"],
        &["gate", "--baseline", "1", "--summary", "/nope/x"],
        &["export", "-o", "/nope/x"],
        &["judge", "x.json", "-o", "/nope/x"],
        &["validate", "-o", "/nope/x"],
        &["resume", "-o", "/nope/x"],
    ] {
        let text = err(&run(stage.fsarena().args(arguments), 2));
        assert!(text.contains("there is no folder /nope: mkdir -p /nope"), "{arguments:?}: {text}");
    }
}

#[test]
fn options_about_lanes_have_no_effect_without_lanes_and_it_is_noted() {
    let stage = Stage::without_runs();
    let folder = format!("dir:{}", stage.place.path().display());
    let mut command = stage.fsarena();
    command.args(["compare", &folder, "--dry-run", "--workload", "create-fsync", "--lane-size", "1000"]);
    let told = err(&run(command.args(["--storage", "/nonexist/q", "--rounds", "1"]), 0));
    assert!(told.contains("none of these contenders needs a lane: --storage, --lane-size"), "{told}");
}

#[test]
fn workloads_may_be_one_list() {
    let mut command = Stage::without_runs().fsarena();
    command.args(["compare", "tmpfs", "b=tmpfs", "--dry-run", "--workload", "create-fsync,stat-tree"]);
    let text = out(&run(&mut command, 0));
    assert!(text.contains("create-fsync") && text.contains("stat-tree"), "{text}");
}

#[test]
fn what_was_meant_is_in_the_hint() {
    let stage = Stage::without_runs();
    let folder = stage.place.path().display().to_string();
    let (colon, words, gap) =
        (format!("dir:{folder}:noatime"), format!("dir:{folder} -x"), format!("dir:{folder}/a b"));
    let own = ["compare", "ext4", "--dry-run", "--command", "ls {dir}"];
    for (arguments, words) in [
        (&["compare", "ext4:{,noatime}", "--dry-run"][..], "hint: --matrix 'ext4:{,noatime}'\n".to_owned()),
        (
            &["compare", "ext4 xfs", "--dry-run"],
            "`xfs` is another contender, in the same word\nhint: separate".to_owned(),
        ),
        (&["compare", "ext4 xfs:noatime", "--dry-run"], "`xfs:noatime` is another contender".to_owned()),
        (&["compare", &colon, "--dry-run"], format!("hint: a directory takes no options: dir:{folder}\n")),
        (&["compare", &words, "--dry-run"], format!("hint: a directory takes no options: dir:{folder}\n")),
        (&["compare", &gap, "--dry-run"], format!("hint: mkdir -p '{folder}/a b'\n")),
        (&["compare", "ext4:noatime relatime", "--dry-run"], "without spaces: ext4:noatime,relatime\n".to_owned()),
        (&["compare", "ext4: noatime", "--dry-run"], "without spaces: ext4:noatime\n".to_owned()),
        (
            &["compare", "ext4", "-O", "^has_journal", "xfs", "--dry-run"],
            "hint: a contender and the options of its mkfs are one word: 'ext4 -O ^has_journal'\n".to_owned(),
        ),
        (
            &["compare", "xfs", "--matrix", "xfs:{,noatime}", "--dry-run"],
            "hint: give each its own: a=xfs b=xfs\n".to_owned(),
        ),
        (
            &["compare", "ext4@luks@linux-6.1", "--dry-run"],
            "hint: separate them by one: ext4@luks,linux-6.1\n".to_owned(),
        ),
        (&["compare", "ext4", "--dry-run", "--workload", "STAT-TREE"], "did you mean `stat-tree`?".to_owned()),
        (&["compare", "ext4", "--dry-run", "--seed", "abc"], "'--seed <N>': it is no whole number".to_owned()),
        (
            &["compare", "ext4", "--dry-run", "--margin", "300%"],
            "a margin has to be above 0 % and below 100 %".to_owned(),
        ),
        (&["compare", "ext4=xfs", "xfs", "--dry-run"], "its label says that it is another".to_owned()),
        (&["compare", "NTFS=ext4", "xfs", "--dry-run"], "its label says that it is another".to_owned()),
        (
            &["reproduce", "openeuler", "--contenders", "ext4:noatime,commit=5", "--dry-run"],
            "hint: options with a comma need a .toml file".to_owned(),
        ),
        (
            &[&own[..], &["--metric", "a=b,higher:(\\d+"]].concat(),
            "'--metric <NAME=UNIT,higher|lower:REGEX>'".to_owned(),
        ),
        (&[&own[..], &["--metric", "a=,higher:(x)"]].concat(), "as in 'throughput=MB/s".to_owned()),
        (&[&own[..], &["--scan", "n="]].concat(), "is a variable not set?".to_owned()),
        (&[&own[..], &["--metric", "a=b,higher:x"]].concat(), "has no group for its number".to_owned()),
        (
            &[&own[..], &["--time-limit", "0s"]].concat(),
            "'--time-limit <TIME>': a time limit has to be above 0".to_owned(),
        ),
    ] {
        let text = err(&run(stage.fsarena().args(arguments), 2));
        assert!(text.contains(&words) && !text.contains("use '-- "), "{words} in {text}");
    }
    let kernels = ["--good", "./a.deb", "--bad", "./b.deb", "--kernels", "./a.deb,./b.deb", "--workload"];
    for (contender, workload, words) in [
        ("ext4", "nope", "there is no workload `nope`"),
        ("zzz", "stat-tree", "there is no kind `zzz`"),
        ("dir:/tmp", "stat-tree", "under several kernels"),
        ("9p", "stat-tree", "under several kernels"),
        ("ext4@cache=none", "stat-tree", "under several kernels"),
        ("ext4", "stat-tree,create-fsync", "`stat-tree,create-fsync` is more than one workload"),
        ("ext4@linux-6.1", "stat-tree", "hint: leave it out: --good and --bad name the first"),
    ] {
        let mut bisect = stage.fsarena();
        let text = err(&run(bisect.args(["bisect", contender, "--dry-run"]).args(kernels).arg(workload), 2));
        assert!(text.contains(words), "{text}");
    }
    for (option, value, words) in [
        ("--slowdown", "./a.deb=10%", "`./a.deb` is the good kernel"),
        ("--storage", "nope", "there is no folder `nope`"),
        ("--lane-size", "1M", "hint: --lane-size "),
    ] {
        let mut bisect = stage.fsarena();
        bisect.args(["bisect", "ext4", "--dry-run", option, value]).args(kernels).arg("stat-tree");
        let text = err(&run(&mut bisect, 2));
        assert!(text.contains(words), "{text}");
    }
    let backwards = ["--good", "a.deb", "--bad", "b.deb", "--kernels", "b.deb,a.deb", "--workload", "stat-tree"];
    let text = err(&run(stage.fsarena().args(["bisect", "ext4"]).args(backwards), 2));
    assert!(
        text.contains("`a.deb` is not before `b.deb`") && text.contains("--kernels has kernels from old"),
        "{text}"
    );
    for contender in ["nosuch", "ext4 -O nosuch"] {
        let text = err(&run(stage.fsarena().args(["calibrate", contender]), 2));
        assert!(text.matches("error: ").count() == 1 && text.contains(&format!("`{contender}`")), "{text}");
    }
    for unknown in ["--runs", "--iterations", "--json"] {
        let text = err(&run(stage.fsarena().args(["compare", "ext4", "xfs", unknown, "3", "--dry-run"]), 2));
        assert!(!text.contains("mkfs"), "{text}");
    }
    // `durability` has no dry run, and no mkfs has such an option.
    let text = err(&run(stage.fsarena().args(["durability", "ext4", "--dry-run"]), 2));
    assert!(text.contains("'--dry-run'") && !text.contains("are one word"), "{text}");
    let mut command = stage.fsarena();
    command.args(["compare", "ext4", "xfs", "--dry-run", "--lane-size", "900T", "--workload", &stage.small()]);
    let text = err(&run(command.args(["--budget", "1m", "--storage", "memory"]), 2));
    assert!(text.contains(" lanes (images in memory), and ") && text.contains("are free\nhint: "), "{text}");
    for (arguments, code, words) in [
        (&["import", "nope"][..], 2, "hint: name a file that `fsarena export RUN -o FILE`"),
        (&["compare", "ext4", "xfs", "--dry-run", "--command", "/etc/passwd {dir}"], 4, "`/etc/passwd`"),
    ] {
        assert!(err(&run(stage.fsarena().args(arguments), code)).contains(words));
    }
}

/// The first list is that of `c14.sh`; each of its contenders cannot be made on lanes with sectors of 4096 bytes, or
/// not mounted by a kernel whose pages have 4096.
#[test]
fn contenders_that_cannot_be_made_are_refused_with_the_way_out() {
    let stage = Stage::without_runs();
    let dry = |contender: &str, code| {
        let mut command = stage.fsarena();
        command.args(["compare", "a=xfs", &format!("b={contender}"), "--dry-run", "--rounds", "1"]);
        err(&run(command.args(["--workload", "create-fsync"]), code))
    };
    let sectors = "a lane's sectors have 4096 bytes";
    for (contender, words) in [
        ("ext4 -b 1024", sectors),
        ("xfs -b size=1024", sectors),
        ("xfs -s size=512", sectors),
        ("ext4 -n", "`-n` of mke2fs is refused: it makes nothing"),
        ("ext4 -V", "`-V` of mke2fs is refused: it makes nothing"),
        ("xfs -N", "`-N` of mkfs.xfs is refused: it makes nothing"),
        ("ext4 -S", "it writes only the super block"),
        ("ext4 1G", "each contender fills its lane"),
        ("ext4 -t ext2", "the name of the contender says it"),
        ("ext4 -z ./undo-file", "a file that fsarena has not made"),
        ("ext4 -L seventeen-letters", "a label has at most 16 bytes"),
        ("xfs -L thirteen-bytes", "a label has at most 12 bytes"),
        ("ext4 -O nonsense", "Invalid filesystem option set: nonsense"),
        ("btrfs -O nonsense", "unrecognized filesystem feature"),
        ("xfs -d nonsense=1", "`mkfs.xfs -d nonsense=1` fails: unknown option -d nonsense=1\n"),
        ("dir:/no/such/folder", "does not exist\nhint: mkdir -p /no/such/folder"),
        ("~/folder", "hint: an existing directory is dir:$HOME/folder"),
        ("ext4 -E mmp_update_interval=10", "no effect without the feature `mmp`\nhint: leave it out, or add -O mmp"),
        ("ext4 -J fast_commit_size=4", "no effect without the feature `fast_commit`"),
        ("dir:~/folder", "hint: the shell replaces `~` only where a word begins: dir:$HOME/folder"),
    ] {
        let text = dry(contender, 2);
        assert!(text.contains(words) && text.contains("hint: "), "{words} in {text}");
        assert_eq!(text.matches("error: ").count(), 1, "{text}");
        assert!(text.lines().count() <= 3, "{text}");
    }
    if rustix::param::page_size() == 4096 {
        assert!(dry("btrfs -s 16k", 2).contains("this kernel mounts no btrfs with blocks of 16384 bytes"));
    }
    for contender in ["ext4 -b 4096", "xfs -s size=4k", "xfs -m rmapbt=1 -i sparse=1", "ext4 -L sixteen-letters."] {
        dry(contender, 0);
    }
    assert!(!std::path::Path::new("undo-file").exists());
}

#[test]
fn words_that_only_fstab_knows_are_ignored_with_a_note() {
    let stage = Stage::without_runs();
    let mut command = stage.fsarena();
    let nofail = "a=ext4:nofail,noatime,_netdev,x-systemd.automount,noauto,user";
    command.args(["compare", nofail, "b=xfs:nofail", "--dry-run", "--rounds", "1", "--workload", &stage.small()]);
    let output = run(&mut command, 0);
    let text = err(&output);
    assert!(
        text.contains("`a`: `nofail`, `_netdev`, `x-systemd.automount`, `noauto`, `user` are for /etc/fstab"),
        "{text}"
    );
    assert!(text.contains("`b`: `nofail` is for /etc/fstab"), "{text}");
    assert!(out(&output).contains("a: ext4, noatime\n") && out(&output).contains("b: xfs, default options\n"));
}

#[test]
fn what_lies_in_memory_has_to_fit_into_the_limit_of_the_control_group() {
    let stage = Stage::without_runs();
    if !has(&[Need::Root, Need::MemoryGroups]) {
        return;
    }
    let first = Path::new("/sys/fs/cgroup/memory");
    let (top, limit) = match first.join("memory.limit_in_bytes").exists() {
        true => (first, "memory.limit_in_bytes"),
        false => (Path::new("/sys/fs/cgroup"), "memory.max"),
    };
    let group = top.join(format!("fsarena-test-{}", std::process::id()));
    std::fs::create_dir(&group).expect("made");
    let _removed = Group(group.clone());
    std::fs::write(group.join(limit), (900u64 << 20).to_string()).expect("limited");
    let plan = |contenders: &str, workload: &str| {
        format!("compare {contenders} --dry-run --rounds 1 --workload {workload} --storage memory --lane-size")
    };
    let in_group = |plan: &str, size: &str, code| {
        let line = format!("echo $$ > {}/cgroup.procs && exec {} {plan} {size}", group.display(), binary().display());
        let command = stage.fsarena();
        let home = command.get_envs().filter_map(|(key, value)| Some((key.to_owned(), value?.to_owned())));
        let home: Vec<_> = home.collect();
        err(&run(Command::new("sh").args(["-c", &line]).envs(home), code))
    };
    let lanes = |size, code| in_group(&plan("ext4 xfs", &stage.small()), size, code);
    if holds_lanes() {
        for size in ["512M", "300M"] {
            let text = lanes(size, 4);
            assert!(text.contains("memory, limited by the control group "), "{text}");
        }
        lanes("16M", 2);
    }
    // Without lanes.
    let text = in_group(&plan("tmpfs b=tmpfs", "randread-4k"), "2G", 4);
    assert!(text.contains("the workload `randread-4k` needs ") && text.contains(" in memory, limited by "), "{text}");
    in_group(&plan("tmpfs b=tmpfs", &stage.small()), "2G", 0);
}

/// A control group that is removed at the end of a test, also of one that fails.
struct Group(PathBuf);

impl Drop for Group {
    fn drop(&mut self) {
        wait_until("it is empty", || std::fs::remove_dir(&self.0).is_ok());
    }
}

#[test]
fn a_lane_size_of_zero_is_refused_with_one_that_works() {
    let stage = Stage::new();
    let small = stage.small();
    let arguments = ["compare", "ext4", "xfs", "--dry-run", "--workload", &small, "--rounds", "1", "--lane-size"];
    let text = err(&run(stage.fsarena().args(arguments).arg("0"), 2));
    let size = text.lines().find_map(|line| line.strip_prefix("hint: --lane-size ")).expect("a hint");
    run(stage.fsarena().args(arguments).arg(size), 0);
    if is_root() {
        let mut command = stage.fsarena();
        command.args(["compare", "ext4", "xfs", "--rounds", "1", "--baselines", "never", "--workload", &small]);
        command.args(["--lane-size", size, "--storage"]).arg(stage.storage());
        run(&mut command, 0);
        assert_eq!(stage.left(), Vec::<String>::new());
    }
}

/// The lane size of a plan, and what is said about it.
fn lanes(arguments: &[&str]) -> (u64, String) {
    let stage = Stage::without_runs();
    let mut command = stage.fsarena();
    let output = run(command.args(["compare", "ext4", "--dry-run", "--format", "json"]).args(arguments), 0);
    let plan: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    (plan["lane_bytes"].as_u64().expect("a size"), err(&output))
}

#[test]
fn lanes_are_as_large_as_the_largest_workload_needs() {
    let usual = lanes(&["--profile", "mail"]);
    assert_eq!((usual.0, usual.1.contains("the lanes have")), (2 << 30, false), "{}", usual.1);
    let large = ["--workload", "create-fsync", "--workload", "unpack-archive", "--scale", "published"];
    let (size, words) = lanes(&large);
    assert!(size > 2 << 30 && size.is_multiple_of(1 << 20), "{size}");
    assert!(words.contains("because the workloads need more than 2.00 GiB"), "{words}");
    let (of_suite, words) = lanes(&["--suite", "axvisor"]);
    assert_eq!((of_suite, words.contains("the lanes have")), (1 << 30, false), "{words}");
    let stage = Stage::without_runs();
    let explicit = ["compare", "ext4", "--dry-run", "--lane-size", "2G"];
    let refused = err(&run(stage.fsarena().args(explicit).args(large), 2));
    assert!(refused.contains("a lane of 2.00 GiB is too small for the workload `unpack-archive`"), "{refused}");
    let fields = "engine = 'program'\ncache = 'warm'\nmode = 'whole'\n\
                  parameters = { script = 'true', operations = 1, data = '9T' }";
    let huge = stage.workload("huge", fields);
    let refused =
        err(&run(stage.fsarena().args(["compare", "ext4", "--dry-run", "--rounds", "1", "--workload", &huge]), 4));
    assert!(refused.contains("--storage, or give the workload `huge` less data"), "{refused}");
    assert!(refused.contains("the sync of the file system after `huge` is not in its time"), "{refused}");
}

#[test]
fn a_budget_that_decides_nothing_is_named_with_one_that_does() {
    let stage = Stage::without_runs();
    let dry = |contenders: &[&str], arguments: &[&str]| {
        let mut command = stage.fsarena();
        command.arg("compare").args(contenders).args(["--dry-run", "--workload", &stage.small()]).args(arguments);
        err(&run(&mut command, 0))
    };
    let slow = stage.workload(
        "slow",
        "engine = 'files'\ncache = 'warm'\nmode = 'whole'\ntimed-ms = 20000\nparameters = { operation = 'create', size = 0 }",
    );
    let (both, slow) = (["ext4", "xfs"], ["--workload", slow.as_str(), "--budget"]);
    let words = dry(&both, &[&slow[..], &["90s"]].concat());
    assert!(words.contains("about 1 round fits into the budget of 1 min 30 s"), "{words}");
    assert!(words.contains("a verdict needs at least 3: this run will probably decide nothing"), "{words}");
    let hint = words.lines().find_map(|line| line.strip_prefix("hint: --budget ")).expect("a hint");
    let (budget, rest) = hint.split_once(' ').expect("words");
    assert_eq!(rest, "has room for 5 rounds");
    assert!(!dry(&both, &[&slow[..], &[budget]].concat()).contains("decide nothing"));
    assert!(!dry(&["ext4"], &[&slow[..], &["90s"]].concat()).contains("decide nothing"), "there is nothing to decide");
    let command = ["compare", "ext4", "xfs", "--dry-run", "--explain", "--budget", "15s", "--command", "true {dir}"];
    let command = run(stage.fsarena().args(command), 0);
    assert!(!err(&command).contains("probably"), "{}", err(&command));
    assert!(out(&command).contains("how many rounds that is depends on the command"), "{}", out(&command));
    assert!(
        !dry(&both, &[&slow[..2], &["--rounds", "1"]].concat()).contains("decide nothing"),
        "it is what was wanted"
    );
    let two = dry(&both, &[&slow[..2], &["--rounds", "2"]].concat());
    assert!(two.contains("2 rounds as you wish: figures without verdicts, which need at least 3"), "{two}");
    assert!(!dry(&both, &[&slow[..2], &["--rounds", "3"]].concat()).contains("verdicts"));
    assert!(!dry(&["ext4"], &[&slow[..2], &["--rounds", "1"]].concat()).contains("verdicts"));
}
