//! Tests with real servers and programs, in one executable because linking takes long.

mod articles;
mod mariadb;
mod mpi;
mod oltp;
mod program;
mod servers;

use fsarena_engine::Engines;
use fsarena_programs::PROGRAMS;

/// All engines, as the binary has them.
static ENGINES: Engines = Engines(&[fsarena_engine::ENGINES, fsarena_replicas::REPLICAS, PROGRAMS]);
