//! What the counters of a machine show that is left alone.

use std::collections::BTreeMap;

use fsarena_model::{Nanos, ProbeId};
use fsarena_sys::clock;

use crate::{Snapshot, Target, Totals};

/// The growth of all counters per second, while this process waits for `time`. Counters that cannot be read are absent.
pub fn rates_at_rest(target: &Target, time: Nanos) -> BTreeMap<ProbeId, f64> {
    let (before, start) = (Snapshot::take(target), clock::now());
    std::thread::sleep(time.into());
    let mut totals = Totals::default();
    totals.add(&before, &Snapshot::take(target));
    let seconds = clock::now().saturating_sub(start).as_seconds();
    totals.readings().into_iter().filter_map(|(id, reading)| Some((id, reading.value? / seconds))).collect()
}
