//! What clients change in a plan: each workload is done once for each number of clients.

use anyhow::{Result, bail};
use fsarena_engine::Launch;
use fsarena_model::{Measure, Measuring, Mode, NoiseBounds, Often, Plan, Workload};
use fsarena_place::{ENGINES, Launcher, NamedClients, Refusal};

/// Shortest timed part of a slice, milliseconds: clients start within a hundredth of it.
const SHORTEST: u64 = 500;

/// Fewest slices of a round, so that the order of the contenders is balanced and a slice may be lost.
const FEWEST_SLICES: u32 = 4;

/// The plan with each workload once for each number of clients.
///
/// # Errors
/// If a contender is not a directory, a workload's figure cannot be added up, or its program cannot be started.
pub fn with_clients(plan: Plan, named: NamedClients) -> Result<Plan> {
    let NamedClients { clients, launcher } = named;
    if let Some(contender) = plan.contenders.iter().find(|contender| !contender.is_directory()) {
        let text = format!("`{}` is a file system of one machine, which clients cannot share", contender.label);
        bail!(Refusal::wrong_use(text, "clients compare shared directories: dir:/mnt/nfs dir:/mnt/gluster"));
    }
    let is_printed = |workload: &&Workload| workload.metric.measure == Measure::Printed;
    if let Some(workload) = plan.workloads.iter().find(is_printed) {
        let text = format!("the figure of `{}` is what its program prints for one client", workload.name);
        bail!(Refusal::wrong_use(text, "use workloads that count operations or bytes"));
    }
    let longer: Vec<Workload> = plan.workloads.iter().map(with_longer_slices).collect();
    let each = longer.iter().flat_map(|workload| clients.numbers.iter().map(|count| workload.with_clients(*count)));
    let workloads: Vec<Workload> = each.map(|workload| launched(workload, launcher.as_ref())).collect::<Result<_>>()?;
    // Daemons of a file service on a client are a part of it, and no load of others.
    let measuring = Measuring { noise: NoiseBounds::ignored(), baselines: Often::Never, ..plan.measuring };
    Ok(Plan { workloads, measuring, clients: Some(clients), ..plan })
}

/// The workload as its program is started on its clients, if it works on all of them as one.
fn launched(workload: Workload, launcher: Option<&Launcher>) -> Result<Workload> {
    let Some(spanning) = ENGINES.of(&workload)?.spanning else { return Ok(workload) };
    let machines = workload.clients().unwrap_or(1);
    let Some(launcher) = launcher else {
        let text = format!("it is not known on which hosts the program of `{}` has to be started", workload.base());
        let hint = "--clients ssh:HOSTFILE, mpi:HOSTFILE, local:4, or slurm within an allocation";
        bail!(Refusal::wrong_use(text, hint));
    };
    let words = launcher.words(machines as usize);
    Ok(ENGINES.resolved((spanning.launched)(&workload, &Launch { machines, words }))?)
}

/// The workload with slices that are long compared with the differences between the starts of clients, and about as
/// much time in all.
fn with_longer_slices(workload: &Workload) -> Workload {
    if workload.mode == Mode::Whole || workload.timed_ms == 0 || workload.timed_ms >= SHORTEST {
        return workload.clone();
    }
    let all = workload.timed_ms * u64::from(workload.slices);
    let slices = (all.div_ceil(SHORTEST).next_multiple_of(2) as u32).max(FEWEST_SLICES);
    Workload { timed_ms: SHORTEST, slices, ..workload.clone() }
}
