//! What the attributes of a directory mean for the files in it: new files inherit inode flags and properties, which
//! change what the file system guarantees, as mount options do.

use std::fs::File;
use std::path::Path;

use fsarena_model::Guarantee;
use fsarena_sys::inode;
use fsarena_sys::mountinfo::Mount;
use rustix::fs::{AtFlags, StatxFlags, statx};

use crate::age::Release;
use crate::kind::{Ground, KINDS};

/// Since this release direct writes to files with checksums pass through the page cache (fs/btrfs/direct-io.c).
const BUFFERED_WITH_CHECKSUMS: Release = Release::of(6, 15);

/// STATX_DIOALIGN of Linux' include/uapi/linux/stat.h, since 6.1.
const DIOALIGN: StatxFlags = StatxFlags::from_bits_retain(0x2000);

/// The attributes of a directory and of a new file in it, by name; each once.
pub fn of(directory: &Path) -> Vec<String> {
    let folder = File::open(directory).map(inode::attributes).unwrap_or_default();
    let file = tempfile::tempfile_in(directory).map(inode::attributes).unwrap_or_default();
    let mut all = [folder, file].concat();
    all.sort();
    all.dedup();
    // The name of the algorithm says more.
    if all.iter().any(|name| name.starts_with("compress=")) {
        all.retain(|name| name != "compressed");
    }
    all
}

/// What files with these attributes guarantee on a mount of a kind that lanes can have, too; nothing is known of
/// others.
pub fn guarantees(mount: &Mount, attributes: &[String]) -> Vec<Guarantee> {
    let is_kind = |kind: &&&crate::Kind| kind.ground == Ground::Lane && kind.mounted_as == mount.kind;
    let Some(kind) = KINDS.iter().find(is_kind) else { return Vec::new() };
    let features: Vec<String> = mount.has_journal().then(|| "has_journal".to_owned()).into_iter().collect();
    (kind.guarantees)(&features, &effective(&mount.all_options(), attributes))
}

/// The mount options as if the attributes were such options.
fn effective(options: &str, attributes: &[String]) -> String {
    let has = |name: &str| attributes.iter().any(|attribute| attribute == name);
    let compression = attributes.iter().find(|name| name.starts_with("compress") && *name != "compress=none");
    let is_plain = has("nocow") || has("nocompress") || has("compress=none");
    let of_mount = options.split(',').filter(|option| !(is_plain && option.starts_with("compress")));
    let of_directory = [
        has("nocow").then_some("nodatacow"),
        has("journal-data").then_some("data=journal"),
        compression.filter(|_| !is_plain).map(|_| "compress"),
    ];
    of_mount.chain(of_directory.into_iter().flatten()).collect::<Vec<_>>().join(",")
}

/// Whether statx(2) reports the alignment of direct I/O for a new file in `directory`. An alignment of 0 counts as not
/// reported. `None` if no file can be created there, or statx fails.
///
/// A file system that reports no alignment may serve direct I/O from the page cache, as btrfs with checksums, or may
/// just not report it, as btrfs without checksums.
pub fn says_alignment(directory: &Path) -> Option<bool> {
    let file = tempfile::tempfile_in(directory).ok()?;
    let facts = statx(&file, "", AtFlags::EMPTY_PATH, DIOALIGN).ok()?;
    Some(facts.stx_mask & DIOALIGN.bits() != 0 && facts.stx_dio_offset_align > 0)
}

/// Whether direct writes to such files bypass the page cache; `None` if neither the kernel nor the guarantees say it.
/// `says_alignment` is what statx(2) says of a new file.
pub fn direct_writes(kind: &str, guarantees: &[Guarantee], says_alignment: Option<bool>) -> Option<bool> {
    let keeps_checksums_stable = Release::of_kernel().is_some_and(|kernel| kernel >= BUFFERED_WITH_CHECKSUMS);
    let is_buffered = guarantees.contains(&Guarantee::DataJournal)
        || (keeps_checksums_stable && guarantees.contains(&Guarantee::DataChecksums));
    match says_alignment {
        Some(true) => Some(true),
        _ if is_buffered => Some(false),
        // It reports no alignment.
        _ if kind == "btrfs" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn btrfs(options: &str) -> Mount {
        let line = format!("52 29 0:48 / /b rw - btrfs /dev/none rw{options}\n");
        fsarena_sys::mountinfo::parse(&line).remove(0)
    }

    fn of_btrfs(options: &str, attributes: &[&str]) -> Vec<Guarantee> {
        let attributes: Vec<String> = attributes.iter().map(|name| (*name).to_owned()).collect();
        guarantees(&btrfs(options), &attributes)
    }

    #[test]
    fn attributes_count_as_the_mount_options_that_do_the_same() {
        use Guarantee::{Compression, CopyOnWrite, DataChecksums, MetadataChecksums};
        assert_eq!(of_btrfs("", &[]), [MetadataChecksums, DataChecksums, CopyOnWrite]);
        assert_eq!(of_btrfs("", &["nocow"]), [MetadataChecksums]);
        assert_eq!(of_btrfs("", &["compress=zstd"]), [MetadataChecksums, DataChecksums, CopyOnWrite, Compression]);
        assert_eq!(of_btrfs("", &["compressed"]), of_btrfs("", &["compress=zstd"]));
        assert_eq!(of_btrfs(",compress=zstd:3", &[]), of_btrfs("", &["compress=zstd"]));
        for none in [&["nocompress"][..], &["compress=none"]] {
            assert_eq!(of_btrfs(",compress=zstd:3", none), of_btrfs("", &[]), "{none:?}");
        }
        assert_eq!(of_btrfs(",compress=zstd:3", &["nocow"]), [MetadataChecksums]);
        let other = Mount { kind: "fuse.x".to_owned(), ..btrfs("") };
        assert_eq!(guarantees(&other, &["nocow".to_owned()]), []);
    }

    #[test]
    fn the_alignment_is_that_of_a_file_that_leaves_nothing_behind() {
        let place = tempfile::tempdir().expect("temporary folder");
        assert!(says_alignment(place.path()).is_some());
        assert_eq!(std::fs::read_dir(place.path()).expect("readable").count(), 0);
        assert_eq!(says_alignment(Path::new("/proc/self")), None, "no file can be made there");
        assert_eq!(says_alignment(Path::new("/no-such-folder")), None);
    }

    #[test]
    fn what_statx_says_comes_first_and_btrfs_never_says_it() {
        let journalled = [Guarantee::Journal, Guarantee::DataJournal];
        assert_eq!(direct_writes("ext4", &[Guarantee::Journal], Some(true)), Some(true));
        assert_eq!(direct_writes("ext4", &journalled, Some(false)), Some(false));
        assert_eq!(direct_writes("fuse.x", &[], Some(false)), None);
        assert_eq!(direct_writes("btrfs", &[Guarantee::MetadataChecksums], Some(false)), Some(true));
    }
}
