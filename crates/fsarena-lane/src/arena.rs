//! The arena: all that a run makes on the machine, from the run's folder and its lanes to mounted contenders.

mod library;
mod limits;
mod remount;
mod spare;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use fsarena_model::{Contender, ContenderFacts, Nanos, Plan, seed};

pub use library::Shown;
pub use remount::Remounted;

use crate::cgroup::MemoryGroup;
use crate::disk::UUID_PURPOSE;
use crate::kind::{Ground, Identity, Kind};
use crate::lane::Lane;
use crate::ledger::{Ledger, Made, make_folder};
use crate::precondition::Target;
use crate::require::{self, known, made_lanes};
use crate::site::Site;
use crate::{LaneError, memory, precondition, queue, site, storage};

/// Where a contender works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The directory.
    pub directory: PathBuf,
    /// The block device's name below `/sys/block`, where there is one of our own.
    pub device: Option<String>,
    /// The name of its backing device info (a new one after each mount), where it can be told.
    pub backing: Option<String>,
    /// The block device that a library works on by itself; the directory is nobody's then.
    pub library: Option<PathBuf>,
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
    disk: Option<File>,
    lanes: Vec<Lane>,
    spare: Option<Lane>,
    memory: Option<PathBuf>,
    group: Option<MemoryGroup>,
    sites: Vec<Option<Site>>,
    ledger: Ledger,
}

impl Arena {
    /// Makes the run's folder and as many lanes as there are contenders that need one, and a spare one; or one for all in turn.
    ///
    /// `telling` is called before each step, in words; once it says [`Go::Stop`], no further lane is made.
    ///
    /// # Errors
    /// If any of it fails; what was made by then is taken away.
    pub fn open(plan: Plan, run: i64, ledger: Ledger, telling: &mut dyn FnMut(&str) -> Go) -> Result<Self, LaneError> {
        let sites = plan.contenders.iter().map(|_| None).collect();
        let mut arena = Self {
            plan,
            folder: PathBuf::new(),
            disk: None,
            lanes: Vec::new(),
            spare: None,
            memory: None,
            group: None,
            sites,
            ledger,
        };
        arena.build(run, telling).map(|()| arena)
    }

    fn build(&mut self, run: i64, telling: &mut dyn FnMut(&str) -> Go) -> Result<(), LaneError> {
        if self.plan.contenders.iter().all(|contender| contender.kind == "dir") {
            return Ok(());
        }
        let count = made_lanes(&self.plan);
        storage::show_kernel_counters(&mut self.ledger)?;
        self.folder = storage::make_place(&mut self.ledger, &self.plan, run, count)?;
        self.disk = if count == 0 { None } else { storage::hold_disk(&mut self.ledger, &self.plan, count)? };
        for index in 0..count {
            if telling(&format!("writing lane {} of {count}", index + 1)) == Go::Stop {
                return Ok(());
            }
            let disk = self.disk.as_ref();
            self.lanes.push(storage::open_lane(&mut self.ledger, &self.plan, &self.folder, disk, index)?);
        }
        self.spare = if self.plan.lanes.is_own() { self.lanes.pop() } else { None };
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
            Ground::Directory => self.make_directory(&contender)?,
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
        Place { directory: site.directory.clone(), device: lane.map(Lane::name), backing, library }
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
            fs::create_dir(&point).map_err(LaneError::io("create the folder", &point))?;
            self.ledger.announce(Made::Mount { path: point.clone() })?;
        }
        let numbers = [u64::from(round), index as u64];
        let identity = Identity {
            uuid: seed::uuid(self.plan.seed, UUID_PURPOSE, &numbers),
            hash_seed: seed::uuid(self.plan.seed, "hash-seed", &numbers),
        };
        let lane = lane.map(|lane| (lane, &self.lanes[lane]));
        site::make(&self.plan.contenders[index], kind, lane, &identity, &point)
    }

    fn make_directory(&mut self, contender: &Contender) -> Result<Site, LaneError> {
        require::directory(contender)?;
        let parent = contender.path.as_deref().unwrap_or(Path::new("."));
        let parent = parent.canonicalize().map_err(LaneError::io("look up", parent))?;
        let index = self.plan.contenders.iter().position(|other| other.label == contender.label).unwrap_or(0);
        let directory = parent.join(format!("fsarena-{}-{index}", self.ledger.token()));
        if !directory.exists() {
            self.ledger.announce(Made::Folder { path: directory.clone() })?;
            make_folder(&directory, self.ledger.token())?;
        }
        Ok(Site::in_place(directory))
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
        self.disk = None;
        self.ledger.undo()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let _ = self.take_away();
    }
}
