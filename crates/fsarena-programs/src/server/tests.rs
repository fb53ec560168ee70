//! Tests with shells as servers.

use super::*;
use fsarena_engine::NEVER;
use std::fs;
use std::path::Path;

fn shell<'a>(script: &str, folder: &'a Path) -> Tool<'a> {
    let argv = ["sh", "-c", script].map(str::to_owned).to_vec();
    Tool { name: "the server", argv, user: None, directory: folder, streams: folder }
}

#[test]
fn one_that_ends_says_why_in_the_words_of_its_log() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let failed = ServerProcess::start(&shell("echo no port left; exit 3", folder.path()), &NEVER, |_| false)
        .expect_err("it ends");
    let text = failed.to_string();
    assert!(text.contains("exit status: 3") && text.contains("no port left"), "{text}");
}

#[test]
fn a_start_ends_at_the_stop_flag() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let started = ServerProcess::start(&shell("sleep 600", folder.path()), &AtomicBool::new(true), |_| false);
    assert!(started.expect_err("stopped").to_string().contains("stopped"));
}

#[test]
fn a_ready_server_ends_cleanly_when_it_is_stopped() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let script = |code| format!("trap 'exit {code}' TERM; touch up; while :; do sleep 0.01; done");
    for (code, is_well) in [(0, true), (4, false)] {
        let up = folder.path().join("up");
        let server =
            ServerProcess::start(&shell(&script(code), folder.path()), &NEVER, |_| up.exists()).expect("ready");
        assert_eq!(server.stop(Signal::TERM, &NEVER).is_ok(), is_well);
        fs::remove_file(up).expect("there");
    }
}

#[test]
fn clients_stop_when_the_server_ends_or_the_stop_flag_is_set() {
    let until_stopped = |stop: &AtomicBool| {
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(7)
    };
    let folder = tempfile::tempdir().expect("temporary folder");
    let up = folder.path().join("up");
    let script = "touch up; until test -e go; do sleep 0.01; done; echo no more memory; exit 9";
    let mut server = ServerProcess::start(&shell(script, folder.path()), &NEVER, |_| up.exists()).expect("ready");
    let until_its_end = |stop: &AtomicBool| {
        fs::write(folder.path().join("go"), "").expect("written");
        until_stopped(stop)
    };
    let ended = server.during(&AtomicBool::new(false), until_its_end).expect_err("it has ended").to_string();
    assert!(ended.contains("no more memory") && ended.contains("exit status: 9"), "{ended}");
    let mut server = ServerProcess::start(&shell("sleep 600", folder.path()), &NEVER, |_| true).expect("ready");
    assert!(matches!(server.during(&AtomicBool::new(true), until_stopped), Ok(7)));
}

#[test]
fn a_client_without_an_answer_gets_the_error_of_the_dead_server() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let up = folder.path().join("up");
    let script = "echo out of memory; touch up; until test -e go; do sleep 0.01; done; exit 9";
    let mut server = ServerProcess::start(&shell(script, folder.path()), &NEVER, |_| up.exists()).expect("ready");
    fs::write(folder.path().join("go"), "").expect("written");
    let error = EngineError::Wrong("no answer".to_owned());
    let error = server.cause_within(Duration::from_secs(60), error).to_string();
    assert!(error.contains("out of memory"), "{error}");
}

#[test]
fn a_server_without_answers_is_given_up() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut server = ServerProcess::launch(&shell("sleep 600", folder.path())).expect("starts");
    let until_stopped = |stop: &AtomicBool| {
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
        false
    };
    assert!(!server.becomes_ready(&NEVER, Duration::ZERO, until_stopped), "its time is over");
    assert!(!server.becomes_ready(&AtomicBool::new(true), PATIENCE, until_stopped), "it is stopped");
}

#[test]
fn clients_that_wait_for_an_answer_are_freed_by_the_servers_end() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let pipe = folder.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("made");
    // It opens the other end of the pipe, writes nothing, and ignores TERM and INT.
    let script = "exec 3>pipe; trap '' TERM INT; while :; do sleep 0.01; done";
    let mut server = ServerProcess::start(&shell(script, folder.path()), &NEVER, |_| true).expect("starts");
    let stuck = |_: &AtomicBool| fs::read(&pipe).map_err(EngineError::io("read"));
    let error = server.during(&AtomicBool::new(true), stuck).expect_err("it is killed").to_string();
    assert!(error.contains("was killed: its clients had no answer"), "{error}");
}
