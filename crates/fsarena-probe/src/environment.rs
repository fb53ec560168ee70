//! Properties of the machine, read once per run.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use fsarena_model::{Bytes, Environment, LaneFacts, MachineName};
use fsarena_sys::{block, mountinfo};

use crate::{field, frequency_policy, memory_bandwidth};

/// Reads the properties of the machine, and of what backs its lanes: `beneath` is a folder or a disk.
pub fn survey(beneath: Option<&Path>) -> Environment {
    let disk = beneath.filter(|path| path.starts_with("/dev") && !path.is_dir());
    let host = beneath.filter(|_| disk.is_none()).and_then(|folder| mountinfo::mount_of(folder).ok());
    let memory = read("/proc/meminfo").and_then(|text| field(&text, "MemTotal"));
    Environment {
        fsarena: env!("CARGO_PKG_VERSION").to_owned(),
        host: read("/proc/sys/kernel/hostname"),
        kernel: read("/proc/sys/kernel/osrelease"),
        cpu: read("/proc/cpuinfo").and_then(|text| after_colon(&text, "model name")),
        cores: std::thread::available_parallelism().ok().map(|count| count.get() as u32),
        memory: memory.map(|kib| Bytes::kib(kib as u64)),
        hypervisor: hypervisor(),
        lanes: LaneFacts {
            host_file_system: host.as_ref().map(|mount| {
                let journal = journal_of(&mount.kind, &mount.source);
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
        host: read("/proc/sys/kernel/hostname"),
        boot: read("/proc/sys/kernel/random/boot_id"),
        network: std::fs::metadata("/proc/self/ns/net").ok().map(|namespace| namespace.ino()),
        link_mbit: fastest_link(),
    }
}

/// The kernel states no speed of a link that is down, or has none (sysfs-class-net).
fn fastest_link() -> Option<u64> {
    let links = std::fs::read_dir("/sys/class/net").ok()?.flatten();
    links.filter_map(|link| read(link.path().join("speed"))?.parse().ok()).max()
}

/// The text of a file without the white space around it; `None` if it is empty or cannot be read.
fn read(path: impl AsRef<Path>) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn after_colon(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn hypervisor() -> Option<String> {
    let is_virtual = after_colon(&read("/proc/cpuinfo")?, "flags")?.split(' ').any(|flag| flag == "hypervisor");
    let names = ["/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name"].into_iter().filter_map(read);
    let named = names.collect::<Vec<_>>().join(" ");
    is_virtual.then(|| if named.is_empty() { "unnamed".to_owned() } else { named })
}

/// Whether an ext file system has a journal.
fn journal_of(kind: &str, source: &str) -> &'static str {
    match source.strip_prefix("/dev/").filter(|_| ["ext3", "ext4"].contains(&kind)) {
        None => "",
        Some(device) if block::has_journal(device) => ", with a journal",
        Some(_) => ", without a journal",
    }
}
