//! What differs between two sides of runs, apart from their figures: the plan, the machine, the programs.

use std::collections::BTreeSet;
use std::fmt::Display;

use fsarena_model::across::MachineFact;
use fsarena_model::difference::Contrast;
use fsarena_model::{Contender, Label, Rounds, RunRecord, Scale, distinct};

use crate::analysis::Analysis;
use crate::sides::{common_contenders, common_workloads};

/// A fact about a run: its name, and its value in words.
type Fact = (String, String);

/// The facts that differ between two sides, in a fixed order: program, machine, plan, contenders.
pub(crate) fn between(before: Vec<&Analysis<'_>>, after: Vec<&Analysis<'_>>) -> Vec<Contrast> {
    let contrast = |fact: MachineFact| {
        let [before, after] = <[String; 2]>::try_from(fact.values).ok()?;
        Some(Contrast { what: fact.what, before, after })
    };
    among(&[before, after]).into_iter().filter_map(contrast).collect()
}

/// What all of the runs have: what only some have is not compared, and no fact about it is shown.
struct Common<'a> {
    labels: BTreeSet<&'a Label>,
    workloads: BTreeSet<&'a str>,
    /// The programs; `None` if all runs have the same contenders and workloads: a program that is missing says something.
    tools: Option<BTreeSet<&'a String>>,
}

impl<'a> Common<'a> {
    fn of(runs: &[&Analysis<'a>]) -> Self {
        let labels: BTreeSet<&Label> = common_contenders(runs).into_iter().collect();
        let workloads: BTreeSet<&str> =
            common_workloads(runs).into_iter().map(|workload| workload.name.as_str()).collect();
        let has_further = runs.iter().any(|run| run.count() > labels.len() || run.workloads.len() > workloads.len());
        let tools = |run: &&Analysis<'a>| run.record.environment.tools.keys().collect::<BTreeSet<&String>>();
        let tools = runs.iter().map(tools).reduce(|common, own| &common & &own).filter(|_| has_further);
        Self { labels, workloads, tools }
    }
}

/// The facts that differ between machines, or sides, each given as its runs.
pub(crate) fn among(machines: &[Vec<&Analysis<'_>>]) -> Vec<MachineFact> {
    let shared = Common::of(&machines.concat());
    let of = |run: &&Analysis<'_>| facts(run, &shared);
    let machines: Vec<Vec<Vec<Fact>>> = machines.iter().map(|runs| runs.iter().map(of).collect()).collect();
    let names = distinct(machines.iter().flatten().flatten().map(|(name, _)| name));
    let values = |runs: &Vec<Vec<Fact>>, name: &String| -> BTreeSet<String> {
        let of = |facts: &Vec<Fact>| facts.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
        runs.iter().map(|facts| of(facts).unwrap_or_default()).collect()
    };
    let fact = |name: &String| {
        let values: Vec<BTreeSet<String>> = machines.iter().map(|runs| values(runs, name)).collect();
        let is_same = values.windows(2).all(|pair| pair[0] == pair[1]) && values.iter().all(|it| it.len() == 1);
        (!is_same).then(|| MachineFact { what: name.clone(), values: values.into_iter().map(in_words).collect() })
    };
    names.into_iter().filter_map(fact).collect()
}

/// `1.12 / none`: what several runs of a side have.
fn in_words(values: BTreeSet<String>) -> String {
    let is_one = values.len() == 1;
    let word = |value: String| if value.is_empty() && !is_one { "none".to_owned() } else { value };
    values.into_iter().map(word).collect::<Vec<_>>().join(" / ")
}

/// The facts about a run and what all runs have.
fn facts(run: &Analysis<'_>, shared: &Common<'_>) -> Vec<Fact> {
    let mut facts = machine(run, shared);
    facts.extend(plan(run.record));
    let is_common = |index: &usize| shared.labels.contains(run.label(*index));
    facts.extend((0..run.count()).filter(is_common).flat_map(|index| contender(run, index)));
    facts
}

/// A value that is missing is an empty text.
fn fact(name: impl Display, value: impl Into<Option<String>>) -> Fact {
    (name.to_string(), value.into().unwrap_or_default())
}

fn machine(run: &Analysis<'_>, shared: &Common<'_>) -> Vec<Fact> {
    let environment = &run.record.environment;
    let lanes = &environment.lanes;
    let mut facts = vec![
        fact("fsarena", environment.fsarena.clone()),
        fact("kernel", environment.kernel.clone()),
        fact("processor", environment.cpu.clone()),
        fact("cores", environment.cores.map(|cores| cores.to_string())),
        fact("memory", environment.memory.map(|memory| memory.to_string())),
        fact("frequency policy", environment.frequency_policy.clone()),
        fact("hypervisor", environment.hypervisor.clone()),
        fact("lanes", lanes.storage.clone()),
        fact("host file system", lanes.host_file_system.clone()),
        fact("device", lanes.device.clone()),
        fact("background load", run.condition.load().unwrap_or_else(|| "none".to_owned())),
    ];
    facts.extend(lanes.queue.iter().map(|(name, value)| fact(format_args!("queue: {name}"), value.clone())));
    let is_common = |name: &&String| shared.tools.as_ref().is_none_or(|tools| tools.contains(name));
    let tools = environment.tools.iter().filter(|(name, _)| is_common(name));
    facts.extend(tools.map(|(name, value)| fact(format_args!("tool: {name}"), value.clone())));
    let settings = environment.settings.iter().filter(|(workload, _)| shared.workloads.contains(workload.as_str()));
    facts.extend(settings.map(|(workload, lines)| fact(format_args!("settings of {workload}"), lines.join("\n"))));
    facts
}

fn plan(run: &RunRecord) -> Vec<Fact> {
    let plan = &run.plan;
    let rounds = match plan.rounds {
        Rounds::Exactly(count) => format!("{count} rounds"),
        Rounds::Within(budget) => format!("as many rounds as fit into {}", budget),
    };
    let yes = |is_so: bool| is_so.then(|| "yes".to_owned());
    let labels = |labels: &[Label]| labels.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let slowdowns = plan.measuring.slowdowns.iter().map(|slowdown| format!("{} {}", slowdown.label, slowdown.share));
    let mut facts = vec![
        fact("suite", plan.suite.name.clone()),
        fact("scale", (plan.suite.scale != Scale::Standard).then(|| plan.suite.scale.to_string())),
        fact("planned", rounds),
        fact("lane size", plan.lanes.size.to_string()),
        fact("medium", plan.lanes.medium.to_string()),
        fact("one lane in turn", yes(!plan.lanes.shared.is_own())),
        fact("preconditioned", yes(!plan.lanes.precondition.is_none())),
        fact("tools of Debian", plan.lanes.tools.as_ref().map(ToString::to_string)),
        fact("slowed down on purpose", slowdowns.collect::<Vec<_>>().join(", ")),
        fact("without counters", labels(&plan.measuring.uncounted)),
    ];
    if let Some(guest) = &plan.guest {
        facts.extend([
            fact("guest", guest.accelerator.to_string()),
            fact("guest's kernel", guest.kernel.clone()),
            fact("guest's memory", guest.memory.to_string()),
            fact("guest's QEMU", guest.qemu.clone()),
        ]);
    }
    facts
}

/// A contender's options as typed and as the kernel and the file system's own tool report them.
fn contender(run: &Analysis<'_>, index: usize) -> Vec<Fact> {
    let contender = &run.record.plan.contenders[index];
    let label = &contender.label;
    let typed = Contender { label: Label::default(), ..contender.clone() };
    let typed = typed.spelling().unwrap_or_else(|| format!("{} with {:?}", contender.kind, contender.mkfs));
    let made = run.facts[index];
    let read_ahead = made.and_then(|facts| facts.read_ahead_kib);
    vec![
        fact(label, typed.trim_start_matches('=').to_owned()),
        fact(format_args!("{label}: mount"), made.map(|facts| facts.mount.clone())),
        fact(format_args!("{label}: features"), made.map(|facts| facts.features.join(", "))),
        fact(format_args!("{label}: read-ahead"), read_ahead.map(|size| format!("{size} KiB"))),
        fact(format_args!("{label}: durability"), run.class(index).map(|class| class.durability.to_string())),
    ]
}
