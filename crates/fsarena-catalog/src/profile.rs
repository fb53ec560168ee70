//! Profiles: which workloads matter for a use, and how much.

use std::collections::BTreeMap;
use std::path::Path;

use fsarena_model::{Mix, Weight};
use serde::Deserialize;

use crate::{CatalogError, PROFILES, find, malformed, parse, read, same_name, unknown, workload};

/// A use of a file system, as weights of workloads.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The name, which is also the file's.
    pub name: String,
    /// The use in one line; may be empty in a file of the user's own.
    pub about: String,
    /// Why these workloads and weights, in a sentence; may be empty in a file of the user's own.
    pub why: String,
    /// Where the reason is from: a URL.
    pub source: Option<String>,
    /// The workloads as [`workload`] takes them: names, or paths of files. The heaviest comes first.
    pub workloads: Vec<String>,
    /// The share of each workload, in the same order.
    pub mix: Mix,
}

/// Contents of a profile's TOML file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct ProfileFile {
    name: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    why: String,
    source: Option<String>,
    weights: BTreeMap<String, f64>,
}

/// The profile `name` of the catalogue, or the one in the file, if the name ends in `.toml`.
///
/// # Errors
/// If there is none, it is malformed, or one of its workloads is.
pub fn profile(name: &str) -> Result<Profile, CatalogError> {
    if name.ends_with(".toml") {
        let path = Path::new(name);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        return of_text(&stem, &read(path)?, path.parent().unwrap_or(Path::new("")));
    }
    let (name, text) = find(PROFILES, name).ok_or_else(|| unknown("profile", name))?;
    of_text(name, text, Path::new(""))
}

/// All profiles of the catalogue, by name.
///
/// # Errors
/// If one is malformed, which a test rules out.
pub fn profiles() -> Result<Vec<Profile>, CatalogError> {
    PROFILES.iter().map(|(name, _)| profile(name)).collect()
}

/// The profile in the text of a file in `folder`, where paths of workload files start.
pub fn of_text(name: &str, text: &str, folder: &Path) -> Result<Profile, CatalogError> {
    let file: ProfileFile = parse(name, text)?;
    same_name(name, &file.name)?;
    let mut heaviest_first: Vec<(String, f64)> = file.weights.into_iter().collect();
    heaviest_first.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let (mut workloads, mut weights) = (Vec::new(), Vec::new());
    for (argument, share) in heaviest_first {
        let is_file = argument.ends_with(".toml");
        let argument = if is_file { folder.join(&argument).display().to_string() } else { argument };
        weights.push(Weight { name: workload(&argument)?.name.to_string(), share });
        workloads.push(argument);
    }
    let mix = Mix::of(weights).map_err(|what| malformed(name, &what))?;
    let ProfileFile { name, about, why, source, .. } = file;
    Ok(Profile { name, about, why, source, workloads, mix })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_has_workloads_of_the_catalogue_and_says_why() {
        let profiles = profiles().expect("well-formed, of workloads that exist");
        assert_eq!(profiles.len(), 10);
        for profile in profiles {
            assert!(profile.workloads.len() >= 3, "{}", profile.name);
            assert!(profile.about.len() > 20 && profile.why.ends_with('.'), "{}", profile.name);
            assert!(profile.source.is_some_and(|source| source.starts_with("https://")), "{}", profile.name);
        }
    }

    #[test]
    fn the_heaviest_workload_comes_first_and_shares_add_up_to_1() {
        let text = "name = 'x'\n[weights]\nread-tree = 1\nappend-fsync = 3\n";
        let profile = of_text("x", text, Path::new("")).expect("well-formed");
        assert_eq!(profile.mix.to_string(), "append-fsync=0.75,read-tree=0.25");
        assert_eq!(profile.workloads, ["append-fsync", "read-tree"]);
    }

    #[test]
    fn files_of_workloads_lie_next_to_the_profile() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog/workloads");
        let profile = of_text("x", "name = 'x'\n[weights]\n\"stat-tree.toml\" = 2\n", &folder).expect("well-formed");
        assert_eq!(profile.mix.to_string(), "stat-tree=1");
        assert!(Path::new(&profile.workloads[0]).is_file(), "{}", profile.workloads[0]);
    }

    #[test]
    fn a_malformed_profile_is_refused() {
        let error = |text: &str| of_text("x", text, Path::new("")).expect_err("refused").to_string();
        assert!(error("name = 'x'\n[weights]\nread-trees = 1\n").contains("`read-trees`"));
        assert!(error("name = 'x'\n[weights]\nread-tree = 0\n").contains("above 0"));
        assert!(error("name = 'x'\n[weights]\nread-tree = nan\n").contains("above 0"));
        assert!(error("name = 'x'\n[weights]\n").contains("nothing has a weight"));
        assert!(error("name = 'y'\n[weights]\nread-tree = 1\n").contains("`y.toml`"));
        assert!(matches!(profile("mial"), Err(CatalogError::Unknown { what: "profile", name }) if name == "mial"));
    }
}
