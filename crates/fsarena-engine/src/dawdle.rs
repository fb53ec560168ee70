//! The handicap of work that is timed as a whole: a share of its time goes by on top.

use fsarena_model::Nanos;
use fsarena_sys::clock;

/// Lets the handicap's share of the time that was `worked` go by, and tells how long that is.
pub fn dawdle(worked: Nanos, handicap: f64) -> Nanos {
    let (begin, length) = (clock::now(), Nanos((worked.0 as f64 * handicap) as u64));
    while clock::now().saturating_sub(begin) < length {
        std::hint::spin_loop();
    }
    length
}
