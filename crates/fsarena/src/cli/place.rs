//! Where a run takes place.

use anyhow::{Result, bail};
use clap::Args;
use clap::builder::TypedValueParser;
use fsarena_guest::Wanted;
use fsarena_lane::kind::Ground;
use fsarena_lane::{Kind, kernel_has};
use fsarena_model::clients::{Clients, FileServer, WhenLost};
use fsarena_model::guest::Simulated;
use fsarena_model::units::UnitError;
use fsarena_model::{Accelerator, Bytes, Contender, DebianRelease, Plan, Storage};
use fsarena_place::{InGuest, NamedClients, Place, Refusal, note::tell, require_one_guest};

use super::one_of;

/// The memory of a guest by default, and one that is too little for its kernel alone.
pub const GUEST_MEMORY: Bytes = Bytes::gib(1);
const LEAST_GUEST_MEMORY: Bytes = Bytes::mib(16);

/// The memory of a guest, as typed.
pub fn guest_memory(text: &str) -> Result<Bytes, String> {
    let memory: Bytes = text.parse().map_err(|error: UnitError| error.to_string())?;
    match memory > LEAST_GUEST_MEMORY {
        true => Ok(memory),
        false => Err(format!("the kernel of a guest alone needs more than {LEAST_GUEST_MEMORY}")),
    }
}

/// Where a run takes place: here, on another machine, or in a guest.
#[derive(Debug, Args)]
pub struct PlaceArguments {
    /// Run on another machine: a command that starts an agent there, such as 'ssh HOST fsarena agent'. Can be repeated:
    /// the same comparison on each machine, and what holds on all of them
    #[arg(long, value_name = "COMMAND", conflicts_with = "guest")]
    pub on: Vec<String>,
    /// Run in a virtual machine, which needs QEMU and no root [default: if this kernel lacks a contender's file system]
    #[arg(long, value_name = "HOW", num_args = 0..=1, default_missing_value = "auto",
        value_parser = hows())]
    pub guest: Option<How>,
    #[command(flatten)]
    pub machine: GuestMachine,
    /// Lanes on a disk that the guest's kernel simulates: latency=100us,bandwidth=500M,cache=64M [default with `--guest
    /// deterministic`, else a virtual disk]
    #[arg(long, value_name = "NAME=VALUE,...")]
    pub guest_disk: Option<Simulated>,
    #[command(flatten)]
    pub clients: ClientsArguments,
}

/// Machines that work on shared directories at the same time.
#[derive(Debug, Default, Args)]
pub struct ClientsArguments {
    /// Let several machines work on shared directories at the same time: local:N, ssh:HOSTFILE, mpi:HOSTFILE, slurm
    /// (the nodes of this allocation) or slurm:N
    #[arg(long, value_name = "WHERE", conflicts_with_all = ["on", "guest"])]
    pub clients: Option<String>,
    /// A further client: the command that starts its agent, such as 'ssh HOST fsarena agent'; can be repeated
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["on", "guest"])]
    pub client: Vec<String>,
    /// Measure each workload with these numbers of clients, as in 1,2,4,8 [default: all of them]
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub clients_scale: Vec<u32>,
    /// Drop the caches of a file server before cold work, and count what its disks read: the disks, and the command of
    /// a shell of root there, as in 'sdb,sdc=ssh root@server sh'; can be repeated
    #[arg(long, value_name = "DISK,...=COMMAND", conflicts_with_all = ["on", "guest"])]
    pub server: Vec<FileServer>,
    /// What to do when a client is lost
    #[arg(long, value_name = "WHAT", default_value = "end", value_parser = when_lost())]
    pub when_lost: WhenLost,
}

fn when_lost() -> impl TypedValueParser<Value = WhenLost> {
    let others = "Go on with the others; workloads that need more clients end there";
    one_of([("end", "End the run, which can be resumed", WhenLost::End), ("continue", others, WhenLost::Continue)])
}

/// Programs, kernel and memory of a guest.
#[derive(Debug, Args)]
pub struct GuestMachine {
    /// The release of Debian whose kernel and programs a guest has: trixie, bookworm, or one with backports, such as
    /// bookworm-backports
    #[arg(long, value_name = "RELEASE", default_value_t)]
    pub guest_release: DebianRelease,
    /// The guest's kernel: a Debian package, or the path of one [default: linux-image-amd64]
    #[arg(long, value_name = "PACKAGE")]
    pub guest_kernel: Option<String>,
    /// The guest's memory
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = guest_memory)]
    pub guest_memory: Bytes,
}

impl GuestMachine {
    /// The guest, with further `packages`.
    pub fn wanted(&self, accelerator: Option<Accelerator>, packages: Vec<String>) -> Wanted {
        Wanted {
            release: self.guest_release.clone(),
            kernel: self.guest_kernel.clone(),
            accelerator,
            memory: self.guest_memory,
            file_systems: fsarena_place::file_system_packages(),
            packages,
        }
    }
}

/// How a guest's instructions are executed; `None`: by KVM if it works, otherwise emulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct How(pub Option<Accelerator>);

/// Ways to execute a guest's instructions.
pub fn hows() -> impl TypedValueParser<Value = How> {
    one_of([
        ("auto", "By KVM if it works, otherwise emulated", How(None)),
        ("kvm", "By KVM", How(Some(Accelerator::Kvm))),
        ("emulated", "By QEMU", How(Some(Accelerator::Emulated))),
        ("deterministic", "By QEMU, whose clock counts instructions", How(Some(Accelerator::Deterministic))),
    ])
}

impl ClientsArguments {
    /// The clients that are named; `None` if there are none.
    ///
    /// # Errors
    /// If a list of hosts cannot be read, or the numbers are not possible.
    pub fn named(&self) -> Result<Option<NamedClients>> {
        let clients = Clients {
            commands: self.client.clone(),
            numbers: self.clients_scale.clone(),
            when_lost: self.when_lost,
            servers: self.server.clone(),
        };
        NamedClients::of(clients, self.clients.as_deref())
    }
}

impl PlaceArguments {
    /// Kinds that can only be compared in a guest.
    fn only_in_guest(contenders: &[Contender]) -> Vec<&'static str> {
        let kinds = contenders.iter().filter_map(|contender| fsarena_lane::kind(&contender.kind));
        let cannot = |kind: &&Kind| match kind.ground {
            Ground::Share => true,
            Ground::Lane => !kernel_has(kind.mounted_as),
            Ground::Library | Ground::Memory | Ground::Directory => false,
        };
        let mut names: Vec<&str> = kinds.filter(cannot).map(|kind| kind.name).collect();
        names.dedup();
        names
    }

    /// Whether these contenders are compared in a guest.
    pub fn is_guest(&self, contenders: &[Contender]) -> bool {
        let asks_for_guest = |contender: &Contender| contender.kernel.is_some() || contender.disk.is_some();
        let has_to_be = || contenders.iter().any(asks_for_guest) || !Self::only_in_guest(contenders).is_empty();
        self.on.is_empty() && (self.guest.is_some() || has_to_be())
    }

    /// The simulated disk of the guest, if it has one.
    pub fn simulated(&self) -> Option<Simulated> {
        self.guest_disk.or_else(|| self.is_deterministic().then(Simulated::default))
    }

    /// Whether the same plan always gives the same figures.
    pub fn is_deterministic(&self) -> bool {
        self.guest == Some(How(Some(Accelerator::Deterministic)))
    }

    /// The storage of these contenders' lanes, if it is `named` or by default.
    pub fn storage(&self, named: Option<&str>, contenders: &[Contender]) -> Storage {
        // In memory, no cache mode of a disk makes a difference.
        let has_disks = contenders.iter().any(|contender| contender.disk.is_some());
        match named {
            None if self.is_guest(contenders) && !has_disks => Storage::Memory,
            named => Storage::from(named.unwrap_or(fsarena_lane::DEFAULT_FOLDER)),
        }
    }

    /// The place that the arguments name; a guest if this kernel lacks a file system of the plan. Adds a note to
    /// `notes` that says so.
    ///
    /// # Errors
    /// If the plan has a directory of this machine, which a guest does not have.
    pub fn chosen(&self, plan: &Plan, notes: &mut Vec<String>) -> Result<Place> {
        let own_disk = plan.contenders.iter().find(|contender| contender.disk.is_some());
        if let Some(contender) = own_disk.filter(|_| !self.on.is_empty() || self.simulated().is_some()) {
            let text = format!("`{}` has a virtual disk of its own, in a guest of this machine", contender.label);
            bail!(Refusal::wrong_use(text, "leave out --on, --guest-disk and --guest deterministic"));
        }
        let of_kernel = plan.contenders.iter().find(|contender| contender.kernel.is_some());
        if let Some(contender) = of_kernel.filter(|_| !self.on.is_empty()) {
            let text = format!("`{}` names a kernel, which is that of a guest of this machine", contender.label);
            bail!(Refusal::wrong_use(text, "leave out --on"));
        }
        if plan.clients.is_some() {
            return Ok(Place::Clients);
        }
        // The others of several have a task each (`machines`).
        if let Some(command) = self.on.first() {
            return Ok(Place::Agent(command.clone()));
        }
        if !self.is_guest(&plan.contenders) {
            return Ok(Place::Here);
        }
        if let Some(release) = &plan.lanes.tools {
            let text = "--tools is about programs that run on this machine, and these contenders run in a guest";
            bail!(Refusal::wrong_use(text, format!("--guest-release {release}")));
        }
        require_one_guest(plan)?;
        let lacking = Self::only_in_guest(&plan.contenders).join(" and ");
        if self.guest.is_none() && !lacking.is_empty() {
            let text = format!("this machine cannot mount {lacking}: all contenders run in a guest");
            tell(&text);
            notes.push(text);
        }
        if let Some(contender) = plan.contenders.iter().find(|contender| contender.is_directory()) {
            let text = format!("`{}` is a directory of this machine, which a guest does not have", contender.label);
            bail!(Refusal::wrong_use(text, "compare directories in a run of their own"));
        }
        let accelerator = self.guest.and_then(|how| how.0);
        let wanted = self.machine.wanted(accelerator, fsarena_place::packages(plan));
        Ok(Place::Guest(InGuest { wanted, simulated: self.simulated() }))
    }
}
