//! Tests with shells as servers.

use super::*;
use fsarena_engine::NEVER;
use std::fs;
use std::path::Path;

/// A server whose log is its scratch folder's.
fn server(folder: &Path) -> LaneServer {
    let run = folder::for_server(None).expect("made");
    let (data, end) = (folder.to_owned(), Signal::TERM);
    LaneServer { program: "the server", daemon: None, run, user: None, data, end }
}

fn shell(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(str::to_owned).to_vec()
}

#[test]
fn one_that_ends_says_why_in_the_words_of_its_log() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let failed = server(folder.path()).start(shell("echo no port left; exit 3"), &NEVER, |_, _| false);
    let text = failed.expect_err("it ends").to_string();
    assert!(text.contains("exit status: 3") && text.contains("no port left"), "{text}");
}

#[test]
fn a_start_ends_at_the_stop_flag() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut server = server(folder.path());
    let started = server.start(shell("sleep 600"), &AtomicBool::new(true), |_, _| false);
    assert!(started.expect_err("stopped").to_string().contains("stopped"));
    assert!(server.daemon.is_none());
}

#[test]
fn a_ready_server_ends_cleanly_when_it_is_stopped() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let script = |code| format!("trap 'exit {code}' TERM; touch up; while :; do sleep 0.01; done");
    for (code, is_well) in [(0, true), (4, false)] {
        let up = folder.path().join("up");
        let mut server = server(folder.path());
        server.start(shell(&script(code)), &NEVER, |_, _| up.exists()).expect("ready");
        assert_eq!(server.stop(&NEVER).is_ok(), is_well);
        fs::remove_file(up).expect("there");
    }
}

#[test]
fn a_server_without_answers_is_given_up() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut daemon = server(folder.path()).launch(shell("sleep 600")).expect("starts");
    let until_stopped = |stop: &AtomicBool| {
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
        false
    };
    assert!(!becomes_ready(&mut daemon, &NEVER, Duration::ZERO, until_stopped), "its time is over");
    assert!(!becomes_ready(&mut daemon, &AtomicBool::new(true), PATIENCE, until_stopped), "it is stopped");
}
