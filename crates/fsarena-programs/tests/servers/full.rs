//! Tests of a lane without free space.

use std::path::{Path, PathBuf};
use std::process::Command;

use fsarena_engine::{RunStats, Upkeep};
use fsarena_testing::{Need, has};

use super::place::{done, folder, left, open, pages, pgbench, prepared, wait_for};

/// A small file system in memory.
struct Small(PathBuf);

impl Small {
    /// `None` without root.
    fn mount(place: &Path, size: &str) -> Option<Self> {
        if !has(&[Need::Root]) {
            return None;
        }
        let options = format!("size={size},mode=0711");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(place).status();
        assert!(mounted.is_ok_and(|status| status.success()), "mounted");
        Some(Self(place.to_owned()))
    }

    /// Fills all free space.
    fn fill(&self) {
        let full = std::fs::write(self.0.join("filler"), vec![1; 256 << 20]);
        full.expect_err("it is small");
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

const WORDS: &str = "No space left on device";

#[test]
fn a_database_that_does_not_fit_says_so_and_leaves_nothing() {
    let place = folder();
    let Some(_small) = Small::mount(place.path(), "72M") else { return };
    let mut job = open(&pgbench(10), place.path());
    let error = job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect_err("there is no room").to_string();
    assert!(error.contains(WORDS), "{error}");
    drop(job);
    wait_for("a process goes on", || left(&[place.path()]).is_empty().then_some(()));
}

#[test]
fn a_database_that_runs_out_of_room_says_so_and_leaves_nothing() {
    let place = folder();
    let Some(small) = Small::mount(place.path(), "224M") else { return };
    let mut job = prepared(&pgbench(20_000), place.path());
    small.fill();
    let error = done(&mut *job, &mut RunStats::new()).expect_err("there is no room").to_string();
    assert!(error.contains(WORDS), "{error}");
    drop(job);
    wait_for("a process goes on", || left(&[place.path()]).is_empty().then_some(()));
}

#[test]
fn pages_that_do_not_fit_say_so() {
    let place = folder();
    let Some(_small) = Small::mount(place.path(), "2M") else { return };
    let error = open(&pages(400), place.path())
        .upkeep(Upkeep::Prepare, &fsarena_engine::NEVER)
        .expect_err("there is no room")
        .to_string();
    assert!(error.contains(WORDS) && error.contains(".html"), "{error}");
}
