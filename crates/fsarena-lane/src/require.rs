//! What a plan requires of this machine and this user, checked before anything is made.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fsarena_model::{Bytes, Contender, Mode, Plan, Storage};
use fsarena_sys::child::{self, Patience};

pub use crate::cgroup::{SMALLEST_LIMIT as SMALLEST_MEMORY_LIMIT, require as memory_limit};
use crate::kind::{Ground, Identity, Kind, kind, made_lanes};
use crate::space::{self, nearest_existing};
use crate::{KINDS, LaneError, site, storage};

/// Refuses contenders of an unknown kind, or with options that they cannot have.
///
/// # Errors
/// The first problem that is found.
pub fn contenders(named: &[Contender]) -> Result<(), LaneError> {
    for contender in named {
        let kind = known(&contender.label.0, &contender.kind)?;
        if contender.disk.is_some() && kind.ground != Ground::Lane {
            let what = format!("`{}` is not on a disk, which could have a cache mode or a format", contender.kind);
            return Err(LaneError::BadOption { contender: contender.label.to_string(), what });
        }
        if let Some(piece) = options(contender).find(|piece| names_storage(piece)) {
            let what = format!("its options name `{piece}`, a device or a file that fsarena has not made");
            return Err(LaneError::BadOption { contender: contender.label.to_string(), what });
        }
        if kind.ground == Ground::Library && !contender.mount.is_empty() {
            let what = format!("`{}` is a library and is not mounted, so it takes no mount options", contender.kind);
            return Err(LaneError::BadOption { contender: contender.label.to_string(), what });
        }
        if !kind.ground.has_lane() && !contender.mkfs.is_empty() {
            let what = format!("`{}` is not made by an mkfs, so it takes no options of one", contender.kind);
            return Err(LaneError::BadOption { contender: contender.label.to_string(), what });
        }
        let any = Identity { uuid: String::new(), hash_seed: String::new() };
        let refused = |what| LaneError::BadOption { contender: contender.label.to_string(), what };
        kind.mkfs(Path::new(""), &any, &contender.mkfs).map_err(refused)?;
    }
    Ok(())
}

/// All words of a contender's options for mkfs and mount.
fn options(contender: &Contender) -> impl Iterator<Item = &str> {
    let words = contender.mkfs.iter().chain([&contender.mount]);
    words.flat_map(|word| word.split(['=', ',', ':', ' ']))
}

/// Whether a word of an option names a device or a file. mkfs overwrites what its options name, such as the device of
/// an external journal, so they may name none. A tag can name a device, too (`device=LABEL=journal`), and tools also
/// write to plain files.
fn names_storage(piece: &str) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let is_tag = ["LABEL", "UUID", "PARTLABEL", "PARTUUID"].contains(&piece);
    let is_path = piece.contains('/');
    let is_storage = |kind: fs::FileType| kind.is_block_device() || (is_path && kind.is_file());
    is_tag || fs::metadata(piece).is_ok_and(|found| is_storage(found.file_type()))
}

/// Refuses a plan that this machine or this user cannot run, before anything is made.
///
/// # Errors
/// The first reason that is found.
pub fn plan(plan: &Plan) -> Result<(), LaneError> {
    rights_and_kinds(plan)?;
    space(plan)
}

/// Refuses kinds that this user, kernel or lane size does not support, or whose tools are missing, and `dir` contenders
/// whose directory does not exist.
///
/// # Errors
/// The first reason that is found.
pub fn rights_and_kinds(plan: &Plan) -> Result<(), LaneError> {
    contenders(&plan.contenders)?;
    for contender in &plan.contenders {
        let kind = known(&contender.label.0, &contender.kind)?;
        if contender.disk.is_some() && plan.guest.is_none() {
            let what = "it has a virtual disk of its own, and this is no guest".to_owned();
            return Err(LaneError::BadOption { contender: contender.label.to_string(), what });
        }
        match kind.ground {
            Ground::Directory => directory(contender)?,
            _ => lanes_of(kind, plan.lanes.size).map_err(|error| of_guest(error, plan))?,
        }
    }
    Ok(())
}

/// The same error about the kernel of the plan's guest, if it has one.
fn of_guest(error: LaneError, plan: &Plan) -> LaneError {
    match (error, &plan.guest) {
        (LaneError::KernelLacks { kind }, Some(guest)) => LaneError::GuestLacks { kind, kernel: guest.kernel.clone() },
        (error, _) => error,
    }
}

/// Refuses options that the mkfs of a contender refuses, by trying them on a file in memory.
///
/// # Errors
/// [`LaneError::BadOption`] for the first one that is found.
pub fn mkfs_options(plan: &Plan) -> Result<(), LaneError> {
    for contender in &plan.contenders {
        let kind = known(&contender.label.0, &contender.kind)?;
        if kind.ground.has_lane() {
            site::try_mkfs(contender, kind, plan.lanes.size)?;
        }
    }
    Ok(())
}

/// Refuses memory limits that this machine cannot enforce, or that are too small for fsarena itself.
///
/// # Errors
/// The first reason that is found.
pub fn memory_limits(plan: &Plan) -> Result<(), LaneError> {
    plan.workloads.iter().filter_map(|workload| workload.memory_limit).try_for_each(memory_limit)
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

/// Refuses `dir` contenders whose file systems have no room. `data` is the most that each workload of the plan keeps at
/// a time in one directory. Contenders of a sliced workload keep their data at the same time.
///
/// # Errors
/// [`LaneError::NoRoom`].
pub fn directories(plan: &Plan, data: &[Bytes]) -> Result<(), LaneError> {
    for (path, contenders) in by_file_system(plan)? {
        let needs = plan.workloads.iter().zip(data).map(|(workload, data)| {
            let own = contenders.iter().filter(|contender| plan.takes_part(&contender.label, &workload.name)).count();
            let at_a_time = if workload.mode == Mode::Sliced { own } else { own.min(1) };
            (data.0.saturating_mul(at_a_time as u64), workload)
        });
        let Some((most, workload)) = needs.max_by_key(|(needed, _)| *needed) else { continue };
        let look_up = |error| LaneError::io("look up", path)(error);
        let reserve = space::reserve(path).map_err(look_up)?;
        let lanes = lanes_on_same_file_system(plan, path).map_err(look_up)?;
        let needed = Bytes(most.saturating_add(lanes.0).saturating_add(reserve.0));
        let free = space::free_space(path).map_err(look_up)?;
        if free < needed {
            let (path, workload) = (path.to_owned(), workload.name.clone());
            return Err(LaneError::NoRoom { path, workload: workload.to_string(), needed, free });
        }
    }
    Ok(())
}

/// The `dir` contenders, grouped by file system, with one directory of each.
fn by_file_system(plan: &Plan) -> Result<Vec<(&Path, Vec<&Contender>)>, LaneError> {
    let mut found: BTreeMap<String, (&Path, Vec<&Contender>)> = BTreeMap::new();
    for contender in plan.contenders.iter().filter(|contender| contender.is_directory()) {
        let path = contender.path.as_deref().unwrap_or(Path::new("."));
        let name = space::file_system(path).map_err(LaneError::io("look up", path))?;
        found.entry(name).or_insert((path, Vec::new())).1.push(contender);
    }
    Ok(found.into_values().collect())
}

/// Bytes of the lanes, if they lie on the file system of `path`.
fn lanes_on_same_file_system(plan: &Plan, path: &Path) -> std::io::Result<Bytes> {
    let Storage::Directory(storage) = &plan.lanes.storage else { return Ok(Bytes(0)) };
    let is_same = space::file_system(&nearest_existing(storage))? == space::file_system(path)?;
    let lanes = if is_same { made_lanes(plan) as u64 } else { 0 };
    Ok(Bytes(plan.lanes.size.0.saturating_mul(lanes)))
}

/// Versions of the tools that these kinds need, by program; a tool that does not start is omitted.
pub fn tool_versions(kinds: &[&str]) -> BTreeMap<String, String> {
    let kinds = KINDS.iter().filter(|kind| kinds.contains(&kind.name));
    let tools = kinds.flat_map(|kind| kind.tools);
    tools
        .filter_map(|tool| {
            let words = child::run(&[tool.program, tool.version], Patience::query()).ok()?.words();
            Some((tool.program.to_owned(), words.lines().next()?.trim().to_owned()))
        })
        .collect()
}

/// The kind of that name.
///
/// # Errors
/// [`LaneError::UnknownKind`] with the kinds that exist.
pub fn known(argument: &str, name: &str) -> Result<&'static Kind, LaneError> {
    kind(name).ok_or_else(|| LaneError::UnknownKind {
        argument: argument.to_owned(),
        kind: name.to_owned(),
        known: KINDS.iter().map(|kind| kind.name).collect(),
    })
}

/// Refuses a `dir` contender whose directory does not exist.
///
/// # Errors
/// [`LaneError::NoDirectory`], or [`LaneError::BadOption`] if the path is not a directory.
pub fn directory(contender: &Contender) -> Result<(), LaneError> {
    let path = contender.path.clone().unwrap_or_default();
    match path.is_dir() {
        true => Ok(()),
        false if path.exists() => {
            let what = format!("`{}` is not a directory", path.display());
            Err(LaneError::BadOption { contender: contender.label.to_string(), what })
        }
        false => Err(LaneError::NoDirectory { contender: contender.label.to_string(), path }),
    }
}

/// Refuses a kind that this user, kernel or lane size does not support, or whose tools are missing.
fn lanes_of(kind: &Kind, lane_size: Bytes) -> Result<(), LaneError> {
    let name = kind.name.to_owned();
    if !rustix::process::geteuid().is_root() {
        return Err(LaneError::NotRoot { kind: name });
    }
    if !kernel_has(kind.mounted_as) {
        return Err(LaneError::KernelLacks { kind: kind.mounted_as.to_owned() });
    }
    if let Some(tool) = missing_tool(kind) {
        let (program, package) = (tool.program.to_owned(), tool.package.to_owned());
        return Err(LaneError::ToolMissing { kind: name, program, package });
    }
    match lane_size >= kind.smallest_lane {
        true => Ok(()),
        false => {
            let needed = kind.smallest_lane;
            Err(LaneError::LaneTooSmall { size: lane_size, wanted_by: format!("`{name}`"), needed })
        }
    }
}

/// Whether the running kernel has the file system, built in or as a module that can be loaded. Mounts of a program have
/// its name after that of the kernel's part: `fuse.sshfs`.
pub fn kernel_has(kind: &str) -> bool {
    let kind = kind.split('.').next().unwrap_or(kind);
    let listed = || {
        let text = fs::read_to_string("/proc/filesystems").unwrap_or_default();
        text.lines().any(|line| line.split_whitespace().next_back() == Some(kind))
    };
    let loaded = || child::run(&["modprobe", kind], Patience::query()).is_ok_and(|ended| ended.status.success());
    listed() || (loaded() && listed())
}

/// The first tool of a kind that is not installed.
pub fn missing_tool(kind: &Kind) -> Option<crate::Tool> {
    kind.tools.iter().copied().find(|tool| child::find_program(tool.program).is_none())
}
