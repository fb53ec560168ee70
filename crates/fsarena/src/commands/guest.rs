//! `fsarena guest`: fetches what a guest needs, boots it, and says how it runs, or connects its agent.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use fsarena_guest::{BootMount, Hardware, Running, ServedFolders};
use fsarena_place::{Refusal, agent::Alive, complaints, folders, note, note::tell};

use super::print;
use crate::cli::{GuestMachine, How, hows};
use crate::signals::stop_flag;

#[derive(Debug, Args)]
pub struct GuestArguments {
    /// How its instructions are executed
    #[arg(value_name = "HOW", default_value = "auto", value_parser = hows())]
    pub how: How,
    #[command(flatten)]
    pub machine: GuestMachine,
    /// Connect its agent to stdin and stdout, as a client of a run: --client 'fsarena guest --agent --mount …'
    #[arg(long)]
    pub agent: bool,
    /// Mount this in it, a line as in fstab(5): '10.0.2.2:/export /mnt/nfs nfs4 port=2049'; 10.0.2.2 is this machine.
    /// Can be repeated
    #[arg(long, value_name = "LINE")]
    pub mount: Vec<BootMount>,
    /// Further arguments of QEMU, split into words as in a shell; can be repeated
    #[arg(long, value_name = "ARGUMENTS", allow_hyphen_values = true)]
    pub qemu: Vec<String>,
}

/// How often to look whether the guest is to end.
const LOOK: Duration = Duration::from_millis(50);

pub fn run(options: &GuestArguments) -> Result<()> {
    let wanted = options.machine.wanted(options.how.0, Vec::new());
    let shares = shares(options)?;
    let alive = options.agent.then(Alive::start);
    let stop = stop_flag()?;
    if !options.agent {
        end_at_signal(Arc::clone(&stop));
    }
    let prepared = fsarena_guest::prepare(&folders::cache()?, &wanted, &mut |what| tell(what))?;
    let begin = Instant::now();
    let running = Hardware::new(&prepared, &shares).boot(&stop)?;
    complaints(&running).for_each(|text| tell(&text));
    if options.agent {
        drop(alive);
        return if stop.load(Ordering::Relaxed) { Ok(()) } else { connect(running, stop) };
    }
    let seconds = begin.elapsed().as_secs_f64();
    print(&format!("The guest works: {prepared}; it boots in {seconds:.1} s.\n"))
}

/// Ends this process at a signal; a guest ends with it.
fn end_at_signal(stop: Arc<AtomicBool>) {
    thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(LOOK);
        }
        note!("interrupted");
        std::process::exit(130);
    });
}

/// What the guest mounts when it boots.
fn shares(options: &GuestArguments) -> Result<ServedFolders> {
    let wrong = |text: &String| {
        Refusal::wrong_use(format!("`{text}` cannot be split into words"), "--qemu '-rtc base=2026-01-01T00:00:00'")
    };
    let words = options.qemu.iter().map(|text| shlex::split(text).ok_or_else(|| wrong(text)));
    let words: Vec<Vec<String>> = words.collect::<Result<_, _>>()?;
    Ok(ServedFolders::of_others(options.mount.clone(), words.concat()))
}

/// Connects the guest's agent to stdin and stdout until the guest ends. The agent is to end when stdin ends, or at a
/// signal.
fn connect(mut running: Running, stop: Arc<AtomicBool>) -> Result<()> {
    let stream = || running.stream().try_clone().context("the connection to the guest");
    let (to_guest, from_guest) = (stream()?, stream()?);
    let stdin_ended = Arc::new(AtomicBool::new(false));
    let (stdin, ended) = (to_guest.try_clone()?, Arc::clone(&stdin_ended));
    thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut &stdin);
        ended.store(true, Ordering::Relaxed);
    });
    thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) && !stdin_ended.load(Ordering::Relaxed) {
            thread::sleep(LOOK);
        }
        // No call is an empty line, so the agent ends. If the connection were closed, the guest would wait for another.
        let _ = (&to_guest).write_all(b"\n");
    });
    // It is silent, or has ended without having read what stdin brought.
    pass_on(from_guest).map_err(|_| running.explained("stopped").into())
}

/// Passes what the agent writes on to stdout until it ends, which it does by itself when the reader of stdout has
/// ended.
fn pass_on(mut from_guest: UnixStream) -> std::io::Result<()> {
    let mut buffer = [0; 1 << 16];
    loop {
        let count = from_guest.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(&buffer[..count]).and_then(|()| stdout.flush());
    }
}
