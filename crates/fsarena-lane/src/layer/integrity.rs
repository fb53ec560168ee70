//! Checksums of all sectors by dm-integrity (integritysetup(8)).

use fsarena_model::Guarantee;

use super::{Commands, DMSETUP, LayerKind, Site, words};
use crate::kind::tool;

pub static INTEGRITY: LayerKind = LayerKind {
    name: "integrity",
    about: "checksums of all sectors by dm-integrity",
    modules: &["dm_mod", "dm_integrity"],
    tools: &[tool("integritysetup", "cryptsetup-bin", "--version"), DMSETUP],
    options: &[("mode", &["journal", "bitmap"]), ("checksum", &["crc32c", "sha256"])],
    guarantees: &[Guarantee::DataChecksums],
    is_divided: false,
    // Journal and tags: the largest tag has 32 bytes for each sector of 4096.
    needs: |bytes| bytes + bytes / 64 + (24 << 20),
    create,
    open,
    device: |site| format!("/dev/mapper/{}", site.name),
};

/// Writes all sectors: without a checksum they could not be read.
fn create(site: &Site<'_>) -> Commands {
    let text = format!("integritysetup format --batch-mode --sector-size 4096 {} {{}}", how(site));
    [vec![words(&text, &[&site.below])], open(site)].concat()
}

fn open(site: &Site<'_>) -> Commands {
    let text = format!("integritysetup open {} {{}} {{}}", how(site));
    vec![words(&text, &[&site.below, &site.name])]
}

fn how(site: &Site<'_>) -> String {
    let mode = if site.option("mode") == "bitmap" { "--integrity-bitmap-mode" } else { "" };
    format!("--integrity {} {mode}", site.option("checksum"))
}
