//! A run in several guests, one for each kernel that contenders name. The run is made here and calls their agents, so
//! that slices under different kernels interleave like those of one machine.

use std::io::BufReader;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use fsarena_execute::remote::Machines;
use fsarena_execute::{Assignment, Listener};
use fsarena_guest::{Hardware, Running, Shares};
use fsarena_lane::disk;
use fsarena_model::{Contender, Event, Guest, Label, Measuring, Plan};
use fsarena_sys::{MonotonicClock, clock};

use super::{InGuest, begun_in, in_the_guest, on_machine, share_of, tell};
use crate::agent::Request;
use crate::calls::Connection;
use crate::{End, Refusal, folders};

/// How long the agent of a guest may be silent: an emulated guest on a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(120);

/// Does an assignment in one guest for each kernel of its plan, whose storage is one of the host.
pub fn run(in_guest: &InGuest, assignment: Assignment, stop: &AtomicBool, listener: &mut dyn Listener) -> Result<End> {
    require_no_shares(&assignment.plan)?;
    let (plan, wait) = (assignment.plan.clone(), assignment.wait);
    on_machine(wait, stop, |_| Guests { in_guest, plan: &plan }.boot_and_run(assignment, stop, listener))
}

/// The guests of a plan whose storage is one of the host.
struct Guests<'a> {
    in_guest: &'a InGuest,
    plan: &'a Plan,
}

/// A guest of one kernel.
struct OfKernel {
    running: Running,
    /// Set when the connection is lost.
    lost: Arc<AtomicBool>,
    connection: Connection,
    guest: Guest,
    /// The run's plan with the contenders of this kernel.
    plan: Plan,
}

impl Guests<'_> {
    /// Boots the guests, and does the assignment with their agents.
    fn boot_and_run(&self, assignment: Assignment, stop: &AtomicBool, listener: &mut dyn Listener) -> Result<End> {
        let kernels = super::kernels(self.plan).into_iter();
        let booted = kernels.map(|kernel| self.boot(kernel, listener)).collect::<Result<Vec<_>>>()?;
        let assignment = begun_in(assignment, described(&booted)?);
        let Some(rest) = assignment.begin(&MonotonicClock, clock::utc(), listener)? else { return Ok(End::Nothing) };
        let (mut guests, machines): (Vec<_>, Vec<_>) =
            booted.into_iter().map(|of| ((of.running, of.lost), (of.connection, of.plan))).unzip();
        let is_lost = |(_, lost): &(Running, Arc<AtomicBool>)| lost.load(Ordering::Relaxed);
        let mut machines = Machines::new(&assignment.plan, machines);
        let look = || stop.load(Ordering::Relaxed) || guests.iter().any(is_lost);
        let ended = fsarena_engine::watched(look, |stop| {
            fsarena_execute::run(rest, &mut machines, &MonotonicClock, stop, listener)
        });
        drop(machines);
        if let Some((running, _)) = guests.iter_mut().find(|guest| is_lost(guest)) {
            return Err(running.explained("stopped before the run ended").into());
        }
        guests.iter().try_for_each(|(running, _)| tell(&running.findings(), listener))?;
        Ok(ended?.into())
    }

    /// Boots the guest of the contenders that name `kernel`.
    fn boot(&self, kernel: Option<&str>, listener: &mut dyn Listener) -> Result<OfKernel> {
        let mut telling = |what: &str| {
            let _ = listener.hear(&Event::Preparing(what.to_owned()));
        };
        // A run that continues has the same packages again.
        let before = |kernel: &str| super::package(self.plan.guest.as_ref()?.kernels.get(kernel)?);
        let named = kernel.map(|kernel| before(kernel).unwrap_or_else(|| kernel.to_owned()));
        let in_guest = self.in_guest.of_kernel(named.as_deref());
        let prepared = fsarena_guest::prepare(&folders::cache()?, &in_guest.wanted, &mut telling)?;
        telling(&format!("booting {}", prepared.name()));
        let disk = self.in_guest.disk(self.plan);
        let plan = of_kernel(self.plan, kernel);
        let guest = prepared.describe(disk.clone());
        let size = disk::needed(&plan).context("the lanes are too large")?;
        let (lanes, shares) = (Some((&disk, size)), Shares::default());
        let mut running =
            Hardware { prepared: &prepared, lanes, modes: &[], raw: None, shares: &shares, order: None }.boot()?;
        let lost = Arc::new(AtomicBool::new(false));
        let stream = || running.stream().try_clone().context("the connection to the guest");
        let (input, output) = (Box::new(stream()?), BufReader::new(stream()?));
        let assignment = Box::new(in_the_guest(Assignment::new(plan, Vec::new()), guest.clone()));
        let plan = assignment.plan.clone();
        let request = Request::Testbed { assignment, session: None };
        let connection = Connection::open(input, output, &request, Arc::clone(&lost), PATIENCE);
        let prepared = |connection: Connection| connection.prepared(listener).map(|()| connection);
        match connection.and_then(prepared) {
            Ok(connection) => {
                running.booted();
                Ok(OfKernel { running, lost, connection, guest, plan })
            }
            Err(_) if lost.load(Ordering::Relaxed) => Err(running.failed("stopped while it was prepared").into()),
            Err(error) => bail!(Refusal::from(error)),
        }
    }
}

/// The first guest, with the packages of all kernels.
fn described(booted: &[OfKernel]) -> Result<Guest> {
    let first = booted.first().context("the plan has no contender")?;
    let kernel = |of: &OfKernel| Some((of.plan.contenders.first()?.kernel.clone()?, of.guest.kernel.clone()));
    Ok(Guest { kernels: booted.iter().filter_map(kernel).collect(), ..first.guest.clone() })
}

/// Refuses folders of the host, whose servers have one guest.
pub fn require_no_shares(plan: &Plan) -> Result<()> {
    match plan.contenders.iter().find(|contender| share_of(contender).is_some()) {
        None => Ok(()),
        Some(contender) => {
            let text = format!("`{}` is a folder of the host, which has one guest at a time", contender.label);
            bail!(Refusal::wrong_use(text, "name the same kernel for all contenders: --guest-kernel"))
        }
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
