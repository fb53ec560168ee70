//! The workloads of a plan, and the engines that run them.

mod cache;
mod commands;

use std::collections::BTreeMap;

use anyhow::Result;

use fsarena_catalog::Profile;
use fsarena_engine::fio::{self, Choice, Way};
use fsarena_model::reproduction::Scale;
use fsarena_model::{Unavailable, Workload};

use crate::cli::{Compare, Who};
use crate::exit::Refusal;
use crate::open_loops::{self, Unable};

use super::available::{Programs, available};

/// The workloads of a plan.
pub struct Work {
    /// In order; names are unique.
    pub workloads: Vec<Workload>,
    /// The suite's name; `None` if the workloads were named one by one.
    pub suite: Option<String>,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Workloads that do not run because programs are missing.
    pub unavailable: Vec<Unavailable>,
}

/// The suite that `arguments` name; `None` if they name workloads one by one.
pub fn suite(arguments: &Compare) -> Option<&str> {
    let is_named =
        !arguments.work.workload.is_empty() || !arguments.work.fio.is_empty() || !arguments.own.commands.is_empty();
    let is_suite = !is_named && arguments.work.profile.is_none() && arguments.work.engine == Who::Native;
    is_suite.then_some(arguments.work.suite.as_str())
}

/// The workloads that `arguments` select; `profile` is the one that they name.
pub fn of(arguments: &Compare, profile: Option<&Profile>, programs: Programs) -> Result<Work> {
    let choices = match (arguments.own.commands.is_empty(), arguments.work.fio.is_empty()) {
        (false, _) => commands::from_commands(arguments, programs)?,
        (true, false) => from_job_files(arguments)?,
        (true, true) => from_catalogue(arguments, profile, programs)?,
    };
    let suite = suite(arguments).map(str::to_owned);
    let is_listed = suite.is_some() || profile.is_some();
    let Choices { chosen, notes, unavailable } = choices;
    let mut work = Work { workloads: Vec::new(), suite, notes, unavailable };
    for (workload, note) in chosen {
        if work.workloads.iter().any(|other| other.name == workload.name) {
            let text = format!("the workload `{}` is named twice", workload.name);
            return Err(Refusal::wrong_use(text, "name it once").into());
        }
        work.workloads.push(workload);
        work.notes.extend(note);
    }
    // A workload that the user named has to be able to keep a rate. One from a suite or profile, or a second one
    // through fio, need not.
    let is_named = !is_listed && arguments.work.engine != Who::Both;
    let unable = if is_named { Unable::Refused } else { Unable::LeftOut };
    work.workloads = open_loops::expanded(work.workloads, &arguments.work.rate, unable)?;
    Ok(work)
}

/// A workload with a note.
type Noted = (Workload, Option<String>);

/// Workloads with notes about all of them.
struct Choices {
    chosen: Vec<Noted>,
    notes: Vec<String>,
    unavailable: Vec<Unavailable>,
}

fn with_note(choice: Choice) -> Noted {
    (choice.workload, Some(choice.note))
}

fn from_catalogue(arguments: &Compare, profile: Option<&Profile>, programs: Programs) -> Result<Choices> {
    let scale: Scale = arguments.work.scale.map(Scale::from).unwrap_or_default();
    let typed = &arguments.work.workload;
    let (workloads, unavailable) = match (typed.is_empty(), profile) {
        // Those that are typed run with the profile, and have no weight.
        (_, Some(profile)) => available(at_scale(&[&profile.workloads[..], typed].concat(), scale)?, programs)?,
        (true, None) => {
            available(at_scale(&fsarena_catalog::suite(&arguments.work.suite)?.workloads, scale)?, programs)?
        }
        (false, None) => (at_scale(typed, scale)?, Vec::new()),
    };
    let named = workloads.into_iter().map(|workload| (workload, None)).collect();
    let Choices { chosen: native, mut notes, .. } = cache::with(arguments.work.cache, named)?;
    notes.extend(unavailable.iter().map(ToString::to_string));
    let mut all = Vec::new();
    for (workload, note) in native {
        match arguments.work.engine {
            Who::Native => all.push((workload, note)),
            Who::Fio => all.push(with_note(fio::instead(&workload)?)),
            Who::Both => all.extend(both(workload)),
        }
    }
    Ok(Choices { chosen: all, notes, unavailable })
}

/// The workloads of these names, at that scale.
pub fn at_scale(names: &[String], scale: Scale) -> Result<Vec<Workload>> {
    names.iter().map(|name| Ok(fsarena_catalog::at_scale(fsarena_catalog::workload(name)?, scale)?)).collect()
}

/// The arguments that name workload files, by the name of the workload in each.
pub fn files(arguments: &[String]) -> Result<BTreeMap<String, String>> {
    let files = arguments.iter().filter(|argument| argument.ends_with(".toml"));
    files.map(|argument| Ok((fsarena_catalog::workload(argument)?.name.into(), argument.clone()))).collect()
}

/// The workload with the native engine and through fio; if fio cannot run it, only natively, with a note.
fn both(workload: Workload) -> Vec<Noted> {
    match fio::instead(&workload) {
        Ok(through) if through.workload.name == workload.name => vec![with_note(through)],
        Ok(through) => vec![(workload, None), with_note(through)],
        Err(error) => vec![(workload, Some(format!("{error}; it runs natively alone")))],
    }
}

fn from_job_files(arguments: &Compare) -> Result<Choices> {
    let way = match arguments.work.engine {
        Who::Native => Way::Native,
        Who::Fio => Way::Fio,
        Who::Both => Way::Both,
    };
    let mut all = Vec::new();
    for file in &arguments.work.fio {
        let choices = match file.to_str().filter(|text| text.starts_with("fio ")) {
            Some(line) => fio::from_command(&commands::words("--fio", line)?[1..], way)?,
            None => fio::from_file(file, way)?,
        };
        all.extend(choices.into_iter().map(with_note));
    }
    cache::with(arguments.work.cache, all)
}
