//! Errors of lanes. Each names the action and its object.

use std::io;
use std::path::{Path, PathBuf};

use fsarena_model::name::did_you_mean;
use fsarena_model::visible::shell;
use fsarena_model::{Bytes, Contender, DebianRelease, ErrorCategory, Explained};
use fsarena_sys::machine::Holder;

use crate::kind::{KINDS, MADE_ELSEWHERE};
use crate::layer::LAYERS;

/// Why lanes cannot be made, used or removed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum LaneError {
    #[error("{act} `{}`: {source}", path.display())]
    Io { act: &'static str, path: PathBuf, source: io::Error },
    #[error("contender `{argument}`: there is no kind `{kind}`")]
    UnknownKind { argument: String, kind: String },
    /// The running kernel has no such file system; `guest` is its package if it is that of a guest.
    #[error("{} has no `{kind}`", guest.as_ref().map_or("this kernel".into(), |it| format!("the guest's kernel ({it})")))]
    KernelLacks { kind: String, guest: Option<String> },
    #[error("there is no layer `{name}`")]
    UnknownLayer { name: String },
    /// The running kernel has no such module.
    #[error("this kernel cannot make the layer `{layer}`: its module `{module}` is neither loaded nor found")]
    LayerLacks { layer: String, module: String },
    /// A program that makes or mounts something.
    #[error("`{command}` failed: {words}")]
    Program { command: String, words: String, hint: Option<&'static str> },
    #[error("take down the layers on `{device}`: {source}")]
    TakeDown { device: String, source: io::Error },
    #[error("`{contender}` is a folder of the host that a guest mounts, and no guest was started for it")]
    NoShare { contender: String },
    /// A tool is not installed. The Debian package `package` has it.
    #[error("`{program}` is needed for `{kind}` and is not installed")]
    ToolMissing { kind: String, program: String, package: String },
    #[error("`{kind}` needs root: fsarena makes loop devices and mounts for it")]
    NotRoot { kind: String },
    #[error("a lane of {size} is too small for {wanted_by}, which needs {needed}")]
    LaneTooSmall { size: Bytes, wanted_by: String, needed: Bytes },
    #[error("{needed} are needed for {} ({place}), and {} are free", counted(*lanes), free_of(*needed, *free))]
    NoSpace { place: String, lanes: usize, needed: Bytes, free: Bytes, filled_by: Option<String> },
    /// The file system of a `dir` contender has no room for the data of the workloads.
    #[error("the workload `{workload}` needs {needed} {place}, where {} are free", free_of(*needed, *free))]
    NoRoom { place: String, workload: String, needed: Bytes, free: Bytes },
    /// The directory of a `dir` contender does not exist.
    #[error("the directory `{}` of contender `{contender}` does not exist", path.display())]
    NoDirectory { contender: String, path: PathBuf },
    #[error("contender `{contender}`: {what}")]
    BadOption { contender: String, what: String, hint: String },
    #[error("check a file system: {0}")]
    Check(fsarena_sys::child::Killed),
    #[error("mount `{source_device}` as `{kind}` with options `{options}`: {error}")]
    Mount { source_device: String, kind: String, options: String, error: Box<fsarena_sys::mount::MountError> },
    #[error("`{}` should be {expected}, and is {found}", path.display())]
    WrongMount { path: PathBuf, expected: String, found: String },
    #[error("unmount `{}`: {source}", path.display())]
    Unmount { path: PathBuf, source: io::Error },
    #[error("bring `{}` to rest: {source}", path.display())]
    Rest { path: PathBuf, source: io::Error },
    #[error("no loop devices can be made: {why}")]
    NoLoops { why: String, hint: &'static str },
    #[error("there is no direct I/O to `{}`, which lanes need", path.display())]
    NotDirect { path: PathBuf },
    #[error("`{}` is `{found}` and should be `{wanted}`", path.display())]
    Queue { path: PathBuf, wanted: String, found: String },
    #[error("`{}` is not a safe place for root's files: {why}", path.display())]
    UnsafePlace { path: PathBuf, why: &'static str },
    #[error("`{}` is not free: {why}", path.display())]
    DiskInUse { path: PathBuf, why: String },
    /// A disk holds data. The user has to name `id` to give them up.
    #[error("`{}` holds data: {what}", path.display())]
    DiskHoldsData { path: PathBuf, what: String, id: String },
    /// The user gave up the data of a disk that this run does not use; its disks have the IDs `ids`.
    #[error("`--erase {named}` names none of the disks of this run")]
    WrongDisk { named: String, ids: Vec<String> },
    #[error("{partitions} partitions were named for {contenders} contenders that need one each")]
    Partitions { partitions: usize, contenders: usize },
    /// A memory limit is too small for fsarena itself, which needs `needed`.
    #[error("a memory limit of {limit} is too small for fsarena itself")]
    LimitTooSmall { limit: Bytes, needed: Bytes },
    #[error("the memory of a workload cannot be limited here: {why}")]
    NoMemoryGroup { why: String },
    #[error("limit the memory of the control group `{}` to {limit}: {source}", path.display())]
    Limit { path: PathBuf, limit: Bytes, source: io::Error },
    #[error("another run of fsarena is using this machine{}", holder.as_deref().map(described).unwrap_or_default())]
    Busy { holder: Option<Box<Holder>> },
    #[error("a run left {what}, which cannot be cleared away: {why}")]
    Leftover { what: String, why: String },
    #[error("neither XDG_STATE_HOME nor HOME is set: there is no place for the ledger")]
    NoHome,
}

impl LaneError {
    /// Builds a [`LaneError::Io`] about `path`, for `map_err`.
    pub fn io(act: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { act, path, source }
    }

    /// A [`LaneError::BadOption`] of `contender`, with the way out.
    pub fn bad_option(contender: &Contender, what: String, hint: impl Into<String>) -> Self {
        Self::BadOption { contender: contender.label.to_string(), what, hint: hint.into() }
    }
}

/// What is free, in words; how much less it is, if both look the same when they are rounded.
fn free_of(needed: Bytes, free: Bytes) -> String {
    if needed.to_string() == free.to_string() {
        format!("{} less", Bytes(needed.0.saturating_sub(free.0)))
    } else {
        free.to_string()
    }
}

fn counted(lanes: usize) -> String {
    if lanes == 1 { "one lane".to_owned() } else { format!("{lanes} lanes") }
}

/// What to type instead of something that is no kind, but is known.
fn typed_otherwise(typed: &str, known: &[&str]) -> Option<String> {
    let is_kind = |word: &str| known.contains(&word);
    let lower = typed.to_lowercase();
    match typed {
        _ if is_kind(&lower) => Some(lower),
        _ if typed.contains(',') && typed.split(',').all(is_kind) => Some(typed.replace(',', " ")),
        _ if typed.starts_with("/dev/") => {
            Some(format!("a disk is where contenders are made: fsarena compare ext4 xfs --storage {typed}"))
        }
        _ if typed.starts_with('~') => Some(format!("an existing directory is dir:$HOME{}", &typed[1..])),
        _ if typed.starts_with(['/', '.']) || Path::new(typed).is_dir() => {
            Some(format!("an existing directory is dir:{typed}"))
        }
        _ if MADE_ELSEWHERE.contains(&lower.as_str()) => {
            Some(format!("mount {lower} and compare its directory: dir:/mnt/{lower}"))
        }
        _ => None,
    }
}

impl Explained for LaneError {
    fn category(&self) -> ErrorCategory {
        match self {
            Self::UnknownKind { .. }
            | Self::UnknownLayer { .. }
            | Self::LaneTooSmall { .. }
            | Self::NoDirectory { .. }
            | Self::DiskInUse { .. }
            | Self::DiskHoldsData { .. }
            | Self::WrongDisk { .. }
            | Self::Partitions { .. }
            | Self::LimitTooSmall { .. }
            | Self::UnsafePlace { .. }
            | Self::BadOption { .. } => ErrorCategory::Use,
            Self::Program { .. }
            | Self::TakeDown { .. }
            | Self::Check(_)
            | Self::Mount { .. }
            | Self::WrongMount { .. }
            | Self::Unmount { .. }
            | Self::Limit { .. }
            | Self::Rest { .. } => ErrorCategory::Trial,
            _ => ErrorCategory::Machine,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::UnknownKind { kind, .. } => {
                let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
                let all = format!("the kinds are {}", known.join(", "));
                typed_otherwise(kind, &known).unwrap_or_else(|| did_you_mean(kind, known, &all))
            }
            Self::UnknownLayer { name } => {
                let known: Vec<&str> = LAYERS.iter().map(|layer| layer.name).collect();
                let all = format!("the layers are {}", known.join(", "));
                let version = name.trim_start_matches("linux");
                if version.starts_with(|letter: char| letter.is_ascii_digit()) {
                    return Some(format!("a kernel of that version is `linux-{version}`; {all}"));
                }
                if name.contains('@') {
                    return Some(format!("a layer on another follows a `+`, as in `{}`; {all}", name.replace('@', "+")));
                }
                did_you_mean(name, known, &all)
            }
            Self::LayerLacks { .. } => "compare in a guest, whose kernel has it: --guest".to_owned(),
            Self::NoShare { .. } => "compare it without --on, or compare the mounted folder: dir:PATH".to_owned(),
            Self::KernelLacks { guest: Some(_), .. } => {
                "another one may have it: --guest-kernel PACKAGE, or `KIND@PACKAGE`".to_owned()
            }
            Self::KernelLacks { .. } => "`fsarena list` shows the kinds that this machine can do".to_owned(),
            Self::ToolMissing { kind, package, .. } => {
                let is_of_lanes = crate::kind(kind).is_some_and(|kind| kind.ground.has_lane());
                let other = format!(", or without installing it: --tools {}", DebianRelease::default());
                format!("apt-get install {package}{}", if is_of_lanes { &other } else { "" })
            }
            Self::NotRoot { .. } => {
                "run it as root, or in a guest, which needs no root: --guest; or compare existing directories: fsarena \
                 compare dir:/a dir:/b"
                    .to_owned()
            }
            Self::LaneTooSmall { needed, .. } => format!("--lane-size {}M, or more", needed.0.div_ceil(1 << 20)),
            Self::NoSpace { filled_by: Some(workload), .. } => {
                format!("name another place with --storage, or give the workload `{workload}` less data")
            }
            Self::NoSpace { .. } => "name another place with --storage, or a smaller --lane-size".to_owned(),
            Self::NoRoom { .. } => "name directories of another file system, or fewer or smaller workloads".to_owned(),
            Self::NoDirectory { path, .. } if path.starts_with("~") => {
                format!("the shell replaces `~` only where a word begins: dir:$HOME{}", &path.to_string_lossy()[1..])
            }
            Self::NoDirectory { path, .. } => {
                let path = path.to_string_lossy();
                let begin = path.find([':', ' ', ',']).map(|end| &path[..end]).filter(|begin| Path::new(begin).is_dir());
                match begin {
                    Some(begin) => format!("a directory takes no options: dir:{begin}"),
                    None if Path::new(&*path).is_symlink() => "it is a link to what does not exist".to_owned(),
                    None => format!("mkdir -p {}", shell(&path)),
                }
            }
            Self::BadOption { hint, .. } => hint.clone(),
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
                format!("name {contenders} with --storage, or {} for a calibration device", contenders + 1)
            }
            Self::Program { hint, .. } => (*hint)?.to_owned(),
            Self::Mount { .. } => "the words after the colon are the kernel's; `dmesg` may say more".to_owned(),
            Self::NoLoops { hint, .. } => (*hint).to_owned(),
            Self::NotDirect { .. } => {
                "put the images on another file system with --storage; a tmpfs has it since Linux 6.6".to_owned()
            }
            Self::LimitTooSmall { needed, .. } => format!("memory-limit = \"{}M\"", needed.0 >> 20),
            Self::NoMemoryGroup { .. } => {
                "be root, with control groups for memory (cgroup_enable=memory), or leave out workloads with `memory-limit`"
                    .to_owned()
            }
            Self::Limit { .. } => "more than that is in use and cannot be taken back: make `memory-limit` larger".to_owned(),
            Self::Busy { holder: Some(holder) } => {
                format!("wait until it has ended; `kill {}` ends it and clears up", holder.process)
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

/// The process that uses the machine, with its user, since when it does, and its command.
fn described(holder: &Holder) -> String {
    let Holder { process, user, command, held } = holder;
    let held = held.map(|time| format!(", for {time}")).unwrap_or_default();
    let command = if command.is_empty() { String::new() } else { format!(": `{command}`") };
    format!(" (process {process} of user {user}{held}{command})")
}

fn io_hint(source: &io::Error, path: &Path) -> Option<String> {
    match source.kind() {
        io::ErrorKind::NotFound if path.starts_with("/dev") => Some(
            "/dev does not show the devices of this machine; for a container: --privileged -v /dev:/dev".to_owned(),
        ),
        io::ErrorKind::PermissionDenied => Some(format!("the rights of {}, or root, are needed", path.display())),
        io::ErrorKind::StorageFull => Some("name another place with --storage".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_free_is_never_as_much_as_what_is_needed() {
        let told = |needed, free| {
            let place = "parts of /dev/sdb".to_owned();
            LaneError::NoSpace { place, lanes: 3, needed: Bytes(needed), free: Bytes(free), filled_by: None }
                .to_string()
        };
        assert!(told(6 << 30, 5 << 30).ends_with("and 5.00 GiB are free"));
        assert!(told(6 << 30, (6 << 30) - (1 << 20)).ends_with("and 1.00 MiB less are free"));
    }
}
