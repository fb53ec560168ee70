//! The engines of this binary.

use fsarena_engine::Engines;

/// All engines: the native ones, and those of external programs.
pub static ENGINES: Engines = Engines(&[fsarena_engine::ENGINES, fsarena_programs::PROGRAMS]);
