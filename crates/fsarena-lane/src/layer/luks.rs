//! Encryption by dm-crypt, with a header of LUKS version 2 (cryptsetup(8)).

use fsarena_model::Guarantee;

use super::{Commands, DMSETUP, LayerKind, Site, words};
use crate::kind::tool;

pub static LUKS: LayerKind = LayerKind {
    name: "luks",
    about: "encryption by dm-crypt",
    modules: &["dm_mod", "dm_crypt"],
    tools: &[tool("cryptsetup", "cryptsetup-bin", "--version"), DMSETUP],
    options: &[
        ("cipher", &["aes-xts-plain64", "serpent-xts-plain64", "twofish-xts-plain64"]),
        ("key-size", &["512", "256"]),
        ("sector", &["4096", "2048", "1024", "512"]),
        ("workqueues", &["yes", "no"]),
    ],
    guarantees: &[Guarantee::Encryption],
    is_divided: false,
    // The header (LUKS2 On-Disk Format, section 2).
    needs: |bytes| bytes + (16 << 20),
    create,
    open,
    device: |site| format!("/dev/mapper/{}", site.name),
};

/// A key is derived from the passphrase when the device is opened, which nothing measures: few iterations suffice.
fn create(site: &Site<'_>) -> Commands {
    let key = site.stack.key.display().to_string();
    let format = words(
        "cryptsetup luksFormat --batch-mode --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --uuid {} \
         --key-file {} --cipher {} --key-size {} --sector-size {} {}",
        &[site.stack.uuid, &key, site.option("cipher"), site.option("key-size"), site.option("sector"), &site.below],
    );
    [vec![format], open(site)].concat()
}

fn open(site: &Site<'_>) -> Commands {
    let queues = match site.option("workqueues") {
        "no" => "--perf-no_read_workqueue --perf-no_write_workqueue",
        _ => "",
    };
    let key = site.stack.key.display().to_string();
    let text = format!("cryptsetup open --type luks2 --key-file {{}} {queues} {{}} {{}}");
    vec![words(&text, &[&key, &site.below, &site.name])]
}
