//! All about one workload, suite, profile, kind or article.

use anyhow::Result;
use fsarena_articles::article::Article;
use fsarena_catalog::{Profile, Suite};
use fsarena_lane::{KINDS, Kind};
use fsarena_model::{Better, Weight, Workload};
use fsarena_report::{PLAIN, layout};

use super::{availability, can_keep_a_rate, here};
use crate::places;

/// Columns of the names before the descriptions.
const NAMES: usize = 12;

/// All names that can be described.
pub fn names() -> Result<Vec<String>> {
    let workloads = fsarena_catalog::workloads()?.into_iter().map(|workload| workload.name.into());
    let suites = fsarena_catalog::suites()?.into_iter().map(|suite| suite.name);
    let articles = fsarena_articles::articles()?.into_iter().map(|article| article.name);
    let profiles = fsarena_catalog::profiles()?.into_iter().map(|profile| profile.name);
    let kinds = KINDS.iter().map(|kind| kind.name.to_owned());
    Ok(workloads.chain(suites).chain(profiles).chain(articles).chain(kinds).collect())
}

/// What is known about everything with this name; `None` if there is nothing.
pub fn named(name: &str) -> Result<Option<String>> {
    let suites = fsarena_catalog::suites()?;
    let workloads = [fsarena_catalog::workloads()?, fsarena_catalog::validation()?].concat();
    let workload = workloads.into_iter().find(|workload| workload.name == name);
    let article = fsarena_articles::articles()?.into_iter().find(|article| article.name == name);
    let profile = fsarena_catalog::profiles()?.into_iter().find(|profile| profile.name == name);
    let parts = [
        workload.map(|found| workload_page(&found, &suites)),
        suites.iter().find(|suite| suite.name == name).map(suite_page),
        profile.map(|found| profile_page(&found)),
        KINDS.iter().copied().find(|kind| kind.name == name).map(kind_page),
        article.map(|found| article_page(&found)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Ok((!parts.is_empty()).then(|| parts.join("\n")))
}

fn workload_page(workload: &Workload, suites: &[Suite]) -> String {
    let is_in = |suite: &&Suite| suite.workloads.iter().any(|name| workload.name == name.as_str());
    let suites: Vec<&str> = suites.iter().filter(is_in).map(|suite| suite.name.as_str()).collect();
    let better = match workload.metric.better {
        Better::Higher => "higher is better",
        Better::Lower => "lower is better",
    };
    page(
        &format!("workload {} (version {})", workload.name, workload.version),
        &[
            ("measures", workload.measures.clone()),
            ("why", workload.why.clone()),
            ("figure", format!("{}, {better}", workload.metric.unit)),
            ("engine", workload.engine.clone()),
            ("durability", fsarena_report::durable(workload.durable).to_owned()),
            ("cache", fsarena_report::cache(workload.cache).to_owned()),
            ("mode", fsarena_report::mode(workload.mode).to_owned()),
            ("open loop", if can_keep_a_rate(workload) { "--rate" } else { "no" }.to_owned()),
            ("suites", suites.join(", ")),
            ("here", here(workload)),
            ("parameters", workload.parameters.to_string()),
        ],
    )
}

fn suite_page(suite: &Suite) -> String {
    let groups = suite.groups.iter().map(|(group, workloads)| format!("{group} ({})", workloads.join(", ")));
    page(
        &format!("suite {}", suite.name),
        &[
            ("about", suite.about.clone()),
            ("workloads", suite.workloads.join(", ")),
            ("contenders", suite.contenders.join(", ")),
            ("groups", groups.collect::<Vec<_>>().join("; ")),
            ("run it", format!("fsarena compare --suite {}", suite.name)),
        ],
    )
}

fn profile_page(profile: &Profile) -> String {
    let share = |weight: &Weight| format!("{} {}", weight.name, fsarena_report::number::percent(weight.share));
    let shares: Vec<String> = profile.mix.0.iter().map(share).collect();
    page(
        &format!("profile {}", profile.name),
        &[
            ("about", profile.about.clone()),
            ("workloads", shares.join(", ")),
            ("why", profile.why.clone()),
            ("source", profile.source.clone().unwrap_or_default()),
            ("run it", format!("fsarena compare ext4 xfs btrfs --profile {}", profile.name)),
        ],
    )
}

fn kind_page(kind: &Kind) -> String {
    page(&format!("kind {}", kind.name), &[("about", kind.about.to_owned()), ("here", availability(kind).to_string())])
}

fn article_page(article: &Article) -> String {
    page(
        &format!("article {}", article.name),
        &[
            ("title", article.title.clone()),
            ("tests", article.tests.len().to_string()),
            ("reproduce", format!("fsarena reproduce {}", article.name)),
        ],
    )
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
