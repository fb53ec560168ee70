//! Folders that can hold images: one for each writable local file system.

use std::io;
use std::path::{Path, PathBuf};

use fsarena_sys::mountinfo::{self, Mount};

use super::{Footing, PlaceFindings, RESERVE, RatedPlace};
use crate::kind::has_option;
use crate::{DEFAULT_FOLDER, disk, free_space, nearest_existing};

/// Local file systems without a device file.
const WITHOUT_DEVICE: &[&str] = &["zfs", "overlay"];

/// File systems for exchange or for booting, which should not hold images.
const NOT_FOR_IMAGES: &[&str] = &["vfat", "msdos", "iso9660", "udf", "squashfs", "erofs"];

/// The folder that the user named, the default folder, and one on each further file system: the folder itself or its
/// nearest existing ancestor, the place, of which nothing is measured, and whether the user named it, or it is the
/// default.
pub fn candidates(asked: Option<&Path>) -> io::Result<Vec<(PathBuf, RatedPlace, bool)>> {
    let mounts = mountinfo::mounts()?;
    let points = mounts.iter().filter(|mount| can_hold_images(mount)).map(|mount| mount.point.join("fsarena"));
    let first = asked.into_iter().map(Path::to_owned).chain([PathBuf::from(DEFAULT_FOLDER)]);
    let mut seen: Vec<u64> = Vec::new();
    let mut folders = Vec::new();
    for option in first.chain(points) {
        let existing = nearest_existing(&option);
        let Ok(mount) = mountinfo::mount_of(&existing) else { continue };
        // A file system may be mounted several times.
        if !seen.contains(&mount.device) {
            let asked = asked == Some(option.as_path()) || option == Path::new(DEFAULT_FOLDER);
            let place = folder(&option, &existing, &mount);
            folders.push((existing, place, asked));
            seen.push(mount.device);
        }
    }
    Ok(folders)
}

fn folder(option: &Path, existing: &Path, mount: &Mount) -> RatedPlace {
    let device = disk::name(mount.device);
    let beneath = device.clone().unwrap_or_else(|| mount.source.clone());
    RatedPlace {
        option: option.display().to_string(),
        footing: footing(mount, &beneath),
        description: format!("{} on {beneath}, mounted at {}{}", mount.kind, mount.point.display(), caution(mount)),
        free: free_space(existing).ok(),
        reserve: RESERVE,
        device,
        found: PlaceFindings::unmeasured("it has no room"),
    }
}

fn footing(mount: &Mount, device: &str) -> Footing {
    match mountinfo::mount_of(Path::new("/")).is_ok_and(|root| root.device == mount.device) {
        true => Footing::Shared,
        false if device.trim_start_matches("/dev/").starts_with("loop") => Footing::Nested,
        false => Footing::Apart,
    }
}

/// A warning for btrfs with checksums: it opens files for direct I/O, but writes them through the page cache (since
/// Linux 6.15).
fn caution(mount: &Mount) -> &'static str {
    let has_checksums = !has_option(&mount.all_options(), &["nodatasum", "nodatacow"]);
    if mount.kind == "btrfs" && has_checksums { " (direct writes may pass through its cache)" } else { "" }
}

fn can_hold_images(mount: &Mount) -> bool {
    let is_local = mount.source.starts_with("/dev/") || WITHOUT_DEVICE.contains(&mount.kind.as_str());
    let is_read_only = has_option(&mount.all_options(), &["ro"]);
    is_local && !is_read_only && !NOT_FOR_IMAGES.contains(&mount.kind.as_str()) && mount.point.is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mounted(kind: &str, source: &str, options: &str) -> bool {
        let line = format!("1 2 0:1 / / {options} - {kind} {source} rw");
        mountinfo::parse(&line).iter().all(can_hold_images)
    }

    #[test]
    fn only_local_writable_file_systems_hold_images() {
        assert!(mounted("ext4", "/dev/sda1", "rw,relatime"));
        assert!(mounted("zfs", "tank/home", "rw"));
        assert!(!mounted("ext4", "/dev/sda1", "ro,relatime"));
        assert!(!mounted("nfs4", "server:/export", "rw"));
        assert!(!mounted("tmpfs", "tmpfs", "rw"));
        assert!(!mounted("squashfs", "/dev/loop3", "rw"));
    }

    #[test]
    fn the_nearest_folder_is_found() {
        assert_eq!(nearest_existing(Path::new("/no-such-folder/a/b")), Path::new("/"));
        assert_eq!(nearest_existing(Path::new("/proc/self/no-such-folder")), Path::new("/proc/self"));
    }

    #[test]
    fn a_file_system_is_named_once() {
        let twice = candidates(Some(Path::new("/"))).expect("mounts");
        assert_eq!(twice.iter().filter(|(_, place, _)| place.footing == Footing::Shared).count(), 1);
    }
}
