//! The space that a job file fills on a lane.

use std::collections::BTreeMap;

use fsarena_model::Bytes;

use super::file::{JobFile, Section};
use super::{FioError, value};

/// Maximum bytes in the folder at a time: all files that any section makes.
///
/// # Errors
/// [`FioError::Line`] if it cannot be determined.
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

/// Number of jobs of a section.
fn jobs(file: &JobFile, section: &Section) -> Result<u64, FioError> {
    Ok(known(file, section, "numjobs", value::size)?.unwrap_or(1))
}

/// Bytes of the files of one job.
fn of_one(file: &JobFile, section: &Section) -> Result<u64, FioError> {
    let size = known(file, section, "size", value::size)?;
    let file_size = known(file, section, "filesize", |text| {
        value::size(text).or_else(|| value::range(text).map(|(_, largest)| largest))
    })?;
    let offset = known(file, section, "offset", value::size)?.unwrap_or(0);
    let step = known(file, section, "offset_increment", value::size)?.unwrap_or(0);
    let named = section.value("filename").map_or(1, |names| names.split(':').count() as u64);
    let files = known(file, section, "nrfiles", value::size)?.unwrap_or(1).max(named);
    let largest = size.max(file_size.map(|each| each.saturating_mul(files)));
    let largest = largest.ok_or_else(|| {
        let what = format!("section `{}` does not say how large its files are", section.name);
        file.refuse(section.line, what, "size=1G")
    })?;
    Ok(largest.saturating_add(offset).saturating_add(step.saturating_mul(jobs(file, section)?)))
}

fn known(file: &JobFile, section: &Section, key: &str, read: fn(&str) -> Option<u64>) -> Result<Option<u64>, FioError> {
    let Some(entry) = section.entry(key) else { return Ok(None) };
    match entry.value.as_deref().and_then(read) {
        Some(size) => Ok(Some(size)),
        None => {
            let text = entry.value.as_deref().unwrap_or_default();
            let what = format!("`{key}={text}`: its size on a lane cannot be determined");
            Err(file.refuse(entry.line, what, &format!("{key}=512M")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn what_cannot_be_told_is_refused() {
        assert!(of("[a]\nrw=read\n").is_err_and(|words| words.contains("line 1") && words.contains("`a`")));
        assert!(of("[a]\nsize=80%\n").is_err_and(|words| words.contains("line 2") && words.contains("size=80%")));
    }
}
