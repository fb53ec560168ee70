//! Images: files of equal size, written in full with seeded random bytes, never sparse.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};

use fsarena_model::Bytes;
use fsarena_sys::loopdev::FileExtent;
use fsarena_sys::{AlignedBuffer, fault};
use rand::Rng;
use rustix::fs::{FallocateFlags, OFlags, fallocate, fcntl_getfl, fcntl_setfl, fstatfs};
use rustix::io::Errno;

use crate::LaneError;
use fsarena_model::seed::generator;

const CHUNK: usize = 4 << 20;

/// One buffer is filled while the other is written.
const BUFFERS: usize = 2;

/// linux/magic.h
pub const TMPFS_MAGIC: rustix::fs::FsWord = 0x0102_1994;

/// Writes an image of `size` bytes, whose content is determined by `seed` and `number`, and syncs it.
pub fn write(path: &Path, size: Bytes, seed: u64, number: u32) -> Result<File, LaneError> {
    let file = fault::step("create image").and_then(|()| create(path)).map_err(LaneError::io("create", path))?;
    // Allocates the whole image at once if the host's file system can; otherwise the writes allocate it.
    let _ = fallocate(&file, FallocateFlags::empty(), 0, size.0);
    let all = FileExtent { offset: 0, size: size.0 };
    fill(&file, all, seed, number).and_then(|()| file.sync_all()).map_err(LaneError::io("write", path))?;
    Ok(file)
}

/// Uses direct I/O if the host supports it, so that the image does not go through the page cache. It is asked for once
/// the file is there: where it is not supported, open(2) makes the file and fails.
fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create_new(true).mode(0o600).open(path)?;
    let _ = make_direct(&file);
    Ok(file)
}

/// Asks for direct I/O.
pub fn make_direct(file: &File) -> Result<(), Errno> {
    fcntl_getfl(file).and_then(|flags| fcntl_setfl(file, flags | OFlags::DIRECT))
}

/// Whether files in `folder` can have direct I/O; `None` if no file can be made there.
pub fn can_be_direct(folder: &Path) -> Option<bool> {
    let file = tempfile::tempfile_in(folder).ok()?;
    Some(make_direct(&file) != Err(Errno::INVAL))
}

/// Fills the first `size` bytes of an open file as lanes are filled, so that later writes allocate no blocks, and returns
/// a path by which it can be opened again.
pub fn filled(file: &File, size: Bytes, seed: u64) -> Result<PathBuf, LaneError> {
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let all = FileExtent { offset: 0, size: size.0 };
    fill(file, all, seed, u32::MAX).and_then(|()| file.sync_all()).map_err(LaneError::io("fill", &path))?;
    Ok(path)
}

/// Writes `extent` with seeded random bytes, so that a host or a drive finds neither zeros nor repetition. A file on
/// tmpfs, which has no drive below it, repeats the first 4 MiB.
pub fn fill(file: &File, extent: FileExtent, seed: u64, number: u32) -> io::Result<()> {
    fault::step("fill image")?;
    let random = generator(seed, "image", &[u64::from(number)]);
    let repeats = fstatfs(file).is_ok_and(|host| host.f_type == TMPFS_MAGIC);
    let (empty, to_fill) = mpsc::channel();
    let (full, to_write) = mpsc::channel();
    (0..BUFFERS).for_each(|_| drop(empty.send(AlignedBuffer::new(CHUNK))));
    std::thread::scope(|scope| {
        // One thread makes random bytes while the other writes.
        scope.spawn(move || fill_buffers(random, repeats, &to_fill, &full));
        let mut done = 0;
        while done < extent.size {
            let buffer = to_write.recv().map_err(io::Error::other)?;
            let length = (extent.size - done).min(CHUNK as u64);
            file.write_all_at(&buffer[..length as usize], extent.offset + done)?;
            done += length;
            drop(empty.send(buffer));
        }
        drop(empty);
        Ok(())
    })
}

/// Fills buffers until the channel closes. With `repeats`, fills each buffer only once, all with the same bytes.
fn fill_buffers(
    mut random: impl Rng + Clone,
    repeats: bool,
    empty: &Receiver<AlignedBuffer>,
    full: &Sender<AlignedBuffer>,
) {
    for (number, mut buffer) in empty.iter().enumerate() {
        match repeats {
            false => random.fill_bytes(&mut buffer),
            true if number < BUFFERS => random.clone().fill_bytes(&mut buffer),
            true => {}
        }
        if full.send(buffer).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn an_image_is_full_and_follows_from_the_seed() {
        let place = tempfile::tempdir().expect("temporary folder");
        let path = |name: &str| place.path().join(name);
        for (name, seed, number) in [("a", 1, 0), ("b", 1, 0), ("c", 1, 1)] {
            write(&path(name), Bytes::mib(5), seed, number).expect("written");
        }
        let read = |name: &str| std::fs::read(path(name)).expect("readable");
        assert_eq!(read("a"), read("b"));
        assert_ne!(read("a"), read("c"));
        let metadata = std::fs::metadata(path("a")).expect("there");
        assert!(metadata.blocks() * 512 >= Bytes::mib(5).0, "it is not sparse");
    }
}
