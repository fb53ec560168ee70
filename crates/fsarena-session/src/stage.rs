//! The stage: everything of the outer world that a session touches. The real one is [`crate::Machine`]; tests have
//! one that is exact.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Job};
use fsarena_lane::{CheckResult, LaneError};
use fsarena_model::{
    Blame, Bytes, Conditions, ContenderFacts, Environment, Explained, LaneCost, Nanos, Place, Reading, Step,
    Verification, Workload,
};

/// Why a part of a run failed, in words.
#[derive(Debug, Clone)]
pub struct Trouble {
    /// What happened.
    pub text: String,
    /// Who has to act.
    pub blame: Blame,
    /// The way out.
    pub hint: Option<String>,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<LaneError> for Trouble {
    fn from(error: LaneError) -> Self {
        Self { text: error.to_string(), blame: error.blame(), hint: error.hint() }
    }
}

impl From<EngineError> for Trouble {
    fn from(error: EngineError) -> Self {
        Self { text: error.to_string(), blame: error.blame(), hint: error.hint() }
    }
}

/// What a contender has left, compared after it was unmounted.
#[derive(Debug, Clone, Default)]
pub struct Verified {
    /// What comparing has found.
    pub found: Verification,
    /// The unmount before; `None` where there was none, or where it belongs to the work.
    pub unmounted: Option<Step>,
}

/// Everything of the outer world that a session touches. Contenders are numbered as in the plan.
pub trait Stage {
    /// Reads the machine, and measures what its lanes cost; called once, before the first round.
    ///
    /// # Errors
    /// If a lane refuses.
    fn survey(&mut self) -> Result<Environment, Trouble>;

    /// Makes a contender afresh on a lane and mounts it.
    ///
    /// # Errors
    /// If mkfs or mount fails.
    fn make(&mut self, contender: usize, lane: Option<usize>, round: u32) -> Result<ContenderFacts, Trouble>;

    /// Opens a workload in a new directory of the contender, and prepares it; that ends soon once `stop` is set.
    ///
    /// # Errors
    /// If the file system refuses.
    fn open(
        &mut self,
        contender: usize,
        workload: &Workload,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Box<dyn Job>, Trouble>;

    /// Mounts the contender again, so that its files are on the device only; `false` where that cannot be done.
    ///
    /// # Errors
    /// If it stays busy or does not mount again.
    fn remount(&mut self, contender: usize) -> Result<bool, Trouble>;

    /// Writes everything of the contender to its device, and says how long that took.
    ///
    /// # Errors
    /// If the file system refuses.
    fn settle(&mut self, contender: usize) -> Result<Nanos, Trouble>;

    /// Removes the workload's directory with all that is in it.
    ///
    /// # Errors
    /// If the file system refuses.
    fn clear(&mut self, contender: usize, workload: &Workload) -> Result<(), Trouble>;

    /// Starts reading the contender's counters, until the next [`Stage::count`].
    fn watch(&mut self, contender: usize);

    /// Adds what the counters grew by since [`Stage::watch`] to the contender's totals.
    fn count(&mut self, contender: usize);

    /// The contender's totals since the last call, by the probes' names.
    fn totals(&mut self, contender: usize) -> BTreeMap<String, Reading>;

    /// The place of a reference, made if it is not there, by the number under which [`Stage::open`] and all others work with it
    /// as with a contender; `None` if `workload` cannot be done there. Closed again by nobody: it goes with the run.
    ///
    /// # Errors
    /// If the place cannot be made.
    fn refer(&mut self, _place: Place, _workload: &Workload) -> Result<Option<usize>, Trouble> {
        Ok(None)
    }

    /// Unmounts the contender and compares what a whole run of `workload` has left there with what its `job` says that it should be;
    /// `None` where the job cannot tell. It can be used afterwards. It ends soon once `stop` is set.
    ///
    /// # Errors
    /// If it does not mount again, or cannot be read.
    fn verify(
        &mut self,
        _contender: usize,
        _workload: &Workload,
        _job: &mut dyn Job,
        _stop: &AtomicBool,
    ) -> Result<Option<Verified>, Trouble> {
        Ok(None)
    }

    /// Brings a contender to rest, mounted read-only and back, and says how long that took; `None` where that cannot be done.
    ///
    /// # Errors
    /// If a file is open for writing, or it does not come back.
    fn rest(&mut self, _contender: usize) -> Result<Option<Nanos>, Trouble> {
        Ok(None)
    }

    /// What the counters have grown by since [`Stage::watch`]; enters no total.
    fn glance(&mut self, _contender: usize) -> BTreeMap<String, Reading> {
        BTreeMap::new()
    }

    /// Bytes in use on the contender's file system; `None` where that is not told.
    fn used(&mut self, _contender: usize) -> Option<Bytes> {
        None
    }

    /// Bytes of all files of the workload on the contender, as applications see them.
    fn logical(&mut self, _contender: usize, _workload: &Workload) -> Option<Bytes> {
        None
    }

    /// What a write and flush on the spare lane costs at the moment; `None` without lanes.
    ///
    /// # Errors
    /// If the lane refuses.
    fn lane_cost(&mut self) -> Result<Option<LaneCost>, Trouble> {
        Ok(None)
    }

    /// What the machine was kept from doing since the last call.
    fn conditions(&mut self) -> Conditions {
        Conditions::default()
    }

    /// Lets this process, with what it brings into the page cache from now on, have no more memory than `limit`.
    ///
    /// # Errors
    /// If this machine has no such limits.
    fn confine(&mut self, _limit: Bytes) -> Result<(), Trouble> {
        Ok(())
    }

    /// Ends [`Stage::confine`].
    ///
    /// # Errors
    /// If the kernel refuses.
    fn release(&mut self) -> Result<(), Trouble> {
        Ok(())
    }

    /// Unmounts a contender and checks its file system; `None` where there is nothing to check.
    ///
    /// # Errors
    /// If it stays busy, or the checker cannot be started.
    fn finish(&mut self, contender: usize) -> Result<Option<CheckResult>, Trouble>;
}
