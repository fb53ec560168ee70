//! Tests with hostile files: workloads, suites, contenders.

use fsarena_model::Scale;

use crate::{PROFILES, SUITES, Suite, WORKLOADS, at_scale, contender, parse, parse_workload, profile};

fn texts_of(entries: &[(&'static str, &'static str)]) -> Vec<&'static str> {
    entries.iter().map(|(_, text)| *text).collect()
}

/// The name that a text declares. The file's name must be the same.
fn name_in(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).unwrap_or("x")
}

#[test]
fn workloads() {
    fsarena_testing::fuzz::texts(&texts_of(WORKLOADS), |text| {
        let Ok(workload) = parse_workload(name_in(text), text) else { return };
        for scale in [Scale::Smoke, Scale::Standard, Scale::Published] {
            let _ = at_scale(workload.clone(), scale).map(|scaled| (scaled.timed(), scaled.time_limit()));
        }
    });
}

#[test]
fn suites_and_profiles() {
    fsarena_testing::fuzz::texts(&texts_of(SUITES), |text| drop(parse::<Suite>(name_in(text), text)));
    let folder = std::path::Path::new("/nowhere");
    fsarena_testing::fuzz::texts(&texts_of(PROFILES), |text| drop(profile::of_text(name_in(text), text, folder)));
}

#[test]
fn contenders() {
    let good = ["kind = 'ext4'\nlabel = 'a'\nmkfs = ['-m', '0']\nmount = 'noatime'\n", "kind = 'dir'\npath = '/x'\n"];
    fsarena_testing::fuzz::texts(&good, |text| drop(contender::of_text("x.toml", "x.toml", text)));
}
