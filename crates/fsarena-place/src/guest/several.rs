//! A run in several guests, one for each kernel that contenders name. The run is made here and calls their agents, so
//! that slices under different kernels interleave like those of one machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use fsarena_execute::remote::Machines;
use fsarena_execute::{Assignment, Listener};
use fsarena_guest::{Hardware, Running, Shares};
use fsarena_lane::disk;
use fsarena_model::{Contender, Guest, Label, Measuring, Plan};

use super::{InGuest, begun_in, connection, described, in_the_guest, tell, unless_stopped};
use crate::End;
use crate::agent::Request;
use crate::calls::{self, Connection};
use crate::note::preparing;

/// How long the agent of a guest may be silent: an emulated guest on a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(120);

struct OfKernel {
    running: Running,
    /// Set when the connection is lost.
    lost: Arc<AtomicBool>,
    connection: Connection,
    guest: Guest,
    /// The run's plan with the contenders of this kernel.
    plan: Plan,
}

/// Boots one guest for each kernel of the plan, whose storage is one of the host, and does the assignment with their
/// agents.
pub fn together(
    in_guest: &InGuest,
    assignment: Assignment,
    stop: &AtomicBool,
    listener: &mut dyn Listener,
) -> Result<End> {
    let plan = assignment.plan.clone();
    let kernels = plan.kernels();
    let mut booted = Vec::new();
    for kernel in &kernels {
        let Some(guest) = boot(in_guest, &plan, *kernel, stop, listener)? else { return Ok(End::Stopped) };
        booted.push(guest);
    }
    let guests = kernels.into_iter().zip(booted.iter().map(|of| of.guest.clone())).collect();
    let assignment = begun_in(assignment, described(guests)?);
    let (mut guests, machines): (Vec<_>, Vec<_>) =
        booted.into_iter().map(|of| ((of.running, of.lost), (of.connection, of.plan))).unzip();
    let is_lost = |(_, lost): &(Running, Arc<AtomicBool>)| lost.load(Ordering::Relaxed);
    let mut machines = Machines::new(&assignment.plan, machines);
    let look = || stop.load(Ordering::Relaxed) || guests.iter().any(is_lost);
    let ended = calls::run(&assignment, &mut machines, look, listener);
    drop(machines);
    if let Some((running, _)) = guests.iter_mut().find(|guest| is_lost(guest)) {
        return Err(running.explained("stopped before the run ended").into());
    }
    guests.iter().try_for_each(|(running, _)| tell(&running.findings(), listener))?;
    ended
}

/// Boots the guest of the contenders that name `kernel`; `None` if it is stopped before the guest answers.
fn boot(
    in_guest: &InGuest,
    plan: &Plan,
    kernel: Option<&str>,
    stop: &AtomicBool,
    listener: &mut dyn Listener,
) -> Result<Option<OfKernel>> {
    // A run that continues has the same packages again.
    let before = |kernel: &str| super::package(plan.guest.as_ref()?.kernels.get(kernel)?);
    let named = kernel.map(|kernel| before(kernel).unwrap_or_else(|| kernel.to_owned()));
    let prepared = in_guest.of_kernel(named.as_deref()).prepare(listener)?;
    preparing(listener)(&format!("booting {}", prepared.name()));
    let disk = in_guest.disk(plan);
    let plan = of_kernel(plan, kernel);
    let guest = prepared.describe(disk.clone());
    let size = disk::needed(&plan).context("the lanes are too large")?;
    let lanes = Some((&disk, size));
    let mut running = Hardware { lanes, ..Hardware::new(&prepared, &Shares::default()) }.boot()?;
    let lost = Arc::new(AtomicBool::new(false));
    let (input, output) = connection(&running)?;
    let assignment = Box::new(in_the_guest(Assignment::new(plan, Vec::new()), guest.clone()));
    let plan = assignment.plan.clone();
    let request = Request::Testbed { assignment, session: None };
    let (stream, has_booted) = (running.stream().try_clone()?, AtomicBool::new(false));
    let connection = unless_stopped(&stream, stop, &has_booted, || {
        let connection = Connection::open(input, output, &request, Arc::clone(&lost), PATIENCE)?;
        connection.prepared(listener).map(|()| connection)
    });
    match connection {
        Ok(connection) => {
            running.booted();
            Ok(Some(OfKernel { running, lost, connection, guest, plan }))
        }
        Err(_) if stop.load(Ordering::Relaxed) => Ok(None),
        Err(_) if lost.load(Ordering::Relaxed) => Err(running.explained("stopped while it was prepared").into()),
        Err(error) => bail!(error),
    }
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
