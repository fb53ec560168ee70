//! The machine's kernel, processor, memory and hypervisor.

use std::path::Path;

use super::page::{DoctorLine, Topic};

/// One line for each property of the machine.
pub fn section() -> Topic {
    let found = fsarena_probe::survey(None);
    let unknown = || "could not be read".to_owned();
    let cores = found.cores.map_or_else(unknown, |cores| format!("{cores} cores"));
    let memory = found.memory.map_or_else(unknown, |memory| memory.to_string());
    let mut lines = vec![
        known("kernel", found.kernel),
        DoctorLine::ok("processor", format!("{}, {cores}", found.cpu.unwrap_or_else(unknown))),
        DoctorLine::ok("memory", memory),
    ];
    lines.extend(found.hypervisor.map(|name| {
        let named = if name == "unnamed" { String::new() } else { format!(" ({name})") };
        let text = format!("a virtual machine{named}: its host's load and caches are out of sight");
        DoctorLine::note("hypervisor", text)
    }));
    lines.extend(PLACES.into_iter().filter_map(absent));
    Topic { title: "Machine", lines }
}

/// A place that a chroot or a container may lack.
struct NeededPath {
    /// A file that is there if the place is.
    file: &'static str,
    name: &'static str,
    needed_for: &'static str,
    hint: &'static str,
}

const PLACES: [NeededPath; 3] = [
    NeededPath {
        file: "/proc/self",
        name: "/proc",
        needed_for: "counters, mounts and kinds cannot be read",
        hint: "mount -t proc proc /proc",
    },
    NeededPath {
        file: "/sys/class",
        name: "/sys",
        needed_for: "devices and their settings cannot be read",
        hint: "mount -t sysfs sysfs /sys",
    },
    NeededPath {
        file: "/dev/null",
        name: "/dev",
        needed_for: "there are no devices, and programs that workloads start may fail",
        hint: "mount -t devtmpfs dev /dev",
    },
];

fn absent(place: NeededPath) -> Option<DoctorLine> {
    let line = || DoctorLine::missing(place.name, format!("not here: {}", place.needed_for)).hint(place.hint);
    (!Path::new(place.file).exists()).then(line)
}

fn known(subject: &str, value: Option<String>) -> DoctorLine {
    match value {
        Some(value) => DoctorLine::ok(subject, value),
        None => DoctorLine::note(subject, "could not be read"),
    }
}
