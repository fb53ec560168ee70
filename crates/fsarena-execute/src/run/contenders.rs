//! The contenders of a round: made, used, unmounted and checked. Either side by side, or in turn on one lane.

use fsarena_model::event::Check;
use fsarena_model::{ContenderFacts, Event, Label, Outcome, Severity, Trial};

use super::{Session, facts};
use crate::round::Shares;
use crate::schedule::{self, lane_rounds, one_lane, own_lanes};
use crate::{RunError, resume_check};

impl Session<'_> {
    /// All contenders exist at the same time. All of them run a workload before the next workload begins.
    pub(super) fn side_by_side(&mut self, order: &[(usize, Shares)]) -> Result<(), RunError> {
        let needs = fsarena_lane::needs_lane(self.plan);
        self.lanes = match self.plan.has_own_disks() {
            true => own_lanes(&needs),
            false => lane_rounds(&needs, self.round, self.plan.seed),
        };
        let present = self.make(order, &self.making_order())?;
        for work in order {
            if self.stopped() {
                break;
            }
            // Both read programs into memory, so that no contender has to.
            self.warm_up(work.0)?;
            self.measure_baselines(work.0)?;
            self.workload(*work, &present)?;
        }
        self.finish(&present)
    }

    /// Each contender is made on the same lane, runs all workloads and is removed before the next contender is made.
    pub(super) fn in_turn(&mut self, order: &[(usize, Shares)]) -> Result<(), RunError> {
        self.lanes = one_lane(&fsarena_lane::needs_lane(self.plan));
        for contender in self.making_order() {
            if self.stopped() {
                return Ok(());
            }
            let present = self.make(order, &[contender])?;
            for work in order {
                if !self.stopped() && !present.is_empty() {
                    self.warm_up(work.0)?;
                    self.workload(*work, &present)?;
                }
            }
            self.finish(&present)?;
        }
        order.iter().try_for_each(|(index, _)| self.measure_baselines(*index))
    }

    /// The order in which contenders are made and mounted: the first is not always the same.
    fn making_order(&self) -> Vec<usize> {
        schedule::order(self.plan.contenders.len(), "making", self.round, self.plan.seed)
    }

    /// Makes contenders and returns those that exist. In the first round, a contender that cannot be made ends the run
    /// before anything is measured, because the call is probably wrong. If contenders use a lane in turn, others may
    /// have worked for hours by then: the contender is then recorded as absent.
    fn make(&mut self, open: &[(usize, Shares)], contenders: &[usize]) -> Result<Vec<usize>, RunError> {
        let is_first = self.round == self.scope.first;
        let (mut present, mut made) = (Vec::new(), Vec::new());
        for &index in contenders {
            let label = self.plan.contenders[index].label.clone();
            match self.testbed.make(index, self.lanes[index], self.round) {
                Ok(facts) => {
                    present.push(index);
                    made.push((index, facts));
                }
                // A stop ends the mkfs.
                Err(_) if self.stopped() => break,
                Err(error) if is_first && self.record.trials.iter().all(|trial| trial.round != self.round) => {
                    return Err(RunError::Contender { contender: label.to_string(), error });
                }
                Err(error) => self.absent(open, &label, self.lanes[index], &error.text)?,
            }
        }
        present.sort_unstable();
        made.sort_by_key(|(index, _)| *index);
        if is_first || made.iter().any(|(_, facts)| self.is_new(facts)) {
            self.admit(made.into_iter().map(|(_, facts)| facts).collect())?;
        }
        Ok(present)
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
        open: &[(usize, Shares)],
        label: &Label,
        lane: Option<usize>,
        why: &str,
    ) -> Result<(), RunError> {
        let round = self.round;
        self.note(Severity::Failure, format!("round {round}: {label} could not be made: {why}"))?;
        let open = open.iter().map(|(index, _)| &self.plan.workloads[*index]);
        for workload in open.filter(|workload| self.plan.takes_part(label, &workload.name)) {
            let lane = lane.map(|lane| lane as u32);
            let empty = Trial::empty(round, workload.name.to_string(), label.clone(), Outcome::Failed(why.to_owned()));
            self.tell(Event::Trial(Box::new(Trial { lane, ..empty })))?;
        }
        Ok(())
    }

    fn finish(&mut self, present: &[usize]) -> Result<(), RunError> {
        let round = self.round;
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
