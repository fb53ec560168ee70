//! Options of `fsarena durability`.

use clap::Args;
use clap::builder::TypedValueParser;
use fsarena_durability::{Disk, Syncs};
use fsarena_model::Bytes;
use fsarena_place::durability::guest::WriterWork;

use super::{GuestMachine, candidates, one_of};

/// `fsarena durability`.
#[derive(Debug, Args)]
pub struct DurabilityArguments {
    /// '[LABEL=]KIND[:MOUNT-OPTIONS][ MKFS-ARGUMENTS]', or a .toml file
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
