//! Logical volumes of LVM, linear or thin (lvm(8), lvmthin(7)), in a volume group of their own.

use super::{Commands, DMSETUP, LayerKind, Site, words};
use crate::Tool;
use crate::kind::tool;

pub static LVM: LayerKind = LayerKind {
    name: "lvm",
    about: "a linear logical volume of LVM",
    modules: &["dm_mod"],
    tools: &[PROGRAM, DMSETUP],
    options: &[("extent", &["4m", "1m", "16m"])],
    guarantees: &[],
    is_divided: false,
    // The metadata, and a part of the largest extent.
    needs: |bytes| bytes + (1 << 20) + (16 << 20),
    create: linear,
    open,
    device,
};

pub static THIN: LayerKind = LayerKind {
    name: "lvm-thin",
    about: "a thin logical volume of LVM, as large as its pool",
    modules: &["dm_mod", "dm_thin_pool"],
    tools: &[PROGRAM, DMSETUP, tool("thin_check", "thin-provisioning-tools", "--version")],
    options: &[("chunk", &["64k", "128k", "256k", "512k", "1m"]), ("zero", &["y", "n"])],
    guarantees: &[],
    is_divided: false,
    needs: |bytes| bytes + metadata(bytes) + 3 * EXTENT,
    create: thin,
    open,
    device,
};

const PROGRAM: Tool = tool("lvm", "lvm2", "version");

const EXTENT: u64 = 4 << 20;

/// Size of a pool's metadata: 64 bytes for each of the smallest chunks (lvmthin(7)), in whole extents, and one more.
fn metadata(bytes: u64) -> u64 {
    ((bytes / 1024).div_ceil(EXTENT) + 1) * EXTENT
}

/// Settings with which LVM sees the device below alone, whatever the machine's lvm.conf says. No other program
/// activates the group by itself, nothing is written below /etc, and no daemon is asked or told.
fn config(site: &Site<'_>) -> String {
    let filter = format!("[\"a|^{}$|\",\"r|.*|\"]", site.below);
    format!(
        "devices{{use_devicesfile=0 filter={filter} global_filter={filter} hints=\"none\" scan_lvs=0 \
         external_device_info_source=\"none\" obtain_device_list_from_udev=0}} \
         global{{event_activation=0 use_lvmpolld=0 use_lvmlockd=0}} activation{{monitoring=0 error_when_full=1}} \
         backup{{backup=0 archive=0}}"
    )
}

/// A command of LVM; its first word is the action.
fn lvm(site: &Site<'_>, text: &str, places: &[&str]) -> Vec<String> {
    let mut argv = words(text, places);
    argv.splice(1..1, ["--config".to_owned(), config(site)]);
    argv.insert(0, "lvm".to_owned());
    argv
}

fn group(site: &Site<'_>, extent: &str) -> Commands {
    vec![
        lvm(site, "pvcreate --yes --force --force {}", &[&site.below]),
        lvm(
            site,
            "vgcreate --yes --setautoactivation n --physicalextentsize {} {} {}",
            &[extent, &site.name, &site.below],
        ),
    ]
}

fn linear(site: &Site<'_>) -> Commands {
    let volume = "lvcreate --yes --wipesignatures n --zero n --extents 100%FREE --name volume {}";
    [group(site, site.option("extent")), vec![lvm(site, volume, &[&site.name])]].concat()
}

fn thin(site: &Site<'_>) -> Commands {
    let metadata = metadata(site.size);
    let free = site.size.saturating_sub(metadata + EXTENT);
    let [metadata, pool] = [metadata, free / EXTENT * EXTENT].map(|bytes| format!("{bytes}b"));
    let of_pool = "lvcreate --yes --type thin-pool --poolmetadataspare n --poolmetadatasize {} \
                   --chunksize {} --zero {} --size {} --name pool {}";
    let volume = "lvcreate --yes --wipesignatures n --type thin --thinpool pool --virtualsize {} --name volume {}";
    let places = [&metadata, site.option("chunk"), site.option("zero"), &pool, &site.name];
    [group(site, "4m"), vec![lvm(site, of_pool, &places), lvm(site, volume, &[&pool, &site.name])]].concat()
}

fn open(site: &Site<'_>) -> Commands {
    vec![lvm(site, "vgchange --activate y {}", &[&site.name])]
}

fn device(site: &Site<'_>) -> String {
    format!("/dev/mapper/{}-volume", site.name)
}
