//! Loop devices that a run makes: added under a free high number, configured with direct I/O, removed afterwards
//! (loop(4)).

use std::ffi::CStr;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use rustix::ioctl::{Getter, IntegerSetter, NoArg, Opcode, Setter, ioctl};

use crate::fault;

const LOOP_CLR_FD: Opcode = 0x4C01;
const LOOP_GET_STATUS64: Opcode = 0x4C05;
const LOOP_CONFIGURE: Opcode = 0x4C0A;
const LOOP_CTL_ADD: Opcode = 0x4C80;
const LOOP_CTL_REMOVE: Opcode = 0x4C81;
const LO_FLAGS_AUTOCLEAR: u32 = 4;
const LO_FLAGS_DIRECT_IO: u32 = 16;

/// The longest name that a loop device keeps, in bytes.
pub const NAME_LIMIT: usize = 63;

/// `struct loop_info64` of `linux/loop.h`.
#[repr(C)]
#[derive(Clone, Copy)]
struct LoopInfo {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    size_limit: u64,
    number: u32,
    encrypt_type: u32,
    encrypt_key_size: u32,
    flags: u32,
    file_name: [u8; 64],
    crypt_name: [u8; 64],
    encrypt_key: [u8; 32],
    init: [u64; 2],
}

/// `struct loop_config` of `linux/loop.h`.
#[repr(C)]
struct LoopConfig {
    fd: u32,
    block_size: u32,
    info: LoopInfo,
    reserved: [u64; 8],
}

/// What a loop device is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The device number of the file system on which the backing file lies.
    pub device: u64,
    /// The backing file's inode.
    pub inode: u64,
    /// The backing block device's number; 0 if the backing is a file.
    pub backing_device: u64,
    /// The name under which it was bound.
    pub name: String,
}

/// A range of the backing file; a size of 0 means up to its end.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileExtent {
    /// Offset in bytes.
    pub offset: u64,
    /// Length in bytes.
    pub size: u64,
}

/// Where this process may have mounted a devtmpfs of its own, because /dev does not show the loop devices.
pub const OWN_NODES: &str = "/var/lib/fsarena/devices";

/// The path of loop device `number`.
pub fn device_path(number: u32) -> PathBuf {
    node(&format!("loop{number}"))
}

/// The path of the device that adds and removes loop devices.
pub fn control_path() -> PathBuf {
    node("loop-control")
}

/// The node of that name in /dev or, if it is only there, in [`OWN_NODES`].
fn node(name: &str) -> PathBuf {
    let (usual, own) = (Path::new("/dev").join(name), Path::new(OWN_NODES).join(name));
    if !usual.exists() && own.exists() { own } else { usual }
}

/// Adds the loop device `number`, which must not exist.
///
/// # Errors
/// `EEXIST` if it exists; `EPERM` or `EACCES` without the privilege.
pub fn add(number: u32) -> io::Result<()> {
    fault::step("add loop device")?;
    control::<LOOP_CTL_ADD>(number)
}

/// Removes the loop device `number`, which must not be bound.
///
/// # Errors
/// `EBUSY` if it is bound or open, `ENODEV` if it does not exist.
pub fn remove(number: u32) -> io::Result<()> {
    fault::step("remove loop device")?;
    control::<LOOP_CTL_REMOVE>(number)
}

fn control<const REQUEST: Opcode>(number: u32) -> io::Result<()> {
    let device = OpenOptions::new().read(true).write(true).open(control_path())?;
    // SAFETY: both requests take a device number by value.
    Ok(unsafe { ioctl(device, IntegerSetter::<REQUEST>::new_usize(number as usize)) }?)
}

/// Binds loop device `number` to `backing`, with direct I/O, logical blocks of `block_size` bytes and the given name.
///
/// The kernel frees the device when its last user is gone; the returned file is one.
///
/// # Errors
/// Any error of the kernel. If it falls back to the page cache, that is no error: the caller checks `loop/dio` in
/// sysfs.
pub fn bind(number: u32, backing: &File, extent: FileExtent, block_size: u32, name: &str) -> io::Result<File> {
    fault::step("bind loop device")?;
    let device = OpenOptions::new().read(true).write(true).open(device_path(number))?;
    // SAFETY: all fields are numbers, which may be 0.
    let mut info: LoopInfo = unsafe { std::mem::zeroed() };
    info.offset = extent.offset;
    info.size_limit = extent.size;
    info.flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO;
    let name = &name.as_bytes()[..name.len().min(NAME_LIMIT)];
    info.file_name[..name.len()].copy_from_slice(name);
    let config = LoopConfig { fd: backing.as_raw_fd() as u32, block_size, info, reserved: [0; 8] };
    // SAFETY: the request reads one `loop_config`.
    unsafe { ioctl(&device, Setter::<LOOP_CONFIGURE, _>::new(config)) }?;
    Ok(device)
}

/// What loop device `number` is bound to; `None` if it is not bound or does not exist.
///
/// # Errors
/// Any other error of the kernel.
pub fn binding(number: u32) -> io::Result<Option<Binding>> {
    let read = File::open(device_path(number)).and_then(|device| {
        // SAFETY: the request writes one `loop_info64`.
        Ok(unsafe { ioctl(device, Getter::<LOOP_GET_STATUS64, LoopInfo>::new()) }?)
    });
    match read {
        Ok(LoopInfo { device, inode, rdevice: backing_device, file_name, .. }) => {
            let name = CStr::from_bytes_until_nul(&file_name).unwrap_or_default().to_string_lossy().into_owned();
            Ok(Some(Binding { device, inode, backing_device, name }))
        }
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENXIO | libc::ENODEV | libc::ENOENT)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Unbinds loop device `number`; the kernel does so once its last user is gone.
///
/// # Errors
/// `ENXIO` if it is not bound.
pub fn unbind(number: u32) -> io::Result<()> {
    fault::step("unbind loop device")?;
    let device = File::open(device_path(number))?;
    // SAFETY: the request takes no argument.
    Ok(unsafe { ioctl(device, NoArg::<LOOP_CLR_FD>::new()) }?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structures_have_the_kernels_sizes() {
        assert_eq!(size_of::<LoopInfo>(), 232);
        assert_eq!(size_of::<LoopConfig>(), 304);
    }

    #[test]
    fn a_loop_device_that_is_not_there_is_bound_to_nothing() {
        assert_eq!(binding(1_048_000).ok().flatten(), None);
    }
}
