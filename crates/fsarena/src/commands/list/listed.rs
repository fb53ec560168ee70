//! What can be listed: each thing with its row in a table, its JSON and its page.

use fsarena_articles::Article;
use fsarena_catalog::{Profile, Suite};
use fsarena_lane::Kind;
use fsarena_lane::layer::LayerKind;
use fsarena_model::plan::how_to_install;
use fsarena_model::{Rate, Weight, Workload, distinct, joined};
use fsarena_place::ENGINES;
use fsarena_report::number::percent;
use fsarena_report::{PLAIN, layout};
use serde_json::{Map, Value, json};

use super::{Availability, availability, layer_availability};
use crate::places;

/// Columns of the names before the descriptions.
const NAMES: usize = 12;

/// Something that has a name in the catalogue.
pub struct Listed {
    pub name: String,
    /// What it is, in a line.
    about: String,
    /// The head of its page.
    title: String,
    /// Its row in the table of its category.
    pub row: Vec<String>,
    /// The same for programs.
    pub json: Value,
    /// What its page says; facts without a text are left out.
    facts: Vec<(&'static str, String)>,
    /// Further texts by which it is found.
    words: Vec<String>,
}

impl Listed {
    /// A `what` (`suite`) without facts.
    fn new(what: &str, name: &str, about: &str) -> Self {
        let [name, about] = [name, about].map(str::to_owned);
        let (title, row) = (format!("{what} {name}"), vec![name.clone(), about.clone()]);
        Self { name, about, title, row, json: Value::Null, facts: Vec::new(), words: Vec::new() }
    }

    /// Whether it has this name, in any case.
    pub fn is_named(&self, word: &str) -> bool {
        self.name.eq_ignore_ascii_case(word)
    }

    /// Whether its descriptions have a word, in any case.
    pub fn mentions(&self, word: &str) -> bool {
        let mut texts = [&self.name, &self.about].into_iter().chain(&self.words);
        texts.any(|text| text.to_lowercase().contains(&word.to_lowercase()))
    }

    /// All about it.
    pub fn page(&self) -> String {
        let width = places::width().unwrap_or(PLAIN.width).saturating_sub(NAMES + 2);
        let known = self.facts.iter().filter(|(_, text)| !text.is_empty());
        let lines = known.map(|(name, text)| {
            let text = layout::wrapped(text, "", width).replace('\n', &format!("\n{:1$}", "", NAMES + 2));
            format!("  {name:NAMES$}{text}\n")
        });
        format!("{}\n{}", self.title, lines.collect::<String>())
    }

    pub fn kind(kind: &Kind) -> Self {
        let here = availability(kind).to_string();
        let options = if kind.ground.has_lane() { "docs/guides/mkfs-options.md" } else { "" };
        let packages = distinct(kind.tools.iter().map(|tool| tool.package).chain(kind.module));
        Self {
            row: [kind.name, &here, kind.about].map(str::to_owned).to_vec(),
            json: json_of(kind.name, kind.about, availability(kind)),
            facts: vec![
                ("about", kind.about.to_owned()),
                ("packages", packages.join(", ")),
                ("options", options.to_owned()),
                ("here", here),
            ],
            ..Self::new("kind", kind.name, kind.about)
        }
    }

    pub fn layer(layer: &LayerKind) -> Self {
        let here = layer_availability(layer).to_string();
        let options = layer.options.iter().map(|(name, values)| format!("{name}={}", values.join("|")));
        let values = layer.options.iter().map(|(name, values)| ((*name).to_owned(), json!(values)));
        let mut json = json_of(layer.name, layer.about, layer_availability(layer));
        json["options"] = values.collect::<Map<_, _>>().into();
        Self {
            row: [layer.name, &here, layer.about].map(str::to_owned).to_vec(),
            json,
            facts: vec![
                ("about", layer.about.to_owned()),
                ("options", format!("{}; the first value is the default", joined(options, ", "))),
                ("use it", format!("ext4@{}", layer.name)),
                ("here", here),
            ],
            ..Self::new("layer", layer.name, layer.about)
        }
    }

    /// A workload; those of `suites` that have it are on its page.
    pub fn workload(workload: &Workload, suites: &[Suite]) -> Self {
        let Workload { name, title, measures, why, metric, .. } = workload;
        let engine = ENGINES.named(&workload.engine);
        let missing = ENGINES.missing(workload);
        let here = match engine {
            None => format!("no: there is no engine `{}`", workload.engine),
            Some(_) if missing.is_empty() => "yes".to_owned(),
            Some(_) => format!("no: {}", how_to_install(&missing)),
        };
        let has_rate = engine.is_some_and(|engine| engine.paced(workload, Rate::Percent(100.0)).is_ok());
        let needs = engine.map(|engine| engine.programs(workload).needs).unwrap_or_default();
        let programs = needs.iter().flat_map(|need| [need.program, need.package]);
        let own = suites.iter().filter(|suite| suite.workloads.iter().any(|it| name == it));
        let row = [name.as_str(), &here, if has_rate { "yes" } else { "no" }, &metric.unit, measures];
        Self {
            title: format!("workload {name} (version {})", workload.version),
            row: row.map(str::to_owned).to_vec(),
            json: json!({
                "name": name, "version": workload.version, "engine": workload.engine, "unit": metric.unit,
                "better": metric.better, "measures": measures, "why": why, "rate": has_rate, "here": here == "yes",
                "missing": missing,
            }),
            facts: vec![
                ("measures", measures.clone()),
                ("why", why.clone()),
                ("figure", format!("{}, {}", metric.unit, fsarena_report::better(metric.better))),
                ("engine", workload.engine.clone()),
                ("durability", fsarena_report::durable(workload.durable).to_owned()),
                ("cache", fsarena_report::cache(workload.cache).to_owned()),
                ("mode", fsarena_report::mode(workload.mode).to_owned()),
                ("open loop", if has_rate { "--rate" } else { "no" }.to_owned()),
                ("suites", joined(own.map(|suite| &suite.name), ", ")),
                ("here", here),
                ("parameters", workload.parameters.to_string()),
            ],
            words: [title, why, &workload.engine]
                .map(String::as_str)
                .into_iter()
                .chain(programs)
                .map(str::to_owned)
                .collect(),
            ..Self::new("workload", name, measures)
        }
    }

    /// A program that validates a profile.
    pub fn validation(program: &Workload) -> Self {
        let listed = Self::workload(program, &[]);
        let row = [program.group.clone(), listed.name.clone(), listed.row[1].clone(), listed.about.clone()];
        Self { row: row.to_vec(), ..listed }
    }

    pub fn suite(suite: &Suite) -> Self {
        let Suite { name, about, workloads, contenders, groups, .. } = suite;
        let grouped = groups.iter().map(|(group, workloads)| format!("{group} ({})", workloads.join(", ")));
        Self {
            row: vec![name.clone(), about.clone(), workloads.join(" ")],
            json: json!({
                "name": name, "about": about, "workloads": workloads, "contenders": contenders, "groups": groups,
            }),
            facts: vec![
                ("about", about.clone()),
                ("workloads", workloads.join(", ")),
                ("contenders", contenders.join(", ")),
                ("groups", joined(grouped, "; ")),
                ("run it", format!("fsarena compare --suite {name}")),
            ],
            words: groups.keys().chain(workloads).cloned().collect(),
            ..Self::new("suite", name, about)
        }
    }

    pub fn profile(profile: &Profile) -> Self {
        let Profile { name, about, why, source, mix, workloads } = profile;
        let share = |weight: &Weight| format!("{} {}", weight.name, percent(weight.share));
        Self {
            json: json!({ "name": name, "about": about, "why": why, "source": source, "weights": mix }),
            facts: vec![
                ("about", about.clone()),
                ("workloads", joined(mix.0.iter().map(share), ", ")),
                ("why", why.clone()),
                ("source", source.clone().unwrap_or_default()),
                ("run it", format!("fsarena compare ext4 xfs btrfs --profile {name}")),
            ],
            words: [why].into_iter().chain(workloads).cloned().collect(),
            ..Self::new("profile", name, about)
        }
    }

    pub fn article(article: &Article) -> Self {
        let Article { name, title, tests, .. } = article;
        let tests = tests.len();
        Self {
            row: vec![name.clone(), tests.to_string(), title.clone()],
            json: json!({ "name": name, "title": title, "tests": tests }),
            facts: vec![
                ("title", title.clone()),
                ("tests", tests.to_string()),
                ("reproduce", format!("fsarena reproduce {name}")),
            ],
            ..Self::new("article", name, title)
        }
    }
}

/// The name and description of a kind or layer, and what is in the way here.
fn json_of(name: &str, about: &str, found: Availability) -> Value {
    let obstacle = (found != Availability::Here).then(|| found.to_string());
    json!({ "name": name, "about": about, "here": obstacle.is_none(), "obstacle": obstacle })
}
