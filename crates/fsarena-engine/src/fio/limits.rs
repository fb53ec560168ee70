//! What a job file must not do, and the space that it fills: fsarena runs as root, and a job works in a folder on a
//! lane, nowhere else.

use std::collections::BTreeMap;

use fsarena_model::{Bytes, distinct};

use super::FioError;
use super::file::{self, JobFile, JobOption, JobSection};

/// I/O engines that work on the files of a folder and do nothing else.
const ENGINES: &str = "sync, psync, vsync, pvsync, pvsync2, libaio, posixaio, io_uring, mmap, splice, ftruncate, \
                       falloc, filecreate, filestat, filedelete";

/// Options that reach beyond the folder, or whose space cannot be determined beforehand, with the reason.
const REFUSED: &[(&str, &str)] = &[
    ("exec_prerun", "runs a command as root"),
    ("exec_postrun", "runs a command as root"),
    ("ioengine_so_path", "loads foreign code"),
    ("ioscheduler", "changes a disk of this machine"),
    ("allow_mounted_write", "writes to disks that are mounted"),
    ("opendir", "works on files that are already there"),
    ("read_iolog", "names files of its own"),
    ("merge_blktrace_file", "names files of its own"),
    ("replay_redirect", "names a file of its own"),
    ("cgroup", "changes this machine's control groups"),
    ("cgroup_weight", "changes this machine's control groups"),
    ("cgroup_nodelete", "changes this machine's control groups"),
    ("fill_device", "fills the lane"),
    ("fill_fs", "fills the lane"),
    ("file_append", "lets a file grow without a bound"),
    ("kb_base", "gives sizes another meaning"),
    ("profile", "brings options of its own"),
    ("create_only", "does no work"),
    ("uid", "takes away the right to open the files"),
];

/// Words that make fio pass the option to a shell, which calculates it with bc(1) (init.c, `bc_calc`).
const CALCULATED: &[&str] = &["$pagesize", "$mb_memory", "$ncpus"];

/// Options whose value may begin with `-` and a digit. fio takes other negative numbers, too, for very large ones.
const WITH_A_SIGN: &[&str] = &["nice", "randseed", "buffer_pattern", "verify_pattern", "filename", "description"];

/// Options in whose values a `/` is not part of a path.
const WITH_A_SLASH: &[&str] = &["bssplit", "random_distribution", "description", "cmdprio_bssplit", "directory"];

/// Refuses a job file that does something forbidden.
///
/// # Errors
/// [`FioError::Line`] for each such option; one of `[global]` counts once.
pub fn check(file: &JobFile) -> Result<(), FioError> {
    let of_section = |(place, section): (usize, &JobSection)| {
        let is_before = |name: &str| file.sections[..place].iter().any(|other| other.name == name);
        let waits = section.entry("wait_for").filter(|it| !it.value.as_deref().is_some_and(is_before));
        let waits = waits.map(|it| (it.line, "`wait_for` names no section before its own".to_owned(), "leave it out"));
        let title = bad_title(section).map(|what| (section.line, what, "a name without `/`, `$` and `..`"));
        let options = section.options.iter().filter_map(|it| mismatch(it).map(|(what, hint)| (it.line, what, hint)));
        title.into_iter().chain(waits).chain(options).collect::<Vec<_>>()
    };
    let found = distinct(file.sections.iter().enumerate().flat_map(of_section));
    FioError::all(found.into_iter().map(|(line, what, hint)| file.refuse(line, what, hint)).collect())
}

/// Refuses a section name that would become a path: files have the names of their sections.
fn bad_title(section: &JobSection) -> Option<String> {
    let bad = section.name.contains(['/', '$', '\\']) || section.name.contains("..");
    bad.then(|| format!("the section `{}` would give its files a path", section.name))
}

fn mismatch(entry: &JobOption) -> Option<(String, &'static str)> {
    let JobOption { key, value, .. } = entry;
    if let Some((_, why)) = REFUSED.iter().find(|(name, _)| name == key) {
        return Some((format!("`{key}` is refused: it {why}"), "leave it out"));
    }
    let value = value.as_deref().unwrap_or_default();
    if key == "ioengine" && !ENGINES.split(", ").any(|engine| engine == value) {
        let what = format!("`ioengine={value}` is refused: it is none that works on files of a folder alone");
        return Some((what, ENGINES));
    }
    let is_negative = value.strip_prefix('-').is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()));
    if is_negative && !WITH_A_SIGN.contains(&key.as_str()) {
        return Some((format!("`{key}={value}` is negative"), "a positive number, or leave it out"));
    }
    let is_none = value.chars().all(|digit| digit == '0') && !value.is_empty();
    if is_none && ["numjobs", "allow_file_create"].contains(&key.as_str()) {
        return Some((format!("`{key}={value}`: fio then does nothing, or fails"), "leave it out"));
    }
    if let Some(word) = CALCULATED.iter().find(|word| value.contains(**word)) {
        return Some((format!("`{key}={value}` is refused: fio asks a shell what `{word}` is"), "write the number"));
    }
    let is_path = value.contains('/') && !WITH_A_SLASH.contains(&key.as_str());
    let climbs = key != "directory" && (value.contains("..") || (key == "filename" && value == "-"));
    (is_path || climbs).then(|| {
        let what =
            format!("`{key}={value}` is refused: it names a place, and a job works in a folder on the lane alone");
        (what, "leave it out, or give a plain name: fsarena chooses the folder")
    })
}

/// Maximum bytes in the folder at a time: all files that any section makes.
pub fn demand(file: &JobFile) -> Result<Bytes, FioError> {
    let mut shared: BTreeMap<&str, u64> = BTreeMap::new();
    let mut total = 0u64;
    for section in &file.sections {
        let each = of_one(file, section)?;
        match section.value("filename") {
            Some(name) => {
                let known = shared.entry(name).or_default();
                *known = each.max(*known);
            }
            None => total = total.saturating_add(each.saturating_mul(jobs(file, section)?)),
        }
    }
    Ok(Bytes(shared.into_values().fold(total, u64::saturating_add)))
}

fn jobs(file: &JobFile, section: &JobSection) -> Result<u64, FioError> {
    Ok(known(file, section, "numjobs", file::size)?.unwrap_or(1))
}

fn of_one(file: &JobFile, section: &JobSection) -> Result<u64, FioError> {
    let size = known(file, section, "size", file::size)?;
    let file_size = known(file, section, "filesize", |text| file::sizes(text).flatten().max())?;
    let offset = known(file, section, "offset", file::size)?.unwrap_or(0);
    let step = known(file, section, "offset_increment", file::size)?.unwrap_or(0);
    let named = section.value("filename").map_or(1, |names| names.split(':').count() as u64);
    if let Some((size, block)) = size.zip(smallest_block(section)).filter(|(size, block)| size < block) {
        let what =
            format!("section `{}` has a size of {size} bytes and blocks of {block}, so it has none", section.name);
        return Err(file.refuse(section.line, what, "a size of at least a block"));
    }
    let files = known(file, section, "nrfiles", file::size)?.unwrap_or(1).max(named);
    let largest = size.max(file_size.map(|each| each.saturating_mul(files)));
    let largest = largest.ok_or_else(|| {
        let what = format!("section `{}` does not say how large its files are", section.name);
        file.refuse(section.line, what, "size=1G")
    })?;
    Ok(largest.saturating_add(offset).saturating_add(step.saturating_mul(jobs(file, section)?)))
}

/// The smallest block, if the section names one.
fn smallest_block(section: &JobSection) -> Option<u64> {
    ["bs", "bsrange"].into_iter().filter_map(|key| section.value(key)).flat_map(file::sizes).flatten().min()
}

fn known(
    file: &JobFile,
    section: &JobSection,
    key: &str,
    read: fn(&str) -> Option<u64>,
) -> Result<Option<u64>, FioError> {
    let Some(entry) = section.entry(key) else { return Ok(None) };
    match entry.value.as_deref().and_then(read) {
        Some(size) => Ok(Some(size)),
        // `check` refuses it.
        None if entry.value.as_deref().is_some_and(|value| CALCULATED.iter().any(|word| value.contains(word))) => {
            Ok(None)
        }
        None => {
            let text = entry.value.as_deref().unwrap_or_default();
            let what = format!("`{key}={text}`: its size on a lane cannot be determined");
            let example = if ["numjobs", "nrfiles"].contains(&key) { "4" } else { "512M" };
            Err(file.refuse(entry.line, what, &format!("{key}={example}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(lines: &str) -> Option<String> {
        let text = format!("[x]\nrw=read\nsize=1m\n{lines}\n");
        let file = JobFile::parse("job.fio", &text, &|_| None).expect("a job file");
        check(&file).err().map(|error| error.to_string())
    }

    #[test]
    fn whatever_reaches_beyond_the_folder_is_refused_with_its_line() {
        for lines in [
            "filename=/dev/sda",
            "filename=../x",
            "filename = a:/etc/passwd",
            "exec_prerun=rm -rf x",
            "exec_postrun=true",
            "ioengine=exec",
            "ioengine=external:./x.so",
            "ioengine=null",
            "ioscheduler=noop",
            "allow_mounted_write",
            "write_bw_log=/etc/cron.d/x",
            "write_iolog=../../x",
            "filename_format=/tmp/$jobnum",
            "mem=mmaphuge:/dev/hugepages/x",
            "read_iolog=log",
            "numjobs=$ncpus'|touch x'",
            "fill_device=1",
            "runtime=-5",
            "loops=-1",
            "rate=-1m",
            "uid=65534",
        ] {
            let words = words(lines).unwrap_or_else(|| panic!("{lines} has to be refused"));
            assert!(
                words.contains("line 4") && words.contains(lines.split(['=', ' ']).next().unwrap_or("")),
                "{words}"
            );
        }
    }

    #[test]
    fn slashes_that_are_no_paths_are_allowed() {
        for lines in
            ["bssplit=4k/50:8k/50", "directory=/mnt/x", "filename=data", "write_bw_log=log", "bsrange=4k-8k", "nice=-5"]
        {
            assert_eq!(words(lines), None, "{lines}");
        }
    }

    #[test]
    fn a_section_cannot_be_a_path() {
        let file = JobFile::parse("job.fio", "[../x]\nrw=read\nsize=1m\n", &|_| None).expect("a job file");
        assert!(check(&file).is_err());
    }

    fn of(text: &str) -> Result<u64, String> {
        let file = JobFile::parse("job.fio", text, &|_| None).expect("a job file");
        demand(&file).map(|bytes| bytes.0 >> 20).map_err(|error| error.to_string())
    }

    #[test]
    fn every_file_of_every_job_counts_once() {
        assert_eq!(of("[a]\nsize=8m\nnumjobs=4\n[b]\nfilesize=2m\nnrfiles=3\n"), Ok(38));
        assert_eq!(of("[global]\nfilename=x\n[a]\nsize=8m\nnumjobs=4\n[b]\nsize=16m\n"), Ok(16));
        assert_eq!(of("[a]\nsize=8m\noffset=4m\n"), Ok(12));
        assert_eq!(of("[a]\nfilesize=1m-4m\nnrfiles=2\nsize=2m\n"), Ok(8));
    }

    #[test]
    fn a_job_that_is_smaller_than_a_block_is_refused() {
        for lines in ["size=64m\nbs=1g", "size=4k\nbs=64k", "bs=4k,64k\nsize=1k", "size=4k\nbsrange=8k-16k"] {
            assert!(of(&format!("[a]\n{lines}\n")).is_err_and(|words| words.contains("so it has none")), "{lines}");
        }
        assert_eq!(of("[a]\nsize=1m\nbs=1m\n[b]\nsize=1m\nbs=2m,64k\n"), Ok(2));
    }

    #[test]
    fn a_job_without_a_bound_is_refused_with_its_line() {
        assert!(of("[a]\nrw=read\n").is_err_and(|words| words.contains("line 1") && words.contains("`a`")));
        assert!(of("[a]\nsize=80%\n").is_err_and(|words| words.contains("line 2") && words.contains("size=80%")));
    }
}
