//! Whole comparisons on small lanes.

use fsarena_testing::{Need, has, holds_lanes};
use serde_json::Value;

use crate::stage::{Stage, accounts_for, err, is_root, out, run};

fn cell<'a>(report: &'a Value, workload: &str, contender: &str) -> &'a Value {
    let cells = report["cells"].as_array().expect("cells");
    let wanted = |cell: &&Value| cell["workload"] == workload && cell["contender"] == contender;
    cells.iter().find(wanted).expect("the cell is there")
}

fn classes(cell: &Value) -> Vec<&str> {
    let flags = cell["validity"].as_array().expect("an array");
    flags.iter().filter_map(|flag| flag["class"].as_str()).collect()
}

#[test]
fn every_kind_is_compared_and_nothing_is_left() {
    let Some(stage) = Stage::of_root() else { return };
    let kinds = ["ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs"];
    let table = stage.path("table.csv");
    let mut command = stage.compare(&kinds);
    command.args(["--rounds", "2", "--workload", &stage.small(), "--seed", "17", "--format", "csv", "-o"]).arg(&table);
    let output = run(&mut command, 0);
    assert!(out(&output).contains("best group") && err(&output).contains("run 1;"), "{}", out(&output));
    assert!(std::fs::read_to_string(&table).expect("it was written").starts_with("kind,workload,"));
    assert_eq!(stage.left(), Vec::<String>::new());

    let report = stage.json();
    assert_eq!((report["format"].as_i64(), report["status"].as_str()), (Some(1), Some("complete")));
    assert_eq!(report["rounds"], 2);
    assert_eq!(report["seed"], "17");
    assert_eq!(report["contenders"].as_array().map(Vec::len), Some(6));
    assert_eq!(report["verdicts"].as_array().map(Vec::len), Some(15), "each pair once");
    assert_eq!(report["damage"], Value::Array(Vec::new()));
    for kind in kinds.iter().filter(|kind| **kind != "tmpfs") {
        let cell = cell(&report, "small", kind);
        let flushes = cell["probes"]["device.flushes"]["value"].as_f64().expect("a lane counts flushes");
        assert!(flushes >= 0.9, "{kind}: {flushes} flushes for each fsync");
        assert!(cell["probes"]["latency.fsync.p99"]["value"].as_f64().is_some_and(|seconds| seconds > 0.0));
        assert!(accounts_for(cell, 2), "{cell}");
    }
    assert!(cell(&report, "small", "tmpfs")["probes"]["device.flushes"]["value"].is_null(), "absent, not 0");
    let across = |pair: &&Value| pair["b"] == "tmpfs";
    for pair in report["verdicts"].as_array().expect("an array").iter().filter(across) {
        assert_eq!(pair["verdict"], "invalid");
        assert!(pair["ratio"].is_null() && pair["reasons"][0]["is"] == "durability", "{pair}");
    }
}

#[test]
fn a_smoke_run_has_no_word_of_verdicts_and_says_why() {
    let stage = Stage::new();
    let mut command = stage.fsarena();
    command.args(["compare", "--workload", &stage.small(), "--scale", "smoke", "--rounds", "4"]);
    for label in ["a", "b"] {
        std::fs::create_dir(stage.path(label)).expect("made");
        command.arg(format!("{label}=dir:{}", stage.path(label).display()));
    }
    let output = run(&mut command, 0);
    let full = run(stage.fsarena().args(["report", "last"]), 0);
    for words in [out(&output) + &err(&output), out(&full)] {
        assert!(!words.contains("decided") && !words.contains("fastest"), "{words}");
        assert_eq!(words.matches("This run has no verdicts: at --scale smoke").count(), 1, "{words}");
    }
    let report = stage.json();
    assert_eq!(report["verdicts"], Value::Array(Vec::new()));
    assert!(report["without_verdicts"].as_str().is_some_and(|why| why.contains("leave out --scale smoke")), "{report}");
}

#[test]
fn a_direct_write_through_the_page_cache_is_found_and_a_cold_read_is_proved() {
    let Some(stage) = Stage::of_root() else { return };
    // The pages that are dirtied on a device are counted there.
    if !has(&[Need::Path("/sys/kernel/debug")]) {
        return;
    }
    let shape = |name: &str, cache: &str, more: &str| {
        stage.workload(name, &format!("engine = 'data'\ncache = '{cache}'\nmode = 'sliced'\nslices = 2\n{more}"))
    };
    let random = "operation = 'write', pattern = 'random', file-size = 33554432, block-size = 4096";
    let writes = shape("writes", "direct", &format!("parameters = {{ {random}, operations = 400 }}"));
    let read = "operation = 'read', pattern = 'sequential', file-size = 33554432, block-size = 1048576";
    let reads = shape("reads", "cold", &format!("parameters = {{ {read} }}"));
    let contenders = ["ext4", "xfs", "btrfs", "nosum=btrfs:nodatasum"];
    run(stage.compare(&contenders).args(["--rounds", "1", "--workload", &writes, "--workload", &reads]), 0);
    let report = stage.json();
    assert!(classes(cell(&report, "writes", "btrfs")).contains(&"not-direct"));
    for contender in ["ext4", "xfs", "nosum"] {
        // Other classes, such as `device-bound`, are possible.
        assert!(!classes(cell(&report, "writes", contender)).contains(&"not-direct"), "{contender}");
    }
    for contender in ["ext4", "xfs", "btrfs", "nosum"] {
        assert!(!classes(cell(&report, "reads", contender)).contains(&"cached"), "{contender}");
        let read = cell(&report, "reads", contender)["probes"]["device.read"]["value"].as_f64().expect("a lane");
        assert!(read >= 1_048_576.0, "{contender}: {read} bytes from the device for each read of a mebibyte");
    }
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn a_contender_from_a_file_has_its_options_and_whole_runs_work_in_memory() {
    let Some(stage) = Stage::of_root() else { return };
    if !holds_lanes() {
        return;
    }
    let file = "kind = 'ext4'\nlabel = 'bare'\nmount = 'noatime'\nmkfs = ['-O', '^has_journal']\n";
    let contender = stage.file("bare.toml", file);
    let whole = crate::stage::SMALL.replace("\"small\"", "\"whole\"");
    let whole = whole.replace("\"sliced\"\nslices = 2\nwarm-up-ms = 5", "\"whole\"");
    let whole = stage.file("whole.toml", &whole);
    let mut command = stage.fsarena();
    command.args(["compare", "ext4", &contender, "--storage", "memory", "--lane-size", "300M", "--rounds", "1"]);
    run(command.args(["--workload", &whole]), 0);
    let report = stage.json();
    let bare = &report["contenders"][1];
    assert_eq!(bare["label"], "bare");
    assert!(bare["mount"].as_str().is_some_and(|mount| mount.contains("noatime")), "{bare}");
    assert!(bare["mkfs"].as_array().is_some_and(|mkfs| mkfs.iter().any(|word| word == "^has_journal")));
    assert!(!bare["guarantees"].as_array().expect("an array").iter().any(|guarantee| guarantee == "journal"));
    assert_eq!(report["workloads"][0]["mode"], "whole");
    assert_eq!(cell(&report, "whole", "bare")["samples"], 1);
    let notes = report["notes"].to_string();
    assert!(notes.contains("in memory"), "the report says that flushes are free: {notes}");
}

#[test]
fn reports_come_in_all_formats() {
    let stage = Stage::new();
    std::fs::create_dir(stage.path("a")).expect("made");
    std::fs::create_dir(stage.path("b")).expect("made");
    let (a, b) = (format!("a=dir:{}", stage.path("a").display()), format!("b=dir:{}", stage.path("b").display()));
    run(stage.fsarena().args(["compare", &a, &b, "--rounds", "2", "--workload", &stage.small()]), 0);
    for format in ["text", "markdown", "csv", "html", "json"] {
        let output = run(stage.fsarena().args(["report", "1", "--format", format]), 0);
        assert!(out(&output).contains("small"), "{format}");
    }
    let page = stage.path("page.html");
    run(stage.fsarena().args(["report", "--format", "html", "-o"]).arg(&page), 0);
    assert!(std::fs::read_to_string(page).expect("written").contains("</html>"));
    let runs = out(&run(stage.fsarena().arg("runs"), 0));
    assert!(runs.contains("complete") && runs.contains("a b"), "{runs}");
}

#[test]
fn a_dry_run_prints_the_plan_and_makes_nothing() {
    let stage = Stage::without_runs();
    let storage = stage.storage().display().to_string();
    let arguments = ["compare", "ext4", "xfs", "--dry-run", "--seed", "1", "--storage", &storage];
    let output = run(stage.fsarena().args(arguments), 0);
    let text = out(&output);
    for word in ["plan ", "seed 1", "unpack-archive", "rounds of about", "2 lanes of 2.00 GiB"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    assert!(!stage.storage().exists() && !stage.path("home").exists());
}

#[test]
fn extra_contenders_do_direct_io_and_the_command_names_them() {
    let Some(stage) = Stage::of_root() else { return };
    let small = stage.small();
    let added = run(&mut stage.compare(&["btrfs", "ext4", "--extra", "--rounds", "1", "--workload", &small]), 0);
    assert!(err(&added).contains("`btrfs-nodatasum` was added"), "{}", err(&added));
    let json = stage.json();
    let labels: Vec<_> = json["contenders"].as_array().expect("rows").iter().map(|row| row["label"].clone()).collect();
    assert_eq!(labels, ["btrfs", "btrfs-nodatasum", "ext4"]);
    assert!(json["contenders"][1]["mount"].as_str().is_some_and(|mount| mount.contains("nodatasum")));
    let command: Vec<&str> =
        json["command"].as_array().expect("words").iter().filter_map(|word| word.as_str()).collect();
    assert_eq!(command[2..5], ["btrfs", "btrfs-nodatasum=btrfs:nodatasum", "ext4"]);
    let guarantees = json["verdicts"][0]["guarantees"].as_str();
    assert!(guarantees.is_some_and(|text| text.contains("btrfs also has data checksums")), "{guarantees:?}");
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn lanes_are_preconditioned_before_anything_else_and_a_note_has_the_result() {
    let stage = Stage::new();
    let small = stage.small();
    let arguments = ["ext4", "--precondition", "--rounds", "1", "--workload", &small];
    let plan = out(&run(stage.compare_on("128M", &arguments).arg("--dry-run"), 0));
    assert!(plan.contains("all lanes are written in full twice"), "{plan}");
    if !is_root() {
        return;
    }
    run(&mut stage.compare_on("128M", &arguments), 0);
    let json = stage.json();
    let rounds = json["environment"]["preconditioned"]["writes_per_second"].as_array().map_or(0, Vec::len);
    assert!((5..=25).contains(&rounds), "{json}");
    let notes = json["notes"].as_array().expect("notes").iter().filter_map(|note| note["text"].as_str());
    let found: Vec<&str> = notes.filter(|text| text.contains("preconditioned")).collect();
    assert!(
        found.len() == 1 && found[0].contains(&format!("{rounds} rounds")) && found[0].contains("images"),
        "{found:?}"
    );
    assert!(json["command"].as_array().expect("words").iter().any(|word| word == "--precondition"));
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn the_catalogue_can_be_listed() {
    let stage = Stage::without_runs();
    let text = out(&run(stage.fsarena().arg("list"), 0));
    for word in ["btrfs", "create-syncfs", "operations"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    let about = out(&run(stage.fsarena().args(["list", "create-fsync"]), 0));
    assert!(about.contains("durable by fsync, inside the timer") && about.contains("operations"), "{about}");
    let mail = out(&run(stage.fsarena().args(["list", "mail"]), 0));
    assert!(
        mail.contains("profile mail") && mail.contains("mail-delivery 55 %") && !mail.contains("stat-tree"),
        "{mail}"
    );
    let spools = out(&run(stage.fsarena().args(["list", "spool"]), 0));
    assert!(
        spools.contains("create-fsync") && spools.contains("create-threads-syncfs") && !spools.contains("stat-tree"),
        "{spools}"
    );
    for word in ["database", "postgres"] {
        let found = out(&run(stage.fsarena().args(["list", word]), 0));
        assert!(found.contains("A database server") && found.contains("phoronix-pgbench"), "{word}: {found}");
    }
    for (name, parts) in [
        ("operations", ["suite operations", "create-syncfs", "fsarena compare --suite operations"]),
        ("ext4", ["kind ext4", "about", "here"]),
        ("luks", ["layer luks", "cipher=aes-xts-plain64|", "ext4@luks"]),
        ("vagrant", ["article vagrant", "tests", "fsarena reproduce vagrant"]),
    ] {
        let about = out(&run(stage.fsarena().args(["list", name]), 0));
        assert!(parts.iter().all(|part| about.contains(part)), "{about}");
    }
    for (word, category) in [("articles", "published"), ("Kind", "kinds"), ("profile", "profiles"), ("EXT4", "ext4")] {
        let [found, wanted] = [word, category].map(|word| out(&run(stage.fsarena().args(["list", word]), 0)));
        assert_eq!(found, wanted, "{word}");
    }
    let unknown = err(&run(stage.fsarena().args(["list", "operatoins"]), 2));
    assert!(unknown.contains("did you mean `operations`?"), "{unknown}");
    let mut narrow = stage.fsarena();
    let narrow = out(&run(narrow.args(["list", "workloads"]).env("COLUMNS", "80"), 0));
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    assert!(!out(&run(stage.fsarena().args(["list", "suites"]), 0)).contains("btrfs"));
}
