//! The catalogue: workloads, suites, profiles and published articles as TOML data, embedded in the binary. It also
//! reads contenders from TOML files.

mod contender;
#[cfg(test)]
mod fuzz;
mod profile;
mod scale;
mod sound;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use fsarena_model::name::did_you_mean;
use fsarena_model::{Bytes, ErrorCategory, Explained, Often, Scale, Workload, mistake};
use serde::Deserialize;

pub use contender::contender;
pub use profile::{Profile, profile, profiles};
pub use scale::at_scale;
pub use sound::{LONGEST_LIMIT_S, parse_workload, require_sound};

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// What the options of these names take.
const LISTS: [(&str, &[(&str, &str)]); 3] = [("profile", PROFILES), ("suite", SUITES), ("workload", WORKLOADS)];

/// The published comparisons by name, as TOML.
pub fn published() -> &'static [(&'static str, &'static str)] {
    PUBLISHED
}

/// Errors of catalogue data and of contenders.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum CatalogError {
    /// A file cannot be read.
    #[error("read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    /// A file is malformed, in this line if one is to blame.
    #[error("`{name}`{}: {what}", in_line(*line))]
    Malformed { name: String, line: Option<usize>, what: String },
    /// A contender's file is malformed.
    #[error("`{name}`{}: {what}", in_line(*line))]
    MalformedContender { name: String, line: Option<usize>, what: String },
    /// No workload, suite or profile has this name.
    #[error("there is no {what} `{name}`")]
    Unknown { what: &'static str, name: String },
    /// A contender on the command line is malformed.
    #[error(transparent)]
    Contender(#[from] fsarena_model::contender::ContenderError),
}

impl Explained for CatalogError {
    fn category(&self) -> ErrorCategory {
        ErrorCategory::Use
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { what, name } => {
                let elsewhere = LISTS.into_iter().find(|(_, entries)| find(entries, name).is_some());
                let own = LISTS.into_iter().filter(|(kind, _)| kind == what).flat_map(|(_, entries)| entries);
                let is_word = name.chars().all(|letter| letter.is_alphanumeric() || "-_.+".contains(letter));
                let mentioned =
                    if is_word { format!(", `fsarena list {name}` what mentions it") } else { String::new() };
                let all = format!("`fsarena list {what}s` has all{mentioned}");
                Some(match elsewhere {
                    Some((other, _)) => format!("--{other} {name}"),
                    None => did_you_mean(name, own.map(|(name, _)| *name), &all),
                })
            }
            Self::Malformed { .. } => {
                Some("docs/guides/add-a-workload.md has the keys; of a profile docs/guides/your-own-mix.md".to_owned())
            }
            Self::MalformedContender { .. } => Some(
                "it may have `kind`, `label`, `mount`, `mkfs` (a list), `layers`, `kernel`, `disk` and `path`: \
                 docs/guides/contender-files.md"
                    .to_owned(),
            ),
            Self::Contender(_) => Some(
                "[LABEL=]KIND[@LAYERS,KERNEL,DISK][:MOUNT-OPTIONS][ MKFS-ARGUMENTS], dir:PATH, or a .toml file"
                    .to_owned(),
            ),
            Self::Read { .. } => {
                Some("`fsarena list` has what is built in; a file is named from the current directory".to_owned())
            }
        }
    }
}

/// A named list of workloads.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Suite {
    /// The name, which is also the file's.
    pub name: String,
    /// A description in one line.
    pub about: String,
    /// A sentence before all results of a run: what the suite does not show.
    #[serde(default)]
    pub preface: String,
    /// Its workloads by name, in the order of the report.
    pub workloads: Vec<String>,
    /// Contenders of a run that names none.
    #[serde(default)]
    pub contenders: Vec<String>,
    /// Contenders of a run in a guest that names none; empty: the same as elsewhere.
    #[serde(default)]
    pub guest_contenders: Vec<String>,
    /// Number of rounds of a run that sets none.
    pub rounds: Option<u32>,
    /// How often a run that does not say so measures baselines, the three clocks and the used space.
    #[serde(default = "Often::always")]
    pub baselines: Often,
    /// Size of the lanes of a run that sets none.
    pub lane_size: Option<Bytes>,
    /// Size of the lanes at the scale `smoke`.
    pub smoke_lane_size: Option<Bytes>,
    /// Size of the lanes at the scale `published`.
    pub published_lane_size: Option<Bytes>,
    /// Workloads that belong together in the reader's own mix (`--weights`), by the name of the group.
    #[serde(default)]
    pub groups: BTreeMap<String, Vec<String>>,
}

impl Suite {
    /// The size of the lanes at `scale`; `None` if the suite sets none.
    pub fn lane_size(&self, scale: Scale) -> Option<Bytes> {
        let own = match scale {
            Scale::Smoke => self.smoke_lane_size,
            Scale::Standard => None,
            Scale::Published => self.published_lane_size,
        };
        own.or(self.lane_size)
    }
}

/// The workload `name` of the catalogue, which may be one of [`validation`], or the one in the file, if the name ends in
/// `.toml`.
///
/// # Errors
/// If there is none, or it is malformed.
pub fn workload(name: &str) -> Result<Workload, CatalogError> {
    if name.ends_with(".toml") {
        let path = Path::new(name);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return parse_workload(&stem, &read(path)?).map_err(|error| match error {
            CatalogError::Malformed { line, what, .. } => CatalogError::Malformed { name: name.to_owned(), line, what },
            other => other,
        });
    }
    let found = find(WORKLOADS, name).or_else(|| find(VALIDATION, name));
    let (name, text) = found.ok_or_else(|| unknown("workload", name))?;
    parse_workload(name, text)
}

/// The suite `name` of the catalogue.
///
/// # Errors
/// If there is none.
pub fn suite(name: &str) -> Result<Suite, CatalogError> {
    // The name that the suite `operations` had when it was the default.
    let name = if name == "quick" { "operations" } else { name };
    let (name, text) = find(SUITES, name).ok_or_else(|| unknown("suite", name))?;
    let suite: Suite = parse(name, text)?;
    same_name(name, &suite.name).map(|()| suite)
}

/// All workloads of the catalogue, by name.
///
/// # Errors
/// If one is malformed, which a test rules out.
pub fn workloads() -> Result<Vec<Workload>, CatalogError> {
    WORKLOADS.iter().map(|(name, text)| parse_workload(name, text)).collect()
}

/// All programs that validate profiles, by name. Each has the name of its profile as `group`, and no profile or suite
/// contains one.
///
/// # Errors
/// If one is malformed, which a test rules out.
pub fn validation() -> Result<Vec<Workload>, CatalogError> {
    VALIDATION.iter().map(|(name, text)| parse_workload(name, text)).collect()
}

/// All suites of the catalogue, by name.
///
/// # Errors
/// If one is malformed, which a test rules out.
pub fn suites() -> Result<Vec<Suite>, CatalogError> {
    SUITES.iter().map(|(name, _)| suite(name)).collect()
}

fn find(entries: &'static [(&str, &str)], name: &str) -> Option<(&'static str, &'static str)> {
    entries.iter().copied().find(|(entry, _)| *entry == name)
}

fn parse<T: for<'a> Deserialize<'a>>(name: &str, text: &str) -> Result<T, CatalogError> {
    toml::from_str(text).map_err(|error| {
        let (line, what) = what_is_wrong(text, &error);
        CatalogError::Malformed { name: name.to_owned(), line, what }
    })
}

/// The number of the line of a TOML text, if one is to blame, and what is wrong with its key, in one line.
pub fn what_is_wrong(text: &str, error: &toml::de::Error) -> (Option<usize>, String) {
    let what = mistake::in_words(error.message());
    // What lacks a key is the whole text, or a table.
    let Some(start) = error.span().map(|span| span.start).filter(|start| *start > 0) else { return (None, what) };
    let before = text.get(..start).unwrap_or(text);
    let line = before.matches('\n').count();
    let key = text.lines().nth(line).and_then(|line| line.split_once('=')).map(|(key, _)| key.trim());
    let key = key.filter(|key| !key.contains(['"', '[']) && !what.contains(&format!("`{key}`")));
    (Some(line + 1), key.map_or_else(|| what.clone(), |key| format!("{key}: {what}")))
}

fn in_line(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!(", line {line}"))
}

fn same_name(file: &str, name: &str) -> Result<(), CatalogError> {
    match file == name {
        true => Ok(()),
        false => Err(malformed(file, &format!("call the file `{name}.toml`, or write `name = \"{file}\"` in it"))),
    }
}

fn unknown(what: &'static str, name: &str) -> CatalogError {
    CatalogError::Unknown { what, name: name.to_owned() }
}

fn malformed(name: &str, what: &str) -> CatalogError {
    CatalogError::Malformed { name: name.to_owned(), line: None, what: what.trim_end().to_owned() }
}

/// Longest file that is read, in bytes. The limit ends reads of devices, which may have no end.
const LONGEST_FILE: u64 = 4 << 20;

fn read(path: &Path) -> Result<String, CatalogError> {
    let mut text = String::new();
    let file = std::fs::File::open(path).and_then(|file| file.take(LONGEST_FILE + 1).read_to_string(&mut text));
    match file.map_err(|source| CatalogError::Read { path: path.to_owned(), source })? as u64 > LONGEST_FILE {
        true => Err(malformed(&path.display().to_string(), "it is longer than 4 MiB")),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_embedded_is_well_formed() {
        assert!(workloads().expect("well-formed").len() >= 10);
        for suite in suites().expect("well-formed") {
            for name in &suite.workloads {
                assert!(workload(name).is_ok(), "{name}");
            }
            for name in suite.groups.values().flatten() {
                assert!(suite.workloads.contains(name), "{}: {name} is in a group only", suite.name);
            }
        }
    }

    #[test]
    fn programs_that_validate_a_profile_are_in_none() {
        let (profiles, suites) = (profiles().expect("well-formed"), suites().expect("well-formed"));
        let taken: Vec<&String> = suites.iter().flat_map(|suite| &suite.workloads).collect();
        for program in validation().expect("well-formed") {
            let name = program.name.to_string();
            assert!(profiles.iter().any(|profile| profile.name == program.group), "{name}: {}", program.group);
            assert!(!profiles.iter().any(|profile| profile.workloads.contains(&name)), "{name}");
            assert!(find(WORKLOADS, &name).is_none() && !taken.contains(&&name), "{name}");
        }
    }

    #[test]
    fn operations_has_the_ten_of_the_interface() {
        let expected = [
            "create-syncfs", "create-fsync", "stat-tree", "rename-syncfs", "delete-syncfs", "append-fsync",
            "seqwrite-fsync", "seqread-cold", "randread-4k", "randwrite-4k",
        ];
        assert_eq!(suite("operations").expect("there").workloads, expected);
        assert_eq!(suite("quick").expect("its earlier name").name, "operations");
    }

    #[test]
    fn missing_names_are_in_the_error() {
        assert!(
            matches!(workload("no-such"), Err(CatalogError::Unknown { what: "workload", name }) if name == "no-such")
        );
        assert!(matches!(suite("no-such"), Err(CatalogError::Unknown { what: "suite", .. })));
        assert!(matches!(workload("/no/such.toml"), Err(CatalogError::Read { .. })));
    }

    #[test]
    fn a_file_that_never_ends_is_not_read_to_its_end() {
        let place = std::env::temp_dir().join(format!("fsarena-catalog-{}.toml", std::process::id()));
        std::os::unix::fs::symlink("/dev/zero", &place).expect("linked");
        let error = workload(&place.display().to_string()).expect_err("refused").to_string();
        std::fs::remove_file(place).expect("there");
        assert!(error.contains("longer than 4 MiB"), "{error}");
    }

    #[test]
    fn unknown_keys_are_refused_by_name() {
        let error = parse_workload("x", "name = 'x'\ncolour = 'red'\n").expect_err("refused").to_string();
        assert!(error.contains("colour"), "{error}");
    }

    #[test]
    fn an_error_is_one_line_with_the_file_the_line_and_the_key() {
        let (_, text) = find(WORKLOADS, "stat-tree").expect("there");
        for (old, new, wanted) in [
            ("version = 2", "", "`stat-tree`: `version` is missing"),
            ("version = 2", "version = -1", "`stat-tree`, line 2: version: `-1` is not a whole number, 0 or more"),
            ("version = 2", "version = '1'", "`stat-tree`, line 2: version: \"1\" is not a whole number, 0 or more"),
            ("version = 2", "version = 1 1", "`stat-tree`, line 2: version: "),
            ("mode = \"sliced\"", "mode = \"half\"", ": mode: there is no `half`, but `sliced` or `whole`"),
            ("version = 2", "version = 1\ncolour = 1", "`stat-tree`, line 3: there is no key `colour`, but `name`, "),
        ] {
            assert!(text.contains(old), "or this test shows nothing: {old}");
            let error = parse_workload("stat-tree", &text.replacen(old, new, 1)).expect_err(new).to_string();
            assert!(error.contains(wanted) && !error.contains('\n'), "{wanted} in {error}");
        }
    }
}
