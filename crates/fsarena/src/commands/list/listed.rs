//! The things that can be listed, each as a row of a table, as JSON, and as a page.

use fsarena_articles::Article;
use fsarena_catalog::{Profile, Suite};
use fsarena_lane::Kind;
use fsarena_lane::layer::LayerKind;
use fsarena_model::plan::how_to_install;
use fsarena_model::{Better, Rate, Weight, Workload};
use fsarena_place::ENGINES;
use fsarena_report::{PLAIN, layout};
use serde_json::{Value, json};

use super::{Availability, availability, layer_availability};
use crate::places;

/// Columns of the names before the descriptions.
const NAMES: usize = 12;

/// Something that has a name in the catalogue.
pub trait Listed {
    /// The name.
    fn name(&self) -> &str;

    /// Its row in the table of its category.
    fn row(&self) -> Vec<String>;

    /// The same for programs.
    fn json(&self) -> Value;

    /// The texts in which a word is looked for.
    fn texts(&self) -> Vec<String>;

    /// All about it.
    fn page(&self) -> String;
}

impl Listed for &'static Kind {
    fn name(&self) -> &str {
        self.name
    }

    fn row(&self) -> Vec<String> {
        vec![self.name.to_owned(), availability(self).to_string(), self.about.to_owned()]
    }

    fn json(&self) -> Value {
        json_of([self.name, self.about], availability(self))
    }

    fn texts(&self) -> Vec<String> {
        vec![self.name.to_owned(), self.about.to_owned()]
    }

    fn page(&self) -> String {
        let here = availability(self).to_string();
        page(&format!("kind {}", self.name), &[("about", self.about.to_owned()), ("here", here)])
    }
}

impl Listed for &'static LayerKind {
    fn name(&self) -> &str {
        self.name
    }

    fn row(&self) -> Vec<String> {
        vec![self.name.to_owned(), layer_availability(self).to_string(), self.about.to_owned()]
    }

    fn json(&self) -> Value {
        json_of([self.name, self.about], layer_availability(self))
    }

    fn texts(&self) -> Vec<String> {
        vec![self.name.to_owned(), self.about.to_owned()]
    }

    fn page(&self) -> String {
        let options = self.options.iter().map(|(name, values)| format!("{name}={}", values.join("|")));
        page(
            &format!("layer {}", self.name),
            &[
                ("about", self.about.to_owned()),
                ("options", format!("{}; the first value is the default", options.collect::<Vec<_>>().join(", "))),
                ("use it", format!("ext4@{}", self.name)),
                ("here", layer_availability(self).to_string()),
            ],
        )
    }
}

/// The name and description of a kind or layer, and what is in the way here.
fn json_of([name, about]: [&str; 2], found: Availability) -> Value {
    let obstacle = (found != Availability::Here).then(|| found.to_string());
    json!({ "name": name, "about": about, "here": obstacle.is_none(), "obstacle": obstacle })
}

impl Listed for Workload {
    fn name(&self) -> &str {
        &self.name
    }

    fn row(&self) -> Vec<String> {
        let paced = if can_keep_a_rate(self) { "yes" } else { "no" }.to_owned();
        vec![self.name.to_string(), here(self), paced, self.metric.unit.clone(), self.measures.clone()]
    }

    fn json(&self) -> Value {
        let missing = ENGINES.missing(self);
        let is_known = ENGINES.named(&self.engine).is_some();
        json!({
            "name": self.name.to_string(), "version": self.version, "engine": self.engine,
            "unit": self.metric.unit, "better": self.metric.better, "measures": self.measures,
            "why": self.why, "rate": can_keep_a_rate(self), "here": is_known && missing.is_empty(),
            "missing": missing,
        })
    }

    /// With the programs that it needs and their packages.
    fn texts(&self) -> Vec<String> {
        let Self { name, title, measures, why, engine, .. } = self;
        let needs = ENGINES.named(engine).map(|engine| engine.programs(self).needs).unwrap_or_default();
        let programs = needs.iter().flat_map(|need| [need.program, need.package]).map(str::to_owned);
        [name.as_str(), title, measures, why, engine].map(str::to_owned).into_iter().chain(programs).collect()
    }

    fn page(&self) -> String {
        let is_in = |suite: &Suite| suite.workloads.iter().any(|name| self.name == name.as_str());
        let suites = fsarena_catalog::suites().unwrap_or_default().into_iter().filter(is_in);
        let better = match self.metric.better {
            Better::Higher => "higher is better",
            Better::Lower => "lower is better",
        };
        page(
            &format!("workload {} (version {})", self.name, self.version),
            &[
                ("measures", self.measures.clone()),
                ("why", self.why.clone()),
                ("figure", format!("{}, {better}", self.metric.unit)),
                ("engine", self.engine.clone()),
                ("durability", fsarena_report::durable(self.durable).to_owned()),
                ("cache", fsarena_report::cache(self.cache).to_owned()),
                ("mode", fsarena_report::mode(self.mode).to_owned()),
                ("open loop", if can_keep_a_rate(self) { "--rate" } else { "no" }.to_owned()),
                ("suites", suites.map(|suite| suite.name).collect::<Vec<_>>().join(", ")),
                ("here", here(self)),
                ("parameters", self.parameters.to_string()),
            ],
        )
    }
}

impl Listed for Suite {
    fn name(&self) -> &str {
        &self.name
    }

    fn row(&self) -> Vec<String> {
        vec![self.name.clone(), self.about.clone(), self.workloads.join(" ")]
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name, "about": self.about, "workloads": self.workloads, "contenders": self.contenders,
            "groups": self.groups,
        })
    }

    /// With the names of its groups and workloads.
    fn texts(&self) -> Vec<String> {
        [&self.name, &self.about].into_iter().chain(self.groups.keys()).chain(&self.workloads).cloned().collect()
    }

    fn page(&self) -> String {
        let groups = self.groups.iter().map(|(group, workloads)| format!("{group} ({})", workloads.join(", ")));
        page(
            &format!("suite {}", self.name),
            &[
                ("about", self.about.clone()),
                ("workloads", self.workloads.join(", ")),
                ("contenders", self.contenders.join(", ")),
                ("groups", groups.collect::<Vec<_>>().join("; ")),
                ("run it", format!("fsarena compare --suite {}", self.name)),
            ],
        )
    }
}

impl Listed for Profile {
    fn name(&self) -> &str {
        &self.name
    }

    fn row(&self) -> Vec<String> {
        vec![self.name.clone(), self.about.clone()]
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name, "about": self.about, "why": self.why, "source": self.source, "weights": self.mix,
        })
    }

    /// With the names of its workloads.
    fn texts(&self) -> Vec<String> {
        [&self.name, &self.about, &self.why].into_iter().chain(&self.workloads).cloned().collect()
    }

    fn page(&self) -> String {
        let share = |weight: &Weight| format!("{} {}", weight.name, fsarena_report::number::percent(weight.share));
        let shares: Vec<String> = self.mix.0.iter().map(share).collect();
        page(
            &format!("profile {}", self.name),
            &[
                ("about", self.about.clone()),
                ("workloads", shares.join(", ")),
                ("why", self.why.clone()),
                ("source", self.source.clone().unwrap_or_default()),
                ("run it", format!("fsarena compare ext4 xfs btrfs --profile {}", self.name)),
            ],
        )
    }
}

impl Listed for Article {
    fn name(&self) -> &str {
        &self.name
    }

    fn row(&self) -> Vec<String> {
        vec![self.name.clone(), self.title.clone()]
    }

    fn json(&self) -> Value {
        json!({ "name": self.name, "title": self.title, "tests": self.tests.len() })
    }

    fn texts(&self) -> Vec<String> {
        self.row()
    }

    fn page(&self) -> String {
        page(
            &format!("article {}", self.name),
            &[
                ("title", self.title.clone()),
                ("tests", self.tests.len().to_string()),
                ("reproduce", format!("fsarena reproduce {}", self.name)),
            ],
        )
    }
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

/// A title and described names; those without a description are left out.
fn page(title: &str, facts: &[(&str, String)]) -> String {
    let width = places::width().unwrap_or(PLAIN.width);
    let known = facts.iter().filter(|(_, text)| !text.is_empty());
    let lines = known.map(|(name, text)| {
        let text = layout::wrapped(text, "", width.saturating_sub(NAMES + 2));
        format!("  {name:NAMES$}{}", text.replace('\n', &format!("\n{:1$}", "", NAMES + 2)))
    });
    format!("{title}\n{}\n", lines.collect::<Vec<_>>().join("\n"))
}
