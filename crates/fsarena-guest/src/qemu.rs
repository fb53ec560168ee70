//! QEMU: its command line, its process, and whether KVM works.

mod console;
mod running;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use fsarena_model::Bytes;
use fsarena_model::guest::{Accelerator, DiskMode, GuestDisk};
use fsarena_sys::child::{self, Patience};
use fsarena_sys::memory;
use rustix::system::uname;

use self::console::{Console, keep};
pub use self::running::Running;
use crate::cache::Cache;
use crate::channel::{self, RawDisk};
use crate::cpio::Archive;
use crate::lanes::{self, LaneDisk};
use crate::monitor::Monitor;
use crate::shares::{self, ServedFolders};
use crate::{GuestError, Prepared, RAW, init};

const PROGRAM: &str = "qemu-system-x86_64";

/// Room for translated code. QEMU would take up to 1 GiB, and all of it in some minutes of a database.
pub const TRANSLATED: Bytes = Bytes::mib(512);

/// How long a guest may be silent. Its agent writes a line at least every ten seconds of its own clock, which runs more
/// slowly if it counts instructions.
fn silence(accelerator: Accelerator) -> Duration {
    match accelerator {
        Accelerator::Kvm | Accelerator::Emulated => Duration::from_secs(120),
        Accelerator::Deterministic => Duration::from_secs(1800),
    }
}

/// How long a guest with KVM may take until its agent answers, when KVM is tried for the first time.
const TRIAL: Duration = Duration::from_secs(20);

pub fn version() -> Result<String, GuestError> {
    let missing = || GuestError::ProgramMissing { program: PROGRAM, package: "qemu-system-x86" };
    child::find_program(PROGRAM).ok_or_else(missing)?;
    let ended = child::run(&[PROGRAM, "--version"], Patience::query()).map_err(GuestError::io("start", PROGRAM))?;
    let words = ended.stdout.split_once("version ").map(|(_, rest)| rest.split_whitespace().next().unwrap_or(rest));
    Ok(words.unwrap_or("of unknown version").to_owned())
}

/// The devices of a guest.
#[derive(Debug)]
pub struct Hardware<'a> {
    /// Kernel, root and processor.
    pub prepared: &'a Prepared,
    /// The disk with the lanes, and its size.
    pub lanes: Option<(&'a GuestDisk, Bytes)>,
    /// How each lane's own disk is kept; empty: all lanes are on one disk.
    pub modes: &'a [DiskMode],
    /// A disk that the host reads and writes.
    pub raw: Option<&'a RawDisk>,
    /// Folders of the host that it mounts.
    pub shares: &'a ServedFolders,
    /// What the agent does, if it must not wait for the host to hear it.
    pub order: Option<&'a [u8]>,
}

impl<'a> Hardware<'a> {
    /// A guest without disks, which mounts these `shares`.
    pub fn new(prepared: &'a Prepared, shares: &'a ServedFolders) -> Self {
        Self { prepared, lanes: None, modes: &[], raw: None, shares, order: None }
    }

    /// Boots the guest, and waits until its agent has answered, or `stop` is set. If its kernel crashes before, it is
    /// booted once more ([`Running::findings`] has it), since nothing of a run has happened by then
    /// (docs/decisions/0042).
    ///
    /// # Errors
    /// If QEMU cannot be started, or the agent does not answer.
    pub fn boot(&self, stop: &AtomicBool) -> Result<Running, GuestError> {
        let mut running = self.start()?;
        if running.answers(stop) || stop.load(Ordering::Relaxed) {
            return Ok(running);
        }
        let error = running.explained(&format!("with {} did not start its agent", self.prepared.name()));
        let Some(crash) = running.crash() else { return Err(error) };
        // The servers of its folders may have ended with it: then the first error says more.
        let Ok(mut again) = self.start() else { return Err(error) };
        again.crash_before = Some(crash);
        if again.answers(stop) || stop.load(Ordering::Relaxed) { Ok(again) } else { Err(error) }
    }

    /// Starts QEMU.
    fn start(&self) -> Result<Running, GuestError> {
        let (host, guest) = channel::pair()?;
        let archive = self.archive()?;
        let lanes = lanes::disks(self.lanes, self.modes)?;
        lanes::require_memory(1, self.prepared.memory, lanes::in_memory(&lanes, self.lanes), memory::available())?;
        let watched = (!self.modes.is_empty()).then(|| Monitor::of(&lanes)).transpose()?;
        let (mut monitor, monitored) = watched.unzip();
        channel::inherit(&guest)?;
        channel::inherit(&archive)?;
        monitored.as_ref().map_or(Ok(()), channel::inherit)?;
        lanes.iter().try_for_each(|disk| channel::inherit(&disk.file))?;
        for file in self.raw.iter().flat_map(|raw| [Some(&raw.content), raw.log.as_ref()]).flatten() {
            channel::inherit(file)?;
        }
        let mut words = self.command(&guest, &archive, &lanes);
        if let Some(monitored) = &monitored {
            let socket = format!("socket,id=monitor,fd={}", monitored.as_raw_fd());
            words.extend(["-chardev", &socket, "-mon", "chardev=monitor,mode=control"].map(str::to_owned));
        }
        let started = || {
            let (output, end) = io::pipe()?;
            let qemu = child::started(&words)?.stdout(end.try_clone()?).stderr(end).spawn()?;
            Ok::<_, io::Error>((qemu, output))
        };
        let (qemu, output) = started().map_err(GuestError::io("start", PROGRAM))?;
        // QEMU has its own descriptors now. The channel has to end when QEMU ends, so its end must not stay open here.
        drop((guest, archive, monitored));
        if let Some(monitor) = &mut monitor {
            monitor.count(qemu.id());
        }
        let console = Arc::new(Mutex::new(Console::default()));
        let host = Arc::new(host);
        let (kept, agent) = (Arc::clone(&console), Arc::clone(&host));
        let reader = Some(thread::spawn(move || keep(output, &kept, &agent)));
        let accelerator = self.prepared.accelerator;
        let silence = silence(accelerator);
        host.set_read_timeout(Some(silence)).map_err(GuestError::io("set", "a time limit"))?;
        let has_arguments = self.shares.has_arguments();
        let (stream, crash_before) = (host, None);
        let running =
            Running { qemu, stream, reader, console, silence, monitor, accelerator, has_arguments, crash_before };
        // The guest boots meanwhile. It writes nothing before its agent is asked to.
        lanes::allocate(&lanes, self.lanes)?;
        Ok(running)
    }

    /// The archive from which the kernel fills its first file system: this binary as init, and the modules of the boot.
    fn archive(&self) -> Result<File, GuestError> {
        let own = Path::new("/proc/self/exe");
        let binary = fs::read(own).map_err(GuestError::io("read", own))?;
        let boot = &self.prepared.root.boot;
        let modules = fs::read(boot).map_err(GuestError::io("read", boot))?;
        let mut file = channel::memory("fsarena-boot")?;
        let written = |file: &mut File| {
            let mut archive = Archive::new(&mut *file);
            archive.directory("dev")?;
            archive.device("dev/console", 5, 1)?;
            archive.file("init", &binary)?;
            self.order.map_or(Ok(()), |order| archive.file(init::ORDER, order))?;
            if let Some(mounts) = self.shares.at_boot() {
                let lines: String = mounts.iter().map(|mount| format!("{mount}\n")).collect();
                archive.file(init::MOUNTS, lines.as_bytes())?;
            }
            archive.finish()?;
            file.write_all(&modules)?;
            file.seek(SeekFrom::Start(0))
        };
        written(&mut file).map_err(GuestError::io("write", "the boot archive"))?;
        Ok(file)
    }

    fn is_deterministic(&self) -> bool {
        self.prepared.accelerator == Accelerator::Deterministic
    }

    /// The guest's memory: what was asked for, and what its simulated disk takes.
    fn memory(&self) -> Bytes {
        let disk = match self.lanes {
            Some((GuestDisk::Simulated(_), size)) => size.0,
            _ => 0,
        };
        Bytes(self.prepared.memory.0 + disk)
    }

    fn kernel_parameters(&self) -> String {
        // On a busy host, QEMU's thread that delivers ticks may wait so long that a kernel that tests for them panics.
        // Self-tests of cryptographic algorithms are a fifth of an emulated boot.
        let mut line = "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check cryptomgr.notests".to_owned();
        if let Some((GuestDisk::Simulated(disk), size)) = self.lanes {
            let (size, cache) = (size.0.div_ceil(1 << 20), disk.cache.0 >> 20);
            let bandwidth = disk.bandwidth.map_or(0, |bandwidth| bandwidth.0 >> 20);
            line += &format!(" {}={size},{},{bandwidth},{cache}", init::SIMULATED, disk.latency.0);
        }
        if self.shares.has_network {
            line += &format!(" {}={}", init::ADDRESS, shares::GUEST);
        }
        if self.shares.at_boot().is_some() {
            line += &format!(" {}={}", init::NAME, client_name());
        }
        if self.is_deterministic() {
            // Each instruction takes a nanosecond, so the kernel need not measure that for 50 ms.
            line += " norandmaps random.trust_cpu=off tsc_early_khz=1000000";
        }
        line
    }

    fn command(&self, channel: &OwnedFd, archive: &File, lanes: &[LaneDisk]) -> Vec<String> {
        let Prepared { kernel, root, accelerator, .. } = self.prepared;
        let processors = thread::available_parallelism().map_or(1, usize::from).min(4);
        let emulated = || format!("tcg,thread=single,tb-size={}", TRANSLATED.0 >> 20);
        let (accelerated, processor, processors) = match accelerator {
            Accelerator::Kvm => ("kvm".to_owned(), "host", processors),
            // More emulated processors gain nothing and are noisier. A processor with erms copies data by `rep movsb`,
            // which is emulated byte by byte (docs/decisions/0040).
            Accelerator::Emulated => (emulated(), "max,-erms,-fsrm", 1),
            Accelerator::Deterministic => (emulated(), "max,-erms,-fsrm,-rdrand,-rdseed", 1),
        };
        let mut words: Vec<String> =
            [PROGRAM, "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-M", "q35,nvdimm=on"]
                .map(str::to_owned)
                .to_vec();
        let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
        add("-accel", accelerated);
        add("-cpu", processor.to_owned());
        add("-smp", processors.to_string());
        let image = fs::metadata(&root.image).map_or(0, |found| found.len());
        let memory = self.memory().0 >> 20;
        add("-m", format!("{memory}M,slots=1,maxmem={}M", memory + (image >> 20)));
        // The root is in memory that the guest shares with the host: reading it involves no device and no other thread.
        let path = escaped(&root.image);
        add("-object", format!("memory-backend-file,id=root,mem-path={path},size={image},readonly=on"));
        add("-device", "nvdimm,memdev=root,unarmed=on".to_owned());
        add("-kernel", kernel.image.display().to_string());
        add("-initrd", format!("/dev/fd/{}", archive.as_raw_fd()));
        add("-append", self.kernel_parameters());
        add("-chardev", "stdio,id=console,signal=off".to_owned());
        add("-serial", "chardev:console".to_owned());
        // The processor hands over what it writes at once, and does not wait for another thread of QEMU.
        add("-device", "virtio-serial-pci,ioeventfd=off".to_owned());
        add("-chardev", format!("socket,id=agent,fd={}", channel.as_raw_fd()));
        add("-device", format!("virtserialport,chardev=agent,name={}", init::PORT));
        if self.is_deterministic() {
            // A nanosecond for each instruction; the clock jumps over idle time, and never follows the host's.
            // Recording makes QEMU's main thread wait until the processor has stopped. Without that, the thread may see
            // that the processor halts before the last instructions are counted, and the clock jumps too far by these.
            add("-icount", "shift=0,sleep=off,rr=record,rrfile=/dev/null".to_owned());
            add("-rtc", "base=2026-01-01,clock=vm".to_owned());
            add("-seed", "1".to_owned());
        }
        if let Some(RawDisk { content, log }) = self.raw {
            add("-add-fd", format!("fd={},set=2", content.as_raw_fd()));
            add("-blockdev", "driver=file,node-name=raw,filename=/dev/fdset/2".to_owned());
            if let Some(log) = log {
                add("-add-fd", format!("fd={},set=3", log.as_raw_fd()));
                add("-blockdev", "driver=file,node-name=log,filename=/dev/fdset/3".to_owned());
                add("-blockdev", "driver=blklogwrites,node-name=logged,file=raw,log=log".to_owned());
            }
            let drive = if log.is_some() { "logged" } else { "raw" };
            // Merged requests left holes in the log. QEMU before 8.1 may log zeroes that are written without data at
            // the wrong place.
            let how = "request-merging=off,discard=off,write-zeroes=off";
            add("-device", format!("virtio-blk-pci,drive={drive},serial={RAW},{how}"));
        }
        // Sets 2 and 3 are those of the disk above.
        for (index, disk) in lanes.iter().enumerate() {
            words.extend(disk.arguments(4 + index));
        }
        words.extend(self.shares.arguments(self.memory()));
        words
    }
}

/// The host name of a guest that is a client. Servers tell their NFS clients apart by it (nfs(5), "nfs4_unique_id").
fn client_name() -> String {
    let host: String = uname().nodename().to_string_lossy().chars().take(40).collect();
    format!("{host}-guest-{}", process::id())
}

/// A path in a QEMU option: commas are doubled.
pub fn escaped(path: &Path) -> String {
    path.display().to_string().replace(',', ",,")
}

/// KVM, if a guest boots with it within a time limit; this is tried once after each boot of the host.
pub fn usable(prepared: &mut Prepared, cache: &Cache<'_>) -> Result<Accelerator, GuestError> {
    if File::options().read(true).write(true).open("/dev/kvm").is_err() {
        return Ok(Accelerator::Emulated);
    }
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let memo = cache.folder.join("kvm");
    let before = fs::read_to_string(&memo).unwrap_or_default();
    if let Some(known) = before.strip_prefix(boot.as_str()) {
        return Ok(if known == "works" { Accelerator::Kvm } else { Accelerator::Emulated });
    }
    cache.tell("trying KVM");
    prepared.accelerator = Accelerator::Kvm;
    let mut running = Hardware::new(prepared, &ServedFolders::default()).start()?;
    running.silence = TRIAL;
    let works = running.answers(&AtomicBool::new(false));
    let text = format!("{boot}{}", if works { "works" } else { "fails" });
    // Without the memo, it is tried again next time.
    let _ = fs::write(&memo, text);
    Ok(if works { Accelerator::Kvm } else { Accelerator::Emulated })
}
