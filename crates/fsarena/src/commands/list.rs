//! `fsarena list`: kinds, layers, workloads, suites, profiles and articles, and the missing packages for each; all about
//! one of them; or those with a word in their descriptions.

mod listed;

use std::fmt;

use anyhow::{Result, bail};
use clap::Args;
use fsarena_lane::kind::Ground;
use fsarena_lane::layer::{LAYERS, LayerKind};
use fsarena_lane::{KINDS, Kind, Tool, kernel_has, missing_tool};
use fsarena_model::joined;
use fsarena_model::name::did_you_mean;
use fsarena_place::Refusal;
use fsarena_report::{PLAIN, layout};
use serde_json::Value;

use self::listed::Listed;
use super::{print, print_json, table};
use crate::cli::{DataFormat, candidates};
use crate::places;

#[derive(Debug, Args)]
pub struct ListArguments {
    /// kinds, layers, workloads, suites, profiles, validation or published; the name of one of these; or a word to look
    /// for in descriptions and programs
    #[arg(value_name = "WHAT", add = candidates::listed())]
    pub what: Option<String>,
    /// How to write it down
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: DataFormat,
}

/// Lists a category, describes what has a name, or finds a word; without either, gives an overview.
pub fn run(options: &ListArguments) -> Result<()> {
    let catalogue = catalogue()?;
    let what = options.what.as_deref().map(|word| category(&catalogue, word).unwrap_or(word));
    match options.format {
        DataFormat::Text => print(&text(&catalogue, what)?),
        DataFormat::Json => {
            let of = |entries: Vec<&Listed>| entries.into_iter().map(|entry| entry.json.clone()).collect();
            let chosen = chosen(&catalogue, what)?.into_iter();
            print_json(Value::Object(chosen.map(|(it, entries)| (it.name.to_owned(), of(entries))).collect()))
        }
    }
}

/// The category that a word names, in any case, in the plural or singular.
fn category(all: &Catalogue, word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let is_it = |name: &&str| *name == word || name.strip_suffix('s') == Some(&word);
    let of_articles = ["article", "articles"].contains(&word.as_str()).then_some("published");
    all.iter().map(|category| category.name).find(is_it).or(of_articles)
}

/// What can be listed together.
struct Category {
    name: &'static str,
    /// The header of its table.
    header: &'static [&'static str],
    entries: Vec<Listed>,
}

impl Category {
    fn table<'a>(&self, entries: impl IntoIterator<Item = &'a Listed>) -> String {
        table(self.header.iter().copied(), entries.into_iter().map(|entry| entry.row.clone()))
    }
}

/// All categories, in the order in which pages are printed.
type Catalogue = [Category; 7];

/// The programs that validate profiles, which only their own name finds.
const VALIDATION: &str = "validation";

fn catalogue() -> Result<Catalogue> {
    let category = |name, header, entries| Category { name, header, entries };
    let (workloads, programs) = (fsarena_catalog::workloads()?, fsarena_catalog::validation()?);
    let (suites, profiles) = (fsarena_catalog::suites()?, fsarena_catalog::profiles()?);
    let articles = fsarena_articles::articles()?;
    Ok([
        category(
            "workloads",
            &["workload", "here", "--rate", "unit", "measures"],
            workloads.iter().map(|workload| Listed::workload(workload, &suites)).collect(),
        ),
        category(
            VALIDATION,
            &["profile", "program that it does not contain", "here", "measures"],
            programs.iter().map(Listed::validation).collect(),
        ),
        category("suites", &["suite", "about", "workloads"], suites.iter().map(Listed::suite).collect()),
        category("profiles", &["profile", "about"], profiles.iter().map(Listed::profile).collect()),
        category("kinds", &["kind", "here", "about"], KINDS.iter().map(|kind| Listed::kind(kind)).collect()),
        category("layers", &["layer", "here", "about"], LAYERS.iter().map(|layer| Listed::layer(layer)).collect()),
        category("published", &["article", "tests", "title"], articles.iter().map(Listed::article).collect()),
    ])
}

fn text(all: &Catalogue, what: Option<&str>) -> Result<String> {
    let Some(word) = what else { return Ok(overview(all)) };
    if let Some(category) = all.iter().find(|category| category.name == word) {
        return Ok(category.table(&category.entries));
    }
    let (mut pages, mut tables) = (Vec::new(), Vec::new());
    for (category, entries) in chosen(all, what)? {
        let (named, others): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.is_named(word));
        pages.extend(named.into_iter().map(Listed::page));
        tables.extend((!others.is_empty()).then(|| category.table(others)));
    }
    Ok([pages, tables].concat().join("\n"))
}

/// Kinds, suites and profiles in a line each, and the names of workloads and articles.
fn overview([workloads, _, suites, profiles, kinds, layers, articles]: &Catalogue) -> String {
    let width = places::width().unwrap_or(PLAIN.width);
    let names = |title: &str, category: &Category| {
        let names = joined(category.entries.iter().map(|entry| &entry.name), ", ");
        layout::wrapped(&format!("{title}: {names}"), "  ", width)
    };
    let whole = |category: &Category| category.table(&category.entries);
    format!(
        "{}\n{}\n{}\n{}\n{}\n\n{}\n\nfsarena list NAME says all about one, fsarena list WORD finds those that mention it, \
         and\nfsarena list kinds, layers, workloads, suites, profiles, validation or articles has a table.\n",
        whole(kinds),
        whole(layers),
        table(["suite", "about"], suites.entries.iter().map(|entry| &entry.row[..2])),
        whole(profiles),
        names("workloads", workloads),
        names("articles", articles),
    )
}

/// The entries of each category that a word chooses: all of the category with this name, or what has this name. What
/// mentions the word is added if nothing has the name but a profile, which stands for a kind of work. Without a word,
/// everything but the programs that validate profiles.
fn chosen<'a>(all: &'a Catalogue, what: Option<&str>) -> Result<Vec<(&'a Category, Vec<&'a Listed>)>> {
    let is_named = |category: &Category, word| category.entries.iter().any(|entry| entry.is_named(word));
    let named = |word| all.iter().filter(move |category| is_named(category, word));
    let finds = what.is_some_and(|word| named(word).all(|category| category.name == "profiles"));
    let is_wanted = |category: &str, entry: &Listed| match what {
        None => category != VALIDATION,
        Some(word) if all.iter().any(|it| it.name == word) => category == word,
        Some(word) => entry.is_named(word) || (finds && category != VALIDATION && entry.mentions(word)),
    };
    let wanted = |category: &'a Category| category.entries.iter().filter(|entry| is_wanted(category.name, entry));
    let chosen: Vec<(&Category, Vec<&Listed>)> =
        all.iter().map(|category| (category, wanted(category).collect())).collect();
    match what.filter(|_| chosen.iter().all(|(_, entries)| entries.is_empty())) {
        None => Ok(chosen),
        Some(word) => {
            let names = all.iter().filter(|category| category.name != VALIDATION);
            let names = names.flat_map(|category| &category.entries).map(|entry| entry.name.as_str());
            let hint = did_you_mean(word, names, "`fsarena list` shows what there is");
            bail!(Refusal::wrong_use(format!("nothing is named `{word}` or mentions it"), hint))
        }
    }
}

/// Whether a kind is usable on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    Here,
    /// Usable by root only.
    AsRoot,
    /// The running kernel does not support it, or it is a folder of this machine that a guest mounts.
    KernelLacks,
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
    let lacks = kind.ground == Ground::Share || !kernel_has(kind.mounted_as);
    of_kernel_and_tools(lacks, kind.tools)
}

/// Whether a layer is usable here; otherwise the first obstacle.
pub fn layer_availability(layer: &LayerKind) -> Availability {
    of_kernel_and_tools(layer.missing_module().is_some(), layer.tools)
}

fn of_kernel_and_tools(kernel_lacks: bool, tools: &'static [Tool]) -> Availability {
    match missing_tool(tools) {
        _ if kernel_lacks => Availability::KernelLacks,
        Some(tool) => Availability::ToolMissing(tool),
        None if !rustix::process::geteuid().is_root() => Availability::AsRoot,
        None => Availability::Here,
    }
}
