//! Everything that a run makes on the machine: its folder, its lanes and the mounted contenders.

mod calibration;
mod library;
mod remount;
mod trace;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fsarena_model::{Bytes, Contender, ContenderFacts, Nanos, Plan};
use fsarena_sys::directory::{Directory, FileId};
use fsarena_sys::tracefs::TraceBuffer;
use serde::{Deserialize, Serialize};

pub use library::LibraryContent;
pub use remount::Remounted;

use crate::cgroup::MemoryGroup;
use crate::disk::Disk;
use crate::kind::{Ground, Identity, Kind, kind, lane_count, made_lanes};
use crate::lane::Lane;
use crate::layer::{self, Raise, Stack, StackPlace};
use crate::ledger::{Ledger, Made};
use crate::mounted::{Mounted, Mounting};
use crate::precondition::PreconditionTarget;
use crate::require::{self, known};
use crate::{LaneError, cost, mounted, pool, precondition, queue, storage};

/// Where a contender works.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The directory.
    pub directory: PathBuf,
    /// Name of the lane's block device below `/sys/block`; `None` without a lane.
    pub device: Option<String>,
    /// Name of the backing device info (a new one after each mount); `None` if unknown.
    pub backing: Option<String>,
    /// The block device on which a library works; `directory` is then not used.
    pub library: Option<PathBuf>,
    /// Identity of the directory, if it is not the root of a mount that the run made.
    pub id: Option<FileId>,
}

impl Place {
    /// Opens the directory, if it is still the one that was made.
    ///
    /// # Errors
    /// If it is gone, or another directory has its name.
    pub fn open(&self) -> Result<Directory, LaneError> {
        let refused = |error| LaneError::io("open the folder", &self.directory)(error);
        let opened = Directory::open(&self.directory).map_err(refused)?;
        let found = opened.id().map_err(refused)?;
        match self.id.is_none_or(|id| id == found) {
            true => Ok(opened),
            false => Err(refused(std::io::Error::other("another directory has taken its place"))),
        }
    }
}

/// Result of a file-system check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Whether the checker found no errors.
    pub clean: bool,
    /// The checker's output; empty if clean.
    pub output: String,
}

/// Whether a long operation continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Go {
    /// Continue with the next step.
    On,
    /// Stop before the next step.
    Stop,
}

/// Everything that a run makes on the machine. Dropping it without [`LaneSet::close`] removes what it can.
#[derive(Debug)]
pub struct LaneSet {
    plan: Plan,
    folder: PathBuf,
    disks: Vec<Disk>,
    lanes: Vec<Lane>,
    calibration_device: Option<Lane>,
    memory: Option<PathBuf>,
    group: Option<MemoryGroup>,
    trace_buffer: Option<Arc<TraceBuffer>>,
    mounted: Vec<Option<Mounted>>,
    /// The run's directory in that of each `dir` contender, by the contender's index.
    directories: BTreeMap<usize, (PathBuf, FileId)>,
    ledger: Ledger,
}

impl LaneSet {
    /// Makes the run's folder and the lanes: one for each contender that needs one and a calibration device, or one
    /// lane that all contenders use in turn. They lie on `disks`, if the plan's storage has any.
    ///
    /// Calls `telling` with a description before each step; once it returns [`Go::Stop`], no further lane is made.
    ///
    /// # Errors
    /// If a step fails; what was made by then is removed.
    pub fn open(
        disks: Vec<Disk>,
        plan: Plan,
        ledger: Ledger,
        telling: &mut dyn FnMut(&str) -> Go,
    ) -> Result<Self, LaneError> {
        let mounted = plan.contenders.iter().map(|_| None).collect();
        let mut lane_set = Self {
            plan,
            folder: PathBuf::new(),
            disks,
            lanes: Vec::new(),
            calibration_device: None,
            memory: None,
            group: None,
            trace_buffer: None,
            mounted,
            directories: BTreeMap::new(),
            ledger,
        };
        lane_set.build(telling).map(|()| lane_set)
    }

    fn build(&mut self, telling: &mut dyn FnMut(&str) -> Go) -> Result<(), LaneError> {
        if self.plan.contenders.iter().all(|contender| contender.is_directory()) {
            return Ok(());
        }
        let count = made_lanes(&self.plan);
        storage::show_kernel_counters(&mut self.ledger)?;
        self.folder = storage::make_place(&mut self.ledger, &self.plan, count)?;
        storage::occupy(&mut self.ledger, &self.plan, &self.disks, count)?;
        for index in 0..count {
            if telling(&format!("writing lane {} of {count}", index + 1)) == Go::Stop {
                return Ok(());
            }
            let (ledger, plan, folder) = (&mut self.ledger, &self.plan, &self.folder);
            self.lanes.push(storage::open_lane(ledger, plan, folder, &self.disks, index)?);
        }
        let has_calibration_device = self.plan.lanes.shared.is_own() && count > lane_count(&self.plan);
        self.calibration_device = if has_calibration_device { self.lanes.pop() } else { None };
        Ok(())
    }

    /// Writes all lanes, including the calibration device, in full twice, and then at random in rounds of a second.
    /// `goes_on` gets the writes per second of the rounds so far and decides whether another round follows. Returns
    /// these rates; `None` without lanes, or if `telling` returns [`Go::Stop`].
    ///
    /// # Errors
    /// If I/O on a lane fails.
    pub fn precondition(
        &self,
        telling: &mut dyn FnMut(&str) -> Go,
        goes_on: &dyn Fn(&[f64]) -> Go,
    ) -> Result<Option<Vec<f64>>, LaneError> {
        let lanes = self.lanes.iter().chain(&self.calibration_device);
        let targets = lanes.map(|lane| PreconditionTarget::open(lane.path(), lane.size()?));
        let targets = targets.collect::<Result<Vec<PreconditionTarget>, LaneError>>()?;
        match targets.is_empty() {
            true => Ok(None),
            false => precondition::condition(&targets, self.plan.seed, precondition::ROUND, telling, goes_on),
        }
    }

    /// The lanes' queue settings, equal for all.
    pub fn queue_settings(&self) -> BTreeMap<String, String> {
        self.free_lane().map(|lane| queue::settings(lane.number())).unwrap_or_default()
    }

    /// What backs the lanes: the folder with the images, or the disk. `None` if no lanes were made.
    pub fn beneath(&self) -> Option<PathBuf> {
        (!self.lanes.is_empty()).then(|| storage::beneath(&self.plan, &self.folder))
    }

    /// Paths of the sysfs `stat` files of the device that backs all lanes, and of each lane. `None` without lanes, and
    /// for lanes in memory.
    pub fn traffic(&self) -> Option<(PathBuf, Vec<PathBuf>)> {
        let device = cost::device_beneath(&self.beneath()?)?.join("stat");
        let lanes = self.lanes.iter().chain(&self.calibration_device);
        Some((device, lanes.map(|lane| lane.sysfs().join("stat")).collect()))
    }

    /// Makes contender `index` on `lane` with a fresh mkfs and mounts it; a `dir` contender gets a subdirectory.
    ///
    /// # Errors
    /// If mkfs or the mount fails.
    pub fn make(
        &mut self,
        index: usize,
        lane: Option<usize>,
        round: u32,
    ) -> Result<(Place, ContenderFacts), LaneError> {
        let contender = self.plan.contenders[index].clone();
        let kind = known(&contender)?;
        let made = match kind.ground {
            Ground::Directory => self.make_directory(index, &contender)?,
            _ => self.make_mount(index, lane, round, kind)?,
        };
        let facts = mounted::facts(&contender, kind, &made);
        let place = self.place(&made);
        self.mounted[index] = Some(made);
        Ok((place, facts?))
    }

    fn place(&self, made: &Mounted) -> Place {
        let lane = made.lane.map(|lane| &self.lanes[lane]);
        let library = lane.filter(|_| !made.is_mounted).map(Lane::path);
        let backing = if library.is_some() { None } else { mounted::backing(&made.directory) };
        Place { directory: made.directory.clone(), device: lane.map(Lane::name), backing, library, id: made.id }
    }

    fn make_mount(&mut self, index: usize, lane: Option<usize>, round: u32, kind: &Kind) -> Result<Mounted, LaneError> {
        let point = self.folder.join(format!("contender-{index}"));
        if !point.exists() {
            self.ledger.make_directory(&point, 0o755)?;
            self.ledger.announce(Made::Mount { path: point.clone() })?;
        }
        let identity = Identity::of(self.plan.seed, round, index);
        let lane = lane.map(|lane| Ok((lane, self.stack(index, lane, kind, &identity)?))).transpose()?;
        let contender = &self.plan.contenders[index];
        let mounting = self.mounting(contender, kind, lane.as_ref().map(|(_, stack)| &*stack.device))?;
        mounted::make(contender, kind, lane, &identity, &mounting, &point)
    }

    /// Makes the layers of contender `index` on a lane, after what a failed contender has left there.
    fn stack(&mut self, index: usize, lane: usize, kind: &Kind, identity: &Identity) -> Result<Stack, LaneError> {
        self.take_down(lane)?;
        let (lane, layers) = (&self.lanes[lane], &self.plan.contenders[index].layers);
        if kind.is_pool || !layers.is_empty() {
            self.ledger.announce_once(lane.layers())?;
        }
        if self.ledger.has(&lane.layers()) {
            layer::wipe(&lane.path())?;
        }
        let name = format!("{}_{index}", self.ledger.token());
        let (device, key, number) = (lane.path(), self.folder.join("key"), lane.number());
        let place = StackPlace { device: &device, name: &name, number, uuid: &identity.hash_seed, key: &key };
        layer::raise(layers, &place, Raise::Create)
    }

    fn take_down(&self, lane: usize) -> Result<(), LaneError> {
        let device = self.lanes[lane].name();
        layer::take_down(&device).map(drop).map_err(|source| LaneError::TakeDown { device, source })
    }

    /// What is mounted for `contender`, and how.
    fn mounting(&self, contender: &Contender, kind: &Kind, device: Option<&Path>) -> Result<Mounting, LaneError> {
        let source = device.map_or_else(|| "fsarena".to_owned(), |device| device.display().to_string());
        match kind.ground {
            Ground::Library => Ok(Mounting { source, options: mounted::UNTOUCHED.to_owned() }),
            Ground::Share => {
                let shares = self.plan.guest.iter().flat_map(|guest| &guest.shares);
                let share = shares.into_iter().find(|share| share.label == contender.label);
                let share = share.ok_or_else(|| LaneError::NoShare { contender: contender.label.to_string() })?;
                let own = Some(contender.mount.as_str()).filter(|own| !own.is_empty());
                let options = [share.options.as_str()].into_iter().chain(own).collect::<Vec<_>>().join(",");
                Ok(Mounting { source: share.source.clone(), options })
            }
            _ => Ok(Mounting { source, options: kind.mount_options(contender).to_owned() }),
        }
    }

    fn make_directory(&mut self, index: usize, contender: &Contender) -> Result<Mounted, LaneError> {
        if let Some((directory, id)) = self.directories.get(&index) {
            return Ok(Mounted::in_place(directory.clone(), Some(*id)));
        }
        require::directory(contender)?;
        let parent = contender.path.as_deref().unwrap_or(Path::new("."));
        let parent = parent.canonicalize().map_err(LaneError::io("look up", parent))?;
        let directory = parent.join(format!("{}-{index}", self.ledger.name()));
        let made = self.ledger.make_directory(&directory, 0o755)?;
        let id = made.id().map_err(LaneError::io("look up", &directory))?;
        self.directories.insert(index, (directory.clone(), id));
        Ok(Mounted::in_place(directory, Some(id)))
    }

    /// Brings contender `index` to rest: remounts it read-only, so that no work is left for later, and read-write
    /// again. Returns how long that took; `None` if the contender is not mounted on a lane.
    ///
    /// # Errors
    /// If a file stays open for writing, or the read-write remount fails.
    pub fn quiesce(&mut self, index: usize) -> Result<Option<Nanos>, LaneError> {
        let Some(made) = self.mounted[index].as_ref().filter(|made| made.is_mounted && made.lane.is_some()) else {
            return Ok(None);
        };
        mounted::rest(&made.directory).map(Some)
    }

    /// A tmpfs of the run for references, mounted at the first call; a run without lanes uses a folder in `/dev/shm`.
    /// `None` if `/dev/shm` is needed and is not a tmpfs.
    ///
    /// # Errors
    /// If the ledger cannot be written, or the mount fails.
    pub fn memory(&mut self) -> Result<Option<Place>, LaneError> {
        if self.memory.is_none() {
            self.memory = storage::memory(&mut self.ledger, &self.plan, &self.folder)?;
        }
        let directory = self.memory.clone();
        let place = |directory: PathBuf| {
            let backing = mounted::backing(&directory);
            Place { directory, backing, ..Place::default() }
        };
        Ok(directory.map(place))
    }

    /// Limits the memory of this process, including what it brings into the page cache from now on, to `limit`.
    ///
    /// # Errors
    /// If this machine has no such limits, this user may not set them, or the kernel refuses this one.
    pub fn confine(&mut self, limit: Bytes) -> Result<(), LaneError> {
        if self.plan.contenders.iter().any(|contender| kind(&contender.kind).is_some_and(|kind| kind.is_pool)) {
            pool::limit_cache(&mut self.ledger, limit)?;
        }
        match &mut self.group {
            Some(group) => group.enter(limit),
            none => none.insert(MemoryGroup::make(&mut self.ledger)?).enter(limit),
        }
    }

    /// Ends [`LaneSet::confine`], and evicts what was brought into the page cache meanwhile.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn release(&mut self) -> Result<(), LaneError> {
        self.ledger.set_parameters_back()?;
        self.group.as_mut().map_or(Ok(()), MemoryGroup::leave)
    }

    /// Unmounts contender `index` and checks its file system; `None` if there is nothing to check, or this process has
    /// been asked to stop.
    ///
    /// # Errors
    /// If it stays busy, or the checker cannot be started or does not end.
    pub fn finish(&mut self, index: usize) -> Result<Option<CheckResult>, LaneError> {
        let contender = &self.plan.contenders[index];
        let kind = known(contender)?;
        let Some(mut made) = self.mounted[index].take() else { return Ok(None) };
        if kind.ground == Ground::Directory {
            return Ok(None);
        }
        if let Err(error) = if made.is_mounted { made.unmount() } else { Ok(()) } {
            self.mounted[index] = Some(made);
            return Err(error);
        }
        let Some(lane) = made.lane else { return Ok(None) };
        let checked = mounted::check(kind, &made.stack.device)?;
        self.take_down(lane)?;
        Ok(checked)
    }

    /// Removes everything that the run has made.
    ///
    /// # Errors
    /// [`LaneError::Leftover`] if something cannot be removed.
    pub fn close(mut self) -> Result<(), LaneError> {
        self.take_away()
    }

    fn take_away(&mut self) -> Result<(), LaneError> {
        for mut made in self.mounted.iter_mut().filter_map(Option::take).filter(|made| made.is_mounted) {
            let _ = made.unmount();
        }
        self.group = None;
        self.trace_buffer = None;
        self.lanes.clear();
        self.calibration_device = None;
        self.disks.clear();
        self.ledger.undo()
    }
}

impl Drop for LaneSet {
    fn drop(&mut self) {
        let _ = self.take_away();
    }
}
