//! `fsarena list`: kinds, layers, workloads, suites, profiles and articles, and the missing packages for each; all about
//! one of them; or those with a word in their descriptions.

mod listed;
mod sought;

use std::fmt;

use anyhow::Result;
use clap::Args;
use fsarena_articles::Article;
use fsarena_articles::article::ClaimOutcome;
use fsarena_catalog::{Profile, Suite};
use fsarena_lane::kind::Ground;
use fsarena_lane::layer::{LAYERS, LayerKind};
use fsarena_lane::{KINDS, Kind, Tool, kernel_has, missing_tool};
use fsarena_model::Workload;
use fsarena_model::name::did_you_mean;
use fsarena_place::Refusal;
use fsarena_report::{PLAIN, layout};
use serde_json::{Map, Value, json};

use self::listed::Listed;
use self::sought::Sought;
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
            Some("published") => Ok(articles_in_numbers(&self.articles)),
            Some("validation") => Ok(self.validation()),
            Some(category) if CATEGORIES.contains(&category) => Ok(self.table(category, |_| true)),
            Some(word) => self.named_or_found(word),
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
        format!(
            "{}\n{}\n{}\n{}\n{}\n\n{}\n\nfsarena list NAME says all about one, fsarena list WORD finds those that mention it, \
             and\nfsarena list kinds, layers, workloads, suites, profiles, validation or articles has a table.\n",
            self.table("kinds", |_| true),
            self.table("layers", |_| true),
            table(["suite", "about"], suites),
            self.table("profiles", |_| true),
            names("workloads", "workloads"),
            names("articles", "published"),
        )
    }

    /// The entries of a category that are wanted.
    fn table(&self, category: &str, is_wanted: impl Fn(Listed<'_>) -> bool) -> String {
        let header: &[&str] = match category {
            "workloads" => &["workload", "here", "--rate", "unit", "measures"],
            "suites" => &["suite", "about", "workloads"],
            "profiles" => &["profile", "about"],
            "layers" => &["layer", "here", "about"],
            _ => &["kind", "here", "about"],
        };
        let wanted = self.entries(category).into_iter().filter(|entry| is_wanted(*entry));
        table(header.iter().copied(), wanted.map(Listed::row))
    }

    fn validation(&self) -> String {
        let rows = self.validation.iter().map(|program| {
            let Workload { group, name, measures, .. } = program;
            [group.clone(), name.to_string(), listed::here(program), measures.clone()]
        });
        table(["profile", "program that it does not contain", "here", "measures"], rows)
    }

    /// All about what has this name, and what mentions it if it is a word for a kind of work. Without such a name, what
    /// mentions the word.
    fn named_or_found(&self, word: &str) -> Result<String> {
        let sought = Sought::new(word);
        let named = |category| self.entries(category).into_iter().find(|entry| entry.name().eq_ignore_ascii_case(word));
        let mut parts: Vec<String> = CATEGORIES.into_iter().filter_map(named).map(Listed::page).collect();
        if parts.is_empty() || sought.has_topic() {
            let tables = ["profiles", "suites", "workloads", "kinds", "layers"]
                .map(|category| self.table(category, |entry| sought.is_in(&entry.texts())));
            parts.extend(tables.into_iter().filter(|table| table.lines().count() > 1));
        }
        if parts.is_empty() { Err(self.nothing(word).into()) } else { Ok(parts.join("\n")) }
    }

    /// The refusal of a word that occurs nowhere.
    fn nothing(&self, word: &str) -> Refusal {
        let known =
            ["workloads", "suites", "profiles", "published", "kinds", "layers"].map(|category| self.entries(category));
        let names = known.iter().flatten().map(|entry| entry.name());
        let hint = did_you_mean(word, names, "`fsarena list` shows what there is");
        Refusal::wrong_use(format!("nothing is named `{word}` or mentions it"), hint)
    }

    /// A category, what has a name, or what mentions a word; everything without either. Programs that validate profiles
    /// are there only if they are asked for.
    fn json(&self, what: Option<&str>) -> Result<Value> {
        let all = CATEGORIES.map(|category| (category, self.entries(category)));
        let is_named = |entry: Listed<'_>| what.is_some_and(|word| entry.name().eq_ignore_ascii_case(word));
        let sought = Sought::new(what.unwrap_or_default());
        let finds = sought.has_topic() || !all.iter().flat_map(|(_, entries)| entries).any(|entry| is_named(*entry));
        let is_wanted = |category: &str, entry: Listed<'_>| match what {
            None => category != "validation",
            Some(word) if CATEGORIES.contains(&word) => category == word,
            Some(_) => is_named(entry) || (finds && category != "validation" && sought.is_in(&entry.texts())),
        };
        let mut kept = Map::new();
        for (category, entries) in all {
            let wanted = entries.into_iter().filter(|entry| is_wanted(category, *entry));
            kept.insert(category.to_owned(), wanted.map(Listed::json).collect());
        }
        if let Some(word) = what.filter(|_| kept.values().all(|entries| entries == &json!([]))) {
            return Err(self.nothing(word).into());
        }
        Ok(Value::Object(kept))
    }
}

const ARTICLE_COLUMNS: [&str; 11] = [
    "article", "tests", "figures", "orders", "findings", "claims", "hold", "do not hold", "not testable",
    "unsupported", "contradict",
];

/// One row for each article, and a row with the sums.
fn articles_in_numbers(articles: &[Article]) -> String {
    let rows: Vec<_> = articles.iter().map(|article| (article.name.clone(), counts(article))).collect();
    let sum = |at: usize| rows.iter().map(|(_, counts)| counts[at]).sum::<usize>();
    let total = ("all".to_owned(), std::array::from_fn(sum));
    let row = |(name, counts): (String, [usize; 10])| {
        std::iter::once(name).chain(counts.map(|count| count.to_string())).collect::<Vec<_>>()
    };
    table(ARTICLE_COLUMNS, rows.iter().cloned().chain([total]).map(row))
}

fn counts(article: &Article) -> [usize; 10] {
    let [hold, not, untestable, unsupported, contradict] =
        ClaimOutcome::ALL.map(|outcome| article.count_of_claims(outcome));
    let (figures, orders) = (article.count_of_figures(), article.count_of_rankings());
    let findings = fsarena_articles::judge(article).len();
    let (tests, claims) = (article.tests.len(), article.claims.len());
    [tests, figures, orders, findings, claims, hold, not, untestable, unsupported, contradict]
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
