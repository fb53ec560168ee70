//! Commands on several stored runs: diff, gate, history, tags, removal; and on results of others.

use fsarena_model::event::RoundFacts;
use fsarena_model::{
    Conditions, ContenderFacts, Durability, Event, Label, Nanos, Outcome, Plan, Slice, Status, Trial, Workload,
};
use fsarena_store::Store;
use serde_json::Value;

use crate::stage::{SMALL, Stage, err, out, run};

/// Deviations that follow no order.
const DEVIATIONS: [f64; 7] = [0.3, -1.1, 0.8, -0.2, 1.4, -0.9, -0.4];

/// Stores a run of the directories `base` and `new`, of which `new` reaches `ratio` of the rate of `base`.
pub fn store(stage: &Stage, name: &str, ratio: f64) -> i64 {
    let contenders =
        ["base", "new"].map(|label| format!("{label}=dir:{}", stage.place.path().display()).parse().expect("spelled"));
    let small: Workload = fsarena_catalog::workload(&stage.file("small.toml", SMALL)).expect("well-formed");
    let workloads = vec![Workload { name: name.parse().expect("a name"), ..small }];
    let plan = Plan { workloads, rounds: fsarena_model::Rounds::Exactly(6), ..Plan::of(contenders.to_vec()) };
    let mut store = Store::open(&stage.store()).expect("opened");
    let run = store.insert(&plan, "2026-11-22T12:00:00Z", &[]).expect("begun");
    let made = |label: &Label| ContenderFacts {
        mount: "ext4 rw".to_owned(),
        ..ContenderFacts::new(label.clone(), Durability::Flushed)
    };
    let mut events: Vec<Event> = plan.contenders.iter().map(|it| Event::Contender(made(&it.label))).collect();
    for round in 1..=6 {
        for (place, (contender, rate)) in plan.contenders.iter().zip([1000.0, 1000.0 * ratio]).enumerate() {
            let slice = |turn: usize| {
                let noise = 1.0 + 0.002 * DEVIATIONS[(run as usize + 3 * round as usize + turn + place) % 7];
                let position = (2 * turn + if turn.is_multiple_of(2) { place } else { 1 - place }) as u32;
                Slice { position, operations: 100, bytes: 0, elapsed: Nanos::millis(30), value: rate * noise }
            };
            let slices = (0..4).map(slice).collect();
            let empty =
                Trial::empty(round, plan.workloads[0].name.to_string(), contender.label.clone(), Outcome::Finished);
            events.push(Event::Trial(Box::new(Trial { slices, ..empty })));
        }
        let conditions = Conditions::default();
        let facts =
            RoundFacts { round, seconds: 5.0, foreign_cores: None, steal_cores: None, lane_cost: None, conditions };
        events.push(Event::RoundFinished(facts));
    }
    events.push(Event::Finished(Status::Complete));
    events.iter().for_each(|event| store.append(run, event).expect("stored"));
    run
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn a_gate_ends_with_1_only_for_a_regression() {
    let stage = Stage::without_runs();
    let slow = store(&stage, "small", 0.9).to_string();
    let (junit, summary) = (stage.path("gate.xml"), stage.file("summary.md", "before\n"));
    let mut gate = stage.fsarena();
    gate.args(["gate", &slow, "--baseline-contender", "base", "--summary", &summary, "--junit"]).arg(&junit);
    let text = out(&run(&mut gate, 1));
    assert!(text.contains("new in small is 11 % slower (at least"), "{text}");
    let xml = std::fs::read_to_string(junit).expect("written");
    assert!(xml.contains("failures=\"1\"") && xml.contains("type=\"regression\""), "{xml}");
    let summary = std::fs::read_to_string(summary).expect("there");
    assert!(summary.starts_with("before\n# Regression: new against base in run 1\n"), "{summary}");
    let tolerant = ["gate", &slow, "--baseline-contender", "base", "--threshold", "20%"];
    assert!(out(&run(stage.fsarena().args(tolerant), 0)).contains("No regression of more than 20 % is proved."));
    let equal = store(&stage, "small", 1.0).to_string();
    let passed =
        out(&run(stage.fsarena().args(["gate", "last", "--baseline-contender", "base", "--format", "json"]), 0));
    assert_eq!(json(&passed)["checks"][0]["outcome"], "passed", "{passed}");
    // Two runs, one after the other: a change of 10 % may be a drift of the machine.
    let text = out(&run(stage.fsarena().args(["gate", &slow, "--baseline", &equal]), 0));
    assert!(text.contains("blind to slowdowns below"), "{text}");
    let strict = ["gate", &slow, "--baseline", &equal, "--threshold", "1%", "--require-finds", "2%"];
    let why = "no regression of more than 1 % is proved: 2 of 2 checks would not have found a slowdown of 2 %";
    let text = out(&run(stage.fsarena().args(strict), 1)).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.starts_with("run 1 against run 2") && text.contains(&format!("The gate fails, though {why}")),
        "{text}"
    );
    let failed = json(&out(&run(stage.fsarena().args(strict).args(["--format", "json"]), 1)));
    assert_eq!((&failed["failed"], &failed["requires_finds"]), (&true.into(), &0.02.into()));
    let control = ["gate", &slow, "--baseline", &equal, "--control", "base", "--threshold", "1%"];
    let text = out(&run(stage.fsarena().args(control), 1));
    assert!(text.contains("Figures are relative to those of base"), "{text}");
}

#[test]
fn sides_are_runs_and_files_and_nothing_else() {
    let stage = Stage::without_runs();
    let runs: Vec<String> =
        [1.0, 1.0, 1.0, 0.7, 0.7, 0.7].map(|ratio| store(&stage, "small", ratio).to_string()).to_vec();
    let file = stage.path("run,6.jsonl").display().to_string();
    run(stage.fsarena().args(["export", &runs[5], "-o", &file]), 0);
    let (before, after) = (runs[..3].join(","), runs[3..5].join(","));
    let text = out(&run(stage.fsarena().args(["diff", &before, &after]), 0));
    assert!(text.contains("is slower") && text.contains("new in small (1.43×)"), "{text}");
    let json = json(&out(&run(stage.fsarena().args(["diff", &before, &file, "--format", "json"]), 0)));
    assert_eq!((&json["format"], json["after"][0]["name"].as_str()), (&1.into(), Some("run,6.jsonl")));
    assert!(
        out(&run(stage.fsarena().args(["diff", "1", "4", "--format", "markdown"]), 0))
            .starts_with("# run 4 against run 1")
    );
    let page = stage.path("diff.html");
    run(stage.fsarena().args(["diff", "1", "4", "--format", "html", "-o"]).arg(&page), 0);
    assert!(std::fs::read_to_string(page).expect("written").contains("<h2>What else differs</h2>"));
    let refused = |arguments: &[&str]| err(&run(stage.fsarena().args(arguments), 2));
    assert!(refused(&["diff", "1", "99"]).contains("has no run 99"));
    assert!(refused(&["diff", "1", "nowhere.jsonl"]).contains("is neither the number of a run nor a file"));
    assert!(refused(&["diff", "1,2", "2"]).contains("run 2 is on both sides"));
    assert!(refused(&["diff", "1", "2", "--control", "zfs"]).contains("hint: it has base, new"));
    assert!(refused(&["gate", "1", "--baseline-contender", "zfs"]).contains("has no contender `zfs`"));
    assert!(refused(&["gate", "1"]).contains("--baseline"));
    let other = store(&stage, "other", 1.0).to_string();
    assert!(refused(&["diff", "1", &other]).contains("nothing in common"));
    let clean = "nothing in common that could be compared (other: not in all runs; small: not in all runs)";
    let refused = refused(&["gate", "1", "--baseline", &other]);
    assert!(refused.contains(clean), "{refused}");
}

#[test]
fn machines_are_compared_with_what_holds_on_all_of_them() {
    let stage = Stage::without_runs();
    for ratio in [1.30, 1.31, 1.29, 0.7, 1.0] {
        store(&stage, "small", ratio);
    }
    let across = |arguments: &[&str]| {
        json(&out(&run(stage.fsarena().arg("across").args(arguments).args(["--format", "json"]), 0)))
    };
    let alike = &across(&["1", "2", "3"])["pairs"][0];
    assert_eq!((&alike["verdict"], &alike["depends"]), (&"slower".into(), &false.into()), "{alike}");
    let machines = alike["machines"].as_array().expect("machines");
    assert!(machines.iter().all(|it| it["session"] == "slower" && it["verdict"] == "slower"), "{alike}");
    let sample = |name: &str| alike["sample"][name].as_f64().expect("a number");
    assert!((sample("ratio") - 1.0 / 1.3).abs() < 0.01 && sample("high") < 1.0, "{alike}");
    assert!(sample("further_low") <= sample("low"), "{alike}");

    let unlike = across(&["1", "4", "5"]);
    let pair = &unlike["pairs"][0];
    assert_eq!((&pair["verdict"], &pair["depends"]), (&"undecided".into(), &true.into()), "{pair}");
    // Several runs of a machine show its drift.
    let repeated = across(&["1,2", "3,4"]);
    assert_eq!(repeated["drift"]["source"], "repeats");
    assert_eq!(repeated["machines"][1]["runs"].as_array().map(Vec::len), Some(2));
    assert_ne!(repeated["pairs"][0]["machines"][1]["verdict"], "slower");

    let text = out(&run(stage.fsarena().args(["across", "1", "2", "3"]), 0));
    assert!(text.contains("On all 3 machines new is faster than base in small (1.30×)."), "{text}");
    let text = out(&run(stage.fsarena().args(["across", "1", "4"]), 0));
    assert!(text.contains("No difference holds on both machines. It depends on the machine in small"), "{text}");
    let page = stage.path("across.html");
    run(stage.fsarena().args(["across", "1", "4", "--format", "html", "-o"]).arg(&page), 0);
    assert!(std::fs::read_to_string(page).expect("written").contains("<h2>On all machines</h2>"));
    let refused = |arguments: &[&str]| err(&run(stage.fsarena().arg("across").args(arguments), 2));
    assert!(refused(&["1"]).contains("2"), "{}", refused(&["1"]));
    assert!(refused(&["1,2", "2"]).contains("run 2 is on both sides"));
    let other = store(&stage, "other", 1.0).to_string();
    assert!(refused(&["1", &other]).contains("nothing in common"));
}

#[test]
fn a_history_and_tags_and_removed_runs() {
    let stage = Stage::without_runs();
    for number in 0..14 {
        store(&stage, "small", if number < 7 { 1.0 } else { 0.8 });
    }
    let text = out(&run(stage.fsarena().args(["history", "small"]), 0));
    assert!(text.contains("small in 14 runs") && text.contains("new is 25 % worse from run 8 on."), "{text}");
    assert!(text.contains("nothing else that is recorded differs from the run before"), "{text}");
    run(stage.fsarena().args(["runs", "tag", "3", "nightly", "v1.2"]), 0);
    run(stage.fsarena().args(["runs", "untag", "3", "v1.2"]), 0);
    run(stage.fsarena().args(["runs", "note", "3", "the fan was broken"]), 0);
    let listed = out(&run(stage.fsarena().args(["runs", "--tag", "nightly"]), 0));
    assert!(listed.lines().count() == 2 && listed.trim_end().ends_with("nightly"), "{listed}");
    assert!(out(&run(stage.fsarena().args(["report", "3"]), 0)).contains("the fan was broken"));
    let tagged =
        json(&out(&run(stage.fsarena().args(["history", "small", "--tag", "nightly", "--format", "json"]), 0)));
    assert_eq!(tagged["series"][0]["points"].as_array().map(Vec::len), Some(1));
    run(stage.fsarena().args(["runs", "remove", "3", "4"]), 0);
    assert!(err(&run(stage.fsarena().args(["runs", "remove", "3"]), 2)).contains("has no run 3"));
    assert_eq!(out(&run(stage.fsarena().arg("runs"), 0)).lines().count(), 13);
    let refused = err(&run(stage.fsarena().args(["history", "smal"]), 2));
    assert!(
        refused.contains("no run in the store has the workload `smal`")
            && refused.contains("hint: the runs have: small"),
        "{refused}"
    );
    assert!(err(&run(stage.fsarena().args(["runs", "tag", "5", "a b"]), 2)).contains("only letters, digits"));
    let refused = |more: &[&str]| err(&run(stage.fsarena().args(["history", "small"]).args(more), 2));
    assert!(refused(&["--contender", "nope"]).contains("hint: the runs have: base, new\n"));
    assert!(refused(&["--tag", "nope"]).contains("has the tag `nope`\nhint: fsarena runs tag RUN nope\n"));
    run(stage.fsarena().args(["runs", "tag", "5", "weekly"]), 0);
    assert!(refused(&["--tag", "nope"]).contains("hint: the tags are weekly; fsarena runs tag RUN nope\n"));
    assert!(err(&run(stage.fsarena().args(["runs", "--tag", "nope"]), 2)).contains("hint: the tags are weekly; "));
}

#[test]
fn a_run_that_was_imported_again_counts_once() {
    let stage = Stage::without_runs();
    let file = stage.path("run.jsonl").display().to_string();
    let _runs = [1.0, 0.8].map(|ratio| store(&stage, "small", ratio));
    run(stage.fsarena().args(["export", "1", "-o", &file]), 0);
    run(stage.fsarena().args(["import", &file, &file]), 0);
    let history = json(&out(&run(stage.fsarena().args(["history", "small", "--format", "json"]), 0)));
    assert_eq!(history["series"][0]["points"].as_array().map(Vec::len), Some(2), "{history}");
    assert_eq!(history["left_out"], serde_json::json!(["run 3: a copy of run 1", "run 4: a copy of run 1"]));
    let refused = |arguments: &[&str]| err(&run(stage.fsarena().args(arguments), 2));
    assert!(refused(&["diff", "1,3", "2"]).contains("run 1 and run 3 are the same run, which counts once"));
    assert!(refused(&["diff", "1", "3"]).contains("run 3 is on both sides: it is a copy of run 1"));
}

#[test]
fn results_of_others_are_judged_by_their_columns() {
    let stage = Stage::without_runs();
    let rows: String = (0..6).map(|row| format!("xfs,{row},{}\next4,{row}.5,100\n", 120 + row % 2)).collect();
    let file = stage.file("rows.csv", &format!("fs,when,rate\n{rows}"));
    let columns = ["--contender", "fs", "--value", "rate", "--higher", "--time", "when"];
    let text = out(&run(stage.fsarena().args(["judge", &file]).args(columns), 0));
    assert!(text.contains("xfs is faster than ext4: 1.2"), "{text}");
    assert!(text.contains("identity: no result records which file system it ran on"), "{text}");
    assert!(err(&run(stage.fsarena().args(["judge", &file]), 2)).contains("name the columns: `--contender COLUMN"));
    let both = err(&run(stage.fsarena().args(["judge", &format!("old={file}")]).args(columns), 2));
    assert!(both.contains("`old=` names the contender of") && both.contains("hint: leave out one of them"), "{both}");
    for label in ["", "my label", "a:b"] {
        let refused = err(&run(stage.fsarena().args(["judge", &format!("{label}={file}")]).args(columns), 2));
        assert!(refused.contains(&format!("`{label}` is no label")), "{refused}");
    }
    let newer = stage.file("newer.csv", &format!("fs,when,rate\n{}", rows.replace("xfs", "btrfs")));
    let given = [format!("old={file}"), format!("new={newer}")];
    let text = out(&run(stage.fsarena().arg("judge").args(given).args(["--value", "rate", "--lower"]), 0));
    assert!(text.contains("new / old") && text.contains("Lower figures count as better"), "{text}");
    assert!(text.contains("no option names fs, when;"), "{text}");
    let undirected = err(&run(stage.fsarena().args(["judge", &file, "--value", "rate"]), 2));
    assert!(undirected.contains("hint: add `--higher` for rates, or `--lower` for times"), "{undirected}");
    assert!(err(&run(stage.fsarena().args(["judge", "nowhere.csv"]), 2)).contains("`nowhere.csv` cannot be read"));
    let other = stage.file("other.json", "{}");
    for (argument, way) in [
        ("ext4=run-*.json", "`fsarena judge $(printf 'ext4=%s ' run-*.json)`"),
        ("ext4=a.json,b.json", "`fsarena judge ext4=a.json ext4=b.json`"),
        ("-", "`… | fsarena judge LABEL=/dev/stdin`"),
    ] {
        assert!(err(&run(stage.fsarena().args(["judge", argument]), 2)).contains(way), "{argument}");
    }
    assert!(err(&run(stage.fsarena().args(["judge", &other]), 2)).contains("of no tool that judge knows"));
    let of_columns = err(&run(stage.fsarena().args(["judge", &other, "--lower"]), 2));
    assert!(of_columns.contains("--contender <COLUMN>|--value <COLUMN>"), "options of a table alone: {of_columns}");
    let wide = stage.file("wide.csv", "ext4,xfs\n10,20\n11,21\n");
    let of_wide = |more: &[&str], code| run(stage.fsarena().args(["judge", &wide]).args(more), code);
    assert!(err(&of_wide(&["--contender", "ext4"], 2)).contains("hint: name the column of the figures with `--value"));
    assert!(out(&of_wide(&["--contender", "ext4,xfs", "--lower"], 0)).contains("4 results of ext4, xfs"));
    let empty = stage.file("empty.json", "");
    assert!(err(&run(stage.fsarena().args(["judge", &empty]), 2)).contains("empty.json` is empty\nhint: see whether"));
}

#[test]
fn files_without_labels_get_a_hint() {
    let stage = Stage::without_runs();
    let text = "Throughput 10 MB/sec  4 clients  4 procs  max_latency=1 ms\n";
    let files = ["ext4-1.txt", "ext4-2.txt", "b.txt"].map(|name| stage.file(name, text));
    let said = |arguments: &[&str]| err(&run(stage.fsarena().arg("judge").args(arguments), 0));
    let [first, second, third] = files.each_ref().map(String::as_str);
    let hint = format!(
        "hint: files with the same label are runs of one contender: `fsarena judge ext4={first} ext4={second} LABEL={third}`"
    );
    assert!(said(&[first, second, third]).contains(&hint), "{}", said(&[first, second, third]));
    assert!(!said(&[first, third]).contains("hint"), "two files may be two contenders");
    assert!(!said(&[first, &format!("b={second}"), third]).contains("hint"));
    let twice = err(&run(stage.fsarena().args(["judge", first, first]), 2));
    assert!(twice.contains("is named twice"), "{twice}");
}

/// The row of a table of docs/interface.md that begins with `name`: what is between backquotes after it.
fn documented(name: &str) -> Vec<String> {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/interface.md")).expect("readable");
    let (_, section) = page.split_once("### Several runs").expect("there");
    let row = section.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).expect("a row");
    let mut keys: Vec<String> = row.split('`').skip(3).step_by(2).map(str::to_owned).collect();
    keys.push("format".to_owned());
    keys.sort();
    keys
}

#[test]
fn the_json_has_the_documented_keys() {
    let stage = Stage::without_runs();
    store(&stage, "small", 1.0);
    store(&stage, "small", 0.9);
    let file = stage.file("rows.csv", "fs,rate\nxfs,1\next4,2\n");
    let lines: [&[&str]; 5] = [
        &["diff", "1", "2"],
        &["across", "1", "2"],
        &["gate", "1", "--baseline-contender", "base"],
        &["history", "small"],
        &["judge", &file, "--contender", "fs", "--value", "rate", "--higher"],
    ];
    for line in lines {
        let value = json(&out(&run(stage.fsarena().args(line).args(["--format", "json"]), 0)));
        let mut keys: Vec<String> = value.as_object().expect("an object").keys().cloned().collect();
        keys.extend((line[0] == "diff").then(|| "withheld".to_owned()));
        keys.sort();
        assert_eq!(keys, documented(line[0]), "{}", line[0]);
    }
}
