//! Debian packages, fetched by apt. For each release the cache has a folder with a list of sources, the mirrors' lists,
//! archives and apt's state: apt takes nothing on this machine for installed, changes nothing, and needs no root. Which
//! release the machine runs makes no difference.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fsarena_model::DebianRelease;
use fsarena_sys::child::{self, Patience, Setting};

use crate::GuestError;
use crate::cache::Cache;

/// Older lists are fetched again, since mirrors remove old packages.
const FRESH: Duration = Duration::from_secs(7 * 24 * 3600);

/// Time limit of apt and of programs that unpack.
pub const LIMIT: Duration = Duration::from_secs(1800);

const APT_GET: [&str; 3] = ["apt-get", "-q", "-y"];

/// What signs the archives of all stable releases; their lists are refused without it.
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// The main archive and that of security updates, where this machine's sources name no mirror of Debian's.
const ARCHIVE: &str = "http://deb.debian.org/debian";
const SECURITY: &str = "http://deb.debian.org/debian-security";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    pub name: String,
    /// Name and version, as apt takes them: `NAME=VERSION`.
    wanted: String,
    /// Name, version and architecture, as in the name of its file.
    pub file: String,
}

/// The packages of a release, and those that are fetched.
#[derive(Debug)]
pub struct Packages {
    release: DebianRelease,
    folder: PathBuf,
}

pub fn folder(cache: &Path, release: &DebianRelease) -> PathBuf {
    cache.join("apt").join(release.to_string())
}

impl Packages {
    /// The packages of `release` in `cache`; fetches the mirrors' lists if there are none, or old ones.
    pub fn at(cache: &Cache<'_>, release: &DebianRelease) -> Result<Self, GuestError> {
        for (program, package) in [("apt-get", "apt"), ("dpkg-deb", "dpkg"), ("tar", "tar"), ("xz", "xz-utils")] {
            child::find_program(program).ok_or(GuestError::ProgramMissing { program, package })?;
        }
        if !Path::new(KEYRING).exists() {
            return Err(GuestError::NoKeyring { path: KEYRING });
        }
        let packages = Self { release: release.clone(), folder: folder(cache.folder, release) };
        for folder in ["lists/partial", "archives/partial"] {
            let folder = packages.folder.join(folder);
            fs::create_dir_all(&folder).map_err(GuestError::io("create", &folder))?;
        }
        let status = packages.folder.join("status");
        fs::write(&status, "").map_err(GuestError::io("write", &status))?;
        let stamp = packages.folder.join("updated");
        if !is_fresh(&stamp) {
            cache.tell(&format!("fetching the lists of packages of Debian {release}"));
            let list = packages.folder.join("sources.list");
            fs::write(&list, sources(release, &mirrors())).map_err(GuestError::io("write", &list))?;
            // Older lists are better than none.
            match packages.run(&APT_GET, &["update"], &format!("the lists of packages of Debian {release}")) {
                Ok(_) => fs::write(&stamp, "").map_err(GuestError::io("write", &stamp))?,
                Err(error) if !stamp.exists() => return Err(error),
                Err(_) => {}
            }
        }
        Ok(packages)
    }

    /// The packages of `release` if `cache` has lists of them that need not be fetched again.
    pub fn cached(cache: &Path, release: &DebianRelease) -> Option<Self> {
        let packages = Self { release: release.clone(), folder: folder(cache, release) };
        is_fresh(&packages.folder.join("updated")).then_some(packages)
    }

    /// The packages `names` and all that they depend on. `NAME/SUITE` is a package that is in no release.
    pub fn with_dependencies(&self, names: &[&str]) -> Result<Vec<Package>, GuestError> {
        names.iter().filter_map(|name| name.split_once('/')).try_for_each(|(_, suite)| self.add_suite(suite))?;
        let text =
            self.run(&APT_GET, &[&["install", "--simulate"], names].concat(), &format!("`{}`", names.join(" ")))?;
        Ok(text.lines().filter_map(package).collect())
    }

    /// The packages `names`, in this order, without what they depend on.
    pub fn alone(&self, names: &[&str]) -> Result<Vec<Package>, GuestError> {
        let wanted = format!("`{}`", names.join(" "));
        let text = self.run(&APT_GET, &[&["download", "--print-uris"], names].concat(), &wanted)?;
        let mut found: Vec<Package> = text.lines().filter_map(package_at).collect();
        found.sort_by_key(|package| names.iter().position(|name| *name == package.name));
        Ok(found)
    }

    /// Adds the lists of a suite to those of the release. Of packages that are in both, apt prefers the release's.
    fn add_suite(&self, suite: &str) -> Result<(), GuestError> {
        let list = self.folder.join("sources.list");
        let before = fs::read_to_string(&list).map_err(GuestError::io("read", &list))?;
        if before.contains(&format!(" {suite} ")) {
            return Ok(());
        }
        let of_archive = before.lines().next().unwrap_or_default();
        let line = of_archive.replace(&format!(" {} ", self.release.base()), &format!(" {suite} "));
        let write = |text: &str| fs::write(&list, text).map_err(GuestError::io("write", &list));
        write(&format!("{before}{line}\n"))?;
        match self.run(&APT_GET, &["update"], &format!("the lists of packages of Debian's suite {suite}")) {
            Ok(_) => Ok(()),
            Err(error) => write(&before).and(Err(error)),
        }
    }

    /// Fetches packages that [`Packages::with_dependencies`] has found, and returns their files.
    pub fn fetch(&self, packages: &[Package], cache: &Cache<'_>) -> Result<Vec<PathBuf>, GuestError> {
        let missing: Vec<&Package> = packages.iter().filter(|package| !self.path(package).exists()).collect();
        if let [first, others @ ..] = missing.as_slice() {
            cache.tell(&format!("fetching {}{} of Debian {}", first.name, and_others(others.len()), self.release));
            self.download(&missing, cache)?;
        }
        Ok(packages.iter().map(|package| self.path(package)).collect())
    }

    /// Fetches these packages without what they depend on. apt prints a line when it begins with the next one.
    fn download(&self, packages: &[&Package], cache: &Cache<'_>) -> Result<(), GuestError> {
        let (mut begun, count) = (0, packages.len());
        let mut heard = |piece: &[u8]| {
            let before = begun * 10 / count;
            let begins = String::from_utf8_lossy(piece).lines().filter(|line| line.starts_with("Get:")).count();
            // A download that failed begins again.
            begun = (begun + begins).min(count);
            // At most ten lines, of which the first one is already there.
            if begun * 10 / count > before && begun > 1 {
                cache.tell(&format!("fetching packages of Debian {}: {begun} of {count}", self.release));
            }
        };
        // What is complete is moved from there.
        let directory = &self.folder.join("archives/partial");
        let names: Vec<&str> = packages.iter().map(|package| package.wanted.as_str()).collect();
        let argv = self.argv(&APT_GET, &[&["download"], names.as_slice()].concat());
        let setting = Setting::new(directory, &self.folder, Patience::query().stop);
        let ended = child::run_until(&argv, setting, Some(&mut heard));
        match ended.map_err(GuestError::io("start", "apt-get"))? {
            Some(ended) if ended.status.success() => {}
            ended => {
                let words = ended.map_or_else(|| "stopped".to_owned(), |ended| errors(&ended.words()));
                let package = format!("`{}`{}", names[0], and_others(names.len() - 1));
                return Err(GuestError::Package { package, words });
            }
        }
        packages.iter().try_for_each(|package| {
            let fetched = directory.join(&package.file);
            fs::rename(&fetched, self.path(package)).map_err(GuestError::io("move", fetched))
        })
    }

    /// The names of all packages that begin with `prefix`.
    pub fn names(&self, prefix: &str) -> Result<Vec<String>, GuestError> {
        let text = self.run(&["apt-cache"], &["pkgnames", prefix], &format!("`{prefix}`"))?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn path(&self, package: &Package) -> PathBuf {
        self.folder.join("archives").join(&package.file)
    }

    /// Runs a program of apt on the folder's own state; `wanted` is what it is to find or fetch.
    fn run(&self, program: &[&str], words: &[&str], wanted: &str) -> Result<String, GuestError> {
        let argv = self.argv(program, words);
        let ended = child::run(&argv, Patience::new(LIMIT)).map_err(GuestError::io("start", program[0]))?;
        match ended.status.success() {
            true => Ok(ended.stdout),
            false => Err(GuestError::Package { package: wanted.to_owned(), words: errors(&ended.words()) }),
        }
    }

    /// The command of a program of apt on the folder's own state.
    fn argv(&self, program: &[&str], words: &[&str]) -> Vec<String> {
        let at = |name: &str, path: &str| format!("Dir::{name}={}", self.folder.join(path).display());
        let settings = [
            at("Etc::sourcelist", "sources.list"),
            "Dir::Etc::sourceparts=-".to_owned(),
            "Dir::Etc::preferences=-".to_owned(),
            "Dir::Etc::preferencesparts=-".to_owned(),
            // A release's name would be preferred to its security updates. Backports are installed if they are named.
            format!("APT::Default-Release={}", self.release.backports().unwrap_or_default()),
            at("State::lists", "lists"),
            at("State::status", "status"),
            at("State::extended_states", "extended_states"),
            at("Cache", ""),
            at("Cache::archives", "archives"),
            "APT::Install-Recommends=false".to_owned(),
            "APT::Sandbox::User=root".to_owned(),
            "Acquire::Retries=2".to_owned(),
            "Acquire::Languages=none".to_owned(),
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false".to_owned(),
            // Without this, apt takes lists that it could not fetch for empty ones.
            "APT::Update::Error-Mode=any".to_owned(),
        ];
        let settings = settings.into_iter().flat_map(|setting| ["-o".to_owned(), setting]);
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        owned(program).into_iter().chain(settings).chain(owned(words)).collect()
    }
}

/// The mirrors of Debian that this machine's sources name: URI and suite of each list of packages.
fn mirrors() -> String {
    let argv = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(COMPONENT)", "Created-By: Packages"];
    child::run(&argv, Patience::query()).map(|ended| ended.stdout).unwrap_or_default()
}

/// The list of sources of a release. `mirrors` has URI and component of this machine's sources; others than Debian also
/// have archives in a folder `debian`, but no component `main` in it.
fn sources(release: &DebianRelease, mirrors: &str) -> String {
    let uris = || mirrors.lines().filter_map(|line| line.strip_suffix(" main")).map(|uri| uri.trim_end_matches('/'));
    let mirror = |ending: &str, default| uris().find(|uri| uri.ends_with(ending)).unwrap_or(default).to_owned();
    let (archive, security) = (mirror("/debian", ARCHIVE), mirror("/debian-security", SECURITY));
    let base = release.base();
    let suites =
        [(&archive, base.to_owned()), (&archive, format!("{base}-updates")), (&security, format!("{base}-security"))];
    let backports = release.backports().map(|suite| (&archive, suite.to_owned()));
    let line = |(uri, suite)| format!("deb [signed-by={KEYRING}] {uri} {suite} main contrib\n");
    suites.into_iter().chain(backports).map(line).collect()
}

pub fn and_others(count: usize) -> String {
    if count == 0 { String::new() } else { format!(" and {count} others") }
}

/// The lines of apt's output that say what is wrong.
fn errors(words: &str) -> String {
    let errors: Vec<&str> = words.lines().filter_map(|line| line.strip_prefix("E: ")).collect();
    if errors.is_empty() { words.lines().last().unwrap_or_default().to_owned() } else { errors.join("; ") }
}

/// Whether a file was written within the last days.
pub fn is_fresh(stamp: &Path) -> bool {
    let changed = fs::metadata(stamp).and_then(|found| found.modified());
    changed.is_ok_and(|changed| SystemTime::now().duration_since(changed).is_ok_and(|age| age < FRESH))
}

/// Reads a line of `apt-get install --simulate`: `Inst NAME (VERSION ORIGIN [ARCHITECTURE])`.
fn package(line: &str) -> Option<Package> {
    let (name, rest) = line.strip_prefix("Inst ")?.split_once(" (")?;
    let version = rest.split_whitespace().next()?;
    let architecture = rest.split_once('[')?.1.split(']').next()?;
    let file = format!("{name}_{}_{architecture}.deb", version.replace(':', "%3a"));
    Some(Package { name: name.to_owned(), wanted: format!("{name}={version}"), file })
}

/// Reads a line of `apt-get download --print-uris`: `'URI' NAME_VERSION_ARCHITECTURE.deb SIZE SUM`.
fn package_at(line: &str) -> Option<Package> {
    let file = line.strip_prefix('\'')?.split_whitespace().nth(1)?;
    let [name, version, _] = file.split('_').collect::<Vec<_>>()[..] else { return None };
    let wanted = format!("{name}={}", version.replace("%3a", ":"));
    Some(Package { name: name.to_owned(), wanted, file: file.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_name_follows_from_apts_line() {
        let line = "Inst reiserfsprogs (1:3.6.27-4 Debian:12.15/oldstable [amd64])";
        assert_eq!(package(line).expect("a package").file, "reiserfsprogs_1%3a3.6.27-4_amd64.deb");
        assert_eq!(package("Conf reiserfsprogs (1:3.6.27-4 Debian:12.15/oldstable [amd64])"), None);
        let line = "Inst libc6 (2.36-9+deb12u14 Debian:12.15/oldstable [amd64]) []";
        assert_eq!(package(line).expect("a package").name, "libc6");
        let line = "'http://deb.debian.org/debian/pool/main/r/reiserfsprogs_3.6.27-4_amd64.deb' \
                    reiserfsprogs_1%3a3.6.27-4_amd64.deb 236784 SHA256:5f";
        let found = package_at(line).expect("a package");
        assert_eq!((found.name.as_str(), found.wanted.as_str()), ("reiserfsprogs", "reiserfsprogs=1:3.6.27-4"));
        assert_eq!(found.file, "reiserfsprogs_1%3a3.6.27-4_amd64.deb");
        assert_eq!(package_at("Reading package lists..."), None);
    }

    #[test]
    fn a_release_has_sources_of_its_own_on_this_machines_mirror() {
        let mirrors = "https://apt.example.com/linux/debian/ stable\nhttp://ftp.example.org/debian/ main\n\
                       http://ftp.example.org/debian-security/ main\n";
        let own = |mirror: &str, suite: &str| format!("deb [signed-by={KEYRING}] {mirror} {suite} main contrib\n");
        let lines = |archive: &str, security: &str| {
            own(archive, "bookworm") + &own(archive, "bookworm-updates") + &own(security, "bookworm-security")
        };
        let expected = lines("http://ftp.example.org/debian", "http://ftp.example.org/debian-security");
        let backports = "bookworm-backports".parse().expect("a release");
        let further = own("http://ftp.example.org/debian", "bookworm-backports");
        assert_eq!(sources(&backports, mirrors), expected + &further);
        let elsewhere = "http://archive.ubuntu.com/ubuntu/ main\n";
        assert_eq!(sources(&"bookworm".parse().expect("a release"), elsewhere), lines(ARCHIVE, SECURITY));
    }

    #[test]
    fn of_apts_output_only_the_errors_are_shown() {
        let words = "Reading package lists...\nE: Unable to locate package linux-nonsense\n";
        assert_eq!(errors(words), "Unable to locate package linux-nonsense");
    }
}
