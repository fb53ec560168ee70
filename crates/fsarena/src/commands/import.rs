//! `fsarena import`: exported runs get into the store.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use fsarena_model::{Event, RunRecord, Trial};
use fsarena_place::{Refusal, agent::Line, note};
use fsarena_store::Store;

use crate::cli::Global;
use crate::places;

#[derive(Debug, Args)]
pub struct Import {
    /// Files that `fsarena export` has written; `-` is stdin
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// Adds the runs of all files to the store. A file that is not understood adds nothing.
pub fn run(global: &Global, options: &Import) -> Result<()> {
    let runs = options.files.iter().map(|path| Ok((path, events(path)?))).collect::<Result<Vec<_>>>()?;
    let mut store = Store::open(&places::store_path(global.store.clone())?)?;
    for (path, events) in runs {
        let Some((Event::Started { plan, started }, others)) = events.split_first() else { continue };
        let at_that_time = store.runs()?.into_iter().filter(|known| known.started == *started);
        let known = at_that_time.map(|known| store.load(known.run)).collect::<Result<Vec<RunRecord>, _>>()?;
        let run = store.insert(plan, started, others)?;
        let record = store.load(run)?;
        let copy = known.iter().find(|known| known.is_copy_of(&record));
        let copy = copy.map(|known| format!(", a copy of run {}", known.run)).unwrap_or_default();
        note!("{} is run {run}{copy}: fsarena report {run}", path.display());
    }
    Ok(())
}

/// The events of an exported run, of which the first is [`Event::Started`].
pub(super) fn events(path: &Path) -> Result<Vec<Event>> {
    let name = path.display();
    let text = read(path).map_err(|error| {
        let text = format!("read {name}: {error}");
        match error.kind() {
            ErrorKind::InvalidData => {
                let hint = "unpack a packed file; a store is read with --store FILE, as in `fsarena --store FILE runs`";
                Refusal::wrong_use(format!("`{name}` is no text, and an exported run is"), hint)
            }
            ErrorKind::NotFound | ErrorKind::IsADirectory => {
                Refusal::wrong_use(text, "name a file that `fsarena export RUN -o FILE` has written")
            }
            _ => Refusal::machine(text, "`fsarena export RUN -o FILE` writes a file for it"),
        }
    })?;
    let refused = |number: usize, what: String| {
        let hint = "give files that `fsarena export` of the same version has written";
        Refusal::wrong_use(format!("{name}, line {}: {what}", number + 1), hint)
    };
    let mut events = Vec::new();
    let mut has_ended = false;
    for (number, line) in text.lines().enumerate() {
        match serde_json::from_str(line) {
            Ok(Line::Version(version)) if version == env!("CARGO_PKG_VERSION") => {}
            Ok(Line::Alive | Line::Answer(_)) => {}
            Ok(Line::Version(version)) => return Err(refused(number, format!("it is of fsarena {version}")).into()),
            Ok(Line::Event(event)) if events.is_empty() != matches!(*event, Event::Started { .. }) => {
                return Err(refused(number, "a run begins with its plan, once".to_owned()).into());
            }
            Ok(Line::Event(event)) => events.push(*event),
            Ok(Line::Ended(_)) => has_ended = true,
            Ok(Line::Failed(error)) => return Err(refused(number, error.text).into()),
            Err(error) => {
                // Its place follows from the line.
                let what = error.to_string();
                let what = what.split(" at line ").next().unwrap_or_default();
                return Err(refused(number, format!("it is not of an exported run: {what}")).into());
            }
        }
    }
    if !has_ended || events.is_empty() {
        return Err(refused(text.lines().count(), "the end of the run is missing".to_owned()).into());
    }
    match contradiction(&events) {
        Some(what) => Err(Refusal::wrong_use(format!("{name}: {what}"), "a file that was edited is no run").into()),
        None => Ok(events),
    }
}

/// What no run sends: a plan of nothing, a trial twice or in a round that cannot have been, or a figure below 0.
fn contradiction(events: &[Event]) -> Option<String> {
    let mut known = BTreeSet::new();
    events.iter().find_map(|event| match event {
        Event::Started { plan, .. } if plan.workloads.is_empty() || plan.contenders.is_empty() => {
            Some("its plan has no work".to_owned())
        }
        Event::Trial(trial) => {
            let Trial { round, workload, contender, slices, .. } = &**trial;
            let place = || format!("{workload} on {contender} in round {round}");
            // Each round has an event at least.
            match () {
                () if *round == 0 || *round as usize > events.len() => Some(format!("{} cannot have been", place())),
                () if !known.insert((*round, workload, contender)) => Some(format!("{} is there twice", place())),
                () if slices.iter().any(|slice| slice.value < 0.0) => Some(format!("{} is below 0", place())),
                () => None,
            }
        }
        _ => None,
    })
}

fn read(path: &Path) -> std::io::Result<String> {
    if path != Path::new("-") {
        return std::fs::read_to_string(path);
    }
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    Ok(text)
}
