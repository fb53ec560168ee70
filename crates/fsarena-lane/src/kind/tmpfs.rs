//! tmpfs: memory. Its figures are a lower bound: the cost of the harness and of the kernel's common code.

use fsarena_model::Durability;

use super::{Ground, Kind};

/// tmpfs.
pub struct Tmpfs;

impl Kind for Tmpfs {
    fn name(&self) -> &'static str {
        "tmpfs"
    }

    fn about(&self) -> &'static str {
        "memory: nothing is durable, shown apart from the others"
    }

    fn ground(&self) -> Ground {
        Ground::Memory
    }

    fn durability(&self, _options: &str) -> Durability {
        Durability::Volatile
    }
}
