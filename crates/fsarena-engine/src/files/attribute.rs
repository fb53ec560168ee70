//! The extended attribute of files.

use std::ffi::CStr;
use std::fs::File;

use rustix::fs::{XattrFlags, fsetxattr};

use crate::EngineError;

/// Its name. Attributes of the class `user` need no privilege (xattr(7)).
pub const NAME: &CStr = c"user.fsarena";
/// Bytes of its value, which fits into an inode of 256 bytes.
pub const LENGTH: usize = 32;

/// The value of file `number` after the attribute was set `pass` times.
#[inline]
pub fn value(number: u32, pass: u32) -> [u8; LENGTH] {
    let mut value = *b"fsarena fsarena fsarena ........";
    value[LENGTH - 8..LENGTH - 4].copy_from_slice(&number.to_le_bytes());
    value[LENGTH - 4..].copy_from_slice(&pass.to_le_bytes());
    value
}

/// Sets the attribute of `file`.
pub fn set(file: &File, number: u32) -> Result<(), EngineError> {
    fsetxattr(file, NAME, &value(number, 0), XattrFlags::CREATE).map_err(EngineError::io("set an extended attribute"))
}
