//! Marks that a process sets for others to see, without a file: names of sockets in the abstract namespace (unix(7)),
//! which the kernel frees when the process ends for any reason. Each network namespace has its own.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

/// A mark, set until this is dropped. Others can connect to it, and so learn which process has set it (`SO_PEERCRED`).
#[derive(Debug)]
pub struct Mark(#[allow(dead_code, reason = "the open socket is the mark")] UnixListener);

impl Mark {
    /// Sets the mark of this name.
    ///
    /// # Errors
    /// `EADDRINUSE` if it is set already; if the kernel has no such sockets for this process.
    pub fn set(name: &str) -> io::Result<Self> {
        UnixListener::bind_addr(&SocketAddr::from_abstract_name(name)?).map(Self)
    }

    /// Whether some process has set the mark of this name; false if that cannot be read.
    pub fn is_set(name: &str) -> bool {
        Self::all_set().contains(name)
    }

    /// The names of all marks, and of the other sockets in that namespace; none if that cannot be read.
    pub fn all_set() -> BTreeSet<String> {
        let sockets = fs::read("/proc/net/unix").unwrap_or_default();
        let sockets = String::from_utf8_lossy(&sockets);
        // A line ends with the name, after `@` for the byte 0 of the abstract namespace (proc_net_unix(5)).
        sockets.lines().filter_map(|line| Some(line.split_once(" @")?.1.to_owned())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_seen_until_it_is_dropped() {
        let name = format!("fsarena/test/{}", std::process::id());
        let of_others = SocketAddr::from_abstract_name([&b"fsarena/\xff/"[..], name.as_bytes()].concat());
        let _of_others = UnixListener::bind_addr(&of_others.expect("any bytes")).expect("set");
        assert!(!Mark::is_set(&name));
        let mark = Mark::set(&name).expect("set");
        assert!(Mark::is_set(&name) && !Mark::is_set(&name[1..]));
        Mark::set(&name).expect_err("it is set once");
        drop(mark);
        assert!(!Mark::is_set(&name));
    }
}
