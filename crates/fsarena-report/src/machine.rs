//! The machine and the lanes: facts, the cost of a write and flush, what held the machine back, and the programs that
//! did the work.

use std::collections::BTreeMap;

use fsarena_model::event::RoundFacts;
use fsarena_model::{Comparison, Conditions, Environment, FlushAfter, LaneCost, Nanos, RepeatedReads};
use fsarena_stats::median;

use crate::number::{bytes, seconds, three_digits};
use crate::report::{Fact, Role};
use crate::words::{self, listed};

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

/// Sentences about the lane, what is beneath it, and what held the machine back.
pub fn lane_facts(comparison: &Comparison) -> Vec<String> {
    let environment = &comparison.environment;
    let sentences = [
        environment.lanes.cost.as_ref().map(lane_cost),
        over_rounds(comparison),
        flushes(environment),
        repeated_reads(environment),
        held_back(comparison),
    ];
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

/// What held the machine back, over all rounds; `None` if nothing did, or it is not known.
fn held_back(comparison: &Comparison) -> Option<String> {
    let facts = &comparison.round_facts;
    let parts = [
        part(facts, |round| round.swapped.map(|size| size.0 as f64), |size| format!("swapped {}", bytes(size))),
        part(
            facts,
            |round| round.quota_throttled,
            |span| format!("was held back {} by a processor quota", seconds(span)),
        ),
        part(
            facts,
            |round| round.thermal_throttled,
            |times| format!("was slowed {times:.0} times for its temperature"),
        ),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("The machine {}.", listed(parts)))
}

/// The sum over the rounds in which the value is above 0, with the numbers of these rounds.
fn part(facts: &[RoundFacts], of: fn(&Conditions) -> Option<f64>, print: fn(f64) -> String) -> Option<String> {
    let seen: Vec<(u32, f64)> = facts
        .iter()
        .filter_map(|facts| Some((facts.round, of(&facts.conditions).filter(|value| *value > 0.0)?)))
        .collect();
    let noun = if seen.len() == 1 { "round" } else { "rounds" };
    let rounds = listed(seen.iter().map(|(round, _)| round));
    (!seen.is_empty()).then(|| format!("{} in {noun} {rounds}", print(seen.iter().map(|(_, value)| value).sum())))
}

/// `2100 to 3400 MHz`, or one figure if both ends are equal.
pub fn frequency(ends: (f64, f64)) -> String {
    match ends {
        (low, high) if low < high => format!("{low:.0} to {high:.0} MHz"),
        (low, _) => format!("{low:.0} MHz"),
    }
}

/// The cost of the lane over the rounds: `The lane's write and flush took 74.2 µs (71.3 µs to 80.1 µs) in 5 rounds`.
fn over_rounds(comparison: &Comparison) -> Option<String> {
    let costs: Vec<&LaneCost> = lane_costs(comparison).collect();
    let of = |span: fn(&LaneCost) -> Nanos| costs.iter().map(|cost| span(cost).as_seconds()).collect::<Vec<_>>();
    let (busy, paced) = (spread(of(|cost| cost.back_to_back))?, spread(of(|cost| cost.paced))?);
    let devices: Option<Vec<f64>> = costs.iter().map(|cost| Some(cost.device?.as_seconds())).collect();
    let device = devices.and_then(spread).map(|device| format!(", {device} of it the device beneath"));
    let host = comparison.environment.lanes.host_file_system.as_ref().map(|host| format!("; host file system {host}"));
    let rounds = words::rounds(costs.len() as u32);
    let (device, host) = (device.unwrap_or_default(), host.unwrap_or_default());
    Some(format!("The lane's write and flush took {busy} in {rounds}{device}; after a pause {paced}{host}."))
}

fn lane_costs(comparison: &Comparison) -> impl Iterator<Item = &LaneCost> {
    comparison.round_facts.iter().filter_map(|facts| facts.lane_cost.as_ref())
}

/// The median, with the minimum and the maximum.
fn spread(values: Vec<f64>) -> Option<String> {
    let (low, high) = (values.iter().copied().reduce(f64::min)?, values.iter().copied().reduce(f64::max)?);
    let middle = seconds(median(values)?);
    Some(if low < high { format!("{middle} ({} to {})", seconds(low), seconds(high)) } else { middle })
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
