//! One workload within one round: slices on the contenders in turn, and the resulting trials.

mod clocks;
mod limit;
mod participant;
mod trace;

use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_engine::{Job, NEVER, RunStats, Upkeep};
use fsarena_model::{CacheState, Done, Mode, Nanos, Slice, Trial, Workload, probe};
use fsarena_sys::{Clock, memory};

pub use self::limit::Watch;
use self::limit::Within;
use self::participant::Participant;
use crate::schedule::{LaneNumbers, slice_order};
use crate::{Refusal, Result, Testbed};

/// The input of a workload's run within a round.
pub struct RoundSetting<'a> {
    pub workload: &'a Workload,
    /// The workload's index in the plan.
    pub index: usize,
    /// The round, from 1.
    pub round: u32,
    /// What all workloads of the run have in common.
    pub run: &'a RunSetting<'a>,
    /// The contenders that take part: index in the plan, and label.
    pub contenders: Vec<(usize, &'a fsarena_model::Label)>,
    /// The lanes of all contenders of the plan.
    pub lanes: &'a LaneNumbers,
    /// The files that the workload shares with other workloads of the round.
    pub shares: Shares,
    /// Whether the three clocks and the space in use are measured, too.
    pub clocks: Clocks,
    /// Whether a further slice of each contender is traced.
    pub traces: bool,
    /// Whether the result of slices is verified after the last one. That of a whole run always is.
    pub verifies_slices: bool,
}

/// What all workloads of a run have in common.
pub struct RunSetting<'a> {
    /// The slowdown of each contender of the plan: the share by which its times are lengthened; 0 for most.
    pub slowdowns: Vec<f64>,
    pub seed: u64,
    /// Enforces the time limits of the parts of the run.
    pub watch: &'a Watch<'a>,
    /// Measures the duration of untimed parts.
    pub clock: &'a dyn Clock,
}

/// Whether a workload shares its files with its neighbours in the round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shares {
    /// It uses the files that the previous workload left.
    pub adopts: bool,
    /// It leaves its files to the next workload.
    pub leaves: bool,
}

/// Whether the three clocks and the space in use are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clocks {
    /// After each trial.
    Read,
    /// Only the space in use, as the last slice leaves it.
    Space,
    /// Not measured in this round.
    Left,
}

/// Runs the workload. `None` if the run is stopped, because the trials are then incomplete.
pub fn run(testbed: &mut dyn Testbed, setting: &RoundSetting<'_>) -> Option<Vec<Trial>> {
    let mut run = WorkloadRun { testbed, setting };
    let trials = match setting.workload.mode {
        Mode::Sliced => run.in_turn(),
        Mode::Whole => run.one_by_one(),
    };
    (!setting.is_stopped()).then_some(trials)
}

impl RoundSetting<'_> {
    fn order(&self, sweeps: u32) -> Vec<usize> {
        let numbers: Vec<usize> = self.contenders.iter().map(|(index, _)| *index).collect();
        slice_order(&numbers, sweeps, self.round, self.index, self.run.seed)
    }

    /// How many slices of all contenders are before the traced ones: half of them, so that work that becomes slower from
    /// slice to slice does not look like the cost of tracing. A single slice is before them in every other round.
    fn slices_before_trace(&self) -> usize {
        let slices = if self.workload.mode == Mode::Whole { 1 } else { self.workload.slices };
        ((slices + self.round % 2) / 2) as usize * self.contenders.len()
    }

    fn is_stopped(&self) -> bool {
        self.run.watch.stop.load(Ordering::Relaxed)
    }

    /// Runs upkeep within its time limit.
    fn upkeep<T>(&self, work: impl FnOnce(&AtomicBool) -> T) -> Within<T> {
        self.run.watch.within(Some(limit::of_upkeep(self.workload)), work)
    }
}

/// A workload within a round, and the testbed that it runs on.
struct WorkloadRun<'a> {
    testbed: &'a mut dyn Testbed,
    setting: &'a RoundSetting<'a>,
}

impl WorkloadRun<'_> {
    /// Runs the slices of all contenders in turn.
    fn in_turn(&mut self) -> Vec<Trial> {
        let setting = self.setting;
        let order = setting.order(setting.workload.slices);
        // Contenders are prepared in the order of the first sweep, so that no contender always has the most recent files.
        let first_sweep = order.iter().take(setting.contenders.len());
        let mut participants: Vec<Participant> = first_sweep.map(|contender| self.open(*contender)).collect();
        let traced_at = setting.traces.then(|| setting.slices_before_trace());
        for position in 0..=order.len() {
            if traced_at == Some(position) {
                self.trace_each(&mut participants);
            }
            let contender = order.get(position);
            if let Some(own) = participants.iter_mut().find(|participant| Some(&participant.contender) == contender) {
                self.attempt(own, |run, own| run.slice(own, position as u32));
            }
        }
        participants.sort_by_key(|participant| participant.contender);
        match setting.clocks {
            Clocks::Read => participants.iter_mut().for_each(|own| self.attempt(own, Self::follow)),
            Clocks::Space => participants.iter_mut().for_each(|own| self.attempt(own, Self::read_space)),
            Clocks::Left => {}
        }
        participants.into_iter().map(|participant| self.close(participant)).collect()
    }

    /// Runs one contender after the other, each from preparation to removal, so that no other contender has work in
    /// flight.
    fn one_by_one(&mut self) -> Vec<Trial> {
        let mut trials = Vec::new();
        let setting = self.setting;
        for (position, contender) in setting.order(1).into_iter().enumerate() {
            let is_traced_first = setting.traces && setting.slices_before_trace() == 0;
            let before = is_traced_first.then(|| self.trace_whole(contender));
            let mut participant = self.open(contender);
            self.attempt(&mut participant, |run, own| run.whole(own, position as u32));
            let mut trial = self.close(participant);
            let is_complete = trial.outcome.why().is_none() && !setting.is_stopped();
            let after = || (setting.traces && is_complete).then(|| self.trace_whole(contender));
            trial.trace = before.or_else(after);
            trials.push((contender, trial));
        }
        trials.sort_by_key(|(contender, _)| *contender);
        trials.into_iter().map(|(_, trial)| trial).collect()
    }

    /// Does `act` with a participant, unless it has failed or the run is stopped. An error is a failure of its trial.
    fn attempt(&mut self, participant: &mut Participant, act: impl FnOnce(&mut Self, &mut Participant) -> Result<()>) {
        if participant.failure.is_none() && !self.setting.is_stopped() {
            participant.failure = act(self, participant).err().map(|error| error.text);
        }
    }

    /// Prepares a workload and syncs it, so that no contender pays for another's preparation.
    fn open(&mut self, contender: usize) -> Participant {
        let setting = self.setting;
        let start = setting.run.clock.now();
        let seed = setting.run.seed.wrapping_add(u64::from(setting.round) << 32);
        let used = self.used_before(contender);
        let mut participant = Participant { contender, used, ..Participant::default() };
        let prepared = self.confined(|run| {
            participant.in_time(setting.upkeep(|stop| run.testbed.open(contender, setting.workload, seed, stop)))
        });
        match prepared.and_then(|job| self.testbed.sync(contender).map(|_| job)) {
            Ok(job) => participant.job = Some(job),
            Err(error) => participant.failure = Some(error.text),
        }
        participant.spend(probe::TIME_PREPARE, setting.run.clock.now().saturating_sub(start));
        participant
    }

    /// Runs an untimed warm-up, then the timed part between two readings of the counters.
    fn slice(&mut self, participant: &mut Participant, position: u32) -> Result<()> {
        let setting = self.setting;
        self.ready(participant)?;
        let done = self.confined(|run| {
            let start = setting.run.clock.now();
            participant.warm_up(setting)?;
            participant.spend(probe::TIME_BETWEEN, setting.run.clock.now().saturating_sub(start));
            participant.current.clear();
            run.watched(participant, setting.workload.timed())
        });
        participant.stats.follow(&participant.current, position);
        done?;
        participant.slices.extend(sample(setting.workload, &participant.current, Nanos(0), position));
        Ok(())
    }

    /// Does `act` within the workload's memory limit, if it has one.
    fn confined<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let limit = self.setting.workload.memory_limit;
        if limit.is_none() {
            return act(self);
        }
        self.testbed.limit_memory(limit)?;
        let done = act(self);
        self.testbed.limit_memory(None)?;
        done
    }

    /// Repeats the work until its time is over, then syncs; the sync counts, because a whole run includes the writes that
    /// it defers. A workload that ends by itself runs once, and its sync is timed separately.
    fn whole(&mut self, participant: &mut Participant, position: u32) -> Result<()> {
        let setting = self.setting;
        participant.current.clear();
        self.in_pieces(participant, Self::watched)?;
        let returned = participant.current.elapsed;
        let after = if setting.workload.ends_by_itself { Nanos(0) } else { self.synced(participant)? };
        if setting.clocks == Clocks::Read {
            let synced = match participant.synced {
                Some(synced) => synced,
                None => self.testbed.sync(participant.contender)?,
            };
            self.follow_to_rest(participant, returned, synced)?;
        }
        participant.stats.follow(&participant.current, position);
        participant.slices.extend(sample(setting.workload, &participant.current, after, position));
        Ok(())
    }

    /// Repeats `piece`, which works for a time or to its end, until the time of a whole run is over. A workload that ends
    /// by itself runs once.
    fn in_pieces(
        &mut self,
        participant: &mut Participant,
        mut piece: impl FnMut(&mut Self, &mut Participant, Option<Nanos>) -> Result<()>,
    ) -> Result<()> {
        let setting = self.setting;
        let wanted = Nanos::millis(setting.workload.timed_ms);
        loop {
            let before = participant.current.elapsed;
            // Each piece offers its rate from the start.
            participant.current.offered = None;
            self.ready(participant)?;
            let time = (wanted.0 > 0).then(|| wanted.saturating_sub(before));
            self.confined(|run| piece(run, participant, time))?;
            let is_idle = participant.current.elapsed == before;
            let is_over = participant.current.elapsed >= wanted || setting.workload.ends_by_itself;
            if is_over || is_idle || setting.is_stopped() {
                return Ok(());
            }
        }
    }

    /// Syncs between two readings of the counters.
    fn synced(&mut self, participant: &mut Participant) -> Result<Nanos> {
        let contender = participant.contender;
        self.testbed.start_counters(contender);
        let synced = self.testbed.sync(contender);
        if self.setting.clocks == Clocks::Read {
            let grown = self.testbed.read_counters(contender);
            participant.readings.extend(clocks::written(clocks::DURABLE, &grown, &participant.current));
        }
        self.testbed.stop_counters(contender);
        participant.synced = synced.as_ref().ok().copied();
        synced
    }

    /// Untimed preparation of a slice: makes files again, remounts for a cold cache, and backs the memory that the work
    /// fills.
    fn ready(&mut self, participant: &mut Participant) -> Result<()> {
        let clock = self.setting.run.clock;
        let start = clock.now();
        let done = self.made_ready(participant);
        participant.spend(probe::TIME_BETWEEN, clock.now().saturating_sub(start));
        done
    }

    fn made_ready(&mut self, participant: &mut Participant) -> Result<()> {
        let setting = self.setting;
        participant.upkeep(setting, Upkeep::Reset)?;
        let is_cold = setting.workload.cache == CacheState::Cold || setting.workload.memory_limit.is_some();
        if is_cold && !participant.job().next_run().reads_on && !self.testbed.remount(participant.contender)? {
            participant.upkeep(setting, Upkeep::DropCaches)?;
        }
        memory::back(participant.job().next_run().fills);
        participant.upkeep(setting, Upkeep::Begin)
    }

    /// Runs the work between two readings of the counters.
    fn watched(&mut self, participant: &mut Participant, time: Option<Nanos>) -> Result<()> {
        self.testbed.start_counters(participant.contender);
        let done = participant.work(self.setting, time);
        self.testbed.stop_counters(participant.contender);
        done?;
        participant.upkeep(self.setting, Upkeep::End)
    }

    /// Syncs outstanding writes, timed separately; verifies the result; then removes the files, unless the next workload
    /// uses them.
    fn close(&mut self, mut participant: Participant) -> Trial {
        let (setting, contender) = (self.setting, participant.contender);
        let start = setting.run.clock.now();
        let mut job = participant.job.take();
        let synced = self.testbed.sync(contender);
        participant.synced = participant.synced.or(synced.as_ref().ok().copied());
        let is_verified = setting.workload.mode == Mode::Whole || setting.verifies_slices;
        if let (Some(job), None, true) = (&mut job, &participant.failure, is_verified && !setting.is_stopped()) {
            let verified = setting.upkeep(|stop| self.testbed.verify(contender, setting.workload, &mut **job, stop));
            match participant.in_time(verified) {
                Ok(found) => participant.take_in(found),
                Err(error) => participant.failure = Some(error.text),
            }
        }
        let leaves = setting.shares.leaves && participant.failure.is_none();
        let error = synced.err().or(self.removed(contender, job, leaves).err());
        participant.failure = participant.failure.take().or(error.map(|error| error.text));
        if participant.failure.is_none() && participant.slices.is_empty() {
            let is_skewed = participant.stats.clients.as_ref().is_some_and(|clients| clients.skewed > 0);
            let why = if is_skewed { "the clients never started together" } else { "nothing was done within the time" };
            participant.failure = Some(why.to_owned());
        }
        participant.spend(probe::TIME_CLOSE, setting.run.clock.now().saturating_sub(start));
        participant.trial(setting, self.testbed.totals(contender))
    }

    /// Ends a job, and removes its files, unless it `leaves` them.
    fn removed(&mut self, contender: usize, mut job: Option<Box<dyn Job>>, leaves: bool) -> Result<()> {
        let cleaned = job.as_mut().map_or(Ok(()), |job| job.upkeep(Upkeep::CleanUp, &NEVER));
        drop(job);
        let cleared = if leaves { Ok(()) } else { self.testbed.clear(contender, self.setting.workload) };
        cleaned.map_err(Refusal::from).and(cleared)
    }
}

/// The slice's figure from its statistics; `after` is further time that belongs to the slice. `None` if nothing was
/// done, or if clients did not start together.
fn sample(workload: &Workload, stats: &RunStats, after: Nanos, position: u32) -> Option<Slice> {
    if stats.clients.as_ref().is_some_and(|clients| clients.skewed > 0) {
        return None;
    }
    let RunStats { operations, bytes, printed, .. } = *stats;
    let elapsed = stats.elapsed + after;
    let latency = &|| stats.latency_of_operations();
    let done = Done { operations, bytes, seconds: elapsed.as_seconds(), latency, printed };
    let value = workload.metric.measure.of(&done)?;
    Some(Slice { position, operations, bytes, elapsed, value })
}
