//! One workload within one round: slices on the contenders in turn, and the trials that they make.

mod clocks;
mod limit;
mod player;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use fsarena_engine::Tally;
use fsarena_model::{CacheState, Done, Mode, Nanos, Slice, Trial, Workload};

use fsarena_sys::{Clock, memory};

pub use self::limit::Watch;
use self::limit::Within;
use self::player::{Player, out_of_time, trial};
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
    /// What is shared with other workloads of the round.
    pub shares: Shares,
    /// Whether the three clocks and the space that is used are looked at, too.
    pub clocks: Clocks,
    /// Over the time that its parts take.
    pub watch: &'a Watch<'a>,
    /// Tells how long what is not timed takes.
    pub clock: &'a dyn Clock,
}

/// Whether a workload has its files in common with its neighbours in the round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shares {
    /// It works on the files that the one before has left.
    pub adopts: bool,
    /// It leaves its files to the next one.
    pub leaves: bool,
}

/// Whether the three clocks and the space that is used are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clocks {
    /// After each trial.
    Read,
    /// Not in this round.
    Left,
}

/// Runs the workload; `None` if somebody wanted to stop, for what was measured by then is not a whole trial.
pub fn run(stage: &mut dyn Stage, setting: &Setting<'_>) -> Option<Vec<Trial>> {
    let trials = match setting.workload.mode {
        Mode::Sliced => in_turn(stage, setting),
        Mode::Whole => one_by_one(stage, setting),
    };
    (!setting.is_stopped()).then_some(trials)
}

/// Slices of all contenders in turn.
fn in_turn(stage: &mut dyn Stage, setting: &Setting<'_>) -> Vec<Trial> {
    let order = setting.order(setting.workload.slices);
    // Prepared in the order of the first sweep: nobody is always the one whose files are freshest.
    let first_sweep = order.iter().take(setting.contenders.len());
    let mut players: Vec<Player> = first_sweep.map(|contender| open(stage, setting, *contender)).collect();
    for (position, contender) in order.into_iter().enumerate() {
        let Some(player) = players.iter_mut().find(|player| player.contender == contender) else { continue };
        if player.failure.is_none() && !setting.is_stopped() {
            player.failure = slice(stage, setting, player, position as u32).err().map(|trouble| trouble.text);
        }
    }
    players.sort_by_key(|player| player.contender);
    if setting.clocks == Clocks::Read {
        players.iter_mut().for_each(|player| clocks::of_sliced(stage, setting, player));
    }
    players.iter_mut().map(|player| close(stage, setting, player)).collect()
}

/// One contender after the other, from preparing to clearing up: nobody else has work in flight.
fn one_by_one(stage: &mut dyn Stage, setting: &Setting<'_>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (position, contender) in setting.order(1).into_iter().enumerate() {
        let mut player = open(stage, setting, contender);
        if player.failure.is_none() && !setting.is_stopped() {
            player.failure = whole(stage, setting, &mut player, position as u32).err().map(|trouble| trouble.text);
        }
        trials.push((contender, close(stage, setting, &mut player)));
    }
    trials.sort_by_key(|(contender, _)| *contender);
    trials.into_iter().map(|(_, trial)| trial).collect()
}

impl Setting<'_> {
    fn order(&self, sweeps: u32) -> Vec<usize> {
        let numbers: Vec<usize> = self.contenders.iter().map(|(index, _)| *index).collect();
        slice_order(&numbers, sweeps, self.round, self.index, self.seed)
    }

    fn is_stopped(&self) -> bool {
        self.watch.stop.load(Ordering::Relaxed)
    }
}

/// Prepared and at rest, so that nobody pays for another's preparation.
fn open(stage: &mut dyn Stage, setting: &Setting<'_>, contender: usize) -> Player {
    let start = setting.clock.now();
    let seed = setting.seed.wrapping_add(u64::from(setting.round) << 32);
    let used = clocks::used_before(stage, setting, contender);
    let prepared = confined(stage, setting, |stage| {
        let limit = limit::of_upkeep(setting.workload);
        Ok(setting.watch.within(Some(limit), |stop| stage.open(contender, setting.workload, seed, stop)))
    });
    let (prepared, out_of_time) = match prepared {
        Ok(Within::Done(prepared)) => (prepared, None),
        Ok(Within::OutOfTime(limit)) => (Err(out_of_time(limit)), Some(limit)),
        Err(trouble) => (Err(trouble), None),
    };
    let (job, failure) = match prepared.and_then(|job| stage.settle(contender).map(|_| job)) {
        Ok(job) => (Some(job), None),
        Err(trouble) => (None, Some(trouble.text)),
    };
    let (tally, current) = (Tally::new(), Tally::new());
    let (readings, spent) = (BTreeMap::new(), BTreeMap::new());
    let (slices, settled, verified) = (Vec::new(), None, None);
    let mut player = Player {
        contender,
        job,
        tally,
        current,
        slices,
        settled,
        used,
        readings,
        verified,
        failure,
        spent,
        out_of_time,
    };
    player.spend("time.prepare", setting.clock.now().saturating_sub(start));
    player
}

/// A first part untimed, then the timed part between two readings of the counters.
fn slice(stage: &mut dyn Stage, setting: &Setting<'_>, player: &mut Player, position: u32) -> Result<(), Trouble> {
    ready(stage, setting, player)?;
    let done = confined(stage, setting, |stage| {
        let start = setting.clock.now();
        warm_up(setting, player)?;
        player.spend("time.between", setting.clock.now().saturating_sub(start));
        player.current.clear();
        watched(stage, setting, player, setting.workload.timed())
    });
    player.tally.follow(&player.current, position);
    done?;
    player.slices.extend(sample(setting.workload, &player.current, Nanos(0), position));
    Ok(())
}

fn warm_up(setting: &Setting<'_>, player: &mut Player) -> Result<(), Trouble> {
    if setting.workload.memory_limit.is_some() {
        player.upkeep(setting, |job, stop| job.warm(stop))?;
    }
    match setting.workload.warm_up_ms {
        0 => Ok(()),
        warm_up => player.work(setting, Some(Nanos::millis(warm_up))),
    }
}

/// Does something within the workload's memory limit, if it has one.
fn confined<T>(
    stage: &mut dyn Stage,
    setting: &Setting<'_>,
    act: impl FnOnce(&mut dyn Stage) -> Result<T, Trouble>,
) -> Result<T, Trouble> {
    let Some(limit) = setting.workload.memory_limit else { return act(stage) };
    stage.confine(limit)?;
    let done = act(stage);
    stage.release()?;
    done
}

/// As often as its time wants, then synced: what a whole run leaves for later is part of its time. What ends by itself runs
/// once, and its sync is timed apart.
fn whole(stage: &mut dyn Stage, setting: &Setting<'_>, player: &mut Player, position: u32) -> Result<(), Trouble> {
    let wanted = Nanos::millis(setting.workload.timed_ms);
    player.current.clear();
    loop {
        let before = player.current.elapsed;
        // Each piece offers the rate anew.
        player.current.offered = None;
        ready(stage, setting, player)?;
        let time = (wanted.0 > 0).then(|| wanted.saturating_sub(before));
        confined(stage, setting, |stage| watched(stage, setting, player, time))?;
        let is_idle = player.current.elapsed == before;
        let is_over = player.current.elapsed >= wanted || setting.workload.ends_by_itself;
        if is_over || is_idle || setting.is_stopped() {
            break;
        }
    }
    let returned = player.current.elapsed;
    let after = if setting.workload.ends_by_itself { Nanos(0) } else { settled(stage, setting, player)? };
    if setting.clocks == Clocks::Read {
        clocks::of_whole(stage, setting, player, returned)?;
    }
    player.tally.follow(&player.current, position);
    player.slices.extend(sample(setting.workload, &player.current, after, position));
    Ok(())
}

/// Synced between two readings of the counters.
fn settled(stage: &mut dyn Stage, setting: &Setting<'_>, player: &mut Player) -> Result<Nanos, Trouble> {
    stage.watch(player.contender);
    let settled = stage.settle(player.contender);
    if setting.clocks == Clocks::Read {
        player.readings.extend(clocks::written("clock.durable", &stage.glance(player.contender), &player.current));
    }
    stage.count(player.contender);
    player.settled = settled.as_ref().ok().copied();
    settled
}

/// Refilled, mounted again if it is to be cold, and with memory at hand; all of it untimed.
fn ready(stage: &mut dyn Stage, setting: &Setting<'_>, player: &mut Player) -> Result<(), Trouble> {
    let start = setting.clock.now();
    let done = made_ready(stage, setting, player);
    player.spend("time.between", setting.clock.now().saturating_sub(start));
    done
}

fn made_ready(stage: &mut dyn Stage, setting: &Setting<'_>, player: &mut Player) -> Result<(), Trouble> {
    player.upkeep(setting, |job, stop| job.refill(stop))?;
    let is_cold = setting.workload.cache == CacheState::Cold || setting.workload.memory_limit.is_some();
    if is_cold && !player.job().reads_on() && !stage.remount(player.contender)? {
        player.upkeep(setting, |job, stop| job.chill(stop))?;
    }
    memory::back(player.job().fills());
    player.upkeep(setting, |job, stop| job.begin(stop))
}

/// Works between two readings of the counters.
fn watched(
    stage: &mut dyn Stage,
    setting: &Setting<'_>,
    player: &mut Player,
    time: Option<Nanos>,
) -> Result<(), Trouble> {
    stage.watch(player.contender);
    let done = player.work(setting, time);
    stage.count(player.contender);
    done?;
    player.upkeep(setting, |job, stop| job.end(stop))
}

/// The figure of what was counted; `after` is time beyond the tally's that belongs to it.
fn sample(workload: &Workload, tally: &Tally, after: Nanos, position: u32) -> Option<Slice> {
    let Tally { operations, bytes, .. } = *tally;
    let elapsed = tally.elapsed + after;
    let latency = &|| tally.latency_of_operations();
    let value = workload.metric.measure.of(&Done { operations, bytes, seconds: elapsed.as_seconds(), latency })?;
    Some(Slice { position, operations, bytes, elapsed, value })
}

/// What the slices left undone is brought to the device and timed apart; then everything is removed.
fn close(stage: &mut dyn Stage, setting: &Setting<'_>, player: &mut Player) -> Trial {
    let start = setting.clock.now();
    let mut job = player.job.take();
    let settled = stage.settle(player.contender);
    player.settled = player.settled.or(settled.as_ref().ok().copied());
    if let (Some(job), None, false) = (&mut job, &player.failure, setting.is_stopped()) {
        let limit = limit::of_upkeep(setting.workload);
        let verified = setting
            .watch
            .within(Some(limit), |stop| stage.verify(player.contender, setting.workload, &mut **job, stop));
        match player.in_time(verified) {
            Ok(found) => player.take_in(found),
            Err(trouble) => player.failure = Some(trouble.text),
        }
    }
    drop(job);
    let leaves = setting.shares.leaves && player.failure.is_none();
    let cleared = if leaves { Ok(()) } else { stage.clear(player.contender, setting.workload) };
    let trouble = settled.err().or(cleared.err());
    player.failure = player.failure.take().or(trouble.map(|trouble| trouble.text));
    if player.failure.is_none() && player.slices.is_empty() {
        player.failure = Some("nothing was done within the time".to_owned());
    }
    player.spend("time.close", setting.clock.now().saturating_sub(start));
    trial(stage, setting, player)
}
