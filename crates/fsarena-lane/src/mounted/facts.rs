//! Facts about a contender that was made and mounted, for the report.

use std::fs;
use std::path::Path;

use fsarena_model::guest::CacheMode;
use fsarena_model::{Contender, ContenderFacts, Durability, distinct};
use fsarena_sys::mountinfo;

use super::{Mounted, backing};
use crate::kind::{Ground, Kind, risks};
use crate::{LaneError, attributes, layer, shared};

pub fn facts(contender: &Contender, kind: &Kind, made: &Mounted) -> Result<ContenderFacts, LaneError> {
    if kind.ground == Ground::Library {
        return Ok(facts_of_library(contender, kind, made));
    }
    let mount = mountinfo::mount_of(&made.directory);
    let mount = mount.map_err(LaneError::io("look up the mount of", &made.directory))?;
    let options = [vec![mount.all_options()], made.result.set.clone()].concat().join(",");
    let is_directory = kind.ground == Ground::Directory;
    let features = match is_directory {
        true => attributes::of(&made.directory),
        false => made.result.features.clone(),
    };
    let guarantees = match is_directory {
        true => attributes::guarantees(&mount, &features),
        false => (kind.guarantees)(&features, &options),
    };
    let guarantees = distinct(guarantees.into_iter().chain(layer::guarantees(contender)));
    let says_alignment = attributes::says_alignment(&made.directory);
    let mounted_as = shared::kind_of(&mount);
    // The features of a directory are its own, and not those of its file system.
    let made_with = if is_directory { &[][..] } else { &features };
    Ok(ContenderFacts {
        label: contender.label.clone(),
        risks: risks(mounted_as, &options, made_with),
        mkfs: made.mkfs.clone(),
        mount: format!("{mounted_as} {options}"),
        durability: durability(contender, kind, mounted_as, &options),
        // What else is written to a lane's file system is known, and its pages are counted.
        direct_writes: match is_directory {
            true => attributes::direct_writes(mounted_as, &guarantees, says_alignment),
            // What passes through a cache of its own dirties no pages.
            false => (kind.is_pool && says_alignment != Some(true)).then_some(false),
        },
        direct_unit: (kind.direct_unit)(&features),
        guarantees,
        features,
        read_ahead_kib: read_ahead(&made.directory),
        says_alignment,
        shared_folder: shared::remark(mounted_as),
        file_system: is_directory.then(|| shared::identity(&mount)),
        sharing: shared::sharing(mounted_as, &options),
        layers: made.stack.commands.clone(),
    })
}

/// What a completed fsync guarantees on a mount of this type with these options.
fn durability(contender: &Contender, kind: &Kind, mounted_as: &str, options: &str) -> Durability {
    // QEMU ignores the flushes of such a virtual disk.
    let is_unsafe = contender.disk.and_then(|mode| mode.cache) == Some(CacheMode::Unsafe);
    if is_unsafe || shared::keeps_syncs(mounted_as, options) {
        return Durability::Unflushed;
    }
    // Of a mount that a chroot hides, the magic number is known (magic.h).
    let is_volatile = ["tmpfs", "ramfs", "0x1021994", "0x858458f6"].contains(&mounted_as);
    if is_volatile { Durability::Volatile } else { (kind.durability)(options) }
}

/// A library has no mount, and so no mount options and no read-ahead of the kernel's.
fn facts_of_library(contender: &Contender, kind: &Kind, made: &Mounted) -> ContenderFacts {
    ContenderFacts {
        mkfs: made.mkfs.clone(),
        mount: format!("{}, a library within this process", kind.name),
        guarantees: (kind.guarantees)(&made.result.features, ""),
        features: made.result.features.clone(),
        ..ContenderFacts::new(contender.label.clone(), (kind.durability)(""))
    }
}

/// Read-ahead of a mounted file system in KiB, from its backing device info.
fn read_ahead(directory: &Path) -> Option<u64> {
    let info = Path::new("/sys/class/bdi").join(backing(directory)?);
    fs::read_to_string(info.join("read_ahead_kb")).ok()?.trim().parse().ok()
}
