//! Fuzz tests of parsers of /proc and sysfs.

use crate::{conditions, field};

#[test]
fn texts_of_the_kernel() {
    let good = [
        "nr_throttled 3\nthrottled_time 5000\n",
        "usage_usec 12\nnr_throttled 3\nthrottled_usec 5\n",
        "BdiWriteback:    0 kB\nBdiDirtied:    3432 kB\nBdiWritten:   3400 kB\n",
    ];
    fsarena_testing::fuzz::texts(&good, |text| {
        let _ = (conditions::throttled(text), field(text, "BdiDirtied"));
    });
}
