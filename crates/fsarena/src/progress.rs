//! Progress on stderr. On a terminal, a line shows the current work, the number of decided pairs and the remaining
//! time. Each pair is reported when it is decided. Without a terminal, a line is printed after each round, or each
//! contender of `durability`.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::time::Duration;

use fsarena_analyse::busy_before;
use fsarena_model::{Event, Nanos, NoiseBounds};
use fsarena_place::note::tell;
use fsarena_report::visible;
use indicatif::ProgressBar;

use crate::cli::Global;

pub struct Progress {
    bar: ProgressBar,
    /// Whether to print neither the progress line nor decided pairs.
    quiet: bool,
    verbose: bool,
    round: u32,
    expected: u32,
    round_length: Option<f64>,
    workloads: usize,
    done: usize,
    decided: String,
    /// Failures that were shown.
    failures: BTreeSet<String>,
}

impl Progress {
    /// Progress in the form that the options select.
    pub fn new(global: &Global) -> Self {
        let visible = std::io::stderr().is_terminal() && !global.no_progress;
        let bar = if visible { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        bar.enable_steady_tick(Duration::from_millis(250));
        Self {
            bar,
            quiet: global.no_progress,
            verbose: global.verbose > 0,
            round: 0,
            expected: 0,
            round_length: None,
            workloads: 0,
            done: 0,
            decided: String::new(),
            failures: BTreeSet::new(),
        }
    }

    /// Shows a step of the preparation.
    pub fn prepare(&self, what: &str) {
        self.bar.set_message(visible(what).into_owned());
        self.log(what);
    }

    /// Prints what is done, where no line shows what is going on.
    pub fn done(&self, what: &str) {
        if self.verbose || (!self.quiet && self.bar.is_hidden()) {
            self.say(what);
        }
    }

    pub fn show(&mut self, event: &Event) {
        match event {
            Event::Preparing(what) => self.prepare(what),
            Event::RoundStarted { round, expected, workloads } => {
                (self.round, self.expected) = (*round, *expected);
                (self.workloads, self.done) = (workloads.len(), 0);
            }
            Event::WorkloadStarted { workload, .. } => {
                self.bar.set_message(visible(&self.line(workload)).into_owned());
                self.done += 1;
                self.log(&format!("round {}: {workload}", self.round));
            }
            Event::Trial(trial) => {
                let failure = trial.outcome.why();
                let failure =
                    failure.map(|why| format!("{} on {} did not finish: {why}", trial.workload, trial.contender));
                // With --verbose, the note about it was shown.
                let is_new = |failure: &String| self.failures.insert(failure.clone()) && !self.verbose;
                if let Some(failure) = failure.filter(is_new) {
                    self.say(&failure);
                }
            }
            Event::Checked(check) if !check.clean => {
                self.say(&format!("{} is damaged after round {}", check.contender, check.round));
            }
            Event::RoundFinished(facts) => {
                self.round_length = Some(facts.seconds);
                self.log(&format!("round {} took {:.1} s", facts.round, facts.seconds));
            }
            Event::Decided { decided, pairs, new } => {
                self.decided = format!(" · {decided} of {pairs} pairs decided");
                if self.verbose || !self.quiet {
                    new.iter().for_each(|words| self.say(&format!("decided: {words}")));
                }
                self.done(&format!("round {}: {decided} of {pairs} pairs decided", self.round));
            }
            Event::Surveyed(environment) => {
                let busy = |at_rest| busy_before(at_rest, &NoiseBounds::default());
                if let Some(busy) = environment.at_rest.as_ref().and_then(busy) {
                    self.say(&format!("{busy}; what is measured now holds for that, and a quiet machine decides more"));
                }
            }
            Event::Note(note) => self.log(&note.text),
            Event::Finished(_) => self.bar.finish_and_clear(),
            _ => {}
        }
    }

    /// Clears the line, so that other output can follow.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn line(&self, workload: &str) -> String {
        let (round, expected) = (self.round, self.expected.max(self.round));
        format!("round {round} of {expected} · {workload}{} · {}", self.decided, self.eta())
    }

    /// The estimated remaining time, from the duration of the last round; unknown in the first round.
    fn eta(&self) -> String {
        let Some(length) = self.round_length else { return "first round".to_owned() };
        let here = length * (1.0 - self.done as f64 / self.workloads.max(1) as f64);
        let left = here + length * f64::from(self.expected.saturating_sub(self.round));
        format!("{} left at most", Nanos((left * 1e9) as u64))
    }

    fn say(&self, text: &str) {
        self.bar.suspend(|| tell(text));
    }

    fn log(&self, text: &str) {
        if self.verbose {
            self.say(text);
        }
    }
}
