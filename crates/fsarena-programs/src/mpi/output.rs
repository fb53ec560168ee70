//! What MPI programs print, checked. Times are those of processes, each by its own clock.

use std::str::FromStr;

use fsarena_model::Nanos;

use super::{MpiProgram, SOURCE};

/// What the processes of a run did, as they print it.
#[derive(Debug, Clone, PartialEq)]
pub struct MpiOutput {
    /// Bytes or files that all processes worked on.
    pub amount: f64,
    /// Seconds of the slowest process.
    pub seconds: f64,
}

/// What a process did: its seconds, and bytes or files per second.
pub struct MpiProcess {
    pub seconds: f64,
    pub rate: f64,
}

impl MpiProcess {
    pub fn amount(&self) -> f64 {
        self.seconds * self.rate
    }
}

/// Largest relative difference from the amount that was asked for: the programs print eleven digits.
const DIGITS: f64 = 1e-8;

impl MpiOutput {
    /// The time of the run, checked: it did the `wanted` amount of `unit`, and took no longer than the time `around`
    /// it, which is not so if a clock was set.
    pub fn elapsed(&self, wanted: u64, unit: &str, around: Nanos) -> Result<Nanos, String> {
        let (seconds, around) = (self.seconds, around.as_seconds());
        if !(seconds > 0.0 && seconds <= around) {
            return Err(format!("it worked for {seconds} s within {around:.3} s: the time of day was set"));
        }
        match (self.amount / wanted as f64 - 1.0).abs() > DIGITS {
            true => Err(format!("it finished {:.0} of {wanted} {unit}", self.amount)),
            false => Ok(Nanos((seconds * 1e9).round() as u64)),
        }
    }
}

/// Reads the output of a run in which `processes` did `operation`.
///
/// # Errors
/// In words, if something is missing, or is not what it must be, or after a warning.
pub fn read<P: MpiProgram>(text: &str, operation: P::Operation, processes: u64) -> Result<MpiOutput, String> {
    warning(text).map_or(Ok(()), |warning| Err(format!("it warns: {warning}")))?;
    P::read(text, operation, processes)
}

/// The lines of one program's table of its processes, checked: each process has one line.
///
/// # Errors
/// In words: the program has not written the table, or not all processes belong to one program.
pub fn complete<Row>(rows: Vec<(u64, Row)>, processes: u64) -> Result<Vec<Row>, String> {
    let numbers: Vec<u64> = rows.iter().map(|(number, _)| *number).collect();
    if numbers.is_empty() {
        return Err(format!("it wrote no times of its processes: version 4.0 or later is needed ({SOURCE})"));
    }
    if numbers.len() as u64 == processes && numbers.iter().all(|number| *number == 0) && processes > 1 {
        return Err(format!(
            "{processes} programs of one process each were started, not one of {processes}: its MPI does not \
             understand the launcher (with srun, SLURM_MPI_TYPE=pmix may help)"
        ));
    }
    if !numbers.iter().copied().eq(0..processes) {
        return Err(format!("it wrote the times of processes {numbers:?}; {processes} were started"));
    }
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

pub fn field<T: FromStr>(fields: &[&str], position: usize) -> Option<T> {
    fields.get(position)?.trim().parse().ok()
}

/// A warning after which the figures are not those of the work.
fn warning(text: &str) -> Option<&str> {
    // The file of the last slice is removed before the timer starts; the sizes are checked by the bytes moved.
    const HARMLESS: [&str; 4] = ["exists already", "file size", "bytes moved", "deadlineForStonewalling"];
    // mdtest ends with 0 after data that differ, and reports them as an error.
    let after = |prefix: &'static str| text.lines().filter_map(move |line| line.trim().strip_prefix(prefix));
    let warnings = after("WARNING: ").chain(after("ERROR: "));
    warnings.into_iter().find(|line| !HARMLESS.iter().any(|harmless| line.contains(harmless)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_process_has_one_line() {
        let rows = |numbers: &[u64]| numbers.iter().map(|number| (*number, ())).collect::<Vec<_>>();
        assert_eq!(complete(rows(&[0, 1, 2]), 3).map(|rows| rows.len()), Ok(3));
        let cases: [(&[u64], &str); 4] =
            [(&[], "4.0 or later"), (&[0, 0, 0], "SLURM_MPI_TYPE"), (&[0, 1], "[0, 1]"), (&[0, 1, 1], "3 were")];
        for (numbers, why) in cases {
            let error = complete(rows(numbers), 3).expect_err("refused");
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn warnings_about_the_last_slice_are_harmless() {
        assert_eq!(warning("WARNING: The file \"data\" exists already and will be deleted\n"), None);
        let text = "x\n  WARNING: unable to stat file files/a\n";
        assert_eq!(warning(text), Some("unable to stat file files/a"));
        let text = "SUMMARY\n\nERROR: verifying the data on read (7 errors)! Take the performance values with care!\n";
        assert!(warning(text).is_some_and(|warning| warning.contains("(7 errors)")));
    }

    #[test]
    fn no_process_works_longer_than_the_program_runs() {
        let elapsed = |seconds| MpiOutput { amount: 1.0, seconds }.elapsed(1, "files", Nanos::seconds(1));
        assert_eq!(elapsed(0.5), Ok(Nanos::millis(500)));
        for seconds in [0.0, -1.0, 1_751_892_628.0, f64::NAN] {
            assert!(elapsed(seconds).is_err(), "{seconds}");
        }
    }
}
