//! A server whose data are on a lane: what PostgreSQL, MariaDB and Apache have in common.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Scratch};
use fsarena_sys::child::Ended;
use rustix::process::Signal;

use crate::folder;
use crate::server::ServerProcess;
use crate::tool::{LOG, Tool};
use crate::user::User;

/// A server's data on a lane, and the server while it runs.
#[derive(Debug)]
pub struct LaneServer {
    /// Declared before its folder, because fields are dropped in this order.
    process: Option<ServerProcess>,
    /// Folder of the socket and the log. It is outside the lane: a shared folder may not support sockets, and a path on
    /// the lane may be too long for a socket.
    pub run: Scratch,
    /// The user of the server and its tools; `None`: the current user.
    pub user: Option<User>,
    /// The directory of the data, in which the server and its tools run.
    pub data: PathBuf,
    /// The signal at which the server ends.
    end: Signal,
}

impl LaneServer {
    /// A server of the user `user`, whose data are in `data`, and which ends at the signal `end`. It does not run yet.
    pub fn new(user: &str, data: PathBuf, end: Signal) -> Result<Self, EngineError> {
        let user = User::of(user)?;
        Ok(Self { process: None, run: folder::for_server(user.as_ref())?, user, data, end })
    }

    /// Starts `program` with the command line `argv` and waits until it is ready, see [`ServerProcess::start`].
    pub fn start(
        &mut self,
        program: &'static str,
        argv: Vec<String>,
        stop: &AtomicBool,
        ready: impl Fn(&Self, &AtomicBool) -> bool,
    ) -> Result<(), EngineError> {
        self.process = Some(ServerProcess::start(&self.tool(program, argv), stop, |stop| ready(self, stop))?);
        Ok(())
    }

    /// Ends the server. Afterwards everything that it has acknowledged is in its files. Does nothing if none runs.
    pub fn stop(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.process.take().map_or(Ok(()), |process| process.stop(self.end, stop))
    }

    /// Does the work of the clients, see [`ServerProcess::during`].
    pub fn during<T>(
        &mut self,
        stop: &AtomicBool,
        work: impl FnOnce(&AtomicBool) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        match &mut self.process {
            Some(process) => process.during(stop, work),
            None => work(stop),
        }
    }

    /// Runs a client for as long as the server runs, and returns its output; `None` if it was stopped.
    ///
    /// # Errors
    /// If the client fails. The error is that the server has ended, if it has.
    pub fn load(
        &mut self,
        name: &'static str,
        argv: Vec<String>,
        stop: &AtomicBool,
    ) -> Result<Option<Ended>, EngineError> {
        let Some(mut process) = self.process.take() else { return self.tool(name, argv).run(stop) };
        let tool = self.tool(name, argv);
        let ended = process.during(stop, |stop| tool.run(stop));
        self.process = Some(process);
        ended
    }

    /// The cause of a client's error: that the server has ended, if it has, otherwise `error`.
    pub fn named(&mut self, error: EngineError) -> EngineError {
        match &mut self.process {
            Some(process) => process.named(error),
            None => error,
        }
    }

    /// The program `name` with the command line `argv`, run as the server's user.
    pub fn tool(&self, name: &'static str, argv: Vec<String>) -> Tool<'_> {
        Tool { name, argv, user: self.user.as_ref(), directory: &self.data, streams: self.run.path() }
    }

    pub fn log(&self) -> PathBuf {
        self.run.path().join(LOG)
    }

    /// Folder of the socket and of files of clients. It belongs to the server's user.
    pub fn clients_folder(&self) -> PathBuf {
        self.run.path().join(folder::OF_SERVER)
    }
}
