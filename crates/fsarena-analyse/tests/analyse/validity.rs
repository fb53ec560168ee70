//! The validity of a cell's figures, from readings written by hand.

use fsarena_analyse::assess;
use fsarena_model::comparison::Reason;
use fsarena_model::{
    BaselineKind, Bytes, Durability, DurablePoint, Finding, Guarantee, Nanos, NoiseBounds, Outcome, Reading, Trial,
    ValidityClass, Verdict, Workload, probe,
};

use fsarena_fakes::record::{Kept, MEBIBYTE, cold, direct, synced};
use fsarena_fakes::workload;

#[test]
fn a_cell_that_the_device_served_is_valid() {
    for kept in [cold(), synced()] {
        assert!(kept.cells().iter().all(|cell| cell.validity.is_empty()), "{:?}", kept.validity());
    }
    assert_eq!(direct().reading(probe::DEVICE_WRITTEN, 0.0).classes(), []);
}

#[test]
fn a_cold_read_that_the_device_did_not_serve_is_cached() {
    let kept = cold().reading(probe::DEVICE_READ, 50.0 * MEBIBYTE);
    assert_eq!(kept.classes(), [ValidityClass::Cached]);
    let half = Finding::LittleCarried { round: 1, share: 0.5, bytes: Bytes(100 << 20) };
    assert_eq!(kept.validity()[0].finding, half);
    assert_eq!(kept.cells()[1].validity, [], "the other is not touched");
}

#[test]
fn a_cold_read_served_by_nine_tenths_is_not_cached() {
    assert_eq!(cold().reading(probe::DEVICE_READ, 91.0 * MEBIBYTE).classes(), []);
    assert_eq!(cold().reading(probe::DEVICE_READ, 89.0 * MEBIBYTE).classes(), [ValidityClass::Cached]);
}

#[test]
fn a_cold_read_that_the_disks_of_the_servers_did_not_serve_is_cached() {
    let kept = cold().reading(probe::SERVER_READ, 50.0 * MEBIBYTE);
    assert_eq!(kept.classes(), [ValidityClass::Cached]);
    let half = Finding::LittleReadByServers { round: 1, share: 0.5, bytes: Bytes(100 << 20) };
    assert_eq!(kept.validity()[0].finding, half);
    assert_eq!(cold().reading(probe::SERVER_READ, 91.0 * MEBIBYTE).classes(), []);
}

#[test]
fn nothing_is_called_cached_where_no_probe_could_look() {
    assert_eq!(cold().without(probe::DEVICE_READ).classes(), []);
    assert_eq!(cold().reading(probe::DEVICE_READ, None).classes(), []);
    let once = |trial: &mut fsarena_model::Trial| {
        if trial.round == 2 {
            trial.probes.remove(&probe::DEVICE_READ.key());
        } else {
            trial.probes.get_mut(&probe::DEVICE_READ.key()).expect("it is there").value = Some(0.0);
        }
    };
    let kept = cold().changed(once);
    assert_eq!(kept.classes(), [ValidityClass::Cached], "a round that could not be read does not hide the others");
    let one = |trial: &mut fsarena_model::Trial| {
        if trial.round == 2 {
            trial.probes.get_mut(&probe::DEVICE_READ.key()).expect("it is there").value = Some(0.0);
        }
    };
    assert_eq!(cold().changed(one).classes(), [ValidityClass::Cached], "one cached round is enough");
}

#[test]
fn without_a_device_the_accounts_of_the_process_tell() {
    let kept = cold().reading(probe::DEVICE_READ, None).reading(probe::PROCESS_READ, 10.0 * MEBIBYTE);
    assert_eq!(kept.classes(), [ValidityClass::Cached]);
    let kept = cold().reading(probe::DEVICE_READ, None).reading(probe::PROCESS_READ, 100.0 * MEBIBYTE);
    assert_eq!(kept.classes(), []);
}

#[test]
fn cold_data_of_another_machine_come_over_the_network() {
    let remote = || cold().reading(probe::DEVICE_READ, None).reading(probe::PROCESS_READ, 100.0 * MEBIBYTE);
    assert_eq!(remote().reading(probe::NETWORK_RECEIVED, 10.0 * MEBIBYTE).classes(), [ValidityClass::Cached]);
    assert_eq!(remote().reading(probe::NETWORK_RECEIVED, 103.0 * MEBIBYTE).classes(), []);
}

#[test]
fn a_warm_read_is_not_called_cached() {
    let warm = Kept::new(Workload { durable: DurablePoint::None, ..workload("stat") });
    assert_eq!(warm.reading(probe::DEVICE_READ, 0.0).classes(), []);
}

#[test]
fn compressed_data_may_be_fewer_on_the_device() {
    assert_eq!(cold().guaranteeing(Guarantee::Compression).reading(probe::DEVICE_READ, 30.0 * MEBIBYTE).classes(), []);
}

#[test]
fn a_direct_workload_that_reached_no_device_is_cached() {
    let kept = direct().reading(probe::DEVICE_READ, 0.0).reading(probe::DEVICE_WRITTEN, 0.0);
    assert_eq!(kept.classes(), [ValidityClass::Cached]);
}

#[test]
fn direct_writes_that_dirtied_pages_are_not_direct() {
    let pages = 100.0 * MEBIBYTE / 4096.0;
    assert_eq!(direct().reading(probe::PAGES_DIRTIED, pages).classes(), [ValidityClass::NotDirect]);
    assert_eq!(direct().reading(probe::PAGES_DIRTIED, pages / 10.0).classes(), []);
}

#[test]
fn nothing_is_called_not_direct_where_no_probe_could_look() {
    let kept = direct()
        .reading(probe::PAGES_DIRTIED, None)
        .reading(probe::MACHINE_DIRTIED, None)
        .reading(probe::PAGES_CACHED, None);
    assert_eq!(kept.classes(), []);
}

#[test]
fn buffered_writes_may_dirty_pages() {
    assert_eq!(synced().reading(probe::PAGES_DIRTIED, 1e6).reading(probe::MACHINE_DIRTIED, 1e6).classes(), []);
}

#[test]
fn syncs_without_flushes_are_impossible_and_forbid_the_verdict() {
    let kept = synced().reading(probe::DEVICE_FLUSHES, 60.0);
    assert_eq!(kept.classes(), [ValidityClass::Impossible]);
    let pair = &assess(&kept.0).judged.verdicts[0];
    assert_eq!((pair.verdict, pair.reason().as_str()), (Verdict::Invalid, "ext4: impossible"));
    assert_eq!(synced().reading(probe::DEVICE_FLUSHES, 95.0).classes(), [], "counters may lag a little");
}

/// A workload of 100 operations, each on a file, with this number of durable writes.
fn durable_by_write(writes: f64) -> Kept {
    let synced = Workload { durable: DurablePoint::ODsync, ..workload("create") };
    let kept = Kept::new(synced).changed(move |trial| {
        trial.latencies.remove("fsync");
        let reading = Reading { value: Some(writes), unit: "writes".to_owned() };
        trial.probes.insert(probe::DURABLE_WRITES.key(), reading);
    });
    kept.reading(probe::DEVICE_FLUSHES, 960.0)
}

#[test]
fn each_durable_write_needs_a_flush_whatever_the_operations_are() {
    assert_eq!(durable_by_write(960.0).classes(), []);
    let few = durable_by_write(960.0).reading(probe::DEVICE_FLUSHES, 100.0);
    assert_eq!(few.classes(), [ValidityClass::Impossible], "as many as there are files is not enough");
    assert!(matches!(few.validity()[0].finding, Finding::TooFewFlushes { .. }), "{:?}", few.validity());
    let few = durable_by_write(8.0).reading(probe::DEVICE_FLUSHES, 8.0);
    assert_eq!(few.classes(), [], "operations that are no writes need none");
}

#[test]
fn cold_work_that_tells_no_bytes_must_have_read_something_from_the_device() {
    let server = || cold().changed(|trial| trial.slices.iter_mut().for_each(|slice| slice.bytes = 0));
    assert_eq!(server().classes(), []);
    assert_eq!(server().reading(probe::DEVICE_READ, 0.0).classes(), [ValidityClass::Cached]);
    assert_eq!(server().reading(probe::DEVICE_READ, None).classes(), [], "elsewhere it is unknown");
    let elsewhere = server().reading(probe::DEVICE_READ, None).reading(probe::PROCESS_READ, 0.0);
    assert_eq!(elsewhere.classes(), [], "what this process reads is not what its server does");
}

#[test]
fn a_contender_without_flushes_needs_none() {
    for durability in [Durability::Unflushed, Durability::Volatile] {
        assert_eq!(synced().durable(durability).reading(probe::DEVICE_FLUSHES, 0.0).classes(), []);
    }
}

#[test]
fn a_workload_that_syncs_nothing_needs_no_flush() {
    let unsynced = Kept::new(Workload { durable: DurablePoint::None, ..workload("stat") });
    assert_eq!(unsynced.reading(probe::DEVICE_FLUSHES, 0.0).classes(), []);
}

#[test]
fn flushes_that_could_not_be_counted_prove_nothing() {
    assert_eq!(synced().reading(probe::DEVICE_FLUSHES, None).classes(), []);
}

#[test]
fn a_host_that_takes_more_than_a_fifth_of_the_time_makes_it_lane_bound() {
    let device = Some(Nanos::millis(1));
    assert_eq!(synced().lane_cost(Nanos::millis(4), device).classes(), [ValidityClass::LaneBound]);
    assert_eq!(synced().lane_cost(Nanos::millis(2), device).classes(), [], "a tenth of the time");
    assert_eq!(synced().lane_cost(Nanos::millis(4), Some(Nanos::millis(4))).classes(), [], "all of it the device's");
    let short = synced().reading(probe::DEVICE_FLUSHING, 0.011);
    assert_eq!(short.lane_cost(Nanos::millis(4), device).classes(), [], "flushes of the work took less");
}

#[test]
fn a_lane_bound_cell_keeps_its_verdict_with_the_flag_as_reason() {
    let kept = synced().lane_cost(Nanos::millis(4), None);
    let pair = &assess(&kept.0).judged.verdicts[0];
    assert_ne!(pair.verdict, Verdict::Invalid);
    assert_eq!(pair.reason(), "ext4: lane-bound; xfs: lane-bound");
}

#[test]
fn a_workload_without_flushes_is_not_lane_bound() {
    let kept = synced().durable(Durability::Unflushed).reading(probe::DEVICE_FLUSHES, 0.0);
    assert_eq!(kept.lane_cost(Nanos::millis(9), None).classes(), []);
}

/// The trial of the third round fails.
fn fail_third(trial: &mut Trial) {
    if trial.round == 3 {
        trial.outcome = Outcome::Failed("no space left".to_owned());
    }
}

#[test]
fn a_cell_with_a_failed_trial_did_not_finish_and_forbids_the_verdict() {
    let kept = cold().changed(fail_third);
    assert_eq!(kept.classes(), [ValidityClass::DidNotFinish]);
    let finding = Finding::NotFinished { rounds: 1, of: 4, first: 3, why: "no space left".to_owned() };
    assert_eq!(kept.validity()[0].finding, finding);
    let pair = &assess(&kept.0).judged.verdicts[0];
    assert_eq!((pair.verdict, pair.estimate.ratio, pair.needs.rounds), (Verdict::Invalid, None, None));
}

#[test]
fn a_cell_of_which_no_trial_finished_says_only_that() {
    let fail = |trial: &mut Trial| {
        trial.outcome = Outcome::Failed("not made".to_owned());
        trial.slices.clear();
        trial.probes.clear();
        trial.latencies.clear();
    };
    for kept in [cold(), direct(), synced()] {
        let kept = kept.changed(fail).lane_cost(Nanos::millis(1), None);
        assert_eq!(kept.classes(), [ValidityClass::DidNotFinish]);
        assert_eq!((kept.cells()[0].figure.median, kept.cells()[0].rounds), (None, 0));
    }
}

#[test]
fn the_syncs_of_a_failed_trial_are_not_held_against_the_flushes_of_the_others() {
    assert_eq!(synced().changed(fail_third).classes(), [ValidityClass::DidNotFinish]);
}

#[test]
fn a_contender_that_sends_no_flush_at_all_is_shown_apart() {
    let comparison = assess(&synced().reading(probe::DEVICE_FLUSHES, 0.0).0);
    assert_eq!(comparison.contenders[0].durability, Some(Durability::Unflushed));
    assert_eq!(comparison.contenders[1].durability, Some(Durability::Flushed));
    let pair = &comparison.judged.verdicts[0];
    assert_eq!((pair.verdict, &pair.reasons[..]), (Verdict::Invalid, &[Reason::Durability][..]));
    assert!(
        comparison.notes.iter().any(|note| note.text.contains("ext4: 400 syncs reached the device with 0 flushes"))
    );
}

#[test]
fn a_pair_of_different_durability_says_so_even_if_a_trial_failed() {
    let comparison = assess(&synced().reading(probe::DEVICE_FLUSHES, 0.0).changed(fail_third).0);
    let pair = &comparison.judged.verdicts[0];
    let failed = Reason::Validity { contender: pair.a.clone(), class: ValidityClass::DidNotFinish };
    assert_eq!(pair.reasons, [Reason::Durability, failed]);
}

#[test]
fn syncs_at_the_same_time_may_share_a_flush() {
    let mut threads = workload("create");
    threads.traits.concurrency = 4;
    let kept = |flushes: f64| Kept::new(threads.clone()).reading(probe::DEVICE_FLUSHES, flushes).classes();
    assert_eq!(kept(25.0), []);
    assert_eq!(kept(20.0), [ValidityClass::Impossible]);
}

#[test]
fn acknowledged_transactions_need_flushes_of_which_connections_share_some() {
    let kept = |flushes: f64, connections: f64| {
        let kept = synced().reading(probe::DEVICE_FLUSHES, flushes).reading(probe::COMMITS, 1000.0);
        kept.reading(probe::CONNECTIONS, connections)
    };
    // A hundred syncs by calls, plus those of the transactions.
    assert_eq!(kept(1100.0, 1.0).classes(), []);
    assert_eq!(kept(200.0, 1.0).classes(), [ValidityClass::Impossible]);
    assert_eq!(kept(200.0, 10.0).classes(), []);
    assert_eq!(kept(150.0, 10.0).classes(), [ValidityClass::Impossible]);
    let finding = Finding::TooFewFlushes { syncs: 4400.0, flushes: 600.0 };
    assert_eq!(kept(150.0, 10.0).validity()[0].finding, finding);
    assert_eq!(kept(4.0, 100.0).classes(), [], "hardly any at all: of a class of its own");
    assert_eq!(assess(&kept(4.0, 100.0).0).contenders[0].durability, Some(Durability::Unflushed));
}

/// The harness' shares in percent, and the time of an operation, of the first flag of ext4.
fn harness(kept: &Kept) -> (Option<u32>, Option<u32>, Nanos) {
    let finding = kept.validity().remove(0).finding;
    let Finding::MostlyHarness { memory, starts, each, .. } = finding else { panic!("{finding:?}") };
    let percent = |share: f64| (share * 100.0).round() as u32;
    (memory.map(percent), starts.map(percent), each)
}

#[test]
fn work_that_takes_as_long_in_memory_is_harness_bound() {
    let kept = |share| synced().baseline(BaselineKind::Memory, share);
    assert_eq!(kept(0.4).classes(), []);
    assert_eq!(kept(0.97).classes(), [ValidityClass::HarnessBound]);
    assert_eq!(harness(&kept(0.97)), (Some(97), None, Nanos::millis(10)));
    assert!(kept(0.4).cells()[0].shares.harness.is_some_and(|share| (share - 0.4).abs() < 1e-6));
    assert_eq!(kept(0.97).durable(Durability::Volatile).classes(), [], "of memory that goes without saying");
    assert_eq!(synced().cells()[0].shares.harness, None, "absent where it was not measured");
}

#[test]
fn of_what_is_not_done_in_memory_the_starts_of_programs_are_the_harness() {
    let mut script = workload("script");
    (script.traits.program, script.traits.starts) = (Some("sh".to_owned()), Some(25));
    (script.mode, script.timed_ms) = (fsarena_model::Mode::Whole, 0);
    let kept = |share| Kept::new(script.clone()).baseline(BaselineKind::Start, share);
    assert_eq!(kept(0.4).classes(), []);
    assert_eq!(kept(0.62).classes(), [ValidityClass::HarnessBound]);
    assert_eq!(harness(&kept(0.62)), (None, Some(62), Nanos::millis(10)));
}

#[test]
fn figures_as_fast_as_the_bare_device_are_device_bound_and_not_equivalent() {
    let kept = direct().reading(probe::DEVICE_READ, 0.0).baseline(BaselineKind::Device, 0.97);
    assert_eq!(kept.classes(), [ValidityClass::DeviceBound]);
    let pair = &assess(&kept.0).judged.verdicts[0];
    assert_ne!(pair.verdict, Verdict::Equivalent);
    assert!(pair.reason().contains("device-bound"), "{:?}", pair.reasons);
    assert_eq!(pair.needs.rounds, None, "more rounds would not make it a verdict");
    assert_eq!(direct().reading(probe::DEVICE_READ, 0.0).baseline(BaselineKind::Device, 0.6).classes(), []);
    assert_eq!(assess(&direct().0).judged.verdicts[0].verdict, Verdict::Equivalent, "without the baseline it is a tie");
}

#[test]
fn figures_far_beyond_the_bare_device_are_impossible() {
    assert_eq!(direct().baseline(BaselineKind::Device, 3.0).classes(), [ValidityClass::Impossible]);
    assert_eq!(direct().baseline(BaselineKind::Device, 2.0).classes(), [], "another lane may be that much slower");
    assert_eq!(direct().baseline(BaselineKind::Device, 1.3).classes(), [ValidityClass::DeviceBound]);
}

#[test]
fn full_processors_are_flagged() {
    let busy = |process: f64| {
        let mut kept = synced().reading(probe::CPU_PROCESS, process).reading(probe::CPU_KERNEL, 0.05);
        kept.0.environment.cores = Some(2);
        kept.classes()
    };
    assert_eq!(busy(1.9), [ValidityClass::CpuBound]);
    assert_eq!(busy(0.9), []);
    assert_eq!(busy(42.8), [], "of a program that is busy for longer than it times");
}

#[test]
fn figures_that_contradict_each_other_are_impossible() {
    let sized = |size: Bytes| {
        let mut data = workload("create");
        data.traits.block = Some(size);
        Kept::new(data).classes()
    };
    assert_eq!(sized(Bytes::mib(1)), []);
    assert_eq!(sized(Bytes::kib(4)), [ValidityClass::Impossible]);
}

#[test]
fn more_than_memory_can_move_is_impossible() {
    let mut kept = synced();
    kept.0.environment.memory_bandwidth = Some(50.0 * MEBIBYTE);
    assert_eq!(kept.classes(), [ValidityClass::Impossible]);
    kept.0.environment.memory_bandwidth = Some(200.0 * MEBIBYTE);
    assert_eq!(kept.classes(), []);
}

#[test]
fn direct_work_in_memory_is_not_direct() {
    let mut kept = direct().reading(probe::DEVICE_READ, None).reading(probe::DEVICE_WRITTEN, None);
    kept.0.contenders[0].says_alignment = Some(false);
    assert!(!kept.classes().contains(&ValidityClass::NotDirect), "a network file system does not say it either");
    let kept = kept.durable(Durability::Volatile);
    assert!(kept.classes().contains(&ValidityClass::NotDirect));
}

/// Round 2 of four does not count: other programs used 1.5 processors.
fn with_a_round_excluded(kept: Kept) -> Kept {
    let busy = [(probe::CPU_PROCESS, 0.0), (probe::CPU_KERNEL, 0.0), (probe::CPU_MACHINE, 1.5)];
    let mut kept = kept;
    kept.0.plan.measuring.noise = NoiseBounds::default();
    for trial in kept.0.trials.iter_mut().filter(|trial| trial.round == 2) {
        trial.probes.extend(busy.map(|(probe, value)| probe.reading(value)));
    }
    let cell = &kept.cells()[0];
    assert_eq!((cell.stability.excluded.as_slice(), cell.rounds), ([2].as_slice(), 3));
    kept
}

fn unserved_in(rounds: &[u32]) -> Kept {
    let unserved = |trial: &mut fsarena_model::Trial| {
        if rounds.contains(&trial.round) {
            trial.probes.get_mut(&probe::DEVICE_READ.key()).expect("it is there").value = Some(0.0);
        }
    };
    with_a_round_excluded(cold()).changed(unserved)
}

#[test]
fn a_round_that_does_not_count_raises_no_flag() {
    assert_eq!(unserved_in(&[2]).classes(), []);
    let fail = |trial: &mut Trial| {
        if trial.round == 2 {
            trial.outcome = Outcome::Failed("no space".to_owned());
        }
    };
    let kept = with_a_round_excluded(cold()).changed(fail);
    assert_eq!(kept.classes(), []);
    assert_eq!(assess(&kept.0).judged.verdicts.len(), 1, "the rounds that count are compared");
    assert_ne!(assess(&kept.0).judged.verdicts[0].verdict, Verdict::Invalid);
}

#[test]
fn a_round_that_counts_raises_a_flag_despite_an_excluded_one() {
    assert_eq!(unserved_in(&[3]).classes(), [ValidityClass::Cached]);
    assert_eq!(unserved_in(&[2, 3]).classes(), [ValidityClass::Cached]);
}

#[test]
fn a_baseline_is_compared_with_the_rounds_in_which_it_was_measured() {
    let share = |measured: &[u32]| {
        let mut kept = with_a_round_excluded(synced());
        for round in measured {
            kept = kept.baseline(BaselineKind::Memory, 0.3);
            let trial = &mut kept.0.baselines.last_mut().expect("just added").trial;
            trial.round = *round;
        }
        // Each round is slower than the one before, in memory, too.
        let slower = |trial: &mut Trial| {
            let factor = u64::from(trial.round);
            trial.slices.iter_mut().for_each(|slice| slice.elapsed = Nanos(slice.elapsed.0 * factor));
        };
        kept.0.baselines.iter_mut().for_each(|baseline| slower(&mut baseline.trial));
        kept.changed(slower).cells()[0].shares.harness
    };
    for measured in [&[1][..], &[4], &[1, 3, 4]] {
        let share = share(measured).expect("a round has both");
        assert!((share - 0.3).abs() < 1e-9, "{measured:?}: {share}");
    }
    assert_eq!(share(&[2]), None, "that round does not count");
}
