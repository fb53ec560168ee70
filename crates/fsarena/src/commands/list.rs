//! `fsarena list`: kinds, layers, workloads, suites, profiles and articles, and the missing packages for each; all about
//! one of them; or those with a word in their descriptions.

mod listed;

use std::fmt;

use anyhow::{Result, bail};
use clap::Args;
use fsarena_articles::Article;
use fsarena_catalog::{Profile, Suite};
use fsarena_lane::kind::Ground;
use fsarena_lane::layer::{LAYERS, LayerKind};
use fsarena_lane::{KINDS, Kind, Tool, kernel_has, missing_tool};
use fsarena_model::Workload;
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
    let catalogue = Catalogue {
        workloads: fsarena_catalog::workloads()?,
        validation: fsarena_catalog::validation()?,
        suites: fsarena_catalog::suites()?,
        profiles: fsarena_catalog::profiles()?,
        articles: fsarena_articles::articles()?,
    };
    let what = options.what.as_deref().map(|word| category(word).unwrap_or(word));
    match options.format {
        DataFormat::Text => print(&catalogue.text(what)?),
        DataFormat::Json => print_json(catalogue.json(what)?),
    }
}

/// The category that a word names, in any case, in the plural or singular.
fn category(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let is_it = |name: &&str| *name == word || name.strip_suffix('s') == Some(&word);
    let of_articles = ["article", "articles"].contains(&word.as_str()).then_some("published");
    CATEGORIES.into_iter().find(is_it).or(of_articles)
}

/// What can be listed, apart from kinds and layers.
struct Catalogue {
    workloads: Vec<Workload>,
    /// The programs that validate profiles.
    validation: Vec<Workload>,
    suites: Vec<Suite>,
    profiles: Vec<Profile>,
    articles: Vec<Article>,
}

/// The names of the categories, in the order in which pages are printed.
const CATEGORIES: [&str; 7] = ["workloads", "validation", "suites", "profiles", "kinds", "layers", "published"];

impl Catalogue {
    fn entries(&self, category: &str) -> Vec<Listed<'_>> {
        match category {
            "workloads" => self.workloads.iter().map(Listed::Workload).collect(),
            "validation" => self.validation.iter().map(Listed::Workload).collect(),
            "suites" => self.suites.iter().map(Listed::Suite).collect(),
            "profiles" => self.profiles.iter().map(Listed::Profile).collect(),
            "kinds" => KINDS.iter().copied().map(Listed::Kind).collect(),
            "layers" => LAYERS.iter().copied().map(Listed::Layer).collect(),
            _ => self.articles.iter().map(Listed::Article).collect(),
        }
    }

    fn text(&self, what: Option<&str>) -> Result<String> {
        match what {
            None => Ok(self.overview()),
            Some("validation") => Ok(self.validation()),
            Some(category) if CATEGORIES.contains(&category) => Ok(table_of(category, self.entries(category))),
            Some(word) => {
                let (mut pages, mut tables) = (Vec::new(), Vec::new());
                for (category, entries) in self.chosen(what)? {
                    let (named, others): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.is_named(word));
                    pages.extend(named.into_iter().map(Listed::page));
                    tables.extend((!others.is_empty()).then(|| table_of(category, others)));
                }
                Ok([pages, tables].concat().join("\n"))
            }
        }
    }

    /// Kinds, suites and profiles in a line each, and the names of workloads and articles.
    fn overview(&self) -> String {
        let suites = self.suites.iter().map(|suite| [suite.name.clone(), suite.about.clone()]);
        let width = places::width().unwrap_or(PLAIN.width);
        let names = |title: &str, category: &str| {
            let names: Vec<&str> = self.entries(category).iter().map(|entry| entry.name()).collect();
            layout::wrapped(&format!("{title}: {}", names.join(", ")), "  ", width)
        };
        let whole = |category| table_of(category, self.entries(category));
        format!(
            "{}\n{}\n{}\n{}\n{}\n\n{}\n\nfsarena list NAME says all about one, fsarena list WORD finds those that mention it, \
             and\nfsarena list kinds, layers, workloads, suites, profiles, validation or articles has a table.\n",
            whole("kinds"),
            whole("layers"),
            table(["suite", "about"], suites),
            whole("profiles"),
            names("workloads", "workloads"),
            names("articles", "published"),
        )
    }

    fn validation(&self) -> String {
        let rows = self.validation.iter().map(|program| {
            let Workload { group, name, measures, .. } = program;
            [group.clone(), name.to_string(), listed::here(program), measures.clone()]
        });
        table(["profile", "program that it does not contain", "here", "measures"], rows)
    }

    /// The entries of each category that a word chooses: all of the category with this name, or what has this name.
    /// What mentions the word is added if nothing has the name but a profile, which stands for a kind of work. Without
    /// a word, everything but the programs that validate profiles.
    fn chosen(&self, what: Option<&str>) -> Result<Vec<(&'static str, Vec<Listed<'_>>)>> {
        let all = CATEGORIES.map(|category| (category, self.entries(category)));
        let named = |word| all.iter().flat_map(|(_, entries)| entries).filter(move |entry| entry.is_named(word));
        let finds = what.is_some_and(|word| named(word).all(|entry| matches!(entry, Listed::Profile(_))));
        let is_wanted = |category: &str, entry: &Listed<'_>| match what {
            None => category != "validation",
            Some(word) if CATEGORIES.contains(&word) => category == word,
            Some(word) => entry.is_named(word) || (finds && category != "validation" && entry.mentions(word)),
        };
        let chosen = all.iter().map(|(category, entries)| {
            (*category, entries.iter().filter(|entry| is_wanted(category, entry)).copied().collect())
        });
        let chosen: Vec<(&str, Vec<Listed<'_>>)> = chosen.collect();
        match what.filter(|_| chosen.iter().all(|(_, entries)| entries.is_empty())) {
            None => Ok(chosen),
            Some(word) => {
                let names = all.iter().filter(|(category, _)| *category != "validation");
                let names = names.flat_map(|(_, entries)| entries).map(|entry| entry.name());
                let hint = did_you_mean(word, names, "`fsarena list` shows what there is");
                bail!(Refusal::wrong_use(format!("nothing is named `{word}` or mentions it"), hint))
            }
        }
    }

    fn json(&self, what: Option<&str>) -> Result<Value> {
        let chosen = self.chosen(what)?.into_iter();
        let of = |entries: Vec<Listed<'_>>| entries.into_iter().map(Listed::json).collect();
        Ok(Value::Object(chosen.map(|(category, entries)| (category.to_owned(), of(entries))).collect()))
    }
}

fn table_of(category: &str, entries: Vec<Listed<'_>>) -> String {
    let header: &[&str] = match category {
        "workloads" => &["workload", "here", "--rate", "unit", "measures"],
        "suites" => &["suite", "about", "workloads"],
        "profiles" => &["profile", "about"],
        "layers" => &["layer", "here", "about"],
        "published" => &["article", "tests", "title"],
        _ => &["kind", "here", "about"],
    };
    table(header.iter().copied(), entries.into_iter().map(Listed::row))
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
