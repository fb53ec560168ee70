//! Brings this program to another machine that lacks it, or has another version, through the ssh, srun or mpirun that
//! is to start an agent there.
//!
//! It is one static binary, so a copy is enough. It goes to a folder of the user's cache that is named after its
//! content, so that it is copied once, and never replaces a binary that runs.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::panic::resume_unwind;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use fsarena_sys::child::{Ended, end_with_parent};
use sha2::{Digest, Sha256};

use crate::{Refusal, agent, note};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How often to look whether a command has ended, or is to stop.
const LOOK: Duration = Duration::from_millis(20);

/// The command that starts an agent of this version where `command` starts one: `command` itself, or if it is `ssh …
/// fsarena agent` and the machine lacks this version, one with the path of a copy there. The same with srun and mpirun
/// if they name the machine. Any other command is returned as it is.
///
/// # Errors
/// If the machine cannot be reached, or the program cannot be copied or does not run there.
pub fn ready(command: &str, stop: &AtomicBool) -> Result<String> {
    let Some(place) = AgentLauncher::of(command) else { return Ok(command.to_owned()) };
    let found = place.version(stop)?;
    if found.as_deref() == Some(VERSION) {
        return Ok(command.to_owned());
    }
    let binary = Binary::own()?;
    let path = match place.copy_of(&binary, stop)? {
        Some(path) => path,
        None => {
            let has = found.map_or("no fsarena".to_owned(), |version| format!("fsarena {version}"));
            note!("`{}` has {has}: copying this one, {VERSION}, to it", place.name());
            place.copy(&binary, stop)?
        }
    };
    place.agent(&path)
}

/// [`ready`] for several commands at the same time.
///
/// # Errors
/// Those of [`ready`], of the first command that has one.
pub fn all_ready(commands: &[String], stop: &AtomicBool) -> Result<Vec<String>> {
    thread::scope(|scope| {
        let started: Vec<_> = commands.iter().map(|command| scope.spawn(move || ready(command, stop))).collect();
        started.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// A command that starts an agent on a certain machine: `ssh HOST fsarena agent`.
#[derive(Debug, PartialEq, Eq)]
struct AgentLauncher {
    /// The words before the program.
    words: Vec<String>,
    passing: Passing,
    program: String,
}

/// How a launcher passes the words of a command on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passing {
    /// As a line for the user's shell, as ssh does.
    AsLine,
    /// As they are.
    AsWords,
}

/// Programs that launch others, and the options with which they name the machine. ssh always names it.
const LAUNCHERS: [(&str, Passing, &[&str]); 4] = [
    ("ssh", Passing::AsLine, &[]),
    ("srun", Passing::AsWords, &["-w", "--nodelist"]),
    ("mpirun", Passing::AsWords, &["--host", "-host", "-H"]),
    ("mpiexec", Passing::AsWords, &["--host", "-host", "-H"]),
];

impl Passing {
    /// How the launcher in `words` does it; `None` if there is none, or the next command may run on another machine.
    fn of(words: &[String]) -> Option<Self> {
        let is = |word: &String, name: &str| Path::new(word).file_name().is_some_and(|file| file == name);
        let (_, passing, options) = LAUNCHERS.iter().find(|(name, ..)| words.iter().any(|word| is(word, name)))?;
        let names = |option: &&str| words.iter().any(|word| word.starts_with(*option));
        (options.is_empty() || options.iter().any(names)).then_some(*passing)
    }

    /// A word as it has to be given to the launcher.
    fn word(self, text: &str) -> Result<String> {
        let quoted = || Ok(shlex::try_quote(text).map_err(|_| unprintable())?.into_owned());
        if self == Self::AsLine { quoted() } else { Ok(text.to_owned()) }
    }
}

struct Binary {
    file: File,
    bytes: u64,
    /// The folder of its copies, below the user's cache.
    folder: String,
}

impl Binary {
    fn own() -> Result<Self> {
        let path = std::env::current_exe().context("the path of this program")?;
        let reading = || format!("read {}", path.display());
        let content = fs::read(&path).with_context(reading)?;
        let file = File::open(&path).with_context(reading)?;
        let hash: String = Sha256::digest(&content).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        let bytes = content.len() as u64;
        Ok(Self { file, bytes, folder: format!("fsarena/{VERSION}-{hash}") })
    }
}

impl AgentLauncher {
    /// `None` for any other command.
    fn of(command: &str) -> Option<Self> {
        let words = shlex::split(command)?;
        let [launcher @ .., program, agent] = words.as_slice() else { return None };
        let is_agent = agent == "agent" && Path::new(program).file_name().is_some_and(|file| file == "fsarena");
        let passing = Passing::of(launcher).filter(|_| is_agent)?;
        Some(Self { words: launcher.to_vec(), passing, program: program.clone() })
    }

    fn name(&self) -> String {
        self.words.join(" ")
    }

    /// The version of the program there; `None` if there is none.
    fn version(&self, stop: &AtomicBool) -> Result<Option<String>> {
        let program = shlex::try_quote(&self.program).map_err(|_| unprintable())?;
        let script = format!("command -v {program} >/dev/null || exit 0; exec {program} --version");
        let ended = self.run(&script, Stdio::null(), stop)?;
        if !ended.status.success() {
            let text = format!("`{}` reaches no machine: {}", self.name(), ended.stderr.trim());
            bail!(Refusal::machine(text, format!("try it alone: {} true", self.name())));
        }
        Ok(ended.stdout.trim().strip_prefix("fsarena ").map(str::to_owned))
    }

    /// The path of the binary's copy there, if there is one that runs.
    fn copy_of(&self, binary: &Binary, stop: &AtomicBool) -> Result<Option<String>> {
        let script = format!("{}; ! \"$file\" --version >/dev/null 2>&1 || printf %s \"$file\"", names(binary));
        let ended = self.run(&script, Stdio::null(), stop)?;
        Ok(Some(ended.stdout).filter(|path| ended.status.success() && !path.is_empty()))
    }

    /// Copies the binary there, and returns its path.
    fn copy(&self, binary: &Binary, stop: &AtomicBool) -> Result<String> {
        let script = format!(
            "{}; umask 077; mkdir -p \"$folder\" || exit 1; trap 'rm -f \"$new\"' EXIT
             cat >\"$new\" && [ \"$(wc -c <\"$new\")\" -eq {} ] && chmod 700 \"$new\" || exit 1
             \"$new\" --version >/dev/null || {{ echo \"it does not run on $(uname -sm)\" >&2; exit 1; }}
             mv \"$new\" \"$file\" && printf %s \"$file\"",
            names(binary),
            binary.bytes
        );
        let ended = self.run(&script, binary.file.try_clone()?.into(), stop)?;
        if ended.status.success() {
            return Ok(ended.stdout);
        }
        let text = format!("copy fsarena by `{}`: {}", self.name(), ended.stderr.trim());
        let hint =
            format!("install fsarena {VERSION} there, and name its path: --on '{} PATH/fsarena agent'", self.name());
        bail!(Refusal::machine(text, hint))
    }

    /// The command that starts an agent of the program at `path` there.
    fn agent(&self, path: &str) -> Result<String> {
        let path = self.passing.word(path)?;
        let words = self.words.iter().map(String::as_str).chain([path.as_str(), "agent"]);
        shlex::try_join(words).map_err(|_| unprintable().into())
    }

    /// Runs a script in a shell there.
    fn run(&self, script: &str, input: Stdio, stop: &AtomicBool) -> Result<Ended> {
        let script = self.passing.word(script)?;
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).args(["sh", "-c", &script]).stdin(input);
        end_with_parent(&mut command);
        let name = self.name();
        ended(command, stop).map_err(|error| agent::not_started(&name, error))
    }
}

/// Lines of a shell that name the folder of the binary's copy, the copy, and the file that becomes it.
fn names(binary: &Binary) -> String {
    let folder = format!("folder=\"${{XDG_CACHE_HOME:-$HOME/.cache}}/{}\"", binary.folder);
    format!("{folder}; file=\"$folder/fsarena\"; new=\"$folder/new.$$\"")
}

fn unprintable() -> Refusal {
    Refusal::wrong_use("the command that starts the agent has a null byte", "--on 'ssh HOST fsarena agent'")
}

/// Waits for the end of a command, which is killed once `stop` is set.
fn ended(mut command: Command, stop: &AtomicBool) -> io::Result<Ended> {
    let (stdout, stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut child = command.stdout(stdout.try_clone()?).stderr(stderr.try_clone()?).spawn()?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if stop.load(Ordering::Relaxed) {
            child.kill()?;
        }
        thread::sleep(LOOK);
    };
    Ok(Ended { status, stdout: text(stdout)?, stderr: text(stderr)? })
}

fn text(mut file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_that_names_the_machine_copies_to_an_agent_of_fsarena() {
        let over = |command: &str| AgentLauncher::of(command).map(|it| (it.name(), it.program));
        let expected = |ssh: &str, program: &str| Some((ssh.to_owned(), program.to_owned()));
        assert_eq!(over("ssh -p 22 me@node fsarena agent"), expected("ssh -p 22 me@node", "fsarena"));
        assert_eq!(over("/usr/bin/ssh node /opt/fsarena agent"), expected("/usr/bin/ssh node", "/opt/fsarena"));
        assert_eq!(over("srun -w n7 fsarena agent"), expected("srun -w n7", "fsarena"));
        assert_eq!(over("srun --nodelist=n7 /a/fsarena agent"), expected("srun --nodelist=n7", "/a/fsarena"));
        assert_eq!(over("mpirun --host n7 -n 1 fsarena agent"), expected("mpirun --host n7 -n 1", "fsarena"));
        let others =
            ["fsarena agent", "srun -N1 fsarena agent", "mpirun -n 1 fsarena agent", "kubectl exec fsarena agent"];
        for other in others.into_iter().chain(["ssh node run-agent", "ssh node fsarena", "'", ""]) {
            assert_eq!(over(other), None, "{other}");
        }
    }

    #[test]
    fn the_command_of_a_copy_is_quoted_for_both_shells() {
        let place = AgentLauncher::of("ssh -F 'a b' node fsarena agent").expect("ssh");
        let command = place.agent("/home/x y/fsarena").expect("words");
        let words = shlex::split(&command).expect("closed");
        assert_eq!(words, ["ssh", "-F", "a b", "node", "'/home/x y/fsarena'", "agent"]);
        let place = AgentLauncher::of("srun -w n7 fsarena agent").expect("srun");
        let command = place.agent("/home/x y/fsarena").expect("words");
        assert_eq!(shlex::split(&command).expect("closed"), ["srun", "-w", "n7", "/home/x y/fsarena", "agent"]);
    }
}
