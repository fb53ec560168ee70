//! A job that works by moving the clock.

use std::io;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fsarena_engine::{EngineError, Job, Limit, Operation, RunStats, Upkeep};
use fsarena_model::seed::generator;
use fsarena_model::{DurablePoint, Nanos, Rate, Workload};
use rand_pcg::Pcg64Mcg;

use crate::backstage::{Backstage, Counted};
use crate::world::normal;

/// Bytes that each operation carries.
pub const OPERATION_BYTES: u64 = 4096;

/// A job whose operations take log-normal times.
pub struct FakeJob {
    backstage: Rc<Backstage>,
    contender: usize,
    workload: Workload,
    /// The median time of an operation.
    seconds: f64,
    random: Pcg64Mcg,
    /// Whether it ran since [`Upkeep::End`].
    has_run: bool,
}

impl FakeJob {
    pub fn new(backstage: Rc<Backstage>, contender: usize, lane: Option<usize>, workload: &Workload) -> Self {
        let (world, round) = (&backstage.world, backstage.round.get());
        let seconds = world.operation_seconds(contender, &workload.name, lane, round);
        let numbers = [contender as u64, u64::from(round)];
        let random = generator(world.seed, &format!("{} operations", workload.name), &numbers);
        Self { backstage, contender, workload: workload.clone(), seconds, random, has_run: false }
    }

    fn act(&self, what: &str, how: &str) -> Result<(), EngineError> {
        let (label, workload) = (&self.backstage.labels[self.contender], &self.workload.name);
        let acted = self.backstage.act(format!("{what} {label} {workload}{how}"), Nanos(0));
        acted.map_err(|why| EngineError::io("fake")(io::Error::other(why)))
    }

    /// Waits until `stop` is set, if the world makes this contender linger in `act`.
    fn linger(&self, act: &str, stop: &AtomicBool) {
        let (lingers, patience) = (self.backstage.world.lingers, Duration::from_secs(60));
        let begin = Instant::now();
        while lingers == Some((self.contender, act)) && !stop.load(Ordering::Relaxed) && begin.elapsed() < patience {
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn operation(&mut self) -> Nanos {
        let factor = (normal(&mut self.random) * self.backstage.world.operation_noise).exp();
        Nanos((self.seconds * factor * 1e9).round() as u64)
    }

    /// An open loop: waits for each intended start, unless it is late.
    fn paced(&mut self, limit: &Limit<'_>, rate: f64, stats: &mut RunStats) -> (Nanos, u64) {
        let (mut elapsed, mut operations) = (Nanos(0), 0);
        stats.offered = Some(rate);
        loop {
            let meant = Nanos((operations as f64 * 1e9 / rate) as u64);
            let begin = elapsed.max(meant);
            if limit.is_reached(begin) {
                break;
            }
            let end = begin + self.operation();
            self.backstage.clock.advance(end.saturating_sub(elapsed));
            stats.record(Operation::Create, end.saturating_sub(meant));
            (elapsed, operations) = (end, operations + 1);
        }
        stats.end_part(elapsed);
        (elapsed, operations)
    }

    fn closed(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> (Nanos, u64) {
        let (mut elapsed, mut operations) = (Nanos(0), 0);
        while !self.is_over(limit, elapsed, operations) {
            let time = self.operation();
            self.backstage.clock.advance(time);
            stats.record(Operation::Create, time);
            elapsed = elapsed + time;
            operations += 1;
        }
        (elapsed, operations)
    }

    /// Whether the time limit is reached or, without a time limit, all work is done.
    fn is_over(&self, limit: &Limit<'_>, elapsed: Nanos, operations: u64) -> bool {
        limit.is_reached(elapsed) || (limit.time.is_none() && operations >= self.backstage.world.work)
    }
}

impl Job for FakeJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        let (name, is_entered) = match upkeep {
            Upkeep::Prepare | Upkeep::Adopt => ("prepare", true),
            Upkeep::Reset => ("reset", true),
            Upkeep::WarmUp => ("warm", true),
            Upkeep::DropCaches => ("drop", true),
            Upkeep::Begin => ("begin", false),
            Upkeep::End => ("end", false),
            Upkeep::CleanUp => ("clean", true),
        };
        self.has_run &= upkeep != Upkeep::End;
        self.linger(name, stop);
        if is_entered { self.act(name, "") } else { Ok(()) }
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        self.act(
            "run",
            &limit.time.map_or(" to the end".to_owned(), |time| format!(" for {} ms", time.0 / 1_000_000)),
        )?;
        let (elapsed, operations) = match self.workload.rate() {
            Some(Rate::PerSecond(rate)) => self.paced(limit, rate, stats),
            _ => self.closed(limit, stats),
        };
        let syncs = if self.workload.durable == DurablePoint::None { 0 } else { operations };
        (0..syncs).for_each(|_| stats.record(Operation::Fsync, Nanos(1000)));
        let bytes = operations * OPERATION_BYTES;
        stats.operations += operations;
        stats.bytes += bytes;
        stats.elapsed = stats.elapsed + elapsed;
        self.has_run = true;
        let more = Counted { bytes: bytes as f64, syncs: syncs as f64, seconds: elapsed.as_seconds() };
        self.backstage.add(self.contender, more);
        Ok(())
    }
}

impl Drop for FakeJob {
    fn drop(&mut self) {
        if self.has_run {
            let _ = self.act("never end", "");
        }
    }
}
