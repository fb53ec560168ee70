//! `fsarena serve`: the store as pages for a browser on this machine.

use std::thread;

use anyhow::Result;
use fsarena_place::{Refusal, note};

use super::print;
use crate::cli::{Global, Serve};
use crate::exit::Ended;
use crate::serve::{Server, answer, policy};
use crate::{places, signals};

/// Serves pages until a signal ends it.
pub fn run(global: &Global, options: &Serve) -> Result<Ended> {
    let store = places::store_to_read(global)?;
    let mut signals = signals::ending()?;
    let listen = |error| {
        let text = format!("listen on port {} of the loopback device: {error}", options.port);
        Refusal::machine(text, "--port 0 takes a free one")
    };
    let server = Server::listen(options.port).map_err(listen)?;
    note!("{}, for every user of this machine, until Ctrl-C", store.path().display());
    print(&format!("{}\n", server.address()))?;
    let global = global.clone();
    thread::spawn(move || server.answer_all(policy(), move |request| answer(&global, request)));
    signals.forever().next();
    Ok(Ended::Well)
}
