//! fio's job files, which fio runs or which are refused, and workloads through fio.

use serde_json::Value;

use crate::stage::{Stage, binary, err, run};

/// Two folders to compare.
fn folders(stage: &Stage) -> [String; 2] {
    ["a", "b"].map(|name| {
        let path = stage.path(name);
        std::fs::create_dir_all(&path).expect("made");
        format!("{name}=dir:{}", path.display())
    })
}

fn refused(stage: &Stage, lines: &str, words: &[&str]) {
    let job = stage.file("job.fio", &format!("[global]\nrw=read\nsize=1m\n[x]\n{lines}\n"));
    let [a, b] = folders(stage);
    let output = run(stage.fsarena().args(["compare", &a, &b, "--fio", &job]), 2);
    let text = err(&output);
    assert!(text.starts_with("error: ") && text.contains("hint: "), "{text}");
    words.iter().for_each(|word| assert!(text.contains(word), "{word} in {text}"));
    assert!(!stage.path("home").exists(), "nothing was made");
}

#[test]
fn a_command_line_of_fio_is_a_job() {
    let stage = Stage::new();
    let [a, b] = folders(&stage);
    let line = "fio --name=own --rw=randread --bs=4k --size=2m --runtime=300ms --time_based --output-format=json";
    run(stage.fsarena().args(["compare", &a, &b, "--rounds", "1", "--fio", line]), 0);
    let report = stage.json();
    assert_eq!(report["workloads"][0]["name"], "own");
    assert!(report["cells"][0]["median"].as_f64().is_some_and(|rate| rate > 0.0));
    let output = run(stage.fsarena().args(["compare", &a, &b, "--fio", "fio job.fio"]), 2);
    assert!(err(&output).contains("`job.fio` is no option") && err(&output).contains("--fio FILE"), "{}", err(&output));
}

#[test]
fn command_lines_are_taken_as_people_have_them() {
    let stage = Stage::without_runs();
    let [a, b] = folders(&stage);
    let dry = |line: &str, code| {
        err(&run(stage.fsarena().args(["compare", &a, &b, "--rounds", "1", "--dry-run", "--fio", line]), code))
    };
    for line in [
        "fio -name=t -rw=randwrite -bs=4k -size=2m",
        "/usr/bin/fio --name=t --rw=read --size=2m",
        "--name=t --rw=read --size=2m",
        "fio --name=t --rw=read --size=2m --readonly --alloc-size=65536 --idle-prof=system --warnings-fatal",
    ] {
        dry(line, 0);
    }
    for (line, words) in [
        ("fio --debug=all --name=t --rw=read --size=2m", "`--debug=all` is an option of fio, and not of a job"),
        ("fio --name=t --rw=read --size=2m --numjobs=$ncpus", "fio asks a shell what `$ncpus` is"),
        ("fio --name=t --rw=read --size=2m --numjobs=many", "hint: numjobs=4\n"),
        ("fio --name=t --rw=read --size=2m --numjobs=0", "`numjobs=0`: fio then does nothing, or fails"),
        ("fio --name=t --rw=read --size=2m --wait_for=z", "`wait_for` names no section before its own"),
    ] {
        let text = dry(line, 2);
        assert!(text.contains(words) && text.matches("error: ").count() == 1, "{line}: {text}");
    }
    let job =
        stage.file("two.fio", "[a]\nrw=read\nsize=1m\ndirect=1\nbs=1000\n[b]\nrw=read\nsize=1m\ndirect=1\nbs=100\n");
    let text = dry(&job, 2);
    assert!(text.contains("line 5: `bs=1000`") && text.contains("line 10: `bs=100`"), "{text}");
}

#[test]
fn a_job_file_that_compares_two_directories_says_what_to_type() {
    let stage = Stage::new();
    let [a, b] = ["gold", "bronze"].map(|name| {
        let path = stage.path(name);
        std::fs::create_dir_all(&path).expect("made");
        path.display().to_string()
    });
    let text = format!(
        "[global]\nsize=1m\nrw=write\nfallocate=none\n[a]\ndirectory={a}\nstonewall\n[b]\ndirectory={b}\nstonewall\n"
    );
    let job = stage.file("two.fio", &text);
    let refused = err(&run(stage.fsarena().args(["compare", "ext4", "xfs", "--fio", &job]), 2));
    let command = format!("hint: fsarena compare dir:{a} dir:{b} --fio {job}\n");
    assert!(refused.contains("its sections do the same in ") && refused.contains(&command), "{refused}");
    let typed = ["compare", &format!("dir:{a}"), &format!("dir:{b}"), "--fio", &job, "--rounds", "1"];
    run(stage.fsarena().args(typed), 0);
    let report = stage.json();
    assert_eq!(report["workloads"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["cells"].as_array().map(Vec::len), Some(2));
}

#[test]
fn each_job_of_a_file_is_a_workload_and_timed_ones_run_in_slices() {
    let stage = Stage::new();
    let text = "[global]\nbs=4k\nsize=2m\noverwrite=1\n[w]\nrw=write\nnumjobs=2\n[r]\nstonewall\nrw=randread\n\
                [s]\nstonewall\nrw=randwrite\nsync=dsync\nruntime=2s\ntime_based\n";
    let job = stage.file("jobs.fio", text);
    let [a, b] = folders(&stage);
    let arguments = ["compare", &a, &b, "--rounds", "1", "--fio", &job];
    let notes = [
        format!("`jobs-r`: section `r` of `{job}`, through fio, in one piece"),
        format!("`jobs-s`: section `s` of `{job}`, through fio, 2 slices of 1.00 s in each round"),
    ];
    let words = err(&run(stage.fsarena().args(arguments), 0));
    notes.iter().for_each(|note| assert!(words.contains(note), "{note} in {words}"));
    let report = stage.json();
    let names: Vec<&Value> =
        report["workloads"].as_array().expect("an array").iter().map(|work| &work["name"]).collect();
    assert_eq!(names, ["jobs-w", "jobs-r", "jobs-s"]);
    let slices = |workload: &str| {
        let cells = report["cells"].as_array().expect("an array").iter().filter(|cell| cell["workload"] == workload);
        cells.inspect(|cell| assert!(cell["median"].as_f64().is_some_and(|median| median > 0.0), "{cell}")).count()
    };
    assert_eq!((slices("jobs-w"), slices("jobs-r"), slices("jobs-s")), (2, 2, 2));
    assert!(report["notes"].to_string().contains("through fio"), "{}", report["notes"]);
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn the_cache_and_the_rate_of_a_job_are_in_its_file() {
    let stage = Stage::without_runs();
    let job = stage.file("job.fio", "[x]\nrw=randread\nsize=1m\n");
    let [a, b] = folders(&stage);
    for (option, words) in [("--cache=both", "`invalidate=0`"), ("--rate=100", "leave out --rate")] {
        let output = run(stage.fsarena().args(["compare", &a, &b, "--dry-run", "--fio", &job, option]), 2);
        assert!(err(&output).contains(words), "{}", err(&output));
    }
}

#[test]
fn dangerous_jobs_are_refused_before_anything_is_made() {
    let stage = Stage::without_runs();
    refused(&stage, "bogus_option=1", &["line 5", "Bad option <bogus_option=1>", "--cmdhelp"]);
    refused(&stage, "filename=../x", &["line 5", "filename=../x"]);
    refused(&stage, "exec_prerun=touch /tmp/x", &["line 5", "exec_prerun", "as root"]);
    refused(&stage, "ioengine=exec", &["line 5", "ioengine=exec"]);
    refused(&stage, "direct=1\nbs=1000", &["line 6", "`bs=1000`", "whole sectors"]);
    refused(&stage, "size=90%", &["line 5", "size=90%"]);
    refused(&stage, "include ../other", &["line 5", "include ../other"]);
    refused(
        &stage,
        "ioengine=exec\nsize=90%\nfilename=..",
        &["line 5: `ioengine", "line 6: `size", "line 7: `filename"],
    );
    let [a, b] = folders(&stage);
    let output = run(stage.fsarena().args(["compare", &a, &b, "--fio", "/no/such.fio"]), 2);
    assert!(err(&output).contains("/no/such.fio"), "{}", err(&output));
}

#[test]
fn a_path_of_a_file_becomes_a_plain_name_and_is_not_touched() {
    let stage = Stage::without_runs();
    let job = stage.file("job.fio", "[x]\nrw=randread\nsize=1m\nfilename=/dev/no-disk\n");
    let [a, b] = folders(&stage);
    let text = err(&run(stage.fsarena().args(["compare", &a, &b, "--rounds", "1", "--dry-run", "--fio", &job]), 0));
    assert!(text.contains("`filename=/dev/no-disk` is the file `no-disk` in that folder"), "{text}");
}

#[test]
fn a_job_whose_files_do_not_fit_on_the_lane_is_refused() {
    let stage = Stage::without_runs();
    for more in ["", "zero_buffers\n"] {
        let job = stage.file("large.fio", &format!("[x]\nrw=randread\nsize=1g\nnumjobs=4\ndirect=1\n{more}"));
        let output = run(&mut stage.compare(&["ext4", "xfs", "--fio", &job, "--dry-run"]), 2);
        assert!(err(&output).contains("large") && err(&output).contains("--lane-size"), "{}", err(&output));
    }
}

#[test]
fn without_fio_the_error_names_its_package() {
    let Some(stage) = Stage::of_root() else { return };
    let job = stage.file("job.fio", "[x]\nrw=read\nsize=1m\nzero_buffers\n");
    let [a, b] = folders(&stage);
    // A mount namespace in which an unusable file covers the program.
    let script = "mount --bind /dev/null \"$(command -v fio)\" && exec \"$0\" \"$@\"";
    let mut command = std::process::Command::new("unshare");
    command.args(["--mount", "sh", "-c", script]).arg(binary()).args(["compare", &a, &b, "--fio", &job]);
    let output = run(command.env("HOME", stage.path("home")), 4);
    assert!(err(&output).contains("hint: apt-get install fio"), "{}", err(&output));
}
