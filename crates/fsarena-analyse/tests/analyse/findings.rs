//! What findings state, and the conditions under which a rule has nothing to say; from records written by hand.

use fsarena_model::{
    BaselineKind, Bytes, ClientFacts, ClientsWork, ClockOffset, DurablePoint, Finding, MachineName, Measure, Nanos,
    Slice, Trial, Workload, probe,
};

use fsarena_fakes::record::{Kept, MEBIBYTE, cold, direct, synced};
use fsarena_fakes::workload;

/// The findings about `ext4`.
fn findings(kept: &Kept) -> Vec<Finding> {
    kept.validity().into_iter().map(|flag| flag.finding).collect()
}

fn is_near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 1e-6
}

fn slices(trial: &mut Trial, change: impl Fn(&mut Slice)) {
    trial.slices.iter_mut().for_each(change);
}

fn without_bytes(trial: &mut Trial) {
    slices(trial, |slice| slice.bytes = 0);
}

#[test]
fn work_that_checks_its_files_itself_is_not_called_cached() {
    let mut kept = cold().reading(probe::DEVICE_READ, 0.0);
    assert_eq!(findings(&kept).len(), 1);
    kept.0.plan.workloads[0].traits.verifies_cold = true;
    assert_eq!(findings(&kept), []);
}

#[test]
fn only_cold_work_without_bytes_must_have_read_something() {
    let unread = |kept: Kept| findings(&kept.changed(without_bytes).reading(probe::DEVICE_READ, 0.0));
    assert_eq!(unread(cold()), [Finding::NothingRead { round: 1 }]);
    assert_eq!(unread(direct()), []);
    assert_eq!(unread(Kept::new(Workload { durable: DurablePoint::None, ..workload("stat") })), []);
}

#[test]
fn direct_work_may_write_what_the_disks_of_the_servers_did_not_read() {
    assert_eq!(findings(&direct().reading(probe::SERVER_READ, 0.0)), []);
}

#[test]
fn direct_work_is_not_judged_by_the_pages_of_the_whole_machine() {
    let pages = 100.0 * MEBIBYTE / 4096.0;
    let kept = |own, machine| direct().reading(probe::PAGES_DIRTIED, own).reading(probe::MACHINE_DIRTIED, machine);
    let expected = Finding::PagesDirtied { pages: 4 * 25_600, bytes: Bytes::mib(400) };
    assert_eq!(findings(&kept(None, Some(pages))), [], "a program beside it may have written them");
    assert_eq!(findings(&kept(Some(pages), Some(pages))), [expected]);
    assert_eq!(findings(&kept(Some(pages), None).changed(without_bytes)), [], "it tells no bytes");
}

#[test]
fn what_is_known_of_a_directory_counts_more_than_the_pages_of_its_file_system() {
    let pages = 100.0 * MEBIBYTE / 4096.0;
    let kept = |direct_writes, written| {
        let mut kept = direct().reading(probe::PAGES_DIRTIED, pages).reading(probe::PROCESS_WRITTEN, written);
        kept.0.contenders.iter_mut().for_each(|facts| facts.direct_writes = direct_writes);
        kept
    };
    let written = 100.0 * MEBIBYTE;
    assert_eq!(findings(&kept(Some(true), written)), [], "a program beside it dirties pages there");
    assert_eq!(findings(&kept(Some(false), written)), [Finding::BufferedWrites]);
    assert_eq!(findings(&kept(Some(false), 0.0)), [], "reads are direct");
}

#[test]
fn direct_writes_of_parts_of_a_record_are_not_direct() {
    let kept = |unit, written| {
        let mut kept = direct().reading(probe::PROCESS_WRITTEN, written);
        kept.0.contenders.iter_mut().for_each(|facts| facts.direct_unit = Some(Bytes::kib(unit)));
        kept.0.plan.workloads.iter_mut().for_each(|workload| workload.traits.block = Some(Bytes::mib(1)));
        kept
    };
    let written = 100.0 * MEBIBYTE;
    let expected = Finding::PartsOfUnits { block: Bytes::mib(1), unit: Bytes::mib(2) };
    assert_eq!(findings(&kept(2048, written)), [expected]);
    assert_eq!(findings(&kept(2048, 0.0)), [], "reads are direct");
    assert_eq!(findings(&kept(128, written)), [], "whole records");
}

#[test]
fn a_host_below_the_lane_is_described() {
    let mut kept = synced().lane_cost(Nanos::millis(4), Some(Nanos::millis(1)));
    kept.0.environment.lanes.host_file_system = Some("ext4".to_owned());
    let [Finding::HostBelowLane { share, each, with_device, has_file_system }] = findings(&kept)[..] else {
        panic!("{:?}", findings(&kept))
    };
    assert!(is_near(share, 0.3), "{share}");
    assert_eq!(kept.cells()[0].shares.lane, Some(share), "the table of shares has the same one");
    let unknown = synced().lane_cost(Nanos::millis(4), None);
    assert_eq!(unknown.cells()[0].shares.lane, None, "with the device it is not the host's alone");
    assert_eq!((each, with_device, has_file_system), (Nanos::millis(3), Some(Nanos::millis(4)), true));
    let [Finding::HostBelowLane { share, each, with_device, has_file_system }] =
        findings(&synced().lane_cost(Nanos::millis(40), None))[..]
    else {
        panic!("a finding")
    };
    assert_eq!((share, each, with_device, has_file_system), (1.0, Nanos::millis(40), None, false));
}

#[test]
fn flushes_outside_the_timed_part_are_not_the_hosts_share() {
    let mut kept = synced().lane_cost(Nanos::millis(4), None);
    kept.0.plan.workloads[0].traits.syncs_untimed = true;
    assert!(!findings(&kept).iter().any(|finding| matches!(finding, Finding::HostBelowLane { .. })));
}

#[test]
fn busy_processors_are_counted() {
    let mut kept = synced().reading(probe::CPU_PROCESS, 1.5).reading(probe::CPU_KERNEL, 0.4);
    kept.0.environment.cores = Some(2);
    let [Finding::ProcessorsBusy { busy, of: 2 }] = findings(&kept)[..] else { panic!("{:?}", findings(&kept)) };
    assert!(is_near(busy, 1.9), "{busy}");
    kept.0.environment.cores = None;
    assert_eq!(findings(&kept), []);
}

#[test]
fn a_harness_is_called_a_share_of_the_figure_where_that_is_a_score() {
    let is_score = |measure| {
        let mut kept = synced().baseline(BaselineKind::Memory, 0.9);
        kept.0.plan.workloads[0].metric.measure = measure;
        findings(&kept).iter().find_map(|finding| match finding {
            Finding::MostlyHarness { is_score, .. } => Some(*is_score),
            _ => None,
        })
    };
    assert_eq!(is_score(Measure::OperationsPerSecond), Some(false));
    assert_eq!(is_score(Measure::Printed), Some(true));
}

#[test]
fn a_step_of_a_clock_that_is_a_large_part_of_the_time_is_a_finding() {
    let of = |step: u64| {
        let mut kept = synced();
        kept.0.plan.workloads[0].traits.clock_step = Some(Nanos::millis(step));
        findings(&kept)
    };
    // Slices of a quarter of a second.
    assert_eq!(of(50), [Finding::FewSteps { step: Nanos::millis(50), share: 0.2 }]);
    assert_eq!(of(5000), [Finding::FewSteps { step: Nanos::seconds(5), share: 1.0 }]);
    assert_eq!(of(2), []);
}

#[test]
fn only_copied_bytes_are_limited_by_memory() {
    let mut kept = synced();
    kept.0.environment.memory_bandwidth = Some(50.0 * MEBIBYTE);
    assert_eq!(findings(&kept), [Finding::FasterThanMemory { rate: Bytes::mib(100), most: Bytes::mib(50) }]);
    kept.0.plan.workloads[0].traits.copies_nothing = true;
    assert_eq!(findings(&kept), []);
}

#[test]
fn only_direct_work_that_the_device_carried_can_be_too_fast_for_the_device() {
    let of = |kept: Kept| findings(&kept.baseline(BaselineKind::Device, 3.0));
    let [Finding::FasterThanDevice { times }] = of(direct())[..] else { panic!("a finding") };
    assert!(is_near(times, 3.0), "{times}");
    assert_eq!(of(synced()), [], "buffered");
    let cached = of(direct().reading(probe::DEVICE_READ, 0.0).reading(probe::DEVICE_WRITTEN, 0.0));
    assert!(matches!(cached[..], [Finding::LittleCarried { .. }]), "{cached:?}");
}

#[test]
fn a_disturbed_moment_makes_no_figure_too_fast_for_the_device() {
    let disturbed = || direct().baseline(BaselineKind::Device, 40.0);
    let [Finding::FasterThanDevice { .. }] = findings(&disturbed())[..] else { panic!("measured in that moment only") };
    let found = findings(&disturbed().baseline(BaselineKind::Device, 0.6).baseline(BaselineKind::Device, 0.6));
    assert_eq!(found, [], "the device's bound is its fastest measurement");
}

#[test]
fn bytes_may_differ_from_the_block_size_by_two_percent() {
    let of = |block: u64, change: fn(&mut Trial)| {
        let mut kept = synced().changed(change);
        kept.0.plan.workloads[0].traits.block = Some(Bytes(block));
        findings(&kept)
    };
    let mebibyte = 1 << 20;
    for (block, is_off) in [(mebibyte * 99 / 100, false), (mebibyte * 97 / 100, true), (mebibyte * 103 / 100, true)] {
        assert_eq!(!of(block, |_| ()).is_empty(), is_off, "{block}");
    }
    let expected = Finding::OtherSize { round: 1, operations: 100, size: Bytes::kib(4), bytes: Bytes::mib(100) };
    assert_eq!(of(4096, |_| ()), [expected]);
    assert_eq!(of(4096, without_bytes), [], "it tells no bytes");
}

/// Two clients with two processors each and a link of 1,000 Mbit/s, on machines with these boots. `ext4` moved `sent`
/// and `received` bytes in each trial, in which the second client did `share` of what the first did.
fn clients(boots: [&str; 2], [sent, received]: [f64; 2], share: f64) -> Kept {
    let facts = |boot: &str| ClientFacts {
        command: format!("ssh {boot}"),
        machine: MachineName { boot: Some(boot.to_owned()), link_mbit: Some(1000), ..MachineName::default() },
        kernel: None,
        cores: Some(2),
        memory: None,
        clock: ClockOffset::default(),
    };
    let mut kept = Kept::new(workload("stat").with_clients(2));
    kept.0.environment.clients = boots.map(facts).into();
    let work = ClientsWork { rates: vec![100.0, 100.0 * share], together: 1.0, last: 1.0, ..ClientsWork::default() };
    let kept = kept.changed(|trial| trial.clients = Some(work.clone()));
    kept.reading(probe::NETWORK_SENT, sent).reading(probe::NETWORK_RECEIVED, received)
}

#[test]
fn a_link_that_is_nearly_full_is_a_limit() {
    // Two links of 125 MB/s.
    for moved in [[1e6, 210e6], [210e6, 1e6]] {
        let [Finding::LinkLimit { share, mbit }] = findings(&clients(["a", "b"], moved, 1.0))[..] else {
            panic!("a finding")
        };
        assert!(is_near(share, 0.84) && is_near(mbit, 1000.0), "{share}, {mbit}");
    }
    assert_eq!(findings(&clients(["a", "b"], [190e6, 190e6], 1.0)), []);
    let mut kept = clients(["a", "b"], [110e6, 1e6], 1.0);
    kept.0.environment.clients[1].machine.link_mbit = Some(500);
    assert!(matches!(findings(&kept)[..], [Finding::LinkLimit { .. }]), "the slower one counts");
    kept.0.environment.clients[1].machine.link_mbit = None;
    assert_eq!(findings(&kept), [], "one is unknown");
}

#[test]
fn the_processors_of_a_machine_with_several_clients_count_once() {
    let of = |boots, process| {
        let kept = clients(boots, [0.0, 0.0], 1.0);
        findings(&kept.reading(probe::CPU_PROCESS, process).reading(probe::CPU_KERNEL, 0.0))
    };
    assert!(matches!(of(["a", "b"], 3.8)[..], [Finding::ProcessorsBusy { of: 4, .. }]), "{:?}", of(["a", "b"], 3.8));
    assert_eq!(of(["a", "b"], 1.9), []);
    assert!(matches!(of(["a", "a"], 1.9)[..], [Finding::ProcessorsBusy { of: 2, .. }]), "{:?}", of(["a", "a"], 1.9));
}

#[test]
fn a_client_is_slow_if_it_was_in_most_rounds() {
    let slow_in = |rounds: u32| {
        let kept = clients(["a", "b"], [0.0, 0.0], 0.25).changed(|trial| {
            if trial.round > rounds {
                trial.clients.as_mut().expect("clients").rates = vec![100.0, 90.0];
            }
        });
        findings(&kept)
    };
    let expected = |rounds| Finding::SlowClient { client: "client 2 (ssh b)".to_owned(), share: 0.25, rounds, of: 4 };
    assert_eq!(slow_in(4), [expected(4)]);
    assert_eq!(slow_in(3), [expected(3)]);
    assert_eq!(slow_in(2), [], "half of the rounds are not most");
    assert_eq!(findings(&clients(["a", "b"], [0.0, 0.0], 0.55)), []);
    let mut named = clients(["a", "b"], [0.0, 0.0], 0.25);
    named.0.environment.clients[1].machine.host = Some("node2".to_owned());
    assert!(matches!(&findings(&named)[..], [Finding::SlowClient { client, .. }] if client == "client 2 (node2)"));
}

#[test]
fn clients_that_start_apart_in_more_than_a_quarter_of_the_slices_are_flagged() {
    // Four slices of each trial count.
    let apart = |skewed: u32| {
        let kept = clients(["a", "b"], [0.0, 0.0], 1.0).changed(|trial| {
            let work = trial.clients.as_mut().expect("clients");
            (work.skewed, work.skew) = (skewed, 0.001 * f64::from(trial.round));
        });
        findings(&kept)
    };
    assert_eq!(apart(2), [Finding::StartsApart { slices: 8, of: 24, worst: 0.004 }]);
    assert_eq!(apart(1), []);
}

#[test]
fn a_time_of_flushes_of_a_few_steps_of_its_counter_is_not_known() {
    let flushing = |seconds: f64| {
        let kept = Kept::new(workload("fsync")).reading(probe::DEVICE_FLUSHING, seconds);
        kept.cells()[0].probe(probe::DEVICE_FLUSHING)
    };
    assert_eq!([0.0, 0.001, 0.009].map(flushing), [None; 3]);
    assert_eq!(flushing(0.05), Some(0.05 / 100.0));
}
