//! The contenders of a round: made, used, unmounted and checked. Either side by side, or in turn on one lane.

use fsarena_model::event::Check;
use fsarena_model::{ContenderFacts, Event, Label, Outcome, Severity, Trial};

use super::{Session, facts};
use crate::round::Shares;
use crate::schedule::{LaneNumbers, lane_rounds, making_order, one_lane, own_lanes};
use crate::{RunError, resume_check};

impl Session<'_> {
    /// All contenders exist at the same time. All of them run a workload before the next workload begins.
    pub(super) fn side_by_side(&mut self, round: u32, order: &[(usize, Shares)]) -> Result<(), RunError> {
        let needs = fsarena_lane::needs_lane(self.plan);
        let lanes = match self.plan.has_own_disks() {
            true => own_lanes(&needs),
            false => lane_rounds(&needs, round, self.plan.seed),
        };
        let contenders = making_order(self.plan.contenders.len(), round, self.plan.seed);
        let present = self.make(round, order, &lanes, &contenders)?;
        for work in order {
            if self.stopped() {
                break;
            }
            // Both read programs into memory, so that no contender has to.
            self.warm_up(round, work.0, &lanes)?;
            self.due_baselines(round, work.0, &lanes)?;
            self.workload(round, *work, &lanes, &present)?;
        }
        self.finish(round, &present)
    }

    /// Each contender is made on the same lane, runs all workloads and is removed before the next contender is made.
    pub(super) fn in_turn(&mut self, round: u32, order: &[(usize, Shares)]) -> Result<(), RunError> {
        let lanes = one_lane(&fsarena_lane::needs_lane(self.plan));
        for contender in making_order(self.plan.contenders.len(), round, self.plan.seed) {
            if self.stopped() {
                return Ok(());
            }
            let present = self.make(round, order, &lanes, &[contender])?;
            for work in order {
                if !self.stopped() && !present.is_empty() {
                    self.warm_up(round, work.0, &lanes)?;
                    self.workload(round, *work, &lanes, &present)?;
                }
            }
            self.finish(round, &present)?;
        }
        order.iter().try_for_each(|(index, _)| self.due_baselines(round, *index, &lanes))
    }

    /// Measures the baselines of a workload that are due.
    fn due_baselines(&mut self, round: u32, index: usize, lanes: &LaneNumbers) -> Result<(), RunError> {
        let before = self.setting.clock.now();
        self.measure_baselines(round, index, lanes)?;
        self.spent_once(self.setting.clock.now().saturating_sub(before));
        Ok(())
    }

    /// Makes contenders and returns those that exist. In the first round, a contender that cannot be made ends the run
    /// before anything is measured, because the call is probably wrong. If contenders use a lane in turn, others may
    /// have worked for hours by then: the contender is then recorded as absent.
    fn make(
        &mut self,
        round: u32,
        open: &[(usize, Shares)],
        lanes: &LaneNumbers,
        contenders: &[usize],
    ) -> Result<Vec<usize>, RunError> {
        let (mut present, mut made) = (Vec::new(), Vec::new());
        for &index in contenders {
            let label = self.plan.contenders[index].label.clone();
            match self.testbed.make(index, lanes[index], round) {
                Ok(facts) => {
                    present.push(index);
                    made.push((index, facts));
                }
                Err(error) if round == self.scope.first && !self.has_trials_of(round) => {
                    return Err(RunError::Contender { contender: label.to_string(), error });
                }
                Err(error) => self.absent(round, open, &label, lanes[index], &error.text)?,
            }
        }
        present.sort_unstable();
        made.sort_by_key(|(index, _)| *index);
        if round == self.scope.first || made.iter().any(|(_, facts)| self.is_new(facts)) {
            self.admit(made.into_iter().map(|(_, facts)| facts).collect())?;
        }
        Ok(present)
    }

    fn has_trials_of(&self, round: u32) -> bool {
        self.record.trials.iter().any(|trial| trial.round == round)
    }

    /// Whether the contender is not in the record, because it could not be made before.
    fn is_new(&self, facts: &ContenderFacts) -> bool {
        self.record.contenders.iter().all(|known| known.label != facts.label)
    }

    /// Records the facts of the contenders of the first round, or compares them with the recorded facts.
    fn admit(&mut self, made: Vec<ContenderFacts>) -> Result<(), RunError> {
        let known = |facts: &ContenderFacts| self.record.contenders.iter().find(|known| known.label == facts.label);
        if let Some(text) = made.iter().find_map(|facts| resume_check::difference_of(known(facts)?, facts)) {
            return Err(RunError::Unlike(text));
        }
        let new: Vec<ContenderFacts> = made.into_iter().filter(|facts| known(facts).is_none()).collect();
        let shared = facts::shared_storage(&self.record.contenders, &new);
        for event in std::mem::take(&mut self.pending).into_iter().chain(new.into_iter().map(Event::Contender)) {
            self.tell(event)?;
        }
        shared.into_iter().try_for_each(|text| self.note(Severity::Warning, text))
    }

    /// Records all workloads of the round as failed for a contender that could not be made.
    fn absent(
        &mut self,
        round: u32,
        open: &[(usize, Shares)],
        label: &Label,
        lane: Option<usize>,
        why: &str,
    ) -> Result<(), RunError> {
        self.note(Severity::Failure, format!("round {round}: {label} could not be made: {why}"))?;
        let open = open.iter().map(|(index, _)| &self.plan.workloads[*index]);
        for workload in open.filter(|workload| self.plan.takes_part(label, &workload.name)) {
            let lane = lane.map(|lane| lane as u32);
            let empty = Trial::empty(round, workload.name.to_string(), label.clone(), Outcome::Failed(why.to_owned()));
            self.tell(Event::Trial(Box::new(Trial { lane, ..empty })))?;
        }
        Ok(())
    }

    fn finish(&mut self, round: u32, present: &[usize]) -> Result<(), RunError> {
        for index in present {
            let contender = self.plan.contenders[*index].label.clone();
            match self.testbed.finish(*index) {
                Ok(None) => {}
                Ok(Some(result)) => {
                    self.tell(Event::Checked(Check { round, contender, clean: result.clean, output: result.output }))?;
                }
                Err(error) => {
                    let text = format!("round {round}: {contender} could not be unmounted and checked: {error}");
                    self.note(Severity::Failure, text)?;
                }
            }
        }
        Ok(())
    }
}
