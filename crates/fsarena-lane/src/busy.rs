//! Waits for what is busy.

use std::io;
use std::path::Path;
use std::time::Duration;

use fsarena_sys::child::{self, Patience};

/// How often something is attempted while it is busy, and the pause after each attempt.
#[derive(Debug, Clone, Copy)]
pub struct BusyPatience {
    pub attempts: u32,
    pub pause: Duration,
}

impl BusyPatience {
    /// Attempts for this time, 20 in a second.
    pub const fn seconds(seconds: u32) -> Self {
        Self { attempts: 20 * seconds + 1, pause: Duration::from_millis(50) }
    }

    /// Repeats what fails with EBUSY.
    pub fn wait<T>(self, mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        for _ in 1..self.attempts {
            match act() {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => std::thread::sleep(self.pause),
                other => return other,
            }
        }
        act()
    }
}

/// Waits until udev's programs have looked at devices that are new, changed or gone (udevadm(8)). Does nothing where
/// there is no udev.
pub fn settle_udev() {
    if Path::new("/run/udev/control").exists() {
        let _ = child::run(&["udevadm", "settle", "--timeout=10"], Patience::unstoppable(Patience::QUERY));
    }
}
