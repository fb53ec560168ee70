//! Directories whose attributes, or whose file system, change what is done with the files in them.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use fsarena_testing::{Need, has};
use serde_json::Value;

use crate::disks::device::{Disk, mount, point, tool};
use crate::limits::Mounted;
use crate::stage::{Stage, err, run};

/// The classes of the flags of a cell.
fn classes<'a>(report: &'a Value, workload: &str, contender: &str) -> Vec<&'a str> {
    let cells = report["cells"].as_array().expect("an array");
    let is_it = |cell: &&Value| cell["workload"] == workload && cell["contender"] == contender;
    let cell = cells.iter().find(is_it).unwrap_or_else(|| panic!("{workload} on {contender}"));
    cell["validity"].as_array().expect("an array").iter().filter_map(|flag| flag["class"].as_str()).collect()
}

fn guarantees<'a>(report: &'a Value, contender: &str) -> Vec<&'a str> {
    let all = report["contenders"].as_array().expect("an array");
    let facts = all.iter().find(|facts| facts["label"] == contender).expect("it is there");
    facts["guarantees"].as_array().expect("an array").iter().filter_map(Value::as_str).collect()
}

/// Another program, which dirties pages of a file all the time, as dd(1) does.
struct Beside {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Beside {
    fn begin(folder: &str) -> Self {
        let file = File::create(format!("{folder}/other")).expect("made");
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let block = vec![0; 1 << 20];
            while !stopped.load(Ordering::Relaxed) {
                (0..8).for_each(|place| file.write_all_at(&block, place << 20).expect("written"));
            }
        });
        Self { stop, thread: Some(thread) }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

#[test]
fn directories_of_one_btrfs_differ_by_their_attributes() {
    let Some(stage) = Stage::of_root() else { return };
    if !has(&[Need::Program("mkfs.btrfs"), Need::Program("chattr")]) {
        return;
    }
    let disk = Disk::new(&stage, "btrfs.img", 512 << 20);
    tool("mkfs.btrfs", &["-q", "-f", &disk.path()]);
    let _mounted = mount(&stage, &disk.path(), &[]);
    let folder = |name: &str| {
        let path = point(&stage, &disk.path()).join(name);
        fs::create_dir(&path).expect("made");
        path.display().to_string()
    };
    let [cow, nocow, zst] = ["cow", "nocow", "zst"].map(folder);
    tool("chattr", &["+C", &nocow]);
    tool("btrfs", &["property", "set", &zst, "compression", "zstd"]);
    let random = "operation = 'write', pattern = 'random', file-size = '8M', block-size = '4K', operations = 200";
    let shape = format!("engine = 'data'\ncache = 'direct'\nmode = 'sliced'\nslices = 2\nparameters = {{ {random} }}");
    let writes = stage.workload("writes", &shape);
    // Of these data nine tenths can be compressed, so that the device carries less than is read.
    let job = stage.file(
        "reads.fio",
        "[r]\nrw=read\nbs=1m\nsize=32m\nbuffer_compress_percentage=90\nrefill_buffers\ninvalidate=1\nioengine=psync\n",
    );
    // Another program dirties pages of the same file system all the time.
    let _other = Beside::begin(&cow);
    let mut command = stage.fsarena();
    command.arg("compare");
    for (label, path) in [("cow", &cow), ("nocow", &nocow), ("zst", &zst)] {
        command.arg(format!("{label}=dir:{path}"));
    }
    command.args(["--rounds", "1", "--baselines", "never", "--fio", &job, "--workload", &writes]);
    let words = err(&run(&mut command, 0));
    let (first, _) = words.split_once("round 1").unwrap_or((&words, ""));
    assert!(first.contains("`cow`, `nocow`, `zst` are directories on the same file system"), "{words}");
    let report = stage.json();
    assert_eq!(guarantees(&report, "nocow"), ["metadata-checksums"]);
    assert_eq!(guarantees(&report, "cow"), ["metadata-checksums", "data-checksums", "copy-on-write"]);
    assert_eq!(guarantees(&report, "zst"), ["metadata-checksums", "data-checksums", "copy-on-write", "compression"]);
    for contender in ["cow", "nocow", "zst"] {
        assert!(!classes(&report, "reads", contender).contains(&"cached"), "{contender}");
    }
    assert!(!classes(&report, "writes", "nocow").contains(&"not-direct"));
}

#[test]
fn a_program_beside_a_direct_workload_does_not_make_it_indirect() {
    let Some(stage) = Stage::of_root() else { return };
    // The pages that are dirtied on a device are counted there.
    if !has(&[Need::Path("/sys/kernel/debug")]) {
        return;
    }
    let disk = |name: &str, size, mkfs: &[&str]| {
        let disk = Disk::new(&stage, name, size);
        tool(mkfs[0], &[&mkfs[1..], &[&disk.path()]].concat());
        disk
    };
    let ext4 = disk("ext4.img", 512 << 20, &["mke2fs", "-q", "-t", "ext4"]);
    let data = disk("data.img", 512 << 20, &["mke2fs", "-q", "-t", "ext4"]);
    let xfs = disk("xfs.img", 512 << 20, &["mkfs.xfs", "-q"]);
    let _mounted = [(&ext4, "noatime"), (&data, "data=journal"), (&xfs, "noatime")]
        .map(|(disk, options)| mount(&stage, &disk.path(), &["-o", options]));
    let [plain, journalled, project] =
        [&ext4, &data, &xfs].map(|disk| point(&stage, &disk.path()).display().to_string());
    tool("xfs_io", &["-c", "chproj 42", "-c", "chattr +P", &project]);
    let random = "operation = 'write', pattern = 'random', file-size = '8M', block-size = '4K', operations = 200";
    let shape = format!("engine = 'data'\ncache = 'direct'\nmode = 'sliced'\nslices = 2\nparameters = {{ {random} }}");
    let writes = stage.workload("writes", &shape);
    let _other = Beside::begin(&plain);
    let mut command = stage.fsarena();
    command.args(["compare", &format!("plain=dir:{plain}"), &format!("journalled=dir:{journalled}")]);
    command.arg(format!("project=dir:{project}"));
    run(command.args(["--rounds", "1", "--baselines", "never", "--workload", &writes]), 0);
    let report = stage.json();
    assert!(!classes(&report, "writes", "plain").contains(&"not-direct"));
    assert!(classes(&report, "writes", "journalled").contains(&"not-direct"));
    assert_eq!(guarantees(&report, "plain"), ["journal"]);
    assert_eq!(guarantees(&report, "journalled"), ["journal", "data-journal"]);
    assert_eq!(report["contenders"][2]["features"], serde_json::json!(["project=42"]));
    assert_eq!(guarantees(&report, "project"), ["journal"]);
}

/// sshfs counts inode numbers up: what the kernel has forgotten, as before cold work, comes back with another one.
#[test]
fn a_folder_whose_inode_numbers_change_is_measured_and_removed() {
    const SERVER: &str = "/usr/lib/openssh/sftp-server";
    let Some(stage) = Stage::of_root() else { return };
    if !has(&[Need::Program("sshfs"), Need::Path(SERVER), Need::Path("/dev/fuse")]) {
        return;
    }
    let [served, folder, server] = ["served", "folder", "server"].map(|name| stage.path(name));
    [&served, &folder].into_iter().for_each(|path| fs::create_dir(path).expect("made"));
    fs::write(&server, format!("#!/bin/sh\nexec {SERVER}\n")).expect("written");
    tool("chmod", &["+x", &server.display().to_string()]);
    let command = format!("ssh_command={}", server.display());
    tool("sshfs", &["-o", &command, &format!("x:{}", served.display()), &folder.display().to_string()]);
    let _mounted = Mounted(folder.clone());
    let contender = format!("dir:{}", folder.display());
    let arguments = ["compare", &contender, "--workload", "find-cold", "--scale", "smoke", "--rounds", "1"];
    run(stage.fsarena().args(arguments).args(["--baselines", "never"]), 0);
    assert_eq!(fs::read_dir(&served).expect("there").count(), 0, "nothing is left");
}
