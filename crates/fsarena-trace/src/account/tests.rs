use fsarena_model::{Layer, Meanwhile, RequestKind};

use super::*;
use crate::division::sum;
use crate::requests::RequestChange;
use crate::threads::ThreadChange;

const WHOLE: Span = Span { start: 0, end: 1_000 };

fn nanoseconds(parts: &[TimePart], wanted: &Spent) -> f64 {
    parts.iter().filter(|part| part.spent == *wanted).map(|part| part.seconds * 1e9).sum()
}

fn switch(from: u32, sleep: Option<(Sleep, Knobs)>, to: u32) -> ThreadChange {
    ThreadChange::Switch { from, sleep, to }
}

/// A worker syncs at 100. The journal thread is woken, gets a processor at 300 since a busy thread has it, submits at
/// 400, and waits for the device until an interrupt at 700. It wakes the worker at 800, which runs from 850 on.
fn synced() -> Traced {
    let (worker, journal, busy) = (1, 2, 3);
    let commit = Some((Sleep::Waits(Wait::Commit), 0b01));
    let changes = [
        (0, ThreadChange::Runs(worker)),
        (90, ThreadChange::Woken { thread: journal, by: Some(worker) }),
        (100, switch(worker, commit, busy)),
        (300, switch(busy, None, journal)),
        (400, switch(journal, Some((Sleep::Waits(Wait::Unknown), 0)), busy)),
        (700, ThreadChange::Woken { thread: journal, by: None }),
        (700, switch(busy, None, journal)),
        (800, ThreadChange::Woken { thread: worker, by: Some(journal) }),
        (850, switch(journal, Some((Sleep::Idle, 0)), worker)),
    ];
    let request = |time, issued| RequestChange { time, sector: 0, kind: RequestKind::Write, issued };
    Traced {
        threads: Threads::follow(&changes, WHOLE.end),
        work: HashSet::from([worker]),
        names: HashMap::from([(journal, "jbd2".to_owned())]),
        samples: vec![
            ThreadSample { time: 50, thread: worker, at: Spent::User, knobs: 0 },
            ThreadSample { time: 900, thread: worker, at: Spent::Kernel(Layer::FileSystem), knobs: 0b10 },
        ],
        device: DeviceLog::follow(&[request(410, Some(4096)), request(700, None)], WHOLE.end, &[WHOLE], Some(1)),
        ..Traced::default()
    }
}

#[test]
fn a_wait_is_followed_through_the_journal_thread_to_the_device() {
    let (parts, _) = synced().parts(&[WHOLE]);
    let jbd2 = || "jbd2".to_owned();
    let waiting = |meanwhile| Spent::Waiting(Wait::Commit, meanwhile);
    for (spent, expected) in [
        (Spent::User, 125.0),
        (Spent::Kernel(Layer::FileSystem), 125.0),
        (Spent::Ready, 50.0),
        (waiting(Meanwhile::Ready(jbd2())), 200.0),
        (waiting(Meanwhile::Runs(jbd2())), 200.0),
        (waiting(Meanwhile::Device), 290.0),
        (waiting(Meanwhile::Sleeps(jbd2())), 10.0),
    ] {
        assert!((nanoseconds(&parts, &spent) - expected).abs() < 1e-6, "{spent:?}: {parts:?}");
    }
    assert!((sum(&parts) * 1e9 - 1_000.0).abs() < 1e-6);
}

#[test]
fn a_thread_that_a_timer_wakes_sleeps() {
    // The worker waits for a kernel worker, which sleeps from 300 to 700 within its work, until an interrupt.
    let (worker, reclaim) = (1, 2);
    let changes = [
        (0, ThreadChange::Runs(worker)),
        (100, switch(worker, Some((Sleep::Waits(Wait::LogSpace), 0)), reclaim)),
        (300, switch(reclaim, Some((Sleep::Waits(Wait::Unknown), 0)), 0)),
        (700, ThreadChange::Woken { thread: reclaim, by: None }),
        (700, switch(0, None, reclaim)),
        (800, ThreadChange::Woken { thread: worker, by: Some(reclaim) }),
        (800, switch(reclaim, None, worker)),
    ];
    let request = |time, issued| RequestChange { time, sector: 0, kind: RequestKind::Write, issued };
    let work = |time, name: &str| (time, name.to_owned());
    let traced = Traced {
        threads: Threads::follow(&changes, WHOLE.end),
        work: HashSet::from([worker]),
        works: HashMap::from([(reclaim, vec![work(100, "reclaim"), work(900, "later")])]),
        samples: vec![ThreadSample { time: 50, thread: worker, at: Spent::User, knobs: 0 }],
        device: DeviceLog::follow(&[request(350, Some(4096)), request(450, None)], WHOLE.end, &[WHOLE], Some(1)),
        ..Traced::default()
    };
    let (parts, _) = traced.parts(&[WHOLE]);
    let of = |meanwhile| nanoseconds(&parts, &Spent::Waiting(Wait::LogSpace, meanwhile));
    let name = || "reclaim".to_owned();
    let found = [Meanwhile::Runs(name()), Meanwhile::Sleeps(name()), Meanwhile::Device, Meanwhile::Unknown].map(of);
    for (found, expected) in found.into_iter().zip([300.0, 300.0, 100.0, 0.0]) {
        assert!((found - expected).abs() < 1e-6, "{parts:?}");
    }
}

#[test]
fn a_kernel_worker_is_named_by_what_it_works_on() {
    let work = |time, name: &str| (time, name.to_owned());
    let all =
        vec![work(310, "loop driver"), work(340, "kworker (one)"), work(705, "kworker (other)"), work(990, "later")];
    let (parts, _) = Traced { works: HashMap::from([(2, all)]), ..synced() }.parts(&[WHOLE]);
    let of = |name: &str| nanoseconds(&parts, &Spent::Waiting(Wait::Commit, Meanwhile::Runs(name.to_owned())));
    // From 300 to 400 it does one work and begins another.
    for (name, expected) in [("loop driver", 40.0), ("kworker (one)", 65.0), ("kworker (other)", 95.0)] {
        assert!((of(name) - expected).abs() < 1e-6, "{name}: {parts:?}");
    }
}

/// A worker is ready from 300 to 400 after it was idle, had slept within a work, or was preempted, and ends the wait at
/// 800.
#[test]
fn a_worker_that_is_ready_has_the_name_of_a_work_that_the_wait_is_for() {
    let unknown = Sleep::Waits(Wait::Unknown);
    let ready = |sleep: Option<Sleep>, works: &[(u64, &str)]| {
        let changes = [
            (0, ThreadChange::Runs(1)),
            (0, switch(0, None, 2)),
            (200, switch(1, Some((Sleep::Waits(Wait::Commit), 0)), 0)),
            (if sleep.is_some() { 210 } else { 300 }, switch(2, sleep.map(|sleep| (sleep, 0)), 3)),
            (300, ThreadChange::Woken { thread: 2, by: None }),
            (400, switch(3, None, 2)),
            (800, ThreadChange::Woken { thread: 1, by: Some(2) }),
            (800, switch(2, None, 1)),
        ];
        let works = works.iter().map(|(time, name)| (*time, (*name).to_owned())).collect();
        let (threads, work) = (Threads::follow(&changes, WHOLE.end), HashSet::from([1]));
        let traced = Traced { threads, work, works: HashMap::from([(2, works)]), ..Traced::default() };
        let parts = traced.parts(&[WHOLE]).0;
        let names = parts.into_iter().filter_map(|part| match part.spent {
            Spent::Waiting(_, Meanwhile::Ready(name)) => Some((name, (part.seconds * 1e9).round())),
            _ => None,
        });
        names.collect::<Vec<_>>()
    };
    let commit = [(100, "old"), (410, "commit"), (900, "later")];
    let others = [(100, "old"), (410, "free"), (500, "commit"), (900, "later")];
    for (sleep, works, expected) in [
        (Some(Sleep::Idle), &commit[..], "commit"),
        (Some(Sleep::Idle), &others[..], "kworker"),
        (Some(unknown), &others[..], "old"),
        (None, &others[..], "old"),
    ] {
        assert_eq!(ready(sleep, works), [(expected.to_owned(), 100.0)], "{sleep:?} {works:?}");
    }
}

/// Compression in workers is no lack of processors.
#[test]
fn a_worker_that_waits_for_others_of_its_kind_waits_for_what_they_do() {
    // The work waits from 100 to 900 for a worker, which is ready from 100 on. Another one runs until 500, then a program.
    let (work, worker, other, program) = (1, 2, 3, 4);
    let changes = [
        (0, ThreadChange::Runs(work)),
        (100, ThreadChange::Woken { thread: worker, by: Some(work) }),
        (100, switch(work, Some((Sleep::Waits(Wait::Writeback), 0)), other)),
        (500, switch(other, Some((Sleep::Idle, 0)), program)),
        (700, switch(program, None, worker)),
        (900, ThreadChange::Woken { thread: work, by: Some(worker) }),
        (900, switch(worker, Some((Sleep::Idle, 0)), work)),
    ];
    let compresses = |time, at| ThreadSample { time, thread: other, at, knobs: 0 };
    let work_of = |time| vec![(time, "kworker (btrfs_work_helper)".to_owned())];
    let traced = Traced {
        threads: Threads::follow(&changes, WHOLE.end),
        work: HashSet::from([work]),
        works: HashMap::from([(worker, work_of(700)), (other, work_of(100))]),
        samples: [200, 300, 400]
            .map(|time| compresses(time, Spent::Kernel(Layer::Checksum)))
            .into_iter()
            .chain([compresses(450, Spent::Kernel(Layer::FileSystem))])
            .collect(),
        ..Traced::default()
    };
    let (parts, _) = traced.parts(&[WHOLE]);
    let waiting = |of: fn(String) -> Meanwhile| {
        nanoseconds(&parts, &Spent::Waiting(Wait::Writeback, of("kworker (btrfs_work_helper)".to_owned())))
    };
    let seen = [waiting(Meanwhile::Computes), waiting(Meanwhile::Runs), waiting(Meanwhile::Ready)];
    for (seen, expected) in seen.into_iter().zip([450.0, 150.0, 200.0]) {
        assert!((seen - expected).abs() < 1e-6, "{seen} {expected}: {parts:?}");
    }
}

#[test]
fn what_recordings_lengthen_and_what_knobs_avoid_is_known() {
    let recording = |time, thread, cost| Recording { time, thread, cost };
    let flush = |time, issued| RequestChange { time, sector: 0, kind: RequestKind::Flush, issued };
    let traced = Traced {
        device: DeviceLog::follow(&[flush(450, Some(0)), flush(650, None)], WHOLE.end, &[WHOLE], Some(1)),
        // Of the worker, of the journal thread while the worker waits, of the worker as it becomes ready.
        recordings: vec![recording(50, 1, 1.0), recording(350, 2, 3.0), recording(820, 9, 1.0)],
        flush_knobs: 0b100,
        ..synced()
    };
    let (parts, avoided) = traced.parts(&[WHOLE]);
    let events = |wanted: &Spent| parts.iter().find(|part| part.spent == *wanted).expect("a part").events;
    assert_eq!(events(&Spent::Kernel(Layer::FileSystem)), 1.0);
    assert_eq!(events(&Spent::Waiting(Wait::Commit, Meanwhile::Runs("jbd2".to_owned()))), 3.0);
    assert_eq!(events(&Spent::Ready), 1.0);
    assert!((nanoseconds(&parts, &Spent::Waiting(Wait::Commit, Meanwhile::Flush)) - 200.0).abs() < 1e-6);
    let avoided = |knob| avoided[&knob].seconds * 1e9;
    // The whole commit; the sample at 900, half of the 250 ns on a processor; the flush.
    for (knob, expected) in [(0, 700.0), (1, 125.0), (2, 200.0)] {
        assert!((avoided(knob) - expected).abs() < 1e-6, "knob {knob}: {} ns", avoided(knob));
    }
}

#[test]
fn moments_are_divided_among_the_threads_that_do_not_idle() {
    // Thread 1 waits for thread 2 from 200 to 600; both run otherwise.
    let changes = [
        (0, switch(0, None, 2)),
        (0, ThreadChange::Runs(1)),
        (200, switch(1, Some((Sleep::Idle, 0)), 0)),
        (600, ThreadChange::Woken { thread: 1, by: Some(2) }),
        (600, switch(0, None, 1)),
        (1_000, switch(1, None, 0)),
        (1_000, switch(2, None, 0)),
    ];
    let traced = Traced {
        threads: Threads::follow(&changes, WHOLE.end),
        work: HashSet::from([1, 2]),
        samples: vec![
            ThreadSample { time: 100, thread: 1, at: Spent::User, knobs: 0 },
            ThreadSample { time: 300, thread: 2, at: Spent::Kernel(Layer::Block), knobs: 0 },
        ],
        ..Traced::default()
    };
    let (parts, _) = traced.parts(&[WHOLE]);
    // The sample at 100 counts half, since two threads ran.
    assert!((nanoseconds(&parts, &Spent::User) - 1_000.0 / 3.0).abs() < 1e-6, "{parts:?}");
    assert!((sum(&parts) * 1e9 - 1_000.0).abs() < 1e-6);
}

#[test]
fn requests_are_those_of_the_thread_that_waits_for_the_kernel() {
    // Thread 2 of the process of thread 1, and thread 3 of another, collect completions; thread 1 syncs.
    let collects = Some((Sleep::Completions, 0));
    let changes = [
        (0, ThreadChange::Runs(1)),
        (0, switch(2, collects, 0)),
        (0, switch(3, collects, 0)),
        (200, switch(1, Some((Sleep::Waits(Wait::Commit), 0)), 0)),
        (800, ThreadChange::Woken { thread: 1, by: None }),
        (800, switch(0, None, 1)),
    ];
    let request = |time, issued| RequestChange { time, sector: 0, kind: RequestKind::Write, issued };
    let device = || DeviceLog::follow(&[request(200, Some(512)), request(800, None)], WHOLE.end, &[WHOLE], Some(1));
    let waiting = |work: [u32; 2]| {
        let traced = Traced {
            threads: Threads::follow(&changes, WHOLE.end),
            work: HashSet::from(work),
            processes: HashMap::from([(1, 1), (2, 1), (3, 3)]),
            samples: vec![ThreadSample { time: 100, thread: 1, at: Spent::User, knobs: 0 }],
            device: device(),
            ..Traced::default()
        };
        let parts = traced.parts(&[WHOLE]).0;
        [Wait::Commit, Wait::Request].map(|wait| nanoseconds(&parts, &Spent::Waiting(wait, Meanwhile::Device)))
    };
    let [commit, request] = waiting([1, 2]);
    assert!((commit - 600.0).abs() < 1e-6 && request == 0.0, "{commit} {request}");
    let [commit, request] = waiting([1, 3]);
    assert!((commit - 300.0).abs() < 1e-6 && (request - 300.0).abs() < 1e-6, "{commit} {request}");
}

#[test]
fn completions_are_waited_for_while_there_are_requests() {
    let collects = Some((Sleep::Completions, 0));
    let changes =
        [(0, switch(1, collects, 0)), (800, ThreadChange::Woken { thread: 1, by: None }), (800, switch(0, None, 1))];
    let request = |time, issued| RequestChange { time, sector: 0, kind: RequestKind::Read, issued };
    let with = |device: DeviceLog| {
        let threads = Threads::follow(&changes, WHOLE.end);
        let (parts, _) = Traced { threads, work: HashSet::from([1]), device, ..Traced::default() }.parts(&[WHOLE]);
        let waiting = parts.iter().filter(|part| matches!(part.spent, Spent::Waiting(Wait::Request, _)));
        (waiting.map(|part| part.seconds * 1e9).sum::<f64>(), nanoseconds(&parts, &Spent::Idle))
    };
    let requests = [request(500, Some(4096)), request(790, None)];
    let (waits, idles) = with(DeviceLog::follow(&requests, WHOLE.end, &[WHOLE], Some(1)));
    assert!((waits - 290.0).abs() < 1e-6 && (idles - 510.0).abs() < 1e-6, "{waits} {idles}");
    let (waits, idles) = with(DeviceLog::follow(&[], WHOLE.end, &[WHOLE], Some(1)));
    assert!(waits == 0.0 && (idles - 800.0).abs() < 1e-6, "the device has none: {waits} {idles}");
    let (waits, idles) = with(DeviceLog::default());
    assert!((waits - 800.0).abs() < 1e-6 && idles == 0.0, "without a device of its own: {waits} {idles}");
}

#[test]
fn what_the_work_waits_for_as_a_whole_is_told_by_who_wakes_it() {
    // From 100 to 500 the work waits for a service, and from 600 to 900 for a timer.
    let idle = Some((Sleep::Idle, 0));
    let changes = [
        (0, ThreadChange::Runs(1)),
        (100, switch(1, idle, 7)),
        (500, ThreadChange::Woken { thread: 1, by: Some(7) }),
        (500, switch(7, idle, 1)),
        (600, switch(1, idle, 0)),
        (900, ThreadChange::Woken { thread: 1, by: None }),
        (900, switch(0, None, 1)),
    ];
    let names = HashMap::from([(7, "service".to_owned())]);
    let threads = Threads::follow(&changes, WHOLE.end);
    let (parts, _) = Traced { threads, work: HashSet::from([1]), names, ..Traced::default() }.parts(&[WHOLE]);
    let service = Spent::Waiting(Wait::Program, Meanwhile::Runs("service".to_owned()));
    assert!((nanoseconds(&parts, &service) - 400.0).abs() < 1e-6, "{parts:?}");
    assert!((nanoseconds(&parts, &Spent::Idle) - 300.0).abs() < 1e-6, "{parts:?}");
}

#[test]
fn a_driver_without_a_processor_delays_requests() {
    let changes = [
        (0, ThreadChange::Runs(1)),
        (100, switch(1, Some((Sleep::Waits(Wait::Request), 0)), 3)),
        (110, ThreadChange::Woken { thread: 5, by: None }),
        (400, switch(3, None, 5)),
        (450, switch(5, Some((Sleep::Idle, 0)), 3)),
        // What it does then is no request of this device.
        (600, ThreadChange::Woken { thread: 5, by: None }),
        (690, switch(3, None, 5)),
        (750, switch(5, Some((Sleep::Idle, 0)), 3)),
        (900, ThreadChange::Woken { thread: 1, by: None }),
        (900, switch(3, None, 1)),
    ];
    let request = |time, issued| RequestChange { time, sector: 0, kind: RequestKind::Read, issued };
    let traced = Traced {
        threads: Threads::follow(&changes, WHOLE.end),
        work: HashSet::from([1]),
        drivers: HashSet::from([5]),
        works: HashMap::from([(5, vec![(405, LOOP_DRIVER.to_owned()), (690, "other".to_owned())])]),
        device: DeviceLog::follow(&[request(100, Some(4096)), request(900, None)], WHOLE.end, &[WHOLE], Some(1)),
        ..Traced::default()
    };
    let (parts, _) = traced.parts(&[WHOLE]);
    let waiting = |meanwhile| Spent::Waiting(Wait::Request, meanwhile);
    assert!((nanoseconds(&parts, &waiting(Meanwhile::Ready("loop driver".to_owned()))) - 290.0).abs() < 1e-6);
    assert!((nanoseconds(&parts, &waiting(Meanwhile::Runs("loop driver".to_owned()))) - 50.0).abs() < 1e-6);
    assert!((nanoseconds(&parts, &waiting(Meanwhile::Device)) - 460.0).abs() < 1e-6);
    assert_eq!(nanoseconds(&parts, &Spent::Unknown), 200.0, "there is no sample: {parts:?}");
}

#[test]
fn many_threads_may_pass_a_lock_on() {
    // Each of a thousand threads holds it for 10 ns, and all that follow wait.
    let threads = 1..1_000;
    let lock = Some((Sleep::Waits(Wait::Lock), 0));
    let mut changes: Vec<(u64, ThreadChange)> = threads.clone().map(|thread| (0, switch(thread, lock, 0))).collect();
    for thread in threads.clone() {
        let begun = u64::from(thread) * 10;
        changes.push((begun, ThreadChange::Woken { thread, by: Some(thread - 1) }));
        changes.push((begun, switch(thread - 1, Some((Sleep::Idle, 0)), thread)));
    }
    let whole = Span { start: 0, end: 10_000 };
    let traced = Traced { threads: Threads::follow(&changes, whole.end), work: threads.collect(), ..Traced::default() };
    let (parts, _) = traced.parts(&[whole]);
    assert!((sum(&parts) * 1e9 - 10_000.0).abs() < 1e-3, "{parts:?}");
    let other = Meanwhile::Runs("a thread of the work".to_owned());
    // One of n threads runs, and the others wait for those before them; in the first 10 ns, for none.
    let running: f64 = (1..1_000).map(|threads| 10.0 / f64::from(threads)).sum();
    assert!((nanoseconds(&parts, &Spent::Waiting(Wait::Lock, other)) - (9_990.0 - running)).abs() < 1e-3);
}
