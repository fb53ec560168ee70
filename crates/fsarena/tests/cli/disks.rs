//! Disks as storage: refused disks, with the message, stay unchanged; accepted disks are given back.

pub mod device;
mod read_only;
mod refused;
mod returned;

use std::process::{Command, Output};

use crate::stage::{Stage, err, wait_until};
use device::{Disk, hash};

/// A workload that fits on lanes of [`LANE`].
const TINY: &str = r#"
name = "tiny"
version = 1
measures = "A few files, each made durable."
why = "A test."
engine = "files"
durable = "fsync"
cache = "warm"
mode = "sliced"
slices = 2
warm-up-ms = 1
timed-ms = 2
metric = { name = "files-per-second", unit = "files/s", measure = "operations-per-second", better = "higher" }
parameters = { operation = "create", size = 1024 }
"#;

const LANE: &str = "16M";

/// Room for two lanes and the wiped areas at both ends.
const ROOM: u64 = 40 << 20;

/// A round of `fsarena compare` of these contenders on `storage`.
fn compare(stage: &Stage, contenders: &[&str], storage: &str) -> Command {
    rounds(1, stage, contenders, storage)
}

fn rounds(count: u32, stage: &Stage, contenders: &[&str], storage: &str) -> Command {
    let mut command = stage.fsarena();
    let tiny = stage.file("tiny.toml", TINY);
    command.arg("compare").args(contenders).args(["--storage", storage, "--workload", &tiny]);
    command.args(["--lane-size", LANE, "--rounds", &count.to_string(), "--baselines", "never", "--seed", "1"]);
    command
}

/// Asserts that nothing is left on the machine. Waits for that, because another run may be in progress.
fn assert_nothing_left(stage: &Stage) {
    wait_until("nothing is left", || stage.left().is_empty());
}

/// The error line and the hint line.
fn lines(output: &Output) -> [String; 2] {
    let text = err(output);
    ["error: ", "hint: "]
        .map(|start| text.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_default().to_owned())
}
