//! Makes a tree: its directories, and the objects that exist before the timer starts.

use std::ffi::CStr;
use std::fs::File;
use std::sync::atomic::AtomicBool;

use rustix::fs::{Advice, Mode, OFlags, fadvise, mkdirat, openat};

use super::attribute;
use super::names::{Folders, Paths};
use super::operations::create;
use super::shape::Shape;
use super::step::{Ground, Plan, tree_name};
use crate::contents::{Contents, Recipe};
use crate::{EngineError, folder, go_on};

/// The letter of files. Objects that an operation makes in addition have another letter.
pub const FILE: u8 = b'f';
/// The letter of directories that are objects.
pub const DIRECTORY: u8 = b'd';

/// Makes tree number `tree` again, with everything that operations on `ground` need, and syncs it. Returns an error
/// once `stop` is set.
pub fn renew(plan: &Plan, tree: u32, ground: Ground, stop: &AtomicBool) -> Result<(), EngineError> {
    folder::renew(&plan.directory, &tree_name(tree))?;
    let root = folder::open(&plan.root(tree))?;
    make_directories(&root, &plan.shape, stop)?;
    match ground {
        Ground::NewFiles | Ground::NewOthers => {}
        Ground::UsedDirectories => {
            let mut paths = Paths::new(&plan.shape, DIRECTORY);
            (0..plan.shape.objects).try_for_each(|number| {
                go_on(stop).map_err(EngineError::io("make a tree"))?;
                make_directory(&root, paths.of(number))
            })?;
        }
        _ => make_files(&root, plan, ground, stop)?,
    }
    folder::sync(root)
}

/// Asks the kernel to drop the data of the files of tree number `tree` from memory. Inodes and names stay there.
pub fn drop_cached(plan: &Plan, tree: u32, stop: &AtomicBool) -> Result<(), EngineError> {
    let root = folder::open(&plan.root(tree))?;
    let mut paths = Paths::new(&plan.shape, FILE);
    (0..plan.shape.objects).try_for_each(|number| {
        go_on(stop).map_err(EngineError::io("drop files from memory"))?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let file = openat(&root, paths.of(number), flags, Mode::empty()).map_err(EngineError::io("open"))?;
        fadvise(&file, 0, None, Advice::DontNeed).map_err(EngineError::io("fadvise"))
    })
}

/// Makes the directories level by level, without the root.
fn make_directories(root: &File, shape: &Shape, stop: &AtomicBool) -> Result<(), EngineError> {
    for level in (1..=shape.depth).map(|level| shape.down_to(level)) {
        let mut folders = Folders::new(&level);
        (0..level.leaves()).try_for_each(|leaf| {
            go_on(stop).map_err(EngineError::io("make a tree"))?;
            make_directory(root, folders.of(leaf))
        })?;
    }
    Ok(())
}

/// Makes one directory.
#[inline]
pub fn make_directory(root: &File, path: &CStr) -> Result<(), EngineError> {
    mkdirat(root, path, Mode::RWXU).map_err(EngineError::io("mkdir"))
}

fn make_files(root: &File, plan: &Plan, ground: Ground, stop: &AtomicBool) -> Result<(), EngineError> {
    let sizes = plan.sizes();
    let mut contents = Contents::new(Recipe::random(plan.seed, sizes.largest()), u32::MAX);
    let mut paths = Paths::new(&plan.shape, FILE);
    for number in 0..plan.shape.objects {
        go_on(stop).map_err(EngineError::io("make a tree"))?;
        let size = if ground == Ground::Log { 0 } else { sizes.of(number) };
        let bytes = contents.piece(size, (0, 0));
        let file = create::create(root, paths.of(number), folder::create_flags(), bytes)?;
        if ground == Ground::FilesWithAttribute {
            attribute::set(&file, number)?;
        }
    }
    Ok(())
}
