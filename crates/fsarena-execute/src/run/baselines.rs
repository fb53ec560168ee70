//! Further measurements of a round: baselines, and the present cost of a lane.

use fsarena_analyse::{baseline_counts, may_be_small};
use fsarena_model::{
    Baseline, BaselineKind, CacheState, Event, Label, LaneCost, Measure, Mode, Nanos, Often, Severity, Trial, Workload,
};

use super::Session;
use crate::RunError;
use crate::round::{self, Clocks, RoundSetting, Shares};

/// Maximum number of slices of a baseline, except on the device. A baseline needs no narrow interval.
const SLICES: u32 = 2;
/// Number of rounds in which a baseline is measured, if not always: one disturbed moment must not be the yardstick.
const ROUNDS: usize = 3;
/// Maximum number of rounds if the machine is busy; after that it probably remains busy.
const TRIES: usize = 6;
/// Minimum number of rounds for a program's work in memory: the share of the time that a file system can change has an
/// interval.
const ROUNDS_IN_MEMORY: usize = 5;

impl Session<'_> {
    /// Whether the three clocks of a workload are read in the current round. For them, a further slice of a program
    /// would cost as much as its figures.
    pub(super) fn clocks(&self, workload: &Workload) -> Clocks {
        let is_cheap = workload.mode == Mode::Whole || workload.traits.program.is_none();
        match is_cheap {
            _ if !self.is_due(|| self.is_unmeasured(workload)) || workload.is_open_loop() => Clocks::Left,
            true => Clocks::Read,
            false => Clocks::Space,
        }
    }

    /// Notes time that further rounds will not take.
    fn spent_once(&mut self, time: Nanos) {
        if self.plan.measuring.baselines == Often::Once {
            self.once = self.once + time;
        }
    }

    /// Notes the estimated time of reading the clocks: one slice for each trial.
    pub(super) fn note_once(&mut self, clocks: Clocks, trials: &[Trial]) {
        if clocks == Clocks::Read {
            let slice = |trial: &Trial| trial.slices.last().map_or(Nanos(0), |slice| slice.elapsed);
            trials.iter().filter(|trial| trial.slices.len() > 1).for_each(|trial| self.spent_once(slice(trial)));
        }
    }

    fn is_due(&self, is_new: impl Fn() -> bool) -> bool {
        match self.plan.measuring.baselines {
            Often::Never => false,
            Often::Once => is_new(),
            Often::Always => true,
        }
    }

    /// Measures the baselines of a workload that are due.
    pub(super) fn measure_baselines(&mut self, index: usize) -> Result<(), RunError> {
        let before = self.setting.clock.now();
        for place in BaselineKind::ALL {
            let is_of = |baseline: &&Baseline| {
                baseline.trial.workload == self.plan.workloads[index].name && baseline.kind == place
            };
            let known: Vec<&Baseline> = self.record.baselines.iter().filter(is_of).collect();
            let counts = |baseline: &&Baseline| baseline_counts(&self.record, &baseline.trial);
            // What is at stake is a ratio within each round, which holds on a busy machine, too.
            let is_of_program = place == BaselineKind::Memory && self.plan.workloads[index].traits.program.is_some();
            let is_new = || match is_of_program {
                true => known.len() < ROUNDS_IN_MEMORY || may_be_small(&self.record, &self.plan.workloads[index]),
                false => known.len() < TRIES && known.iter().filter(|it| counts(it)).count() < ROUNDS,
            };
            let is_due = self.is_due(is_new) && !self.stopped();
            if let Some(workload) = at_place(&self.plan.workloads[index], place).filter(|_| is_due) {
                self.baseline(index, place, &workload)?;
            }
        }
        self.spent_once(self.setting.clock.now().saturating_sub(before));
        Ok(())
    }

    /// Runs a program that runs in slices in memory before its first slice, so that no figure has the time of reading
    /// it from disk. Programs that run longer have a baseline before, if any.
    pub(super) fn warm_up(&mut self, index: usize) -> Result<(), RunError> {
        let before = self.setting.clock.now();
        let is_short = |workload: &Workload| workload.mode == Mode::Sliced && workload.traits.program.is_some();
        let workload = at_place(&self.plan.workloads[index], BaselineKind::Memory).filter(is_short);
        if let Some(workload) = workload.filter(|_| !self.stopped() && self.warm.insert(index)) {
            self.play(index, BaselineKind::Memory, &workload)?;
        }
        self.once = self.once + self.setting.clock.now().saturating_sub(before);
        Ok(())
    }

    /// Measures the cost of a write and flush on the calibration device at the end of the round.
    pub(super) fn lane_cost(&mut self) -> Result<Option<LaneCost>, RunError> {
        if self.stopped() {
            return Ok(None);
        }
        match self.testbed.lane_cost() {
            Ok(cost) => Ok(cost),
            Err(error) => {
                let round = self.round;
                self.note(Severity::Warning, format!("round {round}: what the lane costs is not known: {error}"))?;
                Ok(None)
            }
        }
    }

    fn baseline(&mut self, index: usize, place: BaselineKind, workload: &Workload) -> Result<(), RunError> {
        for trial in self.play(index, place, workload)? {
            if let Some(why) = trial.outcome.why() {
                let round = self.round;
                let text = format!("round {round}: the baseline of {} in {place} did not finish: {why}", workload.name);
                self.note(Severity::Info, text)?;
            }
            self.tell(Event::Baseline(Box::new(Baseline { kind: place, trial })))?;
        }
        Ok(())
    }

    /// Runs a workload at the place of a baseline. No trials if it cannot run there.
    fn play(&mut self, index: usize, place: BaselineKind, workload: &Workload) -> Result<Vec<Trial>, RunError> {
        let number = match self.testbed.baseline(place, workload) {
            Ok(Some(number)) => number,
            Ok(None) => return Ok(Vec::new()),
            Err(error) => {
                self.note(Severity::Info, format!("{} has no baseline in {place}: {error}", workload.name))?;
                return Ok(Vec::new());
            }
        };
        let label = Label(place.to_string());
        let (round, run, lanes, contenders) = (self.round, &self.setting, &self.lanes, vec![(number, &label)]);
        let (clocks, shares, traces, verifies_slices) = (Clocks::Left, Shares::default(), false, false);
        let setting =
            RoundSetting { workload, index, round, run, contenders, lanes, shares, clocks, traces, verifies_slices };
        Ok(round::run(self.testbed, &setting).unwrap_or_default())
    }
}

/// The workload in the form in which it runs at `place`; `None` if it has no useful baseline there, as for open loops,
/// whose rate is given.
///
/// A device is a ceiling for direct I/O only: file systems read ahead and write back in larger pieces than the page
/// cache of a device does, and read more than twice as fast (docs/decisions/0011).
fn at_place(workload: &Workload, place: BaselineKind) -> Option<Workload> {
    let is_no_ceiling = place == BaselineKind::Device && workload.cache != CacheState::Direct;
    if workload.is_open_loop() || is_no_ceiling {
        return None;
    }
    let slices = if place == BaselineKind::Device { workload.slices } else { workload.slices.min(SLICES) };
    let mut workload = Workload { slices, memory_limit: None, ..workload.clone() };
    if place == BaselineKind::Start {
        // Programs that do nothing print nothing.
        workload.metric.measure = Measure::Seconds;
    }
    Some(workload)
}
