//! The stream of events is well formed for any plan and any failure.

use fsarena_model::{CacheState, Durability, Event, Mode, Nanos, Rounds, Status, Workload};
use proptest::prelude::*;

use fsarena_fakes::{Effect, Performance, Play, World, workload};

const CONTENDERS: [&str; 4] = ["ext4", "tmpfs", "xfs", "btrfs"];
const WORKLOADS: [&str; 5] = ["create", "append", "read", "rename", "delete"];
const ACTS: [&str; 8] = ["make xfs", "open", "run ext4", "run tmpfs read", "reset", "sync", "clear ext4", "finish"];

fn any_workload(name: &'static str) -> impl Strategy<Value = Workload> {
    let cache = prop_oneof![Just(CacheState::Warm), Just(CacheState::Cold), Just(CacheState::Direct)];
    let mode = prop_oneof![Just(Mode::Sliced), Just(Mode::Whole)];
    (cache, mode, 1_u32..3, prop_oneof![Just(0_u64), Just(10)]).prop_map(move |(cache, mode, pairs, timed_ms)| {
        Workload { cache, mode, slices: pairs * 2, timed_ms, warm_up_ms: timed_ms / 2, ..workload(name) }
    })
}

fn any_rounds() -> impl Strategy<Value = Rounds> {
    let budget = (1_u64..60).prop_map(|seconds| Rounds::Within(Nanos::seconds(seconds)));
    prop_oneof![(1_u32..4).prop_map(Rounds::Exactly), budget]
}

/// A failure or stop, and its round; not while the first contenders are made, because that ends the run.
fn any_trap() -> impl Strategy<Value = (Effect, u32, u32, &'static str)> {
    let effect = prop_oneof![3 => Just(Effect::Fail), 1 => Just(Effect::Stop)];
    (effect, 2_u32..4, 1_u32..4, proptest::sample::select(&ACTS[..]))
}

fn any_play() -> impl Strategy<Value = Play> {
    let workloads = WORKLOADS.map(any_workload).into_iter().collect::<Vec<_>>();
    let traps = proptest::collection::vec(any_trap(), 0..3);
    (1_usize..=4, 1_usize..=5, workloads, any_rounds(), any::<u64>(), traps).prop_map(
        |(contenders, count, mut workloads, rounds, seed, traps)| {
            workloads.truncate(count);
            let mut world = World::of(&[1000.0, 9000.0, 1500.0, 1500.0]).noisy(0.02, seed);
            world.durability = vec![Durability::Flushed, Durability::Volatile];
            let spring = |world: World, (effect, round, nth, entry)| World::trap(world, effect, round, nth, entry);
            let world = traps.into_iter().fold(world, spring);
            let play = Play::new(&CONTENDERS[..contenders], world);
            play.with_workloads(workloads).with_rounds(rounds).with_seed(seed)
        },
    )
}

/// A position in the stream.
#[derive(Debug, Clone, PartialEq)]
enum BaselineKind {
    Before,
    Between { done: u32 },
    Within { round: u32, contenders: Vec<String>, workloads: Vec<String> },
    After,
}

/// The next position; an error message if the event is not allowed there.
fn step(place: BaselineKind, event: &Event, play: &Play) -> Result<BaselineKind, String> {
    let within = |place: &BaselineKind| match place {
        BaselineKind::Within { round, .. } => Some(*round),
        _ => None,
    };
    match (place, event) {
        (place @ BaselineKind::Before, Event::Preparing(_)) => Ok(place),
        (BaselineKind::Before, Event::Surveyed(_)) => Ok(BaselineKind::Between { done: 0 }),
        (BaselineKind::Between { done }, Event::RoundStarted { round, expected, workloads }) => {
            let known = |name: &String| play.plan.workloads.iter().any(|workload| workload.name == *name);
            let fits = *round == done + 1 && expected >= round && workloads.iter().all(known);
            let place = BaselineKind::Within { round: *round, contenders: Vec::new(), workloads: Vec::new() };
            fits.then_some(place).ok_or_else(|| format!("round {round} of {expected} after {done}"))
        }
        (BaselineKind::Within { round: 1, mut contenders, workloads }, Event::Contender(facts))
            if workloads.is_empty() =>
        {
            contenders.push(facts.label.to_string());
            Ok(BaselineKind::Within { round: 1, contenders, workloads })
        }
        (BaselineKind::Within { round, contenders, mut workloads }, Event::WorkloadStarted { round: of, workload })
            if *of == round && !workloads.contains(workload) =>
        {
            workloads.push(workload.clone());
            Ok(BaselineKind::Within { round, contenders, workloads })
        }
        (place, Event::Trial(trial)) if within(&place) == Some(trial.round) => Ok(place),
        (place, Event::Checked(check)) if within(&place) == Some(check.round) => Ok(place),
        (place, Event::Note(_)) if place != BaselineKind::After => Ok(place),
        (BaselineKind::Within { round, contenders, .. }, Event::RoundFinished(facts)) if facts.round == round => {
            let all = round > 1 || contenders.len() == play.plan.contenders.len();
            all.then_some(BaselineKind::Between { done: round }).ok_or_else(|| format!("only {contenders:?} were made"))
        }
        (place @ BaselineKind::Between { .. }, Event::Decided { decided, pairs, .. }) if decided <= pairs => Ok(place),
        (BaselineKind::Between { .. }, Event::Finished(Status::Complete)) => Ok(BaselineKind::After),
        (place, Event::Finished(Status::Interrupted)) if place != BaselineKind::After => Ok(BaselineKind::After),
        (place @ BaselineKind::Within { .. }, Event::Decided { .. }) => Ok(place),
        (place, event) => Err(format!("{event:?} at {place:?}")),
    }
}

fn well_formed(performance: &Performance, play: &Play) -> Result<(), String> {
    let end = performance.events.iter().try_fold(BaselineKind::Before, |place, event| step(place, event, play))?;
    if end == BaselineKind::After { Ok(()) } else { Err(format!("the stream ends at {end:?}")) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_stream_of_events_is_well_formed(play in any_play()) {
        let performance = play.perform();
        prop_assert!(performance.result.is_ok(), "{:?}", performance.result);
        prop_assert_eq!(well_formed(&performance, &play), Ok(()));
    }

    /// The store is one of the listeners: it writes what it hears.
    #[test]
    fn no_event_comes_within_a_slice(play in any_play()) {
        let performance = play.perform();
        prop_assert!(performance.entries("watch ").is_empty() || !performance.events.is_empty());
        prop_assert_eq!(performance.within_slices, Vec::new());
    }

    #[test]
    fn everything_made_is_finished_and_everything_opened_is_cleared(play in any_play()) {
        let performance = play.perform();
        let failed_makes = performance.notes().iter().filter(|note| note.contains("could not be made")).count();
        let count = |what: &str| performance.entries(what).len();
        prop_assert_eq!(count("make "), count("finish ") + failed_makes);
        prop_assert_eq!(count("open "), count("clear "));
        prop_assert_eq!(count("watch "), count("count "));
    }

    #[test]
    fn a_record_has_at_most_one_trial_of_a_kind_and_assesses(play in any_play()) {
        let performance = play.perform();
        let trials = &performance.record.trials;
        let key = |trial: &fsarena_model::Trial| (trial.round, trial.workload.clone(), trial.contender.clone());
        let keys: std::collections::BTreeSet<_> = trials.iter().map(key).collect();
        prop_assert_eq!(keys.len(), trials.len());
        let comparison = performance.comparison();
        let (contenders, workloads) = (play.plan.contenders.len(), play.plan.workloads.len());
        prop_assert_eq!(comparison.cells.len(), contenders * workloads);
        prop_assert_eq!(comparison.judged.verdicts.len(), contenders * (contenders - 1) / 2 * workloads);
    }
}
