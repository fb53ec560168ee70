//! Rounds in which the machine was busy with other things: set aside by its counters, and by nothing else.

use fsarena_model::comparison::Cell;
use fsarena_model::{Bytes, Disturbance, Nanos, Rounds, RunRecord, Trial, Verdict};
use fsarena_session::assess;

use crate::fake::{Play, World};

const BOUNDS: Disturbance = Disturbance {
    foreign_cores: 0.6,
    steal_cores: 0.15,
    most: 3,
    throttled: Some(0.01),
    swapped: Some(Bytes::mib(16)),
};

/// Two contenders in seven rounds of `create` and `append`; the fake machine shows half a core of others' work.
fn quiet() -> RunRecord {
    let play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 1050.0]).noisy(0.02, 4));
    let mut record = play.with_rounds(Rounds::Exactly(7)).perform().record;
    record.plan.disturbance = BOUNDS;
    record
}

fn trials<'a>(record: &'a mut RunRecord, workload: &str, rounds: &[u32]) -> impl Iterator<Item = &'a mut Trial> {
    let is_of = move |trial: &Trial| trial.workload == workload && rounds.contains(&trial.round);
    record.trials.iter_mut().filter(move |trial| is_of(trial))
}

/// Whoever reads the counter finds so many cores' worth.
fn set(trial: &mut Trial, probe: &str, cores: Option<f64>) {
    let seconds = trial.seconds();
    trial.probes.get_mut(probe).expect("the fake stage has it").value = cores.map(|cores| cores * seconds);
}

fn disturbed(rounds: &[u32]) -> RunRecord {
    let mut record = quiet();
    trials(&mut record, "create", rounds).for_each(|trial| set(trial, "cpu.machine", Some(1.5)));
    record
}

/// The rounds of `create` that were set aside.
fn set_aside(record: &RunRecord) -> Vec<u32> {
    let cells = assess(record).cells;
    let of = |workload: &str| cells.iter().filter(|cell| cell.workload == workload).collect::<Vec<&Cell>>();
    assert!(of("append").iter().all(|cell| cell.stability.set_aside.is_empty()));
    assert_eq!(of("create")[0].stability.set_aside, of("create")[1].stability.set_aside);
    of("create")[0].stability.set_aside.clone()
}

#[test]
fn a_set_aside_round_is_as_if_it_had_not_been_but_stays_visible() {
    let mut record = disturbed(&[2, 5]);
    trials(&mut record, "create", &[2, 5])
        .take(1)
        .for_each(|trial| trial.slices.iter_mut().for_each(|slice| slice.value *= 9.0));
    let mut without = record.clone();
    without.trials.retain(|trial| trial.workload != "create" || ![2, 5].contains(&trial.round));
    let (seen, without) = (assess(&record), assess(&without));
    assert_eq!(seen.verdicts, without.verdicts);
    assert_eq!(seen.verdicts.iter().map(|pair| pair.rounds).collect::<Vec<_>>(), [5, 7]);
    let cell = &seen.cells[0];
    assert_eq!(
        (cell.median, cell.low, cell.rounds, cell.samples),
        (without.cells[0].median, without.cells[0].low, 5, 20)
    );
    assert_eq!(cell.by_round.iter().flatten().count(), 7);
    let note = &seen.notes[0].text;
    let wanted = "set aside, for 1 of 2 workloads, in rounds 2, 5 (bounds fixed beforehand: more than 0.6 cores by other \
                  programs or 0.15 taken by the hypervisor; at most 3 rounds of a workload)";
    assert!(note.contains(wanted), "{note}");
    assert!(
        note.contains("in 7 of 7 rounds (up to 1.0 cores by other programs, 0.0 taken by the hypervisor)"),
        "{note}"
    );
}

#[test]
fn only_the_first_few_are_set_aside_so_that_each_round_is_judged_by_those_before_it() {
    let record = disturbed(&[2, 3, 5, 6, 7]);
    assert_eq!(set_aside(&record), [2, 3, 5]);
    for last in 1..=7 {
        let mut early = record.clone();
        early.trials.retain(|trial| trial.round <= last);
        let wanted: Vec<u32> = [2, 3, 5].into_iter().filter(|round| *round <= last).collect();
        assert_eq!(set_aside(&early), wanted);
    }
}

#[test]
fn what_came_out_is_not_looked_at() {
    let mut record = disturbed(&[3]);
    trials(&mut record, "create", &[4])
        .take(1)
        .for_each(|trial| trial.slices.iter_mut().for_each(|slice| slice.value *= 9.0));
    assert_eq!(set_aside(&record), [3]);
}

#[test]
fn stolen_time_disturbs_and_what_could_not_be_read_does_not() {
    let mut record = quiet();
    trials(&mut record, "create", &[1]).for_each(|trial| set(trial, "cpu.steal", Some(0.2)));
    trials(&mut record, "create", &[2]).for_each(|trial| set(trial, "cpu.machine", None));
    assert_eq!(set_aside(&record), [1]);
}

#[test]
fn contenders_are_judged_together() {
    let mut record = quiet();
    trials(&mut record, "create", &[1]).take(1).for_each(|trial| set(trial, "cpu.machine", Some(1.3)));
    assert_eq!(set_aside(&record), [1], "0.65 cores on average");
    trials(&mut record, "create", &[1]).take(1).for_each(|trial| set(trial, "cpu.machine", Some(1.1)));
    assert_eq!(set_aside(&record), [0; 0], "0.55 cores on average");
}

#[test]
fn a_few_ticks_within_a_short_time_are_no_disturbance() {
    let mut record = disturbed(&[1]);
    for trial in trials(&mut record, "create", &[1]) {
        trial.slices.iter_mut().for_each(|slice| slice.elapsed = Nanos(slice.elapsed.0 / 40));
        ["cpu.process", "cpu.kernel"].iter().for_each(|probe| set(trial, probe, Some(0.25)));
        set(trial, "cpu.machine", Some(1.5));
    }
    assert_eq!(set_aside(&record), [0; 0]);
}

#[test]
fn the_work_of_another_program_is_not_taken_for_a_disturbance() {
    let mut record = disturbed(&[1]);
    record.plan.workloads[0].engine = "fio".to_owned();
    assert_eq!(set_aside(&record), [0; 0]);
}

#[test]
fn a_plan_without_bounds_sets_nothing_aside() {
    let mut record = disturbed(&[1, 2, 3]);
    record.plan.disturbance = Disturbance::ignored();
    assert_eq!(set_aside(&record), [0; 0]);
}

#[test]
fn where_all_is_disturbed_the_first_rounds_are_set_aside_and_the_run_goes_on() {
    let mut play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 3000.0]).noisy(0.01, 1));
    play.plan.disturbance = Disturbance { foreign_cores: 0.3, ..BOUNDS };
    let performance = play.perform();
    assert_eq!((performance.rounds().len(), performance.verdicts()), (6, vec![Verdict::Slower; 2]));
    assert!(performance.comparison().verdicts.iter().all(|pair| pair.rounds == 3));
    let few = play.with_rounds(Rounds::Exactly(2)).perform();
    assert_eq!(few.rounds().len(), 5, "three that are set aside are made up for, and then all count");
    assert!(few.comparison().cells.iter().all(|cell| cell.rounds == 2), "as many as were wanted");
}

#[test]
fn a_disturbed_round_is_repeated_for_the_workloads_that_it_touched() {
    let mut play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 1050.0]).noisy(0.02, 4));
    play.plan.disturbance = Disturbance { throttled: Some(0.01), ..BOUNDS };
    play.world.throttled = vec![2];
    let performance = play.with_rounds(Rounds::Exactly(3)).perform();
    assert_eq!(performance.rounds().len(), 4);
    let comparison = performance.comparison();
    assert!(comparison.cells.iter().all(|cell| cell.stability.set_aside == [2] && cell.rounds == 3));
    let said = "round 2 of";
    assert!(comparison.notes.iter().any(|note| note.text.contains(said) && note.text.contains("quota held it back")));
}

#[test]
fn what_is_read_in_the_first_round_only_is_there_though_that_was_set_aside() {
    let mut record = disturbed(&[1]);
    let reading = fsarena_model::Reading { value: Some(250.0), unit: "flushes".to_owned() };
    trials(&mut record, "create", &[1])
        .for_each(|trial| drop(trial.probes.insert("device.preflushes".to_owned(), reading.clone())));
    assert_eq!(set_aside(&record), [1]);
    let cell = &assess(&record).cells[0];
    assert!(cell.probes["device.preflushes"].value.is_some_and(|value| value > 0.0), "{:?}", cell.probes);
}
