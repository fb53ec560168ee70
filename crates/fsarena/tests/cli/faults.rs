//! A run that is killed, fails or hangs at any of its steps leaves nothing behind, and touches nothing that it did not
//! create.
//!
//! `FSARENA_EVERY_STEP=1` tests every step; otherwise a sample is tested, which depends only on the number of steps.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fsarena_testing::{Need, has};

use crate::stage::{Stage, err, out, run};

/// Number of steps of each run in a sample.
const SAMPLE: usize = 12;

/// A run that can be repeated with a fault at a step.
struct Victim<'a> {
    stage: &'a Stage,
    arguments: Vec<String>,
}

impl Victim<'_> {
    /// The run with a separate store, and with `fault` in its environment.
    fn command(&self, fault: &str, store: &str) -> Command {
        let mut command = self.stage.fsarena_with(&self.stage.path(store));
        command.env("FSARENA_FAULT", fault).env("FSARENA_TOOL_LIMIT_MS", "3000").args(&self.arguments);
        command
    }

    /// The names of all steps of a run without a fault.
    fn steps(&self) -> Vec<String> {
        let list = self.stage.path("steps");
        let _ = fs::remove_file(&list);
        run(&mut self.command(&format!("list@{}", list.display()), "whole.sqlite"), 0);
        remove_store(&self.stage.path("whole.sqlite"));
        let text = fs::read_to_string(list).expect("a list of steps");
        text.lines().map(|line| line.split_once(' ').map_or(line, |(_, name)| name).to_owned()).collect()
    }
}

/// Removes a store, because a run with an existing store has other steps than one with a new store.
fn remove_store(store: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{suffix}", store.display()));
    }
}

/// All steps, or a sample with the first, the last and steps evenly spaced between them.
fn chosen(steps: &[String]) -> Vec<usize> {
    if std::env::var_os("FSARENA_EVERY_STEP").is_some() {
        return (1..=steps.len()).collect();
    }
    let spread = (0..SAMPLE).map(|index| 1 + index * (steps.len() - 1) / (SAMPLE - 1));
    spread.collect::<BTreeSet<_>>().into_iter().collect()
}

/// A workload that needs little room and little time.
fn tiny(stage: &Stage) -> String {
    let text = crate::stage::SMALL.replace("small", "tiny").replace("fsync", "none");
    stage.file("tiny.toml", &text.replace("operation = \"create\"", "operation = \"stat\", files = 100"))
}

fn lanes(stage: &Stage) -> Victim<'_> {
    let words = ["compare", "ext4", "ext2", "--lane-size", "32M", "--rounds", "1", "--baselines", "never", "--storage"];
    let mut arguments: Vec<String> = words.map(str::to_owned).into();
    arguments.push(stage.in_memory("new/storage").display().to_string());
    arguments.extend(["--workload".to_owned(), tiny(stage)]);
    Victim { stage, arguments }
}

fn directories(stage: &Stage) -> Victim<'_> {
    let folders = ["a", "b"].map(|name| stage.path(name));
    folders.iter().for_each(|folder| fs::create_dir_all(folder).expect("made"));
    let mut arguments = vec!["compare".to_owned()];
    arguments.extend(folders.iter().map(|folder| format!("dir:{}", folder.display())));
    arguments.extend(["--rounds", "1", "--baselines", "never", "--workload"].map(str::to_owned));
    arguments.push(tiny(stage));
    Victim { stage, arguments }
}

/// All mounts of the machine, the test's loop devices, and all files in the test's folders except its stores.
fn machine(stage: &Stage) -> Vec<String> {
    let mut seen: Vec<String> = stage.left();
    let mounts = fs::read_to_string("/proc/thread-self/mountinfo").expect("readable");
    seen.extend(mounts.lines().map(str::to_owned));
    let mut folders = vec![stage.place.path().to_owned(), stage.in_memory("")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).expect("readable").flatten().map(|entry| entry.path()) {
            if path.is_dir() && !path.is_symlink() {
                folders.push(path.clone());
            }
            let is_own = ["sqlite", "steps", "home"].iter().any(|word| path.display().to_string().contains(word));
            seen.extend((!is_own).then(|| path.display().to_string()));
        }
    }
    // Root's runs have their scratch directories there. Those in /tmp may be of tests of libraries.
    let scratch = fs::read_dir("/run").expect("readable").flatten().map(|entry| entry.path());
    let own = rustix::process::geteuid().as_raw();
    let is_of_a_run = |path: &PathBuf| {
        let is_named_so = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("fsarena-"));
        is_named_so && fs::symlink_metadata(path).is_ok_and(|found| found.uid() == own)
    };
    seen.extend(scratch.filter(is_of_a_run).map(|path| path.display().to_string()));
    seen.sort();
    seen
}

fn assert_stated(output: &Output, what: &str) {
    let (text, code) = (err(output), output.status.code());
    assert!(matches!(code, Some(0 | 2 | 3 | 4)), "{what}: ends with {code:?}\n{text}");
    assert!(!text.contains("panicked"), "{what}: {text}");
    let all = out(output) + &text;
    let is_stated = ["error: ", "failure: ", "did not finish", "could not"].iter().any(|words| all.contains(words));
    assert!(code == Some(0) || is_stated, "{what}: {all}");
}

/// Kills a run at each of its steps. `clean` restores the state of the machine, and the run can be resumed.
fn is_cleared_after_a_kill(victim: &Victim<'_>) {
    let steps = victim.steps();
    let before = machine(victim.stage);
    let mut killed = 0;
    for step in chosen(&steps) {
        let (name, store) = (&steps[step - 1], format!("killed-{step}.sqlite"));
        let output = victim.command(&format!("kill@{step}"), &store).output().expect("it starts");
        // The run whose steps were listed may have had more rounds, because the machine was busy.
        if output.status.code() == Some(0) {
            remove_store(&victim.stage.path(&store));
            continue;
        }
        killed += 1;
        assert_eq!(output.status.code(), None, "step {step}, {name}: {}", err(&output));
        run(victim.stage.fsarena().arg("clean"), 0);
        assert_eq!(machine(victim.stage), before, "killed at step {step}, {name}");
        let store = victim.stage.path(&store);
        // An empty file is not a store yet.
        if fs::metadata(&store).is_ok_and(|found| found.len() > 0) {
            let listed = out(&run(victim.stage.fsarena_with(&store).arg("runs"), 0));
            if listed.contains("interrupted") {
                let resumed = victim.stage.fsarena_with(&store).args(["resume", "last"]).output().expect("it starts");
                assert!(resumed.status.success(), "resumed after step {step}, {name}: {}", err(&resumed));
            }
        }
        remove_store(&store);
    }
    assert_eq!(machine(victim.stage), before);
    assert!(killed > 2, "killed at {killed} of {} steps", steps.len());
    println!("killed at {killed} of {} steps: nothing was left", steps.len());
}

/// Lets each step of a run fail: the run reports the failure, and leaves nothing behind.
fn is_stated_and_cleared_after_a_failure(victim: &Victim<'_>) {
    const ERRORS: [(i32, &str); 4] = [(5, "EIO"), (28, "ENOSPC"), (16, "EBUSY"), (12, "ENOMEM")];
    let steps = victim.steps();
    let before = machine(victim.stage);
    let mut ends = [0; 5];
    for (number, step) in chosen(&steps).into_iter().enumerate() {
        let (name, store) = (&steps[step - 1], format!("failed-{step}.sqlite"));
        let (errno, error) = ERRORS[number % ERRORS.len()];
        let output = victim.command(&format!("{errno}@{step}"), &store).output().expect("it starts");
        assert_stated(&output, &format!("{error} at step {step}, {name}"));
        ends[output.status.code().unwrap_or_default() as usize] += 1;
        // If a step of the clean-up fails, the next start repeats it.
        run(victim.stage.fsarena().arg("clean"), 0);
        assert_eq!(machine(victim.stage), before, "{error} at step {step}, {name}");
        remove_store(&victim.stage.path(&store));
    }
    println!("failed at {} of {} steps; exit codes 0 to 4: {ends:?}", chosen(&steps).len(), steps.len());
}

#[test]
fn a_run_on_lanes_that_is_killed_at_any_step_leaves_nothing() {
    let Some(stage) = Stage::of_root() else { return };
    is_cleared_after_a_kill(&lanes(&stage));
}

#[test]
fn a_run_that_is_killed_while_it_traces_leaves_no_buffer() {
    let Some(stage) = Stage::of_root() else { return };
    if !has(&[Need::Path("/sys/kernel/tracing")]) {
        return;
    }
    let mut victim = lanes(&stage);
    victim.arguments.push("--explain".to_owned());
    let before = machine(&stage);
    let output = victim.command("kill@1:remove trace buffer", "killed.sqlite").output().expect("it starts");
    assert_eq!(output.status.code(), None, "{}", err(&output));
    let cleaned = || err(&run(stage.fsarena().arg("clean"), 0));
    let is_removed = |text: &str| text.contains("for events of the kernel: removed");
    assert!(is_removed(&cleaned()) && !is_removed(&cleaned()));
    assert_eq!(machine(&stage), before);
}

#[test]
fn a_dry_run_that_is_killed_at_any_step_leaves_nothing() {
    let Some(stage) = Stage::of_root() else { return };
    let words = ["compare", "ext4:noatime,commit=9", "xfs -m rmapbt=1", "tmpfs:size=64m", "--dry-run", "--storage"];
    let mut arguments: Vec<String> = words.map(str::to_owned).into();
    arguments.extend([stage.storage().display().to_string(), "--lane-size=320M".to_owned()]);
    arguments.extend(["--workload".to_owned(), tiny(&stage)]);
    is_cleared_after_a_kill(&Victim { stage: &stage, arguments });
}

#[test]
fn a_run_in_directories_that_is_killed_at_any_step_leaves_nothing() {
    let stage = Stage::new();
    is_cleared_after_a_kill(&directories(&stage));
}

#[test]
fn a_step_that_fails_is_stated_and_leaves_nothing() {
    let Some(stage) = Stage::of_root() else { return };
    is_stated_and_cleared_after_a_failure(&lanes(&stage));
}

#[test]
fn a_program_that_hangs_is_ended_and_stated() {
    let Some(stage) = Stage::of_root() else { return };
    let victim = lanes(&stage);
    let steps = victim.steps();
    let before = machine(&stage);
    let programs = steps.iter().enumerate().filter(|(_, name)| name.starts_with("program "));
    let first_of_each: std::collections::BTreeMap<&String, usize> =
        programs.rev().map(|(index, name)| (name, index + 1)).collect();
    assert!(first_of_each.len() >= 3, "mkfs, its description and fsck are programs: {steps:?}");
    for (name, step) in first_of_each {
        let output = victim.command(&format!("hang@{step}"), "hung.sqlite").output().expect("it starts");
        assert_stated(&output, &format!("{name} hangs at step {step}"));
        assert_eq!(machine(&stage), before, "{name} hangs at step {step}");
        remove_store(&stage.path("hung.sqlite"));
    }
}

/// Cases in which a user's directory was once lost.
mod victims {
    use super::*;

    const EVIL: &str = "\n[smoke]\nname = \"VICTIM\"\n";

    fn precious(stage: &Stage) -> PathBuf {
        let victim = stage.path("victim");
        fs::create_dir_all(&victim).expect("made");
        fs::write(victim.join("precious"), "x").expect("written");
        victim.join("precious")
    }

    #[test]
    fn no_name_of_a_workload_leads_out_of_its_directory() {
        let stage = Stage::new();
        let precious = precious(&stage);
        let victim = precious.parent().expect("a folder").display().to_string();
        let folders = ["a", "b"].map(|name| stage.path(name));
        folders.iter().for_each(|folder| fs::create_dir(folder).expect("made"));
        let contenders = folders.map(|folder| format!("dir:{}", folder.display()));
        let small = crate::stage::SMALL;
        let files = [
            ("evil.toml", small.replace("\"small\"", "\"evil\"") + &EVIL.replace("VICTIM", &victim)),
            ("...toml", small.replace("\"small\"", "\"..\"")),
            ("dots.toml", small.replace("\"small\"", "\"../victim\"")),
        ];
        for (name, text) in files {
            let file = stage.file(name, &text);
            let mut command = stage.fsarena();
            command
                .arg("compare")
                .args(&contenders)
                .args(["--rounds", "1", "--baselines", "never", "--scale", "smoke"]);
            let output = run(command.args(["--workload", &file]), 2);
            assert!(precious.exists(), "{name}");
            assert!(err(&output).contains("hint: "), "{}", err(&output));
        }
    }

    #[test]
    fn a_replacement_of_a_workloads_directory_is_not_removed() {
        let stage = Stage::new();
        let precious = precious(&stage);
        let folder = stage.path("a");
        fs::create_dir(&folder).expect("made");
        // A script that replaces its own directory by a link to the user's.
        let text = r#"
name = "swap"
version = 1
measures = "A script."
why = "A test."
engine = "program"
durable = "none"
cache = "warm"
mode = "whole"
metric = { name = "seconds", unit = "s", measure = "seconds", better = "lower" }
parameters = { script = "d=$(pwd); cd ..; mv \"$d\" \"$d.moved\"; ln -s VICTIM \"$d\"" }
"#;
        let file = stage.file("swap.toml", &text.replace("VICTIM", &stage.path("victim").display().to_string()));
        let mut command = stage.fsarena();
        command
            .arg("compare")
            .arg(format!("dir:{}", folder.display()))
            .arg(format!("dir:{}", stage.path("b").display()));
        fs::create_dir(stage.path("b")).expect("made");
        let output = command.args(["--rounds", "1", "--baselines", "never", "--workload", &file]).output();
        let output = output.expect("it starts");
        assert!(precious.exists(), "{}{}", out(&output), err(&output));
        assert_eq!(fs::read_dir(&folder).expect("there").count(), 0, "the run's own directory is gone");
    }

    #[test]
    fn root_does_not_work_below_a_directory_of_another_user() {
        let Some(stage) = Stage::of_root() else { return };
        let (theirs, other) = (stage.path("theirs/share"), stage.path("other"));
        [&theirs, &other].into_iter().for_each(|folder| fs::create_dir_all(folder).expect("made"));
        std::os::unix::fs::chown(stage.path("theirs"), Some(65534), Some(65534)).expect("root may");
        let mut command = stage.fsarena();
        command.arg("compare").arg(format!("dir:{}", theirs.display())).arg(format!("dir:{}", other.display()));
        let output = run(command.args(["--rounds", "1", "--workload", &stage.small()]), 2);
        assert!(err(&output).contains("belongs to another user"), "{}", err(&output));
        assert_eq!(fs::read_dir(&theirs).expect("there").count(), 0);
    }
}
