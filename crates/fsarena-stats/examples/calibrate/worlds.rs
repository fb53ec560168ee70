//! The worlds that the calibration simulates.

use std::error::Error;
use std::fs::read_dir;
use std::path::PathBuf;

use crate::noise::Shape;
use crate::trace::Trace;
use crate::world::{Clock, Size, Source, Synthetic, World};

/// Default number of sweeps per round.
const SWEEPS: usize = 12;

/// All worlds.
pub fn all() -> Result<Vec<World>, Box<dyn Error>> {
    let mut worlds = synthetic();
    worlds.extend(recorded()?);
    Ok(worlds)
}

/// The same world with another number of rounds.
pub fn with_rounds(world: &World, rounds: usize) -> World {
    World { size: Size { rounds, ..world.size }, ..world.clone() }
}

fn synthetic() -> Vec<World> {
    let plain = Synthetic::PLAIN;
    let noisy_rounds = Synthetic { round: 0.1, ..plain };
    let whole = Synthetic { slice: 0.05, ..plain };
    let size = |contenders, workloads, sweeps| Size { contenders, workloads, rounds: 0, sweeps };
    let usual = size(3, 10, SWEEPS);
    let world = |name: &str, size, noise| World::new(name, size, Source::Synthetic(noise));
    let clocked = |name: &str, clock| World { clock, ..world(name, usual, plain) };
    vec![
        world("plain: sd .2 per slice, .02 per round", usual, plain),
        world("plain, 4 sweeps", size(3, 10, 4), plain),
        world("plain, 30 sweeps", size(3, 10, 30), plain),
        world("plain, 2 contenders", size(2, 10, SWEEPS), plain),
        world("plain, 6 contenders", size(6, 10, SWEEPS), plain),
        world("plain, 2 contenders, 30 sweeps", size(2, 10, 30), plain),
        world("plain, 2 contenders, 60 sweeps", size(2, 10, 60), plain),
        world("plain, 2 contenders, 1 workload", size(2, 1, SWEEPS), plain),
        world("plain, 3 contenders, 1 workload", size(3, 1, SWEEPS), plain),
        world("plain, 3 contenders, 2 workloads", size(3, 2, SWEEPS), plain),
        world("plain, 2 contenders, 4 workloads", size(2, 4, SWEEPS), plain),
        clocked("twice the planned rounds", Clock { stretch: 2.0, ..Clock::STEADY }),
        clocked("rounds become faster", Clock { pace: 0.6, ..Clock::STEADY }),
        clocked("rounds become slower", Clock { pace: 1.6, ..Clock::STEADY }),
        world("rounds do not differ", usual, Synthetic { round: 0.0, ..plain }),
        world("rounds sd .05", usual, Synthetic { round: 0.05, ..plain }),
        world("rounds sd .1", usual, noisy_rounds),
        world("whole runs: one sweep per round", size(3, 10, 1), whole),
        world("heavy tails", usual, Synthetic { slice_shape: Shape::Heavy, round_shape: Shape::Heavy, ..noisy_rounds }),
        world("heavy tails, whole runs", size(3, 10, 1), Synthetic { slice_shape: Shape::Heavy, ..whole }),
        world("skewed", usual, Synthetic { slice_shape: Shape::Skewed, round_shape: Shape::Skewed, ..noisy_rounds }),
        world("rounds have two modes", usual, Synthetic { round_shape: Shape::Modes, ..noisy_rounds }),
        world("slices have two modes", usual, Synthetic { slice_shape: Shape::Modes, ..plain }),
        world("one contender 3 times as noisy", usual, Synthetic { noisy: 3.0, ..noisy_rounds }),
        world("workloads unlike, sd × e^±1", usual, Synthetic { unlike: 1.0, ..noisy_rounds }),
        world("workloads unlike, sd × e^±1.5", usual, Synthetic { unlike: 1.5, ..noisy_rounds }),
        world("lanes sd .05", usual, Synthetic { lane: 0.05, ..plain }),
        world("lanes sd .1, 6 contenders", size(6, 10, SWEEPS), Synthetic { lane: 0.1, ..plain }),
        world("own autocorrelation .5", usual, Synthetic { own: 0.5, ..plain }),
        world("own autocorrelation .1, rounds sd .1", usual, Synthetic { own: 0.1, ..noisy_rounds }),
        world("own autocorrelation .25, rounds sd .1", usual, Synthetic { own: 0.25, ..noisy_rounds }),
        world("own autocorrelation .5, rounds sd .1", usual, Synthetic { own: 0.5, ..noisy_rounds }),
    ]
}

/// A world for each trace.
fn recorded() -> Result<Vec<World>, Box<dyn Error>> {
    let default = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/traces"));
    let directory = std::env::var_os("FSARENA_TRACES").map_or(default, PathBuf::from);
    let entries = read_dir(&directory)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = entries.collect::<Result<_, _>>()?;
    paths.retain(|path| path.to_string_lossy().contains(".trace"));
    paths.sort();
    let mut worlds = Vec::new();
    for path in paths {
        let trace = Trace::read(&path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (contenders, workloads) = (trace.contenders(), trace.workloads());
        let size = Size { contenders, workloads, rounds: 0, sweeps: usize::MAX };
        worlds.push(World::new(&name, size, Source::Recorded(trace)));
    }
    Ok(worlds)
}
