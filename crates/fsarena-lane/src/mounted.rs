//! Contenders that are made, mounted and verified for work, and later unmounted and checked.

mod facts;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fsarena_model::{Bytes, Contender, Nanos};
use fsarena_sys::child::{self, Ended, Killed, Patience};
use fsarena_sys::daemon::Daemon;
use fsarena_sys::directory::FileId;
use fsarena_sys::{Access, block, clock, mount, mountinfo};

use crate::busy::BusyPatience;
use crate::kind::{Ground, Identity, Kind, MkfsResult, command, without_effect};
use crate::layer::{self, Stack};
use crate::ledger::{Ledger, Made};
use crate::require::MKFS_HINT;
use crate::{CheckResult, LaneError, pool};

pub use facts::facts;

/// Mount options with which the kernel shows what a library has written: it writes nothing, and replays no journal.
pub const UNTOUCHED: &str = "ro,norecovery";

/// How long a file system may stay busy when it is unmounted, and when it is remounted read-only: five seconds.
const PATIENCE: BusyPatience = BusyPatience::seconds(5);
const REST_PATIENCE: BusyPatience = BusyPatience { attempts: 1001, pause: Duration::from_millis(5) };

/// The largest file on which options of mkfs are tried, and the time limit of that.
pub(crate) const MOST_TRIED: Bytes = Bytes::gib(16);
pub(crate) const TRIED: Duration = Duration::from_secs(60);

/// Where the options of an mkfs that fails come from.
const OPTIONS_FROM: &str = "the options come from the contender, mkfs's configuration and the lane's size";

/// Time limit of a program that mounts.
const MOUNTING: Duration = Duration::from_secs(60);

/// A contender made and mounted.
#[derive(Debug, Default)]
pub struct Mounted {
    /// The mount point, or the existing directory.
    pub directory: PathBuf,
    pub lane: Option<usize>,
    /// Whether the run has mounted it.
    pub is_mounted: bool,
    /// Whether a library has worked on it.
    pub is_used: bool,
    /// Identity of the directory, if nothing is mounted on it.
    pub id: Option<FileId>,
    /// What it was made on: its lane, or the layers above it.
    pub stack: Stack,
    mkfs: Vec<String>,
    result: MkfsResult,
    /// How long mkfs may take.
    limit: Duration,
    /// The kind's daemon, while it is mounted.
    daemon: Option<Daemon>,
}

impl Mounted {
    /// A directory on which nothing is mounted.
    pub fn in_place(directory: PathBuf, id: Option<FileId>) -> Self {
        Self { directory, id, ..Self::default() }
    }

    /// Starts the kind's daemon, if it has one, for the file system that is mounted here.
    pub fn start_daemon(&mut self, kind: &Kind) -> Result<(), LaneError> {
        let device = &self.stack.device;
        let argv = if self.lane.is_some() { command(kind.daemon, &[device, &self.directory]) } else { Vec::new() };
        if let Some(program) = argv.first() {
            let started = Daemon::start(&argv, Path::new("/"), Path::new("/dev/null"));
            self.daemon = Some(started.map_err(LaneError::io("start", program))?);
        }
        Ok(())
    }

    /// Ends the kind's daemon, unmounts the file system and exports its pool, if it lies in one. If it stays busy, it
    /// stays mounted without the daemon.
    pub fn unmount(&mut self) -> Result<(), LaneError> {
        self.daemon = None;
        unmount(&self.directory)?;
        pool::export(&self.stack.device)
    }
}

/// Makes `contender` on `stack`, which lies on the lane with this index, and mounts it at `point`.
pub fn make(
    contender: &Contender,
    kind: &Kind,
    lane: Option<(usize, Stack)>,
    identity: &Identity,
    mounting: &Mounting,
    point: &Path,
) -> Result<Mounted, LaneError> {
    let mut made = Mounted::in_place(point.to_owned(), None);
    if let Some((index, stack)) = lane {
        (made.lane, made.stack) = (Some(index), stack);
        let (device, size) = (made.stack.device.clone(), layer::size(&made.stack.device)?);
        let refused = |what| LaneError::bad_option(contender, what, MKFS_HINT);
        made.mkfs = kind.mkfs(&device, identity, contender).map_err(refused)?;
        made.limit = tool_limit(size);
        let ran = run_tool(&made.mkfs, made.limit).map_err(|error| of_untried(contender, kind, error));
        let description = ran? + &run_tool(&command(kind.describe, &[&device]), made.limit)?;
        made.result = (kind.made)(&description);
        if let Some(words) = made.result.differs(identity, size) {
            let (command, words) = (made.mkfs.join(" "), format!("made something else: {words}"));
            return Err(LaneError::Program { command, words, hint: Some(OPTIONS_FROM) });
        }
    }
    if kind.ground != Ground::Library {
        mounting.mount_at(kind, point)?;
        made.is_mounted = true;
        made.start_daemon(kind)?;
    }
    Ok(made)
}

/// The failure of an mkfs. Options of a pool could not be tried before: what it refuses is probably one of them.
fn of_untried(contender: &Contender, kind: &Kind, error: LaneError) -> LaneError {
    let has_options = !contender.mkfs.is_empty() || !contender.mount.is_empty();
    if kind.is_pool && has_options { refused_by_mkfs(contender, error) } else { error }
}

/// The failure of an mkfs that refuses what a contender has.
pub(crate) fn refused_by_mkfs(contender: &Contender, error: LaneError) -> LaneError {
    match error {
        LaneError::Program { command, words, .. } => {
            LaneError::bad_option(contender, format!("`{command}` fails: {words}"), MKFS_HINT)
        }
        error => error,
    }
}

/// Makes a contender that has options of mkfs once on a sparse file in memory, to find out what its mkfs refuses, and
/// whether this kernel can mount what it makes. The file has no name, so that nothing stays however this process ends.
/// Nothing is found out without /dev/shm or without the mkfs.
///
/// # Errors
/// [`LaneError::BadOption`] with the words of the mkfs, or why it cannot be mounted.
pub fn try_mkfs(contender: &Contender, kind: &Kind, lane: Bytes) -> Result<(), LaneError> {
    let Ok(file) = tempfile::tempfile_in("/dev/shm") else { return Ok(()) };
    if contender.mkfs.is_empty() || file.set_len(lane.0.min(MOST_TRIED.0)).is_err() {
        return Ok(());
    }
    let path = PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()));
    let refused = |what| LaneError::bad_option(contender, what, MKFS_HINT);
    let any = "11111111-2222-4333-8444-555555555555";
    let identity = Identity { uuid: any.to_owned(), hash_seed: any.to_owned() };
    let argv = kind.mkfs(&path, &identity, contender).map_err(refused)?;
    let made = match run_tool(&argv, TRIED) {
        Ok(made) => made,
        Err(LaneError::Program { words, .. }) => {
            // What follows are lists of all options.
            let what = words.split("\n\n").flat_map(|text| text.split("\nUsage:")).next().unwrap_or_default();
            return Err(refused(format!("`{} {}` fails: {what}", argv[0], contender.mkfs.join(" "))));
        }
        Err(_) => return Ok(()),
    };
    let made = (kind.made)(&(made + &run_tool(&command(kind.describe, &[&path]), TRIED).unwrap_or_default()));
    let unused = without_effect(kind.options, &contender.mkfs, &made.features).into_iter().next();
    if let Some((words, feature)) = unused.filter(|_| !made.features.is_empty()) {
        let (why, hint) = match feature {
            Some(feature) => (format!("without the feature `{feature}`"), format!("leave it out, or add -O {feature}")),
            None => ("here".to_owned(), "leave it out".to_owned()),
        };
        let what = format!("`{words}` of {} has no effect {why}", argv[0]);
        return Err(LaneError::bad_option(contender, what, hint));
    }
    let hint = "leave it out, or compare in a guest with another kernel: --guest-kernel PACKAGE";
    kind.not_mounted(&made).map_or(Ok(()), |why| Err(LaneError::bad_option(contender, why, hint)))
}

/// Runs mkfs again for a library's file system if a library has worked on it, and marks it as used.
pub fn renew(made: &mut Mounted) -> Result<(), LaneError> {
    match std::mem::replace(&mut made.is_used, true) {
        true => run_tool(&made.mkfs, made.limit).map(drop),
        false => Ok(()),
    }
}

/// Runs a tool that has to succeed, and returns what it printed; nothing if there is no such tool.
fn run_tool(argv: &[String], limit: Duration) -> Result<String, LaneError> {
    if argv.is_empty() {
        return Ok(String::new());
    }
    succeeded(argv, limit, Some(OPTIONS_FROM)).map(|ended| ended.stdout)
}

/// Runs a program that has to succeed. The `hint` is for its failure.
pub(crate) fn succeeded(argv: &[String], limit: Duration, hint: Option<&'static str>) -> Result<Ended, LaneError> {
    let words = match run(argv, limit)? {
        Ok(ended) if ended.status.success() => return Ok(ended),
        Ok(ended) => ended.words(),
        Err(killed) => killed.to_string(),
    };
    Err(LaneError::Program { command: argv.join(" "), words, hint })
}

/// Time limit of mkfs or a checker on a device of this size: ten minutes, plus a second for each 16 MiB.
pub(crate) fn tool_limit(size: Bytes) -> Duration {
    Duration::from_secs(600 + (size.0 >> 24))
}

fn run(argv: &[String], limit: Duration) -> Result<Result<Ended, Killed>, LaneError> {
    let error = match child::run_apart(argv, Patience::new(limit)) {
        Ok(ended) => return Ok(Ok(ended)),
        Err(error) => error,
    };
    error.downcast::<Killed>().map(Err).map_err(LaneError::io("start", &argv[0]))
}

/// What is mounted, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mounting {
    /// A device, which may have a pool, or what a server calls the folder.
    pub source: String,
    /// Comma-separated.
    pub options: String,
}

impl Mounting {
    /// Mounts a file system of that kind, and verifies the type and the source of the mount.
    ///
    /// # Errors
    /// If the mount fails, or turns out to be something else.
    pub fn mount_at(&self, kind: &Kind, point: &Path) -> Result<(), LaneError> {
        let Self { source, options } = self;
        forget_cached(Path::new(source)).map_err(LaneError::io("forget what is cached of", source))?;
        let source = if kind.is_pool { &pool::import(Path::new(source))? } else { source };
        match kind.mounter {
            Some(program) => by_program(program, source, options, point)?,
            None => by_kernel(kind.mounted_as, source, options, point)?,
        }
        verify(kind, source, point)
    }
}

fn by_program(program: &str, source: &str, options: &str, point: &Path) -> Result<(), LaneError> {
    let argv = [program, source, &point.display().to_string(), "-o", options].map(str::to_owned);
    let hint = "options after the colon of a contender are given to that program";
    succeeded(&argv, MOUNTING, Some(hint)).map(drop)
}

fn by_kernel(kind: &str, source: &str, options: &str, point: &Path) -> Result<(), LaneError> {
    mount::mount(kind, source, options, point).map_err(|error| LaneError::Mount {
        source_device: source.to_owned(),
        kind: kind.to_owned(),
        options: options.to_owned(),
        error: Box::new(error),
    })
}

/// Mounts a tmpfs of the run with these options at `point`, which is made if it is missing.
pub fn mount_tmpfs(ledger: &mut Ledger, point: &Path, mode: u32, options: &str) -> Result<(), LaneError> {
    if !point.exists() {
        ledger.make_directory(point, mode)?;
    }
    ledger.announce(Made::Mount { path: point.to_owned() })?;
    by_kernel("tmpfs", "fsarena", options, point)
}

/// Forgets what the kernel has cached of a block device. A lane stays open, so an unmount alone does not do that,
/// unless the file system asks for it. NILFS2 does not: it writes past this cache and reads its log from it when it is
/// mounted, so that it would find old blocks and go back to an older checkpoint.
pub(crate) fn forget_cached(source: &Path) -> io::Result<()> {
    match fs::metadata(source) {
        Ok(found) if found.file_type().is_block_device() => block::forget(&File::open(source)?),
        _ => Ok(()),
    }
}

/// Checks mountinfo. An ext3 image mounts as ext4 without an error, and statfs does not distinguish them.
fn verify(kind: &Kind, source: &str, point: &Path) -> Result<(), LaneError> {
    let found = mountinfo::mount_of(point).map_err(LaneError::io("look up the mount of", point))?;
    match found.kind == kind.mounted_as && found.source == source && found.point == point {
        true => Ok(()),
        false => Err(LaneError::WrongMount {
            path: point.to_owned(),
            expected: format!("{} from {source}", kind.mounted_as),
            found: format!("{} from {} at {}", found.kind, found.source, found.point.display()),
        }),
    }
}

/// Unmounts what is at `point`, and retries for a while if it is busy.
pub fn unmount(point: &Path) -> Result<(), LaneError> {
    let unmounted = PATIENCE.wait(|| mount::unmount_plainly(point).map_err(io::Error::from));
    unmounted.map_err(|source| LaneError::Unmount { path: point.to_owned(), source })
}

/// Remounts `point` read-only and then read-write, and returns how long that took. A file may stay open for writing for
/// a while after its last user has gone (io_uring releases its files later): this function waits for that, and does not
/// count the wait. If it fails, no workload may write there.
pub fn rest(point: &Path) -> Result<Nanos, LaneError> {
    let change = |access| {
        let changed = mount::reconfigure(point, access);
        changed.map_err(|error| io::Error::new(io::Error::from(error.errno).kind(), error))
    };
    let read_only = REST_PATIENCE.wait(|| {
        let start = clock::now();
        change(Access::ReadOnly).map(|()| start)
    });
    let done = read_only.and_then(|start| change(Access::ReadWrite).map(|()| start));
    let start = done.map_err(|source| LaneError::Rest { path: point.to_owned(), source })?;
    Ok(clock::now().saturating_sub(start))
}

/// Runs the kind's own checker on the unmounted file system, which it does not change. `None` if there is no checker,
/// or this process has been asked to stop.
pub fn check(kind: &Kind, device: &Path) -> Result<Option<CheckResult>, LaneError> {
    let argv = command(kind.check, &[device]);
    if argv.is_empty() {
        return Ok(None);
    }
    let ended = match run(&argv, tool_limit(layer::size(device)?))? {
        Ok(ended) => ended,
        Err(Killed::Stopped { .. }) => return Ok(None),
        Err(late) => return Err(LaneError::Check(late)),
    };
    let clean = ended.status.success();
    Ok(Some(CheckResult { clean, output: if clean { String::new() } else { ended.words() } }))
}

/// The name of the backing device info of the file system at `directory`, such as `7:1000` or `btrfs-3`.
pub fn backing(directory: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let device = fs::metadata(directory).ok()?.dev();
    let number = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
    let named = Path::new("/sys/class/bdi").join(&number).exists().then_some(number);
    named.or_else(|| btrfs_backing(directory))
}

/// Btrfs has its own backing device info, to which a link in sysfs leads.
fn btrfs_backing(directory: &Path) -> Option<String> {
    let mount = mountinfo::mount_of(directory).ok()?;
    let name = mount.source.rsplit('/').next()?.to_owned();
    let folders = fs::read_dir("/sys/fs/btrfs").ok()?.filter_map(Result::ok);
    let folder = folders.map(|entry| entry.path()).find(|folder| folder.join("devices").join(&name).exists())?;
    let info = fs::read_link(folder.join("bdi")).ok()?;
    Some(info.file_name()?.to_string_lossy().into_owned())
}
