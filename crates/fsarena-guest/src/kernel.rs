//! The guest's kernel: Debian's packages, unpacked without being installed.

mod names;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use fsarena_model::DebianRelease;
use fsarena_sys::child::{self, Patience};

use crate::cache::Cache;
use crate::packages::{self, LIMIT, Packages};
use crate::{GuestError, Wanted};

pub use self::names::{available, named, sorted};
use self::names::{is_kernel, release};

/// The release's current kernel.
const DEFAULT: &str = "linux-image-amd64";

/// The packages of a kernel: its image with its modules, or, since Linux 6.19, a package for each, on which it depends.
const PARTS: [&str; 3] = ["linux-image-", "linux-binary-", "linux-modules-"];

/// Where the image is in its package: since Linux 6.19 it is with the modules.
const IMAGES: [&str; 2] = ["./boot/vmlinuz-*", "./usr/lib/modules/*/vmlinuz"];

/// How compressed kernels begin, and the program that decompresses them.
const COMPRESSED: [(&[u8], &[&str]); 2] = [
    (b"\xfd7zXZ\0", &["xz", "--decompress", "--single-stream", "--stdout"]),
    (b"\x28\xb5\x2f\xfd", &["zstd", "--decompress", "--stdout"]),
];

/// The end of the ELF note that QEMU needs to boot a decompressed kernel: its type and owner (XEN_ELFNOTE_PHYS32_ENTRY,
/// Documentation/arch/x86/boot.rst and QEMU's hw/i386/x86.c).
const PVH: &[u8] = b"\x12\0\0\0Xen\0";

#[derive(Debug)]
pub struct UnpackedKernel {
    /// The package with its version.
    pub package: String,
    /// What `uname -r` prints.
    pub release: String,
    /// The file that QEMU boots.
    pub image: PathBuf,
    /// The files of its packages, which have the modules.
    pub files: Vec<PathBuf>,
}

impl UnpackedKernel {
    /// The kernel of the package that is `wanted`, or of a package's file of that path; the release's current one by
    /// default.
    pub fn get(cache: &Cache<'_>, wanted: &Wanted) -> Result<Self, GuestError> {
        let (release, wanted) = (&wanted.release, wanted.kernel.as_deref().unwrap_or(DEFAULT));
        let kernels = cache.folder.join("kernels");
        let file = if wanted.contains('/') { PathBuf::from(wanted) } else { fetched(cache, release, wanted)? };
        let files = parts(&file);
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let package = stem.trim_end_matches("_amd64").replace('_', " ");
        let folder = kernels.join(&*stem);
        if !folder.exists() {
            require_package(wanted)?;
            cache.tell(&format!("unpacking {package}"));
            unpack(&files, &folder, &cache.unfinished())?;
        }
        let (release, image) = found(&folder, wanted)?;
        Ok(Self { package, release, image, files })
    }
}

/// The files of a kernel's packages: that of the first one and those of the others in its folder, if there are any.
fn parts(file: &Path) -> Vec<PathBuf> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let others = PARTS[1..].iter().map(|part| file.with_file_name(name.replacen(PARTS[0], part, 1)));
    [file.to_owned()].into_iter().chain(others.filter(|other| other != file && other.is_file())).collect()
}

/// Refuses a path that is no package of Debian, which is an archive of ar (deb(5)).
///
/// # Errors
/// [`GuestError::NoKernel`].
fn require_package(wanted: &str) -> Result<(), GuestError> {
    let refused = |what: &str| Err(GuestError::no_kernel(wanted, what));
    let path = Path::new(wanted);
    match wanted.contains('/') {
        true if !path.is_file() => refused("there is no such file"),
        true if !begins_with(path, b"!<arch>\n") => refused("it is no package of Debian"),
        _ => Ok(()),
    }
}

fn begins_with(path: &Path, wanted: &[u8]) -> bool {
    let mut begin = vec![0; wanted.len()];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut begin)).is_ok_and(|()| begin == wanted)
}

/// The file of the package; of a package that only depends on the current kernel, that kernel's. Which one that is, is
/// noted for some days, for each release. A kernel that `release` does not have may be one of another release.
fn fetched(cache: &Cache<'_>, release: &DebianRelease, wanted: &str) -> Result<PathBuf, GuestError> {
    if let Some(file) = noted(cache.folder, release, wanted) {
        return Ok(file);
    }
    let mut known = Vec::new();
    for other in releases(release) {
        let packages = Packages::at(cache, &other)?;
        match fetched_from(&packages, wanted, cache) {
            Ok(file) => {
                let note = note(cache.folder, release, wanted);
                fs::write(&note, file.display().to_string()).map_err(GuestError::io("write", &note))?;
                return Ok(file);
            }
            // It may be in the next release.
            Err(error) if error.is_unknown_package() => known.extend(available(&packages)?),
            Err(error) => return Err(error),
        }
    }
    Err(unknown(wanted, known))
}

/// The error for a kernel that the lists of packages do not have, which have those that are `known`.
fn unknown(wanted: &str, known: Vec<String>) -> GuestError {
    let version = |name: String| release(&name).map(|numbers| format!("linux-{}.{}", numbers[0], numbers[1]));
    let mut known: Vec<String> = sorted(known).into_iter().filter_map(version).collect();
    known.dedup();
    GuestError::UnknownKernel { package: wanted.to_owned(), known }
}

/// Refuses a kernel that the lists of packages in `cache` do not have, and a path that is no package. Nothing is fetched:
/// if the lists are old or missing, a kernel that they might have is accepted, and so is one that was fetched lately.
///
/// # Errors
/// [`GuestError::NoKernel`], [`GuestError::UnknownKernel`].
pub fn require(cache: &Path, release: &DebianRelease, wanted: &str) -> Result<(), GuestError> {
    if wanted.contains('/') {
        return require_package(wanted);
    }
    if noted(cache, release, wanted).is_some() {
        return Ok(());
    }
    let mut known = Vec::new();
    for release in releases(release) {
        let Some(packages) = Packages::cached(cache, &release) else { return Ok(()) };
        let (Ok(kernels), Ok(names)) = (available(&packages), packages.names(wanted)) else { return Ok(()) };
        // A package that depends on a kernel, such as linux-image-amd64.
        let is_other = wanted.starts_with("linux-image") && !is_kernel(wanted);
        if named(&kernels, wanted).is_some() || is_other && names.iter().any(|name| name == wanted) {
            return Ok(());
        }
        known.extend(kernels);
    }
    Err(unknown(wanted, known))
}

/// The releases that may have a kernel: first `release`, then all others with kernels.
pub fn releases(release: &DebianRelease) -> Vec<DebianRelease> {
    let others = DebianRelease::with_kernels().filter(|other| other != release);
    [release.clone()].into_iter().chain(others).collect()
}

/// The file that `wanted` was lately for a release.
fn noted(cache: &Path, release: &DebianRelease, wanted: &str) -> Option<PathBuf> {
    let note = note(cache, release, wanted);
    let file = PathBuf::from(fs::read_to_string(&note).ok()?);
    (packages::is_fresh(&note) && file.is_file()).then_some(file)
}

/// The file that notes which package's file `wanted` is.
fn note(cache: &Path, release: &DebianRelease, wanted: &str) -> PathBuf {
    packages::folder(cache, release).join(format!("{wanted}.current"))
}

fn fetched_from(packages: &Packages, wanted: &str, cache: &Cache<'_>) -> Result<PathBuf, GuestError> {
    let is_digit = |c: char| c.is_ascii_digit();
    let suffix = |name: &str| Some(name.strip_prefix(PARTS[0])?.to_owned()).filter(|it| it.starts_with(is_digit));
    let newest = newest(packages, wanted)?;
    let named = newest.as_deref().unwrap_or(wanted);
    let kernel = match suffix(named) {
        Some(kernel) => kernel,
        None => {
            let closure = packages.with_dependencies(&[named])?;
            let none = || GuestError::no_kernel(wanted, "neither it nor what it depends on is a kernel");
            closure.iter().find_map(|package| suffix(&package.name)).ok_or_else(none)?
        }
    };
    // Mirrors still have kernels some of whose dependencies they no longer have, which are not needed here.
    let known = packages.names("linux-")?;
    let parts = PARTS.map(|part| format!("{part}{kernel}"));
    let parts: Vec<&str> = parts
        .iter()
        .map(String::as_str)
        .filter(|name| *name == parts[0] || known.iter().any(|it| it == name))
        .collect();
    Ok(packages.fetch(&packages.alone(&parts)?, cache)?.remove(0))
}

/// The package of that name, or the newest kernel of a version such as `linux-6.1`; `None` if `wanted` is neither, such
/// as a package that only depends on a kernel.
fn newest(packages: &Packages, wanted: &str) -> Result<Option<String>, GuestError> {
    if !is_kernel(wanted) {
        return Ok(None);
    }
    let mut known = available(packages)?;
    match named(&known, wanted) {
        Some(index) => Ok(Some(known.swap_remove(index))),
        None => Err(unknown(wanted, known)),
    }
}

/// Unpacks the kernel's image into `folder`, decompressed if QEMU can boot it so: that saves two seconds at each boot.
fn unpack(files: &[PathBuf], folder: &Path, unfinished: &Path) -> Result<(), GuestError> {
    let partial = unfinished.join("kernel");
    for made in [&partial, folder.parent().unwrap_or(folder)] {
        fs::create_dir_all(made).map_err(GuestError::io("create", made))?;
    }
    let package = files[0].display().to_string();
    let mut why = None;
    let mut extracts = |file: &Path, image| {
        let keep = |error| _ = why.get_or_insert(error);
        extract(file, &partial, &["--wildcards", image]).map_err(keep).is_ok()
    };
    // The packages after the one that has it are large, and not read.
    let is_extracted = files.iter().any(|file| IMAGES.iter().any(|image| extracts(file, image)));
    if let (false, Some(error)) = (is_extracted, why) {
        return Err(GuestError::no_kernel(&package, error.to_string()));
    }
    let (_, path) = found(&partial, &package)?;
    let bytes = fs::read(&path).map_err(GuestError::io("read", &path))?;
    if let Some(image) = decompressed(&bytes, &partial)? {
        fs::write(&path, image).map_err(GuestError::io("write", &path))?;
    }
    fs::rename(&partial, folder).map_err(GuestError::io("rename", &partial))
}

fn decompressed(kernel: &[u8], folder: &Path) -> Result<Option<Vec<u8>>, GuestError> {
    for (magic, program) in COMPRESSED {
        let Some(start) = find(kernel, magic) else { continue };
        let (packed, unpacked) = (folder.join("packed"), folder.join("unpacked"));
        fs::write(&packed, &kernel[start..]).map_err(GuestError::io("write", &packed))?;
        let script = format!("{} < \"$1\" > \"$2\"", program.join(" "));
        let paths = [packed.display().to_string(), unpacked.display().to_string()];
        // The kernel is followed by other bytes, about which zstd complains: what counts is the result.
        let _ = child::run(&["sh", "-c", &script, "sh", &paths[0], &paths[1]], Patience::new(LIMIT));
        let image = fs::read(&unpacked).unwrap_or_default();
        for path in [packed, unpacked] {
            fs::remove_file(&path).map_err(GuestError::io("remove", &path))?;
        }
        if image.starts_with(b"\x7fELF") && find(&image, PVH).is_some() {
            return Ok(Some(image));
        }
    }
    Ok(None)
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// The kernel in an unpacked package: its release and its image.
fn found(folder: &Path, wanted: &str) -> Result<(String, PathBuf), GuestError> {
    let entries = |path| fs::read_dir(folder.join(path)).into_iter().flatten().filter_map(Result::ok);
    let named = |entry: fs::DirEntry| Some((entry.file_name().into_string().ok()?, entry.path()));
    let in_boot = entries("boot").filter_map(named);
    let in_boot = in_boot.filter_map(|(name, path)| Some((name.strip_prefix("vmlinuz-")?.to_owned(), path)));
    let modules = entries("usr/lib/modules").filter_map(named).map(|(name, path)| (name, path.join("vmlinuz")));
    let kernel = in_boot.chain(modules.filter(|(_, image)| image.is_file())).max();
    kernel.ok_or_else(|| GuestError::no_kernel(wanted, "it has no file vmlinuz"))
}

/// Extracts the package `file` into `folder`, with further arguments of tar.
pub fn extract(file: &Path, folder: &Path, arguments: &[&str]) -> Result<(), GuestError> {
    // Packages have files below /bin and /lib, which are links: tar has to follow them.
    let script = "dpkg-deb --fsys-tarfile \"$1\" | { folder=$2; shift 2; \
                  tar -x --directory \"$folder\" --keep-directory-symlink --no-same-owner \"$@\"; }";
    let (file, folder) = (file.display().to_string(), folder.display().to_string());
    let argv: Vec<&str> =
        ["sh", "-c", script, "sh", &file, &folder].into_iter().chain(arguments.iter().copied()).collect();
    run(&argv, &format!("unpack {file}"))
}

/// Runs a program that has to succeed.
pub fn run(argv: &[&str], command: &str) -> Result<(), GuestError> {
    let ended = child::run(argv, Patience::new(LIMIT)).map_err(GuestError::io("start", argv[0]))?;
    match ended.status.success() {
        true => Ok(()),
        false => Err(GuestError::Program { command: command.to_owned(), words: ended.words() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_release_has_its_own_current_kernel() {
        let cache = tempfile::tempdir().expect("a folder");
        let [bookworm, trixie] = ["bookworm", "trixie"].map(|name| name.parse().expect("a release"));
        let file = cache.path().join("linux.deb");
        fs::create_dir_all(packages::folder(cache.path(), &trixie)).expect("a folder");
        fs::write(&file, "").expect("a file");
        fs::write(note(cache.path(), &trixie, DEFAULT), file.display().to_string()).expect("a file");
        assert_eq!(noted(cache.path(), &trixie, DEFAULT), Some(file));
        assert_eq!(noted(cache.path(), &bookworm, DEFAULT), None);
    }

    #[test]
    fn a_kernel_is_in_one_package_or_in_three() {
        let stage = tempfile::tempdir().expect("a folder");
        let made = |name: &str, file: Option<&str>| {
            let tree = stage.path().join(name);
            fs::create_dir_all(tree.join("DEBIAN")).expect("a folder");
            let control = "Package: x\nVersion: 9\nArchitecture: amd64\nMaintainer: x <x@x>\nDescription: x\n";
            fs::write(tree.join("DEBIAN/control"), control).expect("a file");
            if let Some(path) = file.map(|file| tree.join(file)) {
                fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
                fs::write(path, "kernel").expect("a file");
            }
            let package = tree.with_added_extension("deb");
            run(&["dpkg-deb", "--build", &tree.display().to_string(), &package.display().to_string()], "")
                .expect("made");
            package
        };
        let one = vec![made("linux-image-6.1.0-9-amd64_6.1", Some("boot/vmlinuz-6.1.0-9-amd64"))];
        let name = "7.3.4+deb13-amd64";
        let three = PARTS.map(|part| {
            let image = format!("usr/lib/modules/{name}/vmlinuz");
            made(&format!("{part}{name}_7.3"), (part == "linux-binary-").then_some(&image))
        });
        for (files, release) in [(one, "6.1.0-9-amd64"), (three.to_vec(), name)] {
            assert_eq!(parts(&files[0]), files);
            let folder = stage.path().join("kernels").join(release);
            unpack(&files, &folder, &stage.path().join("unfinished")).expect("it has a kernel");
            let (found, image) = found(&folder, release).expect("a kernel");
            assert_eq!((found.as_str(), fs::read(image).expect("readable").as_slice()), (release, &b"kernel"[..]));
        }
        let refused = unpack(&[three[0].clone()], &stage.path().join("none"), stage.path()).expect_err("no kernel");
        assert!(refused.to_string().contains("has no kernel that can be booted"), "{refused}");
    }
}
