//! What a cell's figures can be trusted for, from readings written by hand.

use fsarena_model::{CacheState, Durability, DurablePoint, Nanos, Outcome, Promise, ValidityClass, Verdict, Workload};
use fsarena_session::assess;

use crate::fake::workload;
use crate::record::{Kept, MEBIBYTE};

fn cold() -> Kept {
    Kept::new(Workload { cache: CacheState::Cold, durable: DurablePoint::None, ..workload("read") })
}

fn direct() -> Kept {
    Kept::new(Workload { cache: CacheState::Direct, durable: DurablePoint::None, ..workload("direct") })
}

fn synced() -> Kept {
    Kept::new(workload("create"))
}

#[test]
fn a_cell_that_the_device_served_is_valid() {
    for kept in [cold(), synced()] {
        assert!(kept.cells().iter().all(|cell| cell.validity.is_empty()), "{:?}", kept.validity());
    }
    assert_eq!(direct().reading("device.written", 0.0).classes(), []);
}

#[test]
fn a_cold_read_that_the_device_did_not_serve_is_cached() {
    let kept = cold().reading("device.read", 50.0 * MEBIBYTE);
    assert_eq!(kept.classes(), [ValidityClass::Cached]);
    let text = &kept.validity()[0].text;
    assert!(text.contains("50 % of the 100 MiB"), "{text}");
    assert_eq!(kept.cells()[1].validity, [], "the other is not touched");
}

#[test]
fn a_cold_read_served_by_nine_tenths_is_not_cached() {
    assert_eq!(cold().reading("device.read", 91.0 * MEBIBYTE).classes(), []);
    assert_eq!(cold().reading("device.read", 89.0 * MEBIBYTE).classes(), [ValidityClass::Cached]);
}

#[test]
fn nothing_is_called_cached_where_no_probe_could_look() {
    assert_eq!(cold().without("device.read").classes(), []);
    assert_eq!(cold().reading("device.read", None).classes(), []);
    let once = |trial: &mut fsarena_model::Trial| {
        if trial.round == 2 {
            trial.probes.remove("device.read");
        } else {
            trial.probes.get_mut("device.read").expect("it is there").value = Some(0.0);
        }
    };
    let kept = cold().changed(once);
    assert_eq!(kept.classes(), [ValidityClass::Cached], "a round that could not be read does not hide the others");
    let one = |trial: &mut fsarena_model::Trial| {
        if trial.round == 2 {
            trial.probes.get_mut("device.read").expect("it is there").value = Some(0.0);
        }
    };
    assert_eq!(cold().changed(one).classes(), [ValidityClass::Cached], "one cached round is enough");
}

#[test]
fn without_a_device_the_accounts_of_the_process_tell() {
    let kept = cold().reading("device.read", None).reading("process.read", 10.0 * MEBIBYTE);
    assert_eq!(kept.classes(), [ValidityClass::Cached]);
    let kept = cold().reading("device.read", None).reading("process.read", 100.0 * MEBIBYTE);
    assert_eq!(kept.classes(), []);
}

#[test]
fn a_warm_read_is_not_called_cached() {
    let warm = Kept::new(Workload { durable: DurablePoint::None, ..workload("stat") });
    assert_eq!(warm.reading("device.read", 0.0).classes(), []);
}

#[test]
fn compressed_data_may_be_fewer_on_the_device() {
    assert_eq!(cold().promising(Promise::Compression).reading("device.read", 30.0 * MEBIBYTE).classes(), []);
}

#[test]
fn a_direct_workload_that_reached_no_device_is_cached() {
    let kept = direct().reading("device.read", 0.0).reading("device.written", 0.0);
    assert_eq!(kept.classes(), [ValidityClass::Cached]);
}

#[test]
fn direct_writes_that_dirtied_pages_are_not_direct() {
    let pages = 100.0 * MEBIBYTE / 4096.0;
    assert_eq!(direct().reading("pages.dirtied", pages).classes(), [ValidityClass::NotDirect]);
    assert_eq!(direct().reading("pages.dirtied", pages / 10.0).classes(), []);
}

#[test]
fn nothing_is_called_not_direct_where_no_probe_could_look() {
    let kept = direct().reading("pages.dirtied", None).reading("machine.dirtied", None).reading("pages.cached", None);
    assert_eq!(kept.classes(), []);
}

#[test]
fn buffered_writes_may_dirty_pages() {
    assert_eq!(synced().reading("pages.dirtied", 1e6).reading("machine.dirtied", 1e6).classes(), []);
}

#[test]
fn syncs_without_flushes_are_impossible_and_forbid_the_verdict() {
    let kept = synced().reading("device.flushes", 0.0);
    assert_eq!(kept.classes(), [ValidityClass::Impossible]);
    let pair = &assess(&kept.0).verdicts[0];
    assert_eq!((pair.verdict, pair.reason.as_str()), (Verdict::Invalid, "ext4: impossible"));
    assert_eq!(synced().reading("device.flushes", 95.0).classes(), [], "counters may lag a little");
}

#[test]
fn a_contender_that_promises_no_flush_needs_none() {
    for durability in [Durability::Unflushed, Durability::Volatile] {
        assert_eq!(synced().durable(durability).reading("device.flushes", 0.0).classes(), []);
    }
}

#[test]
fn a_workload_that_syncs_nothing_needs_no_flush() {
    let unsynced = Kept::new(Workload { durable: DurablePoint::None, ..workload("stat") });
    assert_eq!(unsynced.reading("device.flushes", 0.0).classes(), []);
}

#[test]
fn flushes_that_could_not_be_counted_prove_nothing() {
    assert_eq!(synced().reading("device.flushes", None).classes(), []);
}

#[test]
fn a_host_that_takes_more_than_a_fifth_of_the_time_makes_it_lane_bound() {
    let device = Some(Nanos::millis(1));
    assert_eq!(synced().lane_cost(Nanos::millis(4), device).classes(), [ValidityClass::LaneBound]);
    assert_eq!(synced().lane_cost(Nanos::millis(2), device).classes(), [], "a tenth of the time");
    assert_eq!(synced().lane_cost(Nanos::millis(4), Some(Nanos::millis(4))).classes(), [], "all of it the device's");
}

#[test]
fn a_lane_bound_cell_keeps_its_verdict_with_the_sentence_beside_it() {
    let kept = synced().lane_cost(Nanos::millis(4), None);
    let pair = &assess(&kept.0).verdicts[0];
    assert_ne!(pair.verdict, Verdict::Invalid);
    assert!(pair.reason.contains("ext4: lane-bound") && pair.reason.contains("xfs: lane-bound"), "{}", pair.reason);
}

#[test]
fn a_workload_without_flushes_is_not_lane_bound() {
    let kept = synced().durable(Durability::Unflushed).reading("device.flushes", 0.0);
    assert_eq!(kept.lane_cost(Nanos::millis(9), None).classes(), []);
}

#[test]
fn a_cell_with_a_failed_trial_did_not_finish_and_forbids_the_verdict() {
    let fail = |trial: &mut fsarena_model::Trial| {
        if trial.round == 3 {
            trial.outcome = Outcome::Failed("no space left".to_owned());
        }
    };
    let kept = cold().changed(fail);
    assert_eq!(kept.classes(), [ValidityClass::DidNotFinish]);
    let text = &kept.validity()[0].text;
    assert!(text.contains("1 of 4 rounds") && text.contains("round 3: no space left"), "{text}");
    let pair = &assess(&kept.0).verdicts[0];
    assert_eq!((pair.verdict, pair.ratio, pair.needs_rounds), (Verdict::Invalid, None, None));
}

#[test]
fn a_cell_of_which_no_trial_finished_says_only_that() {
    let fail = |trial: &mut fsarena_model::Trial| {
        trial.outcome = Outcome::Failed("not made".to_owned());
        trial.slices.clear();
        trial.probes.clear();
        trial.latencies.clear();
    };
    for kept in [cold(), direct(), synced()] {
        let kept = kept.changed(fail).lane_cost(Nanos::millis(1), None);
        assert_eq!(kept.classes(), [ValidityClass::DidNotFinish]);
        assert_eq!((kept.cells()[0].median, kept.cells()[0].rounds), (None, 0));
    }
}

#[test]
fn the_syncs_of_a_failed_trial_are_not_held_against_the_flushes_of_the_others() {
    let fail = |trial: &mut fsarena_model::Trial| {
        if trial.round == 3 {
            trial.outcome = Outcome::Failed("no space left".to_owned());
        }
    };
    assert_eq!(synced().changed(fail).classes(), [ValidityClass::DidNotFinish]);
}
