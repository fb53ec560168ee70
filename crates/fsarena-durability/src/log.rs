//! The log of a disk's requests, as QEMU's driver `blklogwrites` and the kernel's target log-writes write it
//! (Documentation/admin-guide/device-mapper/log-writes.rst, QEMU's block/blklogwrites.c). QEMU logs a request when it
//! has been completed.

use std::io::{self, Read};

/// Bytes of a sector, in the log and on the disk.
pub const SECTOR: usize = 512;

/// The first sector of the file system, in a disk with one partition.
pub const PARTITION: u64 = 2048;

/// The sector to which the writer's marks go: before the partition, so the file system never uses it.
pub const MARKS: u64 = 64;

/// How a mark begins; its number follows.
const MARK: &[u8; 16] = b"fsarena mark no.";

const FLUSH: u64 = 1;
const FUA: u64 = 2;
/// Others, such as a discard, are none: the disk offers the guest none of them.
const KNOWN: u64 = FLUSH | FUA;

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestKind {
    /// Data are written into the disk's cache.
    Write,
    /// Data are written past the disk's cache (force unit access).
    DurableWrite,
    /// All data in the disk's cache become durable.
    Flush,
}

/// A request that the disk has completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What it asks for.
    pub kind: RequestKind,
    /// The first sector.
    pub sector: u64,
    /// The data, a multiple of [`SECTOR`] bytes; empty for a flush.
    pub data: Vec<u8>,
}

impl Request {
    /// Number of sectors that it writes.
    pub fn sectors(&self) -> u64 {
        (self.data.len() / SECTOR) as u64
    }

    /// The number of the mark that it is, if it is one.
    pub fn mark(&self) -> Option<u64> {
        let number = self.data.strip_prefix(MARK).filter(|_| self.sector == MARKS)?.first_chunk()?;
        Some(u64::from_le_bytes(*number))
    }
}

/// The bytes of a mark.
pub fn mark(number: u64) -> Vec<u8> {
    let mut bytes = [MARK.as_slice(), &number.to_le_bytes()].concat();
    bytes.resize(SECTOR, 0);
    bytes
}

/// The first sector of a disk of `sectors` sectors, all of which from [`PARTITION`] are one partition (of type 0x83).
pub fn partition_table(sectors: u64) -> Vec<u8> {
    let mut table = vec![0; SECTOR];
    let count = u32::try_from(sectors.saturating_sub(PARTITION)).unwrap_or(u32::MAX);
    table[446 + 4] = 0x83;
    table[446 + 8..446 + 12].copy_from_slice(&(PARTITION as u32).to_le_bytes());
    table[446 + 12..446 + 16].copy_from_slice(&count.to_le_bytes());
    table[510..].copy_from_slice(&[0x55, 0xaa]);
    table
}

/// Why a log cannot be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum LogError {
    #[error("read request {number} of the log: {source}")]
    Io { number: usize, source: io::Error },
    #[error("request {number} of the log has the unknown flags {flags:#x}")]
    Flags { number: usize, flags: u64 },
}

/// All requests of a disk, in the order in which it has completed them, from a log up to its first empty entry. Its
/// header is not used, since QEMU writes it with flushes only.
///
/// # Errors
/// If it cannot be read or has another format.
pub fn read(mut reader: impl Read) -> Result<Vec<Request>, LogError> {
    let mut requests = Vec::new();
    let failed = |number| move |source| LogError::Io { number, source };
    let mut sector = [0; SECTOR];
    reader.read_exact(&mut sector).map_err(failed(0))?;
    loop {
        let number = requests.len();
        match reader.read_exact(&mut sector) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            read => read.map_err(failed(number))?,
        }
        let [first, count, flags] = [0, 1, 2].map(|index| u64::from_le_bytes(sector.as_chunks().0[index]));
        if count == 0 && flags == 0 {
            break;
        }
        if flags & !KNOWN != 0 {
            return Err(LogError::Flags { number, flags });
        }
        let (length, mut data) = (count * SECTOR as u64, Vec::new());
        reader.by_ref().take(length).read_to_end(&mut data).map_err(failed(number))?;
        if data.len() as u64 != length {
            return Err(failed(number)(io::ErrorKind::UnexpectedEof.into()));
        }
        if flags & FLUSH != 0 {
            requests.push(Request { kind: RequestKind::Flush, sector: 0, data: Vec::new() });
        }
        let kind = if flags & FUA != 0 { RequestKind::DurableWrite } else { RequestKind::Write };
        // A flush without data is only a flush.
        requests.extend((count > 0).then_some(Request { kind, sector: first, data }));
    }
    Ok(requests)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(sector: u64, count: u64, flags: u64, data: &[u8]) -> Vec<u8> {
        let mut bytes: Vec<u8> = [sector, count, flags, 0].iter().flat_map(|field| field.to_le_bytes()).collect();
        bytes.resize(SECTOR, 0);
        bytes.extend_from_slice(data);
        bytes
    }

    fn write(sector: u64, data: Vec<u8>) -> Request {
        Request { kind: RequestKind::Write, sector, data }
    }

    #[test]
    fn requests_are_read_in_order_up_to_the_first_empty_entry() {
        let data = vec![7; 2 * SECTOR];
        let parts = [
            vec![0; SECTOR],
            entry(9, 2, 0, &data),
            entry(0, 0, FLUSH, &[]),
            entry(5, 1, FUA, &data[..SECTOR]),
            entry(3, 1, FLUSH | FUA, &data[..SECTOR]),
            vec![0; 3 * SECTOR],
            entry(1, 1, 0, &data[..SECTOR]),
        ];
        let log = read(parts.concat().as_slice()).expect("sound");
        let durable = |sector| Request { kind: RequestKind::DurableWrite, sector, data: data[..SECTOR].to_vec() };
        let flush = Request { kind: RequestKind::Flush, sector: 0, data: Vec::new() };
        assert_eq!(log, [write(9, data.clone()), flush.clone(), durable(5), flush, durable(3)]);
    }

    #[test]
    fn a_log_of_another_format_or_a_part_of_one_is_refused() {
        let log = [vec![0; SECTOR], entry(9, 2, 0, &[1; SECTOR])].concat();
        assert!(matches!(read(log.as_slice()), Err(LogError::Io { number: 0, .. })));
        // Such as a discard.
        let log = [vec![0; SECTOR], entry(9, 0, 4, &[])].concat();
        assert!(matches!(read(log.as_slice()), Err(LogError::Flags { number: 0, flags: 4 })));
        assert!(read([].as_slice()).is_err());
    }

    #[test]
    fn a_mark_is_one_only_at_its_sector() {
        let number = 0x0123_4567_89ab;
        assert_eq!(write(MARKS, mark(number)).mark(), Some(number));
        assert_eq!(write(MARKS + 1, mark(number)).mark(), None);
        assert_eq!(write(MARKS, vec![0; SECTOR]).mark(), None);
        assert_eq!(write(MARKS, Vec::new()).mark(), None);
    }

    #[test]
    fn the_partition_reaches_to_the_end_of_the_disk() {
        let table = partition_table(10_000);
        assert_eq!(table.len(), SECTOR);
        assert_eq!(table[454..462], [0, 8, 0, 0, 0x10, 0x1f, 0, 0], "2048 and 7952, little-endian");
        assert_eq!((table[450], &table[510..]), (0x83, [0x55, 0xaa].as_slice()));
    }
}
