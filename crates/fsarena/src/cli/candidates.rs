//! What a shell completes: names in the catalogue and in the store. Errors give no candidates.

use std::ffi::OsString;
use std::path::PathBuf;

use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use fsarena_lane::KINDS;
use fsarena_store::Store;

use super::{Color, Global};
use crate::places;

/// Kinds of file system.
pub fn kinds() -> ArgValueCandidates {
    ArgValueCandidates::new(|| KINDS.iter().map(|kind| described(kind.name, kind.about)).collect())
}

/// Suites.
pub fn suites() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let suites = fsarena_catalog::suites().unwrap_or_default().into_iter();
        suites.map(|suite| described(&suite.name, &suite.about)).collect()
    })
}

/// Profiles.
pub fn profiles() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let profiles = fsarena_catalog::profiles().unwrap_or_default().into_iter();
        profiles.map(|profile| described(&profile.name, &profile.about)).collect()
    })
}

/// Workloads.
pub fn workloads() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let workloads = fsarena_catalog::workloads().unwrap_or_default().into_iter();
        workloads.map(|workload| described(&workload.name, &workload.measures)).collect()
    })
}

/// Published articles.
pub fn articles() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let articles = fsarena_articles::articles().unwrap_or_default().into_iter();
        articles.map(|article| described(&article.name, &article.title)).collect()
    })
}

/// Everything that `fsarena list` describes, and its categories.
pub fn listed() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let categories = ["kinds", "workloads", "suites", "published"].map(CompletionCandidate::new);
        let all = [kinds(), suites(), workloads(), articles()];
        categories.into_iter().chain(all.iter().flat_map(ArgValueCandidates::candidates)).collect()
    })
}

/// Runs in the store that the command line names.
pub fn runs() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let global =
            Global { store: typed_store(), color: Color::Never, no_progress: true, no_config: false, verbose: 0 };
        let rows = places::store_path(&global).ok().and_then(|path| Store::read(&path).ok()?.runs().ok());
        let run = |row: fsarena_store::RunRow| {
            let labels: Vec<String> = row.contenders.iter().map(ToString::to_string).collect();
            described(&row.run.to_string(), &format!("{}: {}", row.started, labels.join(" ")))
        };
        let runs = rows.unwrap_or_default().into_iter().rev().map(run);
        std::iter::once(CompletionCandidate::new("last")).chain(runs).collect()
    })
}

fn described(name: &str, about: &str) -> CompletionCandidate {
    CompletionCandidate::new(name).help(Some(about.to_owned().into()))
}

/// The value of `--store` among the words that are completed.
fn typed_store() -> Option<PathBuf> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let value = |word: &OsString| Some(PathBuf::from(word.to_str()?.strip_prefix("--store=")?));
    let next = || words.windows(2).find(|pair| pair[0] == "--store").map(|pair| PathBuf::from(&pair[1]));
    words.iter().find_map(value).or_else(next)
}
