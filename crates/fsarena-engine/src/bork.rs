//! The engine `bork`: encrypts one file as Bork 1.x does (RC4 and CRC-32, 4096 bytes at a time, unbuffered), natively.
//!
//! Every write of the contents begins at 28 modulo 4096, so each write touches two pages. At the end the checksum is
//! written near the beginning of the file. Bork is a Java program. The figure does not include the cost of the Java
//! virtual machine or of its start.

mod job;
mod rc4;
#[cfg(test)]
mod tests;

use fsarena_model::{Bytes, CacheState, DurablePoint, Mode, Nanos, Traits, Workload};
use std::path::Path;

use serde::Deserialize;

use crate::parameters::size;
use crate::{Engine, EngineError, Job};
use job::Encryption;

/// Estimated rate of encryption, bytes per second. It is used before anything is measured.
const PER_SECOND: f64 = 250e6;

/// The engine `bork`.
pub struct Bork;

/// The parameters of a workload of this engine.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Parameters {
    /// Bytes of the file.
    #[serde(deserialize_with = "size")]
    size: u64,
}

impl Parameters {
    fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters = crate::parameters::<Self>(workload)?;
        let complaint = complaint_about(workload).or((parameters.size == 0).then_some("`size` is at least 1"));
        complaint.map_or(Ok(parameters), |what| Err(EngineError::parameters(&workload.name, what)))
    }
}

fn complaint_about(workload: &Workload) -> Option<&'static str> {
    Some(match () {
        () if workload.mode != Mode::Whole || !workload.ends_by_itself || workload.timed_ms > 0 => {
            "a file is encrypted once: `mode = \"whole\"`, `ends-by-itself = true`, no `timed-ms`"
        }
        () if !matches!(workload.durable, DurablePoint::None | DurablePoint::Fsync) => {
            "`durable` is `none` or `fsync`: of the encrypted file, at the end"
        }
        () if workload.cache == CacheState::Direct => "`cache` is `warm` or `cold`: where the file is that is read",
        () => return None,
    })
}

impl Engine for Bork {
    fn name(&self) -> &'static str {
        "bork"
    }

    /// It keeps the file and its encrypted copy.
    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        let size = Parameters::of(workload)?.size;
        let extra_time = Nanos((size as f64 / PER_SECOND * 1e9) as u64);
        Ok(Traits { peak: Bytes(size * 2), extra_time, ..Traits::default() })
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        let size = Parameters::of(workload)?.size;
        let with_sync = workload.durable == DurablePoint::Fsync;
        Ok(Box::new(Encryption::new(directory, size, with_sync, seed)))
    }
}
