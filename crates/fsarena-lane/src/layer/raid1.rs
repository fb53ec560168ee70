//! A mirror of the kernel's md driver (md(4), mdadm(8)). Its two copies are the halves of the lane: what it writes
//! twice is counted at one device, and no second disk writes at the same time.

use fsarena_model::Guarantee;

use super::{Commands, DMSETUP, LayerKind, Site, words};
use crate::kind::tool;

pub static RAID1: LayerKind = LayerKind {
    name: "raid1",
    about: "a mirror by md of the two halves of the lane",
    modules: &["dm_mod", "raid1"],
    tools: &[tool("mdadm", "mdadm", "--version"), DMSETUP],
    options: &[("bitmap", &["internal", "none"])],
    guarantees: &[Guarantee::Mirror],
    is_divided: true,
    // md leaves up to 1/64 of a small device to its metadata.
    needs: |bytes| BEGIN + 2 * (bytes + bytes / 32 + (4 << 20)),
    create,
    open,
    device,
};

/// Sectors of 512 bytes, in which tables of the device mapper count.
const SECTOR: u64 = 512;

/// Where the first half begins on the lane, in bytes. At 0, udev would take the lane itself for a member of an array;
/// at 1 MiB, where volumes of LVM begin, the volume of a later contender.
const BEGIN: u64 = 2 << 20;

/// Bytes of a half, in whole MiB.
fn half(site: &Site<'_>) -> u64 {
    ((site.size - BEGIN) / 2) >> 20 << 20
}

fn halves(site: &Site<'_>) -> Commands {
    let half = half(site);
    let half_from = |(name, begin): (String, u64)| {
        let table = format!("0 {} linear {} {}", half / SECTOR, site.below, begin / SECTOR);
        [words("dmsetup create {} --table", &[&name]), vec![table]].concat()
    };
    let [first, second] = members(site);
    [(first, BEGIN), (second, BEGIN + half)].map(half_from).to_vec()
}

/// Erases what an array of an earlier contender has left in both halves: udev would start it before the new one is
/// made.
fn erase(site: &Site<'_>) -> Commands {
    let text = "blkdiscard --zeroout --offset {} --length 1048576 {}";
    [BEGIN, BEGIN + half(site)].map(|begin| words(text, &[&begin.to_string(), &site.below])).to_vec()
}

fn members(site: &Site<'_>) -> [String; 2] {
    ["a", "b"].map(|half| format!("{}_{half}", site.name))
}

/// `action` on the array of both halves.
fn mdadm(site: &Site<'_>, action: &str, further: &str) -> Vec<String> {
    let [first, second] = members(site);
    let text = format!("mdadm {action} {{}} --config=none {further} --run --quiet /dev/mapper/{{}} /dev/mapper/{{}}");
    words(&text, &[&device(site), &first, &second])
}

/// The halves are not equal yet: what is read was written to both before.
fn create(site: &Site<'_>) -> Commands {
    let further = format!(
        "--metadata=1.2 --level=1 --raid-devices=2 --assume-clean --homehost=fsarena --bitmap={}",
        site.option("bitmap")
    );
    [erase(site), halves(site), vec![mdadm(site, "--create", &further)]].concat()
}

fn open(site: &Site<'_>) -> Commands {
    [halves(site), vec![mdadm(site, "--assemble", "")]].concat()
}

fn device(site: &Site<'_>) -> String {
    format!("/dev/md{}", site.stack.number)
}
