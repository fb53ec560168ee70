//! Fuzz tests of parsers of the kernel's texts.

use crate::cgroup::{Hierarchy, Version};
use crate::mountinfo;

#[test]
fn mountinfo_lines() {
    let good = [
        "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n",
        "25 1 254:1 / /a\\040b\\134 rw shared:1 - btrfs /dev/vda1 rw,subvolid=5,subvol=/\n\
         24 25 0:22 / /proc rw - proc proc rw\n",
    ];
    fsarena_testing::fuzz::texts(&good, |text| {
        for mount in mountinfo::parse(text) {
            let _ = mount.all_options();
        }
    });
}

#[test]
fn memberships_of_control_groups() {
    let good = ["12:cpu,cpuacct:/user.slice/x\n0::/init.scope\n"];
    fsarena_testing::fuzz::texts(&good, |text| {
        for version in [Version::One, Version::Two] {
            let hierarchy = Hierarchy { version, top: "/sys/fs/cgroup".into(), controller: "cpu" };
            if let Some(path) = hierarchy.path_in(text) {
                let group = hierarchy.top.join(path.trim_start_matches('/'));
                assert!(hierarchy.up_from(&group).all(|group| group.starts_with("/sys/fs/cgroup")));
            }
        }
    });
}
