//! The kinds of file system and the layers below them: kernel support, installed tools, and the age of the kinds' tools.

use std::collections::BTreeMap;

use fsarena_lane::age;
use fsarena_lane::kind::Ground;
use fsarena_lane::layer::{LAYERS, LayerKind};
use fsarena_lane::{KINDS, Kind, Tool, tool_versions};
use fsarena_model::DebianRelease;

use super::page::{DoctorLine, Topic};
use crate::commands::list::{Availability, availability, layer_availability};

/// One line for each kind and layer, and one for each mkfs that is much older than the kernel.
pub fn section() -> Topic {
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    let versions = tool_versions(&names, &[]);
    let mut lines: Vec<DoctorLine> = KINDS.iter().map(|kind| line(kind, &versions)).collect();
    lines.extend(LAYERS.iter().map(|layer| layer_line(layer)));
    let kernel = rustix::system::uname().release().to_string_lossy().into_owned();
    let newer = format!("--tools {} takes those of Debian's newest release", DebianRelease::default());
    let old = age::old_makers(&versions, &kernel).into_iter();
    lines.extend(old.map(|text| DoctorLine::note("tools", text).hint(newer.as_str())));
    Topic { title: "Kinds of file system, and layers below them", lines }
}

/// Those of ext4, xfs and btrfs that lanes can have here, at least as root.
pub fn usual() -> Vec<&'static str> {
    let is_ready = |kind: &&&Kind| match availability(kind) {
        Availability::Here | Availability::AsRoot => true,
        Availability::KernelLacks => has_module(kind.name),
        Availability::ToolMissing(_) => false,
    };
    let usual = KINDS.iter().filter(|kind| ["ext4", "xfs", "btrfs"].contains(&kind.name));
    usual.filter(is_ready).map(|kind| kind.name).collect()
}

fn line(kind: &Kind, versions: &BTreeMap<String, String>) -> DoctorLine {
    let (name, about) = (kind.name, kind.about);
    let found = tools(kind, versions);
    let place = if kind.ground == Ground::Library { "a library in fsarena" } else { "in the kernel" };
    match availability(kind) {
        Availability::Here if kind.ground == Ground::Directory => DoctorLine::ok(name, about),
        Availability::Here => DoctorLine::ok(name, format!("{place}{found}")),
        Availability::AsRoot => DoctorLine::note(name, format!("as root: {place}{found}")),
        Availability::KernelLacks if has_module(kind.mounted_as) => {
            DoctorLine::note(name, format!("as root, who may load the kernel's module{found}"))
        }
        Availability::KernelLacks => {
            let why = if kind.ground == Ground::Share { about } else { "this kernel lacks it" };
            DoctorLine::no(name, format!("{why}{found}")).hint("in a guest: --guest")
        }
        Availability::ToolMissing(tool) => {
            not_installed(name, tool, &format!(", or --tools {}", DebianRelease::default()))
        }
    }
}

fn layer_line(layer: &LayerKind) -> DoctorLine {
    let name = format!("@{}", layer.name);
    match layer_availability(layer) {
        Availability::Here => DoctorLine::ok(name, layer.about),
        Availability::AsRoot => DoctorLine::note(name, format!("as root: {}", layer.about)),
        Availability::KernelLacks => DoctorLine::no(name, "this kernel lacks it").hint("in a guest: --guest"),
        Availability::ToolMissing(tool) => not_installed(name, tool, ""),
    }
}

/// The hint ends with the other way out.
fn not_installed(name: impl Into<String>, tool: Tool, other: &str) -> DoctorLine {
    DoctorLine::missing(name, format!("in the kernel, but `{}` is not installed", tool.program))
        .hint(format!("apt-get install {}{other}", tool.package))
}

/// Whether a loadable module of this name exists; always false for root, who would have loaded it.
fn has_module(kind: &str) -> bool {
    let kernel = rustix::system::uname().release().to_string_lossy().into_owned();
    let list = std::fs::read_to_string(format!("/lib/modules/{kernel}/modules.dep")).unwrap_or_default();
    let is_it = |path: &str| path.rsplit('/').next().is_some_and(|file| file.starts_with(&format!("{kind}.ko")));
    !rustix::process::geteuid().is_root() && list.lines().filter_map(|line| line.split(':').next()).any(is_it)
}

/// `, e2fsprogs 1.47.0`; the version is omitted if the tool does not report one.
fn tools(kind: &Kind, versions: &BTreeMap<String, String>) -> String {
    let Some(tool) = kind.tools.first() else { return String::new() };
    match versions.get(tool.program).and_then(|words| age::version_in(words)) {
        Some(version) => format!(", {} {version}", tool.package),
        None if fsarena_lane::missing_tool(kind.tools).is_some() => format!(", {} not installed", tool.package),
        None => format!(", {} of an unknown version", tool.package),
    }
}
