//! Options of `fsarena durability`.

use clap::{Args, ValueEnum};
use fsarena_durability::Disk;
use fsarena_model::{Bytes, DebianRelease};

use super::guest_memory;

/// `fsarena durability`.
#[derive(Debug, Args)]
pub struct DurabilityArguments {
    /// '[LABEL=]KIND[:MOUNT-OPTIONS][ MKFS-ARGUMENTS]', or a .toml file
    #[arg(value_name = "CONTENDER", required = true, add = super::candidates::kinds())]
    pub contenders: Vec<String>,
    /// Number of power cuts per contender
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub states: u32,
    /// Number of operations that are acknowledged
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub operations: u64,
    /// How the disk treats a flush
    #[arg(long, value_name = "HOW", default_value = "honest")]
    pub disk: DiskKind,
    /// Who writes, and what is done before an operation is acknowledged
    #[arg(long, value_name = "HOW", default_value = "fsync")]
    pub writer: WriterKind,
    /// Seed of all random choices [default: random; the result shows it]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The size of the disk
    #[arg(long, value_name = "SIZE", default_value = "512M")]
    pub lane_size: Bytes,
    /// The release of Debian whose kernel and programs the guest has: trixie, bookworm, or one with backports, such as
    /// bookworm-backports
    #[arg(long, value_name = "RELEASE", default_value_t)]
    pub guest_release: DebianRelease,
    /// The guest's kernel: a Debian package, or the path of one [default: linux-image-amd64]
    #[arg(long, value_name = "PACKAGE")]
    pub guest_kernel: Option<String>,
    /// The guest's memory
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = guest_memory)]
    pub guest_memory: Bytes,
    /// Do not wait for another run to end
    #[arg(long)]
    pub no_wait: bool,
}

/// How a disk treats a flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DiskKind {
    /// A flush makes everything durable.
    Honest,
    /// A flush is confirmed, and nothing happens: a control, in which losses have to be found.
    Lying,
}

impl From<DiskKind> for Disk {
    fn from(kind: DiskKind) -> Self {
        match kind {
            DiskKind::Honest => Self::Honest,
            DiskKind::Lying => Self::Lying,
        }
    }
}

/// Who writes, and what is done before an operation is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WriterKind {
    /// Files and SQLite, synced.
    Fsync,
    /// Files and SQLite, not synced: a control, in which losses have to be found.
    WithoutFsync,
    /// PostgreSQL: rows, each in a transaction.
    #[value(name = "postgresql")]
    PostgreSql,
}
