//! Signals that arrive together: the run ends once, and removes everything.

use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::stage::{Doomed, Stage, wait_until};

#[test]
fn signals_that_come_together_end_a_run_cleanly() {
    let together = [
        [Signal::TERM, Signal::HUP],
        [Signal::HUP, Signal::TERM],
        [Signal::INT, Signal::TERM],
        [Signal::INT, Signal::INT],
    ];
    let stage = Stage::new();
    let folders = ["a", "b"].map(|name| stage.path(name));
    folders.iter().for_each(|folder| std::fs::create_dir(folder).expect("made"));
    let [a, b] = folders.each_ref().map(|folder| format!("dir:{}", folder.display()));
    let entries = |folder| std::fs::read_dir(folder).expect("there").count();
    for signals in together {
        let mut command = stage.fsarena();
        command.args(["compare", &a, &b, "--rounds", "1000", "--baselines", "never", "--workload", &stage.small()]);
        let mut child = Doomed(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts"));
        wait_until("it is at work", || folders.iter().all(|folder| entries(folder) > 0));
        let pid = Pid::from_child(&child.0);
        signals.iter().for_each(|signal| kill_process(pid, *signal).expect("it is ours"));
        assert_eq!(child.0.wait().expect("it ends").code(), Some(130), "{signals:?}");
        assert_eq!(folders.each_ref().map(entries), [0, 0], "{signals:?}");
        let said = std::io::read_to_string(child.0.stderr.take().expect("piped")).expect("text");
        assert!(signals[0] != Signal::INT || said.contains("Ctrl-C again ends at once"), "{said}");
    }
}
