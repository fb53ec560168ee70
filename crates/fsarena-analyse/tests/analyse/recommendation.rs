//! The best contender for the user's own mix, and the shares at which another would be best.

use fsarena_analyse::{assess, unknown_names};
use fsarena_model::recommendation::ClassAdvice;
use fsarena_model::{DurablePoint, Label, Rounds, RunRecord, WorkKind};

use fsarena_fakes::{Effect, Play, World, workload};

/// ext4 is three times as fast as xfs in `create`, xfs is three times as fast as ext4 in `append`; btrfs is half as
/// fast as ext4 in both.
fn torn() -> Play {
    let mut play = Play::new(&["ext4", "xfs", "btrfs"], World::of(&[3000.0, 1000.0, 1500.0]).noisy(0.01, 1));
    play.world.advantage = Some(("append".to_owned(), 9.0));
    play.with_rounds(Rounds::Exactly(6))
}

fn advice(record: &RunRecord, mix: &str) -> ClassAdvice {
    let mut record = record.clone();
    record.plan.weighting.mix = Some(mix.parse().expect("well spelled"));
    let recommendation = assess(&record).judged.recommendation.expect("there is a mix");
    assert_eq!(recommendation.classes.len(), 1);
    recommendation.classes.into_iter().next().expect("one")
}

fn labels(labels: &[Label]) -> Vec<&str> {
    labels.iter().map(|label| label.0.as_str()).collect()
}

/// ext4 is three times as fast as xfs and twice as fast as btrfs in both workloads.
fn agreed() -> Play {
    let mut play = torn();
    play.world.advantage = None;
    play
}

#[test]
fn a_contender_that_is_better_in_all_workloads_is_taken_alone() {
    let advice = advice(&agreed().perform().record, "create=7,append=3");
    assert_eq!((labels(&advice.best), advice.depends), (vec!["ext4"], vec![]));
    let [another] = advice.pairs[0].another.as_slice() else { panic!("both workloads sync") };
    assert!(another.better > 0.97, "{another:?}");
    let [low, high] = [another.estimate.low, another.estimate.high].map(|end| end.expect("measured"));
    assert!(1.4 < low && low < 3.0 && 3.0 < high && high < 12.0, "{another:?}");
}

#[test]
fn workloads_that_disagree_are_named_instead_of_a_choice() {
    let advice = advice(&torn().perform().record, "create=7,append=3");
    let depends: Vec<(Vec<&str>, Vec<&str>)> = advice
        .depends
        .iter()
        .map(|it| (labels(&it.contenders), it.workloads.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(depends, [(vec!["ext4"], vec!["create"]), (vec!["xfs"], vec!["append"])]);
    let [another] = advice.pairs[0].another.as_slice() else { panic!("both workloads sync") };
    assert!(another.better < 0.9, "{another:?}");
}

/// `create` and `copy` say what to take for a program that syncs, and little about one that reads, as `append` does here.
#[test]
fn each_kind_of_work_has_its_own_choice() {
    let mut play = torn();
    play.plan.workloads.push(workload("copy"));
    let mut record = play.perform().record;
    record.plan.workloads[1].durable = DurablePoint::None;
    let advice = advice(&record, "create=1,append=1,copy=1");
    let of_kind = |kind| advice.kinds.iter().find(|it| it.kind == kind).map(|it| labels(&it.contenders));
    assert_eq!(of_kind(WorkKind::Syncs), Some(vec!["ext4"]));
    assert_ne!(of_kind(WorkKind::Reads), Some(vec!["ext4"]));
    let [reads, syncs] = advice.pairs[0].another.as_slice() else { panic!("two kinds") };
    assert!(reads.better < 0.3 && syncs.better > 0.9, "{reads:?}, {syncs:?}");
}

#[test]
fn the_best_follows_from_the_mix_and_flips_where_both_are_level() {
    let record = torn().perform().record;
    assert_eq!(assess(&record).judged.recommendation, None, "not asked for");
    let advice = advice(&record, "create=7,append=3");
    assert_eq!(
        (advice.first.as_ref().map(|label| label.0.as_str()), labels(&advice.best)),
        (Some("ext4"), vec!["ext4", "xfs"])
    );
    let ratio = advice.pairs[0].estimate.ratio.expect("measured");
    assert!((ratio.ln() - 0.4 * 3.0_f64.ln()).abs() < 0.03, "{ratio}");
    let [low, high] = [advice.pairs[0].estimate.low, advice.pairs[0].estimate.high].map(|end| end.expect("measured"));
    assert!(low < ratio && ratio < high);
    let [create, append] = advice.flips.as_slice() else { panic!("one for each name: {:?}", advice.flips) };
    let (at, to) = create.below.clone().expect("with less of it xfs is better");
    assert!((at - 0.5).abs() < 0.02 && to.0 == "xfs" && create.above.is_none(), "{create:?}");
    let (at, to) = append.above.clone().expect("with more of it xfs is better");
    assert!((at - 0.5).abs() < 0.02 && to.0 == "xfs" && append.below.is_none(), "{append:?}");
}

#[test]
fn a_workload_has_the_name_of_its_group() {
    let mut record = torn().perform().record;
    record.plan.suite.groups.insert("logs".to_owned(), vec!["append".to_owned(), "absent".to_owned()]);
    let comparison = assess(&record);
    let of = |name: &str| comparison.workloads.iter().find(|row| row.name == name).expect("measured").group.clone();
    assert_eq!((of("append").as_deref(), of("create")), (Some("logs"), None));
}

#[test]
fn groups_count_their_workloads_alike_and_a_name_alone_never_flips() {
    let mut record = torn().with_rounds(Rounds::Exactly(8)).perform().record;
    record
        .plan
        .suite
        .groups
        .insert("both".to_owned(), vec!["create".to_owned(), "append".to_owned(), "absent".to_owned()]);
    let both = advice(&record, "both=1");
    let plain = assess(&record).judged.suite_ratios;
    for (row, plain) in both.pairs.iter().zip(&plain) {
        assert!(
            (row.estimate.ratio.expect("known") / plain.estimate.ratio.expect("known") - 1.0).abs() < 1e-9,
            "the suite's own mean"
        );
        let ends = [row.estimate.low, plain.estimate.low, plain.estimate.high, row.estimate.high]
            .map(|end| end.expect("known"));
        assert!(ends.is_sorted(), "never better known than independent ones would be: {ends:?}");
    }
    assert!(both.flips.is_empty(), "a single name has all the weight: {:?}", both.flips);
    let level = advice(&record, "create=0.501,append=0.499");
    assert_eq!(labels(&level.best)[..2], ["ext4", "xfs"], "they cannot be distinguished");
    assert_eq!(level.equal.len(), 1, "and they differ by less than the margin");
}

#[test]
fn a_lead_has_to_exceed_the_margin() {
    let mut record = agreed().perform().record;
    assert_eq!(labels(&advice(&record, "create=7,append=3").best), ["ext4"]);
    record.plan.margin = fsarena_model::Share(1.5);
    let wide = advice(&record, "create=7,append=3");
    assert_eq!((labels(&wide.best), labels(&wide.equal)), (vec!["ext4", "btrfs"], vec!["btrfs"]));
}

#[test]
fn unfinished_contenders_are_not_recommended_where_that_counts() {
    let mut play = torn();
    play.world = play.world.trap(Effect::Fail, 2, 2, "run ext4 create for 100 ms");
    let record = play.perform().record;
    let one = advice(&record, "create=7,append=3");
    assert_eq!(one.not_recommended.len(), 1);
    assert_eq!(
        (one.not_recommended[0].label.0.as_str(), one.not_recommended[0].reason.as_str()),
        ("ext4", "create: did-not-finish")
    );
    assert!(
        one.pairs[0].estimate.ratio.is_none() && one.first.as_ref().is_some_and(|first| first.0 != "ext4"),
        "{one:?}"
    );
    let other = advice(&record, "append=1");
    assert_eq!((other.not_recommended.len(), labels(&other.best)), (0, vec!["xfs"]));
}

#[test]
fn with_too_few_rounds_there_is_no_recommendation() {
    let advice = advice(&torn().with_rounds(Rounds::Exactly(1)).perform().record, "create=7,append=3");
    assert_eq!((advice.first, advice.best, advice.flips), (None, Vec::new(), Vec::new()));
    assert!(advice.pairs[0].left_out[0].contains("1 round, a verdict needs at least 3"));
}

#[test]
fn an_unknown_name_is_refused_with_the_known_ones() {
    let mut plan = torn().plan;
    plan.suite.groups.insert("writes".to_owned(), vec!["append".to_owned()]);
    plan.suite.groups.insert("gone".to_owned(), vec!["absent".to_owned()]);
    let unknown = |mix: &str| unknown_names(&plan, &mix.parse().expect("well spelled"));
    assert_eq!(unknown("writes=1,create=1"), None);
    for name in ["gone", "absent", "reads"] {
        let (unknown_name, known) = unknown(&format!("create=1,{name}=1")).expect("unknown");
        assert_eq!((unknown_name.as_str(), known), (name, ["writes", "create", "append"].map(str::to_owned).to_vec()));
    }
}

#[test]
fn workloads_without_their_programs_are_in_the_comparison() {
    let mut record = torn().perform().record;
    let missing = fsarena_model::Unavailable { workload: "mail".to_owned(), packages: vec!["postmark".to_owned()] };
    record.plan.suite.unavailable.push(missing.clone());
    assert_eq!(assess(&record).run.unavailable, std::slice::from_ref(&missing));
    record.plan.suite.groups.insert("mails".to_owned(), vec!["create".to_owned(), "mail".to_owned()]);
    let without = |mix: &str| {
        let mut record = record.clone();
        record.plan.weighting.mix = Some(mix.parse().expect("well spelled"));
        assess(&record).judged.recommendation.expect("there is a mix").without
    };
    assert_eq!((without("mails=1,append=1"), without("append=1")), (vec![missing], vec![]));
}
