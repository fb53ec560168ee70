//! The slowdown of work that is timed as a whole: it adds a share of the time.

use fsarena_model::Nanos;
use fsarena_sys::clock;

/// Waits for the share `slowdown` of the time `worked`, and returns that time.
pub fn slow_down(worked: Nanos, slowdown: f64) -> Nanos {
    let (begin, length) = (clock::now(), Nanos((worked.0 as f64 * slowdown) as u64));
    while clock::now().saturating_sub(begin) < length {
        std::hint::spin_loop();
    }
    length
}
