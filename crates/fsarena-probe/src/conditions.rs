//! Conditions that slow down the machine: swapping, processor quotas, heat, and the resulting frequency.

use std::fs;

use fsarena_model::{Bytes, Conditions};
use fsarena_sys::cgroup::Hierarchy;

use crate::{field, memory_bandwidth, text};

/// The conditions at one moment; what is counted, since the machine was started.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConditionsSnapshot(Conditions);

impl ConditionsSnapshot {
    /// Reads all counters; takes some ten milliseconds.
    pub fn take() -> Self {
        let pages = text("/proc/vmstat").and_then(|text| Some(field(&text, "pswpin ")? + field(&text, "pswpout ")?));
        // In kHz.
        let frequencies = of_processors("cpufreq/scaling_cur_freq");
        Self(Conditions {
            swapped: pages.map(|pages| Bytes((pages * rustix::param::page_size() as f64) as u64)),
            quota_throttled: quota_throttled(),
            thermal_throttled: sum(&throttle_counts()),
            frequency_mhz: range(frequencies.iter().filter_map(|text| Some(text.parse::<f64>().ok()? / 1e3))),
            memory_bandwidth: memory_bandwidth(),
        })
    }

    /// Changes since `before`.
    pub fn since(&self, before: &Self) -> Conditions {
        let (now, then) = (&self.0, &before.0);
        let grown = |of: fn(&Conditions) -> Option<f64>| Some((of(now)? - of(then)?).max(0.0));
        Conditions {
            swapped: now.swapped.zip(then.swapped).map(|(now, then)| Bytes(now.0.saturating_sub(then.0))),
            quota_throttled: grown(|it| it.quota_throttled),
            thermal_throttled: grown(|it| it.thermal_throttled),
            frequency_mhz: match (now.frequency_mhz, then.frequency_mhz) {
                (Some(now), Some(then)) => Some((now.0.min(then.0), now.1.max(then.1))),
                (now, then) => now.or(then),
            },
            memory_bandwidth: [now, then].into_iter().filter_map(|it| it.memory_bandwidth).reduce(f64::max),
        }
    }
}

/// How the kernel chooses the processors' frequency (Documentation/admin-guide/pm/cpufreq.rst, `scaling_governor`);
/// several if they differ. `None` if the kernel does not control the frequency, as in most virtual machines.
pub fn frequency_policy() -> Option<String> {
    let mut policies = of_processors("cpufreq/scaling_governor");
    policies.sort();
    policies.dedup();
    (!policies.is_empty()).then(|| policies.join(", "))
}

/// The contents of a file of each processor in sysfs, as far as they can be read.
fn of_processors(file: &str) -> Vec<String> {
    let is_processor = |name: &str| name.strip_prefix("cpu").is_some_and(|number| number.parse::<u32>().is_ok());
    let entries = fs::read_dir("/sys/devices/system/cpu").into_iter().flatten().flatten();
    let processors = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_processor));
    processors.filter_map(|entry| text(entry.path().join(file))).collect()
}

/// How often each processor and each processor package was throttled
/// (Documentation/ABI/testing/sysfs-devices-system-cpu). A package reports its count once for each of its processors.
fn throttle_counts() -> Vec<f64> {
    let counts = ["core", "package"].map(|part| of_processors(&format!("thermal_throttle/{part}_throttle_count")));
    counts.concat().iter().filter_map(|text| text.parse().ok()).collect()
}

fn sum(counts: &[f64]) -> Option<f64> {
    (!counts.is_empty()).then(|| counts.iter().sum())
}

/// The least and the greatest value.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.map(|value| (value, value)).reduce(|(least, most), (value, _)| (least.min(value), most.max(value)))
}

/// Seconds for which the quotas of this process' groups, and of the groups above, throttled processes; `None` if no
/// group reports it.
fn quota_throttled() -> Option<f64> {
    let hierarchy = Hierarchy::mounted("cpu").ok()??;
    let group = hierarchy.own_group()?;
    let times = hierarchy.up_from(&group).filter_map(|group| throttled(&text(group.join("cpu.stat"))?));
    sum(&times.collect::<Vec<f64>>())
}

/// Seconds in a text such as `nr_throttled 3\nthrottled_time 5000` (version 1, ns) or `throttled_usec 5` (version 2).
pub(crate) fn throttled(text: &str) -> Option<f64> {
    let nanoseconds = field(text, "throttled_time ").map(|time| time / 1e9);
    nanoseconds.or_else(|| field(text, "throttled_usec ").map(|time| time / 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_reported_and_unknown_values_are_absent() {
        let (swapped, frequency_mhz) = (Some(Bytes(10 << 12)), Some((2000.0, 3000.0)));
        let before = ConditionsSnapshot(Conditions { swapped, frequency_mhz, ..Conditions::default() });
        let after = ConditionsSnapshot(Conditions {
            swapped: Some(Bytes(12 << 12)),
            quota_throttled: Some(1.0),
            frequency_mhz: Some((1000.0, 2500.0)),
            ..Conditions::default()
        });
        let conditions = after.since(&before);
        assert_eq!(conditions.swapped, Some(Bytes(2 << 12)));
        assert_eq!((conditions.quota_throttled, conditions.thermal_throttled), (None, None));
        assert_eq!(conditions.frequency_mhz, Some((1000.0, 3000.0)));
    }

    #[test]
    fn both_versions_tell_how_long_a_quota_held_back() {
        assert_eq!(throttled("nr_periods 9\nnr_throttled 3\nthrottled_time 2500000000\n"), Some(2.5));
        assert_eq!(throttled("usage_usec 9\nnr_throttled 3\nthrottled_usec 2500000\n"), Some(2.5));
        assert_eq!(throttled("usage_usec 9\n"), None);
    }

    #[test]
    fn frequencies_have_a_range_and_counts_a_sum_if_there_are_any() {
        assert_eq!(range([3000.0, 1000.0, 2000.0].into_iter()), Some((1000.0, 3000.0)));
        assert_eq!((range([].into_iter()), sum(&[]), sum(&[1.0, 2.0])), (None, None, Some(3.0)));
    }

    #[test]
    fn this_machine_tells_whether_it_swaps() {
        let before = ConditionsSnapshot::take();
        assert!(ConditionsSnapshot::take().since(&before).swapped.is_some(), "every Linux with /proc/vmstat does");
    }
}
