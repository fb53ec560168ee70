//! tmpfs: memory. Its figures are a lower bound: the cost of the harness and of the kernel's common code.

use fsarena_model::{Durability, KernelSymbols};

use super::{Ground, Kind};

pub static TMPFS: Kind = Kind {
    ground: Ground::Memory,
    durability: |_| Durability::Volatile,
    symbols: KernelSymbols { prefixes: &["shmem_"], ..KernelSymbols::NONE },
    ..Kind::new("tmpfs", "memory: nothing is durable, shown apart from the others")
};
