//! The whole machine: time that tasks ran, and time that the hypervisor took.

use fsarena_model::probe;

use crate::{Counters, Target};

/// `USER_HZ`, which is 100 on every architecture that fsarena runs on.
pub const TICK: f64 = 0.01;

/// The counters of all processors together.
pub fn read(_target: &Target) -> Counters {
    let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let all = stat.lines().next().unwrap_or_default();
    let ticks: Vec<f64> = all.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    let scheduled = std::fs::read_to_string("/proc/schedstat").ok().and_then(|text| run_time(&text));
    let steal = ticks.get(7).map(|steal| steal * TICK);
    vec![(probe::CPU_MACHINE, scheduled.or_else(|| busy(&ticks))), (probe::CPU_STEAL, steal)]
}

/// Seconds that tasks ran: the seventh figure of each `cpu` line, in nanoseconds (sched-stats.rst).
fn run_time(schedstat: &str) -> Option<f64> {
    let lines = schedstat.lines().filter(|line| line.starts_with("cpu"));
    let times: Vec<f64> = lines.filter_map(|line| line.split_whitespace().nth(7)?.parse().ok()).collect();
    (!times.is_empty()).then(|| times.iter().sum::<f64>() / 1e9)
}

/// Seconds that tasks ran, from ticks: all but idle, I/O wait and steal (proc_stat(5)).
fn busy(ticks: &[f64]) -> Option<f64> {
    let idle = ticks.get(3)? + ticks.get(4)? + ticks.get(7)?;
    Some((ticks.iter().take(8).sum::<f64>() - idle) * TICK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_times_of_all_processors_add_up() {
        let text = "version 17\ncpu0 0 0 0 0 0 0 1500000000 5 6\ndomain0 3 1 2\ncpu1 0 0 0 0 0 0 500000000 5 6\n";
        assert_eq!(run_time(text), Some(2.0));
        assert_eq!(run_time("version 17\n"), None);
    }

    #[test]
    fn idle_time_is_not_busy() {
        assert_eq!(busy(&[100.0, 0.0, 50.0, 900.0, 10.0, 0.0, 0.0, 3.0, 0.0, 0.0]), Some(1.5));
        assert_eq!(busy(&[]), None);
    }
}
