//! `--weights` and `--profile`: mixes of workloads.

use crate::stage::{SMALL, Stage, err, out, run};
use fsarena_testing::{Need, has};

#[test]
fn a_run_is_judged_by_a_mix_and_again_by_another() {
    let Some(stage) = Stage::of_root() else { return };
    let other = stage.file("other.toml", &SMALL.replace("small", "other").replace("1024", "9000"));
    let workloads = ["--workload", &stage.small(), "--workload", &other, "--rounds", "4", "--seed", "27"];
    let output = run(stage.compare(&["ext4", "xfs"]).args(workloads).args(["--weights", "small=3,other=1"]), 0);
    assert!(out(&output).contains("The mix is small 75 % and other 25 %"), "{}", out(&output));
    let report = stage.json();
    let advice = &report["recommendation"]["classes"][0];
    // On a busy machine too few rounds may count for a ratio; the tests of fsarena-execute check the figures.
    assert_eq!((advice["pairs"][0]["a"].as_str(), advice["pairs"][0]["b"].as_str()), (Some("ext4"), Some("xfs")));
    assert!(report["command"].as_array().is_some_and(|words| words.contains(&"small=0.75,other=0.25".into())));

    let again = run(stage.fsarena().args(["report", "last", "--weights", "other=1"]), 0);
    assert!(out(&again).contains("The mix is other 100 %"), "{}", out(&again));
    let wrong = run(stage.fsarena().args(["report", "last", "--weights", "reads=1"]), 2);
    assert!(
        err(&wrong).contains("`reads`") && err(&wrong).contains("hint: the names of this run: small, other"),
        "{}",
        err(&wrong)
    );
}

#[test]
fn names_and_numbers_that_are_none_are_refused_before_anything_is_made() {
    if !has(&[Need::MemoryGroups]) {
        return;
    }
    let stage = Stage::without_runs();
    let ask = |weights: &str| {
        let arguments = ["compare", "ext4", "xfs", "--dry-run", "--rounds", "1", "--weights", weights];
        err(&run(stage.fsarena().args(arguments), 2))
    };
    assert!(ask("reads=1").contains("no group and no workload `reads`"));
    assert!(ask("reads=1").contains("unpack-archive"));
    assert!(ask("stat-tree=0").contains("above 0"));
    let groups = [
        "compare", "ext4", "xfs", "--dry-run", "--rounds", "1", "--suite", "phoronix-2009", "--weights", "databases=1",
    ];
    run(stage.fsarena().args(groups), 0);
}

#[test]
fn the_line_of_the_guide_takes_the_rounds_of_its_suite() {
    let stage = Stage::without_runs();
    let line = "compare ext4 xfs --suite trading --weights reads=0.7,ingest=0.2,results=0.1 --dry-run";
    let plan = out(&run(stage.fsarena().args(line.split(' ')), 0));
    assert!(plan.contains("5 rounds"), "{plan}");
    let tried = out(&run(stage.fsarena().args(line.split(' ')).args(["--scale", "smoke"]), 0));
    assert!(tried.contains("1 round"), "{tried}");
    let short = err(&run(stage.fsarena().args(line.split(' ')).args(["--budget", "3s"]), 2));
    assert!(short.contains("the first round takes about") && short.contains("m has room for one round"), "{short}");
}

#[test]
fn without_contenders_those_of_the_suite_take_part() {
    let stage = Stage::without_runs();
    let plan = out(&run(stage.fsarena().args(["compare", "--suite", "trading", "--dry-run"]), 0));
    assert!(["ext3", "ext4", "xfs", "btrfs"].iter().all(|label| plan.contains(label)), "{plan}");
    let refused = err(&run(stage.fsarena().args(["compare", "--dry-run"]), 2));
    assert!(refused.contains("no contender is named"), "{refused}");
}

#[test]
fn a_profile_chooses_workloads_and_weights() {
    let stage = Stage::without_runs();
    let plan =
        out(&run(stage.fsarena().args(["compare", "ext4", "xfs", "btrfs", "--profile", "mail", "--dry-run"]), 0));
    for workload in ["mail-delivery", "mail-scan", "grep-cold", "rsync-unchanged"] {
        assert!(plan.contains(workload), "{workload}: {plan}");
    }
    assert!(!plan.contains("unpack-archive"), "{plan}");
    let ask = |more: &[&str]| {
        err(&run(stage.fsarena().args(["compare", "ext4", "xfs", "--dry-run", "--profile"]).args(more), 2))
    };
    assert!(ask(&["mial"]).contains("did you mean `mail`?"));
    assert!(ask(&["mail", "--suite", "operations"]).contains("cannot be used with"));
    assert!(ask(&["mail", "--weights", "read-tree=1"]).contains("cannot be used with"));
    let own = stage.file("own.toml", "name = 'own'\n[weights]\nread-tee = 1\n");
    assert!(ask(&[&own]).contains("did you mean `read-tree`?"));
}

#[test]
fn a_run_is_judged_for_a_profile_and_a_stored_run_for_another() {
    let Some(stage) = Stage::of_root() else { return };
    stage.file("small.toml", SMALL);
    stage.file("other.toml", &SMALL.replace("small", "other").replace("1024", "9000"));
    let own = stage.file("own.toml", "name = 'own'\n[weights]\n\"small.toml\" = 1\n\"other.toml\" = 3\n");
    let output = run(stage.compare(&["ext4", "xfs"]).args(["--profile", &own, "--rounds", "4", "--seed", "8"]), 0);
    assert!(out(&output).contains("The mix is other 75 % and small 25 %"), "{}", out(&output));
    let report = stage.json();
    assert_eq!(report["recommendation"]["profile"].as_str(), Some(own.as_str()));
    let command: Vec<&str> =
        report["command"].as_array().expect("a list").iter().filter_map(|it| it.as_str()).collect();
    assert!(command.windows(2).any(|words| words == ["--profile", &own]), "{command:?}");
    assert!(!command.contains(&"--workload") && !command.contains(&"--weights"), "{command:?}");

    let half = stage.file("half.toml", "name = 'half'\n[weights]\n\"other.toml\" = 1\nread-tree = 1\n");
    let again = out(&run(stage.fsarena().args(["report", "last", "--profile", &half]), 0));
    assert!(again.contains("The mix is other 100 %; 1 workload counts."), "{again}");
    assert!(again.contains("The run lacks 50 % of the profile: read-tree 50 %."), "{again}");
    let none = err(&run(stage.fsarena().args(["report", "last", "--profile", "mail"]), 2));
    assert!(
        none.contains("no workload of the profile `mail`")
            && none.contains("hint: the names of this run: other, small"),
        "{none}"
    );
}
