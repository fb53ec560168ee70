//! Reads mdtest's output: its table of processes, whose columns have names. Its line `all` has the time of the slowest
//! process by its own clock, with the sync after the operation, and the lines of the processes have their files. The
//! summary is only compared with them: its best rate was that of the fastest process, not of an iteration (hpc/ior
//! #183,
//! #300, until 3.3), and for some time that of the next operation (#381).

use fsarena_model::Nanos;

use crate::mpi;

/// What the processes of a run did.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Files of all processes.
    files: u64,
    /// Seconds of the slowest process, with the sync.
    seconds: f64,
    /// The same, checked.
    pub elapsed: Nanos,
    /// Files per second in the summary.
    printed: f64,
}

/// What a process did: files per second, and seconds without the sync.
#[derive(Debug, Clone, Copy)]
struct Process {
    rate: f64,
    seconds: f64,
}

impl Output {
    /// Reads the output of a run in which `processes` did `phase`, mdtest's name for it.
    ///
    /// # Errors
    /// In words, if something is missing, or is not what it must be.
    pub fn of(text: &str, phase: &str, processes: u64) -> Result<Self, String> {
        mpi::require_no_warning(text)?;
        let column = text.lines().find_map(|line| column(line, phase));
        let lines = move || text.lines().filter_map(move |line| row(line.trim(), column?));
        let all = lines().find(|(name, _)| *name == "all").map(|(_, all)| all);
        let numbered = lines().filter_map(|(name, process)| Some((name.parse().ok()?, process)));
        let rows = mpi::complete(numbered.collect(), processes)?;
        let all = all.ok_or_else(|| format!("it wrote no time of `{phase}`"))?;
        let files = rows.iter().map(|process| (process.rate * process.seconds).round() as u64).sum();
        let slowest = rows.iter().map(|process| process.seconds).fold(0.0, f64::max);
        // Times of the table have eleven digits.
        if all.seconds < slowest * (1.0 - 1e-9) {
            return Err(format!("its slowest process took {slowest} s, and all of them {} s", all.seconds));
        }
        let printed =
            text.lines().find_map(|line| line.trim().strip_prefix(phase)?.split_whitespace().next()?.parse().ok());
        let printed = printed.ok_or_else(|| format!("its summary has no `{phase}`"))?;
        Ok(Self { files, seconds: all.seconds, elapsed: Nanos(0), printed })
    }

    /// Checks that the run worked on `wanted` files, and took no longer than the time `around` it.
    ///
    /// # Errors
    /// In words, if it did not.
    pub fn done(self, wanted: u64, around: Nanos) -> Result<Self, String> {
        let elapsed = mpi::possible(self.seconds, around)?;
        match self.files == wanted {
            true => Ok(Self { elapsed, ..self }),
            false => Err(format!("it worked on {} files of {wanted}", self.files)),
        }
    }

    /// The files per second that it prints, if they are not those of its processes.
    pub fn other_figure(&self) -> Option<f64> {
        Some(self.printed).filter(|printed| mpi::differs(*printed, self.files as f64 / self.seconds))
    }
}

/// The position of the rates of `phase` in the table whose first line this is; their times follow.
fn column(line: &str, phase: &str) -> Option<usize> {
    let names = line.trim().strip_prefix("rank,items,")?;
    let rate = names.split(',').position(|name| name.strip_prefix("rate-") == Some(phase))?;
    Some(rate + 2)
}

/// The name of a line of the table, and what it says in the column.
fn row(line: &str, column: usize) -> Option<(&str, Process)> {
    let fields: Vec<&str> = line.split(',').collect();
    let process = Process { rate: mpi::field(&fields, column)?, seconds: mpi::field(&fields, column + 1)? };
    Some((fields[0], process))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Nanos = Nanos::seconds(60);
    const CREATE: &str = "File creation";

    #[test]
    fn the_sync_is_in_the_time_and_files_are_counted() {
        let output = Output::of(include_str!("create.txt"), CREATE, 2).expect("two processes");
        let output = output.done(400, MINUTE).expect("all of them");
        assert_eq!((output.elapsed, output.other_figure()), (Nanos(61_250_925), None));
        let error = output.done(500, MINUTE).expect_err("too few");
        assert_eq!(error, "it worked on 400 files of 500");
    }

    /// mdtest 3.2.1 (#183): 40,334 creations per second in the only iteration, 54,790 in the summary.
    /// mdtest 3.3.0 (#300): the summary's best stat, 761,024, is in no iteration.
    #[test]
    fn summaries_that_were_wrong_are_never_taken() {
        for (text, processes) in [(include_str!("summary-3.2.1.txt"), 4), (include_str!("summary-3.3.0.txt"), 4)] {
            let error = Output::of(text, CREATE, processes).expect_err("it has no times of processes");
            assert!(error.contains("version 4.0 or later"), "{error}");
        }
        let text = include_str!("create.txt").replace("6530.514 ", "9999.000 ");
        let output = Output::of(&text, CREATE, 2).expect("two processes").done(400, MINUTE).expect("all of them");
        assert_eq!((output.elapsed, output.other_figure()), (Nanos(61_250_925), Some(9999.0)));
    }

    #[test]
    fn columns_are_found_by_their_names() {
        let text = include_str!("create.txt");
        let error = Output::of(text, "File stat", 2).expect_err("nothing was looked at");
        assert!(error.contains("no times of its processes"), "{error}");
        let text = text.replace("rate-File creation", "rate-File making");
        assert!(Output::of(&text, CREATE, 2).is_err());
    }

    #[test]
    fn files_that_are_missing_are_an_error() {
        let text = format!("WARNING: unable to stat file files/a\n{}", include_str!("create.txt"));
        assert!(Output::of(&text, CREATE, 2).expect_err("missing").contains("unable to stat file"));
    }

    #[test]
    fn all_cannot_be_faster_than_the_slowest() {
        let text = include_str!("create.txt").replace("6.1250925064e-02", "4.1250925064e-02");
        assert!(Output::of(&text, CREATE, 2).expect_err("impossible").contains("slowest process"));
    }
}
