//! fio's command line, as a job file (fio(1)): `--name` begins a job, and options before the first one are global.

use super::FioError;

/// Options that only change how fio prints its results, and where.
const PRINTING: [&str; 12] = [
    "append-terse", "bandwidth-log", "eta", "eta-interval", "eta-newline", "max-jobs", "minimal", "output",
    "output-format", "status-interval", "terse-version", "version",
];

/// The words after `fio` as the text of a job file, an option in each line.
///
/// # Errors
/// [`FioError::Line`] for a word that is no option of a job.
pub fn as_job_file(words: &[String]) -> Result<String, FioError> {
    let mut words = words.iter().peekable();
    let (mut globals, mut jobs) = (Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        let refuse = |what: &str, hint: &str| FioError::Line {
            file: "fio …".to_owned(),
            line: 1,
            what: format!("`{word}` {what}"),
            hint: hint.to_owned(),
        };
        let option = word.strip_prefix("--").ok_or_else(|| refuse("is no option", "a job file is --fio FILE"))?;
        let (key, value) = match option.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (option, words.next_if(|next| !next.starts_with("--")).map(String::as_str)),
        };
        if value.is_some_and(|value| value.contains([';', '#', '\n'])) {
            return Err(refuse("has a sign in it that ends a value", "leave out ; and #"));
        }
        match (key, value) {
            ("name", Some(name)) => jobs.push(format!("[{name}]")),
            ("client" | "server" | "section" | "cmdhelp" | "enghelp" | "showcmd" | "crctest", _) => {
                return Err(refuse("is no option of a job", "leave it out"));
            }
            _ if PRINTING.contains(&key) => {}
            (key, value) => {
                let line = value.map_or_else(|| key.to_owned(), |value| format!("{key}={value}"));
                if jobs.is_empty() { globals.push(line) } else { jobs.push(line) }
            }
        }
    }
    if !globals.is_empty() {
        globals.insert(0, "[global]".to_owned());
    }
    Ok([globals, jobs].concat().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &str) -> Result<String, FioError> {
        as_job_file(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_before_the_first_job_are_for_all_and_those_that_print_for_none() {
        let line = "--ioengine=psync --size 64m --name=a --rw=randread --bs=4k --time_based --output-format=json \
                    --name=b --stonewall --rw=write --minimal";
        let job = "[global]\nioengine=psync\nsize=64m\n[a]\nrw=randread\nbs=4k\ntime_based\n[b]\nstonewall\nrw=write";
        assert_eq!(text(line).expect("it has two jobs"), job);
        assert_eq!(text("--name=t --rw=read").expect("one job"), "[t]\nrw=read");
    }

    #[test]
    fn what_is_no_job_is_refused() {
        for line in ["job.fio", "--name=t --client=host", "--name=a;b", "--showcmd --name=t"] {
            text(line).expect_err(line);
        }
    }
}
