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
