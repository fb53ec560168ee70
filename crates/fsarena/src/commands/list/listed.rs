//! The things that can be listed, each as a row of a table, as JSON, and as a page.

use fsarena_articles::Article;
use fsarena_catalog::{Profile, Suite};
use fsarena_lane::Kind;
use fsarena_lane::layer::LayerKind;
use fsarena_model::plan::how_to_install;
use fsarena_model::{Rate, Weight, Workload, distinct};
use fsarena_place::ENGINES;
use fsarena_report::number::percent;
use fsarena_report::{PLAIN, layout};
use serde_json::{Map, Value, json};

use super::{Availability, availability, layer_availability};
use crate::places;

/// Columns of the names before the descriptions.
const NAMES: usize = 12;

/// Something that has a name in the catalogue.
#[derive(Clone, Copy)]
pub enum Listed<'a> {
    Kind(&'a Kind),
    Layer(&'a LayerKind),
    /// A workload, or a program that validates profiles.
    Workload(&'a Workload),
    Suite(&'a Suite),
    Profile(&'a Profile),
    Article(&'a Article),
}

impl<'a> Listed<'a> {
    pub fn name(self) -> &'a str {
        match self {
            Self::Kind(kind) => kind.name,
            Self::Layer(layer) => layer.name,
            Self::Workload(workload) => &workload.name,
            Self::Suite(suite) => &suite.name,
            Self::Profile(profile) => &profile.name,
            Self::Article(article) => &article.name,
        }
    }

    /// What it is, in a line.
    fn about(self) -> &'a str {
        match self {
            Self::Kind(kind) => kind.about,
            Self::Layer(layer) => layer.about,
            Self::Workload(workload) => &workload.measures,
            Self::Suite(suite) => &suite.about,
            Self::Profile(profile) => &profile.about,
            Self::Article(article) => &article.title,
        }
    }

    /// Its row in the table of its category.
    pub fn row(self) -> Vec<String> {
        let (name, about) = (self.name().to_owned(), self.about().to_owned());
        match self {
            Self::Kind(kind) => vec![name, availability(kind).to_string(), about],
            Self::Layer(layer) => vec![name, layer_availability(layer).to_string(), about],
            Self::Workload(workload) => {
                let paced = if can_keep_a_rate(workload) { "yes" } else { "no" }.to_owned();
                vec![name, here(workload), paced, workload.metric.unit.clone(), about]
            }
            Self::Suite(suite) => vec![name, about, suite.workloads.join(" ")],
            Self::Profile(_) => vec![name, about],
            Self::Article(article) => vec![name, article.tests.len().to_string(), about],
        }
    }

    /// The same for programs.
    pub fn json(self) -> Value {
        let (name, about) = (self.name(), self.about());
        match self {
            Self::Kind(kind) => json_of(name, about, availability(kind)),
            Self::Layer(layer) => {
                let options: Map<String, Value> =
                    layer.options.iter().map(|(name, values)| ((*name).to_owned(), json!(values))).collect();
                let mut found = json_of(name, about, layer_availability(layer));
                found["options"] = options.into();
                found
            }
            Self::Workload(workload) => {
                let missing = ENGINES.missing(workload);
                let is_known = ENGINES.named(&workload.engine).is_some();
                json!({
                    "name": name, "version": workload.version, "engine": workload.engine,
                    "unit": workload.metric.unit, "better": workload.metric.better, "measures": about,
                    "why": workload.why, "rate": can_keep_a_rate(workload), "here": is_known && missing.is_empty(),
                    "missing": missing,
                })
            }
            Self::Suite(Suite { workloads, contenders, groups, .. }) => json!({
                "name": name, "about": about, "workloads": workloads, "contenders": contenders, "groups": groups,
            }),
            Self::Profile(Profile { why, source, mix, .. }) => json!({
                "name": name, "about": about, "why": why, "source": source, "weights": mix,
            }),
            Self::Article(article) => json!({ "name": name, "title": about, "tests": article.tests.len() }),
        }
    }

    /// Whether it has this name, in any case.
    pub fn is_named(self, word: &str) -> bool {
        self.name().eq_ignore_ascii_case(word)
    }

    /// Whether its descriptions have a word, in any case.
    pub fn mentions(self, word: &str) -> bool {
        self.texts().iter().any(|text| text.to_lowercase().contains(&word.to_lowercase()))
    }

    /// Its descriptions: those of a workload have the programs that it needs and their packages, those of a suite or
    /// profile the names of its groups and workloads.
    fn texts(self) -> Vec<String> {
        let further: Vec<String> = match self {
            Self::Kind(_) | Self::Layer(_) | Self::Article(_) => Vec::new(),
            Self::Workload(workload) => {
                let Workload { title, why, engine, .. } = workload;
                let needs = ENGINES.named(engine).map(|engine| engine.programs(workload).needs).unwrap_or_default();
                let programs = needs.iter().flat_map(|need| [need.program, need.package]);
                [title, why, engine].map(String::as_str).into_iter().chain(programs).map(str::to_owned).collect()
            }
            Self::Suite(suite) => suite.groups.keys().chain(&suite.workloads).cloned().collect(),
            Self::Profile(profile) => [&profile.why].into_iter().chain(&profile.workloads).cloned().collect(),
        };
        [self.name(), self.about()].map(str::to_owned).into_iter().chain(further).collect()
    }

    /// All about it: a title and described facts; those without a description are left out.
    pub fn page(self) -> String {
        let (name, about) = (self.name(), self.about().to_owned());
        let (title, facts) = match self {
            Self::Kind(kind) => {
                let packages = distinct(kind.tools.iter().map(|tool| tool.package).chain(kind.module)).join(", ");
                let options =
                    if kind.ground.has_lane() { "docs/guides/mkfs-options.md".to_owned() } else { String::new() };
                let here = availability(kind).to_string();
                ("kind", vec![("about", about), ("packages", packages), ("options", options), ("here", here)])
            }
            Self::Layer(layer) => {
                let options = layer.options.iter().map(|(name, values)| format!("{name}={}", values.join("|")));
                let options = format!("{}; the first value is the default", joined(options, ", "));
                let here = layer_availability(layer).to_string();
                (
                    "layer",
                    vec![("about", about), ("options", options), ("use it", format!("ext4@{name}")), ("here", here)],
                )
            }
            Self::Workload(workload) => ("workload", facts_of_workload(workload)),
            Self::Suite(suite) => {
                let groups =
                    suite.groups.iter().map(|(group, workloads)| format!("{group} ({})", workloads.join(", ")));
                let facts = vec![
                    ("about", about),
                    ("workloads", suite.workloads.join(", ")),
                    ("contenders", suite.contenders.join(", ")),
                    ("groups", joined(groups, "; ")),
                    ("run it", format!("fsarena compare --suite {name}")),
                ];
                ("suite", facts)
            }
            Self::Profile(profile) => {
                let share = |weight: &Weight| format!("{} {}", weight.name, percent(weight.share));
                let facts = vec![
                    ("about", about),
                    ("workloads", joined(profile.mix.0.iter().map(share), ", ")),
                    ("why", profile.why.clone()),
                    ("source", profile.source.clone().unwrap_or_default()),
                    ("run it", format!("fsarena compare ext4 xfs btrfs --profile {name}")),
                ];
                ("profile", facts)
            }
            Self::Article(article) => {
                let (tests, reproduce) = (article.tests.len().to_string(), format!("fsarena reproduce {name}"));
                ("article", vec![("title", about), ("tests", tests), ("reproduce", reproduce)])
            }
        };
        let width = places::width().unwrap_or(PLAIN.width).saturating_sub(NAMES + 2);
        let known = facts.into_iter().filter(|(_, text)| !text.is_empty());
        let lines = known.map(|(name, text)| {
            let text = layout::wrapped(&text, "", width).replace('\n', &format!("\n{:1$}", "", NAMES + 2));
            format!("  {name:NAMES$}{text}\n")
        });
        let version = match self {
            Self::Workload(workload) => format!(" (version {})", workload.version),
            _ => String::new(),
        };
        format!("{title} {name}{version}\n{}", lines.collect::<String>())
    }
}

fn joined(parts: impl Iterator<Item = String>, separator: &str) -> String {
    parts.collect::<Vec<_>>().join(separator)
}

/// The name and description of a kind or layer, and what is in the way here.
fn json_of(name: &str, about: &str, found: Availability) -> Value {
    let obstacle = (found != Availability::Here).then(|| found.to_string());
    json!({ "name": name, "about": about, "here": obstacle.is_none(), "obstacle": obstacle })
}

fn facts_of_workload(workload: &Workload) -> Vec<(&'static str, String)> {
    let is_in = |suite: &Suite| suite.workloads.iter().any(|name| workload.name == name.as_str());
    let suites = fsarena_catalog::suites().unwrap_or_default().into_iter().filter(is_in);
    vec![
        ("measures", workload.measures.clone()),
        ("why", workload.why.clone()),
        ("figure", format!("{}, {}", workload.metric.unit, fsarena_report::better(workload.metric.better))),
        ("engine", workload.engine.clone()),
        ("durability", fsarena_report::durable(workload.durable).to_owned()),
        ("cache", fsarena_report::cache(workload.cache).to_owned()),
        ("mode", fsarena_report::mode(workload.mode).to_owned()),
        ("open loop", if can_keep_a_rate(workload) { "--rate" } else { "no" }.to_owned()),
        ("suites", joined(suites.map(|suite| suite.name), ", ")),
        ("here", here(workload)),
        ("parameters", workload.parameters.to_string()),
    ]
}

fn can_keep_a_rate(workload: &Workload) -> bool {
    let engine = ENGINES.named(&workload.engine);
    engine.is_some_and(|engine| engine.paced(workload, Rate::Percent(100.0)).is_ok())
}

/// Whether the programs of a workload are installed.
pub fn here(workload: &Workload) -> String {
    match (ENGINES.named(&workload.engine), ENGINES.missing(workload)) {
        (None, _) => format!("no: there is no engine `{}`", workload.engine),
        (Some(_), missing) if missing.is_empty() => "yes".to_owned(),
        (Some(_), missing) => format!("no: {}", how_to_install(&missing)),
    }
}
