//! Refuses what a job file must not do: fsarena runs as root, and a job works in a folder on a lane, nowhere else.

use super::FioError;
use super::file::{Entry, JobFile, Section};

/// I/O engines that work on the files of a folder and do nothing else.
const ENGINES: &[&str] = &[
    "sync",
    "psync",
    "vsync",
    "pvsync",
    "pvsync2",
    "libaio",
    "posixaio",
    "io_uring",
    "mmap",
    "splice",
    "ftruncate",
    "falloc",
    "filecreate",
    "filestat",
    "filedelete",
];

/// Options that reach beyond the folder, or whose space cannot be determined beforehand, with the reason.
const OPTIONS: &[(&str, &str)] = &[
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
];

/// Words that make fio pass the option to a shell, which calculates it with bc(1) (init.c, `bc_calc`).
const CALCULATED: &[&str] = &["$pagesize", "$mb_memory", "$ncpus"];

/// Options in whose values a `/` is not part of a path.
const WITH_A_SLASH: &[&str] = &["bssplit", "random_distribution", "description", "cmdprio_bssplit", "directory"];

/// Refuses a job file that does something forbidden.
///
/// # Errors
/// [`FioError::Line`] with the option.
pub fn check(file: &JobFile) -> Result<(), FioError> {
    for section in &file.sections {
        if let Some(what) = bad_title(section) {
            return Err(file.refuse(section.line, what, "a name without `/`, `$` and `..`"));
        }
        for entry in &section.options {
            if let Some((what, hint)) = mismatch(entry) {
                return Err(file.refuse(entry.line, what, hint));
            }
        }
    }
    Ok(())
}

/// Refuses a section name that would become a path: files have the names of their sections.
fn bad_title(section: &Section) -> Option<String> {
    let bad = section.name.contains(['/', '$', '\\']) || section.name.contains("..");
    bad.then(|| format!("the section `{}` would give its files a path", section.name))
}

fn mismatch(entry: &Entry) -> Option<(String, &'static str)> {
    let Entry { key, value, .. } = entry;
    if let Some((_, why)) = OPTIONS.iter().find(|(name, _)| name == key) {
        return Some((format!("`{key}` is refused: it {why}"), "leave it out"));
    }
    let value = value.as_deref().unwrap_or_default();
    if key == "ioengine" && !ENGINES.contains(&value) {
        let hint = "sync, psync, vsync, pvsync, pvsync2, libaio, posixaio, io_uring, mmap, splice, ftruncate, falloc, \
                    filecreate, filestat, filedelete";
        return Some((
            format!("`ioengine={value}` is refused: it is none that works on files of a folder alone"),
            hint,
        ));
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
        for lines in ["bssplit=4k/50:8k/50", "directory=/mnt/x", "filename=data", "write_bw_log=log", "bsrange=4k-8k"] {
            assert_eq!(words(lines), None, "{lines}");
        }
    }

    #[test]
    fn a_section_cannot_be_a_path() {
        let file = JobFile::parse("job.fio", "[../x]\nrw=read\nsize=1m\n", &|_| None).expect("a job file");
        assert!(check(&file).is_err());
    }
}
