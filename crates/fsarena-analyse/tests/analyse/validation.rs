//! What a profile predicts, against what a program shows that the profile does not contain.

use fsarena_analyse::{NamedRun, ProfileRun, validation};
use fsarena_model::validation::{Foretold, ValidatedPair, Validation};
use fsarena_model::{Rounds, RunRecord, Unavailable, Verdict};

use fsarena_fakes::{Effect, Play, World, workload};

/// ext4 is twice as fast as xfs in every workload but `other`, in which xfs is `advantage` times as fast as elsewhere.
fn play(advantage: f64) -> Play {
    let mut play = Play::new(&["ext4", "xfs"], World::of(&[2000.0, 1000.0]).noisy(0.01, 1));
    play.world.advantage = Some(("other".to_owned(), advantage));
    let workloads = ["create", "append", "read", "other"].map(workload).to_vec();
    play.with_workloads(workloads).with_rounds(Rounds::Exactly(6))
}

fn judged(record: RunRecord, mix: &str) -> Validation {
    let run = NamedRun { name: "run 3".to_owned(), record };
    let mix = mix.parse().expect("well spelled");
    validation(&[ProfileRun { profile: "files".to_owned(), mix, run }])
}

fn only(found: &Validation) -> &ValidatedPair {
    assert_eq!(found.pairs.len(), 1, "{found:?}");
    &found.pairs[0]
}

#[test]
fn a_program_like_the_others_is_predicted() {
    let found = judged(play(1.0).perform().record, "create=1,append=1,read=1");
    let pair = only(&found);
    assert_eq!((pair.program.as_str(), pair.verdict, pair.outcome), ("other", Verdict::Faster, Some(Foretold::Right)));
    for ratio in [pair.predicted.estimate.ratio, pair.measured.ratio] {
        assert!((ratio.expect("known") - 2.0).abs() < 0.06, "{pair:?}");
    }
    let (all, whole) = (found.all, fsarena_model::Share(1.0));
    assert_eq!((all.pairs, all.clear), (1, 1));
    assert_eq!((all.right_sign, all.right_when_sure, all.covered), (Some(whole), Some(whole), Some(whole)));
    assert!(all.error.is_some_and(|error| error.0 < 0.05) && found.between.is_some_and(|it| it.deviation < 0.05));
    assert_eq!((found.profiles[0].score, found.left_out), (all, Vec::<String>::new()));
}

#[test]
fn a_program_that_is_the_other_way_round_is_wrong_and_outside_the_interval() {
    let found = judged(play(8.0).perform().record, "create=1,append=1,read=1");
    let pair = only(&found);
    assert_eq!((pair.verdict, pair.outcome), (Verdict::Slower, Some(Foretold::Wrong)));
    let nothing = Some(fsarena_model::Share(0.0));
    assert_eq!((found.all.right_sign, found.all.right_when_sure, found.all.covered), (nothing, nothing, nothing));
    assert!(found.all.error.is_some_and(|error| (error.0 - 7.0).abs() < 0.3), "{:?}", found.all);
    assert!(found.between.is_some_and(|it| it.deviation > 0.3), "{:?}", found.between);
}

#[test]
fn a_profile_whose_workloads_disagree_is_not_sure() {
    let found = judged(play(8.0).perform().record, "other=1,append=1,read=1");
    let pair = only(&found);
    assert_eq!((pair.program.as_str(), pair.outcome), ("create", Some(Foretold::NotSure)));
    assert_eq!((found.all.not_sure, found.all.right_when_sure), (Some(fsarena_model::Share(1.0)), None));
}

#[test]
fn a_small_difference_has_no_outcome_and_counts_for_the_error() {
    let found = judged(play(1.9).perform().record, "create=1,append=1,read=1");
    assert_eq!((only(&found).outcome, found.all.clear, found.all.right_sign), (None, 0, None));
    assert!(found.all.error.is_some_and(|error| (error.0 - 0.9).abs() < 0.05), "{:?}", found.all);
}

#[test]
fn what_cannot_be_used_is_listed_with_the_reason() {
    let mut play = play(1.0);
    play.world = play.world.trap(Effect::Fail, 2, 2, "run ext4 other for 100 ms");
    let mut record = play.perform().record;
    let missing = Unavailable { workload: "mail".to_owned(), packages: vec!["postmark".to_owned()] };
    record.plan.suite.unavailable.push(missing);
    let found = judged(record.clone(), "create=1,append=1,read=1,gone=1");
    assert!(found.pairs.is_empty() && found.between.is_none() && found.all.covered.is_none());
    let said =
        |text: &str| found.left_out.iter().filter(|line| line.starts_with("files: ") && line.contains(text)).count();
    assert_eq!([said("`mail` is left out"), said("lacks `gone`"), said("other (ext4: did-not-finish)")], [1, 1, 1]);
    let nothing = judged(record, "gone=1");
    assert!(nothing.pairs.is_empty() && nothing.left_out.len() == 2, "{:?}", nothing.left_out);
}
