//! Which runs in guests are possible: the kernels that there are, and room for guests and disks.

use anyhow::Result;
use fsarena_lane::{disk, require};
use fsarena_model::{Bytes, Contender, DebianRelease, Plan, Storage, distinct};
use fsarena_sys::memory;

use super::{InGuest, several, share_of};
use crate::checks::require_storage;
use crate::{Refusal, Refusals, folders};

impl InGuest {
    /// Refuses what no wait for other runs makes possible: a storage that is none, kernels that Debian does not have,
    /// programs that do not fit the release, folders of the host with a simulated disk, and guests and disks for which
    /// all of this machine's memory would not suffice.
    ///
    /// # Errors
    /// All reasons that are found.
    pub fn require_possible(&self, plan: &Plan) -> Result<()> {
        let mut refusals = Refusals::default();
        refusals.take(require_storage(plan));
        let kernels = plan.kernels().into_iter().flatten().chain(self.wanted.kernel.as_deref());
        refusals.take(require_kernels(&self.wanted.release, kernels));
        let newest = DebianRelease::default();
        let experimental = self.wanted.packages.iter().find_map(|package| package.split_once("/experimental"));
        if let Some((package, _)) = experimental.filter(|_| self.wanted.release.base() != newest.base()) {
            let text = format!("{package} of Debian's suite experimental does not fit {}", self.wanted.release);
            refusals.add(Refusal::wrong_use(text, format!("--guest-release {newest}, the default")));
        }
        let share = plan.contenders.iter().find(|contender| share_of(contender).is_some());
        if let Some(contender) = share.filter(|_| self.simulated.is_some()) {
            let text = format!("`{}` is a folder of the host, and the others lie on a simulated disk", contender.label);
            refusals.add(Refusal::wrong_use(text, "leave out --guest-disk and --guest deterministic"));
        }
        refusals.take(self.require_memory(plan, memory::total()));
        refusals.end()
    }

    /// Refuses guests and disks for which this machine has no room now.
    ///
    /// # Errors
    /// If memory does not suffice, or the folder of the disks.
    pub fn require_room(&self, plan: &Plan) -> Result<()> {
        if !self.is_in_memory(plan) {
            require::space(plan)?;
        }
        self.require_memory(plan, memory::available())
    }

    /// Whether the disks are in memory.
    fn is_in_memory(&self, plan: &Plan) -> bool {
        self.simulated.is_some() || plan.lanes.storage == Storage::Memory
    }

    /// Refuses guests, and disks in memory, that do not fit into `free` bytes: one guest for each kernel, at the same
    /// time unless they count instructions.
    fn require_memory(&self, plan: &Plan, free: Option<Bytes>) -> Result<()> {
        let is_in_memory = self.is_in_memory(plan);
        let disks = plan.kernels().into_iter().filter(|_| is_in_memory).map(|kernel| {
            let of_kernel = disk::needed(&several::of_kernel(plan, kernel));
            of_kernel.map_or(u64::MAX, |size| size.0)
        });
        let (count, disks) = match self.is_deterministic() {
            true => (1, disks.max().unwrap_or(0)),
            false => (plan.kernels().len() as u64, disks.fold(0, u64::saturating_add)),
        };
        Ok(fsarena_guest::require_memory(count, self.wanted.memory, Bytes(disks), free)?)
    }
}

/// Refuses kernels that Debian does not have; the programs of their guests are those of `release`.
///
/// # Errors
/// All of them.
pub fn require_kernels<'a>(release: &DebianRelease, kernels: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let (mut refusals, cache) = (Refusals::default(), folders::cache()?);
    for kernel in distinct(kernels) {
        refusals.take(fsarena_guest::require_kernel(&cache, release, kernel));
    }
    refusals.end()
}

/// Refuses contenders of several kernels if one of them has something that one guest has: a virtual disk of its own, or
/// a folder of the host.
///
/// # Errors
/// The first such contender.
pub fn require_one_guest(plan: &Plan) -> Result<(), Refusal> {
    let shared = plan.contenders.iter().find_map(|it| Some((it, of_one_guest(it)?)));
    match shared.filter(|_| plan.kernels().len() > 1) {
        None => Ok(()),
        Some((contender, what)) => {
            let text = format!("`{}` {what}, for which there is one guest", contender.label);
            Err(Refusal::wrong_use(text, "name the same kernel for all contenders"))
        }
    }
}

/// What a contender has that only one guest of a run can have.
fn of_one_guest(contender: &Contender) -> Option<&'static str> {
    match contender.disk {
        Some(_) => Some("has a virtual disk of its own"),
        None => share_of(contender).map(|_| "is a folder of the host"),
    }
}
