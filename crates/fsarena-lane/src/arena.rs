//! The arena: all that a run makes on the machine, from the run's folder and its lanes to mounted contenders.

mod library;
mod limits;
mod remount;
mod spare;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fsarena_model::{Contender, ContenderFacts, Nanos, Plan, seed};
use fsarena_sys::directory::{Directory, FileId};

pub use library::Shown;
pub use remount::Remounted;

use crate::cgroup::MemoryGroup;
use crate::disk::{Consent, Disk, hold};
use crate::kind::{Ground, Identity, Kind};
use crate::lane::Lane;
use crate::ledger::{Ledger, Made};
use crate::precondition::Target;
use crate::require::{self, known, lane_count, made_lanes};
use crate::site::Site;
use crate::{LaneError, cost, memory, precondition, queue, site, storage};

/// Where a contender works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The directory.
    pub directory: PathBuf,
    /// The block device's name below `/sys/block`, where there is one of our own.
    pub device: Option<String>,
    /// The name of its backing device info (a new one after each mount), where it can be told.
    pub backing: Option<String>,
    /// The block device that a library works on by itself; the directory is not used then.
    pub library: Option<PathBuf>,
    /// Which directory it is, where it is not the root of a mount of our own.
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

/// What a checker found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckResult {
    /// Nothing wrong.
    pub clean: bool,
    /// The checker's words if there was.
    pub output: String,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Go {
    /// With the next step.
    On,
    /// No further.
    Stop,
}

/// Everything that a run makes on the machine. Dropped without [`Arena::close`], it takes away what it can.
#[derive(Debug)]
pub struct Arena {
    plan: Plan,
    folder: PathBuf,
    disks: Vec<Disk>,
    lanes: Vec<Lane>,
    spare: Option<Lane>,
    memory: Option<PathBuf>,
    group: Option<MemoryGroup>,
    sites: Vec<Option<Site>>,
    /// The run's directories in those of `dir` contenders, by the contender's number.
    directories: BTreeMap<usize, FileId>,
    ledger: Ledger,
}

impl Arena {
    /// Makes the run's folder and as many lanes as there are contenders that need one, and a spare one; or one for all in turn.
    ///
    /// `telling` is called before each step, in words; once it says [`Go::Stop`], no further lane is made.
    ///
    /// # Errors
    /// If any of it fails; what was made by then is taken away.
    pub fn open(plan: Plan, ledger: Ledger, telling: &mut dyn FnMut(&str) -> Go) -> Result<Self, LaneError> {
        let disks = hold(&plan, &Consent::default())?;
        Self::open_on(disks, plan, ledger, telling)
    }

    /// As [`Arena::open`], on disks that are held already.
    ///
    /// # Errors
    /// If any of it fails; what was made by then is taken away.
    pub fn open_on(
        disks: Vec<Disk>,
        plan: Plan,
        ledger: Ledger,
        telling: &mut dyn FnMut(&str) -> Go,
    ) -> Result<Self, LaneError> {
        let sites = plan.contenders.iter().map(|_| None).collect();
        let mut arena = Self {
            plan,
            folder: PathBuf::new(),
            disks,
            lanes: Vec::new(),
            spare: None,
            memory: None,
            group: None,
            sites,
            directories: BTreeMap::new(),
            ledger,
        };
        arena.build(telling).map(|()| arena)
    }

    fn build(&mut self, telling: &mut dyn FnMut(&str) -> Go) -> Result<(), LaneError> {
        if self.plan.contenders.iter().all(|contender| contender.kind == "dir") {
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
        let has_spare = self.plan.lanes.is_own() && count > lane_count(&self.plan);
        self.spare = if has_spare { self.lanes.pop() } else { None };
        Ok(())
    }

    /// Writes all lanes, the spare one too, in full twice, and then at random in rounds of a second, as long as `goes_on` says so of
    /// their writes per second. `None` without lanes, or if `telling` says [`Go::Stop`].
    ///
    /// # Errors
    /// If a lane refuses.
    pub fn precondition(
        &self,
        telling: &mut dyn FnMut(&str) -> Go,
        goes_on: &dyn Fn(&[f64]) -> Go,
    ) -> Result<Option<Vec<f64>>, LaneError> {
        let lanes = self.lanes.iter().chain(&self.spare);
        let targets = lanes.map(|lane| Ok(Target { path: lane.path(), size: lane.size()? }));
        let targets = targets.collect::<Result<Vec<Target>, LaneError>>()?;
        match targets.is_empty() {
            true => Ok(None),
            false => precondition::condition(&targets, self.plan.seed, precondition::ROUND, telling, goes_on),
        }
    }

    /// The lanes' queue settings, equal for all.
    pub fn queue_settings(&self) -> BTreeMap<String, String> {
        self.free_lane().map(|lane| queue::settings(lane.number())).unwrap_or_default()
    }

    /// What lies beneath the lanes, where lanes were made: the folder with the images, or the disk.
    pub fn beneath(&self) -> Option<PathBuf> {
        (!self.lanes.is_empty()).then(|| storage::beneath(&self.plan, &self.folder))
    }

    /// The counters of the device beneath all lanes, and of each lane, by the paths of their `stat` in sysfs. `None` where
    /// what goes to a lane does not go to a device as it is: in memory, or through the host's page cache.
    pub fn traffic(&self) -> Option<(PathBuf, Vec<PathBuf>)> {
        let names: Vec<String> = self.lanes.iter().chain(&self.spare).map(Lane::name).collect();
        let is_direct = |name: &String| {
            let said = std::fs::read_to_string(format!("/sys/block/{name}/loop/dio"));
            said.is_ok_and(|said| said.trim() == "1")
        };
        let device = cost::device_beneath(&self.beneath()?)?.join("stat");
        let stat = |name: &String| PathBuf::from(format!("/sys/block/{name}/stat"));
        names.iter().all(is_direct).then(|| (device, names.iter().map(stat).collect()))
    }

    /// Makes contender `index` afresh on `lane` and mounts it; a `dir` contender gets a new subdirectory.
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
        let kind = known(&contender.label.0, &contender.kind)?;
        let site = match kind.ground() {
            Ground::Directory => self.make_directory(index, &contender)?,
            Ground::Lane | Ground::Library | Ground::Memory => self.make_mount(index, lane, round, kind)?,
        };
        let facts = site::facts(&contender, kind, &site);
        let place = self.place(&site);
        self.sites[index] = Some(site);
        Ok((place, facts?))
    }

    fn place(&self, site: &Site) -> Place {
        let lane = site.lane.map(|lane| &self.lanes[lane]);
        let library = lane.filter(|_| !site.is_mounted).map(Lane::path);
        let backing = if library.is_some() { None } else { site::backing(&site.directory) };
        Place { directory: site.directory.clone(), device: lane.map(Lane::name), backing, library, id: site.id }
    }

    fn make_mount(
        &mut self,
        index: usize,
        lane: Option<usize>,
        round: u32,
        kind: &dyn Kind,
    ) -> Result<Site, LaneError> {
        let point = self.folder.join(format!("contender-{index}"));
        if !point.exists() {
            self.ledger.make_directory(&point, 0o755)?;
            self.ledger.announce(Made::Mount { path: point.clone() })?;
        }
        let numbers = [u64::from(round), index as u64];
        let identity = Identity {
            uuid: seed::uuid(self.plan.seed, "uuid", &numbers),
            hash_seed: seed::uuid(self.plan.seed, "hash-seed", &numbers),
        };
        let lane = lane.map(|lane| (lane, &self.lanes[lane]));
        site::make(&self.plan.contenders[index], kind, lane, &identity, &point)
    }

    fn make_directory(&mut self, index: usize, contender: &Contender) -> Result<Site, LaneError> {
        require::directory(contender)?;
        let parent = contender.path.as_deref().unwrap_or(Path::new("."));
        let parent = parent.canonicalize().map_err(LaneError::io("look up", parent))?;
        if rustix::process::geteuid().is_root() {
            storage::require_safety(&parent)?;
        }
        let directory = parent.join(format!("{}-{index}", self.ledger.name()));
        if let Some(id) = self.directories.get(&index) {
            return Ok(Site::in_place(directory, Some(*id)));
        }
        let made = self.ledger.make_directory(&directory, 0o755)?;
        let id = made.id().map_err(LaneError::io("look up", &directory))?;
        self.directories.insert(index, id);
        Ok(Site::in_place(directory, Some(id)))
    }

    /// Brings contender `index` to rest: read-only, so that nothing is left for later, and back; how long that took. `None` where
    /// that cannot be done.
    ///
    /// # Errors
    /// If a file stays open for writing, or it does not come back.
    pub fn rest(&mut self, index: usize) -> Result<Option<Nanos>, LaneError> {
        let Some(site) = self.sites[index].as_ref().filter(|site| site.is_mounted && site.lane.is_some()) else {
            return Ok(None);
        };
        site::rest(&site.directory).map(Some)
    }

    /// A tmpfs of the run's own for references, made at the first call; without lanes of its own, a folder in `/dev/shm`. `None`
    /// where there is neither.
    ///
    /// # Errors
    /// If the ledger cannot be written, or the mount fails.
    pub fn memory(&mut self) -> Result<Option<Place>, LaneError> {
        if self.memory.is_none() {
            self.memory = memory::make(&mut self.ledger, &self.plan, &self.folder)?;
        }
        let directory = self.memory.clone();
        Ok(directory.map(|directory| Place {
            backing: site::backing(&directory),
            directory,
            device: None,
            library: None,
            id: None,
        }))
    }

    /// Unmounts contender `index` and checks its file system; `None` where there is nothing to check, or this process
    /// is to stop.
    ///
    /// # Errors
    /// If it stays busy, or the checker cannot be started.
    pub fn finish(&mut self, index: usize) -> Result<Option<CheckResult>, LaneError> {
        let contender = &self.plan.contenders[index];
        let kind = known(&contender.label.0, &contender.kind)?;
        let Some(site) = self.sites[index].take() else { return Ok(None) };
        if kind.ground() == Ground::Directory {
            return Ok(None);
        }
        if let Err(error) = if site.is_mounted { site::unmount(&site.directory) } else { Ok(()) } {
            self.sites[index] = Some(site);
            return Err(error);
        }
        site.lane.map_or(Ok(None), |lane| site::check(kind, &self.lanes[lane]))
    }

    /// Takes away everything that the run has made.
    ///
    /// # Errors
    /// [`LaneError::Leftover`] if something stays.
    pub fn close(mut self) -> Result<(), LaneError> {
        self.take_away()
    }

    fn take_away(&mut self) -> Result<(), LaneError> {
        for site in self.sites.iter_mut().filter_map(Option::take).filter(|site| site.is_mounted) {
            let _ = site::unmount(&site.directory);
        }
        self.group = None;
        self.lanes.clear();
        self.spare = None;
        self.disks.clear();
        self.ledger.undo()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let _ = self.take_away();
    }
}
