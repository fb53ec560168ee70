//! Clients of a server that work at the same time, each in a thread of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, OnceLock};
use std::thread;

use fsarena_engine::meter::PART;
use fsarena_engine::{EngineError, Limit, Operation, RunStats};
use fsarena_model::Nanos;
use fsarena_sys::clock;

pub struct ClientTimer<'a> {
    begin: Nanos,
    part: Nanos,
    limit: &'a Limit<'a>,
    has_failed: &'a AtomicBool,
    stats: &'a mut RunStats,
}

impl ClientTimer<'_> {
    /// Whether the client continues: the limit is not reached and no other client has failed.
    pub fn goes_on(&self) -> bool {
        !self.limit.is_reached(clock::now().saturating_sub(self.begin)) && !self.has_failed.load(Ordering::Relaxed)
    }

    /// Does one operation, and counts it with its time.
    pub fn timed<T>(
        &mut self,
        operation: Operation,
        act: impl FnOnce() -> Result<T, EngineError>,
    ) -> Result<(T, Nanos), EngineError> {
        let from = clock::now();
        let done = act()?;
        let until = clock::now();
        let latency = until.saturating_sub(from);
        self.stats.record(operation, latency);
        self.stats.operations += 1;
        if until.saturating_sub(self.part) >= PART {
            self.stats.end_part(until.saturating_sub(self.begin));
            self.part = until;
        }
        Ok((done, latency))
    }

    pub fn moved(&mut self, bytes: u64) {
        self.stats.bytes += bytes;
    }
}

/// Starts all `clients` at the same time, and counts their operations into `stats`. The elapsed time ends with the last
/// client.
///
/// # Errors
/// The error of a client that fails. The others then end soon.
pub fn together<C: Send, R: Send>(
    clients: Vec<C>,
    limit: &Limit<'_>,
    stats: &mut RunStats,
    work: impl Fn(C, &mut ClientTimer<'_>) -> Result<R, EngineError> + Sync,
) -> Result<Vec<R>, EngineError> {
    let (gate, begin, has_failed) = (Barrier::new(clients.len()), OnceLock::new(), AtomicBool::new(false));
    let one = |client: C| {
        let mut own = RunStats::new();
        gate.wait();
        // When the first client passed the gate. A client that gets a processor later has lost that time.
        let begin = *begin.get_or_init(clock::now);
        let mut timer = ClientTimer { begin, part: begin, limit, has_failed: &has_failed, stats: &mut own };
        let done = work(client, &mut timer).inspect_err(|_| has_failed.store(true, Ordering::Relaxed));
        own.elapsed = clock::now().saturating_sub(begin);
        own.end_part(own.elapsed);
        (done, own)
    };
    let one = &one;
    let done: Vec<(Result<R, EngineError>, RunStats)> = thread::scope(|scope| {
        let threads: Vec<_> = clients.into_iter().map(|client| scope.spawn(move || one(client))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a client does not panic")).collect()
    });
    let mut all = RunStats::new();
    done.iter().for_each(|(_, own)| all.join(own));
    stats.follow(&all, 0);
    done.into_iter().map(|(done, _)| done).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_one_fails_the_others_end_and_its_error_is_returned() {
        let stop = AtomicBool::new(false);
        let mut stats = RunStats::new();
        let work = |number: u32, timer: &mut ClientTimer<'_>| {
            timer.timed(Operation::Insert, || match number {
                3 => Err(EngineError::Wrong("three".to_owned())),
                _ => Ok(()),
            })?;
            while timer.goes_on() {
                thread::yield_now();
            }
            Ok(())
        };
        let error = together((0..4).collect(), &Limit::new(None, &stop), &mut stats, work).expect_err("three fails");
        assert_eq!((error.to_string().as_str(), stats.operations), ("three", 3));
    }
}
