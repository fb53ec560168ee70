//! Why contenders differ, by traced slices.

use fsarena_fakes::{Play, World};
use fsarena_model::explanation::{Activity, ExplainedRequests};
use fsarena_model::{
    AvoidableTime, Event, Layer, Meanwhile, Measure, Rate, Relation, RequestKind, Requests, Rounds, RunRecord, Spent,
    TimePart, TraceResult, Variant, Wait, Workload,
};

/// Two contenders, of which the first is twice as fast, with traced slices.
fn play() -> Play {
    let mut play = Play::new(&["ext4", "xfs"], World::of(&[2000.0, 1000.0]).noisy(0.02, 1));
    play = play.with_rounds(Rounds::Exactly(6));
    play.plan.measuring.explained = true;
    play
}

fn changed(change: impl Fn(&mut fsarena_model::Trial)) -> RunRecord {
    let mut record = play().perform().record;
    record.trials.iter_mut().for_each(change);
    record
}

#[test]
fn the_parts_add_up_to_the_difference() {
    let comparison = play().perform().comparison();
    let explanation = &comparison.judged.explanations[0];
    assert_eq!((&*explanation.slower.0, &*explanation.faster.0, explanation.rounds), ("xfs", "ext4", 6));
    let sum: f64 = explanation.parts.iter().map(|part| part.difference.seconds).sum();
    assert!((sum / explanation.difference.seconds - 1.0).abs() < 1e-9, "{explanation:?}");
    // A tenth of the time is the program's own.
    assert_eq!(explanation.parts[0].activity, Activity::Waiting(Wait::Commit));
    assert!((explanation.parts[0].difference.seconds / sum - 0.9).abs() < 0.01);
    let [(Meanwhile::Device, device)] = &explanation.parts[0].meanwhile[..] else { panic!("{explanation:?}") };
    assert_eq!(device.seconds, explanation.parts[0].difference.seconds);
    let (low, high) = explanation.difference.low.zip(explanation.difference.high).expect("six rounds");
    assert!(low < explanation.difference.seconds && explanation.difference.seconds < high);
    assert!((explanation.difference.seconds * 1000.0 - 0.5).abs() < 0.05, "0.5 ms: {explanation:?}");
    assert_eq!((explanation.attributed, &explanation.withheld), (1.0, &None));
}

/// The flushes of the explanation, if these are those of an operation of each contender, with their duration.
fn flushes(xfs: (u64, f64), ext4: (u64, f64)) -> ExplainedRequests {
    let record = changed(|trial| {
        if let Some(TraceResult::Traced(trace)) = &mut trial.trace {
            let (per_operation, duration) = if trial.contender.0 == "xfs" { xfs } else { ext4 };
            let count = trace.operations * per_operation;
            let seconds = count as f64 * duration;
            trace.requests = vec![Requests { kind: RequestKind::Flush, count, bytes: 0, open: 0, seconds }];
        }
    });
    let comparison = fsarena_analyse::assess(&record);
    let [flushes] = &comparison.judged.explanations[0].requests[..] else { panic!("one type") };
    flushes.clone()
}

#[test]
fn more_requests_and_slower_ones_add_up() {
    let flushes = flushes((3, 40e-6), (1, 20e-6));
    // 3 × 40 µs against 1 × 20 µs: two more of 30 µs, and 20 µs more for each of two.
    let (by_count, by_duration) = flushes.by_count.zip(flushes.by_duration).expect("all have completed");
    assert!((by_count - 60e-6).abs() < 1e-12 && (by_duration - 40e-6).abs() < 1e-12, "{flushes:?}");
}

/// The few requests of one contender say nothing about the many of the other one.
#[test]
fn no_part_of_the_requests_is_longer_than_all_of_them() {
    let flushes = flushes((100, 50e-6), (1, 200e-6));
    // 5 ms in all; 99 × 125 µs would be by number.
    assert_eq!((flushes.by_count, flushes.by_duration), (None, None));
}

#[test]
fn what_is_not_known_is_no_cause() {
    let record = changed(|trial| {
        if let Some(TraceResult::Traced(trace)) = &mut trial.trace {
            trace.parts[1].spent = Spent::Waiting(Wait::Commit, Meanwhile::Unknown);
        }
    });
    let explanation = &fsarena_analyse::assess(&record).judged.explanations[0];
    assert!((explanation.attributed - 0.1).abs() < 0.01, "{explanation:?}");
    assert_eq!(explanation.unexplained(), 0.0, "it is known why the work waits: {explanation:?}");
    let record = changed(|trial| {
        if let Some(TraceResult::Traced(trace)) = &mut trial.trace {
            trace.parts[1].spent = Spent::Kernel(Layer::Other);
        }
    });
    let explanation = &fsarena_analyse::assess(&record).judged.explanations[0];
    assert!((explanation.attributed - 0.1).abs() < 0.01, "code of no layer is no cause: {explanation:?}");
    assert!((explanation.unexplained() / explanation.difference.seconds - 0.9).abs() < 0.01, "{explanation:?}");
}

#[test]
fn nothing_is_explained_if_many_events_were_not_recorded() {
    let with_lost = |lost| {
        let record = changed(|trial| {
            if let (Some(TraceResult::Traced(trace)), "xfs") = (&mut trial.trace, &*trial.contender.0) {
                (trace.recorded, trace.lost) = (100 - lost, lost);
            }
        });
        fsarena_analyse::assess(&record).judged.explanations.swap_remove(0)
    };
    let few = with_lost(5);
    assert_eq!((few.attributed, few.lost > 0, few.withheld), (1.0, true, None));
    let why = with_lost(20).withheld;
    assert_eq!(why.as_deref(), Some("the kernel did not record 20 % of the events of xfs and 0 % of those of ext4"));
}

#[test]
fn work_that_is_in_no_figure_explains_nothing() {
    let record = changed(|trial| {
        if let (Some(TraceResult::Traced(trace)), "xfs") = (&mut trial.trace, &*trial.contender.0) {
            trace.parts[0].seconds += trace.seconds * 0.5;
            trace.seconds *= 1.5;
        }
    });
    let explanation = &fsarena_analyse::assess(&record).judged.explanations[0];
    let why = explanation.withheld.as_deref().expect("withheld");
    assert!(why.starts_with("work that is in no figure was traced, too: it is 10"), "{why}");
}

#[test]
fn an_explanation_is_withheld_where_tracing_costs_one_contender_more() {
    let record = changed(|trial| {
        if let (Some(TraceResult::Traced(trace)), "xfs") = (&mut trial.trace, &*trial.contender.0) {
            trace.elapsed = fsarena_model::Nanos(trace.elapsed.0 * 7 / 5);
            trace.seconds = trace.elapsed.as_seconds();
        }
    });
    let explanation = &fsarena_analyse::assess(&record).judged.explanations[0];
    let why = explanation.withheld.as_deref().expect("withheld");
    assert!(why.starts_with("tracing costs xfs more than ext4, by "), "{why}");
}

/// Recording an event takes as long, whatever the contender, and xfs has more events.
#[test]
fn the_time_that_recording_takes_is_subtracted() {
    let record = changed(|trial| {
        let events = if trial.contender.0 == "xfs" { 400.0 } else { 100.0 };
        if let Some(TraceResult::Traced(trace)) = &mut trial.trace {
            let events = events * trace.operations as f64;
            trace.parts[1].events = events;
            trace.parts[1].seconds += events * 1e-6;
            trace.seconds += events * 1e-6;
            trace.elapsed.0 += (events * 1000.0) as u64;
            let (with, without, seconds) = ("xfs".to_owned(), "ext4".to_owned(), trace.parts[1].seconds);
            trace.avoidable = vec![AvoidableTime { with, without, seconds, events }];
        }
    });
    let comparison = fsarena_analyse::assess(&record);
    let predicted = comparison.judged.tested_knobs[0].predicted;
    assert!((predicted - 0.9).abs() < 0.01, "a tenth of the time is the program's own: {predicted}");
    let explanation = &comparison.judged.explanations[0];
    assert_eq!(explanation.withheld, None);
    let taken = explanation.event_seconds.expect("known");
    assert!((taken * 1e6 - 1.0).abs() < 0.1, "{taken} s");
    let [before, after] = [explanation.slower_overhead, explanation.slower_remaining].map(|it| it.expect("known"));
    assert!(before > 0.3 && after.abs() < 0.05, "{before} {after}");
    assert!((explanation.difference.seconds * 1000.0 - 0.5).abs() < 0.05, "0.5 ms: {explanation:?}");
}

/// A part that only xfs has, with more events than its time allows, and slices that are slower for another reason.
#[test]
fn recording_takes_no_more_than_a_part_has_and_no_more_than_it_can() {
    let log = || Spent::Waiting(Wait::Commit, Meanwhile::Runs("xfsaild".to_owned()));
    for more in [10_000, 100_000] {
        let record = changed(|trial| {
            let Some(TraceResult::Traced(trace)) = &mut trial.trace else { return };
            let events = 20.0 * trace.operations as f64;
            trace.elapsed.0 += more * trace.operations;
            trace.parts[1].seconds += (more * trace.operations) as f64 / 1e9;
            trace.parts[1].events = events;
            if trial.contender.0 == "xfs" {
                let seconds = 2e-6 * trace.operations as f64;
                trace.parts[1].seconds -= seconds;
                trace.parts.push(TimePart { spent: log(), seconds, events });
            } else {
                trace.parts[1].events += events;
            }
            trace.seconds = trace.elapsed.as_seconds();
        });
        let explanation = fsarena_analyse::assess(&record).judged.explanations.swap_remove(0);
        let commit = explanation.parts.iter().find(|part| part.activity == Activity::Waiting(Wait::Commit));
        let of_log =
            commit.expect("a part").meanwhile.iter().find(|(it, _)| *it == Meanwhile::Runs("xfsaild".to_owned()));
        let of_log = of_log.expect("a part").1;
        assert!(of_log.seconds >= 0.0 && of_log.high.is_none_or(|high| high >= 0.0), "{of_log:?}");
        let sum: f64 = explanation.parts.iter().map(|part| part.difference.seconds).sum();
        assert!((sum / explanation.difference.seconds - 1.0).abs() < 1e-9, "{explanation:?}");
        // Half a microsecond for each of 20 events can be, and 5 µs cannot.
        let taken = explanation.event_seconds.expect("known");
        assert!((0.1e-6..=1e-6).contains(&taken) && (taken == 1e-6) == (more > 10_000), "{taken}");
    }
}

#[test]
fn operations_at_a_given_rate_and_figures_of_no_time_are_not_explained() {
    let at_a_rate = |workload: &mut Workload| {
        let relation = Relation::Rate(Rate::PerSecond(300.0));
        workload.variant = Some(Variant { of: workload.name.to_string(), relation });
    };
    let printed = |workload: &mut Workload, unit: &str| {
        (workload.metric.name, workload.metric.unit) = ("size".to_owned(), unit.to_owned());
        workload.metric.measure = Measure::Printed;
    };
    let why = |change: &dyn Fn(&mut Workload)| {
        let mut record = play().perform().record;
        record.plan.workloads.iter_mut().for_each(change);
        fsarena_analyse::assess(&record).judged.explanations.swap_remove(0).withheld
    };
    let rate = why(&at_a_rate).expect("withheld");
    assert!(rate.starts_with("operations begin at a given rate, so"), "{rate}");
    let size = "`size` (KiB) is no time and no rate, and traced slices show where time goes";
    assert_eq!(why(&|workload| printed(workload, "KiB")).as_deref(), Some(size));
    assert_eq!(why(&|workload| printed(workload, "MB/s")), None);
}

#[test]
fn an_option_saves_what_the_traced_slices_predict() {
    let mut record = play().perform().record;
    for trial in &mut record.trials {
        if let Some(TraceResult::Traced(trace)) = &mut trial.trace {
            let (with, without, seconds) = ("xfs".to_owned(), "ext4".to_owned(), trace.seconds * 0.45);
            trace.avoidable = vec![AvoidableTime { with, without, seconds, events: 0.0 }];
        }
    }
    let tested = fsarena_analyse::assess(&record).judged.tested_knobs;
    let [knob, _append] = &tested[..] else { panic!("one pair in two workloads: {tested:?}") };
    assert_eq!((&*knob.with.0, &*knob.without.0, knob.rounds), ("xfs", "ext4", 6));
    // Half the time.
    assert!(
        (knob.predicted - 0.45).abs() < 1e-9 && (knob.measured - 0.5).abs() < 0.02 && knob.agrees() == Some(true),
        "{knob:?}"
    );
    assert!(knob.low.expect("known") < knob.measured && knob.measured < knob.high.expect("known"));
    // An interval of two rounds would say that anything is possible.
    record.trials.retain(|trial| trial.round <= 2);
    let tested = fsarena_analyse::assess(&record).judged.tested_knobs;
    assert_eq!((tested[0].rounds, tested[0].low, tested[0].agrees()), (2, None, None));
}

#[test]
fn slices_that_are_unlike_the_others_explain_nothing() {
    let record = changed(|trial| {
        if let Some(TraceResult::Traced(trace)) = &mut trial.trace {
            trace.elapsed = fsarena_model::Nanos(trace.elapsed.0 * 2 / 5);
        }
    });
    let explanation = &fsarena_analyse::assess(&record).judged.explanations[0];
    let why = explanation.withheld.as_deref().expect("withheld");
    assert_eq!(why, "xfs takes 60 % less time when it is traced");
}

#[test]
fn slices_that_cannot_be_traced_are_a_note_and_no_failure() {
    let record = changed(|trial| trial.trace = Some(TraceResult::Failed("no privilege".to_owned())));
    let comparison = fsarena_analyse::assess(&record);
    assert!(comparison.judged.explanations.is_empty());
    let note = "24 slices were not traced, so that at most their time on processors is known: no privilege";
    assert!(comparison.notes.iter().any(|found| found.text == note), "{:?}", comparison.notes);
}

#[test]
fn without_the_option_nothing_is_traced() {
    let mut play = play();
    play.plan.measuring.explained = false;
    let performance = play.perform();
    assert!(performance.record.trials.iter().all(|trial| trial.trace.is_none()));
    let is_traced = |event: &Event| matches!(event, Event::Trial(trial) if trial.trace.is_some());
    assert!(!performance.events.iter().any(is_traced));
}
