//! A stored run continues as if it had never ended, only on the same machine, and with its undecided workloads.

use fsarena_execute::{Remaining, RunError, Wish};
use fsarena_model::comparison::PairVerdict;
use fsarena_model::{Environment, Event, Rounds, RunRecord, Status, Trial};

use fsarena_fakes::{Effect, Performance, Play, World, workload};

/// Three contenders on a machine with a known version of fsarena and kernel.
fn play(noise: f64, rounds: u32) -> Play {
    let environment =
        Environment { fsarena: "0.1.0".to_owned(), kernel: Some("6.17.0".to_owned()), ..Environment::default() };
    let world = World { environment, ..World::of(&[1000.0, 1100.0, 900.0]).noisy(noise, 1) };
    let workloads = ["create", "append", "rename"].map(workload).to_vec();
    Play::new(&["ext4", "xfs", "btrfs"], world).with_workloads(workloads).with_rounds(Rounds::Exactly(rounds))
}

/// Contenders so noisy that no pair is ever decided.
fn endless(rounds: u32) -> Play {
    play(0.5, rounds)
}

fn resumed(play: &Play, record: &RunRecord, wish: Wish) -> Performance {
    play.resume(record, wish).expect("something is open")
}

/// All trials without their probe readings, whose counters start again.
fn measured(performance: &Performance) -> Vec<Trial> {
    let without = |trial: &Trial| Trial { probes: Default::default(), ..trial.clone() };
    performance.record.trials.iter().map(without).collect()
}

/// The same run, interrupted in its sixth round of eight, after one of its workloads was done.
fn broken_off(play: &Play) -> RunRecord {
    let second = play.perform().rounds()[5][1].clone();
    let world = play.world.clone().trap(Effect::Stop, 6, 1, &format!("run xfs {second}"));
    Play { world, ..play.clone() }.perform().record
}

#[test]
fn a_run_that_goes_on_is_as_if_it_had_never_ended() {
    let whole = endless(8).perform();
    let first = endless(5).perform();
    let further = resumed(&endless(5), &first.record, Wish::Rounds(3));
    assert_eq!(further.status(), Status::Complete);
    assert_eq!([first.rounds(), further.rounds()].concat(), whole.rounds(), "the same workloads in the same order");
    for entries in ["make ", "run ", "open "] {
        assert_eq!([first.entries(entries), further.entries(entries)].concat(), whole.entries(entries));
    }
    assert!(measured(&further) == measured(&whole), "the same lanes, slices and outcomes");
    let (further, whole) = (further.comparison(), whole.comparison());
    // Decision intervals are not compared: the threshold of a run planned for five rounds is stricter in added rounds.
    let figures = |pair: &PairVerdict| (pair.estimate.ratio, pair.estimate.low, pair.estimate.high, pair.rounds);
    let [further_figures, whole_figures] =
        [&further, &whole].map(|comparison| comparison.judged.verdicts.iter().map(figures).collect::<Vec<_>>());
    assert_eq!(further_figures, whole_figures);
    assert_eq!((further.run.rounds, &further.run.command), (8, &whole.run.command));
}

#[test]
fn a_resumed_run_has_a_note() {
    let first = endless(5).perform();
    let further = resumed(&endless(5), &first.record, Wish::Rounds(3));
    let words = "continued on 2026-01-02T00:00:00Z after round 5, with 3 further rounds of what is undecided";
    assert_eq!(further.notes(), [words]);
    assert_eq!(further.expected(), [8; 3]);
    let position = |wanted: fn(&Event) -> bool| further.events.iter().position(wanted).expect("known");
    assert!(
        position(|event| matches!(event, Event::Resumed { .. })) < position(|event| matches!(event, Event::Trial(_)))
    );
    assert!(!further.events.iter().any(|event| matches!(event, Event::Surveyed(_) | Event::Contender(_))));
}

#[test]
fn another_kernel_or_another_contender_is_refused_and_nothing_is_kept() {
    let first = endless(5).perform();
    let mut elsewhere = endless(5);
    elsewhere.world.environment.kernel = Some("6.18.1".to_owned());
    let mut otherwise = first.record.clone();
    otherwise.contenders[1].mount = "xfs ro".to_owned();
    let cases = [(elsewhere, &first.record, "Linux 6.17.0, this is Linux 6.18.1"), (endless(5), &otherwise, "xfs ro")];
    for (play, record, why) in cases {
        let refused = resumed(&play, record, Wish::Rounds(3));
        let Err(RunError::Unlike(text)) = &refused.result else { panic!("not refused") };
        assert!(text.contains(why), "{text}");
        assert_eq!(refused.record, *record);
    }
}

#[test]
fn another_fsarena_is_noted() {
    let first = endless(5).perform();
    let mut newer = endless(5);
    newer.world.environment.fsarena = "0.2.0".to_owned();
    let further = resumed(&newer, &first.record, Wish::Rounds(1));
    assert!(further.notes()[1].contains("fsarena 0.1.0, this is fsarena 0.2.0"), "{:?}", further.notes());
    assert_eq!(further.record.environment, first.record.environment);
}

#[test]
fn decided_workloads_are_not_run_again() {
    let mut calm = play(0.001, 5);
    calm.world.rates = vec![1000.0, 2000.0, 4000.0];
    let calm = calm.perform();
    for wish in [Wish::Usual, Wish::Rounds(3)] {
        assert_eq!(Remaining::of(calm.record.clone(), wish).expect("time"), None);
    }
    let noisy = endless(5).perform().record;
    let mut mixed = calm.record.clone();
    let replaced = noisy.trials.into_iter().filter(|trial| trial.workload == "append");
    mixed.trials.retain(|trial| trial.workload != "append");
    mixed.trials.extend(replaced);
    let further = resumed(&endless(5), &mixed, Wish::Rounds(2));
    assert_eq!(further.rounds(), [["append"], ["append"]]);
    mixed.plan.workloads.iter_mut().for_each(|workload| workload.most_rounds = Some(5));
    assert_eq!(Remaining::of(mixed, Wish::Rounds(2)).expect("time"), None, "it has all the rounds that it may have");
}

#[test]
fn the_undecided_pairs_get_the_usual_time() {
    let first = play(0.06, 5).perform();
    let rest = Remaining::of(first.record.clone(), Wish::Usual).expect("time").expect("something is open");
    assert_eq!((rest.scope.first, rest.scope.count()), (6, None));
    let further = resumed(&play(0.06, 5), &first.record, Wish::Usual);
    assert!(!further.rounds().is_empty());
}

#[test]
fn an_interrupted_plan_is_finished_and_no_round_of_a_workload_comes_twice() {
    let record = broken_off(&endless(8));
    assert_eq!((record.status, record.rounds.len()), (Status::Interrupted, 5));
    let further = resumed(&endless(8), &record, Wish::Usual);
    assert_eq!((further.status(), further.rounds().len()), (Status::Complete, 3));
    let mut seen: Vec<_> = further.record.trials.iter().map(|t| (t.round, &t.workload, &t.contender)).collect();
    let count = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), count);
    assert_eq!(further.record.rounds.last().map(|facts| facts.round), Some(9), "the sixth was broken off");
    assert_eq!(further.comparison().run.rounds, 8);
    assert!(further.comparison().judged.verdicts.iter().all(|pair| pair.rounds >= 8));
}

#[test]
fn a_run_that_was_killed_before_it_began_runs_whole() {
    let play = endless(3);
    let record = RunRecord::new(3, play.plan.clone(), "2026-01-01T00:00:00Z".to_owned());
    let further = resumed(&play, &record, Wish::Usual);
    assert!(further.record.trials == play.perform().record.trials);
    assert_eq!(further.record.environment, play.world.environment);
    assert_eq!(further.record.contenders.len(), 3);
}

#[test]
fn an_immediate_stop_leaves_the_run_as_it_was() {
    let first = endless(5).perform();
    for nth in [0, 1] {
        let world = endless(5).world.trap(Effect::Stop, 0, nth, "survey");
        let stopped = resumed(&Play { world, ..endless(5) }, &first.record, Wish::Rounds(3));
        assert_eq!((stopped.status(), &stopped.record), (Status::Interrupted, &first.record));
    }
    let world = endless(5).world.trap(Effect::Stop, 7, 1, "run xfs");
    let stopped = resumed(&Play { world, ..endless(5) }, &first.record, Wish::Rounds(3));
    assert_eq!((stopped.record.status, stopped.record.rounds.len()), (Status::Interrupted, 6));
    let looks = stopped.events.iter().filter(|event| matches!(event, Event::Decided { .. })).count();
    assert_eq!(looks, 1, "a round that was broken off decides nothing");
}
