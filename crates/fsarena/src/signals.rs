//! Signals that end a run or a command.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use anyhow::Result;
use fsarena_model::Nanos;
use fsarena_place::note;
use fsarena_sys::{child, clock};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::exit;

/// Further SIGINTs within this time of the first belong to it: a key is held down, or a shell and `timeout` both send
/// it.
const SAME: Nanos = Nanos::seconds(1);

/// The flag that Ctrl-C (SIGINT), SIGTERM and a lost terminal (SIGHUP) set: the run then ends and removes everything. A
/// second SIGINT after [`SAME`] ends it at once, without clean-up; the next start cleans up. SIGTERM and SIGHUP never
/// do, because both often arrive together.
pub fn stop_flag() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register(signal, Arc::clone(&stop))?;
    }
    let mut interrupts = Signals::new([SIGINT])?;
    thread::Builder::new().name("interrupts".to_owned()).spawn(move || {
        let mut first = None;
        for _ in interrupts.forever() {
            let is_first = first.is_none();
            if is_impatient(&mut first, clock::now()) {
                note!("ended without cleaning up: `fsarena clean`, or the next run, removes what is left");
                exit(130);
            }
            if is_first {
                note!("interrupted: the present step ends, and what was made is removed; Ctrl-C again ends at once");
            }
        }
    })?;
    child::heed(Arc::clone(&stop));
    Ok(stop)
}

/// Whether a SIGINT at `now` asks to end at once, without clean-up.
fn is_impatient(first: &mut Option<Nanos>, now: Nanos) -> bool {
    let first = *first.get_or_insert(now);
    now.saturating_sub(first) >= SAME
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_interrupt_long_after_the_first_is_impatient() {
        let mut first = None;
        let times = [5_000, 5_001, 5_999, 6_000, 9_000];
        assert_eq!(times.map(|time| is_impatient(&mut first, Nanos::millis(time))), [false, false, false, true, true]);
    }
}
