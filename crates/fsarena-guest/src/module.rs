//! Kernel modules that no package has. They are built once for each kernel, from the sources of a package for DKMS, in
//! a tree of packages with a compiler and the kernel's headers: on this machine, since a guest may be emulated.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use fsarena_model::DebianRelease;
use fsarena_sys::child::{self, Patience, Setting};

use crate::GuestError;
use crate::cache::Cache;
use crate::kernel::{UnpackedKernel, releases};
use crate::packages::{LIMIT, Package, Packages};
use crate::root;

/// How the names of packages with sources of modules end.
const SOURCES: &str = "-dkms";

/// What builds modules, besides the kernel's headers.
const TOOLS: &[&str] = &[
    "gcc", "libc6-dev", "make", "bash", "dash", "coreutils", "sed", "grep", "mawk", "findutils", "diffutils", "gzip",
    "xz-utils", "kmod",
];

/// Packages that the headers depend on for an installed kernel.
const UNNEEDED: [&str; 7] =
    ["linux-image-", "linux-base", "initramfs-tools", "dracut", "systemd", "libsystemd-shared", "udev"];

/// Builds the modules of the sources `$2` for the kernel `$3` by `$4` processes, in the tree `$1`, which it enters
/// without a network. The interfaces of the kernel are found by trials, which take half of the time.
const BUILD: &str = r#"
mount --rbind /dev "$1/dev" && mount -t proc none "$1/proc" && exec chroot "$1" /bin/sh -e -c '
export PATH=/usr/sbin:/usr/bin HOME=/tmp TMPDIR=/tmp LC_ALL=C MAKEFLAGS=-j$3
headers=/usr/lib/modules/$2/build
source=$headers
test ! -e "${headers%build}source" || source=${headers%build}source
cd /usr/src/"$1"
./configure --disable-dependency-tracking --with-config=kernel --with-linux="$source" --with-linux-obj="$headers"
make -C module
mkdir /built
find module -name "*.ko" -exec strip --strip-debug {} + -exec mv -t /built {} +
' build "$2" "$3" "$4"
"#;

/// Whether the package has sources of modules.
pub fn is_source(package: &str) -> bool {
    package.ends_with(SOURCES)
}

/// The modules of the package `sources` of the Debian `release` for `kernel`, built if they are not in `cache`.
pub fn get(
    cache: &Cache<'_>,
    release: &DebianRelease,
    kernel: &UnpackedKernel,
    sources: &str,
) -> Result<Vec<PathBuf>, GuestError> {
    let folder = cache.folder.join("modules").join(release.to_string()).join(&kernel.release).join(sources);
    if !folder.exists() {
        let failed = |error| failed(error, sources, &kernel.release);
        build(cache, release, kernel, sources, &folder).map_err(failed)?;
    }
    let entries = fs::read_dir(&folder).map_err(GuestError::io("read", &folder))?;
    Ok(entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
}

/// An error of the build as one that names the module and the kernel.
fn failed(error: GuestError, sources: &str, kernel: &str) -> GuestError {
    let module = sources.trim_end_matches(SOURCES).to_owned();
    match error {
        GuestError::Program { words, .. } | GuestError::Package { words, .. } => {
            GuestError::Module { module, kernel: kernel.to_owned(), words }
        }
        error => error,
    }
}

fn build(
    cache: &Cache<'_>,
    release: &DebianRelease,
    kernel: &UnpackedKernel,
    sources: &str,
    to: &Path,
) -> Result<(), GuestError> {
    let tree = cache.unfinished().join("module");
    let mut files = with_headers(cache, release, &kernel.release)?;
    let packages = Packages::at(cache, release)?;
    let own = packages.with_dependencies(&[sources])?.into_iter().filter(|package| package.name == sources);
    files.extend(packages.fetch(&own.collect::<Vec<Package>>(), cache)?);
    cache.tell(&format!("unpacking what builds the module of {sources}"));
    root::make_tree(&tree, root::FOLDERS, &root::LINKS)?;
    root::unpack(&files, &tree, [])?;
    let source = named(&tree.join("usr/src"), sources.trim_end_matches(SOURCES))?;
    let processes = thread::available_parallelism().map_or(1, usize::from).to_string();
    run(&tree, &[&source, &kernel.release, &processes], cache)?;
    let parent = to.parent().unwrap_or(to);
    fs::create_dir_all(parent).map_err(GuestError::io("create", parent))?;
    fs::rename(tree.join("built"), to).map_err(GuestError::io("rename", to))
}

/// Runs the build with the further words in the tree, in namespaces of its own, and tells how far it is.
fn run(tree: &Path, words: &[&str], cache: &Cache<'_>) -> Result<(), GuestError> {
    const PIECE: usize = 50;
    let (path, limit) = (tree.display().to_string(), format!("{}", LIMIT.as_secs()));
    let start = ["timeout", "--kill-after=10", &limit, "unshare", "--map-root-user", "--mount", "--net", "--pid"];
    let start = [&start[..], &["--fork", "--kill-child", "sh", "-c", BUILD, "build", &path], words].concat();
    let what = format!("building {} for Linux {}", words[0], words[1]);
    let mut compiled = 0;
    cache.tell(&format!("{what}: looking for the kernel's interfaces, which takes minutes"));
    let mut heard = |piece: &[u8]| {
        let before = compiled / PIECE;
        compiled += String::from_utf8_lossy(piece).matches(" CC [M] ").count();
        if compiled / PIECE > before {
            cache.tell(&format!("{what}: {compiled} files compiled"));
        }
    };
    let setting = Setting::new(Path::new("/"), tree, Patience::query().stop);
    let ended = child::run_until(&start, setting, Some(&mut heard)).map_err(GuestError::io("start", "timeout"))?;
    let words = match ended {
        Some(ended) if ended.status.success() => return Ok(()),
        // timeout(1).
        Some(ended) if ended.status.code() == Some(124) => format!("it did not end within {limit} s"),
        Some(ended) => last_lines(if ended.stderr.trim().is_empty() { &ended.stdout } else { &ended.stderr }),
        None => "stopped".to_owned(),
    };
    Err(GuestError::Program { command: "make".to_owned(), words })
}

/// The files of the kernel's headers and of what compiles, from the release that has these headers.
fn with_headers(cache: &Cache<'_>, release: &DebianRelease, kernel: &str) -> Result<Vec<PathBuf>, GuestError> {
    let headers = format!("linux-headers-{kernel}");
    let names: Vec<&str> = TOOLS.iter().copied().chain([headers.as_str()]).collect();
    let of = |release: &DebianRelease| {
        let packages = Packages::at(cache, release)?;
        let mut closure = packages.with_dependencies(&names)?;
        closure.retain(|package| !UNNEEDED.iter().any(|prefix| package.name.starts_with(prefix)));
        packages.fetch(&closure, cache)
    };
    match of(release) {
        // It may be a kernel of another release.
        Err(error) if error.is_unknown_package() => {
            releases(release).iter().skip(1).find_map(|other| of(other).ok()).ok_or(error)
        }
        found => found,
    }
}

/// The folder of the sources, whose name begins with that of the module.
fn named(folder: &Path, module: &str) -> Result<String, GuestError> {
    let entries = fs::read_dir(folder).map_err(GuestError::io("read", folder))?;
    let mut names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let found = names.find(|name| name.strip_prefix(module).is_some_and(|rest| rest.starts_with('-')));
    let missing = || GuestError::io("find the sources below", folder)(std::io::ErrorKind::NotFound.into());
    found.ok_or_else(missing)
}

/// The last lines of what a build printed that are not empty.
fn last_lines(words: &str) -> String {
    let lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(8)..].join("\n")
}
