use fsarena_model::DurablePoint;

use super::*;

fn choose(text: &str) -> Result<Vec<Workload>, EngineError> {
    let variable = |name: &str| (name == "SIZE").then(|| "64m".to_owned());
    let file = JobFile::parse("job.fio", text, &variable).expect("a job file");
    from_job_file(&Name::from_text("job"), file)
}

fn chosen(text: &str) -> Vec<Workload> {
    choose(text).unwrap_or_else(|error| panic!("{error}"))
}

fn names(text: &str) -> Vec<String> {
    chosen(text).into_iter().map(|choice| choice.name.to_string()).collect()
}

#[test]
fn sections_that_follow_each_other_are_workloads_unless_they_need_each_other() {
    let pair = chosen(include_str!("../../../tests/fio/jobs/sequential-pair.fio"));
    let parts: Vec<_> = pair.iter().map(|work| (work.name.as_str(), work.durable)).collect();
    assert_eq!(parts, [("job-write", DurablePoint::Fsync), ("job-read", DurablePoint::None)]);
    assert!(pair[1].measures.contains("section `read` of `job.fio`"), "{:?}", pair[1]);
    assert!(!pair[1].parameters.to_string().contains("end_fsync"), "{:?}", pair[1]);
    let parallel = chosen(include_str!("../../../tests/fio/jobs/side-by-side.fio"));
    assert_eq!(parallel.len(), 1);
    assert!(parallel[0].measures.contains("sections `writer` to `reader` of `job.fio`"), "{}", parallel[0].measures);
    let both = "[global]\nsize=1m\n[a]\nrw=write\n[b]\nrw=read\n[c]\nstonewall\nrw=read\n";
    assert_eq!(names(both), ["job-a", "job-c"]);
    for lines in ["verify=crc32c\n[b]", "ioengine=filestat\n[b]", "wait_for=a\n[b]", "[a]"] {
        let text = format!("[global]\nsize=1m\nrw=write\n[a]\n[c]\nstonewall\n{lines}\nstonewall\n");
        assert_eq!(names(&text), ["job"], "{lines}");
    }
}

#[test]
fn a_limit_of_the_rate_is_said() {
    let measures = |text: &str| chosen(text)[0].measures.clone();
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
    let text = "[global]\nioengine=null\n[a]\nrw=read\nexec_prerun=x\n[b]\nrw=read\nsize=1m\nfilename=../x\n";
    let errors = choose(text).expect_err("refused").apart();
    let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let lines = [
        "line 2: `ioengine=null`",
        "line 5: `exec_prerun`",
        "line 9: `filename=../x`",
        "line 3: section `a` does not say",
    ];
    assert_eq!(words.len(), lines.len(), "{words:?}");
    lines.iter().zip(&words).for_each(|(line, words)| assert!(words.contains(line), "{line} in {words}"));
}

#[test]
fn what_a_note_says_of_a_path_is_what_runs() {
    let choices = choose("[x]\nrw=randread\nsize=1m\nfilename=/mnt/data/file.dat\n").expect("it runs");
    assert!(
        choices[0].measures.contains("`filename=/mnt/data/file.dat` is the file `file.dat`"),
        "{}",
        choices[0].measures
    );
    assert!(choices[0].parameters.to_string().contains("filename=file.dat"));
}

#[test]
fn paths_of_files_become_plain_names_and_different_files_stay_different() {
    let parse = |text: &str| JobFile::parse("job.fio", text, &|_| None).expect("a job file");
    let mut file = parse("[a]\nfilename=/dev/sdb\n[b]\nfilename=/x/data:/y/data:plain\n[c]\nfilename=/dev/sdb\n");
    let remarks = with_plain_names(&mut file);
    let names: Vec<&str> = file.sections.iter().filter_map(|section| section.value("filename")).collect();
    assert_eq!(names, ["sdb", "data:y-data:plain", "sdb"]);
    assert_eq!(remarks[0], "`filename=/dev/sdb` is the file `sdb` in that folder");
    assert_eq!(remarks.len(), 3);
    assert!(with_plain_names(&mut parse("[a]\nfilename=/x/../../etc/passwd\n")).is_empty());
}

#[test]
fn jobs_in_several_directories_are_refused_with_what_to_type() {
    let text = "[global]\nsize=10m\nrw=write\n[a]\ndirectory=/gold\n[b]\ndirectory=/bronze\nstonewall\n";
    let EngineError::Fio(FioError::Line { line, what, hint, .. }) = choose(text).expect_err("two") else { panic!() };
    assert_eq!((line, what.as_str()), (5, "the jobs work in /gold and /bronze, and each contender is one directory"));
    assert!(hint.ends_with("fsarena compare dir:/gold dir:/bronze --fio job.fio"), "{hint}");
    chosen("[global]\ndirectory=/x\nsize=1m\n[a]\nrw=read\n[b]\nrw=write\n");
}
