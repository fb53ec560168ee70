//! `fsarena durability`: whether file systems keep what they have acknowledged when the power fails.

use anyhow::{Result, bail};
use fsarena_durability::{Disk, Syncs};
use fsarena_lane::KINDS;
use fsarena_lane::kind::Ground;
use fsarena_lane::layer;
use fsarena_model::{Contender, Label};
use fsarena_place::{
    Refusal, durability::DurabilityOutcome, durability::DurabilityTrial, durability::guest::WriterTask,
    durability::guest::WriterWork, folders, note, note::tell, take_machine,
};
use fsarena_programs::POSTGRESQL_NEEDS;

use super::{print, table};
use crate::cli::{self, Global};
use crate::exit::Ended;
use crate::plan;
use crate::progress::Progress;
use crate::signals::stop_flag;

/// Makes power cuts on each contender and prints what was lost.
pub fn run(global: &Global, options: &cli::DurabilityArguments) -> Result<Ended> {
    let (contenders, ignored) = plan::contenders(&options.contenders, Vec::new())?;
    ignored.iter().for_each(|note| tell(note));
    contenders.iter().try_for_each(|contender| require_lane(contender, options))?;
    let seed = options.seed.unwrap_or_else(plan::drawn_seed);
    let stop = stop_flag()?;
    let Some(_held) = take_machine(None, !options.no_wait, &stop)? else { return Ok(Ended::Interrupted) };
    let progress = Progress::new(global);
    let mut telling = |what: &str| progress.prepare(what);
    let wanted = options.machine.wanted(None, packages(options.writer, &contenders));
    let prepared = fsarena_guest::prepare(&folders::cache()?, &wanted, &mut telling)?;
    let (states, size) = (options.states as usize, options.lane_size);
    let trial = DurabilityTrial { prepared: &prepared, disk: options.disk, states, size, stop: &stop };
    let mut outcomes: Vec<(Label, DurabilityOutcome)> = Vec::new();
    for contender in contenders {
        let label = contender.label.clone();
        let task = WriterTask { contender, seed, work: options.writer, operations: options.operations };
        match trial.try_out(&task, &mut telling)? {
            Some(outcome) => outcomes.push((label, outcome)),
            None => {
                progress.end();
                note!("interrupted");
                return Ok(Ended::Interrupted);
            }
        }
    }
    progress.end();
    print(&page(&outcomes))?;
    note!("{}", conditions(options, seed, &prepared.name()));
    Ok(if outcomes.iter().all(|(_, outcome)| outcome.tally.is_sound()) { Ended::Well } else { Ended::WithFailures })
}

/// The Debian packages of the writer's programs, and of the contenders.
fn packages(writer: WriterWork, contenders: &[Contender]) -> Vec<String> {
    let needs = if writer == WriterWork::Rows { POSTGRESQL_NEEDS } else { &[] };
    let of_writer = needs.iter().map(|need| need.package.to_owned());
    of_writer.chain(fsarena_place::packages_of(contenders)).collect()
}

/// Refuses contenders that have no disk of their own, or too small a one.
fn require_lane(contender: &Contender, options: &cli::DurabilityArguments) -> Result<()> {
    let kind = fsarena_lane::kind(&contender.kind);
    let smallest = kind.map_or(0, |kind| layer::below(contender, kind.smallest_lane).0);
    if !kind.is_some_and(|kind| kind.ground == Ground::Lane) {
        let text = format!("`{}` has no disk of its own, so no power cut can be made", contender.label);
        let with_disk = KINDS.iter().filter(|kind| kind.ground == Ground::Lane).map(|kind| kind.name);
        bail!(Refusal::wrong_use(text, format!("kinds with a disk: {}", with_disk.collect::<Vec<_>>().join(", "))));
    }
    if contender.disk.is_some() {
        let text = format!("`{}`: here `--disk` says how the disk treats a flush", contender.label);
        bail!(Refusal::wrong_use(text, "leave out what follows the `@`"));
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
            if tally.is_sound() { "kept all" } else { "FAILED" }.to_owned(),
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
        outcome.tally.examples.iter().for_each(|example| page += &format!("  {example}\n"));
    }
    page
}

/// What a reader has to know about the result.
fn conditions(options: &cli::DurabilityArguments, seed: u64, kernel: &str) -> String {
    let (disk, of_disk) = match options.disk {
        Disk::Honest => ("", ""),
        Disk::Lying => ("; the disk ignored flushes", " --disk lying"),
    };
    let (writer, of_writer) = match options.writer {
        WriterWork::Files(Syncs::Each) => ("", ""),
        WriterWork::Files(Syncs::Never) => ("; the writer did not sync", " --writer without-fsync"),
        WriterWork::Rows => ("; the writer was PostgreSQL", " --writer postgresql"),
    };
    let again =
        format!("--states {} --operations {} --seed {seed}{of_disk}{of_writer}", options.states, options.operations);
    format!("in a guest with {kernel}{disk}{writer}; the same power cuts: {again}")
}
