//! The configuration file.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::stage::{Stage, binary, err, out, run};

/// The binary without `--store`, with this configuration in the test's home.
fn with_config(stage: &Stage, text: &str) -> Command {
    let folder = stage.path("home/.config/fsarena");
    fs::create_dir_all(&folder).expect("made");
    fs::write(folder.join("config.toml"), text).expect("written");
    let mut command = Command::new(binary());
    command.env("HOME", stage.path("home")).env_remove("XDG_CONFIG_HOME").env_remove("XDG_DATA_HOME");
    command
}

/// The plan of a comparison with further arguments.
fn plan(stage: &Stage, config: &str, further: &[&str]) -> Value {
    let small = stage.small();
    let mut command = with_config(stage, config);
    command.args(["compare", "dir:/tmp", "b=dir:/tmp", "--workload", &small, "--dry-run", "--format", "json"]);
    serde_json::from_str(&out(&run(command.args(further), 0))).expect("JSON")
}

#[test]
fn the_file_gives_what_the_command_line_does_not() {
    let stage = Stage::without_runs();
    let config = "budget = \"7m\"\nstorage = \"dir:/srv/lanes\"\n";
    let of_file = plan(&stage, config, &["--seed", "1"]);
    assert_eq!(
        (&of_file["budget_seconds"], &of_file["storage"]),
        (&Value::from(420.0), &Value::from("images in /srv/lanes"))
    );
    let typed = plan(&stage, config, &["--seed", "1", "--budget", "8m", "--storage", "memory"]);
    assert_eq!((&typed["budget_seconds"], &typed["storage"]), (&Value::from(480.0), &Value::from("images in memory")));
    assert_eq!(plan(&stage, config, &["--rounds", "3"])["rounds"], 3, "rounds that were typed are no budget");
    let without = plan(&stage, config, &["--seed", "1", "--no-config"]);
    assert!(without["budget_seconds"] != 420.0 && without["storage"] != "images in /srv/lanes", "{without}");
    assert_eq!(plan(&stage, "margin = 12\n", &["--seed", "1"])["plan_hash"], {
        plan(&stage, "", &["--seed", "1", "--margin", "12%"])["plan_hash"].clone()
    });
}

#[test]
fn the_store_of_the_file_is_used_and_one_of_another_command_is_no_error() {
    let stage = Stage::without_runs();
    let config = format!("store = \"{}\"\nmargin = \"3%\"\n", stage.path("elsewhere.sqlite").display());
    let missing = err(&run(with_config(&stage, &config).args(["runs"]), 2));
    assert!(missing.contains("elsewhere.sqlite"), "{missing}");
    run(with_config(&stage, &config).args(["list", "kinds"]), 0);
}

#[test]
fn mistakes_in_the_file_are_refused_with_their_place() {
    let stage = Stage::without_runs();
    let refused =
        |config: &str| err(&run(with_config(&stage, config).args(["compare", "ext4", "xfs", "--dry-run"]), 2));
    let unknown = refused("margn = \"5%\"\n");
    assert!(unknown.contains("config.toml: unknown key `margn`"), "{unknown}");
    assert!(unknown.contains("hint: did you mean `margin`? the keys are store, color,"), "{unknown}");
    let wrong = refused("margin = \"wide\"\n");
    assert!(
        wrong.contains("config.toml: `margin = \"wide\"`: invalid value 'wide' for '--margin <PERCENT>'"),
        "{wrong}"
    );
    let several = refused("a = 1\ncolour = 2\n");
    assert!(several.contains("unknown key `a`") && several.contains("unknown key `colour`"), "{several}");
    let several = refused("margin = \"wide\"\ncolor = \"maybe\"\n");
    assert!(several.contains("`margin = ") && several.contains("`color = "), "{several}");
    assert!(refused("margin = 1\nstore = \"x\n").contains("config.toml: line 2: "));
    assert!(refused("margin = [1]\n").contains("`margin` is neither a text nor a number"));
    assert!(refused("margin =\n").contains("hint: correct it, or run with --no-config"));
    run(with_config(&stage, "margn = 1\n").args(["list", "kinds", "--no-config"]), 0);
}
