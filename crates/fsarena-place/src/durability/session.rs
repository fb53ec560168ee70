//! A guest that answers orders.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use fsarena_durability::Found;
use fsarena_execute::Refusal;
use fsarena_guest::{Hardware, Prepared, RawDisk, Running, ServedFolders};

use super::guest::DurabilityOrder;
use crate::agent::{Line, Request};
use crate::connection::{Connection, NoReply};
use crate::guest::{complaints, connection};
use crate::note::{self, Ignored};

/// How long a guest may take for an answer. The longest order makes a file system and a database, and does all work.
const PATIENCE: Duration = Duration::from_secs(600);

/// The user has stopped the command.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

pub struct WriterSession {
    running: Running,
    connection: Connection,
}

impl WriterSession {
    /// Boots a guest with this disk. It may not have booted yet if `stop` is set.
    pub fn boot(prepared: &Prepared, disk: &RawDisk, stop: &AtomicBool) -> Result<Self> {
        let running = Hardware { raw: Some(disk), ..Hardware::new(prepared, &ServedFolders::default()) }.boot(stop)?;
        complaints(&running).for_each(|text| note::tell(&text));
        // Its agent is silent while it carries out an order.
        running.stream().set_read_timeout(None).context("the connection to the guest")?;
        let connection = connection(&running, PATIENCE)?;
        Ok(Self { running, connection })
    }

    /// Gives an order and waits for what was found, or why the order could not be carried out.
    ///
    /// # Errors
    /// [`Stopped`] if the user stops the command, and [`GuestError`](fsarena_guest::GuestError) if the guest has stopped.
    pub fn ask(&mut self, order: &DurabilityOrder, stop: &AtomicBool) -> Result<Result<Found, Refusal>> {
        self.connection.tell(&Request::Durability(Box::new(order.clone())));
        match self.connection.reply(stop, || None, &mut Ignored) {
            Ok(Line::Answer(Ok(found))) => Ok(Ok(serde_json::from_value(found).context("the guest's answer")?)),
            Ok(Line::Answer(Err(error))) => Ok(Err(error)),
            Err(NoReply::Stopped) => bail!(Stopped),
            Err(NoReply::Silent(_)) => bail!(self.running.explained("hangs")),
            _ => bail!(self.running.explained("stopped")),
        }
    }
}
