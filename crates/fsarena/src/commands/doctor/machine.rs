//! The machine's kernel, processor, memory and hypervisor.

use std::path::Path;

use super::page::{DoctorLine, Topic};

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

/// Places that a chroot or a container may lack: a file that is there if the place is, what is wrong without it, and what
/// mounts it.
const PLACES: [(&str, &str, &str, &str); 3] = [
    ("/proc", "self", "counters, mounts and kinds cannot be read", "proc proc"),
    ("/sys", "class", "devices and their settings cannot be read", "sysfs sysfs"),
    ("/dev", "null", "there are no devices, and programs that workloads start may fail", "devtmpfs dev"),
];

fn absent((place, file, lack, mounted): (&str, &str, &str, &str)) -> Option<DoctorLine> {
    let line = || DoctorLine::missing(place, format!("not here: {lack}")).hint(format!("mount -t {mounted} {place}"));
    (!Path::new(place).join(file).exists()).then(line)
}

fn known(subject: &str, value: Option<String>) -> DoctorLine {
    match value {
        Some(value) => DoctorLine::ok(subject, value),
        None => DoctorLine::note(subject, "could not be read"),
    }
}
