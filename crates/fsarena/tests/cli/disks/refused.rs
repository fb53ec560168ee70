//! Disks with content that a run must not destroy; each is refused. `cargo test -p fsarena disks::refused --
//! --nocapture` prints all cases.

use std::fs::{self, File};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::process::{Command, Stdio};

use rustix::fs::OFlags;

use super::device::{freeze, hash_from, mount, point, tool};
use super::*;

/// A prepared disk, the arguments, and the expectations.
struct Case {
    /// Dropped before the disks.
    undo: Undos,
    /// Disks that must not change.
    disks: Vec<Disk>,
    storage: String,
    arguments: Vec<String>,
    /// Lines that are added to files in /etc during the run, by file name.
    tables: Vec<(&'static str, String)>,
    /// The first byte that must not change: the kernel may write to the header of a swap space.
    from: u64,
}

/// Size of the smallest possible swap space, in bytes.
const SWAP: u64 = 40 << 10;

/// Actions that are undone in reverse order.
#[derive(Default)]
struct Undos(Vec<device::Undo>);

impl Drop for Undos {
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

impl Case {
    fn on(disk: Disk) -> Self {
        Self::among(vec![disk])
    }

    /// Names the first of these disks; none of them may change.
    fn among(disks: Vec<Disk>) -> Self {
        let storage = disks[0].path();
        Self { disks, ..Self::named(&storage) }
    }

    fn named(storage: &str) -> Self {
        let storage = storage.to_owned();
        Self { undo: Undos::default(), disks: Vec::new(), storage, arguments: Vec::new(), tables: Vec::new(), from: 0 }
    }

    /// Mounts and freezes the named device.
    fn mounted(self, stage: &Stage) -> Self {
        let (mounted, frozen) = (mount(stage, &self.storage, &[]), freeze(stage, &self.storage));
        self.with(mounted).with(frozen)
    }

    fn mounted_read_only(self, stage: &Stage) -> Self {
        let undo = mount(stage, &self.storage, &["-o", "ro"]);
        self.with(undo)
    }

    /// Opens the named device exclusively, as a process other than fsarena.
    fn held(self) -> Self {
        let file = File::options().read(true).custom_flags(OFlags::EXCL.bits() as i32).open(&self.storage);
        self.with(device::Undo::Close(file.expect("free")))
    }

    /// Adds a partition to the first disk, and names it.
    fn partition(mut self) -> Self {
        let (path, gone) = self.disks[0].partition(1, 1, 36);
        self.undo.0.push(gone);
        self.at(&path)
    }

    fn whole(self) -> Self {
        let storage = self.disks[0].path();
        self.at(&storage)
    }

    fn with(mut self, undo: device::Undo) -> Self {
        self.undo.0.push(undo);
        self
    }

    fn at(self, storage: &str) -> Self {
        Self { storage: storage.to_owned(), ..self }
    }

    fn erase(mut self, id: &str) -> Self {
        self.arguments.extend(["--erase".to_owned(), id.to_owned()]);
        self
    }

    /// Adds the ID that doctor shows, which does not help for a disk in use.
    fn erase_right(self) -> Self {
        let id = self.disks[0].id();
        self.erase(&id)
    }

    fn table(mut self, name: &'static str, line: String) -> Self {
        self.tables.push((name, line));
        self
    }
}

/// The constructor of a case, its description, its exit code, and words of its error.
type Row = (fn(&Stage) -> Case, &'static str, i32, &'static str);

fn disk(stage: &Stage) -> Disk {
    Disk::new(stage, "disk.img", ROOM)
}

fn with_ext4(stage: &Stage) -> Disk {
    let disk = disk(stage);
    tool("mke2fs", &["-q", "-F", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0", &disk.path()]);
    disk
}

fn uuid(disk: &Disk) -> String {
    tool("blkid", &["-p", "-s", "UUID", "-o", "value", &disk.path()]).trim().to_owned()
}

fn with_bytes(stage: &Stage, parts: &[(u64, &[u8])]) -> Case {
    let disk = disk(stage);
    parts.iter().for_each(|(offset, bytes)| disk.write(*offset, bytes));
    Case::on(disk)
}

fn random(length: usize) -> Vec<u8> {
    use std::io::Read;
    let mut bytes = vec![0; length];
    File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes)).expect("random bytes");
    bytes
}

/// Mounts the disk in the mount namespace of another process.
fn mounted_elsewhere(stage: &Stage) -> Case {
    let disk = with_ext4(stage);
    let (point, ready) = (stage.path("elsewhere"), stage.path("ready"));
    fs::create_dir_all(&point).expect("made");
    let _ = fs::remove_file(&ready);
    let script =
        format!("mount -o ro {} {} && : > {} && exec sleep 600", disk.path(), point.display(), ready.display());
    let mut child = Command::new("unshare");
    child.args(["--mount", "--propagation", "private", "sh", "-c", &script]).stdout(Stdio::null());
    let child = child.spawn().expect("it starts");
    wait_until("it is mounted", || ready.exists());
    Case::on(disk).with(device::Undo::Kill(child))
}

/// Lazily unmounts the disk, which stays in use through an open folder.
fn detached(stage: &Stage) -> Case {
    let case = Case::on(with_ext4(stage)).mounted_read_only(stage);
    let point = point(stage, &case.storage);
    let open = File::open(&point).expect("there");
    tool("umount", &["--lazy", &point.display().to_string()]);
    case.with(device::Undo::Close(open))
}

fn swap(stage: &Stage) -> Case {
    let disk = disk(stage);
    tool("mkswap", &[&disk.path(), &(SWAP / 1024).to_string()]);
    tool("swapon", &[&disk.path()]);
    let off = device::Undo::command(&["swapoff", &disk.path()]);
    Case { from: SWAP, ..Case::on(disk).with(off) }
}

/// Names a partition that contains ext4.
fn with_partition(stage: &Stage) -> Case {
    let case = Case::on(disk(stage)).partition();
    tool("mke2fs", &["-q", "-F", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0", &case.storage]);
    case
}

/// A second loop device over `over`, which may be the image of another device or a device.
fn above(stage: &Stage, name: &str, options: &[&str], over: &str) -> Disk {
    let mut second = Disk::new(stage, name, 1 << 20);
    second.detach();
    second.image = over.into();
    second.attach(options);
    second
}

fn beneath_loop(stage: &Stage) -> Case {
    let disk = disk(stage);
    let second = above(stage, "second.img", &["--offset", "1048576"], &disk.path());
    Case::on(disk).with(device::Undo::Keep(second))
}

fn over_a_mounted_device(stage: &Stage) -> Case {
    let case = Case::on(with_ext4(stage)).mounted(stage);
    let second = above(stage, "second.img", &[], &case.storage);
    let storage = second.path();
    case.at(&storage).with(device::Undo::Keep(second))
}

fn twin(stage: &Stage) -> Case {
    let disk = with_ext4(stage);
    let second = above(stage, "second.img", &[], &disk.image.display().to_string());
    let mounted = mount(stage, &second.path(), &["-o", "ro"]);
    Case::on(disk).with(device::Undo::Keep(second)).with(mounted)
}

fn read_only(stage: &Stage) -> Case {
    let disk = disk(stage);
    disk.detach();
    disk.attach(&["--read-only"]);
    Case::on(disk)
}

/// A symbolic link such as those in `/dev/disk/by-id`.
fn link(name: &str, target: &str) -> (String, device::Undo) {
    let path = format!("/dev/fsarena-test-{}-{name}", std::process::id());
    let _ = fs::remove_file(&path);
    symlink(target, &path).expect("linked");
    (path.clone(), device::Undo::command(&["rm", &path]))
}

fn linked(stage: &Stage) -> Case {
    let case = Case::on(with_ext4(stage)).mounted(stage);
    let (path, gone) = link("by-id", &case.storage);
    case.at(&path).with(gone)
}

fn link_to_a_file(stage: &Stage) -> Case {
    let (path, gone) = link("file", &stage.file("precious", "x"));
    Case::named(&path).with(gone)
}

fn unbound(stage: &Stage) -> Case {
    let disk = disk(stage);
    disk.detach();
    let storage = disk.path();
    Case::named(&storage).with(device::Undo::Keep(disk))
}

fn in_table(stage: &Stage, table: &'static str, line: fn(&Disk) -> String) -> Case {
    let disk = with_ext4(stage);
    tool("tune2fs", &["-L", "my data", &disk.path()]);
    let line = line(&disk);
    Case::on(disk).table(table, line).erase_right()
}

fn by_path_in_fstab(stage: &Stage) -> Case {
    in_table(stage, "fstab", |disk| format!("{} /data ext4 noauto 0 0", disk.path()))
}

fn by_uuid_in_fstab(stage: &Stage) -> Case {
    in_table(stage, "fstab", |disk| format!("UUID={} /data ext4 noauto 0 0", uuid(disk)))
}

fn by_label_in_fstab(stage: &Stage) -> Case {
    in_table(stage, "fstab", |_| "LABEL=my\\040data /data ext4 noauto 0 0".to_owned())
}

fn in_crypttab(stage: &Stage) -> Case {
    in_table(stage, "crypttab", |disk| format!("crypt {} none plain", disk.path()))
}

fn swap_signature(stage: &Stage) -> Case {
    let disk = disk(stage);
    tool("mkswap", &[&disk.path()]);
    Case::on(disk)
}

fn by_path(stage: &Stage) -> Case {
    let disk = with_ext4(stage);
    let path = disk.path();
    Case::on(disk).erase(&path)
}

fn images(stage: &Stage) -> Case {
    let disk = with_ext4(stage);
    let id = disk.id();
    Case::on(disk).at("memory").erase(&id)
}

/// The backup of a partition table, in the last sector of a disk whose size is not a multiple of the block size.
fn backup_table(stage: &Stage) -> Case {
    let disk = Disk::new(stage, "odd.img", ROOM + 1536);
    disk.write(disk.size() - 512, b"EFI PART");
    Case::on(disk)
}

/// The pages of a database on a raw device: no signature, and nothing in the first MiB.
fn raw_database(stage: &Stage) -> Case {
    let disk = disk(stage);
    for page in (1_u64 << 20..disk.size()).step_by(16 << 10) {
        disk.write(page, b"\x17\xf0 page of a database");
    }
    Case::on(disk)
}

fn zfs(stage: &Stage) -> Case {
    let uberblocks = [0xc, 0xb1, 0xba, 0, 0, 0, 0, 0];
    let labels: Vec<u64> = (128..256).map(|kib| kib << 10).collect();
    with_bytes(stage, &labels.iter().map(|offset| (*offset, &uberblocks[..])).collect::<Vec<_>>())
}

/// A file system that `program` makes. No other test needs this program.
fn made_by(stage: &Stage, size_mib: u64, program: &str) -> Case {
    let disk = Disk::new(stage, "disk.img", size_mib << 20);
    tool(program, &["-f", &disk.path()]);
    Case::on(disk)
}

fn other_label(stage: &Stage) -> Case {
    let disk = disk(stage);
    for offset in (0..1 << 20).step_by(4096) {
        let mut block = b"fsarena occupied".to_vec();
        block.extend((offset as u64).to_le_bytes());
        disk.write(offset as u64, &block);
    }
    Case::on(disk)
}

fn moved_mark(stage: &Stage) -> Case {
    let mut mark = b"fsarena released".to_vec();
    mark.extend(4096_u64.to_le_bytes());
    with_bytes(stage, &[(4096, &mark), (8192, &mark)])
}

fn written_over_mark(stage: &Stage) -> Case {
    let mut mark = b"fsarena released".to_vec();
    mark.extend(4096_u64.to_le_bytes());
    with_bytes(stage, &[(4096, &mark), (8191, b"x")])
}

fn id_of_another(stage: &Stage) -> Case {
    let (disk, other) = (with_ext4(stage), Disk::new(stage, "other.img", ROOM));
    let id = other.id();
    Case::among(vec![disk, other]).erase(&id)
}

fn id_of_two(stage: &Stage) -> Case {
    let (disk, other) = (with_ext4(stage), Disk::new(stage, "other.img", ROOM));
    let ids = [disk.id(), other.id()];
    Case::among(vec![disk, other]).erase(&ids[0]).erase(&ids[1])
}

fn one_of_two_is_used(stage: &Stage) -> Case {
    let (free, used) = (disk(stage), Disk::new(stage, "used.img", ROOM));
    tool("mke2fs", &["-q", "-F", "-t", "ext4", "-E", "lazy_itable_init=0", &used.path()]);
    let mounted = mount(stage, &used.path(), &["-o", "ro"]);
    let storage = format!("{},{}", free.path(), used.path());
    Case::among(vec![free, used]).at(&storage).with(mounted)
}

fn named_twice(stage: &Stage) -> Case {
    let case = Case::on(disk(stage));
    let storage = format!("{0},{0}", case.storage);
    case.at(&storage)
}

const IN_USE: &[Row] = &[
    (|stage| Case::on(with_ext4(stage)).mounted(stage), "mounted", 2, "it is mounted at"),
    (|stage| Case::on(with_ext4(stage)).mounted_read_only(stage), "mounted read-only", 2, "it is mounted at"),
    (|stage| Case::on(with_ext4(stage)).mounted(stage).erase_right(), "mounted, --erase", 2, "it is mounted at"),
    (mounted_elsewhere, "mounted in another mount namespace", 2, "it is mounted at"),
    (|stage| mounted_elsewhere(stage).erase_right(), "the same, --erase", 2, "it is mounted at"),
    (detached, "unmounted lazily, a file still open", 2, "another program holds it"),
    (swap, "swap space in use", 2, "it is used as swap space"),
    (|stage| swap(stage).erase_right(), "the same, --erase", 2, "it is used as swap space"),
    (|stage| with_partition(stage).mounted(stage).whole(), "disk of a mounted partition", 2, "it has partitions"),
    (|stage| with_partition(stage).whole().erase_right(), "disk of an idle partition, --erase", 2, "it has partitions"),
    (|stage| with_partition(stage).mounted(stage), "partition that is mounted", 2, "it is mounted at"),
    (|stage| Case::on(with_ext4(stage)).mounted(stage).partition(), "partition of a mounted disk", 2, "it is mounted"),
    (
        |stage| Case::on(disk(stage)).held().partition(),
        "partition of a disk that is held",
        2,
        "another program holds it",
    ),
    (|stage| Case::on(disk(stage)).held(), "held by another process (O_EXCL)", 2, "another program holds it"),
    (beneath_loop, "beneath a loop device, at an offset", 2, "uses it"),
    (|stage| beneath_loop(stage).erase_right(), "the same, --erase", 2, "uses it"),
    (over_a_mounted_device, "loop device over a mounted device", 2, "it is a loop device over the block device"),
    (twin, "its file is mounted through a second loop device", 2, "has the same file behind it"),
    (read_only, "read-only", 2, "it is read-only"),
    (linked, "a link, as in by-id, to a mounted disk", 2, "it is mounted at"),
    (by_path_in_fstab, "in fstab by path, --erase", 2, "/etc/fstab names it"),
    (by_uuid_in_fstab, "in fstab by UUID, --erase", 2, "/etc/fstab names it: UUID="),
    (by_label_in_fstab, "in fstab by label, --erase", 2, "/etc/fstab names it: LABEL="),
    (in_crypttab, "in crypttab, --erase", 2, "/etc/crypttab names it"),
    (one_of_two_is_used, "two disks, the second is mounted", 2, "it is mounted at"),
    (named_twice, "the same disk named twice", 2, "is named twice"),
];

const NO_DISK: &[Row] = &[
    (|_| Case::named("/dev/no-such-disk"), "does not exist", 2, "`/dev/no-such-disk` does not exist"),
    (|_| Case::named("/dev/null"), "a character device", 2, "is no block device"),
    (|_| Case::named("/dev/pts"), "a directory", 2, "is no block device"),
    (link_to_a_file, "a link to a file", 2, "is no block device"),
    (unbound, "a loop device without a file", 4, "0 B are free"),
    (|stage| Case::on(Disk::new(stage, "disk.img", 2 << 20)), "too small for both ends", 4, "are needed"),
    (|stage| Case::on(Disk::new(stage, "disk.img", 33 << 20)), "too small for the lanes", 4, "are needed"),
];

/// The first bytes of these signatures; blkid needs more bytes to identify some of them.
const LUKS: &[u8] = b"LUKS\xba\xbe\0\x01";
const LVM: &[u8] = b"LABELONE\x01\0\0\0\0\0\0\0\0\0\0\0 \0\0\0LVM2 001";
const RAID_OLD: &[u8] = b"\xfc\x4e\x2b\xa9\0\0\0\0\x5a\0\0\0";
const RAID: &[u8] = b"\xfc\x4e\x2b\xa9\x01\0\0\0";
const MBR: &[u8] = b"\x80\0\x02\0\x83\0\0\0\x01\0\0\0\xff\0\0\0";
const BCACHE: &[u8] = b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81";

const HOLDS_DATA: &[Row] = &[
    (|stage| Case::on(with_ext4(stage)), "ext4", 2, "TYPE=ext4"),
    (with_partition, "ext4 in a partition", 2, "TYPE=ext4"),
    (|stage| made_by(stage, 300, "mkfs.xfs"), "xfs", 2, "TYPE=xfs"),
    (|stage| made_by(stage, 120, "mkfs.btrfs"), "btrfs", 2, "TYPE=btrfs"),
    (|stage| with_bytes(stage, &[(0, LUKS)]), "LUKS", 2, "holds data"),
    (|stage| with_bytes(stage, &[(512, LVM)]), "LVM physical volume", 2, "holds data"),
    (|stage| with_bytes(stage, &[(ROOM - (64 << 10), RAID_OLD)]), "RAID member, 0.90, at the end", 2, "holds data"),
    (|stage| with_bytes(stage, &[(4096, RAID)]), "RAID member, 1.2", 2, "holds data"),
    (|stage| with_bytes(stage, &[(446, MBR), (510, b"\x55\xaa")]), "MBR", 2, "PTTYPE=dos"),
    (|stage| with_bytes(stage, &[(512, b"EFI PART\0\0\x01\0")]), "GPT", 2, "holds data"),
    (backup_table, "GPT, only its backup, odd size", 2, "holds data"),
    (swap_signature, "swap space that is off", 2, "TYPE=swap"),
    (|stage| with_bytes(stage, &[(4096 + 24, BCACHE)]), "bcache", 2, "holds data"),
    (zfs, "ZFS label", 2, "holds data"),
    (|stage| with_bytes(stage, &[(0, &random(ROOM as usize))]), "plain dm-crypt: random", 2, "data at byte 0"),
    (raw_database, "raw volume of a database", 2, "data at byte 4"),
    (
        |stage| with_bytes(stage, &[(21 << 20, &random(1 << 20))]),
        "zeros but for a MiB in the middle",
        2,
        "data at byte 2",
    ),
    (|stage| with_bytes(stage, &[(ROOM - 1, b"x")]), "zeros but for the last byte", 2, "data at byte 4"),
    (|stage| with_bytes(stage, &[(4095, b"x")]), "zeros but for byte 4095", 2, "data at byte 0"),
    (other_label, "label of a run that no ledger knows", 2, "the label of a run of fsarena"),
    (moved_mark, "release mark at another offset", 2, "data at byte 8192"),
    (written_over_mark, "release mark with one byte changed", 2, "data at byte 4096"),
];

const CONSENT: &[Row] = &[
    (|stage| Case::on(with_ext4(stage)).erase("Disk_123"), "wrong ID", 2, "names none of the disks"),
    (|stage| Case::on(disk(stage)).erase("Disk_123"), "wrong ID, the disk is empty", 2, "names none of the disks"),
    (by_path, "path instead of the ID", 2, "names none of the disks"),
    (id_of_another, "ID of another disk", 2, "names none of the disks"),
    (id_of_two, "right ID and that of another disk", 2, "names none of the disks"),
    (images, "--erase where the lanes are images", 2, "names none of the disks"),
];

/// The command; if there are lines for tables of /etc, in a mount namespace in which they are added.
fn command(stage: &Stage, case: &Case) -> Command {
    let mut command = compare(stage, &["ext4"], &case.storage);
    command.args(&case.arguments);
    if case.tables.is_empty() {
        return command;
    }
    let etc = stage.path("etc").display().to_string();
    let _ = fs::remove_dir_all(&etc);
    tool("cp", &["-a", "/etc", &etc]);
    for (name, line) in &case.tables {
        fs::write(format!("{etc}/{name}"), format!("# a test\n{line}\n")).expect("written");
    }
    let mut inside = Command::new("unshare");
    let script = format!("mount --bind {etc} /etc && exec \"$@\"");
    inside.args(["--mount", "sh", "-c", &script, "sh"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => inside.env(name, value),
            None => inside.env_remove(name),
        };
    }
    inside
}

/// Runs all rows, and prints the messages and whether the disks changed.
fn try_all(rows: &[Row]) {
    let Some(stage) = Stage::of_root() else { return };
    let failed: Vec<String> = rows.iter().filter_map(|row| attempt(&stage, row).err()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert_nothing_left(&stage);
}

/// Runs a row; an error describes an unexpected result.
fn attempt(stage: &Stage, (make, name, code, word): &Row) -> Result<(), String> {
    let case = make(stage);
    let hashes = || case.disks.iter().map(|disk| hash_from(&disk.path(), case.from)).collect::<Vec<_>>();
    let before = hashes();
    let output = command(stage, &case).output().expect("it starts");
    let after = hashes();
    let [error, hint] = lines(&output);
    let sum = before.first().map_or("no disk", String::as_str);
    let unchanged = if before == after { "same" } else { "CHANGED" };
    let found = output.status.code().unwrap_or(-1);
    println!("| {name} | {found} | {error} | {sum} | {unchanged} |");
    // For a wrong ID, the hint shows the right one.
    let disk = case.disks.first().filter(|disk| case.storage == disk.path() && word.contains("none of the disks"));
    let is_right = found == *code
        && error.contains(word)
        && !hint.is_empty()
        && before == after
        && disk.is_none_or(|disk| hint.contains(&disk.id()));
    if is_right { Ok(()) } else { Err(format!("{name}: {found}, {unchanged}: {}", err(&output))) }
}

#[test]
fn a_disk_in_use_is_refused_whatever_is_erased() {
    try_all(IN_USE);
}

#[test]
fn other_things_than_disks_are_refused() {
    try_all(NO_DISK);
}

#[test]
fn a_disk_with_data_is_refused_without_consent() {
    try_all(HOLDS_DATA);
}

#[test]
fn consent_to_something_else_is_refused() {
    try_all(CONSENT);
}
