use super::*;

fn parse(text: &str) -> Result<JobFile, String> {
    let variable = |name: &str| match name {
        "SIZE" => Some("4m".to_owned()),
        "BAD" => Some("1\n[x]".to_owned()),
        _ => None,
    };
    JobFile::parse("job.fio", text, &variable).map_err(|error| error.to_string())
}

#[test]
fn global_options_are_in_every_later_job() {
    let text = "; a comment\n[global]\nbs=4k # blocks\nthread\n\n[one]\nreadwrite = randread\n[global]\nbs=8k\n[two]\nsize=${SIZE}b\n";
    let file = parse(text).expect("a job file");
    let [one, two] = file.sections.as_slice() else { panic!("{file:?}") };
    assert_eq!(
        (one.name.as_str(), one.line, one.value("bs"), one.value("rw")),
        ("one", 6, Some("4k"), Some("randread"))
    );
    assert_eq!((two.value("bs"), two.value("size"), two.is_set("thread")), (Some("8k"), Some("4mb"), true));
    assert_eq!(file.line_of("blocksize"), Some(3), "by any of its names");
    assert!(!one.is_set("stonewall"));
}

#[test]
fn malformed_lines_are_refused_with_their_number() {
    for (text, words) in [
        ("bs=4k\n[x]\n", "line 1: an option before"),
        ("[x]\nbs=4k\n[y\n", "line 3: `[y` is not a section"),
        ("[x]\n=4k\n", "line 2: `` is not the name"),
        ("[x]\nb s=4k\n", "line 2: `b s` is not the name"),
        ("[x]\nrw=read\nSize=4k\n", "line 3: `Size` is not an option of fio, `size` may be"),
        ("#!/bin/sh\nfio --name=x \\\n  --rw=read\n", "line 2: this is a command line of fio"),
        ("[x]\ninclude other.fio\n", "line 2: `include other.fio` is not followed here"),
        ("[x]\nsize=${NONE}\n", "line 2: the variable `NONE` is not set"),
        ("[x]\nsize=${BAD}\n", "line 2: the variable `BAD`"),
        ("[x]\nsize=${SIZE\n", "line 2: "),
        ("[global]\nbs=4k\n", "there is no job"),
        ("", "there is no job"),
    ] {
        let error = parse(text).expect_err(text);
        assert!(error.contains(words), "{words} in {error}");
    }
    let long = format!("[x]\ndescription={}exec_prerun=true\n", "x".repeat(8178));
    assert!(parse(&long).expect_err("fio would see two lines").contains("line 2: the value of `description`"));
}

#[test]
fn files_of_the_same_folder_are_included_where_they_are_named() {
    let place = tempfile::tempdir().expect("temporary folder");
    let jobs = place.path().join("jobs");
    std::fs::create_dir_all(jobs.join("common")).expect("made");
    let write = |name: &str, text: &str| std::fs::write(jobs.join(name), text).expect("written");
    let read = |text: &str| {
        write("job.fio", text);
        JobFile::read(&jobs.join("job.fio"), &|_| None).map_err(|error| error.to_string())
    };
    write("common/global.fio", "[global]\nbs=4k\ninclude common/size.fio\n");
    write("common/size.fio", "size=1m\n");
    let file =
        read("\u{feff}; a byte-order mark\r\ninclude common/global.fio\r\n[x]\r\nrw=read\r\n").expect("a job file");
    let [section] = file.sections.as_slice() else { panic!("{file:?}") };
    assert_eq!((section.value("bs"), section.value("size"), section.line), (Some("4k"), Some("1m"), 3));
    assert_eq!(file.line_of("size"), Some(2), "that of the include");
    std::fs::write(place.path().join("secret"), "[x]\n").expect("written");
    std::os::unix::fs::symlink(place.path().join("secret"), jobs.join("link")).expect("linked");
    write("loop.fio", "include loop.fio\n");
    write("bad.fio", "[x]\n= 3\n");
    for (name, words) in [
        ("../secret", "line 1: `include ../secret` leads out of the folder"),
        ("/etc/passwd", "line 1: `include /etc/passwd` leads out of the folder"),
        ("link", "line 1: `include link` leads out of the folder"),
        ("none.fio", "line 1: `include none.fio`: No such file"),
        ("loop.fio", "`include loop.fio`: the file includes itself"),
        ("job.fio", "line 1: `include job.fio`: the file includes itself"),
        ("bad.fio", "bad.fio`, line 2: `` is not the name of an option"),
    ] {
        let error = read(&format!("include {name}\n[x]\nrw=read\n")).expect_err(name);
        assert!(error.contains(words), "{words} in {error}");
    }
}

#[test]
fn all_malformed_lines_are_refused_at_once() {
    let error = parse("[x]\n=4k\nsize=${NONE}\n[y\n").expect_err("three of them");
    for line in ["line 2", "line 3", "line 4"] {
        assert!(error.contains(line), "{error}");
    }
}

#[test]
fn the_text_for_fio_means_the_same() {
    let file = parse("[global]\nbs=4k\ndirectory=/mnt\n[one]\nrw=read\nthread\n").expect("a job file");
    let text = file.text(&["directory"], &["directory=/lane".to_owned()]);
    assert_eq!(text, "[one]\nbs=4k\nrw=read\nthread\ndirectory=/lane\n");
    assert_eq!(parse(&text).expect("a job file").sections[0].value("directory"), Some("/lane"));
}

#[test]
fn sizes_are_read_as_fio_reads_them() {
    let table =
        [("4k", 4096), ("4K", 4096), ("4kb", 4096), ("1Ki", 1024), ("4KiB", 4000), ("512", 512), ("1m", 1 << 20)];
    for (text, bytes) in table.into_iter().chain([("2g", 2 << 30), ("0x1000", 4096), ("100b", 100)]) {
        assert_eq!(size(text), Some(bytes), "{text}");
    }
    for text in ["", "50%", "k", "4x", "-1", "1.5g", "(4*1024)", "4k,8k", "99999999999g"] {
        assert_eq!(size(text), None, "{text}");
    }
    assert_eq!(sizes("4k-64k,512/10:4k/90,").collect::<Vec<_>>(), [vec![4096, 65536], vec![512, 4096], vec![]]);
}

#[test]
fn times_are_seconds_unless_they_say_otherwise() {
    for (text, time_ms) in [("30", 30_000), ("30s", 30_000), ("500ms", 500), ("2m", 120_000), ("1h", 3_600_000)] {
        assert_eq!(time(text), Some(Nanos::millis(time_ms)), "{text}");
    }
    assert_eq!((time("soon"), time("-5")), (None, None));
    assert_eq!(time_in("5", "us"), Some(Nanos(5_000)));
}
