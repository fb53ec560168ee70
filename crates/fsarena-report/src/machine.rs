//! The machine and the lanes: facts, the cost of a write and flush, and the programs that did the work.

use std::collections::BTreeMap;

use fsarena_model::{Environment, FlushAfter, LaneCost, RepeatedReads};

use crate::number::{bytes, three_digits};
use crate::report::{Fact, Role};
use crate::words::listed;

/// The machine and the place of the lanes. The value of a fact that could not be read is empty.
pub fn facts(environment: &Environment) -> [Fact; 13] {
    let all = |map: &BTreeMap<String, String>| {
        Some(map.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", "))
    };
    let fact = |name: &str, value: Option<String>| Fact::new(name, Role::Plain, value.unwrap_or_default());
    [
        fact("Kernel", environment.kernel.as_ref().map(|kernel| format!("Linux {kernel}"))),
        fact("Processor", environment.cpu.clone()),
        fact("Cores", environment.cores.map(|cores| cores.to_string())),
        fact("Memory", environment.memory.map(|memory| memory.to_string())),
        fact("Frequency policy", environment.frequency_policy.clone()),
        fact(
            "Copying, all cores",
            environment.memory_bandwidth.map(|it| format!("{}/s from cache to cache", bytes(it))),
        ),
        fact("Hypervisor", environment.hypervisor.clone()),
        fact("Lanes", environment.lanes.storage.clone()),
        fact("Host file system", environment.lanes.host_file_system.clone()),
        fact("Device beneath", environment.lanes.device.clone()),
        fact("Queue of the lanes", all(&environment.lanes.queue)),
        fact("Tools", Some(tools(environment))),
        fact("fsarena", Some(environment.fsarena.clone())),
    ]
}

/// Sentences about the lane and what is beneath it.
pub fn lane_facts(environment: &Environment) -> Vec<String> {
    let sentences = [environment.lanes.cost.as_ref().map(lane_cost), flushes(environment), repeated_reads(environment)];
    sentences.into_iter().flatten().collect()
}

fn lane_cost(cost: &LaneCost) -> String {
    let flushes = cost.host_flushes.map(|count| format!("{} flushes", three_digits(count)));
    let host = listed(cost.host_bytes.map(bytes).into_iter().chain(flushes));
    let host = if host.is_empty() { host } else { format!("; beneath, {host} reach the device for it") };
    // The two are measured one after the other, so a part may come out larger than the whole.
    let device = cost.device.map(|span| match span < cost.back_to_back {
        true => format!(", of which the device beneath takes {span}"),
        false => ", all of it the device beneath".to_owned(),
    });
    let device = device.unwrap_or_default();
    let (busy, paced) = (cost.back_to_back, cost.paced);
    format!("A bare lane takes {busy} for a 4 KiB write and flush{device} ({paced} after a pause){host}.")
}

/// Durations of a flush by the amount written before it: `A flush alone of the bare lane takes 58.0 µs after 4.00 KiB
/// and 61.2 µs after 64.0 MiB written.`
fn flushes(environment: &Environment) -> Option<String> {
    let after = |flush: &FlushAfter| format!("{} after {}", flush.flush, flush.written);
    let all = listed(environment.lanes.flushes.iter().map(after));
    (!all.is_empty()).then(|| format!("A flush alone of the bare lane takes {all} written."))
}

/// Throughput of first and of repeated reads of the same blocks.
fn repeated_reads(environment: &Environment) -> Option<String> {
    let RepeatedReads { fresh, repeated } = environment.lanes.repeated_reads?;
    let times = three_digits(repeated / fresh);
    let (fresh, repeated) = (bytes(fresh), bytes(repeated));
    Some(format!(
        "Direct reads of the bare lane come at {fresh}/s where nothing was read before, and at {repeated}/s right \
         afterwards, {times} times as fast."
    ))
}

/// `2100 to 3400 MHz`, or one figure if both ends are equal.
pub fn frequency(ends: (f64, f64)) -> String {
    match ends {
        (low, high) if low < high => format!("{low:.0} to {high:.0} MHz"),
        (low, _) => format!("{low:.0} MHz"),
    }
}

/// Command lines and lines of configuration by the workloads that share them; `LANE` is where they worked.
pub fn settings(environment: &Environment) -> Vec<(String, &[String])> {
    let mut all: BTreeMap<&[String], Vec<&str>> = BTreeMap::new();
    for (workload, lines) in &environment.settings {
        all.entry(lines).or_default().push(workload);
    }
    all.into_iter().map(|(lines, workloads)| (listed(workloads), lines)).collect()
}

/// `of Debian trixie: ` if the tools are not the machine's own, and their versions, each with the program's name in front
/// unless it contains that name.
fn tools(environment: &Environment) -> String {
    let named = |(name, version): (&String, &String)| match version.contains(name) {
        true => version.clone(),
        false => format!("{name} {version}"),
    };
    let release = environment.tools_release.as_ref().map(|release| format!("of Debian {release}: "));
    release.unwrap_or_default() + &environment.tools.iter().map(named).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_settings_are_listed_once() {
        let mut environment = Environment::default();
        assert_eq!(settings(&environment), Vec::new());
        let lines = |text: &str| vec![text.to_owned()];
        for (workload, text) in [("a", "server --x"), ("b", "server --x"), ("c", "client")] {
            environment.settings.insert(workload.to_owned(), lines(text));
        }
        environment.tools.insert("server".to_owned(), "server 1.2".to_owned());
        environment.tools.insert("client".to_owned(), "3".to_owned());
        let settings = settings(&environment);
        assert_eq!(settings.len(), 2);
        assert!(settings.contains(&("a and b".to_owned(), lines("server --x").as_slice())), "{settings:?}");
        assert_eq!(tools(&environment), "client 3, server 1.2");
    }
}
