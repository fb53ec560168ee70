//! `--dry-run`: the plan, how long it takes, and the space it needs.

use std::fmt::Write;

use anyhow::Result;
use fsarena_lane::{lane_count, made_lanes};
use fsarena_model::{Bytes, Mode, Plan, Rounds};
use fsarena_session::{estimated_round, estimated_setup};

use crate::commands::print;
use crate::exit::Ended;

/// Prints the plan and does nothing.
pub fn run(plan: &Plan) -> Result<Ended> {
    let mut text = String::new();
    write_plan(&mut text, plan)?;
    print(&text)?;
    Ok(Ended::Well)
}

fn write_plan(text: &mut String, plan: &Plan) -> std::fmt::Result {
    writeln!(text, "plan {}, seed {}", &plan.hash()[..12], plan.seed)?;
    writeln!(text, "\ncontenders")?;
    for contender in &plan.contenders {
        let options = if contender.mount.is_empty() { "default options" } else { &contender.mount };
        let path = contender.path.as_ref().map(|path| path.display().to_string());
        let mount = path.as_deref().unwrap_or(options);
        let further = contender.mkfs.join(" ");
        writeln!(
            text,
            "  {}: {}, {mount}{}{further}",
            contender.label,
            contender.kind,
            if further.is_empty() { "" } else { ", mkfs " }
        )?;
    }
    writeln!(text, "\nworkloads")?;
    let (controls, workloads): (Vec<_>, Vec<_>) =
        plan.workloads.iter().partition(|workload| workload.control_of.is_some());
    for workload in workloads {
        let mode = if workload.mode == Mode::Sliced { "in slices" } else { "whole" };
        let limit = workload.memory_limit.map(|limit| format!(", within {limit} of memory")).unwrap_or_default();
        writeln!(text, "  {} (version {}), {mode}{limit}: {}", workload.name, workload.version, workload.measures)?;
    }
    if !controls.is_empty() {
        writeln!(text, "  control rounds: every second round also runs {} of them whole, as a check", controls.len())?;
    }
    if !plan.precondition.is_none() {
        writeln!(text, "\nbefore\n  all lanes are written in full twice, and then at random until they are steady")?;
    }
    let (round, setup) = (estimated_round(plan), estimated_setup(plan));
    writeln!(text, "\nduration")?;
    match plan.rounds {
        Rounds::Exactly(count) => {
            let total = fsarena_model::Nanos(setup.0 + round.0 * u64::from(count));
            writeln!(text, "  {count} rounds of about {round}, about {total} in all")?;
        }
        Rounds::Within(budget) => {
            let count = budget.0.saturating_sub(setup).0 / round.0.max(1);
            writeln!(text, "  at most {}: up to {count} rounds of about {round}, fewer if all is decided", budget.0)?;
        }
    }
    write_space(text, plan)
}

/// The space that the lanes need.
pub fn write_space(text: &mut String, plan: &Plan) -> std::fmt::Result {
    let lanes = lane_count(plan);
    writeln!(text, "\nspace")?;
    match lanes {
        0 => writeln!(text, "  no lanes: only what the workloads write"),
        _ if !plan.lanes.is_own() => {
            writeln!(text, "  one lane of {}, which the contenders take in turn, {}", plan.lane_size, plan.storage)
        }
        _ => {
            let made = made_lanes(plan);
            let total = Bytes(plan.lane_size.0.saturating_mul(made as u64));
            let spare = if made > lanes { " and a spare one" } else { ", none to spare" };
            writeln!(text, "  {} lanes of {}{spare}: {total}, {}", lanes, plan.lane_size, plan.storage)
        }
    }
}
