//! A guest that answers orders.

use std::io::{BufReader, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use fsarena_durability::Found;
use fsarena_execute::Refusal;
use fsarena_guest::{Hardware, Prepared, RawDisk, Running, Shares};

use super::guest::DurabilityOrder;
use crate::agent::{self, Line, Request};

/// How long a guest may take for an answer. The longest order makes a file system and a database, and does all work.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often to look whether to stop.
const LOOK: Duration = Duration::from_millis(200);

/// The user has stopped the command.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

pub struct WriterSession {
    running: Running,
    lines: Receiver<String>,
}

impl WriterSession {
    pub fn boot(prepared: &Prepared, disk: &RawDisk) -> Result<Self> {
        let running = Hardware { raw: Some(disk), ..Hardware::new(prepared, &Shares::default()) }.boot()?;
        let stream = running.stream().try_clone().context("the connection to the guest")?;
        // Its agent is silent while it carries out an order.
        stream.set_read_timeout(None).context("the connection to the guest")?;
        Ok(Self { running, lines: agent::lines(BufReader::new(stream)) })
    }

    /// Gives an order and waits for what was found, or why the order could not be carried out.
    ///
    /// # Errors
    /// [`Stopped`] if the user stops the command, and [`GuestError`](fsarena_guest::GuestError) if the guest has stopped.
    pub fn ask(&mut self, order: &DurabilityOrder, stop: &AtomicBool) -> Result<Result<Found, Refusal>> {
        let text = serde_json::to_string(&Request::Durability(Box::new(order.clone())))?;
        // If the guest has ended, the read says so.
        let _ = self.running.stream().write_all(format!("{text}\n").as_bytes());
        loop {
            let line = self.line(stop)?;
            // The first line has the agent's version, which is this one.
            if serde_json::from_str::<Line>(&line).is_err() {
                return serde_json::from_str(&line).context("the guest's answer");
            }
        }
    }

    fn line(&mut self, stop: &AtomicBool) -> Result<String> {
        let start = Instant::now();
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => bail!(self.running.explained("stopped")),
            }
            if stop.load(Ordering::Relaxed) {
                bail!(Stopped);
            }
            if start.elapsed() > PATIENCE {
                bail!(self.running.explained("hangs"));
            }
        }
    }
}
