//! `fsarena list`: kinds, workloads, suites and articles, and the missing packages for each.

mod published;

use std::fmt;

use anyhow::Result;
use fsarena_lane::kind::Ground;
use fsarena_lane::{KINDS, Kind, Tool, kernel_has, missing_tool};
use fsarena_model::{Rate, Workload};

use super::{print, table};
use crate::cli::{List, Listed};
use crate::engines::ENGINES;
use crate::exit::Ended;

/// Lists the selected items, or everything.
pub fn run(options: &List) -> Result<Ended> {
    let wanted = |what: Listed| options.what.is_none_or(|only| only == what);
    let mut parts = Vec::new();
    if wanted(Listed::Kinds) {
        parts.push(kinds());
    }
    if wanted(Listed::Workloads) {
        parts.push(workloads()?);
    }
    if wanted(Listed::Suites) {
        parts.push(suites()?);
    }
    if wanted(Listed::Published) {
        parts.push(published::articles()?);
    }
    print(&parts.join("\n"))?;
    Ok(Ended::Well)
}

fn kinds() -> String {
    let row = |kind: &&dyn Kind| [kind.name().to_owned(), availability(*kind).to_string(), kind.about().to_owned()];
    table(["kind", "here", "about"], KINDS.iter().map(row))
}

/// Whether a kind is usable on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// Usable.
    Here,
    /// Usable by root only.
    AsRoot,
    /// It is a folder of this machine that a guest mounts.
    InGuest,
    /// The running kernel does not support it.
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
            Self::InGuest => write!(f, "in a guest"),
            Self::KernelLacks => write!(f, "in a guest: this kernel lacks it"),
            Self::ToolMissing(tool) => write!(f, "no: apt-get install {}", tool.package),
        }
    }
}

/// Whether `kind` is usable here; otherwise the first obstacle.
pub fn availability(kind: &dyn Kind) -> Availability {
    if kind.ground() == Ground::Directory {
        return Availability::Here;
    }
    if kind.ground() == Ground::Share {
        return Availability::InGuest;
    }
    if !kernel_has(kind.mounted_as()) {
        return Availability::KernelLacks;
    }
    match missing_tool(kind) {
        Some(tool) => Availability::ToolMissing(tool),
        None if !rustix::process::geteuid().is_root() => Availability::AsRoot,
        None => Availability::Here,
    }
}

fn can_keep_a_rate(workload: &Workload) -> bool {
    let engine = ENGINES.named(&workload.engine);
    engine.is_some_and(|engine| engine.paced(workload, Rate::Percent(100.0)).is_ok())
}

fn workloads() -> Result<String> {
    let workloads = fsarena_catalog::workloads()?;
    let rows = workloads.into_iter().map(|workload| {
        let here = match (ENGINES.named(&workload.engine), ENGINES.missing(&workload)) {
            (None, _) => format!("no: there is no engine `{}`", workload.engine),
            (Some(_), missing) if missing.is_empty() => "yes".to_owned(),
            (Some(_), missing) => format!("no: apt-get install {}", missing.join(" ")),
        };
        let paced = if can_keep_a_rate(&workload) { "yes" } else { "no" };
        [workload.name.into(), here, paced.to_owned(), workload.metric.unit, workload.measures]
    });
    Ok(table(["workload", "here", "--rate", "unit", "measures"], rows))
}

fn suites() -> Result<String> {
    let suites = fsarena_catalog::suites()?;
    let rows = suites.into_iter().map(|suite| [suite.name, suite.workloads.join(" "), suite.about]);
    Ok(table(["suite", "workloads", "about"], rows))
}
