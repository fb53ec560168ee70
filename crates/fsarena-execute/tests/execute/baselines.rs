//! Baselines and the three clocks: measured as often as the plan says, without effect on verdicts.

use fsarena_model::comparison::BaselineRow;
use fsarena_model::{BaselineKind, CacheState, Event, Often, Probe, Rounds, Verdict, probe};

use crate::fake::{Performance, Play, World};

fn performed(baselines: Often, memory: Option<f64>) -> Performance {
    let world = World { baseline: memory.map(|rate| (BaselineKind::Memory, rate)), ..World::of(&[1000.0, 2000.0]) };
    let mut play = Play::new(&["ext4", "xfs"], world).with_rounds(Rounds::Exactly(3));
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
    assert!(once.len() == 2 && once.iter().all(|(round, _)| *round == 1), "{once:?}");
    assert_eq!(baselines(&performed(Often::Always, Some(1e4))).len(), 6);
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
        rows.iter().all(|row| row.kind == BaselineKind::Memory && row.rounds == 3 && row.unit == "op/s"),
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
