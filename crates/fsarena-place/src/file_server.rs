//! Shells on file servers: a server needs no fsarena to drop its caches and to count what its disks read.

use std::cell::RefCell;
use std::io::Write;
use std::process::{Child, ChildStdin};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use anyhow::Result;
use fsarena_execute::remote::Server;
use fsarena_model::FileServer;

use crate::connection::lines;
use crate::{Refusal, agent};

/// Comes before the exit code of each script.
const END: &str = "fsarena-script-ended:";

/// How long a script may take: writing back what is dirty, mostly.
const PATIENCE: Duration = Duration::from_secs(60);

/// Bytes of a sector in /proc/diskstats (Documentation/admin-guide/iostats.rst).
const SECTOR: u64 = 512;

/// A shell that runs on a file server. It ends when this is dropped.
pub struct Shell {
    server: FileServer,
    child: Child,
    input: RefCell<ChildStdin>,
    lines: Receiver<String>,
}

impl Shell {
    /// Starts the shell, and tries whether its disks can be read.
    ///
    /// # Errors
    /// If it does not answer, or lacks a disk.
    pub fn start(server: &FileServer) -> Result<Self> {
        let (child, input, output) = agent::start(&server.command)?;
        let shell = Self { server: server.clone(), child, input: RefCell::new(input), lines: lines(output) };
        let hint = "--server 'sdb=ssh root@server sh' names disks of the server and starts a shell";
        let tried = shell.drop_caches().and_then(|()| shell.bytes_read());
        tried.map_err(|error| Refusal::machine(error.text, hint))?;
        Ok(shell)
    }

    /// What a script prints, which has to succeed.
    fn ask(&self, script: &str) -> Result<String, Refusal> {
        let failed = |why: &str| Refusal::of_machine(format!("the server `{}`: {why}", self.server.command));
        let line = format!("{script}; echo {END}$?\n");
        self.input.borrow_mut().write_all(line.as_bytes()).map_err(|error| failed(&error.to_string()))?;
        let mut printed = String::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE).map_err(|_| failed("its shell does not answer"))?;
            match line.strip_prefix(END) {
                Some("0") => return Ok(printed),
                Some(code) => return Err(failed(&format!("`{script}` failed with exit code {code}"))),
                None => printed += &format!("{line}\n"),
            }
        }
    }
}

impl Server for Shell {
    /// The kernel keeps dirty pages, so they are written first (proc(5), `/proc/sys/vm/drop_caches`).
    fn drop_caches(&self) -> Result<(), Refusal> {
        self.ask("sync && echo 3 >/proc/sys/vm/drop_caches").map(drop)
    }

    fn bytes_read(&self) -> Result<u64, Refusal> {
        let text = self.ask("cat /proc/diskstats")?;
        let lacks =
            |disk: &str| Refusal::of_machine(format!("the server `{}` has no disk `{disk}`", self.server.command));
        let disks = self.server.disks.iter();
        disks.map(|disk| sectors_read(&text, disk).map(|count| count * SECTOR).ok_or_else(|| lacks(disk))).sum()
    }
}

/// Sectors that a disk has read, from the text of /proc/diskstats.
fn sectors_read(text: &str, disk: &str) -> Option<u64> {
    let mut lines = text.lines().map(|line| line.split_whitespace().skip(2));
    let mut fields = lines.find_map(|mut fields| (fields.next()? == disk).then_some(fields))?;
    fields.nth(2)?.parse().ok()
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_are_the_third_figure_of_a_disk() {
        let text = "   8       0 sda 10 2 3000 4 5 6 7 8 0 9 10\n   8       1 sda1 1 1 77 1 1 1 1 1 0 1 1\n";
        assert_eq!(["sda", "sda1", "sd"].map(|disk| sectors_read(text, disk)), [Some(3000), Some(77), None]);
    }

    /// The first one finds no program that syncs.
    #[test]
    fn a_shell_that_cannot_drop_caches_is_refused() {
        for (command, expected) in [("sh -c 'PATH= exec /bin/sh'", "failed with exit code 127"), ("true", "`true`")] {
            let server = FileServer { disks: vec!["sda".to_owned()], command: command.to_owned() };
            let error = Shell::start(&server).err().expect("refused").to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
