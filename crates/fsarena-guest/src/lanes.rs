//! The virtual disks with the lanes: one for all of them, or one for each.

use std::fs::File;
use std::os::fd::AsRawFd;

use fsarena_model::guest::{CacheMode, DiskMode, ImageFormat};
use fsarena_model::{Bytes, GuestDisk, Storage};
use fsarena_sys::child;
use rustix::fs::{FallocateFlags, fallocate};

use crate::kernel::run;
use crate::qemu::TRANSLATED;
use crate::{GuestError, LANES, channel, lane_serial};

/// Memory of the host that guests leave free.
const RESERVE: Bytes = Bytes::mib(256);

/// What QEMU takes for itself at most: the code that it has translated, and what it knows of it. Measured with a guest
/// that ran MariaDB for minutes.
const QEMU: Bytes = Bytes(TRANSLATED.0 + Bytes::mib(256).0);

/// A virtual disk: a file without a name, in the storage of the lanes.
#[derive(Debug)]
pub struct LaneDisk {
    pub file: File,
    size: Bytes,
    /// Its serial number, and the name of its node in QEMU.
    pub serial: String,
    mode: DiskMode,
}

/// The disks of `size` bytes: one for each of `modes`, or one if there are none; none if the guest simulates its disk.
/// They are sparse until they are [allocated](allocate).
pub fn disks(lanes: Option<(&GuestDisk, Bytes)>, modes: &[DiskMode]) -> Result<Vec<LaneDisk>, GuestError> {
    let Some((GuestDisk::Virtual(storage), size)) = lanes else { return Ok(Vec::new()) };
    let disk = |serial: String, mode: DiskMode| {
        let (file, size) = match mode.format.unwrap_or_default() {
            ImageFormat::Raw => (raw(storage, size)?, size),
            ImageFormat::Qcow2 => qcow2(storage, size)?,
        };
        Ok(LaneDisk { file, size, serial, mode })
    };
    if modes.is_empty() {
        return Ok(vec![disk(LANES.to_owned(), DiskMode::default())?]);
    }
    modes.iter().enumerate().map(|(index, mode)| disk(lane_serial(index), *mode)).collect()
}

/// Refuses `count` guests of `memory` bytes each, with disks in memory, that do not fit into `free` bytes: the host's
/// kernel would end programs, or read their code from the disk again and again. `None`: the host does not say how much
/// there is.
///
/// # Errors
/// [`GuestError::NoMemory`].
pub fn require_memory(count: u64, memory: Bytes, disks: Bytes, free: Option<Bytes>) -> Result<(), GuestError> {
    let guests = Bytes(memory.0.saturating_add(QEMU.0).saturating_mul(count));
    let needed = guests.0.saturating_add(disks.0).saturating_add(RESERVE.0);
    match free.filter(|free| free.0 < needed) {
        None => Ok(()),
        Some(free) => Err(GuestError::NoMemory { guests, disks, free: Bytes(free.0.saturating_sub(RESERVE.0)) }),
    }
}

/// Bytes of the host's memory that these disks take, or the disk of `lanes` that the guest simulates.
pub fn in_memory(disks: &[LaneDisk], lanes: Option<(&GuestDisk, Bytes)>) -> Bytes {
    match lanes {
        Some((GuestDisk::Simulated(_), size)) => size,
        Some((GuestDisk::Virtual(Storage::Memory), _)) => Bytes(disks.iter().map(|disk| disk.size.0).sum()),
        _ => Bytes(0),
    }
}

/// Allocates all bytes of the disks on the host, which takes seconds: a guest may boot in the meantime.
pub fn allocate(disks: &[LaneDisk], lanes: Option<(&GuestDisk, Bytes)>) -> Result<(), GuestError> {
    let Some((GuestDisk::Virtual(storage), _)) = lanes else { return Ok(()) };
    disks.iter().try_for_each(|disk| {
        let allocated = fallocate(&disk.file, FallocateFlags::KEEP_SIZE, 0, disk.size.0);
        allocated.map_err(|error| GuestError::NoRoom {
            what: "a disk",
            place: storage.to_string(),
            needed: disk.size,
            source: error.into(),
        })
    })
}

fn raw(storage: &Storage, size: Bytes) -> Result<File, GuestError> {
    let file = channel::empty(storage)?;
    file.set_len(size.0).map_err(GuestError::io("make", "a disk"))?;
    Ok(file)
}

/// A file in format qcow2, as qemu-img makes it, and the most bytes that it can take: tables take 1/4096 of the size
/// (docs/interop/qcow2.txt of QEMU: eight bytes and two per cluster of 64 KiB).
fn qcow2(storage: &Storage, size: Bytes) -> Result<(File, Bytes), GuestError> {
    let program = "qemu-img";
    child::find_program(program).ok_or(GuestError::ProgramMissing { program, package: "qemu-utils" })?;
    let most = Bytes(size.0 + size.0 / 4096 + (4 << 20));
    let file = channel::empty(storage)?;
    channel::inherit(&file)?;
    let (path, bytes) = (format!("/dev/fd/{}", file.as_raw_fd()), size.0.to_string());
    run(&[program, "create", "-q", "-f", "qcow2", &path, &bytes], "qemu-img create")?;
    Ok((file, most))
}

impl LaneDisk {
    /// QEMU's arguments. `set` is the number of its set of descriptors.
    pub fn arguments(&self, set: usize) -> Vec<String> {
        let Self { file, serial, mode, .. } = self;
        let cache = mode.cache.unwrap_or_default();
        let on = |is_on: bool| if is_on { "on" } else { "off" };
        let flags = format!("cache.direct={},cache.no-flush={}", on(cache.is_direct()), on(cache == CacheMode::Unsafe));
        let path = format!("driver=file,filename=/dev/fdset/{set},{flags}");
        let nodes = match mode.format.unwrap_or_default() {
            ImageFormat::Raw => vec![format!("{path},node-name={serial}")],
            ImageFormat::Qcow2 => {
                vec![
                    format!("{path},node-name={serial}-file"),
                    format!("driver=qcow2,file={serial}-file,{flags},node-name={serial}"),
                ]
            }
        };
        let device = format!(
            "virtio-blk-pci,drive={serial},serial={serial},write-cache={},werror=report",
            on(!cache.syncs_each_write())
        );
        let descriptor = ("-add-fd", format!("fd={},set={set}", file.as_raw_fd()));
        let nodes = nodes.into_iter().map(|node| ("-blockdev", node));
        let options = std::iter::once(descriptor).chain(nodes).chain([("-device", device)]);
        options.flat_map(|(name, value)| [name.to_owned(), value]).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use fsarena_model::Explained;
    use fsarena_model::guest::Simulated;
    use fsarena_sys::memory;

    use super::*;

    /// The settings that qemu(1) lists for `cache=` of `-drive`: write-back, direct and no-flush.
    #[test]
    fn a_cache_mode_is_three_settings_of_qemu() {
        let modes = [
            ("writeback", "on", "off", "off"),
            ("none", "on", "on", "off"),
            ("writethrough", "off", "off", "off"),
            ("directsync", "off", "on", "off"),
            ("unsafe", "on", "off", "on"),
        ];
        for (name, writeback, direct, no_flush) in modes {
            let mode: DiskMode = format!("cache={name},format=qcow2").parse().expect("well spelled");
            let lanes = GuestDisk::Virtual(Storage::Memory);
            let (file, size) = (channel::empty(&Storage::Memory).expect("memory"), Bytes::mib(1));
            let disk = LaneDisk { file, size, serial: "s".to_owned(), mode };
            let words = disk.arguments(1).join(" ");
            let flags = format!("cache.direct={direct},cache.no-flush={no_flush}");
            assert_eq!(words.matches(&flags).count(), 2, "{words}");
            assert!(words.contains(&format!("write-cache={writeback}")), "{words}");
            assert_eq!(disks(Some((&lanes, Bytes::mib(1))), &[]).expect("memory").len(), 1);
        }
    }

    #[test]
    fn a_disk_that_memory_cannot_hold_is_refused() {
        let lanes = (&GuestDisk::Virtual(Storage::Memory), Bytes::gib(1 << 20));
        let disks = disks(Some(lanes), &[]).expect("sparse");
        let refused = |memory, disks| {
            let error = require_memory(2, memory, disks, memory::total()).expect_err("no machine has it");
            (error.to_string(), error.hint().expect("a way out"))
        };
        let (text, hint) = refused(Bytes::mib(64), in_memory(&disks, Some(lanes)));
        assert!(
            text.starts_with("no room in memory for 1.62 GiB of guests with QEMU and 1024 TiB of their disks: "),
            "{text}"
        );
        assert!(hint.contains("--storage") && hint.contains("--lane-size"), "{hint}");
        // No other disk would help.
        let (text, hint) = refused(Bytes::gib(1 << 20), Bytes(0));
        assert!(text.starts_with("no room in memory for 2048 TiB of guests with QEMU: "), "{text}");
        assert_eq!(hint, "a smaller --guest-memory");
        let simulated = (&GuestDisk::Simulated(Simulated::default()), Bytes::gib(1 << 20));
        assert_eq!(in_memory(&[], Some(simulated)), simulated.1);
        let lanes = (&GuestDisk::Virtual(Storage::Directory("/var/tmp".into())), Bytes::mib(1));
        assert_eq!(in_memory(&super::disks(Some(lanes), &[]).expect("a folder"), Some(lanes)), Bytes(0));
        require_memory(1, Bytes::mib(1), Bytes::mib(1), memory::available()).expect("room");
    }

    #[test]
    fn a_disk_is_allocated_in_full_and_keeps_its_size() {
        let lanes = (&GuestDisk::Virtual(Storage::Memory), Bytes::mib(1));
        let disks = disks(Some(lanes), &[]).expect("memory");
        let facts = |disk: &LaneDisk| disk.file.metadata().map(|it| (it.len(), it.blocks() * 512)).expect("open");
        assert_eq!(facts(&disks[0]), (1 << 20, 0));
        allocate(&disks, Some(lanes)).expect("room");
        assert_eq!(facts(&disks[0]), (1 << 20, 1 << 20));
    }
}
