//! Where the time of a workload goes: a further slice of each contender is traced, or a further whole run. It enters no
//! figure, since tracing takes time.

use fsarena_engine::Upkeep;
use fsarena_model::{CacheState, Nanos, Trace, TraceResult};

use super::{Participant, Shares, WorkloadRun};
use crate::{Refusal, Result, TracedWork};

/// How long the work is traced, if slices are shorter and can follow each other.
const SAMPLED: Nanos = Nanos::millis(100);

/// Most slices that are traced as one.
const MOST_SLICES: u32 = 10;

impl WorkloadRun<'_> {
    /// Traces a slice of each participant, in the order of the contenders or, in every second pair of rounds, in the
    /// opposite one. If tracing fails, the trial is still complete; if the work fails, the trial fails.
    pub(super) fn trace_each(&mut self, participants: &mut [Participant]) {
        let mut order: Vec<&mut Participant> = participants.iter_mut().collect();
        order.sort_by_key(|participant| participant.contender);
        if (self.setting.round / 2).is_multiple_of(2) {
            order.reverse();
        }
        order.into_iter().for_each(|participant| self.attempt(participant, Self::trace));
    }

    fn trace(&mut self, participant: &mut Participant) -> Result<()> {
        let (setting, contender) = (self.setting, participant.contender);
        self.ready(participant)?;
        self.confined(|run| {
            // What is cold is so for a first slice only.
            let is_single = setting.workload.cache == CacheState::Cold;
            let lasts = setting.workload.timed().filter(|_| is_single).unwrap_or(SAMPLED);
            let started = run.testbed.start_trace(contender, lasts);
            let most = if is_single || !matches!(started, Ok(true)) { 1 } else { MOST_SLICES };
            let worked = run.slices(participant, most);
            let stats = &participant.current;
            let work = TracedWork { operations: stats.operations, elapsed: stats.elapsed, spans: stats.spans.clone() };
            let trace = started.and_then(|_| run.testbed.stop_trace(contender, &work));
            worked?;
            participant.upkeep(setting, Upkeep::End)?;
            participant.trace = Some(trace.map_or_else(|error| TraceResult::Failed(error.text), TraceResult::Traced));
            Ok(())
        })
    }

    /// Works in a slice, and if it is short in up to `most` of them, since the samples of a short one are few.
    fn slices(&mut self, participant: &mut Participant, most: u32) -> Result<()> {
        let setting = self.setting;
        // Starting the trace takes some time, and the work follows its warm-up at once.
        participant.warm_up(setting)?;
        participant.current.clear();
        participant.work(setting, setting.workload.timed())?;
        for _ in 1..most {
            // Without spans, the time between two slices would count.
            let stats = &participant.current;
            if stats.elapsed >= SAMPLED || stats.spans.is_empty() || setting.is_stopped() {
                break;
            }
            participant.upkeep(setting, Upkeep::End)?;
            self.ready(participant)?;
            participant.work(setting, setting.workload.timed())?;
        }
        Ok(())
    }

    /// Traces a further whole run of a contender, with files of its own. If that fails, the trial is still complete.
    pub(super) fn trace_whole(&mut self, contender: usize) -> TraceResult {
        if self.setting.shares != Shares::default() {
            return TraceResult::Failed("it shares its files with other workloads".to_owned());
        }
        let mut participant = self.open(contender);
        let opened = participant.failure.take().map_or(Ok(()), |why| Err(Refusal::of_machine(why)));
        let traced = opened.and_then(|()| self.traced_whole(&mut participant));
        // What it leaves must not delay what follows, and its readings belong to no trial.
        let synced = self.testbed.sync(contender);
        let removed = self.removed(contender, participant.job.take(), false);
        drop(self.testbed.totals(contender));
        let traced = traced.and_then(|trace| synced.and(removed).map(|()| trace));
        traced.map_or_else(|error| TraceResult::Failed(error.text), TraceResult::Traced)
    }

    fn traced_whole(&mut self, participant: &mut Participant) -> Result<Trace> {
        let (setting, contender) = (self.setting, participant.contender);
        let clock = setting.run.clock;
        let mut is_started = false;
        let worked = self.in_pieces(participant, |run, participant, time| {
            if !std::mem::replace(&mut is_started, true) {
                run.testbed.start_trace(contender, SAMPLED)?;
            }
            let (begun, known) = (clock.now(), participant.current.spans.len());
            participant.work(setting, time)?;
            if participant.current.spans.len() == known {
                participant.current.spans.push((begun, clock.now()));
            }
            participant.upkeep(setting, Upkeep::End)
        });
        let stats = &mut participant.current;
        let begun = clock.now();
        let synced = match setting.workload.ends_by_itself {
            true => Ok(Nanos(0)),
            false => self.testbed.sync(contender).inspect(|_| stats.spans.push((begun, clock.now()))),
        };
        let elapsed = stats.elapsed + *synced.as_ref().unwrap_or(&Nanos(0));
        let work = TracedWork { operations: stats.operations, elapsed, spans: std::mem::take(&mut stats.spans) };
        let trace = self.testbed.stop_trace(contender, &work);
        worked.and(synced).and(trace)
    }
}
