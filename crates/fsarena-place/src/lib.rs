//! Where a run happens: on this machine, through an agent on another one, in guests, or on clients.
//!
//! [`run`] is the one way to do an [`Assignment`](fsarena_execute::Assignment), be it a new run or a stored one. What
//! happens is sent to a listener as events.

pub mod agent;
mod calls;
mod checks;
mod clients;
mod connection;
mod deploy;
pub mod durability;
mod engines;
mod error;
mod file_server;
pub mod folders;
mod guest;
mod here;
mod lock;
pub mod note;
mod tools;

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use fsarena_execute::{Assignment, Listener};
use fsarena_model::{Plan, Status};
use fsarena_sys::child;
use serde::{Deserialize, Serialize};

pub use checks::{
    BLOCK, enlarge_lanes, fitted, require_host, require_machine, require_means, require_sound, require_space,
    require_storage,
};
pub use clients::{Launcher, NamedClients};
pub use engines::ENGINES;
pub use error::{Lost, Refusal, Refusals, code, explain, words};
pub use guest::in_turn::ROUNDS_IN_TURN;
pub use guest::possible::{require_kernels, require_one_guest};
pub use guest::{InGuest, complaints, file_system_packages, packages, packages_of};
pub use here::rehearse;
pub use lock::{Locked, take_machine, tell_cleared};
pub use tools::prefer_cached;

/// Where a run happens.
pub enum Place {
    /// On this machine.
    Here,
    /// On the machine of the agent that this command starts.
    Agent(String),
    /// In a guest of this machine.
    Guest(InGuest),
    /// On the clients of the plan.
    Clients,
}

impl Place {
    /// The place of a stored run that continues; `command` starts an agent on the machine of the run.
    pub fn of_stored(plan: &Plan, command: Option<String>) -> Self {
        match (command, &plan.guest, &plan.clients) {
            (Some(command), ..) => Self::Agent(command),
            (None, _, Some(_)) => Self::Clients,
            (None, Some(guest), None) => Self::Guest(InGuest::like(guest, plan)),
            (None, None, None) => Self::Here,
        }
    }
}

/// How a run ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Everything that was planned is done.
    Complete,
    /// It was stopped.
    Interrupted,
    /// It was stopped before it began.
    Stopped,
    /// It is a stored run that has nothing left to do.
    Nothing,
}

impl From<Status> for End {
    fn from(status: Status) -> Self {
        match status {
            Status::Complete => Self::Complete,
            Status::Interrupted | Status::Running => Self::Interrupted,
        }
    }
}

impl End {
    /// The status of the run.
    pub fn status(self) -> Status {
        match self {
            Self::Complete | Self::Nothing => Status::Complete,
            Self::Interrupted | Self::Stopped => Status::Interrupted,
        }
    }
}

/// Does what remains of a run at a place, until `stop` is set, and sends its events to `listener`. A stored run that
/// cannot continue stays unchanged.
///
/// # Errors
/// If the run is refused, or fails as a whole.
pub fn run(assignment: Assignment, place: &Place, stop: &AtomicBool, listener: &mut dyn Listener) -> Result<End> {
    let ended = match place {
        Place::Here => here::run(assignment, stop, listener),
        Place::Agent(command) => deploy::ready(command, stop)
            .and_then(|command| agent::elsewhere(&command, &agent::Request::Run(Box::new(assignment)), stop, listener)),
        Place::Guest(guest) => guest::run(guest, assignment, stop, listener),
        Place::Clients => clients::run(assignment, stop, listener),
    };
    unless_given_up(ended)
}

/// How a run ended; an error because a signal has stopped something is no failure.
fn unless_given_up(ended: Result<End>) -> Result<End> {
    if ended.is_err() && child::has_given_up() { Ok(End::Stopped) } else { ended }
}
