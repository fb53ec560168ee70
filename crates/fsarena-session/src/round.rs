//! One workload within one round: slices on the contenders in turn, and the trials that they make.

use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_engine::{Job, Limit, Tally};
use fsarena_model::{CacheState, Done, Mode, Nanos, Outcome, Reading, Slice, Trial, Workload};

use fsarena_sys::affinity::Pinned;
use fsarena_sys::memory;

use crate::rate;
use crate::schedule::{Assignment, slice_order};
use crate::{Stage, Trouble};

/// What a workload's run within a round needs to know.
pub struct Setting<'a> {
    /// The workload.
    pub workload: &'a Workload,
    /// Its place in the plan.
    pub index: usize,
    /// The round, from 1.
    pub round: u32,
    /// How much longer than they would the operations of each contender of the plan take; 0 for most.
    pub handicaps: &'a [f64],
    /// The contenders that take part, as numbered in the plan, with their labels.
    pub contenders: Vec<(usize, &'a fsarena_model::Label)>,
    /// The lanes of all contenders of the plan.
    pub lanes: &'a Assignment,
    /// The plan's seed.
    pub seed: u64,
    /// Set when somebody wants to stop.
    pub stop: &'a AtomicBool,
}

/// One contender at work.
struct Player {
    contender: usize,
    job: Option<Box<dyn Job>>,
    /// Of all slices.
    tally: Tally,
    /// Of the slice at hand; what it has allocated is used again.
    current: Tally,
    slices: Vec<Slice>,
    settled: Option<Nanos>,
    failure: Option<String>,
}

/// Runs the workload; `None` if somebody wanted to stop, for what was measured by then is not a whole trial.
pub fn run(stage: &mut dyn Stage, setting: &Setting<'_>) -> Option<Vec<Trial>> {
    let order = slice_order(&numbers(setting), slices(setting.workload), setting.round, setting.index, setting.seed);
    // Prepared in the order of the first sweep: nobody is always the one whose files are freshest.
    let first_sweep = order.iter().take(setting.contenders.len());
    let mut players: Vec<Player> = first_sweep.map(|contender| open(stage, setting, *contender)).collect();
    for (position, contender) in order.into_iter().enumerate() {
        let Some(player) = players.iter_mut().find(|player| player.contender == contender) else { continue };
        if player.failure.is_none() && !setting.stop.load(Ordering::Relaxed) {
            player.failure = slice(stage, setting, player, position as u32).err().map(|trouble| trouble.text);
        }
    }
    players.sort_by_key(|player| player.contender);
    let trials = players.iter_mut().map(|player| close(stage, setting, player)).collect();
    (!setting.stop.load(Ordering::Relaxed)).then_some(trials)
}

fn numbers(setting: &Setting<'_>) -> Vec<usize> {
    setting.contenders.iter().map(|(index, _)| *index).collect()
}

fn slices(workload: &Workload) -> u32 {
    if workload.mode == Mode::Whole { 1 } else { workload.slices }
}

/// Prepared and at rest, so that nobody pays for another's preparation.
fn open(stage: &mut dyn Stage, setting: &Setting<'_>, contender: usize) -> Player {
    let seed = setting.seed.wrapping_add(u64::from(setting.round) << 32);
    let job = stage.open(contender, setting.workload, seed);
    let ready = job.and_then(|job| stage.settle(contender).map(|_| job));
    let (job, failure) = match ready {
        Ok(job) => (Some(job), None),
        Err(trouble) => (None, Some(trouble.text)),
    };
    let (tally, current) = (Tally::new(), Tally::new());
    Player { contender, job, tally, current, slices: Vec::new(), settled: None, failure }
}

/// Refill, remount or warm up untimed; then the timed part between two readings of the counters.
fn slice(stage: &mut dyn Stage, setting: &Setting<'_>, player: &mut Player, position: u32) -> Result<(), Trouble> {
    let workload = setting.workload;
    let job = player.job.as_mut().expect("a player without a failure has a job");
    job.refill()?;
    if workload.cache == CacheState::Cold && !stage.remount(player.contender)? {
        job.chill()?;
    }
    memory::back(job.fills());
    let _pinned = job.is_alone().then(Pinned::here);
    let current = &mut player.current;
    let handicap = setting.handicaps[player.contender];
    let limit = Limit { time: None, stop: setting.stop, handicap };
    if workload.warm_up_ms > 0 && workload.mode == Mode::Sliced {
        job.run(&limit.until(Some(Nanos::millis(workload.warm_up_ms))), current)?;
    }
    current.clear();
    let time = (workload.timed_ms > 0).then(|| Nanos::millis(workload.timed_ms));
    stage.watch(player.contender);
    let done = job.run(&limit.until(time), current);
    stage.count(player.contender);
    player.tally.follow(current, position);
    done?;
    player.slices.extend(sample(workload, current, position));
    Ok(())
}

fn sample(workload: &Workload, tally: &Tally, position: u32) -> Option<Slice> {
    let Tally { operations, bytes, elapsed, .. } = *tally;
    let latency = tally.latency_of_operations();
    let value = workload.metric.measure.of(&Done { operations, bytes, seconds: elapsed.as_seconds(), latency })?;
    Some(Slice { position, operations, bytes, elapsed, value })
}

/// What the slices left undone is brought to the device and timed apart; then everything is removed.
fn close(stage: &mut dyn Stage, setting: &Setting<'_>, player: &mut Player) -> Trial {
    player.job = None;
    let settled = stage.settle(player.contender);
    player.settled = settled.as_ref().ok().copied();
    let cleared = stage.clear(player.contender, setting.workload);
    let trouble = settled.err().or(cleared.err());
    player.failure = player.failure.take().or(trouble.map(|trouble| trouble.text));
    if player.failure.is_none() && player.slices.is_empty() {
        player.failure = Some("nothing was done within the time".to_owned());
    }
    trial(stage, setting, player)
}

fn trial(stage: &mut dyn Stage, setting: &Setting<'_>, player: &mut Player) -> Trial {
    let label = setting.contenders.iter().find(|(index, _)| *index == player.contender).map(|(_, label)| *label);
    let latencies = player.tally.latencies().map(|(operation, latency)| (operation.name().to_owned(), latency));
    let mut probes = stage.totals(player.contender);
    let settled = player.settled.map(Nanos::as_seconds);
    probes.insert("settle".to_owned(), Reading { value: settled, unit: "s".to_owned() });
    let timed = player.tally.elapsed.as_seconds();
    probes.extend(rate::readings(player.tally.offered, player.tally.operations, timed));
    Trial {
        round: setting.round,
        workload: setting.workload.name.clone(),
        contender: label.expect("every player is one of the setting's contenders").clone(),
        lane: setting.lanes[player.contender].map(|lane| lane as u32),
        slices: std::mem::take(&mut player.slices),
        latencies: latencies.collect(),
        over_time: player.tally.moments(),
        probes,
        outcome: player.failure.take().map_or(Outcome::Finished, Outcome::Failed),
    }
}
