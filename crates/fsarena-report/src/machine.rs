//! Facts about the machine and the device beneath the lanes, and what held the machine back.

use fsarena_model::event::RoundFacts;
use fsarena_model::{Comparison, Conditions, Environment, FlushAfter, RepeatedReads};

use crate::number::{bytes, seconds, three_digits};
use crate::remark::listed;

/// Durations of a flush by the amount written before it: `A flush alone of the bare lane takes 58.0 µs after 4.00 KiB
/// and 61.2 µs after 64.0 MiB written.`
pub fn flushes(environment: &Environment) -> Option<String> {
    let after = |flush: &FlushAfter| format!("{} after {}", flush.flush, flush.written);
    let all = listed(environment.flushes.iter().map(after));
    (!all.is_empty()).then(|| format!("A flush alone of the bare lane takes {all} written."))
}

/// Throughput of first and of repeated reads of the same blocks.
pub fn repeated_reads(environment: &Environment) -> Option<String> {
    let RepeatedReads { fresh, repeated } = environment.repeated_reads?;
    let times = three_digits(repeated / fresh);
    let (fresh, repeated) = (bytes(fresh), bytes(repeated));
    Some(format!(
        "Direct reads of the bare lane come at {fresh}/s where nothing was read before, and at {repeated}/s right \
         afterwards, {times} times as fast."
    ))
}

/// `41.2 GiB/s`: the rate at which all processors together copy from cache to cache.
pub fn memory_bandwidth(environment: &Environment) -> Option<String> {
    Some(format!("{}/s", bytes(environment.memory_bandwidth?)))
}

/// What held the machine back, over all rounds; `None` if nothing did, or it is not known.
pub fn held_back(comparison: &Comparison) -> Option<String> {
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
