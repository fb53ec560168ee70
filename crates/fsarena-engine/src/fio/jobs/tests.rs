use super::*;

fn choose(text: &str) -> Result<Vec<Choice>, EngineError> {
    let variable = |name: &str| (name == "SIZE").then(|| "64m".to_owned());
    let file = JobFile::parse("job.fio", text, &variable).expect("a job file");
    from_job_file(&Name::from_text("job"), file, &JobsPlace { sector: Bytes(4096), directories: Vec::new() })
}

fn chosen(text: &str) -> Vec<Choice> {
    choose(text).unwrap_or_else(|error| panic!("{error}"))
}

fn names(text: &str) -> Vec<String> {
    chosen(text).into_iter().map(|choice| choice.workload.name.to_string()).collect()
}

#[test]
fn sections_that_follow_each_other_are_workloads_unless_they_need_each_other() {
    let pair = chosen(include_str!("../../../tests/fio/jobs/sequential-pair.fio"));
    let parts: Vec<_> = pair.iter().map(|choice| (choice.workload.name.as_str(), choice.workload.durable)).collect();
    assert_eq!(parts, [("job-write", DurablePoint::Fsync), ("job-read", DurablePoint::None)]);
    assert!(pair[1].workload.measures.contains("section `read` of `job.fio`, through fio"), "{:?}", pair[1]);
    assert!(!pair[1].workload.parameters.to_string().contains("end_fsync"), "{:?}", pair[1]);
    let parallel = chosen(include_str!("../../../tests/fio/jobs/side-by-side.fio"));
    assert_eq!(parallel.len(), 1);
    assert!(parallel[0].note.contains("`job`: sections `writer` to `reader` of `job.fio`"), "{}", parallel[0].note);
    let both = "[global]\nsize=1m\n[a]\nrw=write\n[b]\nrw=read\n[c]\nstonewall\nrw=read\n";
    assert_eq!(names(both), ["job-a", "job-c"]);
    for lines in ["verify=crc32c\n[b]", "ioengine=filestat\n[b]", "wait_for=a\n[b]", "[a]"] {
        let text = format!("[global]\nsize=1m\nrw=write\n[a]\n[c]\nstonewall\n{lines}\nstonewall\n");
        assert_eq!(names(&text), ["job"], "{lines}");
    }
}

#[test]
fn timed_jobs_that_leave_nothing_behind_run_in_slices() {
    let layout = |text: &str| {
        let choices = chosen(text);
        assert_eq!(choices.len(), 1, "{text}");
        let workload = &choices[0].workload;
        (workload.mode == Mode::Sliced).then_some((workload.slices, workload.timed_ms))
    };
    assert_eq!(layout(include_str!("../../../tests/fio/jobs/4k-randread.fio")), Some((2, 30_000)));
    assert_eq!(layout(include_str!("../../../tests/fio/jobs/page-writer.fio")), Some((2, 10_000)));
    assert_eq!(layout(include_str!("../../../tests/fio/jobs/open-loop.fio")), Some((2, 5_000)));
    assert_eq!(layout(include_str!("../../../tests/fio/jobs/side-by-side.fio")), Some((2, 5_000)));
    assert_eq!(layout(include_str!("../../../tests/fio/jobs/log.fio")), None, "it ends by itself");
    let text = "[x]\nsize=1m\nruntime=10\ntime_based\n";
    for lines in ["rw=randread\ndirect=1", "rw=randwrite\noverwrite=1\nfsync=1", "rw=randrw\nfdatasync=1"] {
        assert_eq!(layout(&format!("{text}{lines}\n")), Some((2, 5_000)), "{lines}");
    }
    for lines in [
        "rw=randread",
        "rw=randwrite\ndirect=1",
        "rw=randwrite\noverwrite=1\nfsync=32",
        "rw=randwrite\noverwrite=1\nend_fsync=1",
        "rw=randread\ndirect=1\nruntime=1",
        "rw=randread\ndirect=1\nramp_time=3",
        "rw=randread\ndirect=1\ntime_based=0",
        "rw=randread\ndirect=1\nfilesize=1m-2m\nnrfiles=2",
        "rw=randread\ndirect=1\n[y]\nruntime=20\ntime_based\nsize=1m\ndirect=1",
    ] {
        assert_eq!(layout(&format!("{text}{lines}\n")), None, "{lines}");
    }
}

#[test]
fn a_limit_of_the_rate_is_said() {
    let measures = |text: &str| chosen(text)[0].workload.measures.clone();
    let open = measures(include_str!("../../../tests/fio/jobs/open-loop.fio"));
    assert!(open.ends_with("; `rate_iops` limits the rate, so that an equal one does not show equal speed."), "{open}");
    for (line, is_limited) in [("rate=4m", true), ("thinktime=1ms", true), ("rate_process=poisson", false)] {
        let text = format!("[x]\nrw=read\nsize=1m\n[y]\nrw=read\nsize=1m\n{line}\n");
        assert_eq!(measures(&text).contains("limits the rate"), is_limited, "{line}");
    }
}

#[test]
fn an_unknown_option_is_refused_in_the_words_of_fio() {
    let error = choose("[x]\nrw=read\nsize=1m\nbogus=3\n").expect_err("refused").to_string();
    assert!(error.contains("line 4") && error.contains("Bad option <bogus=3>"), "{error}");
    let error = choose("[x]\nrw=fast\nsize=1m\n").expect_err("refused").to_string();
    assert!(error.contains("line 2") && error.contains("rw=fast"), "{error}");
}

#[test]
fn what_fio_cannot_start_is_refused_in_the_words_of_fio() {
    for (lines, words) in [
        ("size=0", "line 3: x: you need to specify size="),
        ("size=1m\nrate=1m\nrate_min=10m", "line 4: minimum rate exceeds rate"),
        ("size=16k\nnumjobs=5000", "maximum number of jobs reached"),
        ("size=4m\nzonemode=zbd\nzonesize=1m", "size 0 is smaller than zone size"),
        ("size=1m\ncpus_allowed=99999", "failed parsing cpus_allowed=99999"),
    ] {
        let error = choose(&format!("[x]\nrw=write\n{lines}\n")).expect_err(lines).to_string();
        assert!(error.contains(words) && !error.contains("fio: "), "{words} in {error}");
    }
    chosen("[x]\nsize=1m\nstartdelay=1h\npre_read=1\nnumjobs=9\n[y]\nstonewall\nfilename=x\nsize=9g\n");
}

#[test]
fn all_that_is_wrong_in_a_file_is_refused_at_once() {
    let text = "[global]\nioengine=null\n[a]\nrw=read\nexec_prerun=x\n[b]\nrw=read\nsize=1m\ndirect=1\nbs=512\n";
    let errors = choose(text).expect_err("refused").apart();
    let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let lines =
        ["line 2: `ioengine=null`", "line 5: `exec_prerun`", "line 10: `bs=512`", "line 3: section `a` does not say"];
    assert_eq!(words.len(), lines.len(), "{words:?}");
    lines.iter().zip(&words).for_each(|(line, words)| assert!(words.contains(line), "{line} in {words}"));
}

#[test]
fn what_a_note_says_of_a_path_is_what_runs() {
    let choices = choose("[x]\nrw=randread\nsize=1m\nfilename=/mnt/data/file.dat\n").expect("it runs");
    assert!(choices[0].note.contains("`filename=/mnt/data/file.dat` is the file `file.dat`"), "{}", choices[0].note);
    assert!(choices[0].workload.parameters.to_string().contains("filename=file.dat"));
}
