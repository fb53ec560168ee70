//! The command line that repeats a run.

use std::collections::BTreeSet;

use fsarena_model::clients::WhenLost;
use fsarena_model::plan::{Extension, Harness, listed};
use fsarena_model::{Clients, Contender, Guest, GuestDisk, Mix, Plan, Relation, RunRecord, Storage, Workload};

use crate::recommendation::covered;
use crate::slice_lengths::calibrated;

/// The command line that repeats a run. It gives the number of rounds that were run: under a budget the number may
/// differ.
pub fn command(record: &RunRecord) -> Vec<String> {
    let plan = &record.plan;
    if let (Some(extension), Some(suite)) = (&plan.extension, &plan.suite.name) {
        return extended(record, suite, extension);
    }
    let slice_lengths = calibrated(&plan.workloads);
    let mut words = vec!["fsarena".to_owned()];
    words.extend(match slice_lengths {
        Some(_) => ["calibrate", "--slices"].map(str::to_owned).to_vec(),
        None => vec!["compare".to_owned()],
    });
    let is_of_matrix =
        |contender: &&Contender| plan.arguments.matrices.iter().any(|matrix| matrix.has(&contender.label));
    let single = plan.contenders.iter().filter(|contender| !is_of_matrix(contender));
    words.extend(single.map(|contender| spelling(plan, contender)));
    words.extend(plan.arguments.matrices.iter().flat_map(|matrix| ["--matrix".to_owned(), matrix.argument.clone()]));
    let typed = |name: String| plan.arguments.workload_files.get(&name).cloned().unwrap_or(name);
    let profile = profile(plan);
    let named = || as_typed(plan).into_iter().filter(|name| profile.is_none_or(|it| !it.has(name)));
    let named = || named().map(str::to_owned).collect();
    match &plan.suite.name {
        Some(suite) => words.extend(["--suite".to_owned(), suite.clone()]),
        None if !plan.arguments.own_commands.is_empty() => words.extend(plan.arguments.own_commands.clone()),
        None => words.extend(
            slice_lengths
                .clone()
                .unwrap_or_else(named)
                .into_iter()
                .flat_map(|name| ["--workload".to_owned(), typed(name)]),
        ),
    }
    words.extend((!plan.suite.scale.is_standard()).then(|| format!("--scale={}", plan.suite.scale)));
    words.extend(match profile {
        Some(profile) => vec!["--profile".to_owned(), profile.name.to_owned()],
        None => weights(plan),
    });
    words.extend(rates(plan));
    words.extend(cache(plan));
    words.extend(plan.clients.iter().flat_map(clients));
    for slowdown in &plan.measuring.slowdowns {
        words.extend(["--slowdown".to_owned(), format!("{}={}%", slowdown.label, slowdown.share.0 * 100.0)]);
    }
    words.extend(plan.guarantees.iter().flat_map(|stated| ["--guarantee".to_owned(), stated.to_string()]));
    words.extend(plan.measuring.uncounted.iter().flat_map(|label| ["--no-counters".to_owned(), label.to_string()]));
    words.extend((!plan.lanes.precondition.is_none()).then(|| "--precondition".to_owned()));
    // `fsarena calibrate --slices` draws its seed.
    let options = lanes_and_seed(record).into_iter().filter(|(name, _)| slice_lengths.is_none() || *name != "--seed");
    words.extend(options.flat_map(|(name, value)| [name.to_owned(), value]));
    if slice_lengths.is_none() && plan.measuring.baselines != plan.suite.usual_baselines && plan.clients.is_none() {
        words.extend(["--baselines".to_owned(), plan.measuring.baselines.to_string()]);
    }
    words
}

/// The options that name the clients.
fn clients(clients: &Clients) -> Vec<String> {
    let commands = clients.commands.iter().flat_map(|command| ["--client".to_owned(), command.clone()]);
    let numbers: Vec<String> = clients.numbers.iter().map(ToString::to_string).collect();
    let lost = (clients.when_lost == WhenLost::Continue).then(|| "--when-lost=continue".to_owned());
    let servers = clients.servers.iter().flat_map(|server| ["--server".to_owned(), server.to_string()]);
    commands.chain(["--clients-scale".to_owned(), numbers.join(",")]).chain(lost).chain(servers).collect()
}

#[derive(Clone, Copy)]
struct WeightedProfile<'a> {
    name: &'a str,
    mix: &'a Mix,
}

impl WeightedProfile<'_> {
    fn has(&self, workload: &str) -> bool {
        self.mix.0.iter().any(|weight| weight.name == workload)
    }
}

/// The profile of the plan; `None` if the plan lacks a workload of it.
fn profile(plan: &Plan) -> Option<WeightedProfile<'_>> {
    let (name, mix) = (plan.weighting.profile.as_deref()?, plan.weighting.mix.as_ref()?);
    let unavailable = plan.suite.unavailable.iter().map(|missing| missing.workload.as_str());
    let run: BTreeSet<&str> = as_typed(plan).into_iter().chain(unavailable).collect();
    let is_whole = mix.0.iter().all(|weight| run.contains(weight.name.as_str()));
    (plan.suite.name.is_none() && is_whole).then_some(WeightedProfile { name, mix })
}

fn weights(plan: &Plan) -> Vec<String> {
    let mix = plan.weighting.mix.as_ref().and_then(|mix| covered(plan, mix));
    mix.into_iter().flat_map(|mix| ["--weights".to_owned(), mix.to_string()]).collect()
}

/// The argument that names the contender: its file if it came from one.
fn spelling(plan: &Plan, contender: &Contender) -> String {
    let file = plan.arguments.contender_files.get(&contender.label.0).cloned();
    file.or_else(|| contender.spelling()).unwrap_or_else(|| contender.label.to_string())
}

/// The options that every run has, each with its value.
fn lanes_and_seed(record: &RunRecord) -> Vec<(&'static str, String)> {
    let plan = &record.plan;
    let place = plan.guest.as_ref().map_or(Vec::new(), guest);
    let storage = match storage(plan) {
        Storage::Directory(path) => format!("dir:{}", path.display()),
        disks @ (Storage::Disk(_) | Storage::Partitions(_)) => listed(disks.disks()),
        Storage::Memory => "memory".to_owned(),
    };
    let options = [
        length(record),
        ("--margin", format!("{}%", (plan.margin.0 * 1e8).round() / 1e6)),
        ("--storage", storage),
        ("--lane-size", plan.lanes.size.0.to_string()),
        ("--medium", plan.lanes.medium.to_string()),
        ("--seed", plan.seed.to_string()),
    ];
    place.into_iter().chain(options).collect()
}

/// The storage of the lanes on the host.
fn storage(plan: &Plan) -> &Storage {
    match &plan.guest {
        Some(Guest { disk: GuestDisk::Virtual(storage), .. }) => storage,
        Some(Guest { disk: GuestDisk::Simulated(_), .. }) => &Storage::Memory,
        None => &plan.lanes.storage,
    }
}

/// The options of a run in a guest. A kernel that was a file is named by its package.
fn guest(guest: &Guest) -> Vec<(&'static str, String)> {
    let package = guest.kernel.split(' ').next().unwrap_or_default();
    let mut options = vec![
        ("--guest", guest.accelerator.to_string()),
        ("--guest-kernel", package.to_owned()),
        ("--guest-memory", guest.memory.0.to_string()),
    ];
    if let GuestDisk::Simulated(disk) = guest.disk {
        options.push(("--guest-disk", disk.to_string()));
    }
    options
}

/// The command line of a plan with an extension.
fn extended(record: &RunRecord, suite: &str, extension: &Extension) -> Vec<String> {
    let plan = &record.plan;
    let spelling = |contender: &Contender| spelling(plan, contender);
    let contenders: Vec<String> = plan.contenders.iter().map(spelling).collect();
    let words = ["fsarena", "reproduce", suite, "--contenders", &contenders.join(",")];
    let mut words: Vec<String> = words.map(str::to_owned).to_vec();
    words.extend((!extension.scale.is_standard()).then(|| format!("--scale={}", extension.scale)));
    words.extend(match extension.harness {
        Harness::Both => None,
        Harness::Native => Some("--harness=native".to_owned()),
        Harness::Shell => Some("--harness=shell".to_owned()),
    });
    words.extend(lanes_and_seed(record).into_iter().flat_map(|(name, value)| [name.to_owned(), value]));
    words
}

fn length(record: &RunRecord) -> (&'static str, String) {
    let last = record.rounds.iter().map(|facts| facts.round).max().unwrap_or(1);
    ("--rounds", last.max(1).to_string())
}

/// The workloads as named on the command line, without the variants that `--rate` and `--cache` derive from them.
fn as_typed(plan: &Plan) -> Vec<&str> {
    let mut names = Vec::new();
    for workload in closed(plan) {
        let name = workload.base();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// All workloads except open loops.
fn closed(plan: &Plan) -> impl Iterator<Item = &Workload> {
    plan.workloads.iter().filter(|workload| !workload.is_open_loop())
}

/// `--cache both` if a workload is in the plan with both cache states, or the state that replaces a workload's default.
fn cache(plan: &Plan) -> Vec<String> {
    let is_there = |name: &str| closed(plan).any(|workload| workload.name == name);
    let state = |workload: &Workload| {
        let variant = workload.variant.as_ref().filter(|variant| variant.relation == Relation::Cache)?;
        Some(if is_there(&variant.of) { "both".to_owned() } else { workload.cache.to_string() })
    };
    let state = closed(plan).find_map(state);
    state.into_iter().flat_map(|state| ["--cache".to_owned(), state]).collect()
}

/// `--rate 50%,90%`, if the plan has open loops.
fn rates(plan: &Plan) -> Vec<String> {
    let mut rates: Vec<String> = Vec::new();
    for rate in plan.workloads.iter().filter_map(Workload::rate) {
        if !rates.contains(&rate.to_string()) {
            rates.push(rate.to_string());
        }
    }
    if rates.is_empty() { Vec::new() } else { vec!["--rate".to_owned(), rates.join(",")] }
}
