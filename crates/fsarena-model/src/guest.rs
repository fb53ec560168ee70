//! The virtual machine in which a run takes place.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Storage};

/// A virtual machine in which a run takes place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guest {
    /// The kernel's Debian package with its version.
    pub kernel: String,
    /// How instructions are executed.
    pub accelerator: Accelerator,
    /// Its memory.
    pub memory: Bytes,
    /// The version of QEMU.
    pub qemu: String,
    /// Where its disk lies on the host.
    pub storage: Storage,
}

/// How a guest's instructions are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Accelerator {
    /// By the processor, with the kernel's KVM.
    Kvm,
    /// By QEMU, which translates them (TCG). Times are several times longer than on the processor.
    Emulated,
    /// By QEMU, which lets the guest's clock advance by one nanosecond per instruction.
    Deterministic,
}

impl fmt::Display for Accelerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kvm => "kvm",
            Self::Emulated => "emulated",
            Self::Deterministic => "deterministic",
        })
    }
}

impl Guest {
    /// What a reader has to know about figures of this guest.
    pub fn remark(&self) -> String {
        let Self { kernel, qemu, memory, .. } = self;
        let machine = format!("a virtual machine with {memory} of memory (QEMU {qemu}, {kernel})");
        match self.accelerator {
            Accelerator::Kvm => format!(
                "all contenders run in {machine}; its disk is a virtual one, so no figure may be compared with one of \
                 the host"
            ),
            Accelerator::Emulated => format!(
                "all contenders run in {machine} whose processor is emulated: times are several times longer than on a \
                 real one. Ratios of metadata operations hold within about 20 %; those of direct I/O, fsync and data in \
                 the page cache do not"
            ),
            Accelerator::Deterministic => format!(
                "all contenders run in {machine} whose clock counts instructions, one nanosecond each: a second is \
                 10^9 instructions. Caches and memory cost nothing there"
            ),
        }
    }
}
