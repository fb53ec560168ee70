//! External programs as workloads: servers that are started on the lane with the clients that load them, and tools. A
//! new engine is one file and one line in [`PROGRAMS`].

mod apache;
mod folder;
mod ior;
mod mariadb;
mod mdtest;
mod mpi;
mod oltp;
mod pgbench;
mod postgresql;
mod program;
mod server;
#[cfg(test)]
mod tests;
mod tool;
mod user;

use fsarena_engine::Engine;

pub use postgresql::{NEEDS as POSTGRESQL_NEEDS, PostgreSql};
pub use program::{in_one_line, require_number};

/// Largest count, and longest duration in seconds. Estimates of space and time multiply them.
const LARGEST: u64 = 100_000_000;

/// All engines whose programs have to be installed first (`make apps`).
pub static PROGRAMS: &[Engine] = &[
    // databases
    mariadb::ENGINE,
    oltp::ENGINE,
    pgbench::ENGINE,
    // a web server
    apache::ENGINE,
    // parallel file systems
    mpi::engine::<ior::Ior>(),
    mpi::engine::<mdtest::Mdtest>(),
    // any program
    program::ENGINE,
];
