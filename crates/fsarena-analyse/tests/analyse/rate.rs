//! Open loops: the rates offered and achieved, which contenders keep up, and latency over time.

use fsarena_model::comparison::Cell;
use fsarena_model::probe::{self, LatencyFigure};
use fsarena_model::{
    Better, Comparison, Finding, Measure, Metric, ProbeId, Rate, Relation, Rounds, ValidityClass, Variant, Workload,
};

use fsarena_fakes::{Play, World, workload};

fn at(rate: f64) -> Workload {
    let metric = Metric {
        name: "mean-latency".to_owned(),
        unit: "µs".to_owned(),
        measure: Measure::MeanLatencyMicroseconds,
        better: Better::Lower,
    };
    let variant = Some(Variant { of: "create".to_owned(), relation: Relation::Rate(Rate::PerSecond(rate)) });
    Workload { metric, variant, timed_ms: 500, ..workload(&format!("create@{rate}")) }
}

/// `ext4` does 1000 operations per second, `xfs` 2000.
fn open_loops() -> Comparison {
    let workloads = vec![workload("create"), workload("append"), at(500.0), at(1500.0)];
    let play = Play::new(&["ext4", "xfs"], World::of(&[1000.0, 2000.0]).noisy(0.001, 1));
    play.with_workloads(workloads).with_rounds(Rounds::Exactly(4)).perform().comparison()
}

fn cell<'a>(comparison: &'a Comparison, workload: &str, contender: &str) -> &'a Cell {
    let is_it = |cell: &&Cell| cell.workload == workload && cell.contender.0 == contender;
    comparison.cells.iter().find(is_it).expect("every cell is there")
}

#[test]
fn the_offered_and_the_achieved_rate_are_not_divided() {
    let comparison = open_loops();
    let slow = cell(&comparison, "create@1500", "ext4");
    assert_eq!(slow.probe(probe::RATE_OFFERED), Some(1500.0));
    assert!(slow.probe(probe::RATE_DONE).is_some_and(|done| (900.0..1100.0).contains(&done)), "{:?}", slow.probes);
    assert_eq!(slow.probes[&probe::RATE_DONE.key()].unit, "ops/s");
    let closed = cell(&comparison, "create", "ext4");
    assert_eq!(closed.probes.get(&probe::RATE_OFFERED.key()), None, "nothing is offered in a closed loop");
    assert!(closed.probe(probe::RATE_DONE).is_some_and(|done| (900.0..1100.0).contains(&done)));
}

#[test]
fn only_contenders_that_do_not_keep_up_are_flagged() {
    let comparison = open_loops();
    let classes = |workload, contender| {
        let flags = &cell(&comparison, workload, contender).validity;
        flags.iter().map(|flag| flag.class).collect::<Vec<_>>()
    };
    assert_eq!(classes("create@1500", "ext4"), [ValidityClass::Overloaded]);
    for (workload, contender) in [("create@1500", "xfs"), ("create@500", "ext4"), ("create", "ext4")] {
        assert_eq!(classes(workload, contender), [], "{workload}, {contender}");
    }
    let finding = &cell(&comparison, "create@1500", "ext4").validity[0].finding;
    let is_behind = |offered: f64, done: f64| (offered - 1500.0).abs() < 0.5 && done < 1450.0;
    let is_it = matches!(finding, Finding::BehindItsRate { offered, done } if is_behind(*offered, *done));
    assert!(is_it, "{finding:?}");
    let notes: Vec<&str> = comparison.notes.iter().map(|note| note.text.as_str()).collect();
    assert!(notes.iter().any(|note| note.contains("cannot keep a rate: append")), "{notes:?}");
    let pair = comparison.judged.verdicts.iter().find(|pair| pair.workload == "create@1500").expect("a pair");
    assert!(
        pair.estimate.ratio.is_some() && pair.reason().contains("ext4: overloaded"),
        "the verdict stays, with the reason: {pair:?}"
    );
}

#[test]
fn latency_explodes_in_the_open_loop_only() {
    let comparison = open_loops();
    let median = |workload| cell(&comparison, workload, "ext4").figure.median.expect("measured");
    assert!(median("create@1500") > 20.0 * median("create@500"));
    let count = &cell(&comparison, "create@500", "ext4").probes[&ProbeId::latency("create", LatencyFigure::Count)];
    assert_eq!(count.value, Some(1000.0), "of four slices");
}

#[test]
fn variants_name_their_origin_and_the_command_names_what_was_typed() {
    let comparison = open_loops();
    let row = &comparison.workloads[3];
    assert_eq!((row.open_loop.of.as_deref(), row.open_loop.rate.as_deref()), (Some("create"), Some("1500")));
    assert_eq!(comparison.workloads[0].open_loop.of, None);
    let command = comparison.run.command.join(" ");
    assert!(command.contains("--workload create --workload append --rate 500,1500 --rounds"), "{command}");
}

#[test]
fn latency_over_time_has_a_point_for_each_part_of_each_slice() {
    let comparison = open_loops();
    let lines = &cell(&comparison, "create@500", "xfs").latencies.over_time;
    assert_eq!(lines.iter().map(|course| course.operation.as_str()).collect::<Vec<_>>(), ["create"]);
    let points: Vec<_> = lines[0].points.iter().map(|point| (point.round, point.slice)).collect();
    assert_eq!(points[..5], [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1)]);
    let ends: Vec<f64> = lines[0].points[..4].iter().map(|point| point.seconds).collect();
    assert!(ends.windows(2).all(|pair| pair[1] - pair[0] > 0.4), "one behind the other: {ends:?}");
}
