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

/// What is known of an operation before it is done.
pub struct Entry {
    /// The operation.
    pub operation: Operation,
    /// On what it is done.
    pub ground: Ground,
    /// How each can be made durable.
    pub sync: Syncable,
    /// A job that does it.
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

/// What is known of `operation`; `None` if this engine does not do it.
pub fn find(operation: Operation) -> Option<&'static Entry> {
    OPERATIONS.iter().find(|entry| entry.operation == operation)
}
