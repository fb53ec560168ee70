//! Fuzz tests of parsers of /proc and sysfs.

use std::path::Path;

use crate::{conditions, field};

#[test]
fn texts_of_the_kernel() {
    let good = [
        "nr_throttled 3\nthrottled_time 5000\n",
        "usage_usec 12\nnr_throttled 3\nthrottled_usec 5\n",
        "12:cpu,cpuacct:/user.slice/x\n0::/init.scope\n",
        "BdiWriteback:    0 kB\nBdiDirtied:    3432 kB\nBdiWritten:   3400 kB\n",
    ];
    fsarena_testing::fuzz::texts(&good, |text| {
        let _ = (conditions::throttled(text), field(text, "BdiDirtied"));
        for (kind, options) in [("cgroup", text), ("cgroup2", "rw")] {
            if let Some(path) = conditions::path_in(text, kind, options) {
                let mount = Path::new("/sys/fs/cgroup");
                assert!(conditions::above(mount, path).iter().all(|folder| folder.starts_with(mount)));
            }
        }
    });
}
