//! `fsarena calibrate`: what can be told apart on this machine, and in which time.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use comfy_table::{Table, presets};
use fsarena_lane::Wait;
use fsarena_model::plan::Handicap;
use fsarena_model::{Label, RunRecord, Share, Status};
use fsarena_session::{Calibration, calibration};

use super::print;
use crate::cli::{Calibrate, Compare, Global, Who};
use crate::exit::{Ended, Refusal};
use crate::perform::{Task, perform, stop_flag};
use crate::plan;

/// Runs equals against each other, then with a handicap, and says what was called and what could be seen.
pub fn run(global: &Global, options: &Calibrate) -> Result<Ended> {
    if options.handicap.0 <= 0.0 {
        return Err(Refusal::wrong_use("a handicap of 0 % cannot be found", "--handicap 5%").into());
    }
    let stop = stop_flag()?;
    let Some(equal) = several(global, options, &[], &stop)? else { return Ok(Ended::Interrupted) };
    let handicap = [Handicap { label: Label::from("b"), share: options.handicap }];
    let Some(handicapped) = several(global, options, &handicap, &stop)? else { return Ok(Ended::Interrupted) };
    print(&text(&calibration(&equal, &handicapped), options.handicap))?;
    Ok(Ended::Well)
}

/// The runs of one kind; `None` if somebody stopped them.
fn several(
    global: &Global,
    options: &Calibrate,
    handicap: &[Handicap],
    stop: &AtomicBool,
) -> Result<Option<Vec<RunRecord>>> {
    let what = if handicap.is_empty() { "equals" } else { "with a handicap" };
    let mut records = Vec::new();
    for number in 1..=options.runs {
        eprintln!("{what}: run {number} of {}", options.runs);
        let (plan, notes) = plan::plan(&comparison(options, handicap))?;
        match perform(global, Task { plan, notes, wait: Wait::Yes }, stop)? {
            Some((record, Status::Complete)) => records.push(record),
            _ => return Ok(None),
        }
    }
    Ok(Some(records))
}

/// What would have to be typed for `compare`.
fn comparison(options: &Calibrate, handicap: &[Handicap]) -> Compare {
    let plain = options.contender.split_once('=').map_or(options.contender.as_str(), |(_, plain)| plain);
    Compare {
        contenders: vec![format!("a={plain}"), format!("b={plain}")],
        suite: options.suite.clone(),
        workload: options.workload.clone(),
        rate: Vec::new(),
        fio: Vec::new(),
        engine: Who::Native,
        rounds: None,
        budget: Some(options.budget),
        margin: options.margin,
        seed: None,
        storage: options.storage.clone(),
        lane_size: options.lane_size,
        medium: options.medium,
        handicap: handicap.to_vec(),
        dry_run: false,
        no_wait: false,
    }
}

fn text(calibration: &Calibration, handicap: Share) -> String {
    let mut table = Table::new();
    let found = format!("{handicap} found");
    let header = ["workload", "equals called a winner", "equivalent", &found, "sd of a pair", "sees, 9 times in 10"];
    table.load_style(presets::NOTHING).set_header(header);
    for row in &calibration.rows {
        let sees = row.sees.map_or("nothing up to 30 % in 12 rounds".to_owned(), |sees| {
            format!("{} in {} rounds, about {}", sees.difference, sees.rounds, sees.time)
        });
        table.add_row([
            row.workload.clone(),
            format!("{} of {}", row.winners, row.equal),
            format!("{} of {}", row.equivalent, row.equal),
            format!("{} of {}", row.found, row.handicapped),
            row.deviation.map_or("–".to_owned(), |share| share.to_string()),
            sees,
        ]);
    }
    format!(
        "{}\n\nA winner was called among equals in {} of {} runs; the rule promises at most one in twenty.\n\
         What a workload sees is simulated with its own spread and the rule that decides; a small handicap that it\n\
         cannot see is not found, which is no mistake.\n",
        table.trim_fmt(),
        calibration.runs_with_a_winner,
        calibration.runs
    )
}
