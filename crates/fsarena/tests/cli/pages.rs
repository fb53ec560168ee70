//! `fsarena pages`: the store as pages for a browser.

use std::fs;
use std::os::unix::fs::MetadataExt;

use crate::several::store;
use crate::stage::{Stage, err, out, run};

#[test]
fn runs_reports_and_histories_are_pages() {
    let stage = Stage::without_runs();
    for name in ["small", "small@50%"] {
        store(&stage, name, 0.9);
    }
    let before = fs::read(stage.store()).expect("there");
    let folder = stage.path("new/pages");
    let write = || out(&run(stage.fsarena().arg("pages").arg(&folder), 0));
    assert_eq!(write(), format!("{}\n", folder.join("index.html").display()));
    let page = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let index = page("index.html");
    for text in ["\"run-1.html\"", "\"run-2.html\"", "base, new", "\"history-small.html\"", "history-small@50%25.html"]
    {
        assert!(index.contains(&format!("href={text}")) || index.contains(text), "{text}: {index}");
    }
    assert!(page("history-small@50%.html").contains("History of small@50%"));
    let file = stage.path("page.html");
    run(stage.fsarena().args(["report", "2", "--format", "html", "-o"]).arg(&file), 0);
    let alone = fs::read_to_string(file).expect("written");
    let (_, body) = alone.split_once("<header>").expect("it has one");
    let report = page("run-2.html");
    assert!(report.ends_with(body) && report.contains("<a href=\"index.html\">All runs</a></nav>"), "{report}");
    for name in ["index.html", "run-1.html"] {
        assert_eq!(page(name).matches("http-equiv=\"Content-Security-Policy\"").count(), 1, "{name}");
    }
    assert_eq!(fs::read(stage.store()).expect("there"), before);

    let file_number = |name: &str| fs::metadata(folder.join(name)).expect("there").ino();
    let known = ["index.html", "run-1.html"].map(file_number);
    store(&stage, "later", 1.0);
    write();
    let now = ["index.html", "run-1.html"].map(file_number);
    assert!(now[0] != known[0] && now[1] == known[1], "only what is new is written: {known:?} {now:?}");
    assert!(page("index.html").contains("run-3.html"));
}

#[test]
fn without_a_store_nothing_is_made() {
    let stage = Stage::without_runs();
    let folder = stage.path("pages");
    let missing = err(&run(stage.fsarena().arg("pages").arg(&folder), 2));
    assert!(missing.contains("store.sqlite") && !folder.exists(), "{missing}");
}
