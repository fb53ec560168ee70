//! Programs that never end: a signal or their time limit stops them, and nothing of them stays.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::guests::prepared;
use crate::stage::{Doomed, SMALL, Stage, at_work, err, run, script, wait_until};

/// A job of one read. fio itself hangs only occasionally (3.33, `io_submit_mode=offload` with a rate: the submitting
/// processes wait for each other), so another program of that name stands in for it.
const JOB: &str = "[stuck]\nsize=64k\nrw=randread\n";

/// A search path on which `program` prints its version if called with `flag`, and otherwise never ends.
fn stuck(stage: &Stage, program: &str, flag: &str) -> String {
    let bin = stage.path("bin");
    let path = std::env::var("PATH").expect("a search path");
    let real = run(Command::new("sh").args(["-c", &format!("command -v {program}")]), 0);
    let real = String::from_utf8(real.stdout).expect("a path");
    let text = format!("[ \"$1\" = {flag} ] && exec {} {flag}\nwhile :; do sleep 1; done", real.trim());
    script(&bin.join(program), &text);
    format!("{}:{path}", bin.display())
}

/// Two folders of the stage, as contenders.
fn folders(stage: &Stage) -> [String; 2] {
    ["a", "b"].map(|name| {
        fs::create_dir_all(stage.path(name)).expect("made");
        format!("dir:{}", stage.path(name).display())
    })
}

fn workload(stage: &Stage, engine: &str, more: &str) -> String {
    let fields = format!("engine = '{engine}'\ncache = 'warm'\nmode = 'whole'\nends-by-itself = true\n{more}\n");
    stage.workload("stuck", &fields)
}

fn is_empty(stage: &Stage, folder: &str) -> bool {
    fs::read_dir(stage.path(folder)).expect("there").next().is_none()
}

/// Sends `SIGTERM` once `is_there` holds, and expects the run to end soon, with nothing left.
fn is_stopped(stage: &Stage, command: &mut Command, is_there: impl Fn() -> bool) {
    let mut doomed = Doomed(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
    wait_until("it does not begin", is_there);
    kill_process(Pid::from_child(&doomed.0), Signal::TERM).expect("sent");
    let mut code = None;
    let ended = std::cell::RefCell::new((&mut doomed.0, &mut code));
    wait_until("it does not heed the signal", || {
        let (child, code) = &mut *ended.borrow_mut();
        **code = child.try_wait().expect("a child").and_then(|status| status.code());
        code.is_some()
    });
    assert_eq!(code, Some(130));
    wait_until("a process goes on", || at_work(stage.place.path()).is_empty());
    assert!(is_empty(stage, "a") && is_empty(stage, "b"));
}

#[test]
fn what_is_stopped_while_it_is_fetched_is_an_interruption() {
    if !prepared() {
        return;
    }
    let stage = Stage::without_runs();
    folders(&stage);
    stuck(&stage, "apt-get", "--version");
    let path = stuck(&stage, "apt-cache", "--version");
    let mut bisect = stage.fsarena();
    bisect.args(["bisect", "ext4", "--good", "linux-6.1", "--bad", "linux-6.12", "--workload", "create-fsync"]);
    // The command itself names the stage, too.
    is_stopped(&stage, bisect.env("PATH", path), || at_work(stage.place.path()).len() > 1);
}

#[test]
fn a_layout_by_fio_that_never_ends_is_stopped_by_a_signal() {
    let stage = Stage::new();
    let [a, b] = folders(&stage);
    let workload = workload(&stage, "fio", &format!("parameters.job = '''\n{JOB}'''"));
    let mut command = stage.fsarena();
    command.args(["compare", &a, &b, "--workload", &workload, "--rounds", "1", "--baselines", "never"]);
    command.env("PATH", stuck(&stage, "fio", "--version"));
    let works = || at_work(stage.place.path()).len() > 1;
    is_stopped(&stage, &mut command, works);
}

#[test]
fn scripts_before_a_run_that_never_end_are_stopped_by_a_signal() {
    let stage = Stage::new();
    let [a, b] = folders(&stage);
    for script in ["prepare", "before"] {
        let parameters = format!("parameters = {{ script = 'true', operations = 1, {script} = 'sleep 600; :' }}");
        let workload = workload(&stage, "program", &parameters);
        let mut command = stage.fsarena();
        command.args(["compare", &a, &b, "--workload", &workload, "--rounds", "1", "--baselines", "never"]);
        let sleeps = || at_work(stage.place.path()).len() > 1;
        is_stopped(&stage, &mut command, sleeps);
    }
}

#[test]
fn a_layout_by_fio_that_never_ends_is_a_result_after_its_time_limit() {
    let stage = Stage::new();
    let [a, b] = folders(&stage);
    let workload = workload(&stage, "fio", &format!("time-limit-s = 2\nparameters.job = '''\n{JOB}'''"));
    let mut command = stage.fsarena();
    command.args(["compare", &a, &b, "--workload", &workload, "--rounds", "1", "--baselines", "never"]);
    command.env("PATH", stuck(&stage, "fio", "--version"));
    let output = run(&mut command, 3);
    assert!(err(&output).contains("not done after 2"), "{}", err(&output));
    wait_until("a process goes on", || at_work(stage.place.path()).is_empty());
    assert!(is_empty(&stage, "a") && is_empty(&stage, "b"));
}

#[test]
fn an_mkfs_that_hangs_is_killed_after_its_time_limit() {
    let Some(stage) = Stage::of_root() else { return };
    let mut command = stage.compare(&["ext4", "--rounds", "1", "--baselines", "never", "--workload", &stage.small()]);
    command.env("PATH", stuck(&stage, "mke2fs", "-V")).env("FSARENA_TOOL_LIMIT_MS", "3000");
    let output = run(&mut command, 3);
    let text = err(&output);
    assert!(text.contains("did not end within 3 s and was killed"), "{text}");
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn directories_without_room_are_refused_before_anything_is_made() {
    let Some(stage) = Stage::of_root() else { return };
    let data = "parameters = { script = 'true', operations = 1, data = '200M' }";
    let whole = workload(&stage, "program", data);
    let read = "parameters = { operation = 'read', pattern = 'random', file-size = '200M', block-size = '4K' }";
    let lines = SMALL.lines().filter(|line| !line.starts_with("parameters"));
    let sliced = lines.chain([read]).collect::<Vec<_>>().join("\n");
    let sliced = sliced.replace("engine = \"files\"", "engine = \"data\"").replace("\"fsync\"", "\"none\"");
    let sliced = sliced.replace("\"small\"", "\"sliced\"");
    let sliced = stage.file("sliced.toml", &sliced);
    let mount = Mounted::tmpfs(&stage.path("full"), "size=600M");
    let [a, b] = ["a", "b"].map(|name| {
        fs::create_dir(mount.0.join(name)).expect("made");
        format!("dir:{}", mount.0.join(name).display())
    });
    let compare = |workload: &str, code| {
        let mut command = stage.fsarena();
        command.args(["compare", &a, &b, "--workload", workload, "--rounds", "1", "--baselines", "never"]);
        run(&mut command, code)
    };
    compare(&whole, 0);
    let refused = err(&compare(&sliced, 4));
    assert!(refused.contains("the workload `sliced`") && refused.contains("are free"), "{refused}");
    assert!(refused.contains("hint: "), "{refused}");
    fs::write(mount.0.join("filler"), vec![1; 200 << 20]).expect("written");
    let refused = err(&compare(&whole, 4));
    assert!(refused.contains("the workload `stuck`"), "{refused}");
    assert!(["a", "b"].iter().all(|name| fs::read_dir(mount.0.join(name)).expect("there").next().is_none()));
}

/// A mount that is removed when the test ends.
pub struct Mounted(pub std::path::PathBuf);

impl Mounted {
    fn tmpfs(at: &Path, options: &str) -> Self {
        fs::create_dir(at).expect("made");
        run(Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at), 0);
        Self(at.to_owned())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}
