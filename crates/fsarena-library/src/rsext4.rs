//! The library `rsext4` 0.9: ext4 with a journal, from the systems ArceOS and AxVisor.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rsext4::{
    BlockIo, Clock, DeviceCapabilities, DeviceGeometry, DirectoryCursor, DirectoryEntryType, Ext4, Ext4Error,
    Ext4ErrorKind, Ext4Result, Ext4Timestamp, FileName, FilePermissions, InodeInfo, InodeMetadataUpdate, InodeNumber,
    MountOptions, MountServices, MountedServices, MutationContext, NoopObserver, RenameOptions, SectorId,
};

use crate::device::Device;
use crate::{Contents, DirectoryEntry, FileSystem, LibraryError, Names, Synced, Traffic};

/// The unit of the library, bytes, whatever the unit of the device is.
const SECTOR: u64 = 512;
/// Names that are read at a time.
const BATCH: usize = 1024;
const OWNER: MutationContext = MutationContext::new(0, 0, 0, 0o022);

impl BlockIo for Device {
    fn write(&mut self, buffer: &[u8], sector: SectorId, _count: u32) -> Ext4Result<()> {
        Device::write(self, sector.raw() * SECTOR, buffer).map_err(|_| Ext4Error::new(Ext4ErrorKind::Io))
    }

    fn read(&mut self, buffer: &mut [u8], sector: SectorId, _count: u32) -> Ext4Result<()> {
        Device::read(self, sector.raw() * SECTOR, buffer).map_err(|_| Ext4Error::new(Ext4ErrorKind::Io))
    }

    fn geometry(&self) -> DeviceGeometry {
        DeviceGeometry::new(SECTOR as u32, self.size() / SECTOR)
    }

    fn capabilities(&self) -> DeviceCapabilities {
        DeviceCapabilities { flush: true, ..DeviceCapabilities::default() }
    }

    fn flush(&mut self) -> Ext4Result<()> {
        Device::flush(self).map_err(|_| Ext4Error::new(Ext4ErrorKind::Io))
    }
}

/// The time of day, for the times of files.
struct TimeOfDay;

impl Clock for TimeOfDay {
    fn now(&self) -> Ext4Result<Ext4Timestamp> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Ext4Timestamp::new(since.as_secs() as i64, since.subsec_nanos()))
    }
}

/// The library with its device.
pub struct Rsext4 {
    system: Ext4<Device, MountedServices<(), NoopObserver, ()>>,
    directory: InodeNumber,
    /// The device that the library uses.
    blocks: Device,
}

impl Rsext4 {
    /// Calls the library. If it returns an error, the error of this function names the action.
    fn ask<T>(
        &mut self,
        act: &'static str,
        path: &str,
        question: impl FnOnce(&mut Self) -> Ext4Result<T>,
    ) -> Result<T, LibraryError> {
        question(self).map_err(|error| self.blocks.error(Self::NAME, act, path, words(error)))
    }

    /// The directory that holds `path`, and the last part of `path`.
    fn parent<'a>(&mut self, path: &'a str) -> Ext4Result<(InodeNumber, FileName<'a>)> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        Ok((self.directory_at(folders)?, FileName::new(name.as_bytes())?))
    }

    fn directory_at(&mut self, path: &str) -> Ext4Result<InodeNumber> {
        let parts = path.split('/').filter(|part| !part.is_empty());
        parts.into_iter().try_fold(self.directory, |directory, part| {
            let found = self.system.lookup_child(directory, FileName::new(part.as_bytes())?)?;
            Ok(found.ok_or_else(|| Ext4Error::new(Ext4ErrorKind::NotFound))?.number)
        })
    }

    fn find(&mut self, path: &str) -> Ext4Result<InodeInfo> {
        let (parent, name) = self.parent(path)?;
        self.system.lookup_child(parent, name)?.ok_or_else(|| Ext4Error::new(Ext4ErrorKind::NotFound))
    }

    fn names(&mut self, path: &str) -> Ext4Result<Vec<(String, DirectoryEntry)>> {
        let directory = self.directory_at(path)?;
        let mut reader = self.system.open_directory_reader(directory)?;
        let (mut cursor, mut entries) = (DirectoryCursor::Start, Vec::new());
        loop {
            let some = self.system.read_directory_with_reader(&mut reader, cursor, BATCH)?;
            let Some(last) = some.last() else { return Ok(entries) };
            cursor = last.next_cursor;
            let others = some.iter().filter(|entry| entry.name != b"." && entry.name != b"..");
            entries.extend(others.map(|entry| {
                let is_directory = entry.file_type == DirectoryEntryType::Directory;
                let kind = if is_directory { DirectoryEntry::Directory } else { DirectoryEntry::File };
                (String::from_utf8_lossy(&entry.name).into_owned(), kind)
            }));
        }
    }
}

/// The message of the library, with the place in the library if the error has one.
fn words(error: Ext4Error) -> String {
    match error.context() {
        Some(context) => format!("{} ({context})", error.kind()),
        None => error.kind().to_string(),
    }
}

impl Names for Rsext4 {
    fn make_directory(&mut self, path: &str) -> Result<(), LibraryError> {
        self.ask("mkdir", path, |mounted| {
            let (parent, name) = mounted.parent(path)?;
            let permissions = FilePermissions::new(0o700)?;
            mounted.system.create_directory(OWNER, parent, name, permissions).map(drop)
        })
    }

    fn size(&mut self, path: &str) -> Result<u64, LibraryError> {
        self.ask("stat", path, |mounted| Ok(mounted.find(path)?.size))
    }

    fn list(&mut self, path: &str) -> Result<Vec<(String, DirectoryEntry)>, LibraryError> {
        self.ask("list", path, |mounted| mounted.names(path))
    }

    /// An inode without a name is kept until it is reaped. It is reaped at once, because it is not open.
    fn remove_file(&mut self, path: &str) -> Result<(), LibraryError> {
        self.ask("unlink", path, |mounted| {
            let (parent, name) = mounted.parent(path)?;
            let gone = mounted.system.unlink(parent, name)?;
            if gone.requires_reap() { mounted.system.reap_unlinked_inode(gone.inode) } else { Ok(()) }
        })
    }

    fn remove_directory(&mut self, path: &str) -> Result<(), LibraryError> {
        self.ask("rmdir", path, |mounted| {
            let (parent, name) = mounted.parent(path)?;
            let gone = mounted.system.remove_empty_directory(parent, name)?;
            if gone.requires_reap() { mounted.system.reap_unlinked_inode(gone.inode) } else { Ok(()) }
        })
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), LibraryError> {
        self.ask("rename", from, |mounted| {
            let (old_parent, old_name) = mounted.parent(from)?;
            let (new_parent, new_name) = mounted.parent(to)?;
            let options = RenameOptions::NO_REPLACE;
            mounted.system.rename(old_parent, old_name, new_parent, new_name, options).map(drop)
        })
    }

    fn set_attributes(&mut self, path: &str, permissions: u16, seconds: u32) -> Result<(), LibraryError> {
        self.ask("set the attributes of", path, |mounted| {
            let number = mounted.find(path)?.number;
            let time = Some(Ext4Timestamp::new(i64::from(seconds), 0));
            let permissions = Some(FilePermissions::new(permissions)?);
            // Two calls, as with the kernel.
            let mode = InodeMetadataUpdate { permissions, ..InodeMetadataUpdate::default() };
            mounted.system.update_inode_metadata(number, mode)?;
            let times = InodeMetadataUpdate { atime: time, mtime: time, ..InodeMetadataUpdate::default() };
            mounted.system.update_inode_metadata(number, times).map(drop)
        })
    }
}

impl Contents for Rsext4 {
    type File = InodeNumber;

    fn create(&mut self, path: &str) -> Result<InodeNumber, LibraryError> {
        self.ask("create", path, |mounted| {
            let (parent, name) = mounted.parent(path)?;
            let permissions = FilePermissions::new(0o600)?;
            Ok(mounted.system.create_regular_file(OWNER, parent, name, permissions)?.number)
        })
    }

    fn open(&mut self, path: &str) -> Result<InodeNumber, LibraryError> {
        self.ask("open", path, |mounted| Ok(mounted.find(path)?.number))
    }

    fn read_at(&mut self, file: &mut InodeNumber, offset: u64, into: &mut [u8]) -> Result<usize, LibraryError> {
        self.ask("read", "", |mounted| mounted.system.read_inode(*file, offset, into))
    }

    fn write_at(&mut self, file: &mut InodeNumber, offset: u64, bytes: &[u8]) -> Result<(), LibraryError> {
        self.ask("write", "", |mounted| mounted.system.write_inode(*file, offset, bytes))
    }

    fn append(&mut self, path: &str, bytes: &[u8]) -> Result<(), LibraryError> {
        self.ask("append to", path, |mounted| {
            let found = mounted.find(path)?;
            mounted.system.write_inode(found.number, found.size, bytes)
        })
    }
}

impl FileSystem for Rsext4 {
    const NAME: &'static str = "rsext4";
    const IS_LIBRARY: bool = true;

    fn mount(place: &Path, directory: &str) -> Result<Self, LibraryError> {
        let device = Device::open(place)?;
        let blocks = device.clone();
        let services = MountServices::new(TimeOfDay, (), NoopObserver);
        let system = Ext4::mount(device, services, MountOptions::read_write());
        let system = system.map_err(|error| blocks.error(Self::NAME, "mount", "", words(error)))?;
        let mut mounted = Self { directory: system.root_inode(), system, blocks };
        let is_there = mounted.ask("look for", directory, |mounted| {
            let name = FileName::new(directory.as_bytes())?;
            mounted.system.lookup_child(mounted.directory, name).map(|found| found.is_some())
        })?;
        if !is_there {
            mounted.make_directory(directory)?;
        }
        mounted.directory = mounted.ask("open", directory, |mounted| mounted.directory_at(directory))?;
        Ok(mounted)
    }

    fn sync(&mut self) -> Result<Synced, LibraryError> {
        self.ask("sync", "", |mounted| mounted.system.sync()).map(|()| Synced::OnDevice)
    }

    fn traffic(&self) -> Option<Traffic> {
        Some(self.blocks.traffic())
    }

    fn unmount(mut self) -> Result<Option<Traffic>, LibraryError> {
        self.ask("unmount", "", |mounted| {
            mounted.system.unmount()?;
            mounted.blocks.flush().map_err(|_| Ext4Error::new(Ext4ErrorKind::Io))
        })?;
        Ok(self.traffic())
    }
}
