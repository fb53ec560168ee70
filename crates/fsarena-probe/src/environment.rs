//! Properties of the machine, read once per run.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use fsarena_model::{Environment, LaneFacts, MachineName};
use fsarena_sys::{memory, mountinfo};

use crate::{frequency_policy, memory_bandwidth, text};

/// Reads the properties of the machine, and of what backs its lanes: `beneath` is a folder or a disk.
pub fn survey(beneath: Option<&Path>) -> Environment {
    let disk = beneath.filter(|path| path.starts_with("/dev") && !path.is_dir());
    let host = beneath.filter(|_| disk.is_none()).and_then(|folder| mountinfo::mount_of(folder).ok());
    Environment {
        fsarena: env!("CARGO_PKG_VERSION").to_owned(),
        host: text("/proc/sys/kernel/hostname"),
        kernel: text("/proc/sys/kernel/osrelease"),
        cpu: text("/proc/cpuinfo").and_then(|text| after_colon(&text, "model name")),
        cores: std::thread::available_parallelism().ok().map(|count| count.get() as u32),
        memory: memory::total(),
        hypervisor: hypervisor(),
        lanes: LaneFacts {
            host_file_system: host.as_ref().map(|mount| {
                let journal = match mount.kind.as_str() {
                    "ext3" | "ext4" if mount.has_journal() => ", with a journal",
                    "ext3" | "ext4" => ", without a journal",
                    _ => "",
                };
                format!("{} ({}){journal}", mount.kind, mount.all_options())
            }),
            device: disk.map(|path| path.display().to_string()).or(host.map(|mount| mount.source)),
            ..LaneFacts::default()
        },
        memory_bandwidth: memory_bandwidth(),
        frequency_policy: frequency_policy(),
        ..Environment::default()
    }
}

/// What this machine is called.
pub fn machine_name() -> MachineName {
    MachineName {
        host: text("/proc/sys/kernel/hostname"),
        boot: text("/proc/sys/kernel/random/boot_id"),
        network: std::fs::metadata("/proc/self/ns/net").ok().map(|namespace| namespace.ino()),
        link_mbit: fastest_link(),
    }
}

/// The kernel states no speed of a link that is down, or has none (sysfs-class-net).
fn fastest_link() -> Option<u64> {
    let links = std::fs::read_dir("/sys/class/net").ok()?.flatten();
    links.filter_map(|link| text(link.path().join("speed"))?.parse().ok()).max()
}

fn after_colon(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn hypervisor() -> Option<String> {
    let is_virtual = after_colon(&text("/proc/cpuinfo")?, "flags")?.split(' ').any(|flag| flag == "hypervisor");
    let names = ["/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name"].into_iter().filter_map(text);
    let named = names.collect::<Vec<_>>().join(" ");
    is_virtual.then(|| if named.is_empty() { "unnamed".to_owned() } else { named })
}
