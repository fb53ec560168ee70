//! Bytes that arrive and leave over the network, for work on shared folders.

use std::path::Path;

use fsarena_model::probe;

use crate::{Counters, Target};

/// The traffic of the interfaces of this network namespace. A bridge is left out: its ports count the same packets.
pub fn read(target: &Target) -> Counters {
    let text = target.network.then(|| std::fs::read_to_string("/proc/net/dev").ok()).flatten();
    let is_bridge = |name: &str| Path::new("/sys/class/net").join(name).join("bridge").exists();
    let found = text.and_then(|text| traffic(&text, is_bridge));
    let [received, sent] = found.map_or([None; 2], |bytes| bytes.map(Some));
    vec![(probe::NETWORK_RECEIVED, received), (probe::NETWORK_SENT, sent)]
}

/// Bytes received and sent since the interfaces exist, in the text of `/proc/net/dev` (proc_pid_net(5)): each line has
/// eight figures for what was received, the first of which are bytes, and eight for what was sent.
fn traffic(text: &str, is_left_out: impl Fn(&str) -> bool) -> Option<[f64; 2]> {
    let of_line = |line: &str| {
        let (name, figures) = line.split_once(':')?;
        let figures: Vec<f64> = figures.split_whitespace().filter_map(|figure| figure.parse().ok()).collect();
        let bytes = [*figures.first()?, *figures.get(8)?];
        (!is_left_out(name.trim())).then_some(bytes)
    };
    text.lines().filter_map(of_line).reduce(|sum, more| [sum[0] + more[0], sum[1] + more[1]])
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
        assert_eq!(found, Some([20_001_000.0, 41_000.0]));
        assert_eq!(traffic("", |_| false), None);
    }
}
