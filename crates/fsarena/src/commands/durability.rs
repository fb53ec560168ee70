//! `fsarena durability`: whether file systems keep what they have acknowledged when the power fails.

use anyhow::{Result, bail};
use clap::Args;
use clap::builder::TypedValueParser;
use fsarena_durability::{Disk, Syncs, Tally};
use fsarena_lane::kind::Ground;
use fsarena_lane::{KINDS, require};
use fsarena_model::visible::shell;
use fsarena_model::{Bytes, Contender, Label, joined};
use fsarena_place::durability::guest::{WriterTask, WriterWork};
use fsarena_place::durability::{DurabilityOutcome, DurabilityTrial, require_room};
use fsarena_place::{Refusal, Refusals, folders, note, note::tell, packages_of, take_machine};
use fsarena_programs::POSTGRESQL_NEEDS;
use fsarena_sys::memory;

use super::{print, table};
use crate::cli::{Global, GuestMachine, candidates, one_of};
use crate::exit::Ended;
use crate::plan;
use crate::progress::Progress;
use crate::signals::stop_flag;

#[derive(Debug, Args)]
pub struct DurabilityArguments {
    /// '[LABEL=]KIND[@LAYERS][:MOUNT-OPTIONS][ MKFS-ARGUMENTS]', or a .toml file
    #[arg(value_name = "CONTENDER", required = true, add = candidates::kinds())]
    pub contenders: Vec<String>,
    /// Number of power cuts per contender
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub states: u32,
    /// Number of operations that are acknowledged
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub operations: u64,
    /// How the disk treats a flush
    #[arg(long, value_name = "HOW", default_value = "honest", value_parser = disks())]
    pub disk: Disk,
    /// Who writes, and what is done before an operation is acknowledged
    #[arg(long, value_name = "HOW", default_value = "fsync", value_parser = writers())]
    pub writer: WriterWork,
    /// Seed of all random choices [default: random; the result shows it]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The size of the disk
    #[arg(long, value_name = "SIZE", default_value = "512M")]
    pub lane_size: Bytes,
    #[command(flatten)]
    pub machine: GuestMachine,
    /// Do not wait for another run to end
    #[arg(long)]
    pub no_wait: bool,
}

fn disks() -> impl TypedValueParser<Value = Disk> {
    let lying = "A flush is confirmed, and nothing happens: a control, in which losses have to be found";
    one_of([("honest", "A flush makes everything durable", Disk::Honest), ("lying", lying, Disk::Lying)])
}

fn writers() -> impl TypedValueParser<Value = WriterWork> {
    let never = "Files and SQLite, not synced: a control, in which losses have to be found";
    one_of([
        ("fsync", "Files and SQLite, synced", WriterWork::Files(Syncs::Each)),
        ("without-fsync", never, WriterWork::Files(Syncs::Never)),
        ("postgresql", "PostgreSQL: rows, each in a transaction", WriterWork::Rows),
    ])
}

/// Makes power cuts on each contender and prints what was lost.
pub fn run(global: &Global, options: &DurabilityArguments) -> Result<Ended> {
    let (contenders, ignored) = plan::contenders(&options.contenders, Vec::new())?;
    ignored.iter().for_each(|note| tell(note));
    let mut refusals = Refusals::default();
    for contender in &contenders {
        refusals.take(require_lane(contender, options));
    }
    refusals.end()?;
    let seed = options.seed.unwrap_or_else(plan::drawn_seed);
    let needs = if options.writer == WriterWork::Rows { POSTGRESQL_NEEDS } else { &[] };
    let packages = needs.iter().map(|need| need.package.to_owned()).chain(packages_of(&contenders));
    let wanted = options.machine.wanted(None, packages.collect());
    require_room(&wanted, options.lane_size, options.operations, memory::total())?;
    let stop = stop_flag()?;
    let Some(_held) = take_machine(None, !options.no_wait, &stop, || Ok(()))? else { return Ok(Ended::Interrupted) };
    require_room(&wanted, options.lane_size, options.operations, memory::available())?;
    let progress = Progress::new(global);
    let mut telling = |what: &str| progress.prepare(what);
    let prepared = fsarena_guest::prepare(&folders::cache()?, &wanted, &mut telling)?;
    let (states, size) = (options.states as usize, options.lane_size);
    let trial = DurabilityTrial { prepared: &prepared, disk: options.disk, states, size, stop: &stop };
    let (outcomes, ended) = try_all(contenders, |contender| {
        let task = WriterTask { contender, seed, work: options.writer, operations: options.operations };
        let outcome = trial.try_out(&task, &mut telling)?;
        if let Some(DurabilityOutcome { tally, .. }) = &outcome {
            progress.done(&format!("{}: {} after {} power cuts", task.contender.label, result(tally), tally.states));
        }
        Ok(outcome)
    });
    progress.end();
    if !outcomes.is_empty() {
        print(&page(&outcomes))?;
        note!("{}", conditions(options, seed, &prepared.name()));
    }
    if matches!(ended, Ok(Ended::Interrupted)) {
        note!("interrupted");
    }
    let is_control = options.disk == Disk::Lying || options.writer == WriterWork::Files(Syncs::Never);
    let has_failed = has_failed(&outcomes, is_control);
    if has_failed && is_control {
        note!("a control that finds no loss shows that these power cuts find none");
        note!("hint: more --states or --operations");
    }
    match ended? {
        Ended::Well if has_failed => Ok(Ended::WithFailures),
        ended => Ok(ended),
    }
}

/// Whether a contender has lost or damaged something, or, as a control, has not.
fn has_failed(outcomes: &[(Label, DurabilityOutcome)], is_control: bool) -> bool {
    outcomes.iter().any(|(_, outcome)| outcome.tally.is_sound() == is_control)
}

/// The outcomes of the contenders until one fails or the user stops, and how it ended.
fn try_all(
    contenders: Vec<Contender>,
    mut try_out: impl FnMut(Contender) -> Result<Option<DurabilityOutcome>>,
) -> (Vec<(Label, DurabilityOutcome)>, Result<Ended>) {
    let mut outcomes = Vec::new();
    for contender in contenders {
        let label = contender.label.clone();
        match try_out(contender) {
            Ok(Some(outcome)) => outcomes.push((label, outcome)),
            Ok(None) => return (outcomes, Ok(Ended::Interrupted)),
            Err(error) => return (outcomes, Err(error)),
        }
    }
    (outcomes, Ok(Ended::Well))
}

/// Refuses contenders that have no disk of their own, or too small a one.
fn require_lane(contender: &Contender, options: &DurabilityArguments) -> Result<()> {
    let kind = fsarena_lane::kind(&contender.kind);
    let smallest = require::smallest_lane(contender).0;
    if !kind.is_some_and(|kind| kind.ground == Ground::Lane) {
        let text = format!("`{}` has no disk of its own, so no power cut can be made", contender.label);
        let with_disk = KINDS.iter().filter(|kind| kind.ground == Ground::Lane).map(|kind| kind.name);
        bail!(Refusal::wrong_use(text, format!("kinds with a disk: {}", joined(with_disk, ", "))));
    }
    if contender.disk.is_some() {
        let text = format!("`{}`: here `--disk` says how the disk treats a flush", contender.label);
        bail!(Refusal::wrong_use(text, "leave out cache= and format="));
    }
    if let Some(kernel) = &contender.kernel {
        let text = format!("`{}` names a kernel, and here all contenders have the same one", contender.label);
        bail!(Refusal::wrong_use(text, format!("leave it out: --guest-kernel {}", shell(kernel))));
    }
    // The disk has a partition table, and all of it lies in memory.
    if options.lane_size.0 < smallest + (1 << 20) {
        let text = format!("a disk of {} is too small for `{}`", options.lane_size, contender.label);
        bail!(Refusal::wrong_use(text, format!("--lane-size {}M", (smallest >> 20) + 1)));
    }
    Ok(())
}

fn page(outcomes: &[(Label, DurabilityOutcome)]) -> String {
    let header = [
        "contender", "result", "power cuts", "with losses", "most lost", "unmountable", "damaged", "acknowledged",
        "flushes per acknowledgement",
    ];
    let rows = outcomes.iter().map(|(label, DurabilityOutcome { acknowledged, flushes, tally })| {
        [
            label.to_string(),
            result(tally).to_owned(),
            tally.states.to_string(),
            tally.losing.to_string(),
            tally.most_lost.to_string(),
            tally.unmountable.to_string(),
            tally.damaged.to_string(),
            acknowledged.to_string(),
            format!("{:.2}", *flushes as f64 / (*acknowledged).max(1) as f64),
        ]
    });
    let mut page = table(header, rows);
    for (label, outcome) in outcomes.iter().filter(|(_, outcome)| !outcome.tally.is_sound()) {
        page += &format!("\n{label}:\n");
        outcome.tally.examples.values().for_each(|example| page += &format!("  {example}\n"));
    }
    page
}

fn result(tally: &Tally) -> &'static str {
    if tally.is_sound() { "kept all" } else { "FAILED" }
}

/// What a reader has to know about the result.
fn conditions(options: &DurabilityArguments, seed: u64, kernel: &str) -> String {
    let disk = if options.disk == Disk::Lying { "; the disk ignored flushes" } else { "" };
    let writer = match options.writer {
        WriterWork::Files(Syncs::Each) => "",
        WriterWork::Files(Syncs::Never) => "; the writer did not sync",
        WriterWork::Rows => "; the writer was PostgreSQL",
    };
    format!(
        "in a guest with {kernel}{disk}{writer}; the same choice of power cuts: the same command with --seed {seed}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_complete_is_kept_when_a_contender_fails_or_the_user_stops() {
        let contenders = || ["ext4", "xfs", "jfs"].map(|name| name.parse().expect("a contender")).to_vec();
        let outcome = || DurabilityOutcome { acknowledged: 1, flushes: 1, tally: Tally::default() };
        let kept = |at_xfs: fn() -> Result<Option<DurabilityOutcome>>| {
            let try_out = |contender: Contender| if contender.kind == "xfs" { at_xfs() } else { Ok(Some(outcome())) };
            let (outcomes, ended) = try_all(contenders(), try_out);
            (outcomes.into_iter().map(|(label, _)| label.0).collect::<Vec<_>>().join(" "), ended.ok())
        };
        assert_eq!(kept(|| bail!("mkfs fails")), ("ext4".to_owned(), None));
        assert_eq!(kept(|| Ok(None)), ("ext4".to_owned(), Some(Ended::Interrupted)));
        let (outcomes, _) = try_all(contenders(), |_| Ok(Some(outcome())));
        assert_eq!((outcomes.len(), has_failed(&outcomes, false), has_failed(&outcomes, true)), (3, false, true));
    }
}
