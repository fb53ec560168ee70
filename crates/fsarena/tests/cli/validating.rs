//! `fsarena validate`: profiles against programs that they do not contain.

use std::fs;

use serde_json::Value;

use crate::stage::{LANE, SMALL, Stage, err, out, run};

/// A profile of two workloads and a program that it does not contain, each in a folder.
fn with_program(stage: &Stage) {
    for folder in ["profiles", "programs", "work"] {
        fs::create_dir(stage.path(folder)).expect("made");
    }
    let sized = |name: &str, size: &str| SMALL.replace("\"small\"", &format!("\"{name}\"")).replace("1024", size);
    stage.file("work/one.toml", &sized("one", "1024"));
    stage.file("work/two.toml", &sized("two", "9000"));
    stage.file("programs/third.toml", &format!("group = 'own'\n{}", sized("third", "4096")));
    let weights = "name = 'own'\n[weights]\n'../work/one.toml' = 1\n'../work/two.toml' = 3\n";
    stage.file("profiles/own.toml", weights);
}

#[test]
fn a_profile_is_measured_with_its_programs_and_judged_again_by_another() {
    let Some(stage) = Stage::of_root() else { return };
    with_program(&stage);
    let path = |name: &str| stage.path(name).display().to_string();
    let files = [&*path("profiles/own.toml"), "--programs", &path("programs/third.toml")];
    let planned = out(&run(stage.fsarena().arg("validate").args(files).args(["--dry-run", "--rounds", "12"]), 0));
    assert!(
        planned.contains("  12") && planned.contains("own") && planned.contains("two one") && planned.contains("third"),
        "{planned}"
    );
    let mut validate = stage.fsarena();
    // While other tests run, some rounds are of another condition of the machine, and three have to count.
    validate.arg("validate").args(files).args(["--contenders", "ext4,xfs", "--rounds", "12", "--lane-size", LANE]);
    let told = err(&run(validate.arg("--storage").arg(stage.storage()).args(["-o", &path("found.md")]), 0));
    assert!(told.contains("profile own (1 of 1)") && told.contains("fsarena validate --runs 1"), "{told}");
    let found = fs::read_to_string(stage.path("found.md")).expect("written");
    assert!(found.contains("| third | own | syncs | ext4 / xfs |") && found.contains("](found.svg)"), "{found}");
    assert!(fs::read_to_string(stage.path("found.svg")).expect("written").contains("predicted = measured"));

    let json = |more: &[&str]| -> Value {
        let judged = run(stage.fsarena().args(["validate", "--runs", "1", "--format", "json"]).args(more), 0);
        serde_json::from_slice(&judged.stdout).expect("JSON")
    };
    let programs = |found: &Value| -> Vec<String> {
        let pairs = found["pairs"].as_array().expect("an array").iter();
        pairs.map(|pair| pair["program"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(programs(&json(&[])), ["third"]);
    stage.file("profiles/own.toml", "name = 'own'\n[weights]\n'../work/two.toml' = 1\n");
    assert_eq!(programs(&json(&files[..1])), ["one", "third"]);

    let command = stage.json()["command"].clone();
    let words: Vec<&str> = command.as_array().expect("an array").iter().filter_map(Value::as_str).collect();
    assert!(words.windows(2).any(|pair| pair == ["--workload", &path("programs/third.toml")]), "{words:?}");
    assert!(!words.iter().any(|word| word.ends_with("one.toml")), "{words:?}");
}

#[test]
fn what_cannot_be_validated_is_refused() {
    let stage = Stage::without_runs();
    with_program(&stage);
    let refused = |more: &[&str]| err(&run(stage.fsarena().arg("validate").args(more), 2));
    assert!(refused(&["mial"]).contains("did you mean `mail`?"));
    assert!(refused(&["no-such.toml"]).contains("no-such.toml"));
    assert!(refused(&["mail", "mail"]).contains("named twice"));
    assert!(refused(&["mail", "--dry-run", "--format", "json"]).contains("a dry run has none"));
    assert!(refused(&["mail", "--dry-run", "--storage", "dir:"]).contains("no path after"));
    assert!(refused(&["--runs", "1", "--rounds", "4"]).contains("cannot be used with"));
    assert!(refused(&["--dry-run", "--contenders", "ext4,xfz"]).contains("did you mean `xfs`?"));
    assert!(refused(&["--contenders", "ext4"]).contains("a prediction is about two contenders"));
    let program = stage.path("programs/third.toml").display().to_string();
    assert!(refused(&["mail", "--programs", &program]).contains("no program validates"));
    let profile = stage.path("profiles/own.toml").display().to_string();
    let missing = "name = 'third'\ngroup = 'own'\nversion = 1\nmeasures = 'A.'\nwhy = 'A.'\nengine = 'program'\n\
                   durable = 'fsync'\ncache = 'warm'\nmode = 'sliced'\nslices = 1\n\
                   metric = { name = 'time', unit = 's', measure = 'seconds', better = 'lower' }\n[parameters]\n\
                   needs = [{ program = 'no-such', package = 'no-such-package' }]\noperations = 1\ndata = '1M'\n\
                   script = 'true'\n";
    stage.file("programs/third.toml", missing);
    let files = ["validate", &profile, "--programs", &program];
    for more in [&[][..], &["--dry-run"]] {
        let text = err(&run(stage.fsarena().args(files).args(more), 4));
        assert!(text.contains("that validates own is installed\nhint: apt-get install no-such-package"), "{text}");
    }
}
