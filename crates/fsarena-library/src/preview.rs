//! The library `rsext4` 0.1.0-pre.0, as in AxVisor of December 2025: without its journal. It has no sync. It keeps
//! written data in memory until it is unmounted, which AxVisor never does.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use rsext4_preview::api::OpenFile;
use rsext4_preview::dir::get_inode_with_num;
use rsext4_preview::entries::classic_dir::list_entries;
use rsext4_preview::error::{BlockDevError, BlockDevResult};
use rsext4_preview::loopfile::resolve_inode_block;
use rsext4_preview::{BLOCK_SIZE, BlockDevice, Ext4FileSystem, Jbd2Dev, api};

use crate::device::Device;
use crate::{Contents, DirectoryEntry, FileSystem, LibraryError, Names, Synced, Traffic};

/// The type of a directory entry that is a directory (`EXT4_FT_DIR` in the kernel's fs/ext4/ext4.h).
const DIRECTORY: u8 = 2;
/// The permission bits of a mode.
const PERMISSIONS: u16 = 0o7777;

impl BlockDevice for Device {
    fn write(&mut self, buffer: &[u8], block: u32, count: u32) -> BlockDevResult<()> {
        let bytes = &buffer[..count as usize * BLOCK_SIZE];
        Device::write(self, u64::from(block) * BLOCK_SIZE as u64, bytes).map_err(|_| BlockDevError::WriteError)
    }

    fn read(&mut self, buffer: &mut [u8], block: u32, count: u32) -> BlockDevResult<()> {
        let into = &mut buffer[..count as usize * BLOCK_SIZE];
        Device::read(self, u64::from(block) * BLOCK_SIZE as u64, into).map_err(|_| BlockDevError::ReadError)
    }

    fn open(&mut self) -> BlockDevResult<()> {
        Ok(())
    }

    fn close(&mut self) -> BlockDevResult<()> {
        Ok(())
    }

    fn total_blocks(&self) -> u64 {
        self.size() / BLOCK_SIZE as u64
    }

    fn block_size(&self) -> u32 {
        BLOCK_SIZE as u32
    }

    fn flush(&mut self) -> BlockDevResult<()> {
        Device::flush(self).map_err(|_| BlockDevError::IoError)
    }
}

/// The library with its device.
pub struct Preview {
    device: Jbd2Dev<Device>,
    system: Ext4FileSystem,
    /// Path of the working directory, with a `/` at the end.
    directory: String,
    /// The device that the library uses.
    blocks: Device,
}

impl Preview {
    /// Calls the library. If it returns an error or panics, the error of this function names the action.
    fn ask<T>(
        &mut self,
        act: &'static str,
        path: &str,
        question: impl FnOnce(&mut Self) -> BlockDevResult<T>,
    ) -> Result<T, LibraryError> {
        match catch_unwind(AssertUnwindSafe(|| question(self))) {
            Ok(answer) => answer.map_err(|error| self.blocks.error(Self::NAME, act, path, error)),
            Err(_) => Err(self.blocks.error(Self::NAME, act, path, "it panicked")),
        }
    }

    fn full(&self, path: &str) -> String {
        format!("{}{path}", self.directory)
    }

    fn names(&mut self, path: &str) -> BlockDevResult<Vec<(String, DirectoryEntry)>> {
        let full = self.full(path);
        let found = get_inode_with_num(&mut self.system, &mut self.device, full.trim_end_matches('/'))?;
        let (_, mut inode) = found.ok_or(BlockDevError::InvalidInput)?;
        let mut entries = Vec::new();
        for block in 0..inode.size().div_ceil(BLOCK_SIZE as u64) {
            let Some(at) = resolve_inode_block(&mut self.device, &mut inode, block as u32)? else { continue };
            let cached = self.system.datablock_cache.get_or_load(&mut self.device, u64::from(at))?;
            let others = list_entries(&cached.data).into_iter().filter(|entry| !entry.is_dot() && !entry.is_dotdot());
            entries.extend(others.map(|entry| {
                let kind = if entry.file_type == DIRECTORY { DirectoryEntry::Directory } else { DirectoryEntry::File };
                (String::from_utf8_lossy(entry.name).into_owned(), kind)
            }));
        }
        Ok(entries)
    }
}

impl Names for Preview {
    fn make_directory(&mut self, path: &str) -> Result<(), LibraryError> {
        let full = self.full(path);
        self.ask("mkdir", path, |mounted| {
            let made = rsext4_preview::mkdir(&mut mounted.device, &mut mounted.system, &full);
            made.map(drop).ok_or(BlockDevError::Unknown)
        })
    }

    fn size(&mut self, path: &str) -> Result<u64, LibraryError> {
        let full = self.full(path);
        self.ask("stat", path, |mounted| {
            let found = get_inode_with_num(&mut mounted.system, &mut mounted.device, &full)?;
            found.map(|(_, inode)| inode.size()).ok_or(BlockDevError::InvalidInput)
        })
    }

    fn list(&mut self, path: &str) -> Result<Vec<(String, DirectoryEntry)>, LibraryError> {
        self.ask("list", path, |mounted| mounted.names(path))
    }

    /// The library does not report whether it removed the file.
    fn remove_file(&mut self, path: &str) -> Result<(), LibraryError> {
        let full = self.full(path);
        self.ask("unlink", path, |mounted| {
            rsext4_preview::delete_file(&mut mounted.system, &mut mounted.device, &full);
            Ok(())
        })
    }

    /// The library does not report whether it removed the directory.
    fn remove_directory(&mut self, path: &str) -> Result<(), LibraryError> {
        let full = self.full(path);
        self.ask("rmdir", path, |mounted| {
            rsext4_preview::delete_dir(&mut mounted.system, &mut mounted.device, &full);
            Ok(())
        })
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), LibraryError> {
        let (old, new) = (self.full(from), self.full(to));
        self.ask("rename", from, |mounted| rsext4_preview::rename(&mut mounted.device, &mut mounted.system, &old, &new))
    }

    fn set_attributes(&mut self, path: &str, permissions: u16, seconds: u32) -> Result<(), LibraryError> {
        let full = self.full(path);
        self.ask("set the attributes of", path, |mounted| {
            let found = get_inode_with_num(&mut mounted.system, &mut mounted.device, &full)?;
            let (number, _) = found.ok_or(BlockDevError::InvalidInput)?;
            mounted.system.modify_inode(&mut mounted.device, number, |inode| {
                inode.i_mode = (inode.i_mode & !PERMISSIONS) | (permissions & PERMISSIONS);
                inode.set_atime(seconds);
                inode.set_mtime(seconds);
            })
        })
    }
}

impl Contents for Preview {
    type File = OpenFile;

    fn create(&mut self, path: &str) -> Result<OpenFile, LibraryError> {
        let full = self.full(path);
        self.ask("create", path, |mounted| api::open(&mut mounted.device, &mut mounted.system, &full, true))
    }

    fn open(&mut self, path: &str) -> Result<OpenFile, LibraryError> {
        let full = self.full(path);
        self.ask("open", path, |mounted| api::open(&mut mounted.device, &mut mounted.system, &full, false))
    }

    fn read_at(&mut self, file: &mut OpenFile, offset: u64, into: &mut [u8]) -> Result<usize, LibraryError> {
        let bytes = self.ask("read", "", |mounted| {
            api::lseek(file, offset);
            api::read_at(&mut mounted.device, &mut mounted.system, file, into.len())
        })?;
        into[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn write_at(&mut self, file: &mut OpenFile, offset: u64, bytes: &[u8]) -> Result<(), LibraryError> {
        self.ask("write", "", |mounted| {
            api::lseek(file, offset);
            api::write_at(&mut mounted.device, &mut mounted.system, file, bytes)
        })
    }

    fn append(&mut self, path: &str, bytes: &[u8]) -> Result<(), LibraryError> {
        let mut file = self.open(path)?;
        let end = file.inode.size();
        self.write_at(&mut file, end, bytes)
    }
}

impl FileSystem for Preview {
    const NAME: &'static str = "rsext4-preview";
    const IS_LIBRARY: bool = true;

    fn mount(place: &Path, directory: &str) -> Result<Self, LibraryError> {
        let device = Device::open(place)?;
        let blocks = device.clone();
        let mut device = Jbd2Dev::initial_jbd2dev(0, device, false);
        let mounted = catch_unwind(AssertUnwindSafe(|| rsext4_preview::mount(&mut device)));
        let mounted = mounted.map_err(|_| blocks.error(Self::NAME, "mount", "", "it panicked"))?;
        let system = mounted.map_err(|error| blocks.error(Self::NAME, "mount", "", error))?;
        let mut mounted = Self { device, system, directory: "/".to_owned(), blocks };
        mounted.make_directory(directory)?;
        mounted.directory = format!("/{directory}/");
        Ok(mounted)
    }

    fn sync(&mut self) -> Result<Synced, LibraryError> {
        Ok(Synced::NotAtAll)
    }

    fn traffic(&self) -> Option<Traffic> {
        Some(self.blocks.traffic())
    }

    fn unmount(mut self) -> Result<Option<Traffic>, LibraryError> {
        self.ask("unmount", "", |mounted| {
            mounted.system.umount(&mut mounted.device)?;
            mounted.blocks.flush().map_err(|_| BlockDevError::IoError)
        })?;
        Ok(self.traffic())
    }
}
