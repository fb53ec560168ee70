//! `fsarena validate`: profiles are run together with programs that they do not contain, and predicted ratios are
//! compared with measured ones.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use clap::{Args, Parser};
use fsarena_analyse::{NamedRun, ProfileRun, validation};
use fsarena_catalog::{CatalogError, Profile};
use fsarena_execute::planned_rounds;
use fsarena_model::plan::how_to_install;
use fsarena_model::{Bytes, Nanos, Validation, Workload, joined, repeated};
use fsarena_place::{ENGINES, Refusal, note, note::tell, require_space, require_storage};

use super::{compare, deliver, print, sides, table};
use crate::cli::{Compare, Global, PageArguments, PageFormat, candidates};
use crate::exit::Ended;
use crate::plan;
use crate::signals::stop_flag;

/// Contenders of a validation that names none: the usual file systems, and a variant of each that programs notice.
const CONTENDERS: [&str; 7] = [
    "ext4",
    "xfs",
    "btrfs",
    "zstd=btrfs:compress=zstd",
    "nojournal=ext4 -O ^has_journal",
    "noatime=xfs:noatime",
    "nodatacow=btrfs:nodatacow",
];

#[derive(Debug, Args)]
pub struct Validate {
    /// The profiles to validate, or .toml files with one [default: all of the catalogue]
    #[arg(value_name = "PROFILE", add = candidates::profiles())]
    pub profiles: Vec<String>,
    /// Contenders, separated by commas; options with a comma need a .toml file
    #[arg(long, value_name = "CONTENDER,...", value_delimiter = ',', default_values_t = CONTENDERS.map(str::to_owned))]
    pub contenders: Vec<String>,
    /// Time limit of all runs together
    #[arg(long, value_name = "TIME", default_value = "1h", conflicts_with = "rounds")]
    pub budget: Nanos,
    /// Number of rounds of each run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=1000))]
    pub rounds: Option<u32>,
    /// The programs, as .toml files; `group` of each names its profile [default: those of the catalogue]
    #[arg(long, value_name = "FILE,...", value_delimiter = ',')]
    pub programs: Vec<String>,
    /// Measure nothing, and judge these runs: numbers, or files of `fsarena export`
    #[arg(long, value_name = "RUN,...", conflicts_with_all = ["contenders", "rounds", "programs", "dry_run"])]
    pub runs: Option<String>,
    /// Storage of the lanes, as for `fsarena compare`
    #[arg(long, value_name = "PLACE")]
    pub storage: Option<String>,
    /// The size of each lane, as for `fsarena compare`
    #[arg(long, value_name = "SIZE")]
    pub lane_size: Option<Bytes>,
    /// Do not wait for another run to end
    #[arg(long, conflicts_with = "runs")]
    pub no_wait: bool,
    /// List the programs and rounds of each profile and the packages that are missing, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub page: PageArguments,
}

/// A profile, and the programs that validate it.
struct Case {
    profile: Argument<Profile>,
    programs: Vec<Argument<Workload>>,
}

/// What an argument of `fsarena compare` names.
#[derive(Clone)]
struct Argument<T> {
    argument: String,
    it: T,
}

/// What has been measured so far.
struct ValidationRuns {
    runs: Vec<ProfileRun>,
    /// Why profiles have no run.
    lost: Vec<String>,
    ended: Ended,
}

/// Measures each profile with its programs, or takes stored runs, and prints what was predicted and what was measured.
pub fn run(global: &Global, options: &Validate) -> Result<Ended> {
    let profiles = profiles(options)?;
    if let Some(text) = &options.runs {
        let found = validation(&stored(global, text, &profiles, options)?);
        if found.pairs.is_empty() {
            bail!(Refusal::wrong_use(
                nothing(&found),
                "name runs with two contenders and programs that a profile lacks"
            ));
        }
        return show(global, options, &found).map(|()| Ended::Well);
    }
    let cases = cases(profiles, &programs(options)?)?;
    if options.dry_run {
        if options.page.format.is_some() || options.page.output.is_some() {
            let text = "`--format` and `--output` are about the report, and a dry run has none";
            bail!(Refusal::wrong_use(text, "leave them out"));
        }
        print(&planned(options, &cases)?)?;
        return require_pairs(options, &cases).map(|()| Ended::Well);
    }
    require_pairs(options, &cases)?;
    let stop = stop_flag()?;
    let ValidationRuns { runs, lost, ended } = measure(global, options, &cases, &stop)?;
    if runs.is_empty() {
        return Ok(ended);
    }
    let mut found = validation(&runs);
    found.left_out.extend(lost);
    match found.pairs.is_empty() {
        true if ended == Ended::Interrupted => note!("interrupted: {}", nothing(&found)),
        true => {
            let hint = format!("fsarena report {} says more", runs[0].run.record.run);
            bail!(Refusal::trial(nothing(&found), hint));
        }
        false => {
            show(global, options, &found)?;
            let numbers = joined(runs.iter().map(|run| run.run.record.run), ",");
            note!("the same again, without measuring: fsarena validate --runs {numbers}");
        }
    }
    Ok(ended)
}

/// Refuses what is known to predict nothing: fewer than two contenders, and profiles of which no program is installed.
fn require_pairs(options: &Validate, cases: &[Case]) -> Result<()> {
    if options.contenders.len() < 2 {
        let text = "a prediction is about two contenders, and there is one";
        bail!(Refusal::wrong_use(text, "--contenders ext4,xfs"));
    }
    let programs = cases.iter().flat_map(|case| &case.programs);
    let missing: Vec<Vec<String>> = programs.map(|program| ENGINES.missing(&program.it)).collect();
    if missing.iter().all(|packages| !packages.is_empty()) {
        let names = joined(cases.iter().map(|case| &case.profile.it.name), ", ");
        let text = format!("no program that validates {names} is installed");
        let packages: BTreeSet<String> = missing.into_iter().flatten().collect();
        bail!(Refusal::machine(text, how_to_install(&packages.into_iter().collect::<Vec<_>>())));
    }
    Ok(())
}

/// Says that there is no pair, and why.
fn nothing(found: &Validation) -> String {
    format!("no prediction can be compared with a measurement ({})", found.left_out.join("; "))
}

/// The profiles that the options name, or those of the catalogue.
fn profiles(options: &Validate) -> Result<Vec<Argument<Profile>>> {
    if let Some(twice) = repeated(&options.profiles) {
        bail!(Refusal::wrong_use(format!("the profile `{twice}` is named twice"), "name it once"));
    }
    let all = || Ok(fsarena_catalog::profiles()?.into_iter().map(|profile| profile.name).collect());
    arguments(&options.profiles, all, fsarena_catalog::profile)
}

/// The programs that the options name, or those of the catalogue.
fn programs(options: &Validate) -> Result<Vec<Argument<Workload>>> {
    let all = || Ok(fsarena_catalog::validation()?.into_iter().map(|program| program.name.to_string()).collect());
    arguments(&options.programs, all, fsarena_catalog::workload)
}

/// What the arguments name; without arguments, all of the catalogue.
fn arguments<T>(
    named: &[String],
    all: impl FnOnce() -> Result<Vec<String>>,
    of: fn(&str) -> Result<T, CatalogError>,
) -> Result<Vec<Argument<T>>> {
    let arguments = if named.is_empty() { all()? } else { named.to_vec() };
    arguments.into_iter().map(|argument| Ok(Argument { it: of(&argument)?, argument })).collect()
}

/// The profiles that programs validate; the others are named in a note.
fn cases(profiles: Vec<Argument<Profile>>, programs: &[Argument<Workload>]) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for profile in profiles {
        let is_own = |program: &&Argument<Workload>| program.it.group == profile.it.name;
        let own: Vec<Argument<Workload>> = programs.iter().filter(is_own).cloned().collect();
        match own.is_empty() {
            true => note!("no program validates the profile `{}`", profile.it.name),
            false => cases.push(Case { profile, programs: own }),
        }
    }
    if cases.is_empty() {
        let hint = "`group` of a program names its profile; `fsarena list validation` has the catalogue's";
        bail!(Refusal::wrong_use("no program validates any of these profiles", hint));
    }
    Ok(cases)
}

/// What would be run, and what has to be installed first.
fn planned(options: &Validate, cases: &[Case]) -> Result<String> {
    let row = |case: &Case| {
        let own = case.profile.it.workloads.iter().map(|name| fsarena_catalog::workload(name));
        let own: Vec<Workload> = own.collect::<Result<_, _>>()?;
        let others: Vec<Workload> = case.programs.iter().map(|program| program.it.clone()).collect();
        let missing: BTreeSet<String> = own.iter().chain(&others).flat_map(|it| ENGINES.missing(it)).collect();
        let plan = plan::plan(&compared(options, case, share(options, cases))?)?.0;
        require_storage(&plan)?;
        require_space(&plan)?;
        let rounds = planned_rounds(&plan).to_string();
        Ok([case.profile.it.name.clone(), names(&own), names(&others), rounds, joined(missing, " ")])
    };
    let rows: Vec<[String; 5]> = cases.iter().map(row).collect::<Result<_>>()?;
    Ok(table(["profile", "workloads", "programs that it does not contain", "rounds", "missing packages"], rows))
}

/// The time of one of the runs.
fn share(options: &Validate, cases: &[Case]) -> Nanos {
    Nanos(options.budget.0 / cases.len() as u64)
}

fn names(workloads: &[Workload]) -> String {
    joined(workloads.iter().map(|workload| &workload.name), " ")
}

/// Runs each profile with its programs. A profile that cannot run is left out, unless none can.
fn measure(global: &Global, options: &Validate, cases: &[Case], stop: &AtomicBool) -> Result<ValidationRuns> {
    let mut measured = ValidationRuns { runs: Vec::new(), lost: Vec::new(), ended: Ended::Well };
    for (index, case) in cases.iter().enumerate() {
        let name = &case.profile.it.name;
        note!("profile {name} ({} of {})", index + 1, cases.len());
        match compare::record(global, &compared(options, case, share(options, cases))?, stop) {
            Ok(Some((record, status))) => {
                measured.ended = measured.ended.max(compare::ended(&record, status));
                let run = NamedRun { name: format!("run {}", record.run), record };
                measured.runs.push(ProfileRun { profile: name.clone(), mix: case.profile.it.mix.clone(), run });
            }
            Ok(None) => {}
            Err(error) if cases.len() == 1 => return Err(error),
            Err(error) => {
                tell(&format!("{name}: {error}"));
                measured.lost.push(format!("{name}: {error}"));
                measured.ended = measured.ended.max(Ended::WithFailures);
            }
        }
        if stop.load(Ordering::Relaxed) {
            measured.ended = Ended::Interrupted;
            break;
        }
    }
    Ok(measured)
}

/// The comparison of a case, as it would be typed.
fn compared(options: &Validate, case: &Case, time: Nanos) -> Result<Compare> {
    let length = match options.rounds {
        Some(count) => format!("--rounds={count}"),
        None => format!("--budget={:.0}s", time.as_seconds().floor()),
    };
    let mut words = vec!["compare".to_owned(), format!("--profile={}", case.profile.argument), length];
    words.extend(case.programs.iter().map(|program| format!("--workload={}", program.argument)));
    words.extend(options.storage.iter().map(|storage| format!("--storage={storage}")));
    words.extend(options.lane_size.iter().map(|size| format!("--lane-size={}", size.0)));
    words.extend(options.no_wait.then(|| "--no-wait".to_owned()));
    words.push("--".to_owned());
    words.extend(options.contenders.iter().cloned());
    Compare::try_parse_from(words).context("the comparison")
}

/// Stored runs, each judged by the profile that it was made for; by the file of that name, if the options name one.
fn stored(global: &Global, text: &str, profiles: &[Argument<Profile>], options: &Validate) -> Result<Vec<ProfileRun>> {
    let judged = |run: NamedRun| {
        let weighting = &run.record.plan.weighting;
        let own = weighting.profile.as_deref().zip(weighting.mix.clone());
        let (argument, mix) = own.ok_or_else(|| {
            let text = format!("{} was not made for a profile", run.name);
            Refusal::wrong_use(text, "name runs of `fsarena validate`, or of `fsarena compare --profile`")
        })?;
        let name = Path::new(argument).file_stem().map_or(argument.into(), |stem| stem.to_string_lossy()).into_owned();
        let is_other = |it: &&Argument<Profile>| it.it.name == name && it.argument.ends_with(".toml");
        let other = profiles.iter().find(is_other);
        let mix = other.map_or(mix, |profile| profile.it.mix.clone());
        Ok(ProfileRun { profile: name, mix, run })
    };
    let all: Vec<ProfileRun> = sides::runs(global, text)?.into_iter().map(judged).collect::<Result<_>>()?;
    let is_named = |name: &str| profiles.iter().any(|profile| profile.it.name == name);
    let is_wanted = |run: &ProfileRun| options.profiles.is_empty() || is_named(&run.profile);
    let names = all.iter().map(|run| run.profile.as_str()).collect::<BTreeSet<&str>>();
    let hint = format!("they were made for {}", joined(names, ", "));
    let wanted: Vec<ProfileRun> = all.into_iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        let text = format!("none of these runs was made for {}", options.profiles.join(" or "));
        bail!(Refusal::wrong_use(text, hint));
    }
    Ok(wanted)
}

/// Prints the validation, or writes it to a file, with the drawing beside Markdown.
fn show(global: &Global, options: &Validate, found: &Validation) -> Result<()> {
    let report = fsarena_report::validation(found, env!("CARGO_PKG_VERSION"));
    let page = &options.page;
    let drawing = fsarena_report::predicted_against_measured(found);
    let (Some(path), Some(drawing), PageFormat::Markdown) = (&page.output, drawing, page.chosen()) else {
        return sides::show(global, page, report, found);
    };
    let file = path.with_extension("svg");
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = format!("{}\n![predicted against measured ratios]({name})\n", fsarena_report::markdown(report));
    deliver(Some(path), text.as_bytes())?;
    deliver(Some(&file), drawing.as_bytes())
}
