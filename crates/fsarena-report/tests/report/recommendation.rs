//! Tests of the best contender for the reader's own mix, in all reports.

use fsarena_model::recommendation::{
    AnotherProgram, ClassAdvice, KindChoice, MixFlip, MixRow, NotRecommended, Preference,
};
use fsarena_model::{Comparison, Durability, Estimate, Label, Recommendation, Unavailable, WorkKind};

use crate::fixture::fixture;

pub fn mixed() -> Comparison {
    let label = Label::from;
    let known = MixRow {
        a: label("ext4"),
        b: label("xfs"),
        estimate: Estimate::of(Some(1.2), Some((1.1, 1.3))),
        another: vec![AnotherProgram {
            kind: WorkKind::Reads,
            estimate: Estimate::of(Some(1.2), Some((0.98, 1.47))),
            better: 0.9239,
        }],
        left_out: Vec::new(),
    };
    let left_out = vec!["create-fsync (btrfs: did-not-finish)".to_owned()];
    let unknown =
        MixRow { b: label("btrfs"), estimate: Estimate::default(), another: Vec::new(), left_out, ..known.clone() };
    let flip = |name: &str, share| MixFlip { name: name.to_owned(), share, below: None, above: None };
    let reads = MixFlip { below: Some((0.31, label("xfs"))), ..flip("reads", 0.7) };
    let reason = "create-fsync: did-not-finish".to_owned();
    let class = ClassAdvice {
        durability: Durability::Flushed,
        coherence: None,
        pairs: vec![known, unknown],
        first: Some(label("ext4")),
        best: vec![label("ext4")],
        led: Vec::new(),
        equal: Vec::new(),
        depends: Vec::new(),
        kinds: Vec::new(),
        flips: vec![reads, flip("ingest", 0.3)],
        not_recommended: vec![NotRecommended { label: label("btrfs"), reason }],
    };
    let workloads = vec![("create-fsync".to_owned(), 0.3), ("randread-4k".to_owned(), 0.7)];
    let mix = "reads=0.7,ingest=0.3".parse().expect("well spelled");
    let mut comparison = fixture();
    comparison.judged.recommendation = Some(Box::new(Recommendation {
        profile: None,
        mix,
        absent: Vec::new(),
        workloads,
        without: Vec::new(),
        classes: vec![class],
    }));
    comparison
}

const SAID: [&str; 8] = [
    "The mix is reads 70 % and ingest 30 %; 2 workloads count.",
    "take ext4: its mean lead over each of the others exceeds the margin of 5 %, and it is better in \
     another program with a probability of at least 90 %; with reads below 31 % xfs would be first by \
     estimate.",
    "Fewer than three workloads do not show how much programs differ from each other",
    "Weighted geometric mean over these workloads: ext4 over xfs 1.20× [1.10, 1.30].",
    "Another program that reads (90 %): ext4 ",
    " xfs 0.98× to 1.47×, ext4 is better in 92 of 100.",
    "btrfs is not recommended (create-fsync: did-not-finish).",
    "31 %: xfs",
];

#[test]
fn every_format_for_people_says_who_and_where_it_flips() {
    for format in ["text", "markdown", "html"] {
        let report = crate::rendered(format, &mixed()).split_whitespace().collect::<Vec<_>>().join(" ");
        for said in SAID {
            assert!(report.contains(said), "{format}: {said}");
        }
        assert!(!crate::rendered(format, &fixture()).contains("your own mix"), "{format}");
    }
}

#[test]
fn a_lead_that_is_shown_for_the_mix_alone_is_named_as_one() {
    let mut comparison = mixed();
    let class = &mut comparison.judged.recommendation.as_mut().expect("there").classes[0];
    class.best = ["ext4", "xfs"].map(Label::from).into();
    class.led = vec![Label::from("xfs")];
    let report = crate::rendered("text", &comparison).split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "keep what you have: ext4 is first by estimate, but its lead over xfs is shown for this mix and not for \
        another program.";
    assert!(report.contains(said), "{report}");
}

#[test]
fn who_alone_can_be_recommended_leads_nobody() {
    let mut comparison = mixed();
    comparison.judged.recommendation.as_mut().expect("there").classes[0].pairs.remove(0);
    let report = crate::rendered("text", &comparison).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(report.contains("take ext4: no other can be recommended."), "{report}");
}

#[test]
fn without_a_first_the_reason_is_that_of_a_pair_of_candidates() {
    let mut comparison = mixed();
    let class = &mut comparison.judged.recommendation.as_mut().expect("there").classes[0];
    class.first = None;
    class.pairs.reverse();
    class.pairs[1].left_out = vec!["randread-4k (1 round, a verdict needs at least 3)".to_owned()];
    let report = crate::rendered("text", &comparison).split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "Decision for your own mix: none can be recommended: ext4 and xfs cannot be compared in randread-4k (1 \
        round, a verdict needs at least 3).";
    assert!(report.contains(said), "{report}");
}

#[test]
fn missing_workloads_of_a_mix_are_listed_with_the_mix() {
    let mut comparison = mixed();
    let missing = |workload: &str, package: &str| Unavailable {
        workload: workload.to_owned(),
        packages: vec![package.to_owned()],
    };
    comparison.judged.recommendation.as_mut().expect("there").without =
        vec![missing("phoronix-pgbench", "postgresql"), missing("phoronix-postmark", "postmark")];
    let said = "2 workloads count, without phoronix-pgbench (apt-get install postgresql) and phoronix-postmark (apt-get install postmark): \
        the programs were not there, and the share is that of the others of the same name.";
    for format in ["text", "markdown", "html"] {
        let report = crate::rendered(format, &comparison).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(report.contains(said), "{format}: {report}");
    }
    let report: serde_json::Value = serde_json::from_str(&crate::rendered("json", &comparison)).expect("JSON");
    assert_eq!(report["recommendation"]["without"][0]["workload"], "phoronix-pgbench");
}

#[test]
fn a_profile_is_named_with_what_the_run_lacks_of_it() {
    let mut comparison = mixed();
    comparison.run.suite = None;
    let advice = comparison.judged.recommendation.as_mut().expect("there");
    advice.profile = Some("mail".to_owned());
    advice.absent = vec![fsarena_model::Weight { name: "read-tree".to_owned(), share: 0.25 }];
    for format in ["text", "markdown", "html"] {
        let report = crate::rendered(format, &comparison).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!report.contains("your own mix"), "{format}: {report}");
        for said in [
            "Decision for 75 % of the profile mail:",
            "The run lacks 25 % of the profile: read-tree 25 %.",
            "profile mail",
        ] {
            assert!(report.contains(said), "{format}: {said}: {report}");
        }
    }
}

#[test]
fn contenders_equal_to_the_first_are_named_with_it() {
    let mut comparison = mixed();
    let class = &mut comparison.judged.recommendation.as_mut().expect("there").classes[0];
    class.best.push(Label::from("xfs"));
    class.flips.iter_mut().for_each(|flip| flip.below = None);
    let report = crate::rendered("markdown", &comparison);
    let said = "keep what you have: ext4 is first by estimate, but it is not clearly better than xfs.";
    assert!(report.contains(said), "{report}");
    let class = &mut comparison.judged.recommendation.as_mut().expect("there").classes[0];
    class.equal.push(Label::from("xfs"));
    class.flips.clear();
    class.pairs[1].left_out = ["a", "b"].map(|name| format!("{name} (2 rounds, a verdict needs at least 3)")).to_vec();
    let report = crate::rendered("markdown", &comparison);
    for said in [
        "keep what you have: ext4 and xfs are equal within the margin of 5 %.",
        "| a (2 rounds, a verdict needs at least 3) and b (2 rounds, a verdict needs at least 3) |",
    ] {
        assert!(report.contains(said), "{said}: {report}");
    }
}

#[test]
fn equal_contenders_that_are_better_than_others_are_all_named() {
    let mut comparison = mixed();
    let class = &mut comparison.judged.recommendation.as_mut().expect("there").classes[0];
    class.not_recommended.clear();
    class.best.push(Label::from("xfs"));
    class.equal.push(Label::from("xfs"));
    let report = crate::rendered("markdown", &comparison);
    let said =
        "take ext4 or xfs: they are equal within the margin of 5 %, and better than the others; with reads below";
    assert!(report.contains(said), "{report}");
}

#[test]
fn what_the_choice_depends_on_is_said_with_the_workloads() {
    let mut comparison = mixed();
    let class = &mut comparison.judged.recommendation.as_mut().expect("there").classes[0];
    class.best = ["ext4", "xfs", "btrfs"].map(Label::from).to_vec();
    let preference = |contenders: &[&str], workloads: &[&str]| Preference {
        contenders: contenders.iter().map(|label| Label::from(*label)).collect(),
        workloads: workloads.iter().map(ToString::to_string).collect(),
    };
    class.depends =
        vec![preference(&["xfs", "btrfs"], &["create-fsync"]), preference(&["ext4"], &["a", "randread-4k"])];
    let choice = |kind, labels: &[&str]| KindChoice { kind, contenders: labels.iter().map(|&it| it.into()).collect() };
    class.kinds = vec![choice(WorkKind::Reads, &["xfs"]), choice(WorkKind::Syncs, &["ext4", "btrfs"])];
    for format in ["text", "markdown", "html"] {
        let report = crate::rendered(format, &comparison).split_whitespace().collect::<Vec<_>>().join(" ");
        let said = "it depends: xfs or btrfs for create-fsync, ext4 for a and randread-4k. \
            Another program that reads: take xfs; one that syncs: take ext4 or btrfs.";
        assert!(report.contains(said), "{format}: {report}");
    }
    let report: serde_json::Value = serde_json::from_str(&crate::rendered("json", &comparison)).expect("JSON");
    assert_eq!(report["recommendation"]["classes"][0]["depends"][0]["contenders"][1], "btrfs");
}

#[test]
fn json_has_it_as_it_is() {
    let report: serde_json::Value = serde_json::from_str(&crate::rendered("json", &mixed())).expect("JSON");
    let advice = &report["recommendation"];
    assert_eq!(advice["mix"][0]["name"], "reads");
    assert_eq!(advice["classes"][0]["best"][0], "ext4");
    assert_eq!(advice["classes"][0]["pairs"][0]["another"][0]["high"], 1.47);
    assert_eq!(advice["classes"][0]["pairs"][1]["another"], serde_json::json!([]));
    assert_eq!(advice["classes"][0]["flips"][0]["below"][1], "xfs");
}
