//! Which machines are the clients of a run, and how agents and programs are started there.

use std::fs;

use anyhow::{Context, Result, bail};
use fsarena_model::clients::WhenLost;
use fsarena_model::{Clients, repeated};

use crate::Refusal;

/// The clients of a run, and how a program is started that works on all of them as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedClients {
    /// The clients.
    pub clients: Clients,
    /// What starts such a program; `None` if it is not known on which hosts the clients are.
    pub launcher: Option<Launcher>,
}

/// What starts a program that works on several clients as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    /// Its command line, with places for the number of clients, their hosts, and the number of processes.
    line: &'static str,
    hosts: Vec<String>,
}

/// mpirun, on this machine.
const HERE: &str = "mpirun -n {processes}";
/// mpirun, on hosts.
const MPI: &str = "mpirun -x PATH --map-by node --host {hosts} -n {processes}";
/// srun, on nodes of the allocation.
const SLURM: &str = "srun --overlap --overcommit --distribution=cyclic -N{count} -w {hosts} -n {processes}";

impl Launcher {
    /// The words that start a program on the first `count` clients, its processes in turn on each.
    pub fn words(&self, count: usize) -> Vec<String> {
        let hosts = self.hosts.iter().take(count).map(String::as_str).collect::<Vec<_>>().join(",");
        let line = self.line.replace("{count}", &count.to_string()).replace("{hosts}", &hosts);
        line.split(' ').map(str::to_owned).collect()
    }
}

impl NamedClients {
    /// The clients whose agents are started by the commands of `named`, and further ones at `place`: `local:N`,
    /// `ssh:HOSTFILE`, `mpi:HOSTFILE`, `slurm` or `slurm:N`. Of no numbers of clients, all work. `None` if there are none.
    ///
    /// # Errors
    /// If a list of hosts cannot be read, or the numbers are not possible.
    pub fn of(named: Clients, place: Option<&str>) -> Result<Option<Self>> {
        let Clients { mut commands, mut numbers, .. } = named;
        let mut launcher = None;
        if let Some(place) = place {
            let (further, of_all) = started_at(place)?;
            if commands.is_empty() {
                launcher = of_all;
            }
            commands.extend(further);
        }
        if commands.is_empty() {
            let hint = "--clients local:4 --clients-scale 1,2,4";
            let given = [
                ("--clients-scale", !numbers.is_empty()),
                ("--server", !named.servers.is_empty()),
                ("--when-lost", named.when_lost != WhenLost::default()),
            ];
            let useless = given.iter().find(|(_, is_given)| *is_given);
            return useless.map_or(Ok(None), |(option, _)| {
                Err(Refusal::wrong_use(format!("{option} needs clients"), hint).into())
            });
        }
        let all = commands.len() as u32;
        numbers.sort_unstable();
        if let Some(twice) = repeated(&numbers) {
            let text = format!("--clients-scale has {twice} twice");
            bail!(Refusal::wrong_use(text, "name each number of clients once"));
        }
        if let Some(wrong) = numbers.iter().find(|number| **number == 0 || **number > all) {
            let text = format!("{wrong} clients cannot work, there are {all}");
            bail!(Refusal::wrong_use(text, format!("--clients-scale takes numbers from 1 to {all}")));
        }
        if numbers.is_empty() {
            numbers.push(all);
        }
        Ok(Some(Self { clients: Clients { commands, numbers, ..named }, launcher }))
    }
}

/// The commands that start agents at `place`, as `--clients` names it, and what starts programs there.
fn started_at(place: &str) -> Result<(Vec<String>, Option<Launcher>)> {
    let by = |line, hosts| Some(Launcher { line, hosts });
    let (launcher, rest) = place.split_once(':').unwrap_or((place, ""));
    let own = quoted(&std::env::current_exe().context("the path of this program")?.display().to_string())?;
    match launcher {
        "local" => Ok((vec![format!("{own} agent"); count(place, rest)?], by(HERE, Vec::new()))),
        "ssh" | "mpi" => {
            let hosts = hosts(rest)?;
            let command = |host: &String| match launcher {
                "ssh" => format!("ssh {host} fsarena agent"),
                _ => format!("mpirun --host {host} -n 1 {own} agent"),
            };
            Ok((hosts.iter().map(command).collect(), by(MPI, hosts)))
        }
        "slurm" if rest.is_empty() => {
            let nodes = slurm_nodes()?;
            let command = |node: &String| format!("srun --overlap -N1 -n1 -w {node} {own} agent");
            Ok((nodes.iter().map(command).collect(), by(SLURM, nodes)))
        }
        "slurm" => Ok((vec![format!("srun -N1 -n1 {own} agent"); count(place, rest)?], None)),
        _ => {
            let text = format!("`{place}` names no clients");
            let hint = "--clients local:4, ssh:HOSTFILE, mpi:HOSTFILE, slurm (the nodes of this allocation) or slurm:4";
            bail!(Refusal::wrong_use(text, hint))
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
    let hosts: Vec<&str> = lines.filter_map(|line| Some(host(line.split_whitespace().next()?))).collect();
    let wrong = match hosts.iter().find(|host| host.starts_with('-')) {
        _ if hosts.is_empty() => format!("`{path}` names no host"),
        Some(host) => format!("`{host}` in `{path}` is no host"),
        None => return hosts.into_iter().map(quoted).collect(),
    };
    bail!(Refusal::wrong_use(wrong, "write one host per line"))
}

/// A host as ssh and mpirun take it: without the brackets of an IPv6 address, and without the `:SLOTS` of MPICH's host
/// files.
fn host(word: &str) -> &str {
    let bare = word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(word);
    match bare.split_once(':') {
        Some((host, slots)) if !slots.is_empty() && slots.bytes().all(|letter| letter.is_ascii_digit()) => host,
        _ => bare,
    }
}

fn quoted(word: &str) -> Result<String> {
    let refusal = |_| Refusal::wrong_use(format!("`{word}` has a null byte"), "rename it");
    Ok(shlex::try_quote(word).map_err(refusal)?.into_owned())
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use fsarena_model::WhenLost;

    use super::*;

    fn named(own: &[&str], place: Option<&str>, numbers: &[u32]) -> Result<Option<NamedClients>> {
        let commands = own.iter().map(|command| (*command).to_owned()).collect();
        let clients = Clients { commands, numbers: numbers.to_vec(), when_lost: WhenLost::End, servers: Vec::new() };
        NamedClients::of(clients, place)
    }

    #[test]
    fn clients_are_commands_and_their_numbers_ascend() {
        let of = |place, scale: &[u32]| named(&[], Some(place), scale).expect("well named").expect("some").clients;
        let clients = of("local:4", &[4, 1, 2]);
        assert_eq!((clients.commands.len(), clients.numbers), (4, vec![1, 2, 4]));
        assert_eq!(of("local:3", &[]).numbers, [3]);
        assert_eq!(named(&[], None, &[]).expect("none"), None);
    }

    #[test]
    fn malformed_lists_of_clients_are_refused() {
        let cases = [
            (Some("local:0"), vec![], "number of clients"),
            (Some("local:two"), vec![], "number of clients"),
            (Some("k8s:4"), vec![], "names no clients"),
            (Some("ssh:/no/such/file"), vec![], "read the hosts"),
            (Some("local:4"), vec![5], "5 clients cannot work, there are 4"),
            (Some("local:4"), vec![0], "0 clients cannot work"),
            (Some("local:4"), vec![2, 1, 2], "--clients-scale has 2 twice"),
            (None, vec![1], "--clients-scale needs clients"),
        ];
        for (clients, scale, expected) in cases {
            let error = named(&[], clients, &scale).expect_err("refused").to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_host_file_has_a_host_per_line() {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        writeln!(file, "# nodes\nnode1 slots=4\n\nme@node2 # the second\nnode3:8\n[fd00::1]").expect("written");
        let path = file.path().display().to_string();
        let (commands, launcher) = started_at(&format!("ssh:{path}")).expect("hosts");
        assert_eq!(commands, ["node1", "me@node2", "node3", "fd00::1"].map(|host| format!("ssh {host} fsarena agent")));
        let words = |count| launcher.as_ref().map(|launcher| launcher.words(count).join(" "));
        let launched = |hosts| Some(format!("mpirun -x PATH --map-by node --host {hosts} -n {{processes}}"));
        assert_eq!((words(1), words(2)), (launched("node1"), launched("node1,me@node2")));
        writeln!(file, "-oProxyCommand=x").expect("written");
        assert!(started_at(&format!("ssh:{path}")).is_err());
    }

    #[test]
    fn programs_are_started_by_what_starts_the_agents() {
        let nodes = ["n1", "n2", "n3"].map(str::to_owned).to_vec();
        let slurm = Launcher { line: SLURM, hosts: nodes }.words(2).join(" ");
        let expected = "srun --overlap --overcommit --distribution=cyclic -N2 -w n1,n2 -n {processes}";
        assert_eq!(slurm, expected);
        let of = |own: &[&str], place| named(own, place, &[]).expect("well named").expect("some").launcher;
        assert_eq!(of(&[], Some("local:2")), Some(Launcher { line: HERE, hosts: Vec::new() }));
        assert_eq!(of(&["ssh n1 fsarena agent"], None), None);
        assert_eq!(of(&["ssh n1 fsarena agent"], Some("local:2")), None);
    }
}
