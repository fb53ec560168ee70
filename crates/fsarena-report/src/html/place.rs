//! Contenders, machine, rounds and notes for the page.

use fsarena_model::comparison::ContenderRow;
use fsarena_model::{Comparison, Environment};
use serde::Serialize;

use super::rounds::{Rounds, rounds};
use crate::machine::{Told, told};
use crate::{machine, remark, shell, words};

/// A contender as it was made and mounted.
#[derive(Serialize)]
pub struct Contender {
    label: String,
    kind: String,
    facts: Vec<Fact>,
}

/// A named fact; `is_code` if it is text for a machine.
#[derive(Serialize)]
pub struct Fact {
    name: String,
    value: String,
    is_code: bool,
}

/// The machine, the lanes, the rounds and the programs.
#[derive(Serialize)]
pub struct Place {
    facts: Vec<Fact>,
    lane: Vec<String>,
    rounds: Rounds,
    told: Vec<Told>,
}

/// A note with its severity.
#[derive(Serialize)]
pub struct Note<'a> {
    severity: &'static str,
    text: &'a str,
}

fn fact(name: &str, value: Option<String>) -> Option<Fact> {
    value.filter(|value| !value.is_empty()).map(|value| Fact { name: name.to_owned(), value, is_code: false })
}

fn code(name: &str, value: Option<String>) -> Option<Fact> {
    fact(name, value).map(|fact| Fact { is_code: true, ..fact })
}

/// The contenders in command-line order.
pub fn contenders(comparison: &Comparison) -> Vec<Contender> {
    comparison.contenders.iter().map(contender).collect()
}

fn contender(row: &ContenderRow) -> Contender {
    let mkfs = row.mkfs.iter().map(|argument| shell(argument)).collect::<Vec<_>>().join(" ");
    let durability = row.durability.map(|class| format!("{class}: {}", words::durability(class)));
    let facts = [
        code("Made by", Some(mkfs)),
        code("Mounted as", Some(row.mount.clone().unwrap_or_else(|| "never mounted".to_owned()))),
        fact("Durability", durability),
        fact("Guarantees", Some(words::listed(&row.guarantees))),
        fact("Features", Some(row.features.join(", "))),
        fact("Read-ahead", row.read_ahead_kib.map(|size| format!("{size} KiB"))),
    ];
    Contender { label: row.label.to_string(), kind: row.kind.clone(), facts: facts.into_iter().flatten().collect() }
}

/// The machine. Facts that could not be read are left out.
pub fn place(comparison: &Comparison) -> Place {
    Place {
        facts: facts(&comparison.environment),
        lane: machine::lane_facts(comparison),
        rounds: rounds(&comparison.round_facts),
        told: told(&comparison.environment),
    }
}

fn facts(environment: &Environment) -> Vec<Fact> {
    let pairs = |map: &std::collections::BTreeMap<String, String>| {
        map.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
    };
    let facts = [
        fact("Kernel", environment.kernel.clone().map(|kernel| format!("Linux {kernel}"))),
        fact("Processor", environment.cpu.clone()),
        fact("Cores", environment.cores.map(|cores| cores.to_string())),
        fact("Memory", environment.memory.map(|memory| memory.to_string())),
        fact("Frequency policy", environment.frequency_policy.clone()),
        fact(
            "Copying, all cores",
            machine::memory_bandwidth(environment).map(|rate| format!("{rate} from cache to cache")),
        ),
        fact("Hypervisor", environment.hypervisor.clone()),
        fact("Lanes", environment.storage.clone()),
        fact("Host file system", environment.host_file_system.clone()),
        fact("Device beneath", environment.device.clone()),
        fact("Queue of the lanes", Some(pairs(&environment.queue))),
        fact("Tools", Some(pairs(&environment.tools))),
        fact("fsarena", Some(environment.fsarena.clone())),
    ];
    facts.into_iter().flatten().collect()
}

/// The notes, the most severe first.
pub fn notes(comparison: &Comparison) -> Vec<Note<'_>> {
    remark::notes(comparison).into_iter().map(|(severity, note)| Note { severity, text: &note.text }).collect()
}
