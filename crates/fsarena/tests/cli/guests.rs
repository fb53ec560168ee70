//! Runs in a guest: a real QEMU boots a real kernel of Debian.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use fsarena_guest::Wanted;
use fsarena_model::guest::Accelerator;
use fsarena_model::{Bytes, DebianRelease};
use fsarena_testing::{Need, has};
use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::memory;
use crate::stage::{Doomed, Stage, accounts_for, binary, err, out, run};

/// Fetches what a guest needs, once for all tests. This is done before a stage takes the test's network away.
pub fn prepared() -> bool {
    has(&[Need::Root, Need::Program("qemu-system-x86_64")]) && !release().is_empty()
}

/// Fetches the programs of packages that only some guests need.
pub fn fetch(packages: &[&str]) {
    let wanted = Wanted {
        release: DebianRelease::default(),
        kernel: None,
        accelerator: Some(Accelerator::Emulated),
        memory: Bytes::mib(512),
        file_systems: fsarena_place::file_system_packages(),
        packages: packages.iter().map(|&package| package.to_owned()).collect(),
    };
    fsarena_guest::prepare(Path::new(CACHE), &wanted, &mut |_| ()).expect("packages can be fetched");
}

/// The release of the guest's kernel.
pub fn release() -> &'static str {
    static RELEASE: OnceLock<String> = OnceLock::new();
    RELEASE.get_or_init(|| {
        let text = out(&run(Command::new(binary()).arg("guest"), 0));
        let package = text.strip_prefix("The guest works: linux-image-").expect("a kernel's package");
        package.split(' ').next().unwrap_or_default().to_owned()
    })
}

/// A search path with a QEMU whose first guest panics while it boots.
fn qemu_whose_first_kernel_panics(stage: &Stage) -> String {
    let path = std::env::var("PATH").expect("it is set");
    let panic = "[    1.5] Kernel panic - not syncing: Fatal exception";
    let text = format!(
        "#!/bin/sh\nPATH='{path}'\n\
         [ \"$1\" != --version ] && mkdir \"$0.first\" 2>/dev/null && echo '{panic}' && exit\n\
         exec \"$(command -v qemu-system-x86_64)\" \"$@\"\n"
    );
    let folder = stage.path("qemu");
    fs::create_dir(&folder).expect("made");
    let program = folder.join("qemu-system-x86_64");
    fs::write(&program, text).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    format!("{}:{path}", folder.display())
}

/// Nothing is left of the test's runs, and no process of theirs: these are in the test's own network namespace.
pub fn assert_nothing_left(stage: &Stage) {
    assert_eq!(stage.left(), Vec::<String>::new());
    let network = |process: &str| fs::read_link(format!("/proc/{process}/ns/net")).ok();
    let own = network("thread-self").expect("a thread has a namespace");
    assert_ne!(Some(&own), network("1").as_ref(), "the test has a namespace of its own");
    let entries = fs::read_dir("/proc").expect("readable").filter_map(Result::ok);
    let processes = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_left = |process: &String| {
        process.parse().is_ok_and(|number: u32| number != std::process::id()) && network(process).as_ref() == Some(&own)
    };
    let left: Vec<String> = processes.filter(is_left).collect();
    assert!(left.is_empty(), "processes {left:?}");
}

#[test]
fn kinds_that_this_kernel_lacks_and_folders_of_the_host_are_compared_in_a_guest() {
    if !prepared() {
        return;
    }
    let stage = Stage::new();
    let arguments = ["ext4", "nilfs2", "9p:cache=loose", "virtiofs", "--rounds", "1", "--baselines", "never"];
    let (small, exceeds) = (stage.small(), memory::workload(&stage, "exceeds", 96, 48));
    let mut command = stage.compare(&arguments);
    command.env("PATH", qemu_whose_first_kernel_panics(&stage));
    let output = run(command.args(["--workload", &small, "--workload", &exceeds]), 0);
    assert!(err(&output).contains("this machine cannot mount nilfs2 and 9p and virtiofs"), "{}", err(&output));
    let report = stage.json();
    let again = "the guest's kernel reports: it crashed while it booted (Fatal exception), and was booted again";
    assert!(report["notes"].to_string().contains(again), "{}", report["notes"]);
    let cells = report["cells"].as_array().expect("cells");
    assert!(cells.len() == 8 && cells.iter().all(|cell| cell["median"].as_f64().is_some_and(|rate| rate > 0.0)));
    let mounts: Vec<&str> = report["contenders"]
        .as_array()
        .expect("contenders")
        .iter()
        .map(|contender| contender["mount"].as_str().expect("a mount"))
        .collect();
    for (mount, expected) in mounts.iter().zip(["ext4 rw", "nilfs2 rw", "9p rw", "virtiofs rw"]) {
        assert!(mount.starts_with(expected), "{mount}");
    }
    // CACHE_LOOSE of the kernel's fs/9p/v9fs.h: since Linux 6.4 the options show its bits.
    assert!(mounts[2].contains("cache=0xf"), "{}", mounts[2]);
    // A guest has version 2 of control groups alone.
    let exceeding = cells.iter().find(|cell| cell["workload"] == "exceeds").expect("measured");
    let read = exceeding["probes"]["device.read"]["value"].as_f64();
    assert!(read.is_some_and(|read| read > 1024.0), "half of it at most is in memory: {exceeding}");
    // A lane counts flushes; nilfs2 has no checker.
    assert!(cells[0]["probes"]["device.flushes"]["value"].as_f64().is_some_and(|flushes| flushes > 0.0));
    assert_eq!(report["clean_checks"], 1);
    let command = report["command"].to_string();
    assert!(command.contains("--guest") && command.contains("--guest-kernel"), "{command}");
    assert!(command.contains("\"--guest-release\",\"trixie\""), "{command}");
    assert_nothing_left(&stage);
}

#[test]
fn kernels_are_contenders_each_in_a_guest_of_its_own() {
    if !prepared() {
        return;
    }
    let stage = Stage::new();
    let arguments = ["ext4", "ext4@linux-6.12:noatime", "--rounds", "1", "--baselines", "never"];
    run(stage.compare(&arguments).args(["--workload", &stage.small()]), 0);
    run(stage.fsarena().args(["resume", "last", "--rounds", "1"]), 0);
    let report = stage.json();
    for cell in report["cells"].as_array().expect("cells") {
        assert!(accounts_for(cell, 2) && cell["median"].as_f64().is_some_and(|rate| rate > 0.0), "{cell}");
        assert!(cell["probes"]["device.flushes"]["value"].as_f64().is_some_and(|flushes| flushes > 0.0), "{cell}");
    }
    assert!(report["contenders"][1]["mount"].as_str().is_some_and(|mount| mount.contains("noatime")));
    let notes = report["notes"].to_string();
    assert!(notes.contains("one for each kernel") && notes.contains("linux-6.12: linux-image-6.12."), "{notes}");
    assert!(notes.contains("programs of Debian trixie"), "{notes}");
    assert_eq!(stage.left(), Vec::<String>::new());
    let refused = run(stage.compare(&["ext4", "9p@linux-6.12"]).args(["--workload", &stage.small()]), 2);
    assert!(err(&refused).contains("`9p@linux-6.12` is a folder of the host"), "{}", err(&refused));
}

/// Two guests share a folder of the host. The second one's time of day is months behind.
#[test]
fn guests_are_clients_and_their_time_of_day_changes_nothing() {
    if !prepared() {
        return;
    }
    let stage = Stage::new();
    ["a", "b"].into_iter().for_each(|name| fs::create_dir(stage.path(name)).expect("made"));
    let client = |further: &str| {
        let folder = stage.place.path().display();
        let device =
            format!("-fsdev local,id=f,path={folder},security_model=none -device virtio-9p-pci,fsdev=f,mount_tag=f");
        let mount = "f /mnt/f 9p trans=virtio,version=9p2000.L";
        format!("{} guest --agent --mount '{mount}' --qemu '{device} {further}'", binary().display())
    };
    let mut compare = stage.fsarena();
    compare.args(["compare", "a=dir:/mnt/f/a", "b=dir:/mnt/f/b", "--rounds", "1", "--workload", &stage.small()]);
    compare.args(["--client", &client(""), "--client", &client("-rtc base=2026-01-01T00:00:00")]);
    let output = compare.args(["--guarantee", "b=unflushed"]).output().expect("it starts");
    let report = stage.json();
    let notes = report["notes"].as_array().expect("notes").iter().filter(|note| note["severity"] == "failure");
    let failures: Vec<String> = notes.map(|note| note["text"].to_string()).collect();
    // A busy machine may keep two emulated processors from starting a slice within milliseconds.
    assert!(failures.iter().all(|text| text.contains("never started together")), "{}{}", out(&output), err(&output));
    assert_eq!(output.status.code(), Some(if failures.is_empty() { 0 } else { 3 }), "{}", err(&output));
    let mut cells = report["cells"].as_array().expect("cells").iter();
    assert!(!failures.is_empty() || cells.all(|cell| accounts_for(cell, 1)), "{}", report["cells"]);
    let clients = report["environment"]["clients"].as_array().expect("clients");
    assert_ne!(clients[0]["machine"]["host"], clients[1]["machine"]["host"], "servers tell clients apart by name");
    let ahead = |client: usize| clients[client]["clock"]["time_of_day"].as_f64().expect("measured");
    assert!(ahead(1) < ahead(0) - 86_400.0, "{clients:?}");
    let contender = &report["contenders"][0];
    assert!(contender["mount"].as_str().is_some_and(|mount| mount.starts_with("9p rw")), "{contender}");
    assert_eq!(contender["sharing"]["coherence"], "immediate");
    assert_eq!(report["contenders"][1]["sharing"]["fsync"], "unflushed, as stated");
    assert_eq!(report["verdicts"][0]["reasons"][0]["is"], "durability");
    assert!(["a", "b"].iter().all(|name| fs::read_dir(stage.path(name)).expect("there").count() == 0));
    assert_nothing_left(&stage);

    for (line, expected) in [("server:/a /mnt nfs4", "IP address"), ("f /mnt", "fstab"), ("f mnt 9p", "absolute")] {
        let output = run(stage.fsarena().args(["guest", "--mount", line]), 2);
        assert!(err(&output).contains(expected), "{}", err(&output));
    }
    let output = run(stage.fsarena().args(["guest", "--agent", "--mount", "f /mnt/f 9p trans=virtio"]), 3);
    let text = err(&output);
    assert!(text.contains("fsarena: mount f at /mnt/f: ") && text.contains("hint: its last words"), "{text}");
    let output = run(stage.fsarena().args(["guest", "--qemu", "-foo"]), 2);
    assert!(err(&output).contains("invalid option") && err(&output).contains("those of --qemu"), "{}", err(&output));
}

/// The second contender names the kernel of the first, and so has a guest of its own.
#[test]
fn two_deterministic_runs_have_the_same_figures() {
    if !prepared() {
        return;
    }
    let stage = Stage::new();
    let mut reports = [(); 2].map(|()| {
        let arguments =
            ["ext4", "ext4@linux-6.12", "--guest", "deterministic", "--rounds", "1", "--baselines", "never"];
        let mut command = stage.fsarena();
        command.arg("compare").args(arguments).args(["--lane-size", "128M", "--workload", &stage.small()]);
        run(&mut command, 0);
        stage.json()
    });
    for report in &mut reports {
        for cell in report["cells"].as_array().expect("cells") {
            assert!(cell["median"].as_f64().is_some_and(|rate| rate > 0.0), "{cell}");
        }
        assert_eq!((report["rounds"].as_u64(), report["status"].as_str()), (Some(1), Some("complete")));
        for varying in ["run", "started"] {
            report[varying] = serde_json::Value::Null;
        }
    }
    assert_eq!(reports[0]["cells"], reports[1]["cells"]);
}

#[test]
fn a_guest_that_dies_is_an_error_with_its_last_words_and_leaves_nothing() {
    if !prepared() {
        return;
    }
    for contenders in [["ext4", "9p"], ["ext4", "ext4@linux-6.12"]] {
        dies(&contenders);
    }
}

/// A run with these contenders in guests.
fn started(stage: &Stage, contenders: &[&str]) -> Doomed {
    let mut command = stage.compare(contenders);
    command.args(["--guest", "--rounds", "1000", "--workload", &stage.small()]);
    Doomed(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts"))
}

/// The process of a run's QEMU, if it runs.
fn qemu_of(run: &Doomed) -> Option<Pid> {
    let children = format!("/proc/{0}/task/{0}/children", run.0.id());
    let numbers = fs::read_to_string(&children).unwrap_or_default();
    let is_qemu =
        |number: &&str| fs::read_to_string(format!("/proc/{number}/comm")).is_ok_and(|name| name.starts_with("qemu"));
    Pid::from_raw(numbers.split_whitespace().find(is_qemu)?.parse().ok()?)
}

/// The process of a run's QEMU as soon as it has had this many hundredths of a second of processor time.
fn booting(run: &Doomed, hundredths: u64) -> Pid {
    let looks = std::iter::repeat_with(|| {
        std::thread::sleep(Duration::from_millis(10));
        qemu_of(run).filter(|qemu| processor_time(*qemu) > hundredths)
    });
    looks.flatten().next().expect("it is started")
}

/// In hundredths of a second.
fn processor_time(process: Pid) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).unwrap_or_default();
    stat.split(' ').nth(13).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

/// Lets QEMU's main thread, which delivers ticks, hardly run while the guest's kernel begins, as a busy host does: one
/// that tests for ticks panics.
fn hold_up(doomed: &Doomed) {
    let qemu = booting(doomed, 40);
    let number = qemu.as_raw_nonzero().to_string();
    let all = sched_getaffinity(None).expect("readable");
    let mut first = CpuSet::new();
    first.set((0..CpuSet::MAX_CPU).find(|cpu| all.is_set(*cpu)).expect("this runs on one"));
    let busy = Doomed(Command::new("yes").stdout(Stdio::null()).spawn().expect("it starts"));
    for process in [qemu, Pid::from_child(&busy.0)] {
        sched_setaffinity(Some(process), &first).expect("it is ours");
    }
    run(Command::new("chrt").args(["--idle", "-p", "0", &number]), 0);
    let begin = Instant::now();
    while processor_time(qemu) < 300 && begin.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(busy);
    run(Command::new("chrt").args(["--all-tasks", "--other", "-p", "0", &number]), 0);
    sched_setaffinity(Some(qemu), &all).expect("it is ours");
}

fn dies(contenders: &[&str]) {
    let stage = Stage::new();
    let mut child = started(&stage, contenders);
    hold_up(&child);
    let mut lines = BufReader::new(child.0.stderr.take().expect("piped")).lines().map(|line| line.expect("text"));
    assert!(lines.any(|line| line.starts_with("round 1: ")), "a round is stored");
    kill_process(qemu_of(&child).expect("QEMU runs"), Signal::KILL).expect("it is ours");
    let status = child.0.wait().expect("it ends");
    let text = lines.collect::<Vec<_>>().join("\n");
    assert_eq!(status.code(), Some(3), "{text}");
    assert!(text.contains("the guest stopped before the run ended: QEMU ended with signal: 9"), "{text}");
    assert_nothing_left(&stage);
}

#[test]
fn a_guest_that_does_not_boot_does_not_hold_up_a_run_that_is_to_stop() {
    if !prepared() {
        return;
    }
    for contenders in [["ext4", "9p"], ["ext4", "ext4@linux-6.12"]] {
        let stage = Stage::new();
        let mut child = started(&stage, &contenders);
        // A second of its processor time is in the boot.
        let qemu = booting(&child, 100);
        kill_process(qemu, Signal::STOP).expect("it is ours");
        kill_process(Pid::from_child(&child.0), Signal::TERM).expect("it is ours");
        assert_eq!(child.0.wait().expect("it ends").code(), Some(130), "{contenders:?}");
        assert_nothing_left(&stage);
    }
}

#[test]
fn work_that_no_guest_supports_is_refused_with_a_hint() {
    if !prepared() {
        return;
    }
    let stage = Stage::new();
    let folder = format!("dir:{}", stage.place.path().display());
    let text = stage.file("kernel.deb", "no package");
    let cases: [(&[&str], i32, &str); 4] = [
        (&["ext4", &folder, "--guest"], 2, "is a directory of this machine, which a guest does not have"),
        (&["ext4", "xfs", "--guest", "--guest-kernel", "/no/such.deb"], 2, "there is no such file"),
        (&["ext4", "xfs", "--guest", "--guest-kernel", &text], 2, "has no kernel that can be booted"),
        (
            &["ext4", "xfs", "--guest", "--guest-memory", "32M", "--rounds", "1"],
            3,
            " did not start its agent: QEMU ended with ",
        ),
    ];
    for (arguments, code, expected) in cases {
        let output = run(stage.compare(arguments).args(["--workload", &stage.small()]), code);
        assert!(err(&output).contains(expected) && err(&output).contains("hint: "), "{}", err(&output));
    }
    assert_nothing_left(&stage);
}

#[test]
fn disks_with_their_own_cache_modes_and_a_folder_by_sftp_are_compared_in_a_guest() {
    if !prepared() || !has(&[Need::Program("qemu-img"), Need::Path("/usr/lib/openssh/sftp-server")]) {
        return;
    }
    fetch(&["sshfs"]);
    let stage = Stage::new();
    let arguments = ["ext4@cache=unsafe", "slow=ext4@cache=directsync,format=qcow2", "sshfs", "--rounds", "1"];
    let output = run(stage.compare(&arguments).args(["--baselines", "never", "--workload", &stage.small()]), 0);
    assert!(err(&output).contains("cannot mount sshfs: all contenders run in a guest"), "{}", err(&output));
    let report = stage.json();
    let cells = report["cells"].as_array().expect("cells");
    assert!(cells.len() == 3 && cells.iter().all(|cell| cell["median"].as_f64().is_some_and(|rate| rate > 0.0)));
    assert!(report["contenders"][2]["mount"].as_str().expect("a mount").starts_with("fuse.sshfs rw"));
    let classes: Vec<&str> = (0..2).filter_map(|index| report["contenders"][index]["durability"].as_str()).collect();
    assert_eq!(classes, ["unflushed", "flushed"], "what QEMU does not sync is never ranked with the rest");
    // The kernel of the guest flushes the first disk, and QEMU syncs nothing. The second one says that each write is
    // durable, so the guest flushes nothing, and QEMU syncs each write.
    let notes: Vec<[u64; 3]> = report["notes"].as_array().expect("notes").iter().filter_map(counts).collect();
    assert_eq!(notes.len(), 2, "{}", report["notes"]);
    let ([_, flushes, none], [writes, no_flush, syncs]) = (notes[0], notes[1]);
    assert!(flushes > 0 && none == 0, "{notes:?}");
    assert!(no_flush == 0 && writes > 0 && syncs >= writes / 2, "{notes:?}");
    let command = report["command"].to_string();
    assert!(command.contains("slow=ext4@cache=directsync,format=qcow2"), "{command}");
    run(stage.fsarena().args(["resume", "last", "--rounds", "1"]), 0);
    assert_eq!(stage.json()["rounds"], 2);
    assert_nothing_left(&stage);
}

/// Writes and flushes of the guest, and syncs of QEMU, in the note about a disk.
fn counts(note: &serde_json::Value) -> Option<[u64; 3]> {
    let text = note["text"].as_str().filter(|text| text.starts_with("the guest wrote "))?;
    let label = text.split('`').nth(1)?;
    let numbers = text.replace(label, "").replace("once", "1");
    let numbers = numbers.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok());
    numbers.collect::<Vec<u64>>().try_into().ok()
}

/// In this thread and in what it starts, `file` has the content of `by`.
pub fn cover(file: &str, by: &Path) {
    run(Command::new("mount").arg("--bind").arg(by).arg(file), 0);
}

pub const CACHE: &str = "/var/cache/fsarena";

/// In this thread and in what it starts, the cache is empty, with room for `size` bytes.
pub fn empty_cache(size: &str) {
    let options = format!("size={size}");
    run(Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs", CACHE]), 0);
}

#[test]
fn missing_needs_of_a_guest_are_named_with_a_hint() {
    if !prepared() {
        return;
    }
    // A kernel that the newest release lacks is looked up in the others.
    fsarena_guest::kernels(Path::new(CACHE), &mut |_| ()).expect("lists can be fetched");
    let stage = Stage::new();
    let refused = |arguments: &[&str], expected: &str, hint: &str| {
        let output = run(stage.compare(arguments).args(["--workload", &stage.small()]), 4);
        let text = err(&output);
        assert!(text.contains(expected) && text.contains(&format!("hint: {hint}")), "{text}");
        assert_nothing_left(&stage);
    };
    // The lists are there, so a dry run knows it, too.
    for kernel in ["linux-image-no-such", "linux-5.4", "linux-6.12.foo"] {
        for further in [&[][..], &["--dry-run"]] {
            let contender = format!("ext4@{kernel}");
            let mut command = stage.compare(&[&contender, "ext4"]);
            let text = err(&run(command.args(["--workload", &stage.small()]).args(further), 2));
            assert!(text.contains(&format!("lists of packages have no kernel `{kernel}`")), "{text}");
            assert!(text.contains("hint: they have linux-6.1, linux-6.12, "), "{text}");
        }
    }

    let small = stage.path("small");
    fs::create_dir(&small).expect("made");
    run(Command::new("mount").args(["-t", "tmpfs", "-o", "size=4M", "tmpfs"]).arg(&small), 0);
    let storage = ["ext4", "xfs", "--guest", "--storage", &small.display().to_string()];
    let output = run(stage.fsarena().arg("compare").args(storage).args(["--workload", &stage.small()]), 4);
    assert!(err(&output).contains("are needed for 3 lanes"), "{}", err(&output));
    assert_eq!(fs::read_dir(&small).expect("readable").count(), 0);

    for server in ["/usr/bin/ganesha.nfsd", "/usr/sbin/ganesha.nfsd"].iter().filter(|path| Path::new(path).exists()) {
        cover(server, Path::new("/dev/null"));
    }
    refused(&["ext4", "nfs"], "`nfs` needs `ganesha.nfsd` on this machine", "apt-get install nfs-ganesha, or");

    empty_cache("4M");
    let kernel = kernel_package(&stage);
    refused(&["ext4", "xfs", "--guest", "--guest-kernel", &kernel], "no room in the cache", "a guest needs 1 GB");
    assert_eq!(fs::read_dir(format!("{CACHE}/kernels")).expect("readable").count(), 0, "what is partial is removed");

    // The test's network has no devices.
    empty_cache("64M");
    refused(
        &["ext4", "xfs", "--guest"],
        "fetch the lists of packages of Debian trixie: ",
        "without a network: name a release",
    );
    refused(&["ext4", "xfs", "--guest", "--guest-release", "bookworm"], "of Debian bookworm: ", "without a network: ");

    let path = std::env::var("PATH").unwrap_or_default();
    let qemu =
        path.split(':').map(|folder| format!("{folder}/qemu-system-x86_64")).find(|path| Path::new(path).exists());
    cover(&qemu.expect("it is installed"), Path::new("/dev/null"));
    refused(&["ext4", "xfs", "--guest"], "`qemu-system-x86_64` is needed", "apt-get install qemu-system-x86");
}

/// A package with a kernel of 8 MiB, which is larger than the cache of the test.
fn kernel_package(stage: &Stage) -> String {
    let tree = stage.path("tree");
    for folder in ["DEBIAN", "boot"] {
        fs::create_dir_all(tree.join(folder)).expect("made");
    }
    let control = "Package: linux-image-9\nVersion: 9\nArchitecture: amd64\nMaintainer: x <x@x>\nDescription: x\n";
    fs::write(tree.join("DEBIAN/control"), control).expect("written");
    fs::write(tree.join("boot/vmlinuz-9"), vec![7; 8 << 20]).expect("written");
    let package = stage.path("linux-image-9.deb").display().to_string();
    run(Command::new("dpkg-deb").args(["--build", "-Zgzip"]).arg(&tree).arg(&package), 0);
    package
}

#[test]
fn a_guest_that_cannot_do_its_work_measures_nothing_and_says_why() {
    if !prepared() {
        return;
    }
    let stage = Stage::new();
    let failed = |arguments: &[&str], code, expected: &[&str]| {
        let output = run(stage.compare(arguments).args(["--rounds", "1", "--workload", &stage.small()]), code);
        let text = err(&output);
        assert!(expected.iter().all(|words| text.contains(words)), "{text}");
        assert_nothing_left(&stage);
        let runs = err(&run(stage.fsarena().arg("runs"), 2));
        assert!(runs.contains("there is no store"), "nothing was measured: {runs}");
    };
    let mount = ["ext4:bogus", "xfs", "--guest"];
    failed(&mount, 2, &["the kernel refuses its mount options", "Unknown parameter 'bogus'", "hint: `man 5 ext4`"]);

    let root = Path::new(CACHE).join("roots").join(DebianRelease::default().to_string()).join(release());
    let (image, own) = (root.join("base.img"), stage.in_memory("base.img"));
    fs::copy(&image, &own).expect("copied");
    let module = format!("rm /usr/lib/modules/{}/kernel/fs/nilfs2/nilfs2.ko.xz", release());
    run(Command::new("debugfs").args(["-w", "-R", &module]).arg(&own), 0);
    cover(&image.display().to_string(), &own);
    failed(
        &["ext4", "nilfs2", "--guest"],
        4,
        &["the guest's kernel (linux-image-", "has no `nilfs2`", "--guest-kernel"],
    );

    let (boot, own) = (root.join("base.cpio"), stage.path("base.cpio"));
    let mut archive = fs::read(&boot).expect("readable");
    // The kernel unpacks archives that follow each other, from a multiple of four bytes.
    archive.resize(archive.len().next_multiple_of(4), 0);
    archive.extend(newc("fsarena-modules/999-broken", b"no module"));
    fs::write(&own, archive).expect("written");
    cover(&boot.display().to_string(), &own);
    let words =
        [" did not start its agent; its last words were:", "fsarena: load /fsarena-modules/999-broken: ", "hint: "];
    failed(&["ext4", "xfs", "--guest"], 3, &words);
}

/// An archive with a file, in the format of an initramfs (Documentation/driver-api/early-userspace/buffer-format.rst).
fn newc(name: &str, content: &[u8]) -> Vec<u8> {
    let entry = |name: &str, content: &[u8]| {
        let numbers = [1, 0o100_600, 0, 0, 1, 0, content.len(), 0, 0, 0, 0, name.len() + 1, 0];
        let mut bytes = b"070701".to_vec();
        bytes.extend(numbers.iter().flat_map(|number| format!("{number:08x}").into_bytes()));
        for part in [[name.as_bytes(), b"\0"].concat(), content.to_vec()] {
            bytes.extend(part);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        bytes
    };
    [entry(name, content), entry("TRAILER!!!", b"")].concat()
}
