//! Baselines and the three clocks: measured as often as the plan says, without effect on verdicts.

use fsarena_analyse::assess;
use fsarena_model::comparison::BaselineRow;
use fsarena_model::event::RoundFacts;
use fsarena_model::{
    BaselineKind, Better, CacheState, Conditions, Event, Finding, LaneCost, Measure, Nanos, NoiseBounds, Often,
    Outcome, Probe, Rounds, Verdict, probe,
};

use fsarena_fakes::record::{Kept, synced};
use fsarena_fakes::{Performance, Play, World, workload};

fn performed(baselines: Often, memory: Option<f64>) -> Performance {
    let world = World { baseline: memory.map(|rate| (BaselineKind::Memory, rate)), ..World::of(&[1000.0, 2000.0]) };
    let mut play = Play::new(&["ext4", "xfs"], world).with_rounds(Rounds::Exactly(5));
    play.plan.measuring.baselines = baselines;
    play.perform()
}

fn baselines(performance: &Performance) -> Vec<(u32, String)> {
    let baseline = |event: &Event| match event {
        Event::Baseline(baseline) => Some((baseline.trial.round, baseline.trial.workload.clone())),
        _ => None,
    };
    performance.events.iter().filter_map(baseline).collect()
}

#[test]
fn references_are_measured_once_or_always_or_never() {
    assert_eq!(baselines(&performed(Often::Never, Some(1e4))).len(), 0);
    let once = baselines(&performed(Often::Once, Some(1e4)));
    assert!(once.len() == 6 && once.iter().all(|(round, _)| *round <= 3), "{once:?}");
    assert_eq!(baselines(&performed(Often::Always, Some(1e4))).len(), 10);
    assert_eq!(baselines(&performed(Often::Always, None)).len(), 0, "a machine without the place has none");
}

#[test]
fn a_reference_says_how_much_of_a_cell_is_harness() {
    let comparison = performed(Often::Always, Some(4000.0)).comparison();
    let shares: Vec<f64> = comparison.cells.iter().filter_map(|cell| cell.shares.harness).collect();
    assert_eq!(shares.len(), 4);
    assert!((shares[0] - 0.25).abs() < 0.02 && (shares[1] - 0.5).abs() < 0.02, "{shares:?}");
    let rows: Vec<&BaselineRow> = comparison.baselines.iter().collect();
    assert!(
        rows.iter().all(|row| row.kind == BaselineKind::Memory && row.rounds == 5 && row.unit == "op/s"),
        "{rows:?}"
    );
    assert!(rows[0].median.is_some_and(|median| (median / 4000.0 - 1.0).abs() < 0.05));
}

#[test]
fn a_device_bound_tie_is_shown_live_as_in_the_report() {
    let decided_and_tied = |baseline: f64| {
        let world = World { baseline: Some((BaselineKind::Device, baseline)), ..World::of(&[1000.0, 1000.0]) };
        let mut play = Play::new(&["ext4", "xfs"], world).with_rounds(Rounds::Exactly(6));
        play.plan.measuring.baselines = Often::Once;
        play.plan.workloads.iter_mut().for_each(|workload| workload.cache = CacheState::Direct);
        let performance = play.perform();
        let decided = |event: &Event| match event {
            Event::Decided { decided, .. } => Some(*decided as usize),
            _ => None,
        };
        let live = performance.events.iter().filter_map(decided).next_back().expect("after each round");
        let verdicts = performance.verdicts();
        (live, verdicts.iter().filter(|verdict| **verdict == Verdict::Equivalent).count())
    };
    assert_eq!(decided_and_tied(2000.0), (2, 2));
    assert_eq!(decided_and_tied(1010.0), (0, 0));
}

#[test]
fn baselines_change_no_figure() {
    let (with, without) = (performed(Often::Always, Some(4000.0)), performed(Often::Never, None));
    let figures = |performance: &Performance| {
        let slices = performance.record.trials.iter().flat_map(|trial| &trial.slices);
        slices.map(|slice| slice.value).collect::<Vec<f64>>()
    };
    assert!(figures(&with).len() > 4);
    assert_eq!(figures(&with), figures(&without));
    assert_eq!(with.verdicts(), without.verdicts());
}

#[test]
fn the_three_clocks_follow_each_other_and_count_what_was_left_for_later() {
    let comparison = performed(Often::Once, None).comparison();
    let clock = |probe: Probe| comparison.cells[0].probe(probe).expect("read in the first round");
    // A slice of 100 ms has a hundred operations of 1 ms. The sync takes 4 ms, and coming to rest takes 6 ms, of which
    // 1 ms is the minimum if there is nothing to write.
    assert!((clock(probe::CLOCK_RETURNED) - 1e-3).abs() < 2e-5);
    assert!((clock(probe::CLOCK_DURABLE) - clock(probe::CLOCK_RETURNED) - 4e-5).abs() < 1e-6);
    assert!((clock(probe::CLOCK_QUIESCENT) - clock(probe::CLOCK_DURABLE) - 5e-5).abs() < 1e-6);
    assert!(clock(probe::SPACE_QUIESCENT) > 0.0 && clock(probe::SPACE_USED) == clock(probe::SPACE_QUIESCENT));
    let never = performed(Often::Never, None).comparison();
    assert!(never.cells.iter().all(|cell| !cell.probes.contains_key(&probe::CLOCK_QUIESCENT.key())));
}

/// The harness' share of `ext4`, if the same work in memory takes 0.3 of the time and its trial is changed.
fn share(change: impl Fn(&mut Kept)) -> Option<f64> {
    let mut kept = synced().baseline(BaselineKind::Memory, 0.3);
    change(&mut kept);
    kept.cells()[0].shares.harness
}

#[test]
fn a_reference_that_failed_or_varies_or_was_measured_under_load_does_not_count() {
    assert!(share(|_| ()).is_some_and(|share| (share - 0.3).abs() < 1e-9));
    assert_eq!(share(|kept| kept.0.baselines[0].trial.outcome = Outcome::Failed("full".to_owned())), None);
    let varying = |factor: f64| {
        share(|kept| {
            let slices = &mut kept.0.baselines[0].trial.slices;
            (slices[0].value, slices[1].value) = (100.0, 100.0 * factor);
        })
    };
    assert_eq!((varying(3.9).is_some(), varying(4.1).is_some()), (true, false));
    let busy = |kept: &mut Kept| {
        kept.0.plan.measuring.noise = NoiseBounds::default();
        let readings = [(probe::CPU_PROCESS, 0.0), (probe::CPU_KERNEL, 0.0), (probe::CPU_MACHINE, 1.5)];
        kept.0.baselines[0].trial.probes.extend(readings.map(|(probe, value)| probe.reading(value)));
    };
    assert_eq!(share(busy), None);
    let of_a_program = |kept: &mut Kept| {
        busy(kept);
        kept.0.plan.workloads[0].traits.program = Some("fio".to_owned());
    };
    assert_eq!(share(of_a_program), None);
}

#[test]
fn of_a_printed_figure_the_share_is_of_that_figure() {
    let printed = |better, factor: f64| {
        share(|kept| {
            let metric = &mut kept.0.plan.workloads[0].metric;
            (metric.measure, metric.better) = (Measure::Printed, better);
            kept.0.baselines[0].trial.slices.iter_mut().for_each(|slice| slice.value *= factor);
        })
    };
    assert!(printed(Better::Higher, 4.0).is_some_and(|share| (share - 0.25).abs() < 1e-9));
    assert!(printed(Better::Lower, 0.25).is_some_and(|share| (share - 0.25).abs() < 1e-9));
}

#[test]
fn starts_of_programs_are_a_reference_with_a_rate_of_its_own() {
    let mut script = workload("script");
    (script.traits.program, script.traits.starts) = (Some("sh".to_owned()), Some(25));
    let mut kept = Kept::new(script).baseline(BaselineKind::Start, 0.62);
    let row = assess(&kept.0).baselines.into_iter().next().expect("a row");
    assert_eq!((row.kind, row.unit.as_str(), row.rounds), (BaselineKind::Start, "programs/s", 1));
    assert!(row.median.is_some_and(|rate| (rate * 0.0062 - 1.0).abs() < 1e-6), "{row:?}");
    kept.0.plan.workloads[0].metric.measure = Measure::Printed;
    assert!(!kept.validity().iter().any(|flag| matches!(flag.finding, Finding::MostlyHarness { .. })));
}

#[test]
fn the_cost_of_the_lanes_is_that_of_the_rounds_or_else_of_the_survey() {
    let cost = |milliseconds: u64| LaneCost {
        back_to_back: Nanos::millis(milliseconds),
        paced: Nanos::millis(milliseconds),
        device: None,
        host_bytes: None,
        host_flushes: None,
    };
    let facts = |round, lane_cost| RoundFacts {
        round,
        seconds: 1.0,
        foreign_cores: None,
        steal_cores: None,
        lane_cost: Some(lane_cost),
        conditions: Conditions::default(),
    };
    let each = |rounds: &[u64]| {
        let mut kept = synced().lane_cost(Nanos::millis(9), None);
        kept.0.rounds = (1..).zip(rounds).map(|(round, each)| facts(round, cost(*each))).collect();
        kept.validity().into_iter().find_map(|flag| match flag.finding {
            Finding::HostBelowLane { each, .. } => Some(each),
            _ => None,
        })
    };
    assert_eq!(each(&[]), Some(Nanos::millis(9)));
    assert_eq!(each(&[3, 4, 8]), Some(Nanos::millis(4)));
    assert_eq!(each(&[1, 1, 8]), None);
}

/// Otherwise the contender that comes first would read the program from disk within its time.
#[test]
fn a_program_runs_in_memory_before_any_contender_runs_it() {
    let mut program = workload("create");
    program.slices = 1;
    program.traits.program = Some("tar".to_owned());
    for baselines in [Often::Never, Often::Once] {
        let world = World { baseline: Some((BaselineKind::Memory, 1e4)), ..World::of(&[1000.0, 2000.0]) };
        let mut play = Play::new(&["ext4", "xfs"], world).with_workloads(vec![program.clone()]);
        play.plan.measuring.baselines = baselines;
        let performance = play.with_rounds(Rounds::Exactly(2)).perform();
        let runs = performance.entries("run ").into_iter().filter(|entry| entry.ends_with("for 100 ms"));
        let runs: Vec<&str> = runs.filter_map(|entry| entry.split(' ').nth(1)).collect();
        let is_in_memory = |run: &&str| !["ext4", "xfs"].contains(run);
        let (first, second) = runs.split_at(runs.len() - if baselines == Often::Never { 2 } else { 3 });
        assert!(is_in_memory(&first[0]), "{runs:?}");
        let measured = usize::from(baselines == Often::Once);
        assert_eq!(second.iter().filter(|run| is_in_memory(run)).count(), measured, "{runs:?}");
        let all = performance.events.iter().filter(|event| matches!(event, Event::Baseline(_))).count();
        assert_eq!(all, 2 * measured, "the first run in memory does not count");
    }
}
