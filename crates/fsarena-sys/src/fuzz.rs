//! Fuzz tests of parsers of the kernel's texts.

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
