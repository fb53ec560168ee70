//! The places that a job file names: fsarena chooses the folder, and the files in it have plain names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fsarena_model::grouped;

use super::FioError;
use super::file::{JobFile, JobOption, JobSection, size};
use super::jobs::JobsPlace;

/// The job file with the jobs of one directory, if its sections do the same in several: such a file compares these
/// directories. A file whose sections do different work in several directories stays as it is.
///
/// # Errors
/// [`FioError::Line`] with the command that compares them, if they are not what is compared.
pub fn of_one_contender(mut file: JobFile, place: &JobsPlace<'_>) -> Result<JobFile, FioError> {
    let placed = file.sections.iter().map(|section| Some((folder(section)?, section)));
    let Some(placed) = placed.collect::<Option<Vec<_>>>() else { return Ok(file) };
    let jobs = grouped(placed);
    let Some(((first, alike), others)) = jobs.split_first() else { return Ok(file) };
    if others.is_empty() || !others.iter().all(|(_, sections)| do_the_same(alike, sections)) {
        return Ok(file);
    }
    let is_compared = |directory: &str| place.directories.contains(&Path::new(directory));
    if jobs.iter().all(|(directory, _)| is_compared(directory)) {
        let first = (*first).to_owned();
        file.sections.retain(|section| folder(section) == Some(&first));
        return Ok(file);
    }
    let names: Vec<&str> = jobs.iter().map(|(directory, _)| *directory).collect();
    let what = format!(
        "its sections do the same in {}: it compares these directories, which are not what this run compares",
        names.join(" and ")
    );
    let contenders: String = names.iter().map(|directory| format!(" dir:{directory}")).collect();
    let line = file.line_of("directory").or(file.line_of("filename")).unwrap_or(1);
    Err(file.refuse(line, what, &format!("fsarena compare{contenders} --fio {}", file.name)))
}

/// Where a section works: its directory, or that of its file.
fn folder(section: &JobSection) -> Option<&str> {
    let of_file = || Some(section.value("filename")?.rsplit_once('/')?.0).filter(|folder| folder.starts_with('/'));
    section.value("directory").or_else(of_file)
}

fn do_the_same(some: &[&JobSection], others: &[&JobSection]) -> bool {
    // The first section has nothing to wait for.
    let work = |section: &JobSection| -> BTreeMap<String, Option<String>> {
        let counts =
            |entry: &&JobOption| !["directory", "stonewall", "new_group", "description"].contains(&entry.key.as_str());
        let value = |entry: &JobOption| {
            let value = entry.value.as_ref()?;
            Some(match entry.key.as_str() {
                "filename" => value.rsplit('/').next().unwrap_or_default().to_owned(),
                // Sizes have several spellings.
                _ => size(value).map_or(value.clone(), |size| size.to_string()),
            })
        };
        section.options.iter().filter(counts).map(|entry| (entry.key.clone(), value(entry))).collect()
    };
    some.len() == others.len() && some.iter().zip(others).all(|(one, other)| work(one) == work(other))
}

/// Replaces the paths in `filename` by the plain names of files in the folder that fsarena chooses, and returns a
/// remark on each. Different files keep different names, also if they have one name in two directories. A name that
/// climbs (`..`) stays, and is refused later.
pub fn with_plain_names(file: &mut JobFile) -> Vec<String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let directories: BTreeSet<String> =
        file.sections.iter().filter_map(|section| section.value("directory").map(str::to_owned)).collect();
    for section in &mut file.sections {
        let directory = section.value("directory").filter(|_| directories.len() > 1).map(str::to_owned);
        for entry in section.options.iter_mut().filter(|entry| entry.key == "filename") {
            let Some(value) = entry.value.as_mut().filter(|value| !value.contains("..")) else { continue };
            let within = |path: &str| match &directory {
                Some(directory) if !path.starts_with('/') => format!("{}/{path}", directory.trim_end_matches('/')),
                _ => path.to_owned(),
            };
            let plain: Vec<String> = value.split(':').map(|path| plain(&within(path), &mut names)).collect();
            *value = plain.join(":");
        }
    }
    names.into_iter().map(|(path, name)| format!("`filename={path}` is the file `{name}` in that folder")).collect()
}

/// The last part of a path, or all of it with `-` in place of `/` if another path has that name.
fn plain(path: &str, names: &mut BTreeMap<String, String>) -> String {
    let all = path.trim_matches('/').replace('/', "-");
    if !path.contains('/') || all.is_empty() {
        return path.to_owned();
    }
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path).to_owned();
    let is_taken = names.iter().any(|(other, name)| other != path && *name == last);
    names.entry(path.to_owned()).or_insert(if is_taken { all } else { last }).clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_model::Bytes;

    fn job(text: &str) -> JobFile {
        JobFile::parse("two.fio", text, &|_| None).expect("a job file")
    }

    const TWO: &str =
        "[global]\nsize=10m\nrw=write\n[a]\ndirectory=/gold\nstonewall\n[b]\ndirectory=/bronze\nstonewall\n";

    #[test]
    fn one_name_in_two_directories_is_two_files() {
        let mut file = job("[a]\ndirectory=/a\nfilename=x\n[b]\ndirectory=/b\nfilename=x\nrw=write\n");
        assert_eq!(with_plain_names(&mut file).len(), 2);
        let names: Vec<_> = file.sections.iter().map(|section| section.value("filename")).collect();
        assert_eq!(names, [Some("x"), Some("b-x")]);
        let mut one = job("[a]\ndirectory=/a\nfilename=x\n[b]\ndirectory=/a\nfilename=x\nrw=write\n");
        assert!(with_plain_names(&mut one).is_empty());
    }

    #[test]
    fn sections_that_do_the_same_in_two_directories_are_two_contenders() {
        let place = |directories| JobsPlace { sector: Bytes(4096), directories };
        let error = of_one_contender(job(TWO), &place(Vec::new())).expect_err("they are not compared");
        let FioError::Line { line, what, hint, .. } = error else { panic!("{error}") };
        assert_eq!((line, hint.as_str()), (5, "fsarena compare dir:/gold dir:/bronze --fio two.fio"));
        assert!(what.contains("/gold and /bronze"), "{what}");
        // Of files, too, and however sizes are written.
        let files = TWO.replace("directory=/gold", "filename=/gold/f\nbs=4k");
        let files = job(&files.replace("directory=/bronze", "filename=/bronze/f\nbs=4096"));
        let error = of_one_contender(files, &place(Vec::new())).expect_err("they are not compared");
        assert!(error.to_string().contains("the same in /gold and /bronze"), "{error}");
        let both = place(vec![Path::new("/gold"), Path::new("/bronze")]);
        let kept = of_one_contender(job(TWO), &both).expect("they are compared");
        assert_eq!(kept.sections.iter().map(|section| section.name.as_str()).collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn other_files_with_directories_stay_as_they_are() {
        let nowhere = JobsPlace { sector: Bytes(4096), directories: Vec::new() };
        for text in [
            "[a]\nsize=1m\nrw=read\ndirectory=/x\n[b]\nsize=1m\nrw=write\ndirectory=/y\n",
            "[a]\nsize=1m\nrw=read\ndirectory=/x\n[b]\nsize=1m\nrw=read\n",
            "[global]\ndirectory=/x\n[a]\nsize=1m\n[b]\nsize=2m\n",
        ] {
            assert_eq!(of_one_contender(job(text), &nowhere).expect("it compares nothing"), job(text));
        }
    }

    #[test]
    fn paths_of_files_become_plain_names_and_different_files_stay_different() {
        let mut file = job("[a]\nfilename=/dev/sdb\n[b]\nfilename=/x/data:/y/data:plain\n[c]\nfilename=/dev/sdb\n");
        let remarks = with_plain_names(&mut file);
        let names: Vec<&str> = file.sections.iter().filter_map(|section| section.value("filename")).collect();
        assert_eq!(names, ["sdb", "data:y-data:plain", "sdb"]);
        assert_eq!(remarks[0], "`filename=/dev/sdb` is the file `sdb` in that folder");
        assert_eq!(remarks.len(), 3);
        let mut climbing = job("[a]\nfilename=/x/../../etc/passwd\n");
        assert!(with_plain_names(&mut climbing).is_empty());
    }
}
