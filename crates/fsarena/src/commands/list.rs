//! `fsarena list`: kinds, workloads, suites, profiles and articles, and the missing packages for each; all about one of
//! them; or those with a word in their descriptions.

mod about;
mod data;
mod published;
mod sought;

use std::fmt;

use anyhow::Result;
use fsarena_catalog::{Profile, Suite};
use fsarena_lane::kind::Ground;
use fsarena_lane::{KINDS, Kind, Tool, kernel_has, missing_tool};
use fsarena_model::name::did_you_mean;
use fsarena_model::plan::how_to_install;
use fsarena_model::{Rate, Workload};
use fsarena_place::{ENGINES, Refusal};
use fsarena_report::{PLAIN, layout};

use self::sought::Sought;
use super::{print, print_json, table};
use crate::cli::{DataFormat, ListArguments};
use crate::exit::Ended;
use crate::places;

/// Lists a category, describes what has a name, or finds a word; without either, gives an overview.
pub fn run(options: &ListArguments) -> Result<Ended> {
    if options.format == DataFormat::Json {
        print_json(&data::listed(options.what.as_deref())?)?;
        return Ok(Ended::Well);
    }
    let text = match options.what.as_deref() {
        None => overview()?,
        Some("kinds") => kinds(|_| true),
        Some("workloads") => workloads(|_| true)?,
        Some("validation") => validation()?,
        Some("suites") => suites(|_| true)?,
        Some("profiles") => profiles(|_| true)?,
        Some("published") => published::articles()?,
        Some(word) => named_or_found(word)?,
    };
    print(&text)?;
    Ok(Ended::Well)
}

/// Kinds, suites and profiles in a line each, and the names of workloads and articles.
fn overview() -> Result<String> {
    let names: Vec<String> = fsarena_catalog::workloads()?.into_iter().map(|workload| workload.name.into()).collect();
    let suites = fsarena_catalog::suites()?;
    let suites = table(["suite", "about"], suites.into_iter().map(|suite| [suite.name, suite.about]));
    let articles: Vec<String> = fsarena_articles::articles()?.into_iter().map(|article| article.name).collect();
    let width = places::width().unwrap_or(PLAIN.width);
    let lines = |title: &str, names: &[String]| layout::wrapped(&format!("{title}: {}", names.join(", ")), "  ", width);
    Ok(format!(
        "{}\n{suites}\n{}\n{}\n\n{}\n\nfsarena list NAME says all about one, fsarena list WORD finds those that mention \
         it, and\nfsarena list kinds, workloads, suites, profiles, validation or published has a table.\n",
        kinds(|_| true),
        profiles(|_| true)?,
        lines("workloads", &names),
        lines("articles", &articles),
    ))
}

/// All about what has this name, and what mentions it if it is a word for a kind of work. Without such a name, what
/// mentions the word.
fn named_or_found(word: &str) -> Result<String> {
    let sought = Sought::new(word);
    match about::named(word)? {
        Some(page) if sought.has_topic() => Ok(format!("{page}\n{}", found(word, &sought)?)),
        Some(page) => Ok(page),
        None => found(word, &sought),
    }
}

/// What has the word, or one that means the same kind of work, in its name, description or programs.
fn found(word: &str, sought: &Sought) -> Result<String> {
    let parts = [
        profiles(|profile| sought.is_in(&sought::of_profile(profile)))?,
        suites(|suite| sought.is_in(&sought::of_suite(suite)))?,
        workloads(|workload| sought.is_in(&sought::of_workload(workload)))?,
        kinds(|kind| sought.is_in(&sought::of_kind(kind))),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| part.lines().count() > 1).collect();
    if parts.is_empty() { Err(nothing(word)?) } else { Ok(parts.join("\n")) }
}

/// The refusal of a word that occurs nowhere.
fn nothing(word: &str) -> Result<anyhow::Error> {
    let names = about::names()?;
    let hint = did_you_mean(word, names.iter().map(String::as_str), "`fsarena list` shows what there is");
    Ok(Refusal::wrong_use(format!("nothing is named `{word}` or mentions it"), hint).into())
}

fn kinds(is_wanted: impl Fn(&Kind) -> bool) -> String {
    let row = |kind: &Kind| [kind.name.to_owned(), availability(kind).to_string(), kind.about.to_owned()];
    table(["kind", "here", "about"], KINDS.iter().copied().filter(|kind| is_wanted(kind)).map(row))
}

/// Whether a kind is usable on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// Usable.
    Here,
    /// Usable by root only.
    AsRoot,
    /// The running kernel does not support it, or it is a folder of this machine that a guest mounts.
    KernelLacks,
    /// This program is not installed.
    ToolMissing(Tool),
}

/// One line, with the package to install.
impl fmt::Display for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Here => write!(f, "yes"),
            Self::AsRoot => write!(f, "as root"),
            Self::KernelLacks => write!(f, "in a guest only"),
            Self::ToolMissing(tool) => write!(f, "no: apt-get install {}", tool.package),
        }
    }
}

/// Whether `kind` is usable here; otherwise the first obstacle.
pub fn availability(kind: &Kind) -> Availability {
    if kind.ground == Ground::Directory {
        return Availability::Here;
    }
    if kind.ground == Ground::Share || !kernel_has(kind.mounted_as) {
        return Availability::KernelLacks;
    }
    match missing_tool(kind) {
        Some(tool) => Availability::ToolMissing(tool),
        None if !rustix::process::geteuid().is_root() => Availability::AsRoot,
        None => Availability::Here,
    }
}

/// The programs that validate profiles.
fn validation() -> Result<String> {
    let rows = fsarena_catalog::validation()?.into_iter().map(|program| {
        let here = here(&program);
        [program.group, program.name.into(), here, program.measures]
    });
    Ok(table(["profile", "program that it does not contain", "here", "measures"], rows))
}

fn can_keep_a_rate(workload: &Workload) -> bool {
    let engine = ENGINES.named(&workload.engine);
    engine.is_some_and(|engine| engine.paced(workload, Rate::Percent(100.0)).is_ok())
}

fn workloads(is_wanted: impl Fn(&Workload) -> bool) -> Result<String> {
    let workloads = fsarena_catalog::workloads()?.into_iter().filter(is_wanted);
    let rows = workloads.map(|workload| {
        let (here, paced) = (here(&workload), if can_keep_a_rate(&workload) { "yes" } else { "no" });
        [workload.name.into(), here, paced.to_owned(), workload.metric.unit, workload.measures]
    });
    Ok(table(["workload", "here", "--rate", "unit", "measures"], rows))
}

/// Whether the programs of a workload are installed.
fn here(workload: &Workload) -> String {
    match (ENGINES.named(&workload.engine), ENGINES.missing(workload)) {
        (None, _) => format!("no: there is no engine `{}`", workload.engine),
        (Some(_), missing) if missing.is_empty() => "yes".to_owned(),
        (Some(_), missing) => format!("no: {}", how_to_install(&missing)),
    }
}

fn suites(is_wanted: impl Fn(&Suite) -> bool) -> Result<String> {
    let suites = fsarena_catalog::suites()?.into_iter().filter(is_wanted);
    let rows = suites.map(|suite| [suite.name, suite.about, suite.workloads.join(" ")]);
    Ok(table(["suite", "about", "workloads"], rows))
}

fn profiles(is_wanted: impl Fn(&Profile) -> bool) -> Result<String> {
    let profiles = fsarena_catalog::profiles()?.into_iter().filter(is_wanted);
    Ok(table(["profile", "about"], profiles.map(|profile| [profile.name, profile.about])))
}
