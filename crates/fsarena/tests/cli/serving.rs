//! `fsarena serve`: the store as pages, asked for as a browser and as an attacker would.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::several::store;
use crate::stage::{Doomed, Stage, err, run};

/// A server on a free port.
struct Served {
    child: Doomed,
    /// `127.0.0.1:PORT`.
    host: String,
}

impl Served {
    fn new(stage: &Stage) -> Self {
        let mut command = stage.fsarena();
        command.args(["serve", "--port", "0"]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = Doomed(command.spawn().expect("it starts"));
        let mut line = String::new();
        BufReader::new(child.0.stdout.take().expect("piped")).read_line(&mut line).expect("it says its address");
        let host = line.trim().strip_prefix("http://").and_then(|it| it.strip_suffix('/')).expect("an address");
        Self { host: host.to_owned(), child }
    }

    /// The whole answer to a request.
    fn ask(&self, head: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        stream.write_all(head.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    fn get(&self, target: &str) -> String {
        self.ask(&format!("GET {target} HTTP/1.1\r\nHost: {}\r\nAccept: */*\r\n\r\n", self.host))
    }

    /// The page at an address that has one.
    fn page(&self, target: &str) -> String {
        let answer = self.get(target);
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{target}: {answer}");
        answer.split_once("\r\n\r\n").expect("a head and a page").1.to_owned()
    }
}

#[test]
fn runs_reports_differences_and_histories_are_pages() {
    let stage = Stage::without_runs();
    for ratio in [1.0, 0.9] {
        store(&stage, "small", ratio);
    }
    let served = Served::new(&stage);
    let first = served.page("/");
    for text in ["href=\"/runs/1\"", "href=\"/runs/2\"", "base, new", "action=\"/diff\"", "history?workload=small"] {
        assert!(first.contains(text), "{text}: {first}");
    }
    let file = stage.path("page.html");
    run(stage.fsarena().args(["report", "2", "--format", "html", "-o"]).arg(&file), 0);
    let alone = std::fs::read_to_string(file).expect("written");
    let (_, body) = alone.split_once("<header>").expect("it has one");
    let page = served.page("/runs/2");
    assert!(page.ends_with(body) && page.contains(">All runs</a></nav>"), "{page}");
    assert!(served.page("/diff?before=1&after=2").contains("run 1"), "the sides are named");
    assert!(served.page("/history?workload=small").contains("History of small"));
    store(&stage, "later", 1.0);
    assert!(served.page("/").contains("href=\"/runs/3\""), "each request reads the store");
}

#[test]
fn nothing_but_pages_of_the_store_is_answered() {
    let stage = Stage::without_runs();
    store(&stage, "small", 1.0);
    let before = std::fs::read(stage.store()).expect("there");
    let served = Served::new(&stage);
    let status = |answer: String| answer.split(' ').nth(1).map(str::to_owned).expect("a status");
    let secret = stage.file("secret", "root:x:0");
    for (target, expected) in [
        ("/runs/7", "400"),
        ("/runs/%2e%2e", "400"),
        ("/runs/../secret", "404"),
        ("/diff?before=1", "400"),
        (&format!("/diff?before=1&after={secret}"), "400"),
        ("/diff?before=1&after=1", "400"),
        ("/history?workload=%3Cscript%3E", "400"),
        ("/secret", "404"),
    ] {
        let answer = served.get(target);
        assert!(!answer.contains("root:x:0"), "{answer}");
        assert!(answer.matches("<script").count() <= 1, "only the page's own: {answer}");
        assert_eq!(status(answer), expected, "{target}");
    }
    let host = &served.host;
    let port = host.split(':').nth(1).expect("a port");
    let foreign = format!("GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n");
    for (head, expected) in [
        (foreign, "421"),
        ("GET / HTTP/1.1\r\n\r\n".to_owned(), "421"),
        (format!("POST / HTTP/1.1\r\nHost: {host}\r\n\r\n"), "405"),
        (format!("GET /{} HTTP/1.1\r\nHost: {host}\r\n\r\n", "a".repeat(1 << 16)), "400"),
        ("\u{1}\u{2}\r\n\r\n".to_owned(), "400"),
        (format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n"), "200"),
    ] {
        assert_eq!(status(served.ask(&head)), expected, "{head:.80}");
    }
    let answer = served.get("/");
    let policy = answer.lines().find(|line| line.starts_with("Content-Security-Policy: ")).expect("a policy");
    for part in ["default-src 'none'", "script-src 'sha256-", "form-action 'self'", "frame-ancestors 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(answer.contains("X-Content-Type-Options: nosniff\r\n"), "{answer}");
    assert_eq!(std::fs::read(stage.store()).expect("there"), before);
}

#[test]
fn it_ends_when_it_is_interrupted_and_says_what_is_missing() {
    let stage = Stage::without_runs();
    let missing = err(&run(stage.fsarena().args(["serve", "--port", "0"]), 2));
    assert!(missing.contains("store.sqlite"), "{missing}");
    store(&stage, "small", 1.0);
    let mut served = Served::new(&stage);
    let port = served.host.split(':').nth(1).expect("a port").to_owned();
    let taken = err(&run(stage.fsarena().args(["serve", "--port", &port]), 4));
    assert!(taken.contains("--port 0"), "{taken}");
    // A connection that says nothing does not keep it.
    let _silent = TcpStream::connect(&served.host).expect("it listens");
    kill_process(Pid::from_child(&served.child.0), Signal::INT).expect("it is ours");
    assert_eq!(served.child.0.wait().expect("it ends").code(), Some(0));
}
