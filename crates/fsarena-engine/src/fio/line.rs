//! fio's command line, as a job file (fio(1)): `--name` begins a job, and options before the first one are global.

use super::FioError;
use super::file::refusal;

/// Options of the command that do not change the work: most are about what fio prints, and where.
const LEFT_OUT: [&str; 16] = [
    "alloc-size", "append-terse", "bandwidth-log", "eta", "eta-interval", "eta-newline", "idle-prof", "max-jobs",
    "minimal", "output", "output-format", "readonly", "status-interval", "terse-version", "version", "warnings-fatal",
];

/// Other options of the command.
const OF_COMMAND: [&str; 19] = [
    "aux-path", "client", "cmdhelp", "cpuclock-test", "crctest", "daemonize", "debug", "enghelp", "help",
    "inflate-log", "merge-blktrace-only", "parse-only", "remote-config", "section", "server", "showcmd", "trigger",
    "trigger-file", "trigger-timeout",
];

/// The words after `fio` as the text of a job file, an option in each line.
///
/// # Errors
/// [`FioError::Line`] for a word that is no option of a job.
pub fn as_job_file(words: &[String]) -> Result<String, FioError> {
    let mut words = words.iter().peekable();
    let (mut globals, mut jobs) = (Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        let refuse = |what: &str, hint: &str| refusal("fio …", 1, format!("`{word}` {what}"), hint);
        // fio takes one hyphen for two (getopt_long_only(3)).
        let option = word.strip_prefix("--").or_else(|| word.strip_prefix('-'));
        let option = option.ok_or_else(|| match is_of_shell(word) {
            true => refuse("is for a shell, and none runs this", "leave it out, and what comes after it"),
            false => refuse("is no option", "a job file is --fio FILE"),
        })?;
        let (key, value) = match option.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (option, words.next_if(|next| !is_option(next) && !is_of_shell(next)).map(String::as_str)),
        };
        if value.is_some_and(|value| value.contains([';', '#', '\n'])) {
            return Err(refuse("has a sign in it that ends a value", "leave out ; and #"));
        }
        match (key, value) {
            ("name", Some(name)) => jobs.push(format!("[{name}]")),
            _ if OF_COMMAND.contains(&key) => {
                return Err(refuse("is an option of fio, and not of a job", "leave it out"));
            }
            _ if LEFT_OUT.contains(&key) => {}
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

/// A hyphen and a digit are a number.
fn is_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_ascii_digit()))
}

/// Whether it begins a redirection or another command.
fn is_of_shell(word: &str) -> bool {
    word.trim_start_matches(['1', '2']).starts_with(['|', '>', '<', '&', ';'])
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
        assert_eq!(text("-name=t -rw read -nice -5").expect("one hyphen is enough"), "[t]\nrw=read\nnice=-5");
        assert_eq!(text("--name=t --readonly --alloc-size=9 --rw=read").expect("a job"), "[t]\nrw=read");
    }

    #[test]
    fn what_is_no_job_is_refused() {
        for line in ["job.fio", "--name=t --client=host", "--name=a;b", "--showcmd --name=t", "--name=t -debug=all"] {
            text(line).expect_err(line);
        }
        for line in ["--name=t --minimal | tee x", "--name=t > x", "--name=t --rw=read 2>&1", "--name=t && date"] {
            assert!(text(line).expect_err(line).to_string().contains("is for a shell"), "{line}");
        }
    }
}
