//! A run: rounds on a testbed until all pairs are decided or the budget is spent, and the events of the run.

mod baselines;
mod contenders;
mod facts;
mod focus;
mod open;
mod sharing;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_analyse::RunSoFar;
use fsarena_model::event::Note;
use fsarena_model::plan::Lanes;
use fsarena_model::{Event, Nanos, Plan, RunRecord, Severity, Status, Workload};
use fsarena_sys::Clock;

use crate::pace::RoundTime;
use crate::remaining::{Remaining, has_most_rounds};
use crate::round::{self, RoundSetting, RunSetting, Shares, Watch};
use crate::schedule::{self, LaneNumbers};
use crate::scope::{Extent, Scope};
use crate::{RunError, Testbed, pace};

pub use facts::on_one_file_system;

/// Number of rounds of each workload before the rest of the time goes to some of them.
const BEFORE_A_CHOICE: u32 = 3;

/// Receives the events of a run.
pub trait Listener {
    /// Handles one event.
    ///
    /// # Errors
    /// A message if the event could not be stored; the run then ends.
    fn hear(&mut self, event: &Event) -> Result<(), String>;
}

/// Does what remains of a run on `testbed`, and sends events to `listener`; ends early once `stop` is set.
///
/// Of a stored run, no event that would be stored is sent before the machine and all contenders prove to be unchanged.
///
/// # Errors
/// An error that ends the whole run; [`RunError::Unlike`] if a stored run finds another machine or other contenders.
/// The failure of a part is an event, and the run continues.
pub fn run(
    remaining: Remaining,
    testbed: &mut dyn Testbed,
    clock: &dyn Clock,
    stop: &AtomicBool,
    listener: &mut dyn Listener,
) -> Result<Status, RunError> {
    let Remaining { record, resumed, scope, open, started } = remaining;
    let plan = &record.plan.clone();
    let slowdowns = plan.contenders.iter().map(|contender| plan.slowdown(&contender.label)).collect();
    let decided = RunSoFar::of(&record).decided.into_keys().collect();
    Watch::during(stop, |watch| {
        let mut session = Session {
            plan,
            testbed,
            setting: RunSetting { slowdowns, seed: plan.seed, watch, clock },
            started,
            listener,
            record,
            scope,
            round: scope.first,
            lanes: LaneNumbers::new(),
            once: Nanos(0),
            warm: BTreeSet::new(),
            decided,
            pending: Vec::new(),
        };
        if session.stopped() {
            return Ok(Status::Interrupted);
        }
        session.open(resumed)?;
        let open = open.into_iter().filter(|workload| session.is_wanted(*workload)).collect();
        let status = session.rounds(open)?;
        // If the run is stopped before anything is measured, a stored run stays unchanged.
        if session.pending.is_empty() {
            session.note_overrun(status)?;
            session.tell(Event::Finished(status))?;
        }
        Ok(status)
    })
}

struct Session<'a> {
    plan: &'a Plan,
    testbed: &'a mut dyn Testbed,
    setting: RunSetting<'a>,
    started: Nanos,
    listener: &'a mut dyn Listener,
    record: RunRecord,
    scope: Scope,
    /// The current round.
    round: u32,
    /// The lanes of all contenders of the plan in this round.
    lanes: LaneNumbers,
    /// Time that the current round spent on measurements that are made only once ([`Often::Once`]).
    once: Nanos,
    /// The workloads whose programs are in memory, by index in the plan.
    warm: BTreeSet<usize>,
    /// The pairs that were decided at the last look, by index in the list of verdicts.
    decided: BTreeSet<usize>,
    /// Events that are held back until the contenders of the first round exist, and are those of the record.
    pending: Vec<Event>,
}

impl Session<'_> {
    fn rounds(&mut self, mut open: Vec<usize>) -> Result<Status, RunError> {
        let took = pace::estimated_round_of(self.plan, &open);
        let mut last = RoundTime { took, weight: pace::weight(self.plan, &open) };
        while !self.stopped() {
            if !self.scope.goes_on(self.round, pace::weight(self.plan, &open), self.spent(), last) {
                break;
            }
            let before = self.setting.clock.now();
            self.once = Nanos(0);
            self.run_round(&open, last)?;
            if self.stopped() {
                // A round that did not end decides nothing.
                break;
            }
            // Measurements that are made once do not recur in the next round.
            let took = self.setting.clock.now().saturating_sub(before).saturating_sub(self.once);
            last = RoundTime { took, weight: pace::weight(self.plan, &open) };
            self.round += 1;
            open = self.look(last)?;
        }
        Ok(if self.stopped() { Status::Interrupted } else { Status::Complete })
    }

    fn run_round(&mut self, open: &[usize], last: RoundTime) -> Result<(), RunError> {
        let (round, before) = (self.round, self.setting.clock.now());
        let order = schedule::order(self.plan.workloads.len(), "workloads", round, self.plan.seed);
        let order = sharing::in_groups(self.plan, order.into_iter().filter(|index| open.contains(index)).collect());
        let workloads = order.iter().map(|(index, _)| self.plan.workloads[*index].name.to_string()).collect();
        let expected = self.scope.expected(round, pace::weight(self.plan, open), self.spent(), last);
        self.tell(Event::RoundStarted { round, expected, workloads })?;
        let first_trial = self.record.trials.len();
        match self.plan.lanes.shared {
            Lanes::Own => self.side_by_side(&order)?,
            Lanes::InTurn => self.in_turn(&order)?,
        }
        let machine = (self.lane_cost()?, self.testbed.conditions());
        let seconds = self.setting.clock.now().saturating_sub(before).as_seconds();
        let facts = facts::of_round(round, seconds, &self.record.trials[first_trial..], machine);
        if self.stopped() { Ok(()) } else { self.tell(Event::RoundFinished(facts)) }
    }

    fn workload(&mut self, (index, shares): (usize, Shares), present: &[usize]) -> Result<(), RunError> {
        let (round, workload) = (self.round, &self.plan.workloads[index]);
        self.tell(Event::WorkloadStarted { round, workload: workload.name.to_string() })?;
        let labels = present.iter().map(|number| (*number, &self.plan.contenders[*number].label));
        let contenders = labels.filter(|(_, label)| self.plan.takes_part(label, &workload.name)).collect();
        // The same work gives the same result in later rounds.
        let (clocks, verifies_slices) = (self.clocks(workload), self.is_unmeasured(workload));
        let (run, lanes, traces) = (&self.setting, &self.lanes, self.plan.measuring.explained);
        let setting =
            RoundSetting { workload, index, round, run, contenders, lanes, shares, clocks, traces, verifies_slices };
        let clients = self.testbed.clients();
        let trials = round::run(self.testbed, &setting).unwrap_or_default();
        if self.testbed.clients() != clients {
            let left = self.testbed.clients().unwrap_or_default();
            let text = format!("round {round}: a client was lost during {}: {left} are left", workload.name);
            return self.note(Severity::Failure, text);
        }
        self.note_once(clocks, &trials);
        for trial in trials {
            // A failure that recurs is noted once.
            let is_known = || self.record.trials.iter().any(|known| known.ended_alike(&trial));
            if let Some(why) = trial.outcome.why().filter(|_| !is_known()) {
                let text = format!("round {round}: {} on {} did not finish: {why}", trial.workload, trial.contender);
                self.note(Severity::Failure, text)?;
            }
            self.tell(Event::Trial(Box::new(trial)))?;
        }
        Ok(())
    }

    /// Whether the workload has no trial yet.
    fn is_unmeasured(&self, workload: &Workload) -> bool {
        self.record.trials.iter().all(|trial| trial.workload != workload.name)
    }

    /// Decides the pairs after the `last` round, sends the decisions, and returns the workloads of the next round.
    fn look(&mut self, last: RoundTime) -> Result<Vec<usize>, RunError> {
        let so_far = RunSoFar::of(&self.record);
        if !self.plan.is_smoke() {
            self.tell_decisions(&so_far)?;
        }
        let (due, standing) = (self.due(&so_far), so_far.standing);
        // A mix needs all of its workloads.
        let is_free = self.scope.extent == Extent::Undecided && self.plan.weighting.mix.is_none();
        let left = self.scope.time.map(|time| time.saturating_sub(self.spent()));
        let is_known = |workload: &usize| standing.rounds(*workload) >= BEFORE_A_CHOICE;
        Ok(match left.filter(|_| is_free && due.iter().all(is_known)) {
            Some(left) => focus::most_decided(self.plan, due, &standing, left, last),
            None => due,
        })
    }

    fn tell_decisions(&mut self, so_far: &RunSoFar) -> Result<(), RunError> {
        let (decided, pairs) = (so_far.decided.len() as u32, so_far.standing.pairs() as u32);
        let new = so_far.decided.iter().filter(|(pair, _)| !self.decided.contains(pair));
        let new = new.map(|(_, words)| words.clone()).collect();
        self.decided = so_far.decided.keys().copied().collect();
        self.tell(Event::Decided { decided, pairs, new })
    }

    /// The workloads of the next round: those with an undecided pair, or all that did not fail everywhere, if the plan
    /// asks for all.
    fn due(&self, so_far: &RunSoFar) -> Vec<usize> {
        let due: Vec<usize> = match self.scope.extent {
            Extent::All => (0..self.plan.workloads.len()).filter(|it| !so_far.standing.has_failed(*it)).collect(),
            Extent::Undecided => so_far.open(),
        };
        due.into_iter().filter(|workload| self.is_wanted(*workload)).collect()
    }

    /// Whether the workload has not yet reached its maximum number of rounds, and has enough clients.
    fn is_wanted(&self, workload: usize) -> bool {
        let workload = &self.plan.workloads[workload];
        if workload.clients() > self.testbed.clients() {
            return false;
        }
        !has_most_rounds(&self.record, workload)
    }

    fn spent(&self) -> Nanos {
        self.setting.clock.now().saturating_sub(self.started)
    }

    fn note_overrun(&mut self, status: Status) -> Result<(), RunError> {
        let spent = self.spent();
        let exceeded = self.scope.time.filter(|time| status == Status::Complete && spent > *time);
        let Some(time) = exceeded else { return Ok(()) };
        let text = format!("the run took {spent}, and its budget is {time}: a round that has begun is finished");
        self.note(Severity::Info, text)
    }

    fn stopped(&self) -> bool {
        self.setting.watch.stop.load(Ordering::Relaxed)
    }

    fn note(&mut self, severity: Severity, text: String) -> Result<(), RunError> {
        self.tell(Event::Note(Note { severity, text }))
    }

    fn tell(&mut self, event: Event) -> Result<(), RunError> {
        self.listener.hear(&event).map_err(RunError::Listener)?;
        self.record.apply(event);
        Ok(())
    }
}
