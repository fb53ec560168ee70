//! Runs on several clients at the same time, each with a clock of its own.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use fsarena_analyse::assess;
use fsarena_engine::{Engine, EngineError, Engines, Job, Limit, RunStats, Spanning};
use fsarena_execute::remote::{Machines, Server};
use fsarena_execute::{Refusal, Remaining, RunError, run};
use fsarena_model::clients::WhenLost;
use fsarena_model::{
    CacheState, Clients, Coherence, Comparison, Finding, Nanos, Outcome, Plan, Rounds, RunRecord, Sharing, Status,
    Traits, Trial, Verdict, Workload, probe,
};

use fsarena_fakes::{Backstage, Clocks, Collector, FakeClock, FakeTestbed, Play, Wire, World, workload};

/// A client: the true rates of its contenders, and what is special about it.
struct Client {
    rates: [f64; 2],
    /// By how much its clock is ahead.
    ahead: Nanos,
    /// How much later than asked for it wakes up.
    late: Nanos,
    /// Calls until it is lost.
    left: usize,
}

impl Client {
    fn of(rates: [f64; 2]) -> Self {
        Self { rates, ahead: Nanos(0), late: Nanos(0), left: usize::MAX }
    }
}

struct Ran {
    result: Result<Status, RunError>,
    record: RunRecord,
    comparison: Comparison,
    /// What happened on each client.
    journals: Vec<Vec<String>>,
}

/// Runs one workload with each of `numbers` clients for six rounds.
fn ran(clients: &[Client], numbers: &[u32], when_lost: WhenLost) -> Ran {
    ran_with(Engines(&[]), clients, numbers, when_lost)
}

fn ran_with(engines: Engines, clients: &[Client], numbers: &[u32], when_lost: WhenLost) -> Ran {
    let base = Workload { timed_ms: 500, ..workload("create") };
    performed(engines, clients, numbers, when_lost, base, Vec::new())
}

fn performed(
    engines: Engines,
    clients: &[Client],
    numbers: &[u32],
    when_lost: WhenLost,
    base: Workload,
    servers: Vec<Box<dyn Server>>,
) -> Ran {
    let mut plan = Play::new(&["ext4", "xfs"], World::of(&[])).with_rounds(Rounds::Exactly(6)).plan;
    plan.workloads = numbers.iter().map(|count| base.with_clients(*count)).collect();
    let commands = (0..clients.len()).map(|number| format!("ssh node{number} fsarena agent")).collect();
    let plan =
        Plan { clients: Some(Clients { commands, numbers: numbers.to_vec(), when_lost, servers: Vec::new() }), ..plan };
    let here = FakeClock::default();
    let mut stages = Vec::new();
    let mut wire = |client: &Client| {
        let there = FakeClock::waking(client.late);
        let labels = ["ext4", "xfs", "memory"].map(str::to_owned).to_vec();
        let world = World { operation_noise: 0.05, ..World::of(&client.rates) };
        let stage = Rc::new(Backstage::new(world, labels, there.clone()));
        stages.push(Rc::clone(&stage));
        let clocks = Clocks { here: here.clone(), there, ahead: client.ahead };
        Wire::to_client(FakeTestbed::new(stage), clocks, client.left)
    };
    let wires = clients.iter().map(|client| (wire(client), &plan)).collect();
    let mut machines = Machines::new(&plan, wires, engines, servers, Rc::new(here.clone()));
    let over = machines.over();
    let mut listener = Collector::new(here.clone(), usize::MAX);
    let result = run(
        Remaining::whole(RunRecord::new(3, plan.clone(), String::new())),
        &mut machines,
        &here,
        &over,
        &mut listener,
    );
    let mut record = RunRecord::new(1, plan, String::new());
    listener.events.into_iter().for_each(|event| record.apply(event));
    assert_eq!(over.load(Ordering::Relaxed), matches!(result, Ok(Status::Interrupted)));
    let journals = stages.iter().map(|stage| stage.journal()).collect();
    Ran { result, comparison: assess(&record), record, journals }
}

fn trials<'a>(ran: &'a Ran, workload: &str, contender: &str) -> Vec<&'a Trial> {
    let is_of = |trial: &&Trial| trial.workload == workload && trial.contender.0 == contender;
    ran.record.trials.iter().filter(is_of).collect()
}

fn median(ran: &Ran, workload: &str, contender: &str) -> f64 {
    let cell = ran.comparison.cell(workload, &contender.into()).expect("a cell");
    cell.figure.median.unwrap_or_else(|| panic!("{:?}", ran.record.notes))
}

#[test]
fn operations_of_clients_add_up() {
    let clients = [Client::of([1000.0, 600.0]), Client::of([1000.0, 600.0]), Client::of([1000.0, 600.0])];
    let ran = ran(&clients, &[1, 3], WhenLost::End);
    assert_eq!(ran.result.as_ref().ok(), Some(&Status::Complete));
    for (workload, expected) in [("create@1-client", 1000.0), ("create@3-clients", 3000.0)] {
        let found = median(&ran, workload, "ext4");
        assert!((found / expected - 1.0).abs() < 0.02, "{workload}: {found}");
    }
    assert!(
        ran.comparison.judged.verdicts.iter().all(|pair| pair.verdict == Verdict::Faster),
        "{:?}",
        ran.comparison.judged.verdicts
    );
    let trial = trials(&ran, "create@3-clients", "ext4")[0];
    let latency = trial.latencies["create"];
    assert!(latency.count > 5_900, "one histogram of all latencies: {latency:?}");
    let work = trial.clients.as_ref().expect("clients");
    assert_eq!((work.rates.len(), work.skewed), (3, 0));
    let row = &ran.comparison.scaling.rows[0];
    let exponent = row.exponent.expect("two numbers of clients");
    assert!((exponent - 1.0).abs() < 0.02, "{row:?}");
}

#[test]
fn a_clock_that_is_off_changes_no_figure() {
    let off = |ahead| {
        ran(&[Client::of([1000.0, 600.0]), Client { ahead, ..Client::of([900.0, 500.0]) }], &[2], WhenLost::End)
    };
    let (right, wrong) = (off(Nanos(0)), off(Nanos::seconds(1000)));
    assert_eq!(right.record.trials, wrong.record.trials);
    let clocks = |ran: &Ran| ran.record.environment.clients[1].clock.monotonic;
    assert_eq!((clocks(&right).round(), clocks(&wrong).round()), (0.0, 1000.0));
}

#[test]
fn slices_in_which_a_client_starts_late_do_not_count() {
    let late = Client { late: Nanos::millis(6), ..Client::of([1000.0, 600.0]) };
    let ran = ran(&[Client::of([1000.0, 600.0]), late], &[2], WhenLost::End);
    let trial = trials(&ran, "create@2-clients", "ext4")[0];
    assert_eq!(trial.slices, []);
    assert_eq!(trial.outcome, Outcome::Failed("the clients never started together".to_owned()));
}

/// A server whose disks read 1,000 bytes between two questions.
#[derive(Default)]
struct Disks {
    read: Cell<u64>,
    drops: Rc<Cell<u32>>,
}

impl Server for Disks {
    fn drop_caches(&self) -> Result<(), Refusal> {
        self.drops.set(self.drops.get() + 1);
        Ok(())
    }

    fn bytes_read(&self) -> Result<u64, Refusal> {
        Ok(self.read.replace(self.read.get() + 1000))
    }
}

#[test]
fn the_caches_of_servers_are_dropped_and_what_their_disks_read_is_counted() {
    let (cold, disks) = (Workload { cache: CacheState::Cold, timed_ms: 500, ..workload("create") }, Disks::default());
    let drops = Rc::clone(&disks.drops);
    let clients = [Client::of([1000.0, 600.0]), Client::of([1000.0, 600.0])];
    let ran = performed(Engines(&[]), &clients, &[2], WhenLost::End, cold, vec![Box::new(disks)]);
    let trials = trials(&ran, "create@2-clients", "ext4");
    assert!(drops.get() as usize >= trials.len(), "{drops:?}");
    for trial in trials {
        assert_eq!(trial.probe(probe::SERVER_READ), Some(1000.0 * trial.slices.len() as f64));
    }
}

#[test]
fn clients_that_see_changes_at_different_times_are_not_ranked() {
    let mut record = ran(&[Client::of([1000.0, 600.0]), Client::of([1000.0, 600.0])], &[2], WhenLost::End).record;
    let of = |coherence| {
        let [fsync, attributes, locks, silent_server] = [(); 4].map(|()| String::new());
        Some(Sharing { coherence, fsync, attributes, locks, silent_server })
    };
    record.contenders[0].sharing = of(Some(Coherence::CloseToOpen));
    record.contenders[1].sharing = of(Some(Coherence::Expiring));
    let reason = |record: &RunRecord| assess(record).judged.verdicts[0].reason();
    assert!(reason(&record).contains("different times: never ranked"), "{}", reason(&record));
    record.plan.guarantees = vec!["xfs=close-to-open".parse().expect("well spelled")];
    assert_eq!(assess(&record).judged.verdicts[0].verdict, Verdict::Faster, "as the user states");
    record.plan.guarantees.push("xfs=unflushed".parse().expect("well spelled"));
    assert!(reason(&record).contains("different durability"), "{}", reason(&record));
    let alone = RunRecord { plan: Plan { clients: None, guarantees: Vec::new(), ..record.plan.clone() }, ..record };
    assert_eq!(
        assess(&alone).judged.verdicts[0].verdict,
        Verdict::Faster,
        "on a single machine there are no other clients"
    );
}

#[test]
fn a_slow_client_is_named() {
    let ran = ran(&[Client::of([1000.0, 600.0]), Client::of([200.0, 120.0])], &[2], WhenLost::End);
    let cell = ran.comparison.cell("create@2-clients", &"xfs".into()).expect("a cell");
    let slow = cell.validity.iter().find_map(|flag| match &flag.finding {
        Finding::SlowClient { client, share, .. } => Some((client, *share)),
        _ => None,
    });
    let (client, share) = slow.expect("a flag");
    assert!(client.starts_with("client 2") && (share - 0.2).abs() < 0.005, "{client}: {share}");
}

#[test]
fn a_lost_client_ends_the_run_or_its_workloads() {
    let clients = |left| [Client::of([1000.0, 600.0]), Client { left, ..Client::of([1000.0, 600.0]) }];
    let ended = ran(&clients(200), &[1, 2], WhenLost::End);
    assert_eq!(ended.result.as_ref().ok(), Some(&Status::Interrupted));
    let went_on = ran(&clients(200), &[1, 2], WhenLost::Continue);
    assert_eq!(went_on.result.as_ref().ok(), Some(&Status::Complete));
    let rounds = |workload| trials(&went_on, workload, "ext4").len();
    assert_eq!(rounds("create@1-client"), 6);
    assert!((1..6).contains(&rounds("create@2-clients")), "{}", rounds("create@2-clients"));
    let finished = went_on.record.trials.iter().all(|trial| trial.outcome == Outcome::Finished);
    assert!(finished, "the block is lost as a whole");
    let is_noted = |ran: &Ran| ran.record.notes.iter().any(|note| note.text.contains("a client was lost"));
    assert!(is_noted(&went_on), "{:?}", went_on.record.notes);
}

/// An engine whose programs work on several machines as one: a thousand operations in a second.
static TOGETHER: Engines = Engines(&[&[{
    let held = |workload: &Workload| Workload { version: 77, ..workload.clone() };
    let spanning = Some(Spanning { launched: |workload, _| workload.clone(), held });
    let open = |workload: &Workload, directory: &Path, _| -> Result<Box<dyn Job>, EngineError> {
        assert_eq!(directory, Path::new("/").join(&workload.name), "that of the first client");
        Ok(Box::new(TogetherJob))
    };
    Engine { spanning, ..Engine::new("files", |_| Ok(Traits::default()), open) }
}]]);

struct TogetherJob;

impl Job for TogetherJob {
    fn run(&mut self, _limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        stats.count_done(1000, 0);
        stats.elapsed = stats.elapsed + Nanos::seconds(1);
        Ok(())
    }
}

#[test]
fn a_program_that_spans_clients_is_started_once_and_counted_on_each() {
    let clients = || [Client::of([1000.0, 600.0]), Client::of([1000.0, 600.0])];
    let ran = ran_with(TOGETHER, &clients(), &[2], WhenLost::End);
    assert_eq!(ran.result.as_ref().ok(), Some(&Status::Complete));
    assert_eq!(median(&ran, "create@2-clients", "ext4"), 1000.0);
    let trial = trials(&ran, "create@2-clients", "ext4")[0];
    assert_eq!(trial.probe(probe::CPU_PROCESS), None, "the program is no part of the agents");
    for journal in &ran.journals {
        let count = |what: &str| journal.iter().filter(|entry| entry.starts_with(what)).count();
        // Six rounds of four slices, and in the first one for the three clocks.
        assert_eq!(count("open ext4"), 6);
        assert!(count("watch ext4") >= 24 && count("watch ext4") == count("count ext4"), "{journal:?}");
        assert_eq!(count("run ext4"), 0, "{journal:?}");
    }
}
