//! What flushes in a place prove, and whether a cache beneath its device serves repeated reads.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use fsarena_model::{Bytes, FlushAfter, Medium, Nanos, RepeatedReads};
use fsarena_sys::clock;

use super::measure::{self, why};
use crate::{disk, flush, reread};

/// Size of the test file: the largest amount after which a flush is timed.
const FILE_SIZE: Bytes = Bytes::mib(64);

/// Time limit of each of the two tests, in addition to writing the file.
const TIME: Nanos = clock::look(Nanos::millis(800));

/// The source of the reads.
#[derive(Debug, Clone, Copy)]
enum ReadSource {
    /// The device, at random positions that were probably not read recently.
    Device,
    /// A file written just before, if the device may not be opened.
    File,
}

/// Flushes after little and after much was written; `Err` holds the reason if they are unknown.
type Flushes = Result<Vec<FlushAfter>, String>;

/// Fresh and repeated reads, or why they are unknown.
type Reads = Result<(ReadSource, RepeatedReads), String>;

/// Tests a place: times flushes on an unnamed file in `folder`, and only reads `device`. Returns the findings in
/// sentences.
pub fn look(folder: Option<&Path>, device: Option<&Path>) -> [String; 2] {
    let file = match folder {
        Some(folder) => measure::temporary_file(folder).map_err(|error| error.to_string()),
        None => Err("doctor writes nothing to a disk".to_owned()),
    };
    let flushes = file.as_ref().map_err(String::clone).and_then(timed);
    let reads = device.ok_or_else(|| "there is no single device beneath".to_owned()).and_then(read_device);
    let reads = reads.or_else(|why| match &file {
        Ok(file) if flushes.is_ok() => read_file(file),
        _ => Err(why),
    });
    [flush_words(&flushes), read_words(&reads)]
}

/// A new seed each time, because positions that an earlier test read would not be fresh.
fn drawn_seed() -> u64 {
    clock::now().0
}

fn timed(file: &File) -> Flushes {
    flush::file_flushes(file, FILE_SIZE, drawn_seed(), TIME).map_err(why)
}

fn read_device(device: &Path) -> Reads {
    let size = disk::size_at(device).ok_or("its size could not be read")?;
    read_again(device, size).map(|reads| (ReadSource::Device, reads))
}

fn read_file(file: &File) -> Reads {
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    read_again(&path, FILE_SIZE).map(|reads| (ReadSource::File, reads))
}

fn read_again(path: &Path, size: Bytes) -> Result<RepeatedReads, String> {
    let reads = reread::repeated_reads(path, size, drawn_seed(), TIME).map_err(why)?;
    reads.ok_or_else(|| "it is too small".to_owned())
}

/// The medium is unknown; the bound for the fastest medium applies to all.
fn flush_words(flushes: &Flushes) -> String {
    match flushes {
        Ok(flushes) => flush::unproven(flushes, Medium::Nvme).unwrap_or_else(|| flush::figures(flushes)),
        Err(why) => format!("flushes after much was written: not measured: {why}"),
    }
}

fn read_words(reads: &Reads) -> String {
    match reads {
        Ok((source, reads)) => reread::cached_below(reads).unwrap_or_else(|| alike(*source, reads)),
        Err(why) => format!("whether it is cached below the device: not measured: {why}"),
    }
}

/// The sentence if repeated reads are not faster. A file written just before may have been cached from the start.
fn alike(source: ReadSource, reads: &RepeatedReads) -> String {
    let (fresh, repeated) = (Bytes(reads.fresh as u64), Bytes(reads.repeated as u64));
    let rates = format!("{fresh}/s fresh and {repeated}/s again");
    match source {
        ReadSource::Device => format!("read directly: {rates}; no cache below the device was found"),
        ReadSource::File => format!(
            "a file just written, read directly: {rates}; a cache below the device is not ruled out, for it may have kept what \
             was written"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(flushes: [u64; 2], repeated: f64) -> [String; 2] {
        let after = |written, micros: u64| FlushAfter { written, flush: Nanos(micros * 1000) };
        let flushes = vec![after(Bytes::kib(4), flushes[0]), after(Bytes::mib(64), flushes[1])];
        let fresh = Bytes::mib(100).0 as f64;
        let reads = RepeatedReads { fresh, repeated: fresh * repeated };
        [flush_words(&Ok(flushes)), read_words(&Ok((ReadSource::Device, reads)))]
    }

    #[test]
    fn good_figures_are_given_as_they_are() {
        assert_eq!(
            words([300, 4000], 1.1),
            [
                "a flush takes 300 µs after 4 KiB, 4.00 ms after 64 MiB",
                "read directly: 100 MiB/s fresh and 110 MiB/s again; no cache below the device was found"
            ]
        );
    }

    #[test]
    fn untrusted_flushes_and_reads_have_a_stated_consequence() {
        let [flushes, reads] = words([20, 21], 2.3);
        assert!(flushes.contains("unproven") && flushes.contains("power-loss protection"), "{flushes}");
        assert!(reads.starts_with("cached below the device: it reads again 2.3× as fast as fresh"), "{reads}");
    }

    #[test]
    fn unmeasured_trust_has_a_reason_and_leaves_nothing() {
        let [flushes, reads] = look(None, None);
        assert!(flushes.contains("not measured: doctor writes nothing to a disk"), "{flushes}");
        assert!(reads.contains("not measured: there is no single device"), "{reads}");
        let place = tempfile::tempdir().expect("temporary folder");
        let [flushes, reads] = look(Some(place.path()), Some(Path::new("/dev/no-such")));
        assert!(flushes.contains("a flush takes") && !reads.contains("not measured"), "{flushes} {reads}");
        assert_eq!(std::fs::read_dir(place.path()).expect("readable").count(), 0);
    }
}
