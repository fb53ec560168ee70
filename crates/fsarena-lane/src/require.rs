//! What a plan requires of this machine and this user, checked before anything is made.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fsarena_model::visible::shell;
use fsarena_model::{Bytes, Contender, Mode, Plan, Storage};
use fsarena_sys::child::{self, Patience};
use fsarena_sys::mount;
use rustix::fs::{Access, AtFlags, CWD, StatxAttributes, StatxFlags, access, statx};

pub use crate::cgroup::{SMALLEST_LIMIT as SMALLEST_MEMORY_LIMIT, require as memory_limit};
use crate::kind::{self, Ground, Identity, Kind, kind, made_lanes, named_in};
use crate::shared::by_file_system;
use crate::space::{self, nearest_existing};
use crate::{KINDS, LaneError, image, layer, mounted, storage};

/// The way out if options of mkfs are refused.
pub(crate) const MKFS_HINT: &str = "leave it out, or take another option or value: docs/guides/mkfs-options.md lists \
                                    them";

/// Refuses a contender of an unknown kind, or with options that it cannot have.
///
/// # Errors
/// [`LaneError::UnknownKind`], [`LaneError::BadOption`] for options that are refused.
pub fn contender(contender: &Contender) -> Result<(), LaneError> {
    let kind = known(contender)?;
    let Contender { kind: name, mount, .. } = contender;
    let otherwise = |what, hint: &str| Err(LaneError::bad_option(contender, what, hint));
    let refused = |what| otherwise(what, "leave it out");
    if contender.disk.is_some() && kind.ground != Ground::Lane {
        return refused(format!("`{name}` is not on a disk, which could have a cache mode or a format"));
    }
    if !contender.layers.is_empty() && kind.ground != Ground::Lane {
        return refused(format!("`{name}` is not mounted from a disk, below which layers could be"));
    }
    layer::require_known(contender)?;
    let label = contender.label.0.to_lowercase();
    let is_name = kind::kind(&label).is_some() || named_in(&label) == Some(&label);
    if is_name && kind.ground != Ground::Directory && ![kind.name, kind.mounted_as].contains(&label.as_str()) {
        let what = format!("it is `{name}`, and its label says that it is another");
        return otherwise(what, &format!("name it otherwise: my-{name}={name}"));
    }
    let is_other = |word: &&String| kind::kind(word.split([':', '@']).next().unwrap_or_default()).is_some();
    if let Some(other) = contender.mkfs.first().filter(is_other) {
        let what = format!("`{other}` is another contender, in the same word");
        return otherwise(what, "separate them: quotes go around one contender each");
    }
    let is_option = |word: &&String| word.starts_with(char::is_alphabetic);
    if let Some(word) = contender.mkfs.first().filter(is_option) {
        let options: Vec<&str> = mount.split(',').filter(|option| !option.is_empty()).chain([word.as_str()]).collect();
        let what = format!("`{word}` follows a space, and is no option of an mkfs");
        return otherwise(what, &format!("mount options follow a colon, without spaces: {name}:{}", options.join(",")));
    }
    if kind.is_pool {
        layer::require_whole(contender)?;
    }
    if let Some(piece) = options(contender).find_map(storage_in) {
        return refused(format!("its options name `{piece}`, a device or a file that fsarena has not made"));
    }
    if kind.ground == Ground::Library && !mount.is_empty() {
        return refused(format!("`{name}` is a library and is not mounted, so it takes no mount options"));
    }
    if !kind.ground.has_lane() && !contender.mkfs.is_empty() {
        return refused(format!("`{name}` is not made by an mkfs, so it takes no options of one"));
    }
    let any = Identity { uuid: String::new(), hash_seed: String::new() };
    let made = kind.mkfs(Path::new(""), &any, contender);
    let mut refusals = kind.refused_mounts(contender, made.as_deref().unwrap_or_default());
    refusals.extend(made.err());
    if refusals.is_empty() { Ok(()) } else { otherwise(refusals.join("; "), MKFS_HINT) }
}

/// All words of a contender's options for mkfs and mount.
fn options(contender: &Contender) -> impl Iterator<Item = &str> {
    let words = contender.mkfs.iter().chain([&contender.mount]);
    words.flat_map(|word| word.split([',', ':', ' ']))
}

/// The device or file that a word of an option names. mkfs overwrites what its options name, such as the device of an
/// external journal, so they may name none. A tag can name a device, too (`device=LABEL=journal`), and tools also write
/// to plain files.
fn storage_in(word: &str) -> Option<&str> {
    use std::os::unix::fs::FileTypeExt;
    let is_storage = |piece: &&str| {
        let is_stored = |kind: fs::FileType| kind.is_block_device() || (piece.contains('/') && kind.is_file());
        fs::metadata(piece).is_ok_and(|found| is_stored(found.file_type()))
    };
    let is_tag = |piece: &&str| ["LABEL", "UUID", "PARTLABEL", "PARTUUID"].contains(piece);
    let tag = word.rsplit_once('=').and_then(|(before, _)| before.split('=').find(is_tag));
    tag.or_else(|| word.split('=').find(is_storage))
}

/// Refuses contenders that need root, if this user is not.
///
/// # Errors
/// [`LaneError::NotRoot`] with the first of these kinds.
pub fn rights(plan: &Plan) -> Result<(), LaneError> {
    let needs_root = |contender: &&Contender| !contender.is_directory() && !is_root();
    match plan.contenders.iter().find(needs_root) {
        None => Ok(()),
        Some(contender) => Err(LaneError::NotRoot { kind: contender.kind.clone() }),
    }
}

/// Refuses a contender that this machine and its kernel cannot have, whichever programs make it: the kernel lacks its
/// kind or a layer, or its directory does not exist.
///
/// # Errors
/// The first reason that is found.
pub fn possible(contender: &Contender, plan: &Plan) -> Result<(), LaneError> {
    let kind = known(contender)?;
    if contender.disk.is_some() && plan.guest.is_none() {
        let what = "it has a virtual disk of its own, and this is no guest".to_owned();
        return Err(LaneError::bad_option(contender, what, "leave out what follows the `@`"));
    }
    if kind.ground == Ground::Directory {
        return directory(contender);
    }
    // Only root can load a module of the kernel.
    if is_root() && !kernel_has(kind.mounted_as) {
        let guest = plan.guest.as_ref().map(|guest| guest.kernel.clone());
        return Err(LaneError::KernelLacks { kind: kind.mounted_as.to_owned(), guest });
    }
    layer::require_possible(contender)
}

/// Size of the smallest lane on which the contender can be made; 0 if it needs none, or its kind is not known.
pub fn smallest_lane(contender: &Contender) -> Bytes {
    kind(&contender.kind).map_or(Bytes(0), |kind| layer::below(contender, kind.smallest_lane))
}

/// Refuses a lane of `size` that is too small for the contender.
///
/// # Errors
/// That it is.
pub fn size(contender: &Contender, size: Bytes) -> Result<(), LaneError> {
    let needed = smallest_lane(contender);
    match size >= needed {
        true => Ok(()),
        false => Err(LaneError::LaneTooSmall { size, wanted_by: format!("`{}`", contender.label), needed }),
    }
}

/// Refuses a contender whose tools are missing, or whose mkfs refuses its options on a lane of this size.
///
/// # Errors
/// The first reason that is found.
pub fn programs(contender: &Contender, lane: Bytes) -> Result<(), LaneError> {
    let kind = known(contender)?;
    tools_of(kind.name, kind.tools)?;
    // A pool cannot be made on trial: it would be imported.
    match kind.ground.has_lane() && !kind.is_pool {
        true => mounted::try_mkfs(contender, kind, lane),
        false => Ok(()),
    }
}

/// Refuses mount options that the kernel does not know, if it has the file system. Only root can ask it.
///
/// # Errors
/// [`LaneError::BadOption`].
pub fn mount_options(contender: &Contender) -> Result<(), LaneError> {
    let is_mounted = |kind: &&Kind| matches!(kind.ground, Ground::Lane | Ground::Memory) && is_root();
    let Some(kind) = kind(&contender.kind).filter(is_mounted).filter(|kind| kernel_has(kind.mounted_as)) else {
        return Ok(());
    };
    mount::check_options(kind.mounted_as, kind.mount_options(contender)).map_err(|error| {
        let hint = format!("`man 5 {}` lists what follows the colon", kind.mounted_as);
        LaneError::bad_option(contender, format!("the kernel refuses its mount options: {error}"), hint)
    })
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Refuses a place for lanes, a folder or memory, whose files cannot have direct I/O, as far as that can be tried.
///
/// # Errors
/// [`LaneError::NotDirect`].
pub fn direct_storage(storage: &Storage) -> Result<(), LaneError> {
    let path = match storage {
        Storage::Directory(path) => nearest_existing(path),
        // Another tmpfs.
        Storage::Memory => "/dev/shm".into(),
        Storage::Disk(_) | Storage::Partitions(_) => return Ok(()),
    };
    match image::can_be_direct(&path) {
        Some(false) => Err(LaneError::NotDirect { path }),
        _ => Ok(()),
    }
}

/// Refuses lanes for which there is no room.
///
/// # Errors
/// [`LaneError::NoSpace`], [`LaneError::Partitions`] if their number does not match.
pub fn space(plan: &Plan) -> Result<(), LaneError> {
    let lanes = made_lanes(plan);
    match &plan.lanes.storage {
        _ if lanes == 0 => Ok(()),
        Storage::Directory(path) => storage::require_space(plan, &nearest_existing(path), lanes),
        _ => storage::require_space(plan, Path::new("/"), lanes),
    }
}

/// Refuses `dir` contenders whose file systems have no room, and contenders in memory that do not fit into it. `data` is
/// the most that each workload of the plan keeps at a time in one directory. Contenders of a sliced workload keep their
/// data at the same time.
///
/// # Errors
/// [`LaneError::NoRoom`].
pub fn directories(plan: &Plan, data: &[Bytes]) -> Result<(), LaneError> {
    let fits = |contenders: &[&Contender], others: Bytes, free: Bytes, place: String| {
        let needs = plan.workloads.iter().zip(data).map(|(workload, data)| {
            let own = contenders.iter().filter(|contender| plan.takes_part(&contender.label, &workload.name)).count();
            let at_a_time = if workload.mode == Mode::Sliced { own } else { own.min(1) };
            (data.0.saturating_mul(at_a_time as u64), workload)
        });
        let Some((most, workload)) = needs.max_by_key(|(needed, _)| *needed) else { return Ok(()) };
        let (needed, workload) = (Bytes(most.saturating_add(others.0)), workload.name.to_string());
        if free < needed { Err(LaneError::NoRoom { place, workload, needed, free }) } else { Ok(()) }
    };
    let lanes = plan.lanes.size.0.saturating_mul(made_lanes(plan) as u64);
    let with_lanes = match &plan.lanes.storage {
        Storage::Directory(path) => space::file_system(&nearest_existing(path)).ok(),
        Storage::Memory | Storage::Disk(_) | Storage::Partitions(_) => None,
    };
    // Those that do not exist are refused by `directory`.
    for (name, contenders) in by_file_system(&plan.contenders) {
        let Some(path) = contenders.iter().find_map(|contender| contender.path.as_deref()) else { continue };
        let look_up = |error| LaneError::io("look up", path)(error);
        let lanes = if with_lanes.as_ref() == Some(&name) { lanes } else { 0 };
        let others = Bytes(lanes.saturating_add(space::reserve(path).map_err(look_up)?.0));
        let (free, place) = (space::free_space(path).map_err(look_up)?, path.display());
        let place = format!("with a reserve on the file system of `{place}`");
        let memory = fsarena_sys::memory::limited().filter(|(most, _)| space::is_in_memory(path) && *most < free);
        let (free, group) = memory.unwrap_or((free, None));
        fits(&contenders, others, free, storage::limited(place, group))?;
    }
    let is_in_memory = |it: &&Contender| kind::kind(&it.kind).is_some_and(|kind| kind.ground == Ground::Memory);
    let in_memory: Vec<&Contender> = plan.contenders.iter().filter(is_in_memory).collect();
    let Some((free, group)) = fsarena_sys::memory::limited().filter(|_| !in_memory.is_empty()) else { return Ok(()) };
    let others = Bytes(if plan.lanes.storage == Storage::Memory { lanes } else { 0 });
    fits(&in_memory, others, free, storage::limited("in memory".to_owned(), group))
}

/// Versions of the tools that these kinds, and the layers of these contenders, need, by program; a tool that does not
/// start is omitted.
pub fn tool_versions(kinds: &[&str], contenders: &[Contender]) -> BTreeMap<String, String> {
    let kinds = KINDS.iter().filter(|kind| kinds.contains(&kind.name));
    let tools = kinds.flat_map(|kind| kind.tools).copied().chain(layer::layer_tools(contenders));
    // Several layers need the same program.
    let arguments: BTreeMap<&str, &str> = tools.map(|tool| (tool.program, tool.version)).collect();
    let version = |(program, argument): (&str, &str)| {
        let ended = child::run(&[program, argument], Patience::query()).ok()?;
        Some((program.to_owned(), ended.version_of(program)?.to_owned()))
    };
    arguments.into_iter().filter_map(version).collect()
}

pub(crate) fn known(contender: &Contender) -> Result<&'static Kind, LaneError> {
    let Contender { label, kind: name, .. } = contender;
    kind(name).ok_or_else(|| LaneError::UnknownKind { argument: label.to_string(), kind: name.clone() })
}

/// Refuses a `dir` contender in whose directory no folder of a run can be made, or removed again.
///
/// # Errors
/// [`LaneError::NoDirectory`], or [`LaneError::BadOption`] with the reason.
pub fn directory(contender: &Contender) -> Result<(), LaneError> {
    let path = contender.path.clone().unwrap_or_default();
    let shown = path.display();
    let refused = |what: String, hint: &str| Err(LaneError::bad_option(contender, what, hint));
    if !path.is_dir() && path.exists() {
        return refused(format!("`{shown}` is not a directory"), "name a directory");
    }
    let Ok(real) = path.canonicalize() else {
        return Err(LaneError::NoDirectory { contender: contender.label.to_string(), path });
    };
    if let Err(unsafe_place) = if is_root() { storage::require_safety(&real) } else { Ok(()) } {
        let hint = "name a directory to which only root can write, and to none above it; or run fsarena as its owner";
        return refused(unsafe_place.to_string(), hint);
    }
    let fixed = StatxAttributes::IMMUTABLE | StatxAttributes::APPEND;
    let found = statx(CWD, &real, AtFlags::empty(), StatxFlags::empty());
    if found.is_ok_and(|found| found.stx_attributes.intersects(fixed)) {
        let what = format!("the attributes of `{shown}` let no folder be made and removed in it");
        return refused(what, &format!("chattr -i -a {}", shell(&path.to_string_lossy())));
    }
    if let Err(errno) = access(&real, Access::WRITE_OK | Access::EXEC_OK) {
        let what = format!("no folder can be made in `{shown}`: {}", std::io::Error::from(errno));
        return refused(what, "name a directory to which this user can write");
    }
    Ok(())
}

/// Whether the running kernel has the file system, built in or as a module that can be loaded. Mounts of a program have
/// its name after that of the kernel's part: `fuse.sshfs`.
pub fn kernel_has(kind: &str) -> bool {
    let kind = kind.split('.').next().unwrap_or(kind);
    has_module(kind, "/proc/filesystems", kind)
}

/// Whether the last word of a line of `list` is `name`, if need be after the kernel's module `module` has been loaded.
pub(crate) fn has_module(module: &str, list: &str, name: &str) -> bool {
    let listed = || {
        let text = fs::read_to_string(list).unwrap_or_default();
        text.lines().any(|line| line.split_whitespace().next_back() == Some(name))
    };
    listed() || (load(module) && listed())
}

/// Whether the running kernel has a module, built in or loaded, if need be now.
pub(crate) fn is_loadable(module: &str) -> bool {
    Path::new("/sys/module").join(module).exists() || load(module)
}

/// Loads a module of the kernel; as another user than root, only finds out whether there is one to load.
fn load(module: &str) -> bool {
    let how = if is_root() { "-q" } else { "-n" };
    child::run(&["modprobe", how, module], Patience::query()).is_ok_and(|ended| ended.status.success())
}

/// The first of these tools that is not installed.
pub fn missing_tool(tools: &[crate::Tool]) -> Option<crate::Tool> {
    tools.iter().copied().find(|tool| child::find_program(tool.program).is_none())
}

/// Refuses the kind or layer `name` if one of its tools is not installed.
pub(crate) fn tools_of(name: &str, tools: &[crate::Tool]) -> Result<(), LaneError> {
    missing_tool(tools).map_or(Ok(()), |tool| {
        let (program, package) = (tool.program.to_owned(), tool.package.to_owned());
        Err(LaneError::ToolMissing { kind: name.to_owned(), program, package })
    })
}
