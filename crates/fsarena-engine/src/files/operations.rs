//! All operations of this engine. A new one is one file and one line in [`OPERATIONS`].

mod append;
mod chmod;
pub mod create;
mod delete;
mod get_xattr;
mod link;
mod mkdir;
mod open;
mod read;
mod readdir;
mod rename;
mod rmdir;
mod set_xattr;
mod stat;
mod symlink;
mod utimes;
mod write;

use super::durability::Syncable;
use super::job;
use super::step::{Ground, Plan, Step};
use crate::{Job, Operation};

/// The properties of an operation.
pub struct Entry {
    /// The operation.
    pub operation: Operation,
    /// The objects on which it works.
    pub ground: Ground,
    /// How each operation can be made durable.
    pub sync: Syncable,
    /// Opens a job that does it.
    pub open: fn(Plan) -> Box<dyn Job>,
}

static OPERATIONS: &[Entry] = &[
    entry::<create::Create>(),
    entry::<open::Open>(),
    entry::<stat::Stat>(),
    entry::<read::Read>(),
    entry::<write::Write>(),
    entry::<append::Append>(),
    entry::<rename::Rename>(),
    entry::<link::Link>(),
    entry::<symlink::Symlink>(),
    entry::<chmod::Chmod>(),
    entry::<utimes::Utimes>(),
    entry::<set_xattr::SetXattr>(),
    entry::<get_xattr::GetXattr>(),
    entry::<readdir::Readdir>(),
    entry::<delete::Delete>(),
    entry::<mkdir::Mkdir>(),
    entry::<rmdir::Rmdir>(),
];

const fn entry<S: Step>() -> Entry {
    Entry { operation: S::OPERATION, ground: S::GROUND, sync: S::SYNC, open: job::open::<S> }
}

/// The properties of `operation`; `None` if this engine does not support it.
pub fn find(operation: Operation) -> Option<&'static Entry> {
    OPERATIONS.iter().find(|entry| entry.operation == operation)
}
