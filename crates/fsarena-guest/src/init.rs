//! The first process of a guest: mounts the root, starts the agent on the virtio-serial port, and switches the machine
//! off when the agent has ended.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fsarena_sys::child::WITHOUT_UDEV;
use fsarena_sys::random;
use rustix::mount::mount_move;
use rustix::process::{WaitOptions, chdir, chroot, getpid};
use rustix::system::{RebootCommand, finit_module, reboot, sethostname};

use crate::boot_mount::mount_at;
use crate::{BootMount, shares};

/// The archive's directory of modules. No other system has it.
pub const MODULES: &str = "fsarena-modules";
/// Name of the virtio-serial port of the agent.
pub const PORT: &str = "fsarena.agent";
/// The device with the root: persistent memory (Documentation/driver-api/nvdimm/nvdimm.rst).
const ROOT: &str = "/dev/pmem0";
/// The archive's copy of the order, for guests that must not wait for a device of the host.
pub const ORDER: &str = "fsarena-order.json";
/// The kernel's parameter for a simulated disk: size in MiB, latency in ns, bandwidth in MB/s or 0, cache in MiB.
pub const SIMULATED: &str = "fsarena.disk";

/// The archive's list of what the guest mounts, as lines of fstab(5).
pub const MOUNTS: &str = "fsarena-mounts";

/// The kernel's parameter for the guest's host name.
pub const NAME: &str = "fsarena.name";

/// The kernel's parameter for the guest's address on the network, with the length of its prefix.
pub const ADDRESS: &str = "fsarena.address";

/// How long devices may take to appear.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(5);

/// Path of the virtio disk with this serial number, as udev names it.
pub fn by_id(serial: &str) -> PathBuf {
    PathBuf::from(format!("/dev/disk/by-id/virtio-{serial}"))
}

/// Whether this process is the first one of a guest.
pub fn is_init() -> bool {
    getpid().is_init() && Path::new("/").join(MODULES).is_dir()
}

/// Whether this machine is a guest that is a client: what it writes outside of its mounts ends with it.
pub fn is_client() -> bool {
    matches!(parameter(NAME), Ok(Some(_)))
}

/// Runs the guest; never returns. `arguments` are those with which this binary becomes the agent.
pub fn run(arguments: &[&str]) -> ! {
    if let Err(error) = start(arguments) {
        // Standard error is the console, which the host reads.
        let _ = io::stderr().write_all(format!("fsarena: {error}\n").as_bytes());
    }
    rustix::fs::sync();
    let _ = reboot(RebootCommand::PowerOff);
    loop {
        thread::sleep(PATIENCE);
    }
}

fn start(arguments: &[&str]) -> io::Result<()> {
    for (kind, point) in [("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev")] {
        mount_kind(kind, point, "")?;
    }
    load_modules()?;
    let order = fs::read(Path::new("/").join(ORDER)).ok();
    if order.is_some() {
        // It has no noise of its own, and the kernel would look for some for a second.
        random::seed([1; 32])?;
    }
    let mounts = fs::read_to_string(Path::new("/").join(MOUNTS)).unwrap_or_default();
    enter_root()?;
    sethostname(parameter(NAME)?.unwrap_or_else(|| "guest".to_owned()).as_bytes())?;
    for (kind, point) in [("tmpfs", "/tmp"), ("tmpfs", "/run"), ("tmpfs", "/dev/shm"), ("devpts", "/dev/pts")] {
        mount_kind(kind, point, "")?;
    }
    // Control groups, for workloads with a memory limit. Without them, such workloads are refused.
    let _ = mount_kind("cgroup2", "/sys/fs/cgroup", "");
    let _ = fs::write("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
    name_disks()?;
    simulate_disk()?;
    connect()?;
    for line in mounts.lines() {
        line.parse::<BootMount>().map_err(io::Error::other)?.mount()?;
    }
    let port = port()?;
    let mut agent = Command::new("/proc/self/exe");
    agent.args(arguments).env("PATH", "/usr/sbin:/usr/bin").env("HOME", "/root").stdout(Stdio::from(port.try_clone()?));
    agent.envs(WITHOUT_UDEV);
    agent.stdin(if order.is_some() { Stdio::piped() } else { Stdio::from(port.try_clone()?) });
    let mut started = agent.spawn()?;
    if let (Some(order), Some(mut stdin)) = (order, started.stdin.take()) {
        thread::spawn(move || {
            let _ = stdin.write_all(&order).and_then(|()| io::copy(&mut &port, &mut stdin).map(drop));
        });
    }
    let agent = rustix::process::Pid::from_child(&started);
    // Orphans of servers become children of this process and are reaped here as well.
    while let Some((ended, _)) = rustix::process::wait(WaitOptions::empty())? {
        if ended == agent {
            break;
        }
    }
    Ok(())
}

/// Mounts a file system that is on no device.
fn mount_kind(kind: &str, point: &str, options: &str) -> io::Result<()> {
    mount_at(point, kind, kind, options)
}

/// Loads the archive's modules, whose names begin with their number in the order.
fn load_modules() -> io::Result<()> {
    let mut paths = fs::read_dir(Path::new("/").join(MODULES))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    for path in paths {
        let failed = |error: rustix::io::Errno| io::Error::other(format!("load {}: {error}", path.display()));
        finit_module(File::open(&path)?, c"", 0).map_err(failed)?;
    }
    Ok(())
}

/// Mounts the root below a file system in memory that takes all changes, and makes it the root. Kernel threads
/// share the root of this process, so they find modprobe there.
fn enter_root() -> io::Result<()> {
    waited(ROOT, || Path::new(ROOT).exists().then_some(()))?;
    mount_at("/lower", "ext4", ROOT, "ro")?;
    mount_kind("tmpfs", "/upper", "")?;
    for folder in ["/upper/files", "/upper/work"] {
        fs::create_dir_all(folder)?;
    }
    mount_kind("overlay", "/new", "lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work")?;
    for point in ["/proc", "/sys", "/dev"] {
        mount_move(point, format!("/new{point}"))?;
    }
    chdir("/new")?;
    mount_move(".", "/")?;
    chroot(".")?;
    Ok(chdir("/")?)
}

/// Links to the virtio disks by their serial numbers, as udev makes them.
fn name_disks() -> io::Result<()> {
    for entry in fs::read_dir("/sys/block")? {
        let name = entry?.file_name();
        let serial = fs::read_to_string(Path::new("/sys/block").join(&name).join("serial")).unwrap_or_default();
        if !serial.trim().is_empty() {
            link(serial.trim(), &Path::new("/dev").join(&name))?;
        }
    }
    Ok(())
}

/// The value of a parameter of the kernel's command line.
fn parameter(name: &str) -> io::Result<Option<String>> {
    let line = fs::read_to_string("/proc/cmdline")?;
    Ok(line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned))
}

/// Gives the guest its address and the way to other machines, if it has a network, and the loopback device its address.
fn connect() -> io::Result<()> {
    let ip = |words: &str| match Command::new("/usr/bin/ip").args(words.split(' ')).status()?.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("`ip {words}` failed"))),
    };
    ip("link set lo up")?;
    let Some(address) = parameter(ADDRESS)? else { return Ok(()) };
    let _ = Command::new("/usr/sbin/modprobe").arg("virtio_net").status();
    waited("the network device", || Path::new("/sys/class/net/eth0").exists().then_some(()))?;
    ip(&format!("address add {address} dev eth0"))?;
    ip("link set eth0 up")?;
    ip(&format!("route add default via {}", shares::HOST))
}

/// Makes the disk that the kernel's command line describes (Documentation/block/null_blk.rst). It has 512-byte sectors,
/// like the virtio disk.
fn simulate_disk() -> io::Result<()> {
    let Some(parameter) = parameter(SIMULATED)? else { return Ok(()) };
    let failed = |what: &str| io::Error::other(format!("make the simulated disk: {what}"));
    let numbers: Vec<&str> = parameter.split(',').collect();
    let [size, latency, bandwidth, cache] = numbers[..] else { return Err(failed(&parameter)) };
    let loaded = Command::new("/usr/sbin/modprobe").args(["null_blk", "nr_devices=0"]).status()?;
    if !loaded.success() {
        return Err(failed("the kernel has no module null_blk"));
    }
    // The mount fails if the kernel's image has it mounted already.
    let _ = mount_kind("configfs", "/sys/kernel/config", "");
    let disk = Path::new("/sys/kernel/config/nullb/nullb0");
    fs::create_dir(disk)?;
    let timer = if latency == "0" { "0" } else { "2" };
    let settings = [
        ("size", size),
        ("blocksize", "512"),
        ("memory_backed", "1"),
        ("irqmode", timer),
        ("completion_nsec", latency),
        ("mbps", bandwidth),
        ("cache_size", cache),
        ("power", "1"),
    ];
    for (name, value) in settings {
        fs::write(disk.join(name), value).map_err(|error| failed(&format!("{name}={value}: {error}")))?;
    }
    link(crate::LANES, Path::new("/dev/nullb0"))
}

/// Links the name that udev would give to the disk with this serial number.
fn link(serial: &str, device: &Path) -> io::Result<()> {
    let link = by_id(serial);
    fs::create_dir_all(link.parent().unwrap_or(Path::new("/")))?;
    symlink(device, link)
}

/// The agent's port, open for reading and writing.
fn port() -> io::Result<File> {
    let named = || {
        let ports = fs::read_dir("/sys/class/virtio-ports").ok()?.filter_map(Result::ok);
        let is_ours = |path: &Path| fs::read_to_string(path.join("name")).is_ok_and(|name| name.trim() == PORT);
        let mut found = ports.filter(|port| is_ours(&port.path()));
        found.next().map(|port| Path::new("/dev").join(port.file_name())).filter(|path| path.exists())
    };
    OpenOptions::new().read(true).write(true).open(waited("the port of the agent", named)?)
}

fn waited<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> io::Result<T> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(found) = found() {
            return Ok(found);
        }
        thread::sleep(LOOK);
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, format!("{what} did not appear")))
}
