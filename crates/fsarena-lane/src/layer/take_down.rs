//! Takes layers and pools down. What lies on a device is found in sysfs (`holders`), a pool by its name: this finds all
//! that a run or one of its programs has stacked on its lane, wherever it was killed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use fsarena_sys::child::{self, Patience};
use fsarena_sys::fault;

use super::PREFIX;
use crate::busy::BusyPatience;
use crate::pool;

/// A program that looks for new devices, such as udev, may keep one open for a moment.
const PATIENCE: BusyPatience = BusyPatience::seconds(5);

/// Removes all block devices and pools that lie on the device of this name, such as `loop1000`, the topmost first.
/// Returns their names.
///
/// # Errors
/// If one is in use, or its program is missing.
pub fn take_down(device: &str) -> io::Result<Vec<String>> {
    let removed = take_down_all(device)?;
    remove_links();
    Ok(removed)
}

fn take_down_all(device: &str) -> io::Result<Vec<String>> {
    let mut removed = Vec::new();
    for holder in holders(device) {
        removed.extend(take_down_all(&holder)?);
        // Its removal may have removed other holders of this device.
        if Path::new("/sys/class/block").join(&holder).exists() {
            removed.push(remove(&holder)?);
        }
    }
    removed.extend(pool::destroy(&path(device))?);
    Ok(removed)
}

/// The path under which layers and pools name a device.
fn path(device: &str) -> PathBuf {
    mapped_name(device).map_or_else(|| Path::new("/dev").join(device), |name| Path::new("/dev/mapper").join(name))
}

/// The name of a device of the device mapper.
fn mapped_name(device: &str) -> Option<String> {
    let name = fs::read_to_string(format!("/sys/class/block/{device}/dm/name")).ok()?;
    Some(name.trim().to_owned())
}

fn holders(device: &str) -> Vec<String> {
    let folder = fs::read_dir(format!("/sys/class/block/{device}/holders"));
    folder.into_iter().flatten().flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn remove(device: &str) -> io::Result<String> {
    match mapped_name(device) {
        Some(name) => remove_mapped(&name),
        None => run(&["mdadm", "--stop", "--quiet", &format!("/dev/{device}")]).map(|_| device.to_owned()),
    }
}

fn remove_mapped(name: &str) -> io::Result<String> {
    run(&["dmsetup", "remove", name]).map(|_| name.to_owned())
}

/// Removes what LVM has left below /dev of volume groups of runs whose devices are gone: folders with links. Where
/// there is udev, it does this.
fn remove_links() {
    let is_ours = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(PREFIX);
    for folder in fs::read_dir("/dev").into_iter().flatten().flatten().filter(is_ours) {
        let links = fs::read_dir(folder.path()).into_iter().flatten().flatten().map(|entry| entry.path());
        links.filter(|link| link.is_symlink() && !link.exists()).for_each(|link| drop(fs::remove_file(link)));
        // It stays if a link in it leads to a device of another run.
        let _ = fs::remove_dir(folder.path());
    }
}

/// Removes mapped devices with `token` in their names that lie on nothing: their program was killed before it gave
/// them a table.
pub fn take_down_named(token: &str) -> io::Result<Vec<String>> {
    if child::find_program("dmsetup").is_none() || !Path::new("/dev/mapper/control").exists() {
        return Ok(Vec::new());
    }
    let query = ["dmsetup", "info", "--columns", "--noheadings", "--separator", " ", "-o", "name,segments"];
    let listed = child::run(&query, Patience::unstoppable(Patience::QUERY))?;
    let lines = listed.stdout.lines().filter_map(|line| line.trim().rsplit_once(' '));
    // Those with a table lie on a lane, which has its own entry in the ledger.
    let names = lines.filter(|(name, segments)| name.contains(token) && *segments == "0").map(|(name, _)| name);
    names.map(remove_mapped).collect()
}

fn run(argv: &[&str]) -> io::Result<()> {
    PATIENCE.wait(|| {
        fault::step("remove layer")?;
        let ended = child::run(argv, Patience::unstoppable(Patience::QUERY))?;
        match ended.status.success() {
            true => Ok(()),
            false => {
                Err(io::Error::new(io::ErrorKind::ResourceBusy, format!("`{}`: {}", argv.join(" "), ended.words())))
            }
        }
    })
}
