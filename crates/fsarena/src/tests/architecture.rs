//! The rules of `docs/architecture.md` that no compiler checks: which crates may use which, and which names the core
//! does not know.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fsarena_model::Contender;
use fsarena_place::ENGINES;

use super::{files, root};

/// Crates that name no engine, suite, article or kind.
const CORE: [&str; 8] = ["model", "stats", "analyse", "execute", "store", "probe", "sys", "report"];

/// Names that the core has for another reason.
const ALLOWED: [(&str, &str, &str); 8] = [
    ("model", Contender::DIRECTORY, "the syntax of contenders"),
    ("probe", "ext3", "the host's file system"),
    ("probe", "ext4", "the host's file system"),
    ("model", "flushes", "the unit"),
    ("model", "memory", "a storage and a baseline"),
    ("analyse", "memory", "a storage"),
    ("sys", "memory", "a controller of control groups"),
    ("execute", "tmpfs", "the host's file system"),
];

fn crates() -> PathBuf {
    root().join("crates")
}

/// The source files of a crate, without those of its tests.
fn sources(name: &str) -> Vec<PathBuf> {
    let mut paths = files(&crates().join(name).join("src"), "rs");
    paths.retain(|path| path.file_stem().is_none_or(|name| name != "tests" && name != "fuzz"));
    paths
}

/// The text of a source file, without its tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("readable");
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned()
}

/// The crates of this workspace that `name` depends on, without those of its tests.
fn dependencies(name: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(crates().join(format!("fsarena-{name}/Cargo.toml"))).expect("readable");
    let (_, after) = manifest.split_once("\n[dependencies]\n").unwrap_or_default();
    let own = after.split("\n[").next().unwrap_or_default();
    let names = own.lines().filter_map(|line| line.strip_prefix("fsarena-")?.split('.').next());
    names.map(str::to_owned).collect()
}

#[test]
fn crates_use_only_what_the_architecture_allows() {
    let page = fs::read_to_string(root().join("docs/architecture.md")).expect("readable");
    let mut count = 0;
    for row in page.lines().filter_map(|line| line.strip_prefix("| `fsarena-")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (name, allowed) = (cells[0].trim_end_matches('`'), cells[2]);
        let allowed: BTreeSet<String> = match allowed {
            "no other crate" => BTreeSet::new(),
            names => names.split(", ").map(str::to_owned).collect(),
        };
        assert_eq!(dependencies(name), allowed, "fsarena-{name}");
        count += 1;
    }
    assert_eq!(count + 1, fs::read_dir(crates()).expect("readable").count(), "every crate is in the table");
}

#[test]
fn the_core_names_no_engine_suite_article_or_kind() {
    let engines = ENGINES.all().map(|engine| engine.name);
    let suites = fsarena_catalog::suites().expect("sound").into_iter().map(|suite| suite.name);
    let articles = fsarena_articles::articles().expect("sound").into_iter().map(|article| article.name);
    let kinds = fsarena_lane::KINDS.iter().map(|kind| kind.name);
    let names: BTreeSet<String> = engines.chain(kinds).map(str::to_owned).chain(suites).chain(articles).collect();
    let mut found = Vec::new();
    for crate_name in CORE {
        for path in sources(&format!("fsarena-{crate_name}")) {
            let code = code(&path);
            let is_allowed = |name: &str| ALLOWED.iter().any(|(of, allowed, _)| *of == crate_name && *allowed == name);
            let is_named = |name: &&String| code.contains(&format!("\"{name}\"")) && !is_allowed(name);
            found.extend(names.iter().filter(is_named).map(|name| format!("{}: {name}", path.display())));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

/// Parts of names that only articles have.
const OF_ARTICLES: [&str; 3] = ["article", "reproduc", "publish"];
/// Names that the core has for another reason: those of a scale of workloads, and of a folder of the catalogue.
const OF_OTHERS: [&str; 4] = ["published", "Published", "PUBLISHED", "published_lane_size"];

/// Runs have one door: execution is started, and lanes are made, only where a plan has passed its checks.
#[test]
fn runs_begin_in_one_place() {
    let doors = [
        ("fsarena_execute::run(", ["place/src/calls.rs", "place/src/here.rs"].as_slice()),
        ("LaneSet::open(", &["place/src/here.rs"]),
        ("fsarena_place::run(", &["fsarena/src/perform.rs"]),
    ];
    for (call, allowed) in doors {
        assert_called_in(call, allowed);
    }
}

/// What rules share is derived from a record once, in its analysis.
#[test]
fn a_record_is_analysed_in_one_place() {
    assert_called_in("Condition::of(", &["analyse/src/analysis.rs"]);
    assert_called_in("durability::class(", &["analyse/src/analysis.rs"]);
}

/// Asserts that a function is called in the files whose paths end like this, and nowhere else.
fn assert_called_in(call: &str, allowed: &[&str]) {
    let all = fs::read_dir(crates()).expect("readable").map(|entry| entry.expect("readable").file_name());
    let all = all.flat_map(|name| sources(&name.to_string_lossy()));
    let found = all.filter(|path| !path.ends_with("architecture.rs") && code(path).contains(call));
    let found: Vec<String> = found.map(|path| path.display().to_string()).collect();
    let is_everywhere = allowed.iter().all(|end| found.iter().any(|path| path.ends_with(end)));
    assert!(is_everywhere && found.len() == allowed.len(), "{call}: {found:?}");
}

#[test]
fn the_core_has_nothing_for_articles() {
    let mut found = Vec::new();
    let all = CORE.iter().chain(&["catalog", "engine", "lane"]);
    for path in all.flat_map(|name| sources(&format!("fsarena-{name}"))) {
        let code = code(&path);
        let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
        // What is between quotation marks is data.
        let code = lines.flat_map(|line| line.split('"').step_by(2));
        let names = code.flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_'));
        let is_of_articles = |name: &&str| OF_ARTICLES.iter().any(|part| name.to_lowercase().contains(part));
        let names = names.filter(is_of_articles).filter(|name| !OF_OTHERS.contains(name));
        found.extend(names.map(|name| format!("{}: {name}", path.display())));
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn files_that_the_pages_name_exist() {
    let mut count = 0;
    for page in ["docs/architecture.md", "docs/guides/add-a-kind.md", "docs/guides/add-an-engine.md", "docs/safety.md"]
    {
        let text = fs::read_to_string(root().join(page)).expect("readable");
        for code in text.split('`').skip(1).step_by(2) {
            let path = code.strip_prefix("crates/").unwrap_or(code);
            let is_path = path.starts_with("fsarena-") && path.contains('/') && !path.contains("NAME");
            if is_path && !path.contains(char::is_whitespace) {
                assert!(crates().join(path).exists(), "{page}: {code}");
                count += 1;
            }
        }
    }
    assert!(count > 10, "{count}");
}
