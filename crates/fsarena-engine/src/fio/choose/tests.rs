use super::*;

fn choose(text: &str, way: Way) -> Result<Vec<Choice>, EngineError> {
    let file = JobFile::parse("job.fio", text, &|_| None).expect("a job file");
    from_job_file("job", file, way, &Place { sector: Bytes(4096), directories: Vec::new() })
}

fn names(text: &str, way: Way) -> Vec<String> {
    let choices = choose(text, way).unwrap_or_else(|error| panic!("{error}"));
    choices.into_iter().map(|choice| choice.workload.name.into()).collect()
}

#[test]
fn each_section_is_a_workload_and_a_file_that_is_not_understood_is_one() {
    let pair = include_str!("../../../tests/fio/jobs/sequential-pair.fio");
    assert_eq!(names(pair, Way::Native), ["job-write", "job-read"]);
    assert_eq!(names(pair, Way::Fio), ["job+fio"]);
    assert_eq!(names(pair, Way::Both), ["job-write", "job-read", "job+fio"]);
    let parallel = choose(include_str!("../../../tests/fio/jobs/side-by-side.fio"), Way::Native).expect("fio knows it");
    assert_eq!(parallel.len(), 1);
    assert!(parallel[0].note.contains("through fio: section `reader` runs at the same time"), "{}", parallel[0].note);
    assert!(parallel[0].workload.measures.contains("through fio"), "{}", parallel[0].workload.measures);
}

#[test]
fn an_unknown_option_is_refused_in_the_words_of_fio() {
    let error = choose("[x]\nrw=read\nsize=1m\nbogus=3\n", Way::Native).expect_err("refused").to_string();
    assert!(error.contains("line 4") && error.contains("Bad option <bogus=3>"), "{error}");
    let error = choose("[x]\nrw=fast\nsize=1m\n", Way::Native).expect_err("refused").to_string();
    assert!(error.contains("line 2") && error.contains("rw=fast"), "{error}");
}

#[test]
fn blocks_that_no_device_can_do_directly_are_refused() {
    let error = choose("[x]\nrw=read\nsize=1m\nbs=1000\ndirect=1\n", Way::Native).expect_err("refused").to_string();
    assert!(error.contains("line 4") && error.contains("`bs=1000`"), "{error}");
    for (text, option) in [
        (include_str!("../../../tests/fio/jobs/s-bssplit.fio"), "line 6: `bssplit=512/10:4k/90`"),
        (include_str!("../../../tests/fio/jobs/s-ba.fio"), "line 7: `ba=512`"),
        (include_str!("../../../tests/fio/jobs/s-offset.fio"), "line 7: `offset=512`"),
    ] {
        let error = choose(text, Way::Native).expect_err(option).to_string();
        assert!(error.contains(option) && error.contains("4096 bytes"), "{error}");
    }
}

#[test]
fn all_that_is_wrong_in_a_file_is_refused_at_once() {
    let text = "[global]\nioengine=null\n[a]\nrw=read\nexec_prerun=x\n[b]\nrw=read\nsize=1m\ndirect=1\nbs=512\n";
    let errors = choose(text, Way::Native).expect_err("refused").apart();
    let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let lines =
        ["line 2: `ioengine=null`", "line 5: `exec_prerun`", "line 10: `bs=512`", "line 3: section `a` does not say"];
    assert_eq!(words.len(), lines.len(), "{words:?}");
    lines.iter().zip(&words).for_each(|(line, words)| assert!(words.contains(line), "{line} in {words}"));
}

#[test]
fn what_a_note_says_of_a_path_is_what_runs() {
    let choices = choose("[x]\nrw=randread\nsize=1m\nfilename=/mnt/data/file.dat\n", Way::Fio).expect("it runs");
    assert!(choices[0].note.contains("`filename=/mnt/data/file.dat` is the file `file.dat`"), "{}", choices[0].note);
    assert!(choices[0].workload.parameters.to_string().contains("filename=file.dat"));
}
