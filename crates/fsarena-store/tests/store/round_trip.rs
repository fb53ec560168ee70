//! The store returns what was stored, also for a run that was killed, or that another process is writing.

use std::path::Path;

use fsarena_model::event::{Note, RoundFacts};
use fsarena_model::{
    Conditions, Event, Label, Nanos, Outcome, ProbeId, Reading, Readings, RunRecord, Severity, Slice, Status, Trial,
};
use fsarena_store::{RunRow, Store, StoreError};
use proptest::prelude::*;
use tempfile::tempdir;

use crate::fixture::{STARTED, events, plan, trial};

/// Stores `events`; returns the record that the model makes of them, and the one that the store loads.
fn both(store: &mut Store, events: &[Event]) -> (RunRecord, RunRecord) {
    let run = store.begin(&plan(), STARTED).unwrap();
    let mut expected = RunRecord::new(run, plan(), STARTED.to_owned());
    for event in events {
        expected.apply(event);
        store.apply(run, event).unwrap();
    }
    (expected, store.load(run).unwrap())
}

#[test]
fn a_record_comes_back_as_the_events_made_it() {
    let place = tempdir().unwrap();
    let path = place.path().join("new/folder/store.sqlite");
    let mut complete = events();
    complete.push(Event::Finished(Status::Complete));
    let (expected, loaded) = both(&mut Store::open(&path).unwrap(), &complete);
    assert_eq!(loaded, expected);
    assert_eq!(loaded.status, Status::Complete);
    assert_eq!(Store::open(&path).unwrap().load(loaded.run).unwrap(), expected);
}

#[test]
fn a_killed_run_is_readable_and_interrupted() {
    let place = tempdir().unwrap();
    let path = place.path().join("store.sqlite");
    let mut store = Store::open(&path).unwrap();
    let (expected, _) = both(&mut store, &events());
    std::mem::forget(store);
    let loaded = Store::open(&path).unwrap().load(expected.run).unwrap();
    assert_eq!(loaded, expected);
    assert_eq!(loaded.status, Status::Interrupted);
}

#[test]
fn a_run_that_goes_on_is_interrupted_until_it_has_ended_again() {
    let place = tempdir().unwrap();
    let mut store = Store::open(&place.path().join("store.sqlite")).unwrap();
    let mut goes_on = events();
    goes_on.extend([Event::Finished(Status::Complete), Event::Resumed { at: "2026-03-02T12:00:00Z".to_owned() }]);
    goes_on.push(Event::Trial(Box::new(trial(2))));
    let (expected, loaded) = both(&mut store, &goes_on);
    assert_eq!(loaded, expected);
    assert_eq!((loaded.status, loaded.trials.len()), (Status::Interrupted, 3));
    store.apply(loaded.run, &Event::Finished(Status::Complete)).unwrap();
    assert_eq!(store.load(loaded.run).unwrap().status, Status::Complete);
    let unknown = store.apply(99, &Event::Resumed { at: STARTED.to_owned() });
    assert!(matches!(unknown, Err(StoreError::NoSuchRun { run: 99, .. })));
}

#[test]
fn runs_are_listed_and_numbers_are_never_used_again() {
    let place = tempdir().unwrap();
    let mut store = Store::open(&place.path().join("store.sqlite")).unwrap();
    assert_eq!((store.last().unwrap(), store.runs().unwrap()), (None, Vec::new()));
    let (first, _) = both(&mut store, &events());
    let second = store.begin(&plan(), STARTED).unwrap();
    assert!(second > first.run);
    store.apply(second, &Event::Trial(Box::new(trial(1)))).unwrap();
    assert_eq!(store.last().unwrap(), Some(second));
    let row = |run, rounds| RunRow {
        run,
        started: STARTED.to_owned(),
        status: Status::Interrupted,
        suite: Some("quick".to_owned()),
        contenders: vec![Label::from("ext4"), Label::from("noatime")],
        rounds,
    };
    assert_eq!(store.runs().unwrap(), [row(first.run, 1), row(second, 0)]);
}

#[test]
fn an_unknown_run_is_an_error() {
    let place = tempdir().unwrap();
    let mut store = Store::open(&place.path().join("store.sqlite")).unwrap();
    let error = store.load(7).unwrap_err();
    assert!(matches!(error, StoreError::NoSuchRun { run: 7, .. }));
    assert!(error.hint().unwrap().contains("fsarena runs"));
    let events = [Event::Trial(Box::new(trial(1))), Event::Finished(Status::Complete)];
    for event in events {
        assert!(matches!(store.apply(7, &event), Err(StoreError::NoSuchRun { run: 7, .. })));
    }
}

#[test]
fn two_stores_may_be_open_at_once() {
    let place = tempdir().unwrap();
    let path = place.path().join("store.sqlite");
    let write = |path: &Path| {
        let mut store = Store::open(path).unwrap();
        (0..20).for_each(|_| drop(both(&mut store, &events())));
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| write(&path));
        }
    });
    assert_eq!(Store::open(&path).unwrap().runs().unwrap().len(), 80);
}

fn slice() -> impl Strategy<Value = Slice> {
    (any::<u32>(), any::<u64>(), any::<u64>(), any::<u64>(), proptest::num::f64::NORMAL).prop_map(
        |(position, operations, bytes, elapsed, value)| Slice {
            position,
            operations,
            bytes,
            elapsed: Nanos(elapsed),
            value,
        },
    )
}

fn probes() -> impl Strategy<Value = Readings> {
    let id = ".*".prop_map(|name| serde_json::from_value::<ProbeId>(name.into()).expect("any text"));
    let reading = (proptest::option::of(proptest::num::f64::NORMAL), ".*");
    proptest::collection::btree_map(id, reading.prop_map(|(value, unit)| Reading { value, unit }), 0..4)
}

fn event() -> impl Strategy<Value = Event> {
    let limit = any::<u64>().prop_map(|limit| Outcome::OutOfTime(Nanos(limit)));
    let outcome = prop_oneof![Just(Outcome::Finished), ".*".prop_map(Outcome::Failed), limit];
    let slices = proptest::collection::vec(slice(), 0..5);
    let trials = (any::<u32>(), ".*", ".*", any::<Option<u32>>(), slices, probes(), outcome).prop_map(
        |(round, workload, contender, lane, slices, probes, outcome)| {
            let contender = Label(contender);
            Event::Trial(Box::new(Trial { workload, contender, lane, slices, probes, outcome, ..trial(round) }))
        },
    );
    let note = ".*".prop_map(|text| Event::Note(Note { severity: Severity::Info, text }));
    let round = (any::<u32>(), proptest::num::f64::NORMAL).prop_map(|(round, seconds)| {
        Event::RoundFinished(RoundFacts {
            round,
            seconds,
            foreign_cores: None,
            steal_cores: Some(seconds),
            lane_cost: None,
            conditions: Conditions::default(),
        })
    });
    let ends = prop_oneof![Just(Status::Complete), Just(Status::Interrupted)].prop_map(Event::Finished);
    let goes_on = ".*".prop_map(|at| Event::Resumed { at });
    prop_oneof![trials, note, round, ends, goes_on, proptest::sample::select(events())]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_events_come_back(events in proptest::collection::vec(event(), 0..12)) {
        let place = tempdir().unwrap();
        let mut store = Store::open(&place.path().join("store.sqlite")).unwrap();
        let (expected, loaded) = both(&mut store, &events);
        prop_assert_eq!(loaded, expected);
    }
}
