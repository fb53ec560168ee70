//! Workloads of the engine `data` that run through fio.

use fsarena_model::{Mode, Name, Workload};

use super::jobs::{SHORTEST_MS, SLICES};
use super::{FioError, generate, program};
use crate::EngineError;
use crate::data::DataParameters;

/// A workload, with a sentence on how it runs.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The workload.
    pub workload: Workload,
    /// How it runs, and why.
    pub note: String,
}

/// The variant of `workload` that runs through fio. Its name ends with `+fio`.
///
/// # Errors
/// If fio does not support it, with the parameter or the engine that is the reason.
pub fn instead(workload: &Workload) -> Result<Choice, EngineError> {
    let cannot = |what: String| FioError::Cannot { workload: workload.name.to_string(), what };
    if workload.engine == program::NAME {
        return Ok(Choice { workload: workload.clone(), note: format!("`{}`: through fio", workload.name) });
    }
    if workload.engine != "data" {
        return Err(cannot(format!("do what the engine `{}` does", workload.engine)).into());
    }
    let parameters = DataParameters::of(workload)?;
    if let Some(what) = generate::lacks(workload, &parameters) {
        return Err(cannot(what).into());
    }
    let mut through = workload.clone();
    through.name = Name::from_text(&format!("{}+fio", workload.name));
    through.engine = program::NAME.to_owned();
    if through.timed_ms > 0 {
        through.timed_ms = through.timed_ms.max(SHORTEST_MS);
    }
    through.warm_up_ms = 0;
    through.slices = SLICES;
    let how = match (through.mode, through.timed_ms) {
        (_, 0) => "until the work is done".to_owned(),
        (Mode::Whole, time) => format!("{time} ms"),
        (Mode::Sliced, time) => format!("{SLICES} slices of {time} ms in each round, without a warm-up"),
    };
    let note = format!("`{}`: through fio, as --engine says: {how}", through.name);
    through.measures = format!("{} Through fio: {how}.", through.measures);
    Ok(Choice { workload: through, note })
}
