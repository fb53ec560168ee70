//! tmpfs: memory. Its figures are a lower bound: the cost of the harness and of the kernel's common code.

use fsarena_model::Durability;

use super::{Ground, Kind};

pub static TMPFS: Kind = Kind {
    ground: Ground::Memory,
    durability: |_| Durability::Volatile,
    ..Kind::new("tmpfs", "memory: nothing is durable, shown apart from the others")
};
