//! The engines on real files and devices, in one executable because linking takes long.

mod iozone;
mod sequence;

use fsarena_engine::Engine;
use fsarena_replicas::REPLICAS;

/// The engine of this crate with this name.
fn engine(name: &str) -> &'static Engine {
    REPLICAS.iter().find(|engine| engine.name == name).expect("it exists")
}
