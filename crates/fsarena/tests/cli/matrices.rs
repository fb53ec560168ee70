//! `--matrix`: contenders for all combinations of options.

use crate::stage::{Stage, err, out, run};

#[test]
fn the_effect_of_each_option_is_shown_and_the_run_can_be_repeated() {
    let Some(stage) = Stage::of_root() else { return };
    let matrix = ["--matrix", "ext4:{,noatime} -m {0,5}", "--workload", &stage.small(), "--rounds", "3"];
    let text = out(&run(&mut stage.compare(&matrix), 0));
    assert!(text.contains("Which option matters") && text.contains("noatime: "), "{text}");
    let report = stage.json();
    let labels: Vec<&str> =
        report["contenders"].as_array().expect("an array").iter().filter_map(|row| row["label"].as_str()).collect();
    assert_eq!(labels, ["ext4 -m 0", "ext4 -m 5", "ext4:noatime -m 0", "ext4:noatime -m 5"]);
    let effects = report["effects"].as_array().expect("an array");
    let pairs: Vec<_> =
        effects.iter().map(|row| (row["level"].as_str(), row["base"].as_str(), &row["pairs"])).collect();
    assert_eq!(pairs, [(Some("noatime"), Some("without"), &2.into()), (Some("-m 5"), Some("-m 0"), &2.into())]);
    assert_eq!(stage.plan_again(&report), report["plan_hash"].as_str().expect("a hash")[..12]);
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn a_matrix_is_an_addition_to_other_contenders_and_is_checked_like_them() {
    let stage = Stage::new();
    let dry = |arguments: &[&str], code| run(stage.fsarena().args(["compare", "--dry-run"]).args(arguments), code);
    let plan = out(&dry(&["xfs", "--matrix", "btrfs:compress={no,zstd:1}"], 0));
    let places = ["xfs: xfs", "btrfs:compress=no: btrfs", "btrfs:compress=zstd:1: btrfs"].map(|line| plan.find(line));
    assert!(places[0].is_some() && places.is_sorted(), "{plan}");
    for (arguments, words) in [
        (&["--matrix", "ext4:noatime"][..], "no alternatives"),
        (&["--matrix", "ext5:{a,b}"], "ext5"),
        (&["--matrix", "x=ext4:{,noatime}"], "hint: leave the label out"),
        (&["--matrix", "ext4 -m {0,1,2,3,4,5,6,7,8} -N {1,2,3,4,5,6,7,8}"], "hint: leave alternatives out, or spread"),
        (&["--matrix", "ext4:{,data=journal} -O {,^}has_journal"], "data=journal"),
        (&["ext4", "--matrix", "ext4:{,noatime}"], "two contenders have the label `ext4`"),
    ] {
        let refused = err(&dry(arguments, 2));
        assert!(refused.contains(words) && refused.contains("hint: "), "{refused}");
    }
}
