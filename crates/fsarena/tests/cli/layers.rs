//! Layers below a file system: refused where the kernel cannot make them, made, measured and taken down in a guest.

use std::path::Path;

use crate::guests::{fetch, prepared};
use crate::pools::{OPENZFS, has_openzfs};
use crate::stage::{Stage, err, out, run};

/// The packages of all layers.
const PACKAGES: [&str; 5] = ["cryptsetup-bin", "dmsetup", "lvm2", "mdadm", "thin-provisioning-tools"];

#[test]
fn layers_that_cannot_be_made_are_refused_with_the_way_out() {
    let stage = Stage::new();
    let refused = |contender: &str, code: i32, word: &str, hint: &str| {
        let output = run(stage.compare(&["ext4", contender]).args(["--workload", &stage.small()]), code);
        let text = err(&output);
        assert!(text.contains(word) && text.contains(hint), "{text}");
    };
    refused("ext4@nothing", 2, "there is no layer `nothing`", "hint: the layers are luks, lvm");
    refused("ext4@luks,sector=7", 2, "`7` is no value of the option `sector`", "hint: its values are 4096");
    refused("tmpfs@luks", 2, "`tmpfs` is not mounted from a disk", "hint: leave it out");
    refused("ext4@luks+", 2, "a layer or a kernel is missing", "ext4@luks+lvm");
    if rustix::process::geteuid().is_root() && !Path::new("/sys/module/dm_mod").exists() {
        refused("ext4@luks", 4, "cannot make the layer `luks`: its module `dm_mod`", "hint: compare in a guest");
    }
    assert_eq!(stage.left(), Vec::<String>::new());
}

/// Two rounds: all layers are made again under the same names.
#[test]
fn every_layer_is_made_again_in_each_round_and_counted_at_the_lane() {
    if !prepared() {
        return;
    }
    fetch(&PACKAGES);
    let stage = Stage::new();
    let contenders = [
        "ext4",
        "ext4@luks,sector=512,workqueues=no",
        "btrfs@luks+lvm,extent=1m",
        "xfs@lvm-thin,chunk=128k",
        "ext4@raid1",
        "ext4@integrity,mode=bitmap",
    ];
    let mut command = stage.compare_on("512M", &contenders);
    run(command.args(["--guest", "--rounds", "2", "--baselines", "never", "--workload", &stage.small()]), 0);
    let report = stage.json();
    for cell in report["cells"].as_array().expect("cells") {
        assert!(cell["median"].as_f64().is_some_and(|rate| rate > 0.0), "{cell}");
        assert!(cell["probes"]["device.flushes"]["value"].as_f64().is_some_and(|flushes| flushes > 0.0), "{cell}");
    }
    assert_eq!(report["clean_checks"], 12);
    let of = |index: usize, key: &str| report["contenders"][index][key].to_string();
    let expected = [
        ("layers", "null", "journal"),
        ("layers", "--sector-size 512", "encryption"),
        ("layers", "--physicalextentsize 1m", "encryption"),
        ("layers", "--chunksize 128k", "metadata-checksums"),
        ("layers", "--assume-clean", "mirror"),
        ("layers", "--integrity-bitmap-mode", "data-checksums"),
    ];
    for (index, (key, command, guarantee)) in expected.into_iter().enumerate() {
        assert!(of(index, key).contains(command), "{}", of(index, key));
        assert!(of(index, "guarantees").contains(guarantee), "{}", of(index, "guarantees"));
    }
    assert_eq!(report["contenders"][4]["without_layers"], serde_json::json!(["ext4"]));
    let written = |index: usize| report["cells"][index]["probes"]["device.written"]["value"].as_f64().expect("counted");
    assert!(written(4) > 1.6 * written(0), "a mirror writes twice: {} and {}", written(4), written(0));
    let text = out(&run(stage.fsarena().args(["report", "last"]), 0));
    let is_cost = |line: &str| line.contains("ext4@raid1 ") && line.ends_with("not decided");
    assert!(text.contains("What the layers cost") && text.lines().any(is_cost), "{text}");
    let command = report["command"].to_string();
    assert!(command.contains("btrfs@luks+lvm,extent=1m") && command.contains("--guest"), "{command}");
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
#[ignore = "takes minutes where guests are emulated: cargo test -p fsarena --test cli layers -- --ignored"]
fn a_run_that_is_killed_while_it_makes_or_removes_layers_leaves_nothing() {
    if prepared() {
        fetch(&PACKAGES);
        let victims = "ext4@luks+lvm ext4@lvm-thin ext4@raid1 ext4@integrity --lane-size 80M";
        killed(victims, "'make layer' 'remove layer'");
    }
}

#[test]
#[ignore = "takes minutes where guests are emulated: cargo test -p fsarena --test cli layers -- --ignored"]
fn a_run_that_is_killed_while_it_has_a_pool_leaves_nothing() {
    if has_openzfs() {
        fetch(&[&OPENZFS[..], &PACKAGES].concat());
        killed("zfs zfs@luks --lane-size 272M", "'program zpool' 'program sh' 'make layer' 'remove layer'");
    }
}

/// Kills runs of `victims` in a guest, at steps of these names.
fn killed(victims: &str, steps: &str) {
    let stage = Stage::new();
    let stride = if std::env::var_os("FSARENA_EVERY_STEP").is_some() { "1" } else { "4" };
    let script = include_str!("layers/kills.sh").replace("STRIDE", stride);
    let script = script.replace("VICTIMS", victims).replace("STEPS", steps);
    let fields = "metric = { name = 'seconds', unit = 's', measure = 'seconds', better = 'lower' }\n\
        durable = 'none'\nengine = 'program'\ntime-limit-s = 1800\ncache = 'warm'\nmode = 'whole'\n[parameters]\n\
        operations = 1\n";
    let kills = stage.workload("kills", &format!("{fields}script = '''\n{script}'''\n"));
    let mut command = stage.compare_on("1500M", &["ext4@lvm", "--guest", "--guest-memory", "3G"]);
    run(command.args(["--rounds", "1", "--baselines", "never", "--workload", &kills]), 0);
    let report = stage.json();
    assert!(report["cells"][0]["median"].as_f64().is_some_and(|seconds| seconds > 0.0), "{}", report["cells"][0]);
}

#[test]
fn layers_keep_what_is_acknowledged() {
    if !prepared() {
        return;
    }
    fetch(&PACKAGES);
    let stage = Stage::new();
    let mut command = stage.fsarena();
    command.args(["durability", "ext4@luks+lvm-thin", "unflushed=ext4@luks:barrier=0", "--states", "8"]);
    let output = run(command.args(["--operations", "24", "--seed", "3", "--lane-size", "128M"]), 3);
    let page = out(&output);
    let row = |label: &str| page.lines().find(|line| line.starts_with(&format!("{label} "))).expect("a row");
    assert!(row("ext4@luks+lvm-thin").contains("kept all") && row("unflushed").contains("FAILED"), "{page}");
    let output = run(stage.fsarena().args(["durability", "xfs@raid1", "--lane-size", "400M"]), 2);
    assert!(err(&output).contains("hint: --lane-size 6"), "{}", err(&output));
    // Before a guest boots.
    let mut command = stage.compare_on("512M", &["ext4", "xfs@raid1"]);
    let output = run(command.args(["--guest", "--dry-run", "--workload", &stage.small()]), 2);
    assert!(err(&output).contains("a lane of 512 MiB is too small for `xfs@raid1`"), "{}", err(&output));
}
