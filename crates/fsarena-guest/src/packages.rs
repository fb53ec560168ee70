//! Debian packages, fetched by apt from the mirrors that this machine is configured for. Lists, archives and apt's
//! state are in a folder of the cache: apt takes nothing on this machine for installed, changes nothing, and needs no
//! root.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fsarena_sys::child::{self, Patience};

use crate::GuestError;

/// Older lists are fetched again, since mirrors remove old packages.
const FRESH: Duration = Duration::from_secs(7 * 24 * 3600);

/// Time limit of apt and of programs that unpack.
pub const LIMIT: Duration = Duration::from_secs(1800);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    pub name: String,
    /// Name, version and architecture, as in the name of its file.
    pub file: String,
}

/// A folder of fetched packages.
#[derive(Debug)]
pub struct Packages {
    folder: PathBuf,
}

impl Packages {
    /// The packages in `cache`; fetches the mirrors' lists if there are none, or old ones.
    ///
    /// # Errors
    /// If apt is missing, or there are no lists and none can be fetched.
    pub fn at(cache: &Path, telling: &mut dyn FnMut(&str)) -> Result<Self, GuestError> {
        for (program, package) in [("apt-get", "apt"), ("dpkg-deb", "dpkg"), ("tar", "tar"), ("xz", "xz-utils")] {
            child::find_program(program).ok_or(GuestError::ProgramMissing { program, package })?;
        }
        let packages = Self { folder: cache.join("apt") };
        for folder in ["lists/partial", "archives/partial"] {
            let folder = packages.folder.join(folder);
            fs::create_dir_all(&folder).map_err(GuestError::io("create", &folder))?;
        }
        let status = packages.folder.join("status");
        fs::write(&status, "").map_err(GuestError::io("write", &status))?;
        let stamp = packages.folder.join("updated");
        if !is_fresh(&stamp) {
            telling("fetching the lists of Debian's packages");
            // Older lists are better than none.
            match packages.apt_get(&["update"], "lists") {
                Ok(_) => fs::write(&stamp, "").map_err(GuestError::io("write", &stamp))?,
                Err(GuestError::Package { words, .. }) if !stamp.exists() => return Err(GuestError::Lists { words }),
                Err(error) if !stamp.exists() => return Err(error),
                Err(_) => {}
            }
        }
        Ok(packages)
    }

    /// The packages `names` and all that they depend on.
    pub fn with_dependencies(&self, names: &[&str]) -> Result<Vec<Package>, GuestError> {
        let text = self.apt_get(&[&["install", "--simulate"], names].concat(), &names.join(" "))?;
        Ok(text.lines().filter_map(package).collect())
    }

    /// Fetches packages that [`Packages::with_dependencies`] has found for `names`, and returns their files.
    pub fn fetch(
        &self,
        names: &[&str],
        packages: &[Package],
        telling: &mut dyn FnMut(&str),
    ) -> Result<Vec<PathBuf>, GuestError> {
        let files: Vec<PathBuf> = packages.iter().map(|package| self.path(package)).collect();
        if files.iter().any(|file| !file.exists()) {
            telling(&format!("fetching {}", names.join(", ")));
            self.apt_get(&[&["install", "--download-only"], names].concat(), &names.join(" "))?;
        }
        match packages.iter().zip(&files).find(|(_, file)| !file.exists()) {
            None => Ok(files),
            Some((package, _)) => {
                let words = "apt has not fetched it".to_owned();
                Err(GuestError::Package { package: package.name.clone(), words })
            }
        }
    }

    /// The names of all packages that begin with `prefix`.
    pub fn names(&self, prefix: &str) -> Result<Vec<String>, GuestError> {
        let text = self.run(&["apt-cache"], &["pkgnames", prefix], prefix)?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn path(&self, package: &Package) -> PathBuf {
        self.folder.join("archives").join(&package.file)
    }

    fn apt_get(&self, words: &[&str], package: &str) -> Result<String, GuestError> {
        self.run(&["apt-get", "-q", "-y"], words, package)
    }

    /// Runs a program of apt on the folder's own state.
    fn run(&self, program: &[&str], words: &[&str], package: &str) -> Result<String, GuestError> {
        let at = |name: &str, path: &str| format!("Dir::{name}={}", self.folder.join(path).display());
        let settings = [
            at("State::lists", "lists"),
            at("State::status", "status"),
            at("State::extended_states", "extended_states"),
            at("Cache", ""),
            at("Cache::archives", "archives"),
            "APT::Install-Recommends=false".to_owned(),
            "APT::Sandbox::User=root".to_owned(),
            "Acquire::Retries=2".to_owned(),
            // Without this, apt takes lists that it could not fetch for empty ones.
            "APT::Update::Error-Mode=any".to_owned(),
        ];
        let settings = settings.iter().flat_map(|setting| ["-o", setting.as_str()]);
        let argv: Vec<&str> = program.iter().copied().chain(settings).chain(words.iter().copied()).collect();
        let ended = child::run(&argv, Patience::new(LIMIT)).map_err(GuestError::io("start", program[0]))?;
        match ended.status.success() {
            true => Ok(ended.stdout),
            false => Err(GuestError::Package { package: package.to_owned(), words: errors(&ended.words()) }),
        }
    }
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
    let version = rest.split_whitespace().next()?.replace(':', "%3a");
    let architecture = rest.split_once('[')?.1.split(']').next()?;
    Some(Package { name: name.to_owned(), file: format!("{name}_{version}_{architecture}.deb") })
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
    }

    #[test]
    fn of_apts_output_only_the_errors_are_shown() {
        let words = "Reading package lists...\nE: Unable to locate package linux-nonsense\n";
        assert_eq!(errors(words), "Unable to locate package linux-nonsense");
    }
}
