//! Preconditioning: lanes are written in full, and then at random, so that the device below is no longer fresh out of
//! the box.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use fsarena_model::seed::generator;
use fsarena_model::{Bytes, Nanos};
use fsarena_sys::{AlignedBuffer, clock};
use rand::Rng;

use crate::cost::open_direct;
use crate::{Go, LaneError};

/// How often each lane is written in full.
const PASSES: u64 = 2;
/// Bytes per sequential write.
const SEQUENTIAL: usize = 128 << 10;
/// Bytes that are written between two calls that ask whether to continue.
const AT_ONCE: usize = 1 << 30;
/// Bytes per random write.
const BLOCK: usize = 4096;

/// Length of a round of random writes in a run.
pub const ROUND: Nanos = Nanos::seconds(1);

pub struct PreconditionTarget {
    path: PathBuf,
    size: Bytes,
    file: File,
}

impl PreconditionTarget {
    /// Opens the first `size` bytes of a device.
    pub fn open(path: PathBuf, size: Bytes) -> Result<Self, LaneError> {
        let file = open_direct(&path).map_err(LaneError::io("open", &path))?;
        Ok(Self { path, size, file })
    }
}

/// Writes all of `targets` in full twice, 128 KiB per write, and then makes random writes of 4 KiB across all of them
/// in rounds of length `round`. `goes_on` gets the writes per second of the rounds so far and decides whether another
/// round follows; returns these rates. All writes are direct, one at a time. Calls `telling` with a description before
/// each step; `None` if it returns [`Go::Stop`].
pub fn condition(
    targets: &[PreconditionTarget],
    seed: u64,
    round: Nanos,
    telling: &mut dyn FnMut(&str) -> Go,
    goes_on: &dyn Fn(&[f64]) -> Go,
) -> Result<Option<Vec<f64>>, LaneError> {
    if write_in_full(targets, seed, telling)? == Go::Stop {
        return Ok(None);
    }
    let mut random = generator(seed, "precondition", &[]);
    let mut rates = Vec::new();
    while goes_on(&rates) == Go::On {
        if telling(&format!("preconditioning: random writes, round {}", rates.len() + 1)) == Go::Stop {
            return Ok(None);
        }
        rates.push(write_at_random(targets, round, &mut random)?);
    }
    Ok(Some(rates))
}

fn write_in_full(
    targets: &[PreconditionTarget],
    seed: u64,
    telling: &mut dyn FnMut(&str) -> Go,
) -> Result<Go, LaneError> {
    for pass in 1..=PASSES {
        for (index, PreconditionTarget { path, size, file }) in targets.iter().enumerate() {
            let text = format!("preconditioning: lane {} of {}, pass {pass} of {PASSES}", index + 1, targets.len());
            let mut random = generator(seed, "precondition", &[pass, index as u64]);
            for start in (0..size.0).step_by(AT_ONCE) {
                if telling(&text) == Go::Stop {
                    return Ok(Go::Stop);
                }
                let part = start..size.0.min(start + AT_ONCE as u64);
                write_part(file, part, &mut random).map_err(LaneError::io("write", path))?;
            }
        }
    }
    Ok(Go::On)
}

/// Writes random bytes, which lower layers can neither deduplicate nor compress, as in images.
fn write_part(file: &File, part: Range<u64>, random: &mut impl Rng) -> std::io::Result<()> {
    let mut buffer = AlignedBuffer::new(SEQUENTIAL);
    for offset in part.clone().step_by(SEQUENTIAL) {
        random.fill_bytes(&mut buffer);
        let length = (part.end - offset).min(SEQUENTIAL as u64);
        file.write_all_at(&buffer[..length as usize], offset)?;
    }
    file.sync_data()
}

/// Writes at random places of all targets for `time`; returns the writes per second.
fn write_at_random(targets: &[PreconditionTarget], time: Nanos, random: &mut impl Rng) -> Result<f64, LaneError> {
    let mut buffer = AlignedBuffer::new(BLOCK);
    let start = clock::now();
    let (mut writes, mut spent) = (0_u64, Nanos(0));
    while spent < time || writes == 0 {
        let target = &targets[(random.next_u64() % targets.len() as u64) as usize];
        let block = random.next_u64() % (target.size.0 / BLOCK as u64).max(1);
        random.fill_bytes(&mut buffer);
        let written = target.file.write_all_at(&buffer, block * BLOCK as u64);
        written.map_err(LaneError::io("write", &target.path))?;
        writes += 1;
        spent = clock::now().saturating_sub(start);
    }
    Ok(writes as f64 / spent.as_seconds().max(1e-9))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(place: &std::path::Path) -> Vec<PreconditionTarget> {
        let file = |name: &str| {
            std::fs::write(place.join(name), vec![0; 1 << 20]).expect("written");
            PreconditionTarget::open(place.join(name), Bytes::mib(1)).expect("it is there")
        };
        ["a", "b"].map(file).into()
    }

    #[test]
    fn rounds_continue_until_they_are_stopped_and_everything_is_written() {
        let place = tempfile::tempdir().expect("temporary folder");
        let targets = targets(place.path());
        let mut heard = Vec::new();
        let mut telling = |text: &str| {
            heard.push(text.to_owned());
            Go::On
        };
        let goes_on = |rates: &[f64]| if rates.len() < 3 { Go::On } else { Go::Stop };
        let rates = condition(&targets, 1, Nanos::millis(2), &mut telling, &goes_on).expect("written");
        assert!(rates.is_some_and(|rates| rates.len() == 3 && rates.iter().all(|rate| *rate > 0.0)));
        assert_eq!(heard.len(), 4 + 3, "{heard:?}");
        for target in &targets {
            let bytes = std::fs::read(&target.path).expect("readable");
            assert!(bytes.len() == 1 << 20 && bytes.chunks(BLOCK).all(|block| block.iter().any(|byte| *byte != 0)));
        }
    }

    #[test]
    fn it_stops_at_the_stop_flag() {
        let place = tempfile::tempdir().expect("temporary folder");
        for steps in [0, 2, 5] {
            let mut left = steps;
            let mut telling = |_: &str| {
                left -= 1;
                if left < 0 { Go::Stop } else { Go::On }
            };
            let rates = condition(&targets(place.path()), 1, Nanos(0), &mut telling, &|_| Go::On).expect("written");
            assert_eq!(rates, None, "after {steps} steps");
        }
    }
}
