//! The command line that repeats a run.

use std::collections::BTreeSet;

use fsarena_model::clients::WhenLost;
use fsarena_model::plan::{Harness, listed};
use fsarena_model::{Contender, GuestDisk, Mix, Plan, Relation, RunRecord, Scale, Storage, Workload, distinct};

use crate::recommendation::covered;
use crate::slice_lengths::calibrated;

/// The command line that repeats a run. It gives the number of rounds that were run: under a budget the number may
/// differ.
pub fn command(record: &RunRecord) -> Vec<String> {
    let plan = &record.plan;
    let mut words = CommandWords(vec!["fsarena".to_owned()]);
    if let (Some(extension), Some(suite)) = (&plan.extension, &plan.suite.name) {
        words.add(["reproduce", suite]);
        let contenders: Vec<String> = plan.contenders.iter().map(|contender| spelling(plan, contender)).collect();
        words.option("--contenders", [contenders.join(",")]);
        words.add((extension.scale != Scale::Standard).then(|| format!("--scale={}", extension.scale)));
        words.add((extension.harness != Harness::Both).then(|| format!("--harness={}", extension.harness)));
        words.add(plan.measuring.explained.then_some("--explain"));
        lanes(&mut words, record);
        words.option("--seed", [plan.seed]);
        return words.0;
    }
    let slice_lengths = calibrated(&plan.workloads);
    let is_calibration = slice_lengths.is_some();
    words.add(if is_calibration { &["calibrate", "--slices"][..] } else { &["compare"] });
    let matrices = &plan.arguments.matrices;
    let is_single = |contender: &&Contender| !matrices.iter().any(|matrix| matrix.has(&contender.label));
    words.add(plan.contenders.iter().filter(is_single).map(|contender| spelling(plan, contender)));
    words.option("--matrix", matrices.iter().map(|matrix| &matrix.argument));
    let profile = profile(plan);
    let of_profile = |name: &str| profile.is_some_and(|(_, mix)| mix.0.iter().any(|weight| weight.name == name));
    let named = || as_typed(plan).into_iter().filter(|name| !of_profile(name)).map(str::to_owned).collect();
    let typed = |name: String| plan.arguments.workload_files.get(&name).cloned().unwrap_or(name);
    match &plan.suite.name {
        Some(suite) => words.option("--suite", [suite]),
        None if !plan.arguments.own_commands.is_empty() => words.add(&plan.arguments.own_commands),
        None => words.option("--workload", slice_lengths.unwrap_or_else(named).into_iter().map(typed)),
    }
    words.add((plan.suite.scale != Scale::Standard).then(|| format!("--scale={}", plan.suite.scale)));
    match profile {
        Some((name, _)) => words.option("--profile", [name]),
        None => words.option("--weights", plan.weighting.mix.as_ref().and_then(|mix| covered(plan, mix))),
    }
    words.option("--rate", rates(plan));
    words.option("--cache", cache(plan));
    if let Some(clients) = &plan.clients {
        words.option("--client", &clients.commands);
        let numbers: Vec<String> = clients.numbers.iter().map(ToString::to_string).collect();
        words.option("--clients-scale", [numbers.join(",")]);
        words.add((clients.when_lost == WhenLost::Continue).then_some("--when-lost=continue"));
        words.option("--server", &clients.servers);
    }
    words.add(plan.measuring.explained.then_some("--explain"));
    let slowdowns = plan.measuring.slowdowns.iter();
    words.option("--slowdown", slowdowns.map(|it| format!("{}={}%", it.label, it.share.0 * 100.0)));
    words.option("--guarantee", &plan.guarantees);
    words.option("--no-counters", &plan.measuring.uncounted);
    words.add((!plan.lanes.precondition.is_none()).then_some("--precondition"));
    lanes(&mut words, record);
    // `fsarena calibrate --slices` draws its seed, and measures no baselines.
    if !is_calibration {
        words.option("--seed", [plan.seed]);
        let is_usual = plan.measuring.baselines == plan.suite.usual_baselines || plan.clients.is_some();
        words.option("--baselines", (!is_usual).then_some(plan.measuring.baselines));
    }
    words.0
}

/// A command line.
struct CommandWords(Vec<String>);

impl CommandWords {
    fn add<T: ToString>(&mut self, words: impl IntoIterator<Item = T>) {
        self.0.extend(words.into_iter().map(|word| word.to_string()));
    }

    /// Adds the option once for each of its values.
    fn option<T: ToString>(&mut self, name: &str, values: impl IntoIterator<Item = T>) {
        self.0.extend(values.into_iter().flat_map(|value| [name.to_owned(), value.to_string()]));
    }
}

/// The profile of the plan with its weights; `None` if the plan lacks a workload of it.
fn profile(plan: &Plan) -> Option<(&str, &Mix)> {
    let (name, mix) = (plan.weighting.profile.as_deref()?, plan.weighting.mix.as_ref()?);
    let unavailable = plan.suite.unavailable.iter().map(|missing| missing.workload.as_str());
    let run: BTreeSet<&str> = as_typed(plan).into_iter().chain(unavailable).collect();
    let is_whole = mix.0.iter().all(|weight| run.contains(weight.name.as_str()));
    (plan.suite.name.is_none() && is_whole).then_some((name, mix))
}

/// The argument that names the contender: its file if it came from one.
fn spelling(plan: &Plan, contender: &Contender) -> String {
    let file = plan.arguments.contender_files.get(&contender.label.0).cloned();
    file.or_else(|| contender.spelling()).unwrap_or_else(|| contender.label.to_string())
}

/// Adds the options of the guest, the rounds and the lanes. A kernel that was a file is named by its package.
fn lanes(words: &mut CommandWords, record: &RunRecord) {
    let plan = &record.plan;
    let mut storage = &plan.lanes.storage;
    if let Some(guest) = &plan.guest {
        words.option("--guest", [&guest.accelerator]);
        words.option("--guest-release", guest.release.iter());
        words.option("--guest-kernel", guest.kernel.split(' ').take(1));
        words.option("--guest-memory", [guest.memory.0]);
        match &guest.disk {
            GuestDisk::Virtual(on_host) => storage = on_host,
            GuestDisk::Simulated(disk) => {
                words.option("--guest-disk", [disk]);
                storage = &Storage::Memory;
            }
        }
    }
    let last = record.rounds.iter().map(|facts| facts.round).max().unwrap_or(1);
    words.option("--rounds", [last.max(1)]);
    words.option("--margin", [format!("{}%", (plan.margin.0 * 1e8).round() / 1e6)]);
    words.option(
        "--storage",
        [match storage {
            Storage::Directory(path) => format!("dir:{}", path.display()),
            disks @ (Storage::Disk(_) | Storage::Partitions(_)) => listed(disks.disks()),
            Storage::Memory => "memory".to_owned(),
        }],
    );
    words.option("--lane-size", [plan.lanes.size.0]);
    words.option("--medium", [plan.lanes.medium]);
    words.option("--tools", plan.lanes.tools.iter());
}

/// The workloads as named on the command line, without the variants that `--rate` and `--cache` derive from them.
fn as_typed(plan: &Plan) -> Vec<&str> {
    distinct(closed(plan).map(Workload::base))
}

/// All workloads except open loops.
fn closed(plan: &Plan) -> impl Iterator<Item = &Workload> {
    plan.workloads.iter().filter(|workload| !workload.is_open_loop())
}

/// `both` if a workload is in the plan with both cache states, or the state that replaces a workload's default.
fn cache(plan: &Plan) -> Option<String> {
    let is_there = |name: &str| closed(plan).any(|workload| workload.name == name);
    closed(plan).find_map(|workload| {
        let variant = workload.variant.as_ref().filter(|variant| variant.relation == Relation::Cache)?;
        Some(if is_there(&variant.of) { "both".to_owned() } else { workload.cache.to_string() })
    })
}

/// `50%,90%`, if the plan has open loops.
fn rates(plan: &Plan) -> Option<String> {
    let rates = distinct(plan.workloads.iter().filter_map(Workload::rate).map(|rate| rate.to_string()));
    (!rates.is_empty()).then(|| rates.join(","))
}
