//! Clients: machines that do the same work on the same shared file systems at the same time.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Bytes;

/// The clients of a run, and how many of them work at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clients {
    /// The command that starts the agent of each client, such as `ssh node1 fsarena agent`.
    pub commands: Vec<String>,
    /// The numbers of clients with which each workload is measured, ascending; the last is the number of all.
    pub numbers: Vec<u32>,
    /// What happens when a client is lost.
    #[serde(default)]
    pub when_lost: WhenLost,
    /// The file servers whose caches are dropped before cold work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<FileServer>,
}

/// A file server, on which a shell drops the cache and counts what disks read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileServer {
    /// The block devices of its file systems, as in /proc/diskstats.
    pub disks: Vec<String>,
    /// The command that starts a shell of root there, such as `ssh root@server sh`.
    pub command: String,
}

impl fmt::Display for FileServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.disks.join(","), self.command)
    }
}

/// Parses `sdb,sdc=ssh root@server sh`.
impl FromStr for FileServer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "disks, `=` and the command of a shell, as in 'sdb,sdc=ssh root@server sh'".to_owned();
        let (disks, command) = text.split_once('=').ok_or_else(wrong)?;
        let disks: Vec<String> = disks.split(',').map(|disk| disk.trim_start_matches("/dev/").to_owned()).collect();
        let is_name = |disk: &String| !disk.is_empty() && !disk.contains([' ', '/']);
        let is_right = disks.iter().all(is_name) && !command.trim().is_empty();
        is_right.then(|| Self { disks, command: command.to_owned() }).ok_or_else(wrong)
    }
}

/// What happens when the connection to a client is lost, or the client is silent for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhenLost {
    /// The run ends with what was measured.
    #[default]
    End,
    /// The run goes on with the clients that are left. Workloads that need more clients end there.
    Continue,
}

/// A client as it was found when the run began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClientFacts {
    /// The command that starts its agent.
    pub command: String,
    /// What its machine is called.
    pub machine: MachineName,
    /// `uname -r`.
    pub kernel: Option<String>,
    /// Processors online.
    pub cores: Option<u32>,
    /// Physical memory.
    pub memory: Option<Bytes>,
    /// Its clocks, compared with those of the coordinator.
    pub clock: ClockOffset,
}

/// What a machine is called. A value that could not be read is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MachineName {
    /// Its host name. Containers on one machine can have other names.
    pub host: Option<String>,
    /// The ID of its boot (`/proc/sys/kernel/random/boot_id`). Clients with the same one share a machine.
    pub boot: Option<String>,
    /// The inode of its network namespace. Clients with the same one on one machine share their network's counters.
    pub network: Option<u64>,
    /// Megabits per second of its fastest network link that is up.
    pub link_mbit: Option<u64>,
}

/// Clocks of a client compared with those of the machine that coordinates the run. Measured like NTP (RFC 5905): the
/// client's clock is taken to be read in the middle between question and answer.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ClockOffset {
    /// Seconds by which its monotonic clock is ahead; this includes the difference of the times since boot.
    pub monotonic: f64,
    /// Seconds by which its time of day is ahead.
    pub time_of_day: f64,
    /// Maximum error of both, in seconds: half of the shortest time between question and answer.
    pub error: f64,
}

/// The work of all clients together in the timed slices of a trial.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ClientsWork {
    /// Operations per second of each client, over the time in which it worked.
    pub rates: Vec<f64>,
    /// The largest difference between the starts of two clients in a slice, in seconds, including the possible error
    /// of the clocks.
    pub skew: f64,
    /// Slices that do not count, because the clients did not start together.
    pub skewed: u32,
    /// Seconds in which all clients worked.
    pub together: f64,
    /// Seconds until the last client had finished.
    pub last: f64,
}

impl ClientsWork {
    /// Adds a later slice.
    pub fn follow(&mut self, later: &Self) {
        let (before, after) = (self.last, later.last);
        let rate = |index: usize, of: &Self| of.rates.get(index).copied().unwrap_or(0.0);
        let rates = (0..self.rates.len().max(later.rates.len()))
            .map(|client| (rate(client, self) * before + rate(client, later) * after) / (before + after));
        *self = Self {
            rates: rates.collect(),
            skew: self.skew.max(later.skew),
            skewed: self.skewed + later.skewed,
            together: self.together + later.together,
            last: before + after,
        };
    }

    /// The slowest client, from 0, and its rate as a share of the median rate of the others; `None` for one client.
    pub fn slowest(&self) -> Option<SlowestClient> {
        let (client, rate) = self.rates.iter().copied().enumerate().min_by(|one, other| one.1.total_cmp(&other.1))?;
        let mut others: Vec<f64> =
            self.rates.iter().enumerate().filter(|(other, _)| *other != client).map(|(_, rate)| *rate).collect();
        others.sort_by(f64::total_cmp);
        let last = others.len().checked_sub(1)?;
        let median = f64::midpoint(others[last / 2], others[others.len() / 2]);
        (median > 0.0).then(|| SlowestClient { client, share: rate / median })
    }
}

/// The slowest of several clients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowestClient {
    /// Its number, from 0.
    pub client: usize,
    /// Its rate divided by the median rate of the others.
    pub share: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_server_is_its_disks_and_a_shell() {
        let server: FileServer = "/dev/sdb,dm-0=ssh -o A=B server sh".parse().expect("well spelled");
        assert_eq!((server.disks.join(" "), server.command.as_str()), ("sdb dm-0".to_owned(), "ssh -o A=B server sh"));
        assert_eq!(server.to_string().parse(), Ok(server));
        for wrong in ["ssh server sh", "=sh", "sdb=", "sdb,=sh", "ssh -o A=B server sh"] {
            assert!(wrong.parse::<FileServer>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn slices_are_weighted_by_their_time() {
        let slice =
            |rates: [f64; 2], last, skew| ClientsWork { rates: rates.to_vec(), skew, skewed: 0, together: last, last };
        let mut all = ClientsWork::default();
        all.follow(&slice([10.0, 20.0], 1.0, 0.001));
        all.follow(&slice([40.0, 20.0], 3.0, 0.0005));
        assert_eq!((all.rates.as_slice(), all.skew, all.last), ([32.5, 20.0].as_slice(), 0.001, 4.0));
    }

    #[test]
    fn the_slowest_client_is_compared_with_the_others() {
        let of = |rates: &[f64]| ClientsWork { rates: rates.to_vec(), ..ClientsWork::default() }.slowest();
        assert_eq!(of(&[10.0]), None);
        assert_eq!(of(&[10.0, 4.0, 8.0, 12.0]), Some(SlowestClient { client: 1, share: 0.4 }));
        assert_eq!(of(&[0.0, 0.0]), None);
    }
}
