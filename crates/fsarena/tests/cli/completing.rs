//! Completions, in a real bash.

use std::process::Command;

use crate::several::store;
use crate::stage::{Stage, binary, out, run};

/// What bash offers for the last word of a line.
fn completed(stage: &Stage, line: &str) -> Vec<String> {
    let script = format!(
        "source <(fsarena generate bash)\n\
         COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; COMP_TYPE=9\n\
         read -ra COMP_WORDS <<<\"$COMP_LINE\"; [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')\n\
         COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
         $(complete -p fsarena | sed 's/.*-F \\([^ ]*\\) .*/\\1/') fsarena \
         \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let folder = binary().parent().expect("it has one");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").expect("set"));
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", &script]).env("PATH", path).env("HOME", stage.path("home"));
    out(&run(&mut command, 0)).lines().map(str::to_owned).collect()
}

#[test]
fn names_are_completed_from_the_catalogue_and_the_store() {
    let stage = Stage::without_runs();
    let of = |line: &str| completed(&stage, line);
    assert_eq!(of("fsarena comp"), ["compare"]);
    assert_eq!(of("fsarena compare btr"), ["btrfs"]);
    assert_eq!(of("fsarena compare ext4 --workload append-f"), ["append-fsync"]);
    assert!(of("fsarena compare --suite ").contains(&"operations".to_owned()));
    assert_eq!(of("fsarena list arti"), ["articles"]);
    assert_eq!(of("fsarena report --format mark"), ["markdown"]);
    store(&stage, "small", 1.0);
    store(&stage, "small", 1.0);
    let store = stage.store().display().to_string();
    let runs = of(&format!("fsarena --store {store} report "));
    assert!(["last", "2", "1"].iter().all(|run| runs.iter().any(|offered| offered == run)), "{runs:?}");
    assert!(of("fsarena --store /no/such/store report l").contains(&"last".to_owned()));
}
