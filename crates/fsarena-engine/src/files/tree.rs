//! Makes a tree: its directories, and the objects that exist before the timer starts, with their attributes.

use std::ffi::CStr;
use std::fs::File;
use std::io::Write;
use std::sync::atomic::AtomicBool;

use rustix::fs::{Mode, OFlags, XattrFlags, fsetxattr, mkdirat, openat};

use super::names::{Folders, Paths, Shape};
use super::parameters::{FilesPlan, tree_name};
use super::walk::WalkGround;
use crate::contents::Contents;
use crate::{EngineError, folder, go_on};

/// The letter of files. Objects that an operation makes in addition have another letter.
pub const FILE: u8 = b'f';
/// The letter of directories that are objects.
pub const DIRECTORY: u8 = b'd';

/// The name of the extended attribute of files. Attributes of the class `user` need no privilege (xattr(7)).
pub const ATTRIBUTE: &CStr = c"user.fsarena";
/// Bytes of its value, which fits into an inode of 256 bytes.
pub const ATTRIBUTE_LENGTH: usize = 32;

/// The value of file `number` after the attribute was set `pass` times.
#[inline]
pub fn attribute(number: u32, pass: u32) -> [u8; ATTRIBUTE_LENGTH] {
    let mut value = *b"fsarena fsarena fsarena ........";
    value[ATTRIBUTE_LENGTH - 8..ATTRIBUTE_LENGTH - 4].copy_from_slice(&number.to_le_bytes());
    value[ATTRIBUTE_LENGTH - 4..].copy_from_slice(&pass.to_le_bytes());
    value
}

/// Makes tree number `tree` again, with everything that the operation needs, and syncs it. Returns an error
/// once `stop` is set.
pub fn renew(plan: &FilesPlan, tree: u32, stop: &AtomicBool) -> Result<(), EngineError> {
    folder::renew(&plan.directory, &tree_name(tree))?;
    let root = folder::open(&plan.root(tree))?;
    make_directories(&root, &plan.shape, stop)?;
    match plan.kind.ground {
        WalkGround::NewFiles | WalkGround::NewOthers => {}
        WalkGround::UsedDirectories => {
            let mut paths = Paths::new(&plan.shape, DIRECTORY);
            (0..plan.shape.objects).try_for_each(|number| {
                go_on(stop).map_err(EngineError::io("make a tree"))?;
                make_directory(&root, paths.of(number))
            })?;
        }
        _ => make_files(&root, plan, stop)?,
    }
    folder::sync(root)
}

/// Makes the directories level by level, without the root.
fn make_directories(root: &File, shape: &Shape, stop: &AtomicBool) -> Result<(), EngineError> {
    for depth in 1..=shape.depth {
        let above = Shape { depth, ..*shape };
        let mut folders = Folders::new(&above);
        (0..above.leaves()).try_for_each(|leaf| {
            go_on(stop).map_err(EngineError::io("make a tree"))?;
            make_directory(root, folders.of(leaf))
        })?;
    }
    Ok(())
}

#[inline]
pub fn make_directory(root: &File, path: &CStr) -> Result<(), EngineError> {
    mkdirat(root, path, Mode::RWXU).map_err(EngineError::io("mkdir"))
}

#[inline]
pub fn create_file(root: &File, path: &CStr, flags: OFlags, bytes: &[u8]) -> Result<File, EngineError> {
    let file = openat(root, path, flags, Mode::RUSR | Mode::WUSR).map_err(EngineError::io("create"))?;
    let mut file = File::from(file);
    if !bytes.is_empty() {
        file.write_all(bytes).map_err(EngineError::io("write"))?;
    }
    Ok(file)
}

fn make_files(root: &File, plan: &FilesPlan, stop: &AtomicBool) -> Result<(), EngineError> {
    let sizes = plan.sizes();
    let mut contents = Contents::new(plan.recipe(), u32::MAX);
    let mut paths = Paths::new(&plan.shape, FILE);
    for number in 0..plan.shape.objects {
        go_on(stop).map_err(EngineError::io("make a tree"))?;
        let size = if plan.kind.ground == WalkGround::Log { 0 } else { sizes.of(number) };
        let bytes = contents.piece(size);
        let file = create_file(root, paths.of(number), folder::create_flags(), bytes)?;
        if plan.kind.ground == WalkGround::FilesWithAttribute {
            fsetxattr(&file, ATTRIBUTE, &attribute(number, 0), XattrFlags::CREATE)
                .map_err(EngineError::io("set an extended attribute"))?;
        }
    }
    Ok(())
}
