//! The engine `postmark`: many files of a mail or news server are created, read, appended to and removed (PostMark 1.5,
//! Katcher 1997, NetApp's technical report TR3022). PostMark's own clock has whole seconds, so the engine measures the
//! times between its progress messages.

mod output;

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Engine, EngineError, Job, Limit, Need, Operation, RunStats};
use fsarena_model::{Bytes, Nanos, Traits, Workload};
use fsarena_sys::clock;
use serde::Deserialize;

use crate::bench::{Bench, not_said, require_some, word, words};
use crate::parameters::parameters;
use output::Output;

/// The engine `postmark`.
pub struct Postmark;

/// The program's and its package's name.
const NAME: &str = "postmark";

/// PostMark's messages when a phase of its work begins and ends, in this order.
const MARKS: [&str; 6] = ["Creating files", "Done", "Performing transactions", "Done", "Deleting files", "Done"];

/// Parameters of a workload of this engine. Everything else is PostMark's default: seed 42, blocks of 512 bytes,
/// buffered.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Parameters {
    /// Number of transactions. Each makes or removes a file, and reads or appends to one.
    transactions: u64,
    /// Number of files at the beginning.
    files: u64,
    /// Size of the smallest file in bytes.
    smallest: u64,
    /// Size of the largest file in bytes.
    largest: u64,
}

impl Parameters {
    fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters: Self = parameters(workload)?;
        require_some(workload, "transactions", parameters.transactions)?;
        require_some(workload, "files", parameters.files)?;
        require_some(workload, "smallest", parameters.smallest)?;
        match parameters.smallest < parameters.largest {
            true => Ok(parameters),
            false => Err(EngineError::parameters(&workload.name, "`smallest` is less than `largest`")),
        }
    }

    /// The commands that PostMark reads before it begins. It works in its current directory: a `location` of about 80
    /// characters or more overflows its buffers, and it then crashes or counts wrongly.
    fn commands(&self) -> Vec<String> {
        let Self { transactions, files, smallest, largest } = self;
        vec![
            format!("set transactions {transactions}"),
            format!("set size {smallest} {largest}"),
            format!("set number {files}"),
            "run".to_owned(),
            "quit".to_owned(),
        ]
    }
}

impl Engine for Postmark {
    fn name(&self) -> &'static str {
        NAME
    }

    /// Files are made as often as they are removed. Their number varies by about the square root of the number of
    /// transactions. Assumes 0.5 ms per transaction.
    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        let Parameters { transactions, files, largest, .. } = Parameters::of(workload)?;
        Ok(Traits {
            peak: Bytes((files + transactions.isqrt() * 2) * largest),
            extra_time: Nanos(transactions * 500_000),
            program: Some(NAME.to_owned()),
            ..Traits::default()
        })
    }

    fn needs(&self, _workload: &Workload) -> Vec<Need> {
        let silent = Need { version: Need::PACKAGED, ..Need::new(NAME, NAME) };
        vec![silent, Need { version: "", ..Need::new("stdbuf", "coreutils") }]
    }

    fn settings(&self, workload: &Workload) -> Vec<String> {
        let told = Parameters::of(workload).map(|parameters| parameters.commands().join("; "));
        told.map(|told| format!("stdbuf -o0 {NAME}, with the commands: {told}")).into_iter().collect()
    }

    fn open(&self, workload: &Workload, directory: &Path, _seed: u64) -> Result<Box<dyn Job>, EngineError> {
        Ok(Box::new(Mail { parameters: Parameters::of(workload)?, bench: Bench::new(directory)? }))
    }
}

struct Mail {
    parameters: Parameters,
    bench: Bench,
}

impl Job for Mail {
    fn prepare(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        let commands = self.parameters.commands().join("\n");
        fs::write(self.bench.beside("commands"), commands + "\n").map_err(EngineError::io("write PostMark's commands"))
    }

    fn is_alone(&self) -> bool {
        false
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let call = words(["stdbuf", "-o0", NAME, &word(&self.bench.beside("commands"))]);
        let mut marks = Marks::default();
        let ended = self.bench.tool(NAME, call).run_heard(limit.stop, &mut |piece| marks.hear(piece, clock::now()))?;
        let Some(ended) = ended else { return Ok(()) };
        let said = Output::of(&ended.stdout).map_err(|what| not_said(NAME, what))?;
        said.require(&self.parameters).map_err(EngineError::Wrong)?;
        let [creation, transactions, deletion] = marks.parts().ok_or_else(|| not_said(NAME, "Done"))?;
        let transactions = transactions.ok_or_else(|| EngineError::Wrong(UNTIMED.to_owned()))?;
        stats.operations += self.parameters.transactions;
        stats.elapsed = stats.elapsed + transactions;
        stats.record(Operation::Run, transactions);
        // A phase that was not timed has no reading.
        let beside = [("postmark.creation", creation), ("postmark.deletion", deletion)];
        stats.reported.extend(beside.into_iter().filter_map(|(name, took)| Some((name, "s", took?.as_seconds()))));
        stats.reported.extend(said.figures());
        Ok(())
    }
}

/// Why a run has no result.
const UNTIMED: &str = "PostMark's transactions were not timed: their beginning and end were heard in one piece, since they were too few, or \
                       the machine too busy to listen";

/// The times at which the [`MARKS`] came.
#[derive(Debug, Default)]
struct Marks {
    text: String,
    /// Offset in `text` where the last mark that was found ends.
    done: usize,
    /// Number of pieces of output that came.
    pieces: u64,
    /// For each mark, the number of the piece that completed it, and when that piece came.
    times: Vec<(u64, Nanos)>,
}

impl Marks {
    fn hear(&mut self, piece: &[u8], now: Nanos) {
        if self.times.len() == MARKS.len() {
            return;
        }
        self.pieces += 1;
        self.text.push_str(&String::from_utf8_lossy(piece));
        while let Some(mark) = MARKS.get(self.times.len()) {
            let Some(at) = self.text[self.done..].find(mark) else { break };
            self.done += at + mark.len();
            self.times.push((self.pieces, now));
        }
    }

    /// How long creation, transactions and deletion took, each `None` if it began and ended in one piece. `None` if a
    /// mark is missing.
    fn parts(&self) -> Option<[Option<Nanos>; 3]> {
        let times: [(u64, Nanos); 6] = self.times.as_slice().try_into().ok()?;
        let took = |from: usize| {
            let ((first, begin), (last, end)) = (times[from], times[from + 1]);
            (first != last).then(|| end.saturating_sub(begin))
        };
        Some([took(0), took(2), took(4)])
    }
}

/// Parses the output into figures.
#[cfg(test)]
pub(crate) fn understand(text: &str) {
    let mut marks = Marks::default();
    for piece in text.as_bytes().chunks(7) {
        marks.hear(piece, clock::now());
    }
    let _ = (marks.parts(), Output::of(text).map(|said| said.figures().len()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    /// Enough transactions that their end comes in another piece than their beginning, even on a busy machine.
    const TRANSACTIONS: u64 = 30_000;

    fn run(place: &Path) -> Result<RunStats, EngineError> {
        let parameters = Parameters { transactions: TRANSACTIONS, files: 1000, smallest: 500, largest: 10_000 };
        let mut job = Mail { parameters, bench: Bench::new(place)? };
        let (mut stats, stop) = (RunStats::new(), AtomicBool::new(false));
        job.prepare(&fsarena_engine::NEVER)?;
        job.run(&Limit::new(None, &stop), &mut stats).map(|()| stats)
    }

    #[test]
    fn transactions_are_counted_and_timed_by_our_clock() {
        let place = tempfile::tempdir().expect("temporary folder");
        let (one, other) = (run(place.path()).expect("done"), run(place.path()).expect("done"));
        assert_eq!(one.operations, TRANSACTIONS);
        assert_ne!(one.elapsed.0 % 1_000_000_000, 0, "{:?}", one.elapsed);
        let counts = |stats: &RunStats| stats.reported.iter().filter(|said| said.1 != "s").copied().collect::<Vec<_>>();
        assert_eq!(counts(&one), counts(&other), "its choices are always the same");
        assert_eq!(fs::read_dir(place.path()).expect("there").count(), 0);
    }

    #[test]
    fn a_long_path_is_no_trouble() {
        let place = tempfile::tempdir().expect("temporary folder");
        let deep = place.path().join("a".repeat(120)).join("b".repeat(120));
        fs::create_dir_all(&deep).expect("made");
        assert_eq!(run(&deep).expect("done").operations, TRANSACTIONS);
    }

    #[test]
    fn a_place_that_is_not_there_is_a_failure_though_the_program_says_nothing() {
        let place = tempfile::tempdir().expect("temporary folder");
        let bench = Bench::new(place.path()).expect("temporary folder");
        let parameters = Parameters { transactions: 300, files: 50, smallest: 500, largest: 10_000 };
        let mut job = Mail { parameters, bench };
        job.prepare(&fsarena_engine::NEVER).expect("made");
        let commands = fs::read_to_string(job.bench.beside("commands")).expect("there");
        fs::write(job.bench.beside("commands"), format!("set location /no/such/place\n{commands}")).expect("written");
        assert!(job.run(&Limit::new(None, &AtomicBool::new(false)), &mut RunStats::new()).is_err());
    }

    #[test]
    fn marks_may_come_in_pieces_or_together() {
        let mut marks = Marks::default();
        for (now, piece) in
            ["Creating fi", "les...Done\nPerforming transactions", "....D", "one\nDeleting files...Done\n"]
                .into_iter()
                .enumerate()
        {
            assert_eq!(marks.parts(), None);
            marks.hear(piece.as_bytes(), Nanos(10 * now as u64));
        }
        assert_eq!(marks.parts(), Some([None, Some(Nanos(20)), None]), "what comes in one piece is not timed");
    }
}
