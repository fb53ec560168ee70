//! A run in several guests, one for each kernel that contenders name. The run is made here and calls their agents, so
//! that slices under different kernels interleave like those of one machine.

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, bail};
use fsarena_execute::remote::{Machines, Remote};
use fsarena_execute::{Assignment, Listener};
use fsarena_model::{Contender, Label, Measuring, Plan};
use fsarena_sys::MonotonicClock;

use super::{InGuest, before_its_end, begun_in, described, in_the_guest, tell};
use crate::agent::Request;
use crate::lock::Locked;
use crate::{ENGINES, End, calls};

/// Boots one guest for each kernel of the plan, whose storage is one of the host, and does the assignment with their
/// agents.
pub fn together(
    in_guest: &InGuest,
    assignment: Assignment,
    locked: &mut Locked,
    stop: &AtomicBool,
    listener: &mut dyn Listener,
) -> Result<End> {
    let plan = assignment.plan.clone();
    let kernels = plan.kernels();
    let parts: Vec<Plan> = kernels.iter().map(|kernel| of_kernel(&plan, *kernel)).collect();
    let mut booted = Vec::new();
    for (kernel, part) in kernels.iter().zip(&parts) {
        // A run that continues has the same packages again.
        let before = |kernel: &str| super::package(plan.guest.as_ref()?.kernels.get(kernel)?);
        let named = kernel.map(|kernel| before(kernel).unwrap_or_else(|| kernel.to_owned()));
        let request = |guest| {
            let assignment = Box::new(in_the_guest(Assignment::new(part.clone(), Vec::new()), guest));
            Request::Testbed { assignment, session: None }
        };
        let mut guest = in_guest.of_kernel(named.as_deref()).boot(part, locked, request, stop, listener)?;
        match guest.connection.prepared(stop, listener) {
            Ok(()) => {}
            Err(_) if stop.load(Ordering::Relaxed) => return Ok(End::Stopped),
            Err(_) if guest.connection.is_lost() => {
                return Err(guest.running.explained("stopped while it was prepared").into());
            }
            Err(error) => bail!(error),
        }
        booted.push(guest);
    }
    let guests = kernels.into_iter().zip(booted.iter().map(|booted| booted.guest.clone())).collect();
    let assignment = begun_in(assignment, described(guests)?);
    let (mut running, connections): (Vec<_>, Vec<_>) =
        booted.into_iter().map(|booted| (booted.running, booted.connection)).unzip();
    let machines = connections.into_iter().zip(&parts).collect();
    let mut machines = Machines::new(&assignment.plan, machines, ENGINES, Vec::new(), Rc::new(MonotonicClock));
    let ended = calls::run(&assignment, &mut machines, stop, listener);
    let lost = machines.lost();
    drop(machines);
    if let Some(guest) = lost.first() {
        return Err(running[*guest].explained(&before_its_end(&parts[*guest])).into());
    }
    running.iter().try_for_each(|running| tell(running, listener))?;
    ended
}

/// The plan with the contenders that name `kernel`.
pub fn of_kernel(plan: &Plan, kernel: Option<&str>) -> Plan {
    let contenders = plan.contenders.iter().filter(|contender| contender.kernel.as_deref() == kernel);
    let contenders: Vec<Contender> = contenders.cloned().collect();
    let is_here = |label: &Label| contenders.iter().any(|contender| contender.label == *label);
    let slowdowns = plan.measuring.slowdowns.iter().filter(|slowdown| is_here(&slowdown.label)).cloned().collect();
    let guarantees = plan.guarantees.iter().filter(|stated| is_here(&stated.label)).cloned().collect();
    let uncounted = plan.measuring.uncounted.iter().filter(|label| is_here(label)).cloned().collect();
    let measuring = Measuring { slowdowns, uncounted, ..plan.measuring.clone() };
    Plan { contenders, guarantees, measuring, ..plan.clone() }
}
