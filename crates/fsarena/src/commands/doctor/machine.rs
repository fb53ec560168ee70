//! The machine's kernel, processor, memory and hypervisor.

use super::page::{Line, Section, Word};

/// One line for each property of the machine.
pub fn section() -> Section {
    let found = fsarena_probe::survey(None);
    let unknown = || "could not be read".to_owned();
    let cores = found.cores.map_or_else(unknown, |cores| format!("{cores} cores"));
    let memory = found.memory.map_or_else(unknown, |memory| memory.to_string());
    let mut lines = vec![
        known("kernel", found.kernel),
        Line::new(Word::Ok, "processor", format!("{}, {cores}", found.cpu.unwrap_or_else(unknown))),
        Line::new(Word::Ok, "memory", memory),
    ];
    lines.extend(found.hypervisor.map(|name| {
        let named = if name == "unnamed" { String::new() } else { format!(" ({name})") };
        let text = format!("a virtual machine{named}: its host's load and caches are out of sight");
        Line::new(Word::Note, "hypervisor", text)
    }));
    Section { title: "Machine", lines }
}

fn known(subject: &str, value: Option<String>) -> Line {
    match value {
        Some(value) => Line::new(Word::Ok, subject, value),
        None => Line::new(Word::Note, subject, "could not be read"),
    }
}
