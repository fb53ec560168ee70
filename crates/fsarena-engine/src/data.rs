//! Work on the data of large files: sequential and random reads and writes.

mod random;
mod sequential;

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use fsarena_model::{Bytes, CacheState, DurablePoint, Workload};
use rustix::fs::{Advice, OFlags, fadvise};
use serde::Deserialize;

use crate::payload::{LONGEST_PIECE, Payload};
use crate::{Engine, EngineError, Job, folder};

/// The engine `data`.
pub struct Data;

/// What a workload of this engine says.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Parameters {
    operation: Operation,
    pattern: Pattern,
    /// Bytes of each file.
    file_size: u64,
    /// Bytes of each read or write.
    block_size: usize,
    /// Files that a slice of sequential writes makes at most, one after the other.
    #[serde(default = "one")]
    files: u32,
}

fn one() -> u32 {
    1
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Operation {
    Read,
    Write,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Pattern {
    Sequential,
    Random,
}

/// How a file's data are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Buffered,
    Direct,
}

impl Engine for Data {
    fn name(&self) -> &'static str {
        "data"
    }

    fn demand(&self, workload: &Workload) -> Result<Bytes, EngineError> {
        let parameters = parameters(workload)?;
        Ok(Bytes(parameters.file_size))
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        let parameters = parameters(workload)?;
        let access = if workload.cache == CacheState::Direct { Access::Direct } else { Access::Buffered };
        let directory = directory.to_owned();
        Ok(match (parameters.pattern, parameters.operation) {
            (Pattern::Random, operation) => {
                Box::new(random::Random::new(parameters, operation == Operation::Write, access, directory, seed))
            }
            (Pattern::Sequential, Operation::Read) => {
                Box::new(sequential::Reads::new(parameters, access, directory, seed))
            }
            (Pattern::Sequential, Operation::Write) => {
                Box::new(sequential::Writes::new(parameters, access, workload.durable, directory, seed))
            }
        })
    }
}

fn parameters(workload: &Workload) -> Result<Parameters, EngineError> {
    let refuse = |what: &str| Err(EngineError::parameters(&workload.name, what));
    let parameters = serde_json::from_value::<Parameters>(workload.parameters.clone());
    let parameters = parameters.map_err(|error| EngineError::parameters(&workload.name, error))?;
    let block = parameters.block_size as u64;
    let is_sequential_write = (parameters.pattern, parameters.operation) == (Pattern::Sequential, Operation::Write);
    match () {
        () if block == 0 || parameters.block_size > LONGEST_PIECE => refuse("`block-size` is 1 byte to 1 MiB"),
        () if workload.cache == CacheState::Direct && !block.is_multiple_of(4096) => {
            refuse("with direct I/O `block-size` is a multiple of 4096")
        }
        () if parameters.file_size == 0 || !parameters.file_size.is_multiple_of(block) => {
            refuse("`file-size` is a multiple of `block-size`")
        }
        () if parameters.pattern == Pattern::Random && workload.timed_ms == 0 => {
            refuse("`timed-ms` is missing: random work comes to no end by itself")
        }
        () if parameters.files == 0 => refuse("`files` is at least 1"),
        () if workload.durable == DurablePoint::Syncfs => refuse("this engine has no syncfs: use fsync or none"),
        () if workload.durable == DurablePoint::Fsync && !is_sequential_write => {
            refuse("only sequential writes can fsync each file")
        }
        () => Ok(parameters),
    }
}

/// How much of a file is laid out before its pages are dropped again, bytes.
const LAID_OUT_AT_ONCE: u64 = 32 << 20;

/// Writes a file of `size` bytes in full and syncs it. Its pages are dropped from memory piece by piece: the next piece
/// then uses the same memory, which a hypervisor need not find first.
fn lay_out(directory: &Path, name: &str, size: u64, payload: &mut Payload) -> Result<(), EngineError> {
    let file = File::create_new(directory.join(name)).map_err(EngineError::io(format!("create {name}")))?;
    let mut offset = 0;
    while offset < size {
        let length = (size - offset).min(LONGEST_PIECE as u64) as usize;
        file.write_all_at(payload.piece(length), offset).map_err(EngineError::io(format!("write {name}")))?;
        offset += length as u64;
        if offset.is_multiple_of(LAID_OUT_AT_ONCE) || offset == size {
            file.sync_data().map_err(EngineError::io(format!("fdatasync {name}")))?;
            fadvise(&file, 0, None, Advice::DontNeed).map_err(EngineError::io(format!("fadvise {name}")))?;
        }
    }
    folder::sync(folder::open(directory)?)
}

fn open_file(path: &Path, access: Access, options: &mut OpenOptions) -> Result<File, EngineError> {
    if access == Access::Direct {
        options.custom_flags(OFlags::DIRECT.bits() as i32);
    }
    options.open(path).map_err(EngineError::io(format!("open {}", path.display())))
}
