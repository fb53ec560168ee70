use super::*;

fn choose(text: &str, way: Way) -> Result<Vec<Choice>, EngineError> {
    let file = JobFile::parse("job.fio", text, &|_| None).expect("a job file");
    from_text("job", &file, way)
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
    assert!(error.contains("line 4") && error.contains("1000 bytes"), "{error}");
}
