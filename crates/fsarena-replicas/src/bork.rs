//! The engine `bork`: encrypts one file as Bork 1.x does (RC4 and CRC-32, 4096 bytes at a time, unbuffered), natively.
//!
//! Every write of the contents begins at 28 modulo 4096, so each write touches two pages. At the end the checksum is
//! written near the beginning of the file. Bork is a Java program. The figure does not include the cost of the Java
//! virtual machine or of its start.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use crc32fast::Hasher;
use fsarena_engine::parameters::{checked, require_conditions, require_once, size};
use fsarena_engine::{Engine, EngineError, Job, Limit, NextRun, Operation, RunStats, Upkeep, unlink, write_random};
use fsarena_model::seed::generator;
use fsarena_model::{Bytes, CacheState, DurablePoint, Nanos, Traits, Workload};
use fsarena_sys::{clock, resident};
use serde::Deserialize;

/// Estimated rate of encryption, bytes per second. It is used before anything is measured.
const PER_SECOND: f64 = 250e6;

pub const ENGINE: Engine = Engine::new("bork", traits, open);

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct BorkParameters {
    /// Bytes of the file.
    #[serde(deserialize_with = "size")]
    size: u64,
}

impl BorkParameters {
    fn of(workload: &Workload) -> Result<Self, EngineError> {
        require_once(workload)?;
        let durable = [DurablePoint::None, DurablePoint::Fsync];
        require_conditions(workload, &durable, &[CacheState::Warm, CacheState::Cold])?;
        checked(workload, |parameters: &Self| (parameters.size == 0).then_some("`size` is at least 1"))
    }
}

/// It keeps the file and its encrypted copy.
fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    let size = BorkParameters::of(workload)?.size;
    let extra_time = Nanos((size as f64 / PER_SECOND * 1e9) as u64);
    Ok(Traits { peak: Bytes(size * 2), extra_time, ..Traits::default() })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let size = BorkParameters::of(workload)?.size;
    let with_sync = workload.durable == DurablePoint::Fsync;
    Ok(Box::new(Encryption::new(directory, size, with_sync, seed)))
}

/// Name of the file in the test profile of the Phoronix Test Suite.
const NAME: &str = "encryptfile";
/// Password in that profile.
const PASSWORD: &str = "phoronixtestsuite123";
/// The first bytes of a file that Bork writes, and the version that follows them.
const MAGIC: [u8; 6] = [b'b', b'o', b'r', b'k', 4, 2];
const VERSION: u16 = 1000;
const CIPHER: &str = "RC4";
/// Bytes of the key stream that are dropped. Its first bytes reveal information about the key.
const DROPPED: usize = 256;
/// Offset of the checksum, which covers all encrypted data behind it, before encryption.
const CHECKSUM_AT: u64 = 12;
const CHECKSUM_LENGTH: usize = 4;
/// Bytes of each read and write.
const BUFFER: usize = 4096;

struct Encryption {
    file: PathBuf,
    encrypted: PathBuf,
    size: u64,
    with_sync: bool,
    seed: u64,
}

impl Encryption {
    /// Encrypts a file of `size` random bytes in `directory`.
    fn new(directory: &Path, size: u64, with_sync: bool, seed: u64) -> Self {
        let (file, encrypted) = (directory.join(NAME), directory.join(format!("{NAME}.bork")));
        Self { file, encrypted, size, with_sync, seed }
    }

    /// Encrypts the whole file, or less once `limit.stop` is set. Each call is one system call: nothing is buffered.
    fn encrypt(&self, limit: &Limit<'_>) -> io::Result<File> {
        let mut input = File::open(&self.file)?;
        let mut output = File::create(&self.encrypted)?;
        let mut stream = Rc4::new(format!("{PASSWORD}{NAME}").as_bytes());
        stream.skip(DROPPED);
        // The checksum is written last, but its part of the key stream comes first.
        let mut checksum_key = [0; CHECKSUM_LENGTH];
        stream.apply(&mut checksum_key);
        let (mut checksum, mut buffer) = (Hasher::new(), [0; BUFFER]);
        begin(&mut output, &mut stream, &mut checksum)?;
        while !limit.stop.load(Ordering::Relaxed) {
            let length = input.read(&mut buffer)?;
            if length == 0 {
                break;
            }
            let bytes = &mut buffer[..length];
            checksum.update(bytes);
            stream.apply(bytes);
            output.write_all(bytes)?;
        }
        let encrypted = checksum.finalize() ^ u32::from_be_bytes(checksum_key);
        output.seek(SeekFrom::Start(CHECKSUM_AT))?;
        write_singly(&mut output, &encrypted.to_be_bytes())?;
        output.set_modified(UNIX_EPOCH + milliseconds(&input.metadata()?)?)?;
        Ok(output)
    }
}

/// The modification time of a file since 1970, in whole milliseconds.
fn milliseconds(metadata: &Metadata) -> io::Result<Duration> {
    let since = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Duration::from_millis(since.as_millis() as u64))
}

/// Writes a number of more than one byte, with one write per byte.
fn write_singly(output: &mut File, bytes: &[u8]) -> io::Result<()> {
    bytes.iter().try_for_each(|byte| output.write_all(&[*byte]))
}

/// Writes the header with one write per field, and leaves a gap for the checksum. The checksum covers everything behind
/// the gap, from the length of the name on.
fn begin(output: &mut File, stream: &mut Rc4, checksum: &mut Hasher) -> io::Result<()> {
    output.write_all(&MAGIC)?;
    write_singly(output, &VERSION.to_be_bytes())?;
    output.write_all(&[CIPHER.len() as u8])?;
    output.write_all(CIPHER.as_bytes())?;
    output.seek(SeekFrom::Current(CHECKSUM_LENGTH as i64))?;
    let (mut length, mut name) = ([NAME.len() as u8], NAME.as_bytes().to_vec());
    checksum.update(&length);
    checksum.update(&name);
    stream.apply(&mut length);
    output.write_all(&length)?;
    stream.apply(&mut name);
    output.write_all(&name)
}

impl Job for Encryption {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => write_random(&self.file, self.size, &mut generator(self.seed, "bork", &[]), stop)
                .map_err(EngineError::io(format!("write {NAME}"))),
            Upkeep::Reset => unlink(&self.encrypted),
            _ => Ok(()),
        }
    }

    fn next_run(&self) -> NextRun {
        NextRun { fills: Bytes(self.size), ..NextRun::default() }
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let start = clock::now();
        let output = self.encrypt(limit).map_err(EngineError::io(format!("encrypt {NAME}")))?;
        if self.with_sync {
            let begin = clock::now();
            output.sync_all().map_err(EngineError::io("fsync the encrypted file"))?;
            stats.record(Operation::Fsync, clock::now().saturating_sub(begin));
        }
        resident::close(output).map_err(EngineError::io("close the encrypted file"))?;
        stats.elapsed = stats.elapsed + clock::now().saturating_sub(start);
        stats.count_done(1, self.size);
        Ok(())
    }
}

struct Rc4 {
    state: [u8; 256],
    one: u8,
    two: u8,
}

impl Rc4 {
    /// The key stream of a key of 1 to 256 bytes.
    fn new(key: &[u8]) -> Self {
        let mut state: [u8; 256] = std::array::from_fn(|index| index as u8);
        let mut other = 0_u8;
        for index in 0..state.len() {
            other = other.wrapping_add(state[index]).wrapping_add(key[index % key.len()]);
            state.swap(index, usize::from(other));
        }
        Self { state, one: 0, two: 0 }
    }

    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.next();
        }
    }

    /// Encrypts or decrypts in place. Costs about 3 ns per byte.
    #[inline]
    fn apply(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte ^= self.next();
        }
    }

    #[inline]
    fn next(&mut self) -> u8 {
        self.one = self.one.wrapping_add(1);
        let at_one = self.state[usize::from(self.one)];
        self.two = self.two.wrapping_add(at_one);
        let at_two = self.state[usize::from(self.two)];
        self.state[usize::from(self.one)] = at_two;
        self.state[usize::from(self.two)] = at_one;
        self.state[usize::from(at_one.wrapping_add(at_two))]
    }
}

#[cfg(test)]
mod tests;
