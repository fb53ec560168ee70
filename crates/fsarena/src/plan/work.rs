//! The workloads of a plan, and the engines that run them.

mod cache;
mod commands;

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use fsarena_catalog::Profile;
use fsarena_engine::fio::{self, Choice};
use fsarena_lane::kind;
use fsarena_model::Scale;
use fsarena_model::{Bytes, Contender, Unavailable, Workload};
use fsarena_place::{BLOCK, Refusal, Refusals};

use super::available::{AvailablePrograms, available};
use crate::cli::{Compare, IoEngine};
use crate::open_loops::{self, Unable};

/// The workloads of a plan.
#[derive(Default)]
pub struct PlannedWork {
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
    let is_suite = !is_named && arguments.work.profile.is_none() && arguments.work.engine == IoEngine::Native;
    is_suite.then_some(arguments.work.suite.as_str())
}

/// The workloads that `arguments` select for these contenders; `profile` is the one that they name.
pub fn of(arguments: &Compare, profile: Option<&Profile>, contenders: &[Contender]) -> Result<PlannedWork> {
    let programs = AvailablePrograms::of(&arguments.setup.place, contenders);
    let choices = match (arguments.own.commands.is_empty(), arguments.work.fio.is_empty()) {
        (false, _) => commands::from_commands(arguments, programs)?,
        (true, false) => from_both(arguments, contenders, programs)?,
        (true, true) => from_catalogue(arguments, profile, programs)?,
    };
    let suite = suite(arguments).map(str::to_owned);
    let is_listed = suite.is_some() || profile.is_some();
    let Choices { chosen, notes, unavailable } = choices;
    let mut work = PlannedWork { workloads: Vec::new(), suite, notes, unavailable };
    for (workload, note) in chosen {
        if work.workloads.iter().any(|other| other.name == workload.name) {
            let text = format!("the workload `{}` is named twice", workload.name);
            bail!(Refusal::wrong_use(text, "name it once"));
        }
        work.workloads.push(workload);
        work.notes.extend(note);
    }
    // A workload that the user named has to be able to keep a rate. One from a suite or profile, or a second one
    // through fio, need not.
    let is_named = !is_listed && arguments.work.engine != IoEngine::Both;
    let unable = if is_named { Unable::Refused } else { Unable::LeftOut };
    work.workloads = open_loops::expanded(work.workloads, &arguments.work.rate, unable)?;
    Ok(work)
}

/// The sectors of lanes, if there are any; a directory may have smaller ones, which are known when its files are open.
fn smallest_sector(contenders: &[Contender]) -> Bytes {
    let has_lane = |contender: &Contender| kind(&contender.kind).is_some_and(|kind| kind.ground.has_lane());
    Bytes(if contenders.iter().any(has_lane) { BLOCK } else { 512 })
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

fn from_catalogue(arguments: &Compare, profile: Option<&Profile>, programs: AvailablePrograms) -> Result<Choices> {
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
            IoEngine::Native => all.push((workload, note)),
            IoEngine::Fio => all.push(with_note(fio::instead(&workload)?)),
            IoEngine::Both => all.extend(both(workload)),
        }
    }
    Ok(Choices { chosen: all, notes, unavailable })
}

/// The workloads of these names, at that scale.
///
/// # Errors
/// All names that are refused.
pub fn at_scale(names: &[String], scale: Scale) -> Result<Vec<Workload>> {
    let mut refusals = Refusals::default();
    let one = |name: &String| fsarena_catalog::at_scale(fsarena_catalog::workload(name)?, scale);
    let workloads = names.iter().filter_map(|name| refusals.take(one(name))).collect();
    refusals.end().map(|()| workloads)
}

/// The arguments that name workload files, by the name of the workload in each.
pub fn files(arguments: &[String]) -> Result<BTreeMap<String, String>> {
    let files = arguments.iter().filter(|argument| argument.ends_with(".toml"));
    files.map(|argument| Ok((fsarena_catalog::workload(argument)?.name.to_string(), argument.clone()))).collect()
}

/// The workload with the native engine and through fio; if fio cannot run it, only natively, with a note.
fn both(workload: Workload) -> Vec<Noted> {
    match fio::instead(&workload) {
        Ok(through) if through.workload.name == workload.name => vec![with_note(through)],
        Ok(through) => vec![(workload, None), with_note(through)],
        Err(error) => vec![(workload, Some(format!("{error}; it runs natively alone")))],
    }
}

fn from_job_files(arguments: &Compare, contenders: &[Contender]) -> Result<Choices> {
    let directories = contenders.iter().filter_map(|contender| contender.path.as_deref()).collect();
    let place = fio::JobsPlace { sector: smallest_sector(contenders), directories };
    let mut refusals = Refusals::default();
    let mut all = Vec::new();
    for file in &arguments.work.fio {
        let choices = match file.to_str().filter(|text| text.starts_with("fio ")) {
            Some(line) => match refusals.take(commands::words("--fio", line)) {
                Some(words) => fio::from_command(&words[1..], &place),
                None => continue,
            },
            None => fio::from_file(file, &place),
        };
        match choices {
            Ok(choices) => all.extend(choices.into_iter().map(with_note)),
            Err(error) => error.apart().into_iter().for_each(|error| refusals.add(error)),
        }
    }
    refusals.end()?;
    cache::with(arguments.work.cache, all)
}

/// The workloads of job files, followed by those of the catalogue that are named beside them.
fn from_both(arguments: &Compare, contenders: &[Contender], programs: AvailablePrograms) -> Result<Choices> {
    let mut refusals = Refusals::default();
    let jobs = refusals.take(from_job_files(arguments, contenders));
    let is_named = !arguments.work.workload.is_empty();
    let named = is_named.then(|| refusals.take(from_catalogue(arguments, None, programs))).flatten();
    refusals.end()?;
    let (chosen, notes) = jobs.into_iter().chain(named).map(|choices| (choices.chosen, choices.notes)).unzip();
    let (chosen, notes): (Vec<Vec<Noted>>, Vec<Vec<String>>) = (chosen, notes);
    Ok(Choices { chosen: chosen.concat(), notes: notes.concat(), unavailable: Vec::new() })
}
