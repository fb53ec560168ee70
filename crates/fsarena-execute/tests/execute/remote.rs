//! Runs on testbeds that answer calls.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use fsarena_analyse::assess;
use fsarena_engine::Engines;
use fsarena_execute::remote::Machines;
use fsarena_execute::{Remaining, run};
use fsarena_model::{Mode, Plan, Rounds, RunRecord, Verdict, Workload};

use fsarena_fakes::{Backstage, Collector, Effect, FakeClock, FakeTestbed, Play, Trap, Wire, World, workload};

fn trap(entry: &str, effect: Effect) -> Trap {
    Trap { round: 2, entry: entry.to_owned(), nth: 1, effect }
}

/// Noise, a contender that cannot be remounted, damage, and failures of many kinds of calls.
fn eventful() -> Play {
    let mut world = World::of(&[1000.0, 800.0, 500.0]);
    (world.round_noise, world.operation_noise) = (0.05, 0.1);
    (world.stuck, world.damage) = (vec![1], vec![(2, 1)]);
    let fails = ["reset xfs create", "sync btrfs", "open ext4 append", "finish ext4"];
    world.traps = fails.iter().map(|entry| trap(entry, Effect::Fail)).collect();
    let whole = Workload { mode: Mode::Whole, ..workload("append") };
    let limited = Workload { memory_limit: Some(fsarena_model::Bytes::mib(8)), ..workload("read") };
    let play = Play::new(&["ext4", "xfs", "btrfs"], world).with_rounds(Rounds::Exactly(3));
    play.with_workloads(vec![workload("create"), whole, limited])
}

#[test]
fn calls_do_what_the_testbed_does() {
    let play = eventful();
    let (here, there) = (play.perform(), play.perform_by_calls());
    assert_eq!(there.journal, here.journal);
    assert_eq!((there.events, there.times), (here.events, here.times));
}

#[test]
fn a_stop_ends_calls_as_well() {
    let mut play = eventful();
    play.world.traps.push(trap("run xfs create", Effect::Stop));
    let (here, there) = (play.perform(), play.perform_by_calls());
    assert_eq!((there.status(), there.journal), (here.status(), here.journal));
}

#[test]
fn contenders_on_several_machines_interleave_and_are_told_apart() {
    let plan = Play::new(&["ext4", "new=ext4"], World::of(&[])).with_rounds(Rounds::Exactly(6)).plan;
    let clock = FakeClock::default();
    let machine = |contender: usize, rate: f64| {
        let contenders = vec![plan.contenders[contender].clone()];
        let labels = vec![contenders[0].label.to_string(), "memory".to_owned()];
        let stage = Rc::new(Backstage::new(World::of(&[rate]), labels, clock.clone()));
        let wire = Wire::to(FakeTestbed::new(Rc::clone(&stage)));
        (stage, (wire, Plan { contenders, ..plan.clone() }))
    };
    let ((old, (first, its)), (new, (second, other))) = (machine(0, 1000.0), machine(1, 700.0));
    let both = vec![(first, &its), (second, &other)];
    let mut machines = Machines::new(&plan, both, Engines(&[]), Vec::new(), Rc::new(clock.clone()));
    let mut listener = Collector::new(clock.clone(), usize::MAX);
    run(
        Remaining::whole(RunRecord::new(3, plan.clone(), String::new())),
        &mut machines,
        &clock,
        &AtomicBool::new(false),
        &mut listener,
    )
    .expect("it ends well");
    let mut record = RunRecord::new(1, plan.clone(), String::new());
    listener.events.into_iter().for_each(|event| record.apply(event));
    let comparison = assess(&record);
    assert!(
        comparison.judged.verdicts.iter().all(|pair| pair.verdict == Verdict::Faster),
        "{:?}",
        comparison.judged.verdicts
    );
    for (stage, own, other) in [(old, "ext4", "new"), (new, "new", "ext4")] {
        let journal = stage.journal();
        assert!(journal.iter().any(|entry| entry.starts_with(&format!("run {own} create"))), "{journal:?}");
        assert!(!journal.iter().any(|entry| entry.contains(&format!(" {other} "))), "{journal:?}");
        assert!(journal.iter().all(|entry| !entry.starts_with("make") || entry.ends_with("lane 0")), "{journal:?}");
    }
    let positions = |label: &str| {
        let trials = record.trials.iter().filter(move |trial| trial.round == 1 && trial.contender.0 == label);
        trials.flat_map(|trial| trial.slices.iter().map(|slice| slice.position)).collect::<Vec<_>>()
    };
    assert!(positions("ext4").iter().any(|slice| positions("new").contains(&(slice + 1))), "slices do not interleave");
}
