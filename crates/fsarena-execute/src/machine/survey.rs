//! What this machine is like: before the run, between rounds, and under a memory limit.

use fsarena_lane::Effort;
use fsarena_model::{AtRest, Bytes, Conditions, Environment, LaneCost, Nanos, Probe, probe};
use fsarena_probe::{ConditionsSnapshot, Target, rates_at_rest};
use fsarena_sys::clock;

use super::Machine;
use crate::{Host, Result};

/// How long the idle machine is observed before the run, to know its background load.
const AT_REST: Nanos = clock::look(Nanos::seconds(1));

impl Host for Machine {
    fn survey(&mut self) -> Result<Environment> {
        let mut environment = fsarena_probe::survey(self.lane_set.beneath().as_deref());
        let kinds: Vec<&str> = self.plan.contenders.iter().map(|contender| contender.kind.as_str()).collect();
        environment.tools = fsarena_lane::tool_versions(&kinds, &self.plan.contenders);
        environment.tools_release = self.plan.lanes.tools.clone();
        environment.tools.extend(self.engines.program_versions(&self.plan.workloads));
        environment.settings = self.engines.settings(&self.plan.workloads);
        environment.lanes.queue = self.lane_set.queue_settings();
        environment.lanes.storage = self.lane_set.beneath().map(|_| self.plan.lanes.storage.to_string());
        environment.lanes.preconditioned = self.preconditioned.clone();
        // Measured first, before any other read or write on the lanes.
        environment.lanes.repeated_reads = self.lane_set.repeated_reads()?;
        environment.lanes.cost = self.lane_set.lane_cost(Effort::FULL)?;
        environment.lanes.flushes = self.lane_set.flushes()?;
        let rates = rates_at_rest(&Target { beneath: self.beneath.clone(), ..Target::default() }, AT_REST);
        let rate = |probe: Probe| rates.get(&probe.key()).copied();
        self.kernel_at_rest = rate(probe::CPU_KERNEL).unwrap_or(0.0);
        let own = rate(probe::CPU_PROCESS).zip(rate(probe::CPU_KERNEL)).map(|(process, kernel)| process + kernel);
        environment.at_rest = Some(AtRest {
            foreign_cores: rate(probe::CPU_MACHINE).zip(own).map(|(machine, own)| (machine - own).max(0.0)),
            steal_cores: rate(probe::CPU_STEAL),
            disk_per_second: rate(probe::DISK_OTHERS),
        });
        self.conditions = ConditionsSnapshot::take();
        Ok(environment)
    }

    fn lane_cost(&mut self) -> Result<Option<LaneCost>> {
        Ok(self.lane_set.lane_cost(Effort::ROUND)?)
    }

    fn conditions(&mut self) -> Conditions {
        let before = std::mem::replace(&mut self.conditions, ConditionsSnapshot::take());
        self.conditions.since(&before)
    }

    fn clients(&self) -> Option<u32> {
        None
    }

    fn limit_memory(&mut self, limit: Option<Bytes>) -> Result<()> {
        match limit {
            Some(limit) => self.lane_set.confine(limit)?,
            None => self.lane_set.release()?,
        }
        Ok(())
    }
}
