//! Contenders that are libraries on this machine, and the unmount of other contenders as a timed step.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Job, Upkeep};
use fsarena_lane::{CheckResult, Remounted};
use fsarena_model::{Step, Verification, Workload};

use super::Machine;
use crate::libraries::library_of;
use crate::{Result, Verified};

impl Machine {
    /// The name of a contender's library, and the device that it works on; `None` for other contenders.
    pub(super) fn library(&self, contender: usize) -> Option<(&'static str, PathBuf)> {
        let device = self.volumes.get(contender)?.place.as_ref()?.library.clone()?;
        Some((library_of(self.plan.contenders.get(contender)?)?, device))
    }

    /// A job on a newly made file system.
    pub(super) fn open_in_library(
        &mut self,
        contender: usize,
        (workload, seed): (&Workload, u64),
        library: &'static str,
        device: &Path,
        stop: &AtomicBool,
    ) -> Result<Box<dyn Job>> {
        self.lane_set.renew(contender)?;
        let mut job = self.engines.of(workload)?.open_in_library(workload, library, device, seed)?;
        job.upkeep(Upkeep::Prepare, stop)?;
        Ok(job)
    }

    /// Checks and reads a library's file system. Findings of the checker, and files that the kernel cannot read, count
    /// as differences.
    pub(super) fn verify_library(
        &mut self,
        contender: usize,
        workload: &Workload,
        job: &mut dyn Job,
        stop: &AtomicBool,
    ) -> Result<Option<Verified>> {
        let shown = self.lane_set.show(contender, |root| job.verify(&root.join(&workload.name), stop))?;
        let Some(shown) = shown else { return Ok(None) };
        let mut differences = complaint(&shown.check);
        let mut found = match shown.seen {
            Ok(found) => found.unwrap_or_else(|error| unread(&error.to_string())),
            Err(error) => unread(&error.to_string()),
        };
        differences.append(&mut found.differences);
        Ok(Some(Verified { found: Verification { differences, ..found }, unmounted: None }))
    }

    /// Remounts a contender and returns the unmount as a step; `None` if it cannot be remounted.
    pub(super) fn remount_timed(&mut self, contender: usize) -> Result<Option<Step>> {
        let before = self.volumes[contender].place.take();
        let Some(Remounted { place, unmounting, written }) = self.lane_set.remount(contender)? else {
            self.volumes[contender].place = before;
            return Ok(None);
        };
        self.volumes[contender].place = Some(place);
        let name = "unmount".to_owned();
        Ok(Some(Step { name, operations: 1, bytes: 0, elapsed: unmounting, synced: None, written }))
    }
}

fn complaint(check: &CheckResult) -> Vec<String> {
    if check.clean { Vec::new() } else { vec![format!("the checker: {}", check.output)] }
}

fn unread(why: &str) -> Verification {
    Verification { files: 0, differences: vec![format!("nothing could be read: {why}")] }
}
