//! The machine's condition: runs of a workload under another load are excluded, only because of the machine's
//! counters.

use std::collections::BTreeMap;

use fsarena_analyse::{assess, busy_before, rounds_of_workload, standing};
use fsarena_model::comparison::Cell;
use fsarena_model::{
    Accelerator, AtRest, BaselineKind, Bytes, Conditions, Guest, GuestDisk, Nanos, NoiseBounds, Outcome, Probe, Rounds,
    RunRecord, Storage, Trial, Verdict, probe,
};

use fsarena_fakes::record::synced;
use fsarena_fakes::{Play, World};

const BOUNDS: NoiseBounds = NoiseBounds {
    foreign_cores: 0.6,
    steal_cores: 0.15,
    most: 1,
    disk_per_second: Some(Bytes::mib(16)),
    throttled: Some(0.01),
    swapped: Some(Bytes::mib(16)),
};

/// Two contenders in seven rounds of `create` and `append`; on the fake machine, other programs use half a core.
fn quiet() -> RunRecord {
    let play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 1050.0]).noisy(0.02, 4));
    let mut record = play.with_rounds(Rounds::Exactly(7)).perform().record;
    record.plan.measuring.noise = BOUNDS;
    record
}

fn trials<'a>(record: &'a mut RunRecord, workload: &str, rounds: &[u32]) -> impl Iterator<Item = &'a mut Trial> {
    let is_of = move |trial: &Trial| trial.workload == workload && rounds.contains(&trial.round);
    record.trials.iter_mut().filter(move |trial| is_of(trial))
}

/// Sets a probe to this many cores; `None`: the probe could not be read.
fn set(trial: &mut Trial, probe: Probe, cores: Option<f64>) {
    let seconds = trial.seconds();
    trial.probes.get_mut(&probe.key()).expect("the fake testbed has it").value = cores.map(|cores| cores * seconds);
}

fn noisy(rounds: &[u32]) -> RunRecord {
    let mut record = quiet();
    trials(&mut record, "create", rounds).for_each(|trial| set(trial, probe::CPU_MACHINE, Some(1.5)));
    record
}

/// The rounds of `create` that were excluded.
fn excluded(record: &RunRecord) -> Vec<u32> {
    let cells = assess(record).cells;
    let of = |workload: &str| cells.iter().filter(|cell| cell.workload == workload).collect::<Vec<&Cell>>();
    assert!(of("append").iter().all(|cell| cell.stability.excluded.is_empty()));
    assert_eq!(of("create")[0].stability.excluded, of("create")[1].stability.excluded);
    of("create")[0].stability.excluded.clone()
}

#[test]
fn a_set_aside_round_is_as_if_it_had_not_been_but_stays_visible() {
    let mut record = noisy(&[2, 5]);
    trials(&mut record, "create", &[2, 5])
        .take(1)
        .for_each(|trial| trial.slices.iter_mut().for_each(|slice| slice.value *= 9.0));
    let mut without = record.clone();
    without.trials.retain(|trial| trial.workload != "create" || ![2, 5].contains(&trial.round));
    let (seen, without) = (assess(&record), assess(&without));
    assert_eq!(seen.judged.verdicts, without.judged.verdicts);
    assert_eq!(seen.judged.verdicts.iter().map(|pair| pair.rounds).collect::<Vec<_>>(), [5, 7]);
    assert_eq!(rounds_of_workload(&record, &record.plan.workloads[0]), 7, "excluded ones were done all the same");
    assert_eq!([0, 1].map(|workload| standing(&record).rounds(workload)), [5, 7]);
    let cell = &seen.cells[0];
    assert_eq!(
        (cell.figure.median, cell.figure.low, cell.rounds, cell.samples),
        (without.cells[0].figure.median, without.cells[0].figure.low, 5, 20)
    );
    assert_eq!(cell.by_round.iter().flatten().count(), 7);
    let note = seen.run.condition.clone().expect("it was busy");
    let wanted = "busy with other things in rounds 2, 5 (1.0 cores used by other programs). The verdicts are of the \
                  quieter machine: they leave out 2 of 14 measurements (a workload in a round).";
    assert!(note.contains(wanted), "{note}");
}

#[test]
fn all_runs_under_load_are_excluded_where_the_machine_was_quiet_most_of_the_time() {
    assert_eq!(excluded(&noisy(&[2, 3, 5, 6, 7])), [2, 3, 5, 6, 7]);
}

#[test]
fn trials_that_failed_have_no_vote_on_the_condition() {
    let mut record = noisy(&[1, 2, 3, 4, 5, 6, 7]);
    for trial in trials(&mut record, "append", &[1, 2, 3, 4, 5, 6, 7]) {
        trial.outcome = Outcome::Failed("ended with 1".to_owned());
        trial.slices.clear();
    }
    assert_eq!(excluded(&record), [0; 0]);
    let note = assess(&record).run.condition.clone().expect("it was busy");
    assert!(note.starts_with("Measured on a busy machine"), "{note}");
    trials(&mut record, "create", &[6, 7]).for_each(|trial| set(trial, probe::CPU_MACHINE, Some(0.5)));
    let note = assess(&record).run.condition.clone().expect("it was busy");
    assert!(note.contains("They leave out 2 of 7 measurements"), "{note}");
}

#[test]
fn a_guest_is_a_condition_and_a_load_another() {
    let mut record = noisy(&[1, 2, 3, 4, 5, 6, 7]);
    record.plan.guest = Some(Guest {
        kernel: "linux-image-6.1".to_owned(),
        kernels: BTreeMap::new(),
        release: None,
        accelerator: Accelerator::Emulated,
        memory: Bytes::mib(1024),
        qemu: "7.2".to_owned(),
        disk: GuestDisk::Virtual(Storage::Memory),
        shares: Vec::new(),
    });
    let run = assess(&record).run;
    let condition = run.condition.expect("a guest");
    assert!(condition.starts_with("Measured in an emulated guest: times are "), "{condition}");
    assert!(condition.contains("may be slower there. The machine was busy "), "{condition}");
    assert_eq!(run.guest, Some(Accelerator::Emulated));
}

#[test]
fn the_figures_of_one_contender_are_not_called_verdicts() {
    let mut record = Play::new(&["ext4"], World::of(&[1000.0]).noisy(0.02, 4)).perform().record;
    record.plan.measuring.noise = BOUNDS;
    record.trials.iter_mut().for_each(|trial| set(trial, probe::CPU_MACHINE, Some(2.2)));
    let note = assess(&record).run.condition.clone().expect("it was busy");
    assert!(note.ends_with("The figures are of this condition; a quiet machine may show others."), "{note}");
}

#[test]
fn a_figure_without_a_round_that_counts_has_no_interval() {
    let record = noisy(&[1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(excluded(&record).len(), 7);
    let cell = &assess(&record).cells[0];
    assert!(cell.figure.median.is_some() && cell.figure.low.is_none() && cell.figure.high.is_none());
    assert_eq!(cell.rounds, 0);
}

/// The machine is under load in these rounds of `create` and of `append`.
fn busy(create: &[u32], append: &[u32]) -> RunRecord {
    let mut record = quiet();
    trials(&mut record, "create", create).for_each(|trial| set(trial, probe::CPU_MACHINE, Some(2.2)));
    trials(&mut record, "append", append).for_each(|trial| set(trial, probe::CPU_MACHINE, Some(2.3)));
    record
}

fn both_excluded(record: &RunRecord) -> [Vec<u32>; 2] {
    let cells = assess(record).cells;
    [0, 2].map(|cell: usize| cells[cell].stability.excluded.clone())
}

#[test]
fn where_the_machine_was_busy_most_of_the_time_that_is_its_condition() {
    let record = busy(&[1, 2, 3, 4, 5], &[1, 2, 3]);
    assert_eq!(both_excluded(&record), [vec![6, 7], vec![4, 5, 6, 7]]);
    let note = assess(&record).run.condition.clone().expect("it was busy");
    assert!(
        note.starts_with("Measured on a busy machine: 1.8 cores used by other programs most of the time"),
        "{note}"
    );
    assert!(note.contains("6 of 14 measurements (a workload in a round), in rounds 4 to 7"), "{note}");
}

#[test]
fn of_changing_loads_the_most_frequent_one_is_the_condition() {
    let mut record = quiet();
    for (round, cores) in [(3, 2.0), (4, 4.0), (5, 5.0), (6, 5.0), (7, 9.5)] {
        for workload in ["create", "append"] {
            trials(&mut record, workload, &[round]).for_each(|trial| set(trial, probe::CPU_MACHINE, Some(cores)));
        }
    }
    assert_eq!(both_excluded(&record), [[1, 2, 3, 7]; 2]);
    let note = assess(&record).run.condition.clone().expect("it was busy");
    assert!(note.contains("used by other programs more often than another load"), "{note}");
    // As many quiet ones: these count.
    trials(&mut record, "create", &[3, 4]).for_each(|trial| set(trial, probe::CPU_MACHINE, Some(1.0)));
    assert_eq!(both_excluded(&record), [vec![5, 6, 7], vec![3, 4, 5, 6, 7]]);
}

/// Rounds that are added to a run, of undecided workloads and under another load, take no verdict away.
#[test]
fn more_rounds_of_some_workloads_do_not_change_the_condition() {
    let mut record = busy(&[], &[3, 4, 5, 6, 7]);
    let mut added = record.trials.clone();
    added.retain(|trial| trial.workload == "append" && trial.round > 4);
    added.iter_mut().for_each(|trial| trial.round += 3);
    record.trials.retain(|trial| trial.workload == "append" || trial.round < 4);
    assert_eq!(both_excluded(&record), [vec![], vec![3, 4, 5, 6, 7]], "a tie is decided for the quiet machine");
    record.trials.extend(added);
    trials(&mut record, "append", &[3]).for_each(|trial| set(trial, probe::CPU_MACHINE, Some(1.0)));
    assert_eq!(both_excluded(&record), [vec![], vec![4, 5, 6, 7, 8, 9, 10]]);
}

#[test]
fn a_much_higher_load_is_another_condition_than_a_high_one() {
    let mut record = busy(&[1, 2, 3, 4, 5, 6, 7], &[1, 2, 3, 4, 5, 6, 7]);
    trials(&mut record, "create", &[4]).for_each(|trial| set(trial, probe::CPU_MACHINE, Some(5.5)));
    assert_eq!(excluded(&record), [4]);
}

#[test]
fn others_traffic_to_the_storage_beneath_is_a_load() {
    let mut record = quiet();
    let reading = |mib: f64| fsarena_model::Reading { value: Some(mib * 1024.0 * 1024.0), unit: "bytes".to_owned() };
    // MiB per second: of others and the own processes on the storage beneath, of the processes, and of the lane.
    for (round, rates) in [(3, [200.0, 0.0, 9.0]), (4, [9.0, 0.0, 0.0]), (5, [200.0, 205.0, 5.0])] {
        for trial in trials(&mut record, "create", &[round]) {
            let seconds = trial.seconds();
            let probes = [probe::DISK_OTHERS, probe::PROCESS_READ, probe::DEVICE_READ];
            trial.probes.extend(probes.iter().zip(rates).map(|(probe, rate)| (probe.key(), reading(rate * seconds))));
        }
    }
    assert_eq!(excluded(&record), [3]);
    let note = assess(&record).run.condition.clone().expect("it was busy");
    assert!(note.contains("200 MiB/s of other programs' disk traffic"), "{note}");
}

#[test]
fn results_do_not_decide_which_rounds_are_excluded() {
    let mut record = noisy(&[3]);
    trials(&mut record, "create", &[4])
        .take(1)
        .for_each(|trial| trial.slices.iter_mut().for_each(|slice| slice.value *= 9.0));
    assert_eq!(excluded(&record), [3]);
}

#[test]
fn stolen_time_disturbs_and_what_could_not_be_read_does_not() {
    let mut record = quiet();
    trials(&mut record, "create", &[1]).for_each(|trial| set(trial, probe::CPU_STEAL, Some(0.2)));
    trials(&mut record, "create", &[2]).for_each(|trial| set(trial, probe::CPU_MACHINE, None));
    assert_eq!(excluded(&record), [1]);
}

#[test]
fn contenders_are_judged_together() {
    let mut record = quiet();
    trials(&mut record, "create", &[1]).take(1).for_each(|trial| set(trial, probe::CPU_MACHINE, Some(1.3)));
    assert_eq!(excluded(&record), [1], "0.65 cores on average");
    trials(&mut record, "create", &[1]).take(1).for_each(|trial| set(trial, probe::CPU_MACHINE, Some(1.1)));
    assert_eq!(excluded(&record), [0; 0], "0.55 cores on average");
}

#[test]
fn a_few_ticks_within_a_short_time_are_no_disturbance() {
    let mut record = noisy(&[1]);
    for trial in trials(&mut record, "create", &[1]) {
        trial.slices.iter_mut().for_each(|slice| slice.elapsed = Nanos(slice.elapsed.0 / 40));
        [probe::CPU_PROCESS, probe::CPU_KERNEL].into_iter().for_each(|probe| set(trial, probe, Some(0.25)));
        set(trial, probe::CPU_MACHINE, Some(1.5));
    }
    assert_eq!(excluded(&record), [0; 0]);
}

#[test]
fn a_round_under_load_does_not_count_for_the_work_of_another_program_either() {
    let mut record = noisy(&[1]);
    record.plan.workloads[0].traits.program = Some("fio".to_owned());
    assert_eq!(excluded(&record), [1]);
    let note = assess(&record).run.condition.expect("it was busy");
    assert!(note.contains("busy with other things in round 1 (1.0 cores used by other programs)"), "{note}");
    trials(&mut record, "create", &[1]).for_each(|trial| set(trial, probe::CPU_PROCESS, None));
    assert_eq!(assess(&record).run.condition, None, "what the run used is not known");
}

#[test]
fn a_load_is_a_rate_over_the_time_in_which_it_was_counted() {
    let mut record = noisy(&[1]);
    for trial in trials(&mut record, "create", &[1]) {
        let counted = 2.0 * trial.seconds();
        trial.probes.extend([probe::TIME_COUNTED.reading(counted)]);
    }
    assert_eq!(excluded(&record), [0; 0], "one core for half of the time");
}

#[test]
fn a_plan_without_bounds_excludes_nothing() {
    let mut record = noisy(&[1, 2, 3]);
    record.plan.measuring.noise = NoiseBounds::ignored();
    assert_eq!(excluded(&record), [0; 0]);
}

#[test]
fn where_all_is_under_load_all_counts() {
    let mut play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 3000.0]).noisy(0.01, 1));
    play.plan.measuring.noise = NoiseBounds { foreign_cores: 0.3, ..BOUNDS };
    let performance = play.perform();
    assert_eq!(performance.verdicts(), vec![Verdict::Slower; 2]);
    let rounds = performance.rounds().len() as u32;
    assert!(performance.comparison().judged.verdicts.iter().all(|pair| pair.rounds == rounds));
    let few = play.with_rounds(Rounds::Exactly(2)).perform();
    assert_eq!(few.rounds().len(), 2, "as many as were wanted");
    assert!(few.comparison().cells.iter().all(|cell| cell.rounds == 2));
}

#[test]
fn a_round_that_was_held_back_does_not_count_unless_most_were() {
    let mut play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 1050.0]).noisy(0.02, 4));
    play.plan.measuring.noise = NoiseBounds { throttled: Some(0.01), ..BOUNDS };
    play.world.throttled = vec![2];
    let performance = play.with_rounds(Rounds::Exactly(3)).perform();
    assert_eq!(performance.rounds().len(), 3);
    let comparison = performance.comparison();
    assert!(comparison.cells.iter().all(|cell| cell.stability.excluded == [2] && cell.rounds == 2));
    let round = "round 2 of";
    assert!(comparison.notes.iter().any(|note| note.text.contains(round) && note.text.contains("quota held it back")));
}

#[test]
fn counters_of_the_first_round_are_kept_if_that_round_is_excluded() {
    let mut record = noisy(&[1]);
    let reading = fsarena_model::Reading { value: Some(250.0), unit: "flushes".to_owned() };
    trials(&mut record, "create", &[1])
        .for_each(|trial| drop(trial.probes.insert(probe::DEVICE_PREFLUSHES.key(), reading.clone())));
    assert_eq!(excluded(&record), [1]);
    let cell = &assess(&record).cells[0];
    assert!(cell.probes[&probe::DEVICE_PREFLUSHES.key()].value.is_some_and(|value| value > 0.0), "{:?}", cell.probes);
}

#[test]
fn where_only_rounds_with_the_same_lanes_count_nothing_is_decided() {
    let play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 3000.0]).noisy(0.02, 4));
    let mut record = play.with_rounds(Rounds::Exactly(8)).perform().record;
    record.plan.measuring.noise = BOUNDS;
    assert_eq!(assess(&record).judged.verdicts[0].verdict, Verdict::Slower);
    let is_on_first =
        |trial: &&Trial| trial.contender.0 == "ext4" && trial.workload == "create" && trial.lane == Some(0);
    let rounds: Vec<u32> = record.trials.iter().filter(is_on_first).map(|trial| trial.round).collect();
    assert_eq!(rounds.len(), 4, "half of the rounds");
    trials(&mut record, "create", &rounds).for_each(|trial| set(trial, probe::CPU_MACHINE, Some(2.5)));
    assert_eq!(excluded(&record), rounds);
    let pair = &assess(&record).judged.verdicts[0];
    assert_eq!((pair.verdict, pair.rounds), (Verdict::Undecided, 4));
    assert_eq!(pair.leaning, Some(Verdict::Slower));
}

#[test]
fn half_of_the_measurements_under_load_are_not_most() {
    let all: Vec<u32> = (1..=7).collect();
    assert_eq!(both_excluded(&busy(&all, &[])), [all.clone(), vec![]]);
    assert_eq!(both_excluded(&busy(&all, &[1])), [vec![], (2..=7).collect()]);
}

#[test]
fn each_kind_of_load_has_its_bound_and_its_words() {
    let at_rest = |foreign, steal, disk: f64| {
        let disk = disk * 1024.0 * 1024.0;
        AtRest { foreign_cores: Some(foreign), steal_cores: Some(steal), disk_per_second: Some(disk) }
    };
    let before = |at_rest: AtRest| busy_before(&at_rest, &BOUNDS);
    assert_eq!(before(at_rest(0.6, 0.15, 16.0)), None);
    let busy = |words: &str| Some(format!("this machine is busy: {words}"));
    assert_eq!(before(at_rest(0.7, 0.0, 0.0)), busy("0.7 cores used by other programs"));
    assert_eq!(before(at_rest(0.0, 0.2, 0.0)), busy("0.2 cores taken by the hypervisor"));
    assert_eq!(before(at_rest(0.0, 0.0, 17.0)), busy("17.0 MiB/s of other programs' disk traffic"));
    let all = "0.7 cores used by other programs, 0.2 cores taken by the hypervisor, 17.0 MiB/s of other programs' disk \
               traffic";
    assert_eq!(before(at_rest(0.7, 0.2, 17.0)), busy(all));
    assert_eq!(before(AtRest { foreign_cores: None, steal_cores: None, disk_per_second: None }), None);
    let unbounded = NoiseBounds { disk_per_second: None, ..BOUNDS };
    assert_eq!(busy_before(&at_rest(0.0, 0.0, 1e6), &unbounded), None);
}

#[test]
fn a_quota_heat_and_swapping_hold_a_round_back_beyond_their_bounds() {
    let held = |conditions: Conditions| {
        let mut record = quiet();
        record.rounds[2].seconds = 10.0;
        record.rounds[2].conditions = conditions;
        let excluded = both_excluded(&record);
        assert_eq!(excluded[0], excluded[1], "a round is held back with all its workloads");
        let notes = assess(&record).notes.into_iter().map(|note| note.text);
        let notes: Vec<String> = notes.filter(|text| text.contains("round 3 of 10 s")).collect();
        assert_eq!(notes.is_empty(), excluded[0].is_empty(), "{notes:?}");
        notes.into_iter().next()
    };
    let none = Conditions::default();
    assert_eq!(held(Conditions { quota_throttled: Some(0.1), ..none.clone() }), None);
    let note = held(Conditions { quota_throttled: Some(0.2), ..none.clone() });
    assert_eq!(note.as_deref(), Some("round 3 of 10 s: a processor quota held it back for 0.2 s; excluded"));
    assert_eq!(held(Conditions { thermal_throttled: Some(0.0), ..none.clone() }), None);
    let note = held(Conditions { thermal_throttled: Some(2.0), ..none.clone() });
    let heat = "round 3 of 10 s: processors were slowed down for their temperature 2 times; excluded";
    assert_eq!(note.as_deref(), Some(heat));
    assert_eq!(held(Conditions { swapped: Some(Bytes::mib(16)), ..none.clone() }), None);
    let note = held(Conditions { quota_throttled: Some(0.0), swapped: Some(Bytes::mib(17)), ..none });
    assert_eq!(note.as_deref(), Some("round 3 of 10 s: 17.0 MiB were swapped; excluded"));
}

#[test]
fn what_most_rounds_suffer_counts() {
    let excluded_of = |held: &[usize]| {
        let mut record = quiet();
        record.trials.retain(|trial| trial.round <= 6);
        held.iter().for_each(|index| record.rounds[*index].conditions.thermal_throttled = Some(1.0));
        let counts =
            assess(&record).notes.iter().filter(|note| note.text.contains("most rounds were like that")).count();
        (both_excluded(&record)[0].clone(), counts)
    };
    assert_eq!(excluded_of(&[0, 1, 2]), (vec![1, 2, 3], 0), "half of them");
    assert_eq!(excluded_of(&[0, 1, 2, 3]), (vec![], 4));
}

#[test]
fn a_condition_that_nothing_differs_from_leaves_nothing_out() {
    let all: Vec<u32> = (1..=7).collect();
    let condition = assess(&busy(&all, &all)).run.condition.expect("it was busy");
    assert!(condition.ends_with("a quiet machine may rank otherwise."), "{condition}");
    assert_eq!(assess(&quiet()).run.condition, None);
}

#[test]
fn a_machine_whose_own_speed_varies_is_named() {
    let sentence = |slower: &[f64]| {
        let mut kept = synced();
        for (round, slower) in (1..).zip(slower) {
            kept = kept.baseline(BaselineKind::Memory, 0.3 * slower);
            kept.0.baselines.last_mut().expect("just added").trial.round = round;
        }
        assess(&kept.0).run.condition
    };
    let varied = sentence(&[1.0, 1.5, 1.2]).expect("it varied");
    assert!(varied.contains("own speed varied: the same work in memory took 1.5 times as long"), "{varied}");
    assert_eq!(sentence(&[1.0, 1.2, 1.1]), None);
    assert_eq!(sentence(&[1.0, 1.5]), None, "two rounds are too few");
}
