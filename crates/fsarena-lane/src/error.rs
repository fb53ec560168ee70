//! What can go wrong with lanes, said with what was done to what.

use std::io;
use std::path::PathBuf;

use fsarena_model::{Blame, Bytes, Explained};
use fsarena_sys::machine::Holder;

/// What can go wrong with lanes.
#[derive(Debug, thiserror::Error)]
pub enum LaneError {
    /// A file or device refused.
    #[error("{act} `{}`: {source}", path.display())]
    Io {
        /// What was being done, such as `create`.
        act: &'static str,
        /// To what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A kind that fsarena does not know.
    #[error("contender `{argument}`: there is no kind `{kind}`")]
    UnknownKind {
        /// The contender.
        argument: String,
        /// The kind that was named.
        kind: String,
        /// Those that exist.
        known: Vec<&'static str>,
    },
    /// The running kernel has no such file system.
    #[error("this kernel has no `{kind}`")]
    KernelLacks {
        /// The file system.
        kind: String,
    },
    /// A tool is not installed.
    #[error("`{program}` is needed for `{kind}` and is not installed")]
    ToolMissing {
        /// The kind that needs it.
        kind: String,
        /// The program.
        program: String,
        /// The Debian package that has it.
        package: String,
    },
    /// Lanes need rights that this user lacks.
    #[error("`{kind}` needs root: fsarena makes loop devices and mounts for it")]
    NotRoot {
        /// The kind that needs lanes.
        kind: String,
    },
    /// A lane is smaller than the kind or the workloads need.
    #[error("a lane of {size} is too small for {wanted_by}, which needs {needed}")]
    LaneTooSmall {
        /// The lane's size.
        size: Bytes,
        /// Whatever needs more.
        wanted_by: String,
        /// How much that is.
        needed: Bytes,
    },
    /// The storage has no room for the lanes.
    #[error("{needed} are needed for {lanes} lanes in {place}, and {free} are free")]
    NoSpace {
        /// Where the lanes should go.
        place: String,
        /// How many lanes.
        lanes: usize,
        /// Bytes for all of them.
        needed: Bytes,
        /// Bytes that are there.
        free: Bytes,
    },
    /// The file system of a `dir` contender has no room for the data of the workloads.
    #[error(
        "the workload `{workload}` needs {needed}, with a reserve, on the file system of `{}`, where {free} are free",
        path.display()
    )]
    NoRoom {
        /// A directory there.
        path: PathBuf,
        /// The workload that needs most.
        workload: String,
        /// Bytes for all contenders there, with the reserve, and with the lanes if they lie there, too.
        needed: Bytes,
        /// Bytes that are there.
        free: Bytes,
    },
    /// The directory of a `dir` contender is not there.
    #[error("the directory `{}` of contender `{contender}` does not exist", path.display())]
    NoDirectory {
        /// The contender.
        contender: String,
        /// The directory.
        path: PathBuf,
    },
    /// An option that this kind of contender cannot have.
    #[error("contender `{contender}`: {what}")]
    BadOption {
        /// The contender.
        contender: String,
        /// What is wrong.
        what: String,
    },
    /// mkfs failed.
    #[error("`{command}` failed: {words}")]
    Mkfs {
        /// The command.
        command: String,
        /// Its own words.
        words: String,
    },
    /// A checker did not end.
    #[error("check a file system: {0}")]
    Check(fsarena_sys::child::Killed),
    /// A mount failed.
    #[error("mount `{source_device}` as `{kind}` with options `{options}`: {error}")]
    Mount {
        /// What was to be mounted.
        source_device: String,
        /// As what.
        kind: String,
        /// With which options.
        options: String,
        /// The kernel's words.
        error: Box<fsarena_sys::mount::MountError>,
    },
    /// What is mounted is not what should be.
    #[error("`{}` should be {expected}, and is {found}", path.display())]
    WrongMount {
        /// The mount point.
        path: PathBuf,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// A file system stayed busy.
    #[error("unmount `{}`: {source}", path.display())]
    Unmount {
        /// The mount point.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A file system could not be brought to rest, or not come back from it.
    #[error("bring `{}` to rest: {error}", path.display())]
    Rest {
        /// The mount point.
        path: PathBuf,
        /// Why it failed, in the kernel's words.
        error: Box<fsarena_sys::mount::MountError>,
    },
    /// A loop device does its I/O through the page cache.
    #[error("loop device {number} does not do direct I/O to `{}`", path.display())]
    NotDirect {
        /// The loop device.
        number: u32,
        /// The backing file.
        path: PathBuf,
    },
    /// A setting of a lane's queue did not take.
    #[error("`{}` is `{found}` and should be `{wanted}`", path.display())]
    Queue {
        /// The setting.
        path: PathBuf,
        /// What it should be.
        wanted: String,
        /// What it is.
        found: String,
    },
    /// Somebody else could exchange what root makes there.
    #[error("`{}` is not a safe place for root's files: {why}", path.display())]
    UnsafePlace {
        /// The folder.
        path: PathBuf,
        /// Why not.
        why: &'static str,
    },
    /// A disk is in use, or it cannot be told whether it is.
    #[error("`{}` is not free: {why}", path.display())]
    DiskInUse {
        /// The disk.
        path: PathBuf,
        /// Who uses it.
        why: String,
    },
    /// A disk holds something.
    #[error("`{}` holds data: {what}", path.display())]
    DiskHoldsData {
        /// The disk.
        path: PathBuf,
        /// What was found on it.
        what: String,
        /// What has to be named if it may be lost.
        id: String,
    },
    /// A disk was named whose contents may be lost, and the run has another one.
    #[error("`--erase {named}` names none of the disks of this run")]
    WrongDisk {
        /// What was named.
        named: String,
        /// The IDs of the run's disks.
        ids: Vec<String>,
    },
    /// The number of partitions does not suit the contenders.
    #[error("{partitions} partitions were named for {contenders} contenders that need one each")]
    Partitions {
        /// How many there are.
        partitions: usize,
        /// How many contenders need one.
        contenders: usize,
    },
    /// A memory limit that fsarena itself could not live in.
    #[error("a memory limit of {limit} is too small for fsarena itself")]
    LimitTooSmall {
        /// The limit.
        limit: Bytes,
        /// The least.
        needed: Bytes,
    },
    /// No memory can be limited here.
    #[error("the memory of a workload cannot be limited here: {why}")]
    NoMemoryGroup {
        /// Why not.
        why: String,
    },
    /// The kernel refuses a memory limit.
    #[error("limit the memory of the control group `{}` to {limit}: {source}", path.display())]
    Limit {
        /// The group.
        path: PathBuf,
        /// The limit.
        limit: Bytes,
        /// Why it failed.
        source: io::Error,
    },
    /// Another run has the machine.
    #[error("another run of fsarena is using this machine{}", holder.as_deref().map(described).unwrap_or_default())]
    Busy {
        /// Its process, if that is known.
        holder: Option<Box<Holder>>,
    },
    /// Something that an earlier run made could not be taken away.
    #[error("a run left {what}, which cannot be cleared away: {why}")]
    Leftover {
        /// What was left.
        what: String,
        /// Why it stays.
        why: String,
    },
    /// The user's state directory is unknown.
    #[error("neither XDG_STATE_HOME nor HOME is set: there is no place for the ledger")]
    NoHome,
}

impl LaneError {
    /// An [`LaneError::Io`] about `path`, for `map_err`.
    pub fn io(act: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { act, path, source }
    }
}

impl Explained for LaneError {
    fn blame(&self) -> Blame {
        match self {
            Self::UnknownKind { .. }
            | Self::LaneTooSmall { .. }
            | Self::NoDirectory { .. }
            | Self::DiskInUse { .. }
            | Self::DiskHoldsData { .. }
            | Self::WrongDisk { .. }
            | Self::Partitions { .. }
            | Self::LimitTooSmall { .. }
            | Self::UnsafePlace { .. }
            | Self::BadOption { .. } => Blame::Use,
            Self::Mkfs { .. }
            | Self::Check(_)
            | Self::Mount { .. }
            | Self::WrongMount { .. }
            | Self::Unmount { .. }
            | Self::Limit { .. }
            | Self::Rest { .. } => Blame::Trial,
            _ => Blame::Machine,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::UnknownKind { known, .. } => format!("the kinds are {}", known.join(", ")),
            Self::KernelLacks { .. } => "`fsarena list` shows the kinds that this machine can do".to_owned(),
            Self::ToolMissing { package, .. } => format!("apt-get install {package}"),
            Self::NotRoot { .. } => {
                "run it as root, or compare existing directories: fsarena compare dir:/a dir:/b".to_owned()
            }
            Self::LaneTooSmall { needed, .. } => format!("--lane-size {}M", needed.0.div_ceil(1 << 20)),
            Self::NoSpace { .. } => "name another place with --storage, or a smaller --lane-size".to_owned(),
            Self::NoRoom { .. } => "name directories of another file system, or fewer or smaller workloads".to_owned(),
            Self::NoDirectory { path, .. } => format!("mkdir {}", path.display()),
            Self::UnsafePlace { .. } => "name a folder that belongs to root with --storage".to_owned(),
            Self::DiskInUse { .. } => {
                "end what uses it, or name another disk: `fsarena doctor` lists those that are free".to_owned()
            }
            Self::DiskHoldsData { path, id, .. } => {
                format!("if all that is on {} may be lost: --erase {id}", path.display())
            }
            Self::WrongDisk { ids, .. } if ids.is_empty() => "leave it out: this run takes no disk".to_owned(),
            Self::WrongDisk { ids, .. } => format!("the ID of what `--storage` names is {}", ids.join(", ")),
            Self::Partitions { contenders, .. } => {
                format!("name {contenders} with --storage, or {} for a spare lane", contenders + 1)
            }
            Self::Mkfs { .. } => "the options come from the contender's `mkfs` and the lane's size".to_owned(),
            Self::Mount { .. } => "the words after the colon are the kernel's; `dmesg` may say more".to_owned(),
            Self::NotDirect { .. } => "put the images on another file system with --storage".to_owned(),
            Self::LimitTooSmall { needed, .. } => format!("memory-limit = \"{}M\"", needed.0 >> 20),
            Self::NoMemoryGroup { .. } => {
                "be root, with control groups for memory (cgroup_enable=memory), or leave out workloads with `memory-limit`"
                    .to_owned()
            }
            Self::Limit { .. } => "more than that is in use and cannot be taken back: make `memory-limit` larger".to_owned(),
            Self::Busy { holder: Some(holder) } => {
                format!("leave out --no-wait to wait for it; `kill {}` ends it and clears up", holder.process)
            }
            Self::Busy { holder: None } => {
                "wait until it has ended; it may run in a container, where its process cannot be seen".to_owned()
            }
            Self::Leftover { .. } => "fsarena clean, once whatever uses it has ended".to_owned(),
            Self::NoHome => "set HOME".to_owned(),
            Self::Io { source, path, .. } => return io_hint(source, path),
            _ => return None,
        })
    }
}

/// Which process has the machine, for how long, and with which command.
fn described(holder: &Holder) -> String {
    let Holder { process, user, command, running } = holder;
    let running = running.map(|time| format!(", for {time}")).unwrap_or_default();
    let command = if command.is_empty() { String::new() } else { format!(": `{command}`") };
    format!(" (process {process} of user {user}{running}{command})")
}

fn io_hint(source: &io::Error, path: &std::path::Path) -> Option<String> {
    match source.kind() {
        io::ErrorKind::PermissionDenied => Some(format!("the rights of {}, or root, are needed", path.display())),
        io::ErrorKind::StorageFull => Some("name another place with --storage".to_owned()),
        _ => None,
    }
}
