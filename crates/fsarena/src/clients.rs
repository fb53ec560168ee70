//! A run on clients: machines that do the same work on the same shared file systems at the same time. The run is made
//! here and calls their agents. Starting them is the business of ssh, Slurm or MPI.

use std::fs;
use std::io::BufReader;
use std::process::Child;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use fsarena_engine::Launch;
use fsarena_execute::remote::ClientMachines;
use fsarena_execute::{Listener, Remaining, Resumption, RunError, TestbedError};
use fsarena_model::event::Note;
use fsarena_model::{Clients, Event, Measure, Mode, NoiseBounds, Often, Plan, RunRecord, Severity, Workload};
use fsarena_sys::{MonotonicClock, clock};

use crate::agent::{self, End, Order, Request, StoredRun};
use crate::calls::Connection;
use crate::engines::ENGINES;
use crate::exit::Refusal;
use crate::{cli, deploy};

/// How long an agent may be silent. It writes a line every ten seconds.
const PATIENCE: Duration = Duration::from_secs(45);

/// How long agents may take to remove everything and to end.
const ENDING: Duration = Duration::from_secs(60);

/// Shortest timed part of a slice, milliseconds: clients start within a hundredth of it.
const SHORTEST: u64 = 500;

/// Fewest slices of a round, so that the order of the contenders is balanced and a slice may be lost.
const FEWEST_SLICES: u32 = 4;

/// The clients of a run, and how a program is started that works on all of them as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The clients.
    pub clients: Clients,
    launcher: Launcher,
}

/// What starts a program that works on several clients as one.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Launcher {
    /// mpirun, on this machine.
    Here,
    /// mpirun, on these hosts.
    Mpi(Vec<String>),
    /// srun, on these nodes of the allocation.
    Slurm(Vec<String>),
    /// Nothing: it is not known on which hosts the clients are.
    Unknown,
}

impl Launcher {
    /// The words that start a program on the first `count` clients, its processes in turn on each; `None` if they are
    /// not known.
    fn words(&self, count: usize) -> Option<Vec<String>> {
        let text = match self {
            Self::Here => "mpirun -n {processes}".to_owned(),
            Self::Mpi(hosts) => {
                format!("mpirun -x PATH --map-by node --host {} -n {{processes}}", hosts[..count].join(","))
            }
            Self::Slurm(nodes) => format!(
                "srun --overlap --overcommit --distribution=cyclic -N{count} -w {} -n {{processes}}",
                nodes[..count].join(",")
            ),
            Self::Unknown => return None,
        };
        Some(text.split(' ').map(str::to_owned).collect())
    }
}

/// The clients that the arguments name; `None` if they name none.
///
/// # Errors
/// If a list of hosts cannot be read, or the numbers are not possible.
pub fn named(arguments: &cli::Clients) -> Result<Option<Named>> {
    let mut commands = arguments.client.clone();
    let mut launcher = Launcher::Unknown;
    if let Some(place) = &arguments.clients {
        let own_commands = commands.len();
        let found = started_at(place)?;
        commands.extend(found.commands);
        if own_commands == 0 {
            launcher = found.launcher;
        }
    }
    if commands.is_empty() {
        let is_alone = arguments.clients_scale.is_empty();
        let refusal = || Refusal::wrong_use("--clients-scale needs clients", "--clients local:4 --clients-scale 1,2,4");
        return is_alone.then_some(None).ok_or_else(|| refusal().into());
    }
    let all = commands.len() as u32;
    let mut numbers = arguments.clients_scale.clone();
    numbers.sort_unstable();
    numbers.dedup();
    if let Some(wrong) = numbers.iter().find(|number| **number == 0 || **number > all) {
        let text = format!("{wrong} clients cannot work, there are {all}");
        return Err(Refusal::wrong_use(text, format!("--clients-scale takes numbers from 1 to {all}")).into());
    }
    if numbers.is_empty() {
        numbers.push(all);
    }
    let clients = Clients { commands, numbers, when_lost: arguments.when_lost.into() };
    Ok(Some(Named { clients, launcher }))
}

/// How agents and programs are started on clients.
struct Started {
    commands: Vec<String>,
    launcher: Launcher,
}

/// How agents and programs are started at `place`, as `--clients` names it.
fn started_at(place: &str) -> Result<Started> {
    let (launcher, rest) = place.split_once(':').unwrap_or((place, ""));
    let own = std::env::current_exe().context("the path of this program")?.display().to_string();
    let own =
        shlex::try_quote(&own).map_err(|_| Refusal::wrong_use("the path of this program", "rename it"))?.into_owned();
    match launcher {
        "local" => {
            Ok(Started { commands: vec![format!("{own} agent"); count(place, rest)?], launcher: Launcher::Here })
        }
        "ssh" => {
            let hosts = hosts(rest)?;
            let commands = hosts.iter().map(|host| format!("ssh {host} fsarena agent")).collect();
            Ok(Started { commands, launcher: Launcher::Mpi(hosts) })
        }
        "mpi" => {
            let hosts = hosts(rest)?;
            let commands = hosts.iter().map(|host| format!("mpirun --host {host} -n 1 {own} agent")).collect();
            Ok(Started { commands, launcher: Launcher::Mpi(hosts) })
        }
        "slurm" if rest.is_empty() => {
            let nodes = slurm_nodes()?;
            let command = |node: &String| format!("srun --overlap -N1 -n1 -w {node} {own} agent");
            Ok(Started { commands: nodes.iter().map(command).collect(), launcher: Launcher::Slurm(nodes) })
        }
        "slurm" => {
            let commands = vec![format!("srun -N1 -n1 {own} agent"); count(place, rest)?];
            Ok(Started { commands, launcher: Launcher::Unknown })
        }
        _ => {
            let text = format!("`{place}` names no clients");
            let hint = "--clients local:4, ssh:HOSTFILE, mpi:HOSTFILE, slurm (the nodes of this allocation) or slurm:4";
            Err(Refusal::wrong_use(text, hint).into())
        }
    }
}

fn count(place: &str, text: &str) -> Result<usize> {
    let count = text.parse().ok().filter(|count| (1..=4096).contains(count));
    count.ok_or_else(|| {
        let text = format!("`{place}` has no number of clients from 1 to 4096");
        Refusal::wrong_use(text, "--clients local:4").into()
    })
}

/// The hosts in a file: the first word of each line that is not a comment, as in the host files of MPI.
fn hosts(path: &str) -> Result<Vec<String>> {
    let text = fs::read_to_string(path).map_err(|error| {
        let hint = "a file with one host per line: --clients ssh:HOSTFILE";
        Refusal::wrong_use(format!("read the hosts in `{path}`: {error}"), hint)
    })?;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let hosts: Vec<String> = lines.filter_map(|line| Some(line.split_whitespace().next()?.to_owned())).collect();
    match hosts.iter().find(|host| host.starts_with('-')) {
        _ if hosts.is_empty() => {
            Err(Refusal::wrong_use(format!("`{path}` names no host"), "write one host per line").into())
        }
        Some(host) => {
            Err(Refusal::wrong_use(format!("`{host}` in `{path}` is no host"), "write one host per line").into())
        }
        None => Ok(hosts),
    }
}

/// The nodes of the Slurm allocation in which this command runs.
fn slurm_nodes() -> Result<Vec<String>> {
    let refusal =
        |text: String| Refusal::machine(text, "start it within an allocation (salloc -N4), or: --clients slurm:4");
    let list = std::env::var("SLURM_JOB_NODELIST").map_err(|_| refusal("this is no allocation of Slurm".to_owned()))?;
    let found = std::process::Command::new("scontrol").args(["show", "hostnames", &list]).output();
    let found = found.map_err(|error| refusal(format!("start scontrol: {error}")))?;
    let text = String::from_utf8_lossy(&found.stdout).into_owned();
    let nodes: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if nodes.is_empty() { Err(refusal(format!("scontrol names no node of `{list}`")).into()) } else { Ok(nodes) }
}

/// The plan with each workload once for each number of clients.
///
/// # Errors
/// If a contender is not a directory, a workload's figure cannot be added up, or its program cannot be started.
pub fn with_clients(plan: Plan, named: Named) -> Result<Plan> {
    let Named { clients, launcher } = named;
    if let Some(contender) = plan.contenders.iter().find(|contender| !contender.is_directory()) {
        let text = format!("`{}` is a file system of one machine, which clients cannot share", contender.label);
        return Err(
            Refusal::wrong_use(text, "clients compare shared directories: dir:/mnt/nfs dir:/mnt/gluster").into()
        );
    }
    let is_printed = |workload: &&Workload| workload.metric.measure == Measure::Printed;
    if let Some(workload) = plan.workloads.iter().find(is_printed) {
        let text = format!("the figure of `{}` is what its program prints for one client", workload.name);
        return Err(Refusal::wrong_use(text, "use workloads that count operations or bytes").into());
    }
    let longer: Vec<Workload> = plan.workloads.iter().map(with_longer_slices).collect();
    let each = longer.iter().flat_map(|workload| clients.numbers.iter().map(|count| workload.with_clients(*count)));
    let workloads: Vec<Workload> = each.map(|workload| launched(workload, &launcher)).collect::<Result<_>>()?;
    // Daemons of a file service on a client are a part of it, and no load of others.
    let (noise, baselines) = (NoiseBounds::ignored(), Often::Never);
    Ok(Plan { workloads, noise, baselines, clients: Some(clients), ..plan })
}

/// The workload as its program is started on its clients, if it works on all of them as one.
fn launched(workload: Workload, launcher: &Launcher) -> Result<Workload> {
    let Some(spanning) = ENGINES.of(&workload)?.abilities().spanning else { return Ok(workload) };
    let machines = workload.clients().unwrap_or(1);
    let Some(words) = launcher.words(machines as usize) else {
        let text = format!("it is not known on which hosts the program of `{}` has to be started", workload.base());
        let hint = "--clients ssh:HOSTFILE, mpi:HOSTFILE, local:4, or slurm within an allocation";
        return Err(Refusal::wrong_use(text, hint).into());
    };
    Ok(ENGINES.resolved((spanning.launched)(&workload, &Launch { machines, words }))?)
}

/// The workload with slices that are long compared with the differences between the starts of clients, and about as much
/// time in all.
fn with_longer_slices(workload: &Workload) -> Workload {
    if workload.mode == Mode::Whole || workload.timed_ms == 0 || workload.timed_ms >= SHORTEST {
        return workload.clone();
    }
    let all = workload.timed_ms * u64::from(workload.slices);
    let slices = (all.div_ceil(SHORTEST).next_multiple_of(2) as u32).max(FEWEST_SLICES);
    Workload { timed_ms: SHORTEST, slices, ..workload.clone() }
}

/// Executes an order on its clients.
pub fn run(order: &Order, stop: &AtomicBool, listener: &mut dyn Listener) -> Result<End> {
    perform(&order.plan, order.wait, stop, listener, |machines, stop, listener| {
        let started = clock::now();
        let mut tell = |event: &Event| listener.hear(event).map_err(RunError::Listener);
        tell(&Event::Started { plan: Box::new(order.plan.clone()), started: clock::utc() })?;
        for text in &order.notes {
            tell(&Event::Note(Note { severity: Severity::Info, text: text.clone() }))?;
        }
        let status = fsarena_execute::run(&order.plan, machines, &MonotonicClock, started, stop, listener)?;
        Ok(status.into())
    })
}

/// Continues a stored run.
pub fn resume(stored: StoredRun, plan: &Plan, stop: &AtomicBool, listener: &mut dyn Listener) -> Result<End> {
    let record = RunRecord::of_events(stored.run, stored.events).context("the events are not those of a run")?;
    let Some(rest) = Remaining::of(&record, stored.wish)? else { return Ok(End::Nothing) };
    perform(plan, stored.wait, stop, listener, |machines, stop, listener| {
        let resumption = Resumption { record, rest, at: clock::utc() };
        let status = fsarena_execute::resume(resumption, machines, &MonotonicClock, clock::now(), stop, listener)?;
        Ok(status.into())
    })
}

/// Starts the agents of all clients, calls `session`, and waits until they have removed everything.
fn perform(
    plan: &Plan,
    wait: bool,
    stop: &AtomicBool,
    listener: &mut dyn Listener,
    session: impl FnOnce(&mut ClientMachines<Connection>, &AtomicBool, &mut dyn Listener) -> Result<End>,
) -> Result<End> {
    let clients = plan.clients.as_ref().context("the plan has clients")?;
    let order = Order { plan: plan.clone(), notes: Vec::new(), wait, erase: Vec::new() };
    let request = Request::Client { order: Box::new(order), session: new_session() };
    let commands = deploy::all_ready(&clients.commands, stop)?;
    let mut agents = Agents(commands.iter().map(|command| Agent::start(command)).collect::<Result<_>>()?);
    let connections = agents.connect(&request, listener)?;
    let over = Arc::new(AtomicBool::new(false));
    let mut machines = ClientMachines::new(plan, ENGINES, connections, Rc::new(MonotonicClock), Arc::clone(&over));
    let look = || stop.load(Ordering::Relaxed) || over.load(Ordering::Relaxed);
    let ended = fsarena_engine::watched(look, |stop| session(&mut machines, stop, listener));
    let lost = machines.lost();
    drop(machines);
    drop(agents);
    for command in &lost {
        let text = format!("the client `{command}` was lost; {}", clear(command));
        listener.hear(&Event::Note(Note { severity: Severity::Failure, text })).map_err(RunError::Listener)?;
    }
    ended
}

/// A word that only the agents of this run know.
fn new_session() -> String {
    format!("{}-{}-{}", std::process::id(), clock::time_of_day().0, clock::now().0)
}

/// An agent that was started.
struct Agent {
    command: String,
    child: Child,
}

/// The agents of a run. When this is dropped, those that do not end by themselves are killed.
struct Agents(Vec<Agent>);

impl Agent {
    fn start(command: &str) -> Result<Self> {
        Ok(Self { command: command.to_owned(), child: agent::start(command)? })
    }

    fn connect(&mut self, request: &Request) -> Result<Connection, TestbedError> {
        let no_pipe = || TestbedError::machine("its stdin and stdout are not connected".to_owned());
        let (input, output) = self.child.stdin.take().zip(self.child.stdout.take()).ok_or_else(no_pipe)?;
        let lost = Arc::new(AtomicBool::new(false));
        Connection::open(Box::new(input), BufReader::new(output), request, lost, PATIENCE)
    }

    fn refusal(&self, number: usize, error: TestbedError) -> Refusal {
        let TestbedError { text, hint, category } = error;
        let text = format!("client {number} (`{}`): {text}", self.command);
        let try_it = "try its command alone: it has to print the version of fsarena and wait".to_owned();
        Refusal::of_agent(text, hint.or(Some(try_it)), category)
    }
}

impl Agents {
    /// All agents prepare their machines at the same time.
    fn connect(&mut self, request: &Request, listener: &mut dyn Listener) -> Result<Vec<Connection>> {
        let connections: Vec<_> = self.0.iter_mut().map(|agent| agent.connect(request)).collect();
        let numbered = connections.into_iter().zip(&self.0).enumerate();
        let prepared = numbered.map(|(index, (connection, agent))| {
            let prepared = connection.and_then(|connection| connection.prepared(listener).map(|()| connection));
            Ok(prepared.map_err(|error| agent.refusal(index + 1, error))?)
        });
        prepared.collect()
    }
}

impl Drop for Agents {
    /// They end by themselves, since their stdin is closed.
    fn drop(&mut self) {
        let deadline = Instant::now() + ENDING;
        for Agent { child, .. } in &mut self.0 {
            // A stdin that no connection has taken.
            drop(child.stdin.take());
            while matches!(child.try_wait(), Ok(None)) && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(20));
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Removes what a lost client left, by a new agent there; returns the result in words.
fn clear(command: &str) -> String {
    struct Silent;
    impl Listener for Silent {
        fn hear(&mut self, _event: &Event) -> Result<(), String> {
            Ok(())
        }
    }
    let begin = Instant::now();
    let look = || begin.elapsed() > ENDING;
    let done = fsarena_engine::watched(look, |stop| {
        agent::elsewhere(&deploy::ready(command, stop)?, &Request::Clear, stop, &mut Silent)
    });
    match done {
        Ok(_) => "what it had made was removed".to_owned(),
        Err(error) => format!("what it had made may still be there, run `fsarena clean` on it ({error})"),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn arguments(clients: Option<&str>, scale: &[u32]) -> cli::Clients {
        let clients = clients.map(str::to_owned);
        cli::Clients { clients, clients_scale: scale.to_vec(), ..cli::Clients::default() }
    }

    #[test]
    fn clients_are_commands_and_their_numbers_ascend() {
        let of =
            |place, scale: &[u32]| named(&arguments(Some(place), scale)).expect("well named").expect("some").clients;
        let clients = of("local:4", &[4, 1, 2, 2]);
        assert_eq!((clients.commands.len(), clients.numbers), (4, vec![1, 2, 4]));
        assert_eq!(of("local:3", &[]).numbers, [3]);
        assert_eq!(named(&arguments(None, &[])).expect("none"), None);
    }

    #[test]
    fn what_names_no_clients_is_refused() {
        let cases = [
            (Some("local:0"), vec![], "number of clients"),
            (Some("local:two"), vec![], "number of clients"),
            (Some("k8s:4"), vec![], "names no clients"),
            (Some("ssh:/no/such/file"), vec![], "read the hosts"),
            (Some("local:4"), vec![5], "5 clients cannot work, there are 4"),
            (Some("local:4"), vec![0], "0 clients cannot work"),
            (None, vec![1], "--clients-scale needs clients"),
        ];
        for (clients, scale, expected) in cases {
            let error = named(&arguments(clients, &scale)).expect_err("refused").to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_host_file_has_a_host_per_line() {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        writeln!(file, "# nodes\nnode1 slots=4\n\nme@node2 # the second").expect("written");
        let path = file.path().display().to_string();
        let started = started_at(&format!("ssh:{path}")).expect("hosts");
        assert_eq!(started.commands, ["ssh node1 fsarena agent", "ssh me@node2 fsarena agent"]);
        let words = |count| started.launcher.words(count).map(|words| words.join(" "));
        let launched = |hosts| Some(format!("mpirun -x PATH --map-by node --host {hosts} -n {{processes}}"));
        assert_eq!((words(1), words(2)), (launched("node1"), launched("node1,me@node2")));
        writeln!(file, "-oProxyCommand=x").expect("written");
        assert!(started_at(&format!("ssh:{path}")).is_err());
    }

    #[test]
    fn programs_are_started_by_what_starts_the_agents() {
        let nodes = ["n1", "n2", "n3"].map(str::to_owned).to_vec();
        let slurm = Launcher::Slurm(nodes).words(2).map(|words| words.join(" "));
        let expected = "srun --overlap --overcommit --distribution=cyclic -N2 -w n1,n2 -n {processes}";
        assert_eq!(slurm.as_deref(), Some(expected));
        let of = |own: &[&str], place: Option<&str>| {
            let client = own.iter().map(|command| (*command).to_owned()).collect();
            let named = named(&cli::Clients { client, ..arguments(place, &[]) }).expect("well named").expect("some");
            named.launcher
        };
        assert_eq!(of(&[], Some("local:2")), Launcher::Here);
        assert_eq!(of(&["ssh n1 fsarena agent"], None), Launcher::Unknown);
        assert_eq!(of(&["ssh n1 fsarena agent"], Some("local:2")), Launcher::Unknown);
    }
}
