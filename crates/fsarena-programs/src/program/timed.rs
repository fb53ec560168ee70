//! The time of a script, measured by the script itself without the start of its shell, as in the scripts of articles.

use std::fs;
use std::path::Path;

use fsarena_model::Nanos;

use super::act::Act;

/// Environment variable that gives the shell the file for its times.
pub const VARIABLE: &str = "FSARENA_TIMES";

pub const FILE: &str = "times";

/// The script between two readings of the clock, if the shell can read it without starting a program (`EPOCHREALTIME`
/// of bash 5). Otherwise the script, or command, alone. The exit status does not change.
pub fn wrapped(shell: &str, act: &Act) -> Act {
    match act {
        Act::Script(script) if shell == "bash" => Act::Script(format!(
            "fsarena_begin=$EPOCHREALTIME\n{script}\nfsarena_status=$?; fsarena_end=$EPOCHREALTIME\n\
             printf '%s %s' \"$fsarena_begin\" \"$fsarena_end\" > \"${VARIABLE}\"\nexit \"$fsarena_status\""
        )),
        _ => act.clone(),
    }
}

/// The time that the last script wrote. The file is removed. `None` if the script wrote none, for example because it
/// calls `exit`.
pub fn inside(folder: &Path) -> Option<Nanos> {
    let path = folder.join(FILE);
    let text = fs::read_to_string(&path).ok()?;
    fs::remove_file(path).ok()?;
    let (begin, end) = text.split_once(' ')?;
    micros(end)?.checked_sub(micros(begin)?).map(|micros| Nanos(micros * 1000))
}

/// Parses `1700000000.123456`, with the decimal point of any locale. Returns microseconds.
fn micros(text: &str) -> Option<u64> {
    let (seconds, fraction) = text.split_once(['.', ','])?;
    (fraction.len() == 6).then_some(())?;
    Some(seconds.parse::<u64>().ok()? * 1_000_000 + fraction.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_once_and_only_if_they_are_whole() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let time = |text: &str| {
            fs::write(folder.path().join(FILE), text).expect("written");
            inside(folder.path())
        };
        assert_eq!(time("1700000000.000001 1700000001.500001"), Some(Nanos::millis(1500)));
        assert_eq!(inside(folder.path()), None, "it is of one script only");
        assert_eq!(time("1700000000,000001 1700000000,000002"), Some(Nanos(1000)));
        for broken in ["", " ", "1.5 2.5", "2.000000 1.000000"] {
            assert_eq!(time(broken), None, "{broken}");
        }
    }
}
