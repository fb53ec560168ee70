//! The store returns what was stored, also for a run that was killed, or that another process is writing.

use std::os::unix::fs::MetadataExt;
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
    let run = store.insert(&plan(), STARTED, &[]).unwrap();
    let mut expected = RunRecord::new(run, plan(), STARTED.to_owned());
    for event in events {
        expected.apply(event.clone());
        store.append(run, event).unwrap();
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
    store.append(loaded.run, &Event::Finished(Status::Complete)).unwrap();
    assert_eq!(store.load(loaded.run).unwrap().status, Status::Complete);
    let unknown = store.append(99, &Event::Resumed { at: STARTED.to_owned() });
    assert!(matches!(unknown, Err(StoreError::NoSuchRun { run: 99, .. })));
}

#[test]
fn runs_are_listed_and_numbers_are_never_used_again() {
    let place = tempdir().unwrap();
    let mut store = Store::open(&place.path().join("store.sqlite")).unwrap();
    assert_eq!((store.last().unwrap(), store.runs().unwrap()), (None, Vec::new()));
    let (first, _) = both(&mut store, &events());
    let second = store.insert(&plan(), STARTED, &[]).unwrap();
    assert!(second > first.run);
    store.append(second, &Event::Trial(Box::new(trial(1)))).unwrap();
    assert_eq!(store.last().unwrap(), Some(second));
    let row = |run, rounds| row(run, Status::Interrupted, rounds);
    assert_eq!(store.runs().unwrap(), [row(first.run, 1), row(second, 0)]);
}

fn row(run: i64, status: Status, rounds: u32) -> RunRow {
    RunRow {
        run,
        started: STARTED.to_owned(),
        status,
        suite: Some("quick".to_owned()),
        contenders: vec![Label::from("ext4"), Label::from("noatime")],
        rounds,
        tags: Vec::new(),
        is_running: false,
    }
}

#[test]
fn tags_are_events_and_a_removed_run_is_gone() {
    let place = tempdir().unwrap();
    let mut store = Store::open(&place.path().join("store.sqlite")).unwrap();
    let (first, _) = both(&mut store, &events());
    let (second, _) = both(&mut store, &events());
    let tags = [Event::Tagged, Event::Tagged, Event::Untagged, Event::Tagged];
    for (event, tag) in tags.into_iter().zip(["old", "kernel-7", "old", "kernel-7"]) {
        store.append(first.run, &event(tag.to_owned())).unwrap();
    }
    let tagged: Vec<Vec<String>> = store.runs().unwrap().into_iter().map(|row| row.tags).collect();
    assert_eq!(tagged, [vec!["kernel-7".to_owned()], Vec::new()]);
    assert_eq!(store.load(first.run).unwrap().tags, ["kernel-7"]);
    store.remove(first.run).unwrap();
    assert_eq!(store.runs().unwrap().iter().map(|row| row.run).collect::<Vec<_>>(), [second.run]);
    assert!(matches!(store.events(first.run), Err(StoreError::NoSuchRun { .. })), "its events are gone, too");
    assert!(matches!(store.remove(first.run), Err(StoreError::NoSuchRun { .. })));
    let (third, _) = both(&mut store, &events());
    assert!(third.run > second.run, "no number is used twice");
}

#[test]
fn a_value_that_json_lacks_is_nan_and_its_run_is_loaded() {
    let place = tempdir().unwrap();
    let mut store = Store::open(&place.path().join("store.sqlite")).unwrap();
    let run = store.insert(&plan(), STARTED, &[]).unwrap();
    let slices = [f64::NAN, f64::INFINITY, 0.1].map(|value| Slice { value, ..trial(1).slices[0] });
    store.append(run, &Event::Trial(Box::new(Trial { slices: slices.to_vec(), ..trial(1) }))).unwrap();
    let values: Vec<f64> = store.load(run).unwrap().trials[0].slices.iter().map(|slice| slice.value).collect();
    assert!(values[0].is_nan() && values[1].is_nan() && values[2] == 0.1, "{values:?}");
}

#[test]
fn an_event_that_cannot_be_read_is_named_and_the_other_runs_can() {
    let place = tempdir().unwrap();
    let path = place.path().join("store.sqlite");
    let mut store = Store::open(&path).unwrap();
    let [first, second] = [(); 2].map(|()| both(&mut store, &events()).0);
    let change = |event: &str, number: u64| {
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute("UPDATE event SET event = ? WHERE run = 1 AND number = ?", (event, number as i64)).unwrap();
    };
    for (event, number) in [(r#"{"unheard-of":1}"#, 3), ("rubbish", 2), (r#"{"finished":"complete"}"#, 1)] {
        change(event, number);
        let error = store.load(first.run).unwrap_err();
        assert!(matches!(error, StoreError::Unreadable { run: 1, number: found, .. } if found == number), "{error}");
        assert!(error.hint().is_some());
        change(&store.lines(second.run).unwrap()[number as usize - 1], number);
    }
    change("rubbish", 1);
    assert_eq!(store.load(second.run).unwrap(), second);
    assert_eq!(store.runs().unwrap().len(), 2);
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
        assert!(matches!(store.append(7, &event), Err(StoreError::NoSuchRun { run: 7, .. })));
    }
}

#[test]
fn only_one_process_continues_a_run() {
    let place = tempdir().unwrap();
    let path = place.path().join("store.sqlite");
    let [mut first, mut second] = [(); 2].map(|()| Store::open(&path).unwrap());
    let run = both(&mut first, &events()).0.run;
    let known = second.events(run).unwrap().len();
    let goes_on = Event::Resumed { at: STARTED.to_owned() };
    first.append_after(run, known, &goes_on).unwrap();
    let error = second.append_after(run, known, &goes_on).unwrap_err();
    assert!(matches!(error, StoreError::Continued { run: found, .. } if found == run), "{error}");
    assert!(error.hint().is_some());
    assert_eq!(second.events(run).unwrap().len(), known + 1);
    assert!(matches!(first.append_after(7, 0, &goes_on), Err(StoreError::NoSuchRun { run: 7, .. })));
}

/// All pages are in the journal of another connection, and the file itself makes no sense yet.
#[test]
fn what_another_process_is_writing_is_no_damage() {
    let place = tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let mut store = Store::open(&path("store")).unwrap();
    both(&mut store, &events());
    rusqlite::Connection::open(path("store")).unwrap().execute_batch("VACUUM").unwrap();
    let mut torn = std::fs::read(path("store")).unwrap();
    torn[100..4096].fill(0xff);
    for (name, has_journal) in [("copy", true), ("damaged", false)] {
        std::fs::write(path(name), &torn).unwrap();
        if has_journal {
            std::fs::copy(path("store-wal"), path(&format!("{name}-wal"))).unwrap();
        }
        let opened = Store::open(&path(name)).and_then(|store| store.runs());
        match has_journal {
            true => assert_eq!(opened.unwrap().len(), 1),
            false => assert!(matches!(opened, Err(StoreError::Damaged { .. })), "{opened:?}"),
        }
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
        prop_assert_eq!(&loaded, &expected);
        // The list states the same as the record.
        let is_listed = !expected.trials.is_empty() || !expected.rounds.is_empty();
        let row = is_listed.then(|| row(expected.run, expected.status, expected.rounds.len() as u32));
        prop_assert_eq!(store.runs().unwrap(), Vec::from_iter(row));
        // A whole run and its events one by one are the same, and so are their lines.
        let whole = store.insert(&plan(), STARTED, &events).unwrap();
        prop_assert_eq!(store.lines(whole).unwrap(), store.lines(expected.run).unwrap());
    }
}

/// Without it, another process takes itself for the only one, and deletes the log that this one writes to.
#[test]
fn a_store_stays_locked_while_others_are_opened_and_closed() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let mut store = Store::open(&path).unwrap();
    store.insert(&plan(), STARTED, &[]).unwrap();
    let locks = || {
        let own = format!(" {} ", std::process::id());
        let file = format!(":{} ", path.metadata().unwrap().ino());
        let locks = std::fs::read_to_string("/proc/locks").unwrap();
        locks.lines().filter(|line| line.contains(&own) && line.contains(&file)).count()
    };
    assert!(locks() > 0);
    drop(Store::open(&path).unwrap());
    drop(Store::read(&path).unwrap());
    Store::require(&path).unwrap();
    assert!(locks() > 0);
    drop(store);
    assert_eq!(locks(), 0);
}
