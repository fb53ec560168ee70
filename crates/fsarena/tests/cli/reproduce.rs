//! Articles reproduced on real lanes.

use serde_json::Value;

use crate::stage::{Stage, err, out, run};

/// The 31 operations of the AxVisor article, on the kernel's ext4 and on the library that AxVisor uses today.
#[test]
fn axvisors_operations_run_on_a_kernel_and_on_a_library() {
    let Some(stage) = Stage::of_root() else { return };
    let arguments = ["reproduce", "axvisor", "--harness", "native", "--contenders", "ext4,rsext4", "--rounds", "1"];
    let page = stage.path("page.html");
    let mut command = stage.fsarena();
    let command = command.args(arguments).args(["--seed", "7", "--storage"]).arg(stage.storage()).arg("-o").arg(&page);
    let output = run(command, 0);
    assert!(std::fs::read_to_string(page).expect("written").contains("rmdir-50"));
    let text = out(&output);
    assert!(text.contains("As it should be measured") && text.contains("rmdir-50"), "{text}");
    let report = out(&run(stage.fsarena().args(["report", "last", "--format", "json"]), 0));
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let tests: std::collections::BTreeSet<&str> = figures(&report)
        .filter(|figure| !figure["properly"].is_null())
        .filter_map(|figure| figure["test"].as_str())
        .collect();
    assert_eq!(tests.len(), 31, "{tests:?}");
    let verified = report["verifications"].as_array().expect("a list");
    assert!(verified.len() >= 2, "each contender, and rounds that make up for others: {verified:?}");
    for row in verified {
        assert_eq!(row["differences"], Value::Array(Vec::new()), "{row}");
        assert!(row["files"].as_u64() > Some(50), "{row}");
    }
    for cell in report["cells"].as_array().expect("a list") {
        let steps = cell["steps"].as_array().expect("a list");
        assert!(steps.iter().any(|step| step["name"] == "unmount"), "{}", cell["contender"]);
    }
    let again = report["command"].as_array().expect("a list");
    assert_eq!(again[1], "reproduce");
    assert!(again.iter().any(|word| word == "--harness=native"), "{again:?}");
}

fn figures(report: &Value) -> impl Iterator<Item = &Value> {
    report["reproduction"]["figures"].as_array().expect("a list").iter()
}

#[test]
fn both_harnesses_are_planned_unless_one_is_named() {
    let stage = Stage::without_runs();
    let plan = |more: &[&str]| {
        let arguments = ["reproduce", "axvisor", "--contenders", "ext4", "--dry-run"];
        // The plan is printed even if there is no room for it, which is an error.
        out(&stage.fsarena().args(arguments).args(more).output().expect("it starts"))
    };
    let has = |text: &str| (text.contains("axvisor-shell"), text.contains("axvisor "));
    assert_eq!(has(&plan(&[])), (true, true), "{}", plan(&[]));
    assert_eq!(has(&plan(&["--harness", "both"])), (true, true));
    assert_eq!(has(&plan(&["--harness", "shell"])), (true, false), "{}", plan(&["--harness", "shell"]));
}

#[test]
fn a_contender_that_supports_no_workload_is_refused_before_anything_is_made() {
    let stage = Stage::new();
    let arguments = ["reproduce", "axvisor", "--harness", "shell", "--contenders", "ext4,rsext4"];
    let output = run(stage.fsarena().args(arguments), 2);
    assert!(err(&output).contains("`rsext4` can do none of these workloads"), "{}", err(&output));
}

#[test]
fn an_article_is_planned_at_either_scale() {
    let stage = Stage::new();
    let plan = |scale: &str| {
        let arguments = ["reproduce", "openeuler", "--dry-run", "--scale", scale, "--contenders", "ext4,xfs"];
        // The plan is printed even if there is no room for it, which is an error.
        out(&stage.fsarena().args(arguments).output().expect("it starts"))
    };
    assert!(plan("standard").contains("3 rounds"), "{}", plan("standard"));
    assert!(plan("published").contains("lanes of 20.0 GiB"), "{}", plan("published"));
}

#[test]
fn a_plan_can_be_had_as_json_and_in_no_other_format() {
    let stage = Stage::new();
    let plan = ["reproduce", "axvisor", "--dry-run", "--scale", "smoke", "--format"];
    let output = out(&run(stage.fsarena().args(plan).arg("json"), 0));
    let plan_of_article: serde_json::Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!(plan_of_article["rounds"], 1);
    assert_eq!(plan_of_article["workloads"][0]["name"], "axvisor-shell");
    let refused = run(stage.fsarena().args(plan).arg("csv"), 2);
    assert!(err(&refused).contains("a plan has no format `csv`"), "{}", err(&refused));
}

#[test]
fn a_plan_says_what_of_the_article_it_compares_and_how_to_get_the_rest() {
    let stage = Stage::new();
    let notes = |arguments: &[&str]| {
        err(&stage.fsarena().arg("reproduce").args(arguments).arg("--dry-run").output().expect("it starts"))
    };
    let on_host = notes(&["vagrant"]);
    let expected = "this run represents VirtualBox native, VMware native, and has nothing for native, vboxsf, vmhgfs, \
                    NFS; `fsarena reproduce vagrant --guest` has 9p, virtiofs, nfs for them";
    assert!(on_host.contains(expected), "{on_host}");
    let in_guest = notes(&["vagrant", "--guest"]);
    assert!(in_guest.contains("has nothing for native\n"), "{in_guest}");
    let without = notes(&["phoronix-2009", "--scale", "smoke", "--contenders", "ext3,ext4"]);
    assert!(
        without.contains("nothing for XFS, Btrfs, NILFS2; leave out --contenders, and xfs, btrfs, nilfs2 take part"),
        "{without}"
    );
    assert!(!notes(&["phoronix-2009", "--scale", "smoke"]).contains("has nothing for"));
}
