//! The guest's root: an image with the kernel's modules and the programs of Debian packages, made without root by
//! mke2fs, and an archive with the modules that the kernel needs to find that image.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::cpio::Archive;
use crate::kernel::{self, UnpackedKernel};
use crate::packages::Packages;
use crate::{GuestError, Wanted, init, module};

/// Programs that every guest has, besides those of file systems: module loading, network addresses, a shell.
const BASE: &[&str] = &[
    "util-linux", "kmod", "iproute2", "dash", "mawk", "sed", "grep", "findutils", "diffutils", "coreutils", "libc-bin",
];

/// Changes if the image is made in another way.
const RECIPE: &str = "recipe 6";

/// Parts of packages that a guest does not need.
const LEFT_OUT: &str = "usr/share/doc usr/share/man usr/share/locale usr/share/info usr/share/lintian boot";

/// Modules of the kernel that a guest does not need.
const LEFT_OUT_MODULES: &str = "\
    drivers/ata drivers/comedi drivers/firewire drivers/gpu drivers/isdn drivers/media drivers/mmc drivers/mtd \
    drivers/net/can drivers/net/ethernet drivers/net/phy drivers/net/usb drivers/net/wireless drivers/infiniband \
    drivers/staging drivers/iio drivers/hwmon drivers/usb drivers/input drivers/hid drivers/scsi drivers/platform \
    drivers/target drivers/video sound drivers/bluetooth net/bluetooth net/batman-adv net/bridge net/mac80211 \
    net/netfilter net/openvswitch net/sched net/sctp net/tipc net/wireless";

/// Directories that Debian has merged into /usr, as links.
const MERGED: [(&str, &str); 4] =
    [("bin", "usr/bin"), ("sbin", "usr/sbin"), ("lib", "usr/lib"), ("lib64", "usr/lib64")];

/// Links that scripts of packages would make, which are not run (update-alternatives).
pub const LINKS: [(&str, &str); 2] = [("etc/mtab", "/proc/self/mounts"), ("usr/bin/awk", "mawk")];

/// Modules that are loaded from the archive, with those that they depend on. crc32c is requested by its algorithm's
/// name, so no module depends on it.
const BOOT_MODULES: &[&str] =
    &["crc32c_generic", "nfit", "nd_pmem", "virtio_pci", "virtio_blk", "virtio_console", "ext4", "overlay", "loop"];

/// Users of servers, which drop root's rights.
const USERS: &str = "root:x:0:0:root:/root:/bin/sh\nmysql:x:100:100::/nonexistent:/bin/false\n\
                     postgres:x:101:101::/nonexistent:/bin/false\nwww-data:x:33:33::/nonexistent:/bin/false\n\
                     nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
const GROUPS: &str = "root:x:0:\nmysql:x:100:\npostgres:x:101:\nwww-data:x:33:\nnogroup:x:65534:\n";

#[derive(Debug)]
pub struct Root {
    pub image: PathBuf,
    /// The archive with the modules of the boot.
    pub boot: PathBuf,
}

/// The root for `kernel` with the programs that are `wanted`; made if it is not in `cache`, or lacks a package. There are
/// two: one with the programs that every guest has, which is always the same, and one with those that runs so far have
/// needed in addition.
pub fn get(cache: &Cache<'_>, kernel: &UnpackedKernel, wanted: &Wanted) -> Result<Root, GuestError> {
    let folder = cache.folder.join("roots").join(wanted.release.to_string()).join(&kernel.release);
    let base: Vec<&str> = BASE.iter().copied().chain(wanted.file_systems.iter().map(String::as_str)).collect();
    let further: Vec<&str> = wanted.packages.iter().map(String::as_str).filter(|name| !base.contains(name)).collect();
    let name = if further.is_empty() { "base" } else { "programs" };
    let file = |ending: &str| folder.join(format!("{name}.{ending}"));
    let root = Root { image: file("img"), boot: file("cpio") };
    let (release, list, wanted) = (&wanted.release, file("packages"), [base, further].concat());
    let before = fs::read_to_string(&list).unwrap_or_default();
    if before.starts_with(RECIPE) && wanted.iter().all(|name| before.lines().any(|line| line == *name)) {
        return Ok(root);
    }
    let kept = before.lines().skip(1).filter(|_| before.starts_with(RECIPE));
    let mut names: Vec<&str> = wanted.into_iter().chain(kept).collect();
    names.sort_unstable();
    names.dedup();
    let packages = Packages::at(cache, release)?;
    let (sources, installed): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| module::is_source(name));
    let mut modules = Vec::new();
    for source in sources {
        modules.extend(module::get(cache, release, kernel, source)?);
    }
    let closure = packages.with_dependencies(&installed)?;
    let mut files = packages.fetch(&closure, cache)?;
    files.extend(kernel.files.iter().cloned());
    cache.tell("building the guest's root");
    fs::create_dir_all(&folder).map_err(GuestError::io("create", &folder))?;
    let tree = cache.unfinished().join("tree");
    fill(&tree, &files, &modules, &kernel.release)?;
    write_boot(&tree, &kernel.release, &root.boot)?;
    write_image(&tree, &root.image)?;
    let text = format!("{RECIPE}\n{}\n", names.join("\n"));
    fs::write(&list, text).map_err(GuestError::io("write", &list))?;
    Ok(root)
}

/// The directories of a tree in which programs run.
pub const FOLDERS: &str = "etc dev proc sys run tmp root var/lib var/tmp";

/// Makes the directories and links of a tree into which packages are unpacked, with those that Debian has merged.
pub fn make_tree(tree: &Path, further: &str, links: &[(&str, &str)]) -> Result<(), GuestError> {
    for folder in "usr/bin usr/sbin usr/lib usr/lib64".split(' ').chain(further.split(' ')) {
        let folder = tree.join(folder);
        fs::create_dir_all(&folder).map_err(GuestError::io("create", &folder))?;
    }
    MERGED.iter().chain(links).try_for_each(|(name, target)| {
        let link = tree.join(name);
        std::os::unix::fs::symlink(target, &link).map_err(GuestError::io("create", &link))
    })
}

/// Unpacks packages into a tree, without their documentation and these `further` parts.
pub fn unpack(files: &[PathBuf], tree: &Path, further: impl IntoIterator<Item = String>) -> Result<(), GuestError> {
    let left_out = LEFT_OUT.split(' ').map(str::to_owned).chain(further);
    let left_out: Vec<String> = left_out.map(|path| format!("--exclude=./{path}")).collect();
    let left_out: Vec<&str> = left_out.iter().map(String::as_str).collect();
    files.iter().try_for_each(|file| kernel::extract(file, tree, &left_out))
}

/// Fills the tree of files from which the image is made.
fn fill(tree: &Path, files: &[PathBuf], modules: &[PathBuf], release: &str) -> Result<(), GuestError> {
    make_tree(tree, FOLDERS, &LINKS)?;
    // Below lib, or usr/lib.
    let unneeded = LEFT_OUT_MODULES.split(' ').map(|path| format!("*lib/modules/*/kernel/{path}"));
    unpack(files, tree, unneeded)?;
    let of_kernel = tree.join("usr/lib/modules").join(release);
    if !of_kernel.join("kernel").is_dir() {
        return Err(GuestError::no_kernel(release, "its packages have no modules"));
    }
    for (name, text) in [("etc/passwd", USERS), ("etc/group", GROUPS), ("etc/hosts", "127.0.0.1 localhost guest\n")] {
        let path = tree.join(name);
        fs::write(&path, text).map_err(GuestError::io("write", &path))?;
    }
    let further = of_kernel.join("updates");
    fs::create_dir_all(&further).map_err(GuestError::io("create", &further))?;
    for module in modules {
        let copy = further.join(module.file_name().unwrap_or_default());
        fs::copy(module, &copy).map_err(GuestError::io("write", &copy))?;
    }
    own(tree, "depmod", "usr/bin/kmod", &["-b", &tree.display().to_string(), release])
}

/// Runs the program `file` of the tree under `name`, with the tree's own libraries.
fn own(tree: &Path, name: &str, file: &str, arguments: &[&str]) -> Result<(), GuestError> {
    let path = |part: &str| tree.join(part).display().to_string();
    let (loader, program) = (path("usr/lib64/ld-linux-x86-64.so.2"), path(file));
    let libraries = path("usr/lib/x86_64-linux-gnu");
    let argv = [&loader, "--argv0", name, "--library-path", &libraries, &program];
    kernel::run(&[&argv, arguments].concat(), &format!("{name} {}", arguments.join(" ")))
}

/// Writes the modules that the boot needs, in the order in which they are loaded.
fn write_boot(tree: &Path, release: &str, to: &Path) -> Result<(), GuestError> {
    let modules = tree.join("usr/lib/modules").join(release);
    let index = modules.join("modules.dep");
    let index = fs::read_to_string(&index).map_err(GuestError::io("read", &index))?;
    let partial = tree.with_extension("partial");
    let failed = |error| GuestError::io("write", &partial)(error);
    let mut archive = Archive::new(BufWriter::new(File::create(&partial).map_err(failed)?));
    archive.directory(init::MODULES).map_err(failed)?;
    for (number, path) in in_order(&index, BOOT_MODULES).into_iter().enumerate() {
        let content = uncompressed(&modules.join(&path))?;
        let name = path.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default();
        archive.file(&format!("{}/{number:03}-{name}", init::MODULES), &content).map_err(failed)?;
    }
    archive.finish().map_err(failed)?;
    fs::rename(&partial, to).map_err(failed)
}

fn write_image(tree: &Path, to: &Path) -> Result<(), GuestError> {
    let partial = tree.with_extension("partial");
    let size = size(tree).map_err(GuestError::io("look up", tree))?;
    // The kernel takes persistent memory in units of 2 MiB.
    let mebibytes = ((size >> 20) * 17 / 16 + 16).next_multiple_of(2);
    let (content, image) = (tree.display().to_string(), partial.display().to_string());
    let size = format!("{mebibytes}M");
    let arguments = ["-q", "-F", "-t", "ext4", "-O", "^has_journal", "-m", "0", "-d", &content, &image, &size];
    own(tree, "mke2fs", "usr/sbin/mke2fs", &arguments)?;
    fs::rename(&partial, to).map_err(GuestError::io("rename", &partial))
}

/// Bytes of all files below `folder`, each rounded up to a block, and a block for each directory.
fn size(folder: &Path) -> std::io::Result<u64> {
    let mut sum = 4096;
    for entry in fs::read_dir(folder)? {
        let found = entry?;
        let metadata = found.metadata()?;
        sum += if metadata.is_dir() { size(&found.path())? } else { metadata.len().next_multiple_of(4096) + 256 };
    }
    Ok(sum)
}

/// The modules `names` and what they depend on, in loading order, from depmod's index: a line has a module, and what it
/// depends on with the last one first. Modules that are built in are not in the index.
fn in_order(index: &str, names: &[&str]) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    let is_named =
        |path: &str, name: &str| path.rsplit('/').next().is_some_and(|file| file.split('.').next() == Some(name));
    for name in names {
        let lines = index.lines().filter_map(|line| line.split_once(':'));
        let Some((path, needs)) = lines.into_iter().find(|(path, _)| is_named(path, name)) else { continue };
        for path in needs.split_whitespace().rev().chain([path]) {
            if !order.iter().any(|other| other == path) {
                order.push(path.to_owned());
            }
        }
    }
    order
}

/// A module's content; newer packages compress them.
fn uncompressed(path: &Path) -> Result<Vec<u8>, GuestError> {
    if path.extension().is_some_and(|it| it == "xz") {
        let argv = ["xz", "--decompress", "--keep", "--force", &path.display().to_string()];
        kernel::run(&argv, &argv.join(" "))?;
        let unpacked = path.with_extension("");
        return fs::read(&unpacked).map_err(GuestError::io("read", &unpacked));
    }
    fs::read(path).map_err(GuestError::io("read", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_loaded_after_those_that_they_need() {
        let index = "kernel/fs/ext4/ext4.ko: kernel/fs/jbd2/jbd2.ko kernel/lib/crc16.ko\nkernel/fs/jbd2/jbd2.ko:\n\
                     kernel/lib/crc16.ko:\nkernel/fs/overlayfs/overlay.ko.xz:\nkernel/crypto/crc16.ko:\n";
        let expected = [
            "kernel/lib/crc16.ko",
            "kernel/fs/jbd2/jbd2.ko",
            "kernel/fs/ext4/ext4.ko",
            "kernel/fs/overlayfs/overlay.ko.xz",
        ];
        assert_eq!(in_order(index, &["ext4", "built_in", "overlay", "jbd2"]), expected);
    }
}
