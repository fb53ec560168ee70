//! The real testbed: lanes, engines and probes of this machine.

mod baselines;
mod libraries;
mod survey;
mod watched;

use std::fs::File;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Engines, Job, Upkeep};
use fsarena_lane::{CheckResult, Go, LaneError, LaneSet, Place as Ground};
use fsarena_model::{
    BaselineKind, Bytes, ContenderFacts, KernelSymbols, Name, Nanos, Plan, Preconditioned, Readings, Trace, Workload,
};
use fsarena_probe::{Beneath, ConditionsSnapshot, Flushes, Target};
use fsarena_sys::directory::Removal;
use fsarena_sys::{clock, memory, mount};
use fsarena_trace::{Span, Subject, Tracer};
use rustix::fs::syncfs;

use crate::{Counters, Refusal, Result, TracedWork, Verified, Volumes, Workloads, pace, precondition};
use watched::Watched;

/// The directory of a workload on a contender.
#[derive(Debug, Clone)]
struct WorkDirectory {
    name: Name,
    /// `None` if the file system does not keep it.
    inode: Option<u64>,
    /// The layout of the files in it, if the next workload may reuse them.
    layout: Option<String>,
}

/// A contender, or a baseline.
#[derive(Default)]
struct Volume {
    /// Where it is mounted; `None` if it is not.
    place: Option<Ground>,
    /// Whether it is a shared folder, whose data come over a network.
    is_remote: bool,
    watched: Watched,
    /// The directory of the current workload.
    work: Option<WorkDirectory>,
    /// The functions of its file system in the kernel.
    symbols: KernelSymbols,
}

/// This machine, with the lanes of one run.
pub struct Machine {
    plan: Plan,
    lane_set: LaneSet,
    engines: Engines,
    /// The contenders, and then the baselines.
    volumes: Vec<Volume>,
    /// Where the disk traffic of other programs is counted.
    beneath: Option<Arc<Beneath>>,
    kernel_at_rest: f64,
    /// The current round, 0 before the first. Flushes are counted in the first round only, because counting delays each
    /// request.
    round: u32,
    /// The conditions at the last call of [`Testbed::conditions`].
    conditions: ConditionsSnapshot,
    preconditioned: Option<Preconditioned>,
    trace: Option<Tracer>,
}

impl Machine {
    /// A testbed for `plan` on lanes that were made for the same plan, with the engines that do the work.
    pub fn new(plan: Plan, lane_set: LaneSet, engines: Engines) -> Self {
        let volumes = plan.contenders.len() + BaselineKind::ALL.len();
        let volumes = (0..volumes).map(|_| Volume::default()).collect();
        let beneath = lane_set.traffic().map(|(device, lanes)| Arc::new(Beneath { device, lanes }));
        Self {
            plan,
            lane_set,
            engines,
            volumes,
            beneath,
            kernel_at_rest: 0.0,
            round: 0,
            conditions: ConditionsSnapshot::default(),
            preconditioned: None,
            trace: None,
        }
    }

    /// Preconditions the lanes if the plan asks for it. Calls `telling` for each step, and stops when it returns
    /// [`Go::Stop`].
    ///
    /// # Errors
    /// If a lane fails.
    pub fn precondition(&mut self, telling: &mut dyn FnMut(&str) -> Go) -> Result<(), LaneError> {
        if !self.plan.lanes.precondition.is_none() {
            self.preconditioned = precondition::precondition(&self.lane_set, telling)?;
        }
        Ok(())
    }

    /// Removes everything that the run created.
    ///
    /// # Errors
    /// [`LaneError::Leftover`] if something remains.
    pub fn close(self) -> Result<(), LaneError> {
        self.lane_set.close()
    }

    /// The contender's place; an error if the contender is not mounted, for example after a failed remount.
    fn mounted(&self, contender: usize) -> Result<&Ground> {
        let missing = || io("use it".to_owned())(std::io::Error::other("it is not mounted"));
        self.volumes[contender].place.as_ref().ok_or_else(missing)
    }

    /// Makes the directory of a workload on a contender.
    fn make_work(&mut self, contender: usize, workload: &Workload, layout: Option<String>) -> Result<PathBuf> {
        let parent = self.mounted(contender)?.open()?;
        let path = parent.path().join(&workload.name);
        let made = parent.make(&workload.name, 0o755).and_then(|made| made.id());
        let inode = made.map_err(io(format!("mkdir {}", path.display())))?.inode;
        self.volumes[contender].work = Some(WorkDirectory { name: workload.name.clone(), inode, layout });
        Ok(path)
    }

    /// Removes the directory of the current workload, if its inode is still the one that was created, and unmounts what
    /// the work has mounted in it. What cannot be removed stays, and other workloads have their own directories.
    fn remove_work(&mut self, contender: usize) -> Result<()> {
        let Some(WorkDirectory { name, inode, .. }) = self.volumes[contender].work.take() else { return Ok(()) };
        let parent = self.mounted(contender)?.open()?;
        let path = parent.path().join(&name);
        let act = || format!("remove {}", path.display());
        let removal = match parent.remove(&name, inode) {
            Err(error) if error.kind() == ErrorKind::CrossesDevices => {
                mount::unmount_below(&path).map_err(io(format!("unmount what the work left in {}", path.display())))?;
                parent.remove(&name, inode)
            }
            removal => removal,
        };
        match removal.map_err(io(act()))? {
            Removal::Done | Removal::Absent => Ok(()),
            Removal::Another => {
                Err(io(act())(std::io::Error::other("another directory has taken its place; it was left alone")))
            }
        }
    }

    fn target(&self, contender: usize) -> Target {
        let flushes = if self.round == 1 { Flushes::Counted } else { Flushes::Left };
        let beneath = self.beneath.clone();
        match (&self.volumes[contender].place, self.place(contender)) {
            (Some(found), _) => {
                let (device, backing) = (found.device.clone(), found.backing.clone());
                Target { device, backing, beneath, flushes, network: self.volumes[contender].is_remote }
            }
            (None, Some(BaselineKind::Device)) => {
                Target { device: self.lane_set.calibration_device_name(), beneath, ..Target::default() }
            }
            (None, _) => Target { beneath, ..Target::default() },
        }
    }

    /// The place of a baseline with this number, which follows those of the contenders; `None` for a contender.
    fn place(&self, number: usize) -> Option<BaselineKind> {
        BaselineKind::ALL.get(number.checked_sub(self.plan.contenders.len())?).copied()
    }

    fn is_probed(&self, number: usize) -> bool {
        let uncounted = &self.plan.measuring.uncounted;
        self.plan.contenders.get(number).is_none_or(|contender| !uncounted.contains(&contender.label))
    }
}

fn untraced(error: std::io::Error) -> Refusal {
    io("trace the kernel's scheduler".to_owned())(error)
}

fn io(act: String) -> impl FnOnce(std::io::Error) -> Refusal {
    move |source| EngineError::Io { act, source }.into()
}

impl Volumes for Machine {
    fn make(&mut self, contender: usize, lane: Option<usize>, round: u32) -> Result<ContenderFacts> {
        self.round = round;
        let (place, facts) = self.lane_set.make(contender, lane, round)?;
        self.volumes[contender].place = Some(place);
        self.volumes[contender].symbols = fsarena_lane::kernel_symbols(&facts.mount);
        self.volumes[contender].is_remote = fsarena_lane::shared::is_remote(&facts.mount);
        Ok(facts)
    }

    fn baseline(&mut self, place: BaselineKind, workload: &Workload) -> Result<Option<usize>> {
        let number = self.plan.contenders.len() + place as usize;
        let is_possible = match place {
            BaselineKind::Memory => {
                self.volumes[number].place =
                    if baselines::fits_in_memory(workload) { self.lane_set.memory()? } else { None };
                self.volumes[number].place.is_some()
            }
            BaselineKind::Device => self.on_device(workload, self.plan.seed)?.is_some(),
            BaselineKind::Start => workload.traits.starts.is_some(),
        };
        Ok(is_possible.then_some(number))
    }

    fn remount(&mut self, contender: usize) -> Result<bool> {
        // Nothing of a baseline can be cold. Dropping the caches of the machine instead would make the next work read
        // its programs again.
        if self.place(contender).is_some() {
            return Ok(true);
        }
        let done = self.remount_timed(contender)?;
        Ok(done.is_some())
    }

    fn sync(&mut self, contender: usize) -> Result<Nanos> {
        // A library syncs as a part of its work, and the lane is not mounted then.
        if self.library(contender).is_some() {
            return Ok(Nanos(0));
        }
        let (path, sync): (_, fn(&File) -> rustix::io::Result<()>) = match self.place(contender) {
            Some(BaselineKind::Start) => return Ok(Nanos(0)),
            Some(BaselineKind::Device) => match self.lane_set.calibration_device()? {
                None => return Ok(Nanos(0)),
                Some((device, _)) => (device, |device| rustix::fs::fdatasync(device)),
            },
            Some(BaselineKind::Memory) | None => (self.mounted(contender)?.directory.clone(), |folder| syncfs(folder)),
        };
        let file = File::open(&path).map_err(io(format!("open {}", path.display())))?;
        let start = clock::now();
        sync(&file).map_err(|errno| io(format!("sync {}", path.display()))(errno.into()))?;
        Ok(clock::now().saturating_sub(start))
    }

    fn quiesce(&mut self, contender: usize) -> Result<Option<Nanos>> {
        if self.place(contender).is_some() {
            return Ok(None);
        }
        Ok(self.lane_set.quiesce(contender)?)
    }

    fn used(&mut self, contender: usize) -> Option<Bytes> {
        let mounted = self.mounted(contender).ok().filter(|_| self.library(contender).is_none())?;
        let found = rustix::fs::statvfs(&mounted.directory).ok()?;
        Some(Bytes((found.f_blocks - found.f_bfree) * found.f_frsize))
    }

    fn finish(&mut self, contender: usize) -> Result<Option<CheckResult>> {
        let result = self.lane_set.finish(contender)?;
        self.volumes[contender].place = None;
        self.volumes[contender].work = None;
        Ok(result)
    }
}

impl Workloads for Machine {
    fn directory(&mut self, contender: usize) -> Option<PathBuf> {
        Some(self.mounted(contender).ok()?.directory.clone())
    }

    fn open(&mut self, contender: usize, workload: &Workload, seed: u64, stop: &AtomicBool) -> Result<Box<dyn Job>> {
        if let Some(place @ (BaselineKind::Device | BaselineKind::Start)) = self.place(contender) {
            return self.open_without_a_file_system(place, workload, seed, stop);
        }
        if let Some((library, device)) = self.library(contender) {
            return self.open_in_library(contender, (workload, seed), library, &device, stop);
        }
        let engine = self.engines.of(workload)?;
        let layout = workload.traits.files.as_ref().map(|files| files.description.clone());
        if let Some(left) =
            self.volumes[contender].work.as_ref().filter(|left| layout.is_some() && left.layout == layout)
        {
            let directory = self.mounted(contender)?.directory.join(&left.name);
            let mut job = engine.open(workload, &directory, seed)?;
            job.upkeep(Upkeep::Adopt, stop)?;
            return Ok(job);
        }
        // Files of the group remain here if the contender skipped the group's next workload.
        self.remove_work(contender)?;
        let directory = self.make_work(contender, workload, layout)?;
        let mut job = engine.open(workload, &directory, seed)?;
        job.upkeep(Upkeep::Prepare, stop)?;
        Ok(job)
    }

    fn verify(
        &mut self,
        contender: usize,
        workload: &Workload,
        job: &mut dyn Job,
        stop: &AtomicBool,
    ) -> Result<Option<Verified>> {
        if self.place(contender).is_some() || !job.next_run().verifies {
            return Ok(None);
        }
        if self.library(contender).is_some() {
            return self.verify_library(contender, workload, job, stop);
        }
        let unmounted = self.remount_timed(contender)?;
        let directory = self.mounted(contender)?.directory.join(&workload.name);
        Ok(Some(Verified { found: job.verify(&directory, stop)?, unmounted }))
    }

    fn logical(&mut self, contender: usize, workload: &Workload) -> Option<Bytes> {
        let name = self.volumes[contender].work.as_ref().map_or(&workload.name, |work| &work.name);
        baselines::logical(self.mounted(contender).ok()?.directory.join(name))
    }

    fn clear(&mut self, contender: usize, workload: &Workload) -> Result<()> {
        let is_on_lane = fsarena_lane::needs_lane(&self.plan).get(contender) == Some(&true);
        if is_on_lane && pace::leaves_files(&self.plan, workload) {
            self.volumes[contender].work = None;
            return Ok(());
        }
        // A library's lane keeps its content for the checker and is made again before the next workload.
        let is_kept = matches!(self.place(contender), Some(BaselineKind::Device | BaselineKind::Start));
        if self.library(contender).is_some() {
            memory::give_back();
        }
        if is_kept || self.library(contender).is_some() {
            return Ok(());
        }
        self.remove_work(contender)?;
        self.sync(contender).map(drop)
    }
}

impl Counters for Machine {
    fn start_counters(&mut self, contender: usize) {
        if self.is_probed(contender) {
            let target = self.target(contender);
            self.volumes[contender].watched.begin(&target);
        }
    }

    fn read_counters(&mut self, contender: usize) -> Readings {
        let target = self.target(contender);
        self.volumes[contender].watched.so_far(&target)
    }

    fn stop_counters(&mut self, contender: usize) {
        if self.is_probed(contender) {
            let target = self.target(contender);
            self.volumes[contender].watched.end(&target);
        }
    }

    fn totals(&mut self, contender: usize) -> Readings {
        self.volumes[contender].watched.take(self.kernel_at_rest)
    }

    fn start_trace(&mut self, contender: usize, lasts: Nanos) -> Result<bool> {
        let device = self.target(contender).device;
        let subject = Subject { device, symbols: self.volumes[contender].symbols, lasts };
        let buffer = self.lane_set.trace_buffer();
        let trace = self.trace.insert(Tracer::start(subject, buffer).map_err(untraced)?);
        Ok(matches!(trace, Tracer::Events(_)))
    }

    fn stop_trace(&mut self, _contender: usize, work: &TracedWork) -> Result<Trace> {
        let trace = self.trace.take().ok_or_else(|| untraced(std::io::Error::other("nothing is traced")))?;
        let spans: Vec<Span> = work.spans.iter().map(|(start, end)| Span { start: start.0, end: end.0 }).collect();
        trace.stop(work.operations, work.elapsed, &spans).map_err(untraced)
    }
}
