//! One contender that runs a workload, and the trial that results.

use fsarena_analyse::rate_readings;
use fsarena_engine::{Job, Limit, Operation, RunStats, Upkeep};
use fsarena_model::{Bytes, Nanos, Outcome, Probe, Readings, Slice, TraceResult, Trial, Verification, probe};
use fsarena_sys::affinity::Pinned;

use super::RoundSetting;
use super::limit::{self, Within};
use crate::{Refusal, Result, Verified};

#[derive(Default)]
pub(super) struct Participant {
    pub(super) contender: usize,
    pub(super) job: Option<Box<dyn Job>>,
    /// The statistics of all slices.
    pub(super) stats: RunStats,
    /// The statistics of the current slice; its allocations are reused.
    pub(super) current: RunStats,
    pub(super) slices: Vec<Slice>,
    pub(super) synced: Option<Nanos>,
    /// Bytes in use before the workload was prepared.
    pub(super) used: Option<Bytes>,
    /// Readings that are taken outside the slices.
    pub(super) readings: Readings,
    pub(super) verified: Option<Verification>,
    pub(super) failure: Option<String>,
    /// The duration of untimed parts.
    pub(super) spent: Vec<(Probe, Nanos)>,
    /// The time limit that was exceeded.
    pub(super) out_of_time: Option<Nanos>,
    /// Where the time of a further slice went.
    pub(super) trace: Option<TraceResult>,
}

impl Participant {
    pub(super) fn job(&mut self) -> &mut dyn Job {
        self.job.as_deref_mut().expect("a participant without a failure has a job")
    }

    /// Adds `time` to the duration of an untimed part of the trial.
    pub(super) fn spend(&mut self, part: Probe, time: Nanos) {
        match self.spent.iter_mut().find(|(known, _)| *known == part) {
            Some((_, spent)) => *spent = *spent + time,
            None => self.spent.push((part, time)),
        }
    }

    /// Stores the result of a verification. The unmount becomes a further step if the work has steps.
    pub(super) fn take_in(&mut self, verified: Option<Verified>) {
        let Some(Verified { found, unmounted }) = verified else { return };
        let has_steps = !self.stats.steps.is_empty();
        self.stats.steps.extend(unmounted.filter(|_| has_steps));
        self.verified = Some(found);
    }

    pub(super) fn work(&mut self, setting: &RoundSetting<'_>, time: Option<Nanos>) -> Result<()> {
        let job = self.job.as_deref_mut().expect("a participant without a failure has a job");
        let _pinned = job.next_run().is_alone.then(Pinned::here);
        let current = &mut self.current;
        let limit = limit::of_run(setting.workload, time);
        let worked = setting.run.watch.within(limit, |stop| job.run(&Limit { time, stop }, current));
        self.in_time(worked)
    }

    /// Lets the job do something untimed within its time limit, such as creating files that the next run consumes.
    pub(super) fn upkeep(&mut self, setting: &RoundSetting<'_>, upkeep: Upkeep) -> Result<()> {
        let done = setting.upkeep(|stop| self.job().upkeep(upkeep, stop));
        self.in_time(done)
    }

    pub(super) fn in_time<T, E: Into<Refusal>>(&mut self, done: Within<Result<T, E>>) -> Result<T> {
        match done {
            Within::Done(done) => done.map_err(Into::into),
            Within::OutOfTime(limit) => {
                self.out_of_time = Some(limit);
                Err(Refusal::of_machine(format!("not done after {limit}")))
            }
        }
    }

    pub(super) fn warm_up(&mut self, setting: &RoundSetting<'_>) -> Result<()> {
        if setting.workload.memory_limit.is_some() {
            self.upkeep(setting, Upkeep::WarmUp)?;
        }
        match setting.workload.warm_up_ms {
            0 => Ok(()),
            warm_up => self.work(setting, Some(Nanos::millis(warm_up))),
        }
    }

    /// The trial that results, with the counters' totals.
    pub(super) fn trial(self, setting: &RoundSetting<'_>, mut probes: Readings) -> Trial {
        let Self { contender, stats, mut readings, spent, .. } = self;
        let label = setting.contenders.iter().find(|(index, _)| *index == contender).map(|(_, label)| *label);
        probes.append(&mut readings);
        probes.extend(spent.into_iter().map(|(part, time)| part.reading(time.as_seconds())));
        probes.extend([probe::SYNC.reading(self.synced.map(Nanos::as_seconds))]);
        probes.extend(rate_readings(stats.offered, stats.operations, stats.elapsed.as_seconds()));
        probes.extend(stats.reported.iter().map(|(probe, value)| probe.reading(*value)));
        let name = |operation: Operation| operation.name().to_owned();
        let trial = Trial {
            round: setting.round,
            workload: setting.workload.name.to_string(),
            contender: label.expect("every participant is one of the setting's contenders").clone(),
            lane: setting.lanes.get(contender).copied().flatten().map(|lane| lane as u32),
            slices: self.slices,
            verified: self.verified,
            latencies: stats.latencies().map(|(operation, latency)| (name(operation), latency)).collect(),
            histograms: stats.histograms().map(|(operation, counts)| (name(operation), counts)).collect(),
            over_time: stats.windows(),
            steps: stats.steps,
            clients: stats.clients,
            probes,
            trace: self.trace,
            outcome: match (self.out_of_time, self.failure) {
                (Some(limit), _) => Outcome::OutOfTime(limit),
                (None, Some(why)) => Outcome::Failed(why),
                (None, None) => Outcome::Finished,
            },
        };
        // Baselines have no slowdown.
        match setting.run.slowdowns.get(contender) {
            Some(share) if *share > 0.0 => trial.slowed(1.0 + share, setting.workload.metric.better),
            _ => trial,
        }
    }
}
