//! Tests of Apache and its clients.

use std::fs;

use fsarena_engine::{Operation, RunStats, Upkeep};

use super::place::{done, folder, left, page, pages, prepared, reported, wait_for};

#[test]
fn one_page_is_asked_for_so_often_and_each_request_is_in_the_log() {
    let place = folder();
    let mut job = prepared(&page(700), place.path());
    for _ in 0..2 {
        let mut stats = RunStats::new();
        done(&mut *job, &mut stats).expect("done");
        assert_eq!((stats.operations, stats.bytes), (700, 700 * 3064));
        let latency = stats.latency(Operation::Run).expect("recorded");
        assert_eq!(latency.count, 700);
        assert!(latency.p50.0 > 0 && latency.p50 <= latency.p99 && latency.p99 <= latency.max, "{latency:?}");
        assert!(reported(&stats, "apache.requests").is_some_and(|rate| rate > 0.0));
        wait_for("a process goes on", || left(&[place.path()]).is_empty().then_some(()));
    }
    let log = fs::read_to_string(place.path().join("apache/access.log")).expect("there");
    assert_eq!(log.lines().filter(|line| line.contains("GET /test.html") && line.ends_with("200 3064")).count(), 700);
}

#[test]
fn each_of_many_pages_is_asked_for_once_and_compared() {
    let place = folder();
    let mut job = prepared(&pages(150), place.path());
    let mut stats = RunStats::new();
    job.upkeep(Upkeep::DropCaches, &fsarena_engine::NEVER).expect("forgotten");
    done(&mut *job, &mut stats).expect("done");
    assert_eq!(stats.operations, 150);
    assert_eq!(stats.latency(Operation::Run).map(|latency| latency.count), Some(150));
    let log = fs::read_to_string(place.path().join("apache/access.log")).expect("there");
    let mut asked: Vec<&str> = log.lines().filter_map(|line| line.split(' ').nth(6)).collect();
    assert!(!asked.is_sorted(), "the order is a random one");
    asked.sort_unstable();
    asked.dedup();
    assert_eq!(asked.len(), 150);
}

#[test]
fn an_answer_that_is_not_the_page_is_found() {
    let place = folder();
    let mut job = prepared(&pages(150), place.path());
    let path = place.path().join("apache/pages/0001/07.html");
    let mut page = fs::read(&path).expect("there");
    let last = page.len() - 1;
    page[last] ^= 1;
    fs::write(&path, page).expect("written");
    let error = done(&mut *job, &mut RunStats::new()).expect_err("one is another").to_string();
    assert!(error.contains("/0001/07.html"), "{error}");
    fs::remove_file(&path).expect("removed");
    let _ = job.upkeep(Upkeep::End, &fsarena_engine::NEVER);
    let error = done(&mut *job, &mut RunStats::new()).expect_err("one is missing").to_string();
    assert!(error.contains("404"), "{error}");
}
