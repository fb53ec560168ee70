//! What a shell completes: names in the catalogue and in the store. Errors give no candidates.

use std::ffi::OsString;
use std::path::PathBuf;

use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use fsarena_lane::KINDS;
use fsarena_model::joined;
use fsarena_store::Store;

use crate::places;

/// Candidates that are read when a shell asks for them.
fn read<T: 'static>(all: fn() -> Vec<T>, described: fn(&T) -> CompletionCandidate) -> ArgValueCandidates {
    ArgValueCandidates::new(move || all().iter().map(described).collect())
}

pub fn kinds() -> ArgValueCandidates {
    read(|| KINDS.to_vec(), |kind| described(kind.name, kind.about))
}

pub fn suites() -> ArgValueCandidates {
    read(|| fsarena_catalog::suites().unwrap_or_default(), |suite| described(&suite.name, &suite.about))
}

pub fn profiles() -> ArgValueCandidates {
    read(|| fsarena_catalog::profiles().unwrap_or_default(), |profile| described(&profile.name, &profile.about))
}

pub fn workloads() -> ArgValueCandidates {
    read(|| fsarena_catalog::workloads().unwrap_or_default(), |workload| described(&workload.name, &workload.measures))
}

pub fn articles() -> ArgValueCandidates {
    read(|| fsarena_articles::articles().unwrap_or_default(), |article| described(&article.name, &article.english))
}

/// What `fsarena list` describes, and its categories.
pub fn listed() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let categories = ["kinds", "layers", "workloads", "suites", "profiles", "validation", "articles"]
            .map(CompletionCandidate::new);
        let all = [kinds(), suites(), profiles(), workloads(), articles()];
        categories.into_iter().chain(all.iter().flat_map(ArgValueCandidates::candidates)).collect()
    })
}

/// Runs in the store that the command line names.
pub fn runs() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let rows = places::store_path(typed_store()).ok().and_then(|path| Store::read(&path).ok()?.runs().ok());
        let run = |row: fsarena_store::RunRow| {
            described(&row.run.to_string(), &format!("{}: {}", row.started, joined(&row.contenders, " ")))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_are_described_by_their_english_titles() {
        for candidate in articles().candidates() {
            let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(!help.is_empty() && help.chars().all(|c| c.is_ascii() || !c.is_alphabetic()), "{help}");
        }
    }
}
