//! The workloads of a plan, and the engines that run them.

mod commands;
mod variants;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, bail};
use fsarena_catalog::Profile;
use fsarena_engine::fio::{self, Choice};
use fsarena_lane::kind;
use fsarena_model::Scale;
use fsarena_model::{Bytes, Contender, DurablePoint, Unavailable, Workload, repeated};
use fsarena_place::{BLOCK, ENGINES, Refusal, Refusals};

use crate::cli::{Compare, PlaceArguments};

#[derive(Default)]
pub struct PlannedWork {
    /// In order; names are unique.
    pub workloads: Vec<Workload>,
    pub notes: Vec<String>,
    /// Workloads that do not run because programs are missing.
    pub unavailable: Vec<Unavailable>,
}

/// The suite that `arguments` name; `None` if they name workloads one by one.
pub fn suite(arguments: &Compare) -> Option<&str> {
    let is_named =
        !arguments.work.workload.is_empty() || !arguments.work.fio.is_empty() || !arguments.own.commands.is_empty();
    (!is_named && arguments.work.profile.is_none()).then_some(arguments.work.suite.as_str())
}

/// The workloads that `arguments` select for these contenders; `profile` is the one that they name.
pub fn of(arguments: &Compare, profile: Option<&Profile>, contenders: &[Contender]) -> Result<PlannedWork> {
    let work = match (arguments.own.commands.is_empty(), arguments.work.fio.is_empty()) {
        (false, _) => commands::from_commands(arguments, contenders)?,
        (true, false) => from_both(arguments, contenders)?,
        (true, true) => from_catalogue(arguments, profile, contenders)?,
    };
    if let Some(name) = repeated(work.workloads.iter().map(|workload| &workload.name)) {
        bail!(Refusal::wrong_use(format!("the workload `{name}` is named twice"), "name it once"));
    }
    let (workloads, unable) = variants::with_rates(work.workloads, &arguments.work.rate)?;
    // A workload that the user named has to be able to keep a rate. Of a suite or profile one suffices.
    let is_listed = suite(arguments).is_some() || profile.is_some();
    match unable.filter(|_| !is_listed || !workloads.iter().any(Workload::is_open_loop)) {
        Some(error) => Err(error.into()),
        None => Ok(PlannedWork { workloads, ..work }),
    }
}

/// The sectors of lanes, if there are any; a directory may have smaller ones, which are known when its files are open.
fn smallest_sector(contenders: &[Contender]) -> Bytes {
    let has_lane = |contender: &Contender| kind(&contender.kind).is_some_and(|kind| kind.ground.has_lane());
    Bytes(if contenders.iter().any(has_lane) { BLOCK } else { 512 })
}

fn from_catalogue(arguments: &Compare, profile: Option<&Profile>, contenders: &[Contender]) -> Result<PlannedWork> {
    let scale = arguments.work.scale.unwrap_or_default();
    let typed = &arguments.work.workload;
    let names = match (typed.is_empty(), profile) {
        // Those that are typed run with the profile, and have no weight.
        (_, Some(profile)) => [&profile.workloads[..], typed].concat(),
        (true, None) => fsarena_catalog::suite(&arguments.work.suite)?.workloads,
        (false, None) => typed.clone(),
    };
    let workloads = at_scale(&names, scale)?;
    if scale == Scale::Published && workloads == at_scale(&names, Scale::Standard)? {
        let text = "none of these workloads has another amount of work at --scale published";
        bail!(Refusal::wrong_use(text, "leave out --scale"));
    }
    let is_typed = !typed.is_empty() && profile.is_none();
    let (workloads, unavailable) =
        if is_typed { (workloads, Vec::new()) } else { available(workloads, &arguments.setup.place, contenders)? };
    let own = files(typed)?;
    let is_unsynced = |it: &&Workload| it.durable == DurablePoint::None && it.parameters.get("script").is_some();
    let unsynced = workloads.iter().filter(|it| own.contains_key(it.name.as_str())).filter(is_unsynced);
    let unsynced: Vec<String> = unsynced.map(|it| commands::without_sync(&format!("`{}`", it.name))).collect();
    let mut work = variants::with_caches(arguments.work.cache, workloads)?;
    work.notes.extend(unsynced);
    work.notes.extend(unavailable.iter().map(ToString::to_string));
    work.unavailable = unavailable;
    Ok(work)
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

/// The workloads that can run with these contenders in that place, and those that cannot. A guest fetches the programs.
///
/// # Errors
/// If none can run: the programs that the first one lacks.
pub fn available(
    workloads: Vec<Workload>,
    place: &PlaceArguments,
    contenders: &[Contender],
) -> Result<(Vec<Workload>, Vec<Unavailable>)> {
    if place.is_guest(contenders) {
        return Ok((workloads, Vec::new()));
    }
    let (mut here, mut missing) = (Vec::new(), Vec::new());
    for workload in &workloads {
        match ENGINES.missing(workload) {
            packages if packages.is_empty() => here.push(workload.clone()),
            packages => missing.push(Unavailable { workload: workload.name.to_string(), packages }),
        }
    }
    if let ([], Some(first)) = (here.as_slice(), workloads.first()) {
        ENGINES.of(first)?.require(first)?;
    }
    Ok((here, missing))
}

/// The arguments that name workload files, by the name of the workload in each.
pub fn files(arguments: &[String]) -> Result<BTreeMap<String, String>> {
    let files = arguments.iter().filter(|argument| argument.ends_with(".toml"));
    files.map(|argument| Ok((fsarena_catalog::workload(argument)?.name.to_string(), argument.clone()))).collect()
}

fn from_job_files(arguments: &Compare, contenders: &[Contender]) -> Result<PlannedWork> {
    let directories = contenders.iter().filter_map(|contender| contender.path.as_deref()).collect();
    let place = fio::JobsPlace { sector: smallest_sector(contenders), directories };
    let mut refusals = Refusals::default();
    let mut jobs = PlannedWork::default();
    for file in &arguments.work.fio {
        let choices = match file.to_str().filter(|text| is_command(text)) {
            Some(line) => match refusals.take(commands::words("--fio", line)) {
                Some(words) => fio::from_command(&words[usize::from(!line.starts_with('-'))..], &place),
                None => continue,
            },
            None => fio::from_file(file, &place),
        };
        match choices {
            Ok(choices) => {
                for Choice { workload, note } in choices {
                    jobs.workloads.push(workload);
                    jobs.notes.push(note);
                }
            }
            Err(error) => error.apart().into_iter().for_each(|error| refusals.add(error)),
        }
    }
    refusals.end()?;
    let mut work = variants::with_caches(arguments.work.cache, jobs.workloads)?;
    work.notes.extend(jobs.notes);
    Ok(work)
}

/// Whether it is a command line of fio, which may be without its name, and no file.
fn is_command(text: &str) -> bool {
    let (program, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_fio = Path::new(program).file_name().is_some_and(|name| name == "fio");
    is_fio && !rest.is_empty() || text.starts_with('-') && text.contains("name=")
}

/// The workloads of job files, followed by those of the catalogue that are named beside them.
fn from_both(arguments: &Compare, contenders: &[Contender]) -> Result<PlannedWork> {
    let mut refusals = Refusals::default();
    let jobs = refusals.take(from_job_files(arguments, contenders));
    let is_named = !arguments.work.workload.is_empty();
    let named = is_named.then(|| refusals.take(from_catalogue(arguments, None, contenders))).flatten();
    refusals.end()?;
    let mut work = jobs.unwrap_or_default();
    if let Some(named) = named {
        work.workloads.extend(named.workloads);
        work.notes.extend(named.notes);
    }
    Ok(work)
}
