//! Bytes that arrive and leave over the network, for work on shared folders.

use std::path::Path;

use fsarena_model::{Probe, probe};

use crate::{Source, Target};

/// The network interfaces of this network namespace. A bridge is left out: its ports count the same packets.
pub struct Network;

const COUNTERS: &[Probe] = &[probe::NETWORK_RECEIVED, probe::NETWORK_SENT];

impl Source for Network {
    fn counters(&self) -> &'static [Probe] {
        COUNTERS
    }

    fn read(&self, target: &Target) -> Vec<Option<f64>> {
        let text = target.network.then(|| std::fs::read_to_string("/proc/net/dev").ok()).flatten();
        let is_bridge = |name: &str| Path::new("/sys/class/net").join(name).join("bridge").exists();
        let found = text.and_then(|text| traffic(&text, is_bridge));
        vec![found.map(|traffic| traffic.received), found.map(|traffic| traffic.sent)]
    }
}

/// Bytes since the interfaces exist.
#[derive(Debug, Clone, Copy, PartialEq)]
struct InterfaceBytes {
    received: f64,
    sent: f64,
}

/// The traffic in the text of `/proc/net/dev` (proc_pid_net(5)): each line has eight figures for what was received, the
/// first of which are bytes, and eight for what was sent.
fn traffic(text: &str, is_left_out: impl Fn(&str) -> bool) -> Option<InterfaceBytes> {
    let of_line = |line: &str| {
        let (name, figures) = line.split_once(':')?;
        let figures: Vec<f64> = figures.split_whitespace().filter_map(|figure| figure.parse().ok()).collect();
        let traffic = InterfaceBytes { received: *figures.first()?, sent: *figures.get(8)? };
        (!is_left_out(name.trim())).then_some(traffic)
    };
    let sum = |one: InterfaceBytes, other: InterfaceBytes| InterfaceBytes {
        received: one.received + other.received,
        sent: one.sent + other.sent,
    };
    text.lines().filter_map(of_line).reduce(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:    1000      10    0    0    0     0          0         0     1000      10    0    0    0     0       0          0
  eth0: 20000000   300    0    0    0     0          0         0    40000     200    0    0    0     0       0          0
   br0:  20000000   300    0    0    0     0          0         0    40000     200    0    0    0     0       0          0
";

    #[test]
    fn bytes_of_all_interfaces_add_up_without_bridges() {
        let found = traffic(TEXT, |name| name == "br0");
        assert_eq!(found, Some(InterfaceBytes { received: 20_001_000.0, sent: 41_000.0 }));
        assert_eq!(traffic("", |_| false), None);
    }
}
