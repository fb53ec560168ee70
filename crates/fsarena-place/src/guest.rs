//! A run in a guest: the virtual machine is made here, and its agent does the work.

pub mod in_turn;
pub mod possible;
mod several;

use std::collections::BTreeSet;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use fsarena_execute::{Assignment, Listener};
use fsarena_guest::init::by_id;
use fsarena_guest::{DiskCounts, Hardware, LANES, Prepared, Running, ServedFolders, Shared, Wanted, lane_serial};
use fsarena_lane::kind::{Ground, Tool};
use fsarena_lane::layer::layer_tools;
use fsarena_lane::{KINDS, Kind, disk, made_lanes, needs_lane, show_kernel_counters};
use fsarena_model::guest::{DiskMode, Simulated};
use fsarena_model::{Accelerator, Contender, DebianRelease, Event, Guest, GuestDisk, Plan, Severity, Storage};
use fsarena_sys::namespace;

use crate::agent::Request;
use crate::checks::fitted;
use crate::connection::Connection;
use crate::lock::{Locked, take_machine};
use crate::note::{self, preparing};
use crate::{ENGINES, End, Lost, Refusal, folders};

/// Memory of the host as a folder.
const MEMORY: &str = "/dev/shm";

/// Most messages of the guest's kernel that a report has.
const MOST_FINDINGS: usize = 10;

/// A guest for a run.
pub struct InGuest {
    /// Kernel, processor and memory.
    pub wanted: Wanted,
    /// The disk with the lanes, if the guest simulates it; otherwise it lies in the plan's storage.
    pub simulated: Option<Simulated>,
}

impl InGuest {
    /// A guest like the one of a stored plan.
    pub(crate) fn like(guest: &Guest, plan: &Plan) -> Self {
        let simulated = match guest.disk {
            GuestDisk::Simulated(disk) => Some(disk),
            GuestDisk::Virtual(_) => None,
        };
        let wanted = Wanted {
            release: guest.release.clone().unwrap_or_else(DebianRelease::before_choice),
            kernel: package(&guest.kernel),
            accelerator: Some(guest.accelerator),
            memory: guest.memory,
            file_systems: file_system_packages(),
            packages: packages(plan),
        };
        Self { wanted, simulated }
    }

    /// The same guest with another kernel, if one is named.
    fn of_kernel(&self, kernel: Option<&str>) -> Self {
        let kernel = kernel.map(str::to_owned).or_else(|| self.wanted.kernel.clone());
        Self { wanted: Wanted { kernel, ..self.wanted.clone() }, ..*self }
    }

    fn is_deterministic(&self) -> bool {
        self.wanted.accelerator == Some(Accelerator::Deterministic)
    }

    /// The disk with the lanes of `plan`, whose storage is one of the host.
    fn disk(&self, plan: &Plan) -> GuestDisk {
        self.simulated.map_or_else(|| GuestDisk::Virtual(plan.lanes.storage.clone()), GuestDisk::Simulated)
    }

    /// Fetches and builds what the guest needs.
    fn prepare(&self, listener: &mut dyn Listener) -> Result<Prepared> {
        Ok(fsarena_guest::prepare(&folders::cache()?, &self.wanted, &mut preparing(listener))?)
    }

    /// Boots a guest with the lanes of `plan`, whose storage is one of the host, and gives its agent the request. It
    /// may not have booted yet if `stop` is set.
    fn boot(
        &self,
        plan: &Plan,
        locked: &mut Locked,
        request: impl FnOnce(Guest) -> Request,
        stop: &AtomicBool,
        listener: &mut dyn Listener,
    ) -> Result<BootedGuest> {
        let shares = share(plan, locked)?;
        let prepared = self.prepare(listener)?;
        preparing(listener)(&format!("booting {}", prepared.name()));
        let disk = self.disk(plan);
        let guest = Guest { shares: shares.mounts.clone(), ..prepared.describe(disk.clone()) };
        let request = request(guest.clone());
        let in_guest = plan.clone().with_storage(within(plan));
        let (size, modes) = (disk::needed(&in_guest).context("the lanes are too large")?, modes(plan));
        let is_deterministic = prepared.accelerator == Accelerator::Deterministic;
        let text = if is_deterministic { Some(serde_json::to_string(&request)? + "\n") } else { None };
        let (lanes, order) = (Some((&disk, size)), text.as_ref().map(String::as_bytes));
        let running = Hardware { lanes, modes: &modes, order, ..Hardware::new(&prepared, &shares) }.boot(stop)?;
        let connection = connection(&running, Duration::MAX)?;
        if !is_deterministic {
            connection.tell(&request);
        }
        Ok(BootedGuest { running, connection, guest, shares })
    }

    /// Boots a guest, lets its agent do the request, and waits for the end of its run.
    fn boot_and_run(
        &self,
        plan: &Plan,
        locked: &mut Locked,
        request: impl FnOnce(Guest) -> Request,
        stop: &AtomicBool,
        listener: &mut dyn Listener,
    ) -> Result<End> {
        let booted = self.boot(plan, locked, request, stop, listener)?;
        // Dropped in the opposite order: the servers end after the guest.
        let BootedGuest { shares: _shares, mut running, connection, .. } = booted;
        // Before it has booted, it cannot be asked to stop.
        let on_stop = || connection.has_begun().then(String::new);
        let mut listening = Listening { running: &running, plan, inner: listener };
        match connection.follow(stop, on_stop, &mut listening) {
            Err(error) if error.is::<Lost>() => Err(running.explained(&before_its_end(plan)).into()),
            Err(error) => Err(error),
            Ok(end) => {
                tell(&running, listener)?;
                Ok(end)
            }
        }
    }
}

/// What the guest of `plan`, which has one kernel, did: it `with linux-6.1 stopped before the run ended`.
fn before_its_end(plan: &Plan) -> String {
    let kernel = plan.kernels().into_iter().flatten().next();
    kernel.map(|kernel| format!("with {kernel} ")).unwrap_or_default() + "stopped before the run ended"
}

/// A guest whose agent has its request.
struct BootedGuest {
    running: Running,
    connection: Connection,
    guest: Guest,
    /// The servers of the folders that it mounts.
    shares: ServedFolders,
}

/// The connection to the agent of a guest, which may be silent for as long as `patience`.
pub fn connection(running: &Running, patience: Duration) -> Result<Connection> {
    let stream = || running.stream().try_clone().context("the connection to the guest");
    Ok(Connection::new("the guest", stream()?, BufReader::new(stream()?), patience))
}

/// The first of these guests, with the packages of the kernels that they were prepared for.
fn described(guests: Vec<(Option<&str>, Guest)>) -> Result<Guest> {
    let package = |(kernel, guest): &(Option<&str>, Guest)| Some(((*kernel)?.to_owned(), guest.kernel.clone()));
    let kernels = guests.iter().filter_map(package).collect();
    let (_, first) = guests.into_iter().next().context("the plan has no contender")?;
    Ok(Guest { kernels, ..first })
}

/// The package of a kernel whose version follows its name.
fn package(kernel: &str) -> Option<String> {
    kernel.split(' ').next().map(str::to_owned)
}

/// Debian packages with the programs of all kinds that every guest can have.
pub fn file_system_packages() -> Vec<String> {
    let kinds = KINDS.iter().filter(|kind| is_in_every_guest(kind));
    let packages: BTreeSet<&str> = kinds.flat_map(|kind| kind.tools).map(|tool| tool.package).collect();
    packages.into_iter().map(str::to_owned).collect()
}

/// Debian packages that the plan's workloads and contenders need and not every guest has.
pub fn packages(plan: &Plan) -> Vec<String> {
    let of_workloads = plan.workloads.iter().flat_map(|workload| ENGINES.packages(workload)).map(str::to_owned);
    of_workloads.chain(packages_of(&plan.contenders)).collect()
}

/// Whether the kind has a disk, no module that would have to be built, and programs in each release of Debian.
fn is_in_every_guest(kind: &Kind) -> bool {
    let is_in_release = |tool: &Tool| !tool.package.contains('/');
    kind.ground == Ground::Lane && kind.module.is_none() && kind.tools.iter().all(is_in_release)
}

/// Debian packages that these contenders need and not every guest has: the programs that mount folders of the host,
/// the sources of modules that are built, with their programs, those of `experimental`, and the programs of layers.
pub fn packages_of(contenders: &[Contender]) -> Vec<String> {
    let kinds = contenders.iter().filter_map(|contender| fsarena_lane::kind(&contender.kind));
    let few = kinds.filter(|kind| !is_in_every_guest(kind));
    let of_kinds = few.flat_map(|kind| kind.tools.iter().map(|tool| tool.package).chain(kind.module));
    let of_layers = layer_tools(contenders).into_iter().map(|tool| tool.package);
    of_kinds.chain(of_layers).collect::<BTreeSet<&str>>().into_iter().map(str::to_owned).collect()
}

/// The contender's kind, if it is a folder of the host that a guest mounts.
fn share_of(contender: &Contender) -> Option<&'static Kind> {
    fsarena_lane::kind(&contender.kind).filter(|kind| kind.ground == Ground::Share)
}

/// Does an assignment in a guest, or in one for each kernel that its contenders name. The machine is locked for it, and
/// everything is removed at the end.
pub fn run(in_guest: &InGuest, assignment: Assignment, stop: &AtomicBool, listener: &mut dyn Listener) -> Result<End> {
    let is_new = assignment.run.is_none();
    let assignment = Assignment { plan: on_host(assignment.plan), ..assignment };
    let plan = &assignment.plan;
    let kernels = plan.kernels();
    let has_several = kernels.len() > 1;
    let in_turn = has_several && in_guest.is_deterministic();
    if in_turn && !is_new {
        let text = "a run under several kernels that counts instructions cannot go on";
        bail!(Refusal::wrong_use(text, "start a new one with more --rounds"));
    }
    // Of a stored run, which has run here, the kernels may be in the cache alone.
    if is_new {
        in_guest.require_possible(plan)?;
    }
    possible::require_one_guest(plan)?;
    ServedFolders::require(&plan.contenders.iter().filter_map(share_of).map(|kind| kind.name).collect::<Vec<_>>())?;
    // Only root can have a namespace, and then counts what QEMU does.
    let mut has_counters = !has_several && plan.has_own_disks();
    let enter = || {
        has_counters &= namespace::enter_private_mounts().is_ok();
        Ok(())
    };
    let Some(mut locked) = take_machine(None, assignment.wait, stop, enter)? else { return Ok(End::Stopped) };
    in_guest.require_room(plan)?;
    let folder = match &plan.lanes.storage {
        Storage::Directory(path) => locked.ledger.make_parents(path),
        _ => Ok(()),
    };
    let ended = if let Err(error) = folder {
        Err(error.into())
    } else if in_turn {
        in_turn::parts(in_guest, &assignment, &mut locked, stop, listener)
    } else if has_several {
        several::together(in_guest, assignment, &mut locked, stop, listener)
    } else {
        // A stored run has its guest again, whatever its contenders named.
        let in_guest = in_guest.of_kernel(kernels[0].filter(|_| is_new));
        let request = |guest: Guest| Request::Run(Box::new(begun_in(assignment.clone(), guest)));
        let counting = if has_counters { show_kernel_counters(&mut locked.ledger) } else { Ok(()) };
        counting.map_err(Into::into).and_then(|()| in_guest.boot_and_run(plan, &mut locked, request, stop, listener))
    };
    let removed = locked.ledger.undo();
    let ended = ended?;
    removed?;
    Ok(ended)
}

/// The plan with a storage of this machine: that of the disk of its guest, if it has one already.
fn on_host(plan: Plan) -> Plan {
    match plan.guest.as_ref().map(|guest| guest.disk.clone()) {
        None => fitted(plan),
        Some(GuestDisk::Virtual(storage)) => plan.with_storage(storage),
        Some(GuestDisk::Simulated(_)) => plan.with_storage(Storage::Memory),
    }
}

/// The assignment for the agent in this guest, with a remark on the guest if the run is new.
fn begun_in(mut assignment: Assignment, guest: Guest) -> Assignment {
    if assignment.run.is_none() {
        assignment.note(guest.remark());
    }
    in_the_guest(assignment, guest)
}

/// The assignment for the agent in this guest. The servers of its folders may have other ports than before.
fn in_the_guest(assignment: Assignment, guest: Guest) -> Assignment {
    let storage = within(&assignment.plan);
    let plan = Plan { guest: Some(guest), ..assignment.plan.with_storage(storage) };
    Assignment { plan, wait: false, erase: Vec::new(), ..assignment }
}

/// The storage of a plan's lanes as the guest sees it: a part of its disk for each, or a disk for each.
fn within(plan: &Plan) -> Storage {
    match plan.has_own_disks() {
        true => Storage::Partitions((0..made_lanes(plan)).map(|index| by_id(&lane_serial(index))).collect()),
        false => Storage::Disk(by_id(LANES)),
    }
}

/// How each lane's own disk is kept, if lanes have one: as their contenders say, and the calibration device by default.
fn modes(plan: &Plan) -> Vec<DiskMode> {
    if !plan.has_own_disks() {
        return Vec::new();
    }
    let own = with_lanes(plan).map(|contender| contender.disk.unwrap_or_default());
    own.chain([DiskMode::default()]).take(made_lanes(plan)).collect()
}

/// The contenders that have lanes.
fn with_lanes(plan: &Plan) -> impl Iterator<Item = &Contender> {
    let needs = needs_lane(plan);
    plan.contenders.iter().zip(needs).filter(|(_, needs)| *needs).map(|(contender, _)| contender)
}

/// Makes the folders that the guest mounts, below a folder of the run, and starts their servers.
fn share(plan: &Plan, locked: &mut Locked) -> Result<ServedFolders> {
    let contenders: Vec<&Contender> =
        plan.contenders.iter().filter(|contender| share_of(contender).is_some()).collect();
    if contenders.is_empty() {
        return Ok(ServedFolders::default());
    }
    let parent = match &plan.lanes.storage {
        Storage::Directory(path) => path.clone(),
        _ => PathBuf::from(MEMORY),
    };
    let ledger = &mut locked.ledger;
    let parent = parent.canonicalize().with_context(|| format!("look up {}", parent.display()))?;
    let run = parent.join(ledger.name());
    ledger.make_directory(&run, 0o755)?;
    let mut shared = Vec::new();
    for (number, contender) in contenders.into_iter().enumerate() {
        let folder = run.join(format!("share-{number}"));
        ledger.make_directory(&folder, 0o777)?;
        shared.push(Shared { number, contender, folder });
    }
    Ok(ServedFolders::serve(&shared, &run)?)
}

/// Adds what the disks had to do to the run.
struct Listening<'a> {
    running: &'a Running,
    plan: &'a Plan,
    inner: &'a mut dyn Listener,
}

impl Listener for Listening<'_> {
    fn hear(&mut self, event: &Event) -> Result<(), String> {
        // The last event of a run: nothing follows it.
        if matches!(event, Event::Finished(_)) {
            for text in counted(self.plan, self.running) {
                note::add(self.inner, Severity::Info, text).map_err(|error| error.to_string())?;
            }
        }
        self.inner.hear(event)
    }
}

/// What the contenders' own disks had to do.
fn counted(plan: &Plan, running: &Running) -> Vec<String> {
    let counts = running.disk_counts().unwrap_or_default();
    let text = |(contender, counts): (&Contender, DiskCounts)| {
        let DiskCounts { writes, flushes, syncs } = counts;
        let synced = match syncs {
            Some(1) => "QEMU synced its file once".to_owned(),
            Some(syncs) => format!("QEMU synced its file {syncs} times"),
            None => "how often QEMU synced its file cannot be counted here".to_owned(),
        };
        let label = &contender.label;
        format!("the guest wrote {writes} times to the disk of `{label}` and flushed it {flushes} times; {synced}")
    };
    with_lanes(plan).zip(counts).map(text).collect()
}

/// What the guest's kernel has complained about, as sentences.
pub fn complaints(running: &Running) -> impl Iterator<Item = String> {
    running.findings().into_iter().take(MOST_FINDINGS).map(|finding| format!("the guest's kernel reports: {finding}"))
}

/// Adds what the guest's kernel has complained about to the run.
fn tell(running: &Running, listener: &mut dyn Listener) -> Result<()> {
    Ok(complaints(running).try_for_each(|text| note::add(listener, Severity::Warning, text))?)
}
