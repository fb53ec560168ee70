//! Makes the file, and encrypts it into a second file in the same directory.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::{Duration, UNIX_EPOCH};

use crc32fast::Hasher;
use fsarena_model::Bytes;
use fsarena_model::seed::generator;
use fsarena_sys::{clock, resident};
use rand::Rng;

use super::rc4::Rc4;
use crate::limit::slow_down;
use crate::{EngineError, Job, Limit, Operation, RunStats, go_on, unlink};

/// Name of the file in the test profile of the Phoronix Test Suite.
pub const NAME: &str = "encryptfile";
/// Password in that profile.
pub const PASSWORD: &str = "phoronixtestsuite123";
/// The first bytes of a file that Bork writes, and the version that follows them.
pub const MAGIC: [u8; 6] = [b'b', b'o', b'r', b'k', 4, 2];
pub const VERSION: u16 = 1000;
pub const CIPHER: &str = "RC4";
/// Bytes of the key stream that are dropped. Its first bytes reveal information about the key.
pub const DROPPED: usize = 256;
/// Offset of the checksum, which covers all encrypted data behind it, before encryption.
pub const CHECKSUM_AT: u64 = 12;
pub const CHECKSUM_LENGTH: i64 = 4;
/// Bytes of each read and write.
const BUFFER: usize = 4096;
/// Bytes of the file that are generated at a time.
const PIECE: usize = 1 << 20;

/// The encryption of one file.
pub struct Encryption {
    file: PathBuf,
    encrypted: PathBuf,
    size: u64,
    with_sync: bool,
    seed: u64,
}

impl Encryption {
    /// Encrypts a file of `size` random bytes in `directory`.
    pub fn new(directory: &Path, size: u64, with_sync: bool, seed: u64) -> Self {
        let (file, encrypted) = (directory.join(NAME), directory.join(format!("{NAME}.bork")));
        Self { file, encrypted, size, with_sync, seed }
    }

    fn fill(&self, file: &mut File, stop: &AtomicBool) -> io::Result<()> {
        let mut random = generator(self.seed, "bork", &[]);
        let mut piece = vec![0; PIECE];
        let mut left = self.size;
        while left > 0 {
            go_on(stop)?;
            let length = left.min(PIECE as u64) as usize;
            random.fill_bytes(&mut piece);
            file.write_all(&piece[..length])?;
            left -= length as u64;
        }
        file.sync_all()
    }

    /// Encrypts the whole file, or less once `limit.stop` is set. Each call is one system call: nothing is buffered.
    fn encrypt(&self, limit: &Limit<'_>) -> io::Result<File> {
        let mut input = File::open(&self.file)?;
        let mut output = File::create(&self.encrypted)?;
        let mut streams = Streams::new();
        let (mut checksum, mut buffer) = (Hasher::new(), [0; BUFFER]);
        begin(&mut output, &mut streams, &mut checksum)?;
        while !limit.stop.load(Ordering::Relaxed) {
            let length = input.read(&mut buffer)?;
            if length == 0 {
                break;
            }
            let bytes = &mut buffer[..length];
            checksum.update(bytes);
            streams.contents.apply(bytes);
            output.write_all(bytes)?;
        }
        let mut slot = checksum.finalize().to_be_bytes();
        streams.checksum.apply(&mut slot);
        output.seek(SeekFrom::Start(CHECKSUM_AT))?;
        write_singly(&mut output, &slot)?;
        output.set_modified(UNIX_EPOCH + milliseconds(&input.metadata()?)?)?;
        Ok(output)
    }
}

/// The modification time of a file since 1970, in whole milliseconds.
pub fn milliseconds(metadata: &Metadata) -> io::Result<Duration> {
    let since = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Duration::from_millis(since.as_millis() as u64))
}

/// The key stream, in its two parts.
pub struct Streams {
    /// For the checksum, which is written last.
    pub checksum: Rc4,
    /// For all other encrypted data: the name and the contents.
    pub contents: Rc4,
}

impl Streams {
    /// The key is the password followed by the name of the file.
    pub fn new() -> Self {
        let after = |skipped| {
            let mut stream = Rc4::new(format!("{PASSWORD}{NAME}").as_bytes());
            stream.skip(skipped);
            stream
        };
        Self { checksum: after(DROPPED), contents: after(DROPPED + CHECKSUM_LENGTH as usize) }
    }
}

/// Writes a number of more than one byte, with one write per byte.
fn write_singly(output: &mut File, bytes: &[u8]) -> io::Result<()> {
    bytes.iter().try_for_each(|byte| output.write_all(&[*byte]))
}

/// Writes the header with one write per field, and leaves a gap for the checksum. The checksum covers everything behind
/// the gap, from the length of the name on.
fn begin(output: &mut File, streams: &mut Streams, checksum: &mut Hasher) -> io::Result<()> {
    output.write_all(&MAGIC)?;
    write_singly(output, &VERSION.to_be_bytes())?;
    output.write_all(&[CIPHER.len() as u8])?;
    output.write_all(CIPHER.as_bytes())?;
    output.seek(SeekFrom::Current(CHECKSUM_LENGTH))?;
    let (mut length, mut name) = ([NAME.len() as u8], NAME.as_bytes().to_vec());
    checksum.update(&length);
    checksum.update(&name);
    streams.contents.apply(&mut length);
    output.write_all(&length)?;
    streams.contents.apply(&mut name);
    output.write_all(&name)
}

impl Job for Encryption {
    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let made = File::create(&self.file).and_then(|mut file| self.fill(&mut file, stop));
        made.map_err(EngineError::io(format!("write {NAME}")))
    }

    fn reset(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        unlink(&self.encrypted)
    }

    fn fills(&self) -> Bytes {
        Bytes(self.size)
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
        let worked = clock::now().saturating_sub(start);
        stats.elapsed = stats.elapsed + worked + slow_down(worked, limit.slowdown);
        (stats.operations, stats.bytes) = (stats.operations + 1, stats.bytes + self.size);
        Ok(())
    }
}
