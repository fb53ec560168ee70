//! Programs of a release that run on this machine without being installed: each is started by the release's own dynamic
//! loader (ld.so(8)), which takes no library of the machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use fsarena_model::DebianRelease;
use fsarena_sys::child::{self, Patience};
use sha2::{Digest, Sha256};

use crate::cache::Cache;
use crate::packages::{Packages, is_fresh};
use crate::{GuestError, kernel, root};

/// Changes if the folder is made in another way.
const RECIPE: &str = "recipe 2";

/// Where packages have programs.
const PROGRAMS: [&str; 2] = ["usr/sbin", "usr/bin"];

/// The folder of the programs, and the file that names the newest ones, in the cache's folder of a release.
const STARTERS: &str = "programs";
const NEWEST: &str = "newest";

/// The folder with the programs of the Debian packages `wanted`, which are fetched if `cache` lacks them. Once a week
/// newer ones are looked for; without a network those in the cache are taken.
///
/// # Errors
/// If they cannot be fetched or unpacked.
pub fn tools(
    cache: &Path,
    release: &DebianRelease,
    wanted: &[String],
    telling: &mut dyn FnMut(&str),
) -> Result<PathBuf, GuestError> {
    let locked = Cache::locked(cache, telling)?;
    let cached = cached_tools(cache, release, wanted);
    let note = folder(cache, release).join(NEWEST);
    if let Some(found) = cached.as_ref().filter(|_| is_fresh(&note)) {
        return Ok(found.clone());
    }
    let kept = fs::read_to_string(&note).unwrap_or_default();
    let made = make(&locked, release, wanted);
    match (made, cached) {
        (Ok(made), _) => Ok(made),
        // Next week it is tried again.
        (Err(_), Some(cached)) => fs::write(&note, kept).map_err(GuestError::io("write", &note)).map(|()| cached),
        (Err(error), None) => Err(error.of_cache(cache)),
    }
}

/// The folder with the programs of the Debian packages `wanted`, if `cache` has them: perhaps not the newest ones.
pub fn cached_tools(cache: &Path, release: &DebianRelease, wanted: &[String]) -> Option<PathBuf> {
    let folder = folder(cache, release);
    let text = fs::read_to_string(folder.join(NEWEST)).ok()?;
    let (name, packages) = text.strip_prefix(RECIPE)?.trim_start().split_once('\n')?;
    let has_all = wanted.iter().all(|package| packages.lines().any(|line| line == package));
    Some(folder.join(name).join(STARTERS)).filter(|starters| has_all && starters.is_dir())
}

fn folder(cache: &Path, release: &DebianRelease) -> PathBuf {
    cache.join("tools").join(release.to_string())
}

/// Makes the folder of the newest versions, unless it is there, and notes that it has them. Runs may still use the one
/// that was noted before; older ones are removed.
fn make(cache: &Cache<'_>, release: &DebianRelease, wanted: &[String]) -> Result<PathBuf, GuestError> {
    let packages = Packages::at(cache, release)?;
    let names: Vec<&str> = wanted.iter().map(String::as_str).collect();
    let mut all = packages.with_dependencies(&names)?;
    // Scripts of a package are run by the machine's own interpreters.
    let is_library =
        |name: &str| ["lib", "zlib"].iter().any(|start| name.starts_with(start)) && !name.contains("python");
    all.retain(|package| names.contains(&package.name.as_str()) || is_library(&package.name));
    let versions: Vec<&str> = all.iter().map(|package| package.file.as_str()).collect();
    let digest = Sha256::digest(format!("{RECIPE}\n{}", versions.join("\n")));
    let name: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    let (folder, before) = (folder(cache.folder, release), cached_tools(cache.folder, release, &[]));
    let made = folder.join(&name);
    if !made.exists() {
        let (own, libraries): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| names.contains(&it.name.as_str()));
        let (own, libraries) = (packages.fetch(&own, cache)?, packages.fetch(&libraries, cache)?);
        cache.tell(&format!("unpacking programs of Debian {release}"));
        let tree = cache.unfinished().join("tools");
        fill(&tree, &own, &libraries)?;
        fs::create_dir_all(&folder).map_err(GuestError::io("create", &folder))?;
        fs::rename(&tree, &made).map_err(GuestError::io("rename", &tree))?;
    }
    let is_kept = |path: &Path| path == made || before.as_ref().is_some_and(|starters| starters.starts_with(path));
    let entries = fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    entries.filter(|path| path.is_dir() && !is_kept(path)).for_each(|path| drop(fs::remove_dir_all(path)));
    let note = folder.join(NEWEST);
    let text = format!("{RECIPE}\n{name}\n{}\n", names.join("\n"));
    fs::write(&note, text).map_err(GuestError::io("write", &note))?;
    Ok(made.join(STARTERS))
}

/// Unpacks packages into `tree`, with a script for each program of the packages `own`.
fn fill(tree: &Path, own: &[PathBuf], libraries: &[PathBuf]) -> Result<(), GuestError> {
    let starters = tree.join(STARTERS);
    root::make_tree(tree, STARTERS, &[])?;
    root::unpack(own, tree, [])?;
    let found = |place| fs::read_dir(tree.join(place)).into_iter().flatten().filter_map(Result::ok);
    let programs: Vec<PathBuf> = PROGRAMS.into_iter().flat_map(found).map(|entry| entry.path()).collect();
    root::unpack(libraries, tree, [])?;
    let loader = loader(tree)?;
    kernel::run(&[&tree.join(&loader).display().to_string(), "--version"], &loader)?;
    for program in programs {
        let Some(name) = program.file_name() else { continue };
        // A link may lead out of the packages.
        let Ok(content) = fs::read(&program) else { continue };
        let is_script = content.starts_with(b"#!");
        if !is_script {
            require_libraries(tree, &loader, &program)?;
        }
        let within = program.strip_prefix(tree).unwrap_or(&program).display().to_string();
        let (starter, text) = (starters.join(name), starter(&within, (!is_script).then_some(&loader)));
        fs::write(&starter, text).map_err(GuestError::io("write", &starter))?;
        let all = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&starter, all).map_err(GuestError::io("change the mode of", &starter))?;
    }
    Ok(())
}

/// The path of the dynamic loader in a tree.
fn loader(tree: &Path) -> Result<String, GuestError> {
    let libraries = format!("usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let folder = tree.join(&libraries);
    let entries = fs::read_dir(&folder).map_err(GuestError::io("read", &folder))?.filter_map(Result::ok);
    let loader = entries.filter_map(|entry| entry.file_name().into_string().ok()).find(|it| it.starts_with("ld-linux"));
    let missing = || std::io::Error::other("it has no dynamic loader, ld-linux*");
    Ok(format!("{libraries}/{}", loader.ok_or_else(missing).map_err(GuestError::io("look up", folder))?))
}

/// Refuses a program that would take a library of the machine, which may be of another version.
fn require_libraries(tree: &Path, loader: &str, program: &Path) -> Result<(), GuestError> {
    let loader = tree.join(loader);
    let (libraries, tree) = (loader.with_file_name(""), tree.display().to_string());
    let words = [&loader, Path::new("--inhibit-cache"), Path::new("--library-path"), &libraries, Path::new("--list")];
    let listed = child::run(&[&words[..], &[program]].concat(), Patience::query());
    let text = listed.map_err(GuestError::io("start", &loader))?.stdout;
    let foreign = |line: &&str| line.split_once(" => ").is_some_and(|(_, place)| !place.starts_with(&tree));
    text.lines().find(foreign).map_or(Ok(()), |line| {
        let command = format!("ld.so --list {}", program.display());
        Err(GuestError::Program { command, words: format!("the packages lack{}", line.replace('\t', " ")) })
    })
}

/// The script that starts the file `within` the tree: by `loader`, unless it is a script. mke2fs(8) would read the
/// machine's mke2fs.conf.
fn starter(within: &str, loader: Option<&String>) -> String {
    let by_loader = |loader: &String| {
        let libraries = loader.rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("\"$tree/{loader}\" --inhibit-cache --library-path \"$tree/{libraries}\" --argv0 \"${{0##*/}}\" ")
    };
    let loader = loader.map(by_loader).unwrap_or_default();
    format!(
        "#!/bin/sh\ntree=${{0%/*}}/..\nexport MKE2FS_CONFIG=\"$tree/etc/mke2fs.conf\"\n\
         exec {loader}\"$tree/{within}\" \"$@\"\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache_with(release: &DebianRelease, text: &str) -> tempfile::TempDir {
        let cache = tempfile::tempdir().expect("temporary folder");
        let folder = folder(cache.path(), release);
        fs::create_dir_all(folder.join("0123/programs")).expect("made");
        fs::write(folder.join(NEWEST), text).expect("written");
        cache
    }

    #[test]
    fn programs_in_the_cache_are_found_if_no_package_is_missing() {
        let release = DebianRelease::default();
        let cache = cache_with(&release, &format!("{RECIPE}\n0123\na-tools\nb-tools\n"));
        let found = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
            cached_tools(cache.path(), &release, &wanted)
        };
        let programs = cache.path().join("tools/trixie/0123/programs");
        assert_eq!([found(&["b-tools", "a-tools"]), found(&["a"])], [Some(programs), None]);
        let older = cache_with(&release, "recipe 0\n0123\na-tools\n");
        assert_eq!(cached_tools(older.path(), &release, &[]), None);
    }

    #[test]
    fn a_starter_finds_its_program_where_the_cache_was_copied_to() {
        let tree = tempfile::tempdir().expect("temporary folder");
        let starter_of = |name: &str, within: &str, loader: Option<&String>| {
            let path = tree.path().join(STARTERS).join(name);
            fs::write(&path, starter(within, loader)).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
            path
        };
        for folder in [STARTERS, "usr/sbin", "usr/lib/x"] {
            fs::create_dir_all(tree.path().join(folder)).expect("made");
        }
        let loader = "usr/lib/x/ld".to_owned();
        let script = |within: &str, text: &str| {
            let path = tree.path().join(within);
            fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
        };
        script(&loader, "echo \"$2\" \"$3\" \"$5\" \"$6\" \"$7\"");
        script("usr/sbin/a", "echo \"$MKE2FS_CONFIG\" \"$1\"");
        let words = |path: PathBuf| {
            let ended = child::run(&[path.as_os_str(), "one two".as_ref()], Patience::query());
            let words = ended.expect("it starts").words();
            words.replace(&format!("{}/programs/..", tree.path().display()), "TREE")
        };
        let found = words(starter_of("b", "usr/sbin/a", Some(&loader)));
        assert_eq!(found, "--library-path TREE/usr/lib/x b TREE/usr/sbin/a one two");
        assert_eq!(words(starter_of("c", "usr/sbin/a", None)), "TREE/etc/mke2fs.conf one two");
    }
}
