//! From arguments to a plan.

mod checks;
pub mod clients;
mod contenders;
mod reproduce;
mod work;

use anyhow::Result;
use fsarena_catalog::Suite;
use fsarena_execute::reserved;
use fsarena_lane::{disk, with_direct};
use fsarena_model::Scale;
use fsarena_model::plan::Lanes;
use fsarena_model::{
    Arguments, Bytes, FromSuite, LanePlan, Measuring, Nanos, NoiseBounds, Often, Plan, Precondition, Rounds, Storage,
    Weighting,
};
use fsarena_place::{
    ENGINES, ROUNDS_IN_TURN, Refusals, enlarge_lanes, fitted, require_means, require_sound, require_space,
};

use crate::cli::{Compare, PlaceArguments};

pub use checks::require_mix;
pub use contenders::contenders;
pub use reproduce::of_article;

/// Default lane size.
const LANE: Bytes = Bytes::gib(2);

/// The plan for `arguments`, complete and checked, with notes for the user.
///
/// # Errors
/// All reasons against it that are found before anything is made.
pub fn plan(arguments: &Compare) -> Result<(Plan, Vec<String>)> {
    let place = &arguments.setup.place;
    let mut refusals = Refusals::default();
    let suite = work::suite(arguments).map(fsarena_catalog::suite).transpose()?;
    let profile = arguments.work.profile.as_deref().map(fsarena_catalog::profile).transpose()?;
    let (matrices, of_matrices) = refusals.take(contenders::matrices(&arguments.matrix)).unwrap_or_default();
    let named = refusals.take(contenders::named(arguments, suite.as_ref())).unwrap_or_default();
    let with_knobs = if arguments.test_explanation { contenders::with_knobs(named) } else { named.to_vec() };
    let (named, ignored) = contenders::accepted(&with_knobs, of_matrices, &mut refusals);
    let work = refusals.take(work::of(arguments, profile.as_ref(), &named)).unwrap_or_default();
    let (contenders, added) = if arguments.extra { with_direct(named) } else { (named, Vec::new()) };
    let scale = arguments.work.scale.unwrap_or_default();
    let is_short = !arguments.own.commands.is_empty() || profile.is_some();
    let usual_baselines =
        suite.as_ref().map_or(if is_short { Often::Once } else { Often::Always }, |suite| suite.baselines);
    let (usual, noise) = baselines_at(scale, usual_baselines);
    let clients = refusals.take(place.clients.named()).flatten();
    // Each number of clients takes the time of a run.
    let numbers = clients.as_ref().map_or(1, |named| named.clients.numbers.len() as u64);
    let storage = place.storage(arguments.setup.conditions.storage.as_deref(), &contenders);
    refusals.take(checks::require_effect(arguments, &storage));
    let lane_size = lane_size(arguments, &storage).or(suite.as_ref().and_then(|suite| suite.lane_size(scale)));
    let plan = Plan {
        suite: FromSuite {
            name: work::suite(arguments).map(str::to_owned),
            preface: suite.as_ref().map(|suite| suite.preface.clone()).unwrap_or_default(),
            scale,
            unavailable: work.unavailable,
            usual_baselines,
            groups: suite.as_ref().map(|suite| suite.groups.clone()).unwrap_or_default(),
        },
        seed: seed(arguments.setup.seed, place),
        rounds: rounds(arguments, suite.as_ref(), contenders.len(), work.workloads.len(), numbers),
        workloads: work.workloads,
        contenders,
        margin: arguments.setup.conditions.margin,
        lanes: LanePlan {
            shared: if arguments.one_at_a_time { Lanes::InTurn } else { Lanes::Own },
            precondition: if arguments.precondition { Precondition::Snia } else { Precondition::None },
            tools: arguments.setup.tools.clone(),
            ..LanePlan::new(storage, lane_size.unwrap_or(LANE), arguments.setup.conditions.medium)
        },
        guest: None,
        clients: None,
        guarantees: arguments.guarantee.clone(),
        measuring: Measuring {
            noise,
            baselines: arguments.baselines.unwrap_or(usual),
            uncounted: arguments.uncounted.clone(),
            slowdowns: arguments.slowdown.clone(),
            explained: arguments.explain || arguments.test_explanation,
        },
        left_out: Vec::new(),
        extension: None,
        weighting: Weighting {
            mix: arguments.work.weights.clone().or(profile.map(|profile| profile.mix)),
            profile: arguments.work.profile.clone(),
        },
        arguments: Arguments {
            contender_files: refusals.take(contenders::contender_files(&arguments.contenders)).unwrap_or_default(),
            workload_files: refusals.take(work::files(&arguments.work.workload)).unwrap_or_default(),
            own_commands: arguments.own.typed(),
            matrices,
        },
    };
    let in_turn = (place.is_deterministic() && plan.kernels().len() > 1 && matches!(plan.rounds, Rounds::Within(_)))
        .then(|| {
            format!(
                "guests that count instructions work one after the other, without a budget: {ROUNDS_IN_TURN} rounds"
            )
        });
    let plan = if in_turn.is_some() { Plan { rounds: Rounds::Exactly(ROUNDS_IN_TURN), ..plan } } else { plan };
    let plan = match clients {
        Some(clients) => clients::with_clients(plan, clients)?,
        None => plan,
    };
    let mut plan = resolved(plan, &mut refusals);
    if refusals.is_empty() {
        refusals.take(checks::require_effect_on(&plan, arguments));
    }
    let mut notes: Vec<String> = added.into_iter().chain(ignored).chain(work.notes).chain(in_turn).collect();
    notes.extend(checks::without_lanes(&arguments.setup, &plan));
    if arguments.precondition && matches!(plan.lanes.storage, Storage::Directory(_)) {
        notes.push(
            "lanes are images: --precondition writes them, and the SSD below their file system keeps its state"
                .to_owned(),
        );
    }
    if lane_size.is_none() {
        notes.extend(enlarge_lanes(&mut plan));
    }
    Ok((checked(plan, refusals, place)?, notes))
}

/// The lane size from the arguments, or that of the whole disk if a lane takes all of it.
fn lane_size(arguments: &Compare, storage: &Storage) -> Option<Bytes> {
    let takes_all = arguments.one_at_a_time || matches!(storage, Storage::Partitions(_));
    arguments.setup.lane_size.or_else(|| disk::largest_lane(storage.disks()).filter(|_| takes_all))
}

/// How often to measure baselines, and when a round does not count, at that scale. For smoke runs: never, and rounds
/// always count.
fn baselines_at(scale: Scale, usual: Often) -> (Often, NoiseBounds) {
    match scale {
        Scale::Smoke => (Often::Never, NoiseBounds::ignored()),
        Scale::Standard | Scale::Published => (usual, NoiseBounds::default()),
    }
}

/// The number of rounds: from the arguments, one for a smoke run, from the suite, or as many as fit into the default
/// budget. For commands of the user's own that is half of the usual one for each of `workloads`.
fn rounds(arguments: &Compare, suite: Option<&Suite>, contenders: usize, workloads: usize, numbers: u64) -> Rounds {
    let is_smoke = arguments.work.scale == Some(Scale::Smoke);
    let of_suite = suite.and_then(|suite| suite.rounds);
    let usual = Nanos(Rounds::usual_budget(contenders).0 * numbers);
    match (arguments.rounds, arguments.budget) {
        (Some(count), _) => Rounds::Exactly(count),
        (None, Some(time)) => Rounds::Within(time),
        (None, None) if is_smoke => Rounds::Exactly(1),
        (None, None) if !arguments.own.commands.is_empty() => Rounds::Within(Nanos(usual.0 / 2 * workloads as u64)),
        (None, None) => of_suite.map_or(Rounds::Within(usual), Rounds::Exactly),
    }
}

/// The plan with what its engines state about the workloads.
fn resolved(mut plan: Plan, refusals: &mut Refusals) -> Plan {
    let workloads = std::mem::take(&mut plan.workloads).into_iter();
    plan.workloads = workloads.filter_map(|workload| refusals.take(ENGINES.resolved(workload))).collect();
    plan
}

/// A resolved plan, if it is consistent, its budget suffices, and nothing was refused before. If anything is, the
/// refusals also have what this machine cannot do.
fn checked(plan: Plan, mut refusals: Refusals, place: &PlaceArguments) -> Result<Plan> {
    let plan = Plan { lanes: LanePlan { reserved: reserved(&plan), ..plan.lanes.clone() }, ..plan };
    // What is missing from the plan would look like a contradiction.
    if refusals.is_empty() {
        refusals.take(require_sound(&plan));
        refusals.take(checks::require_time(&plan));
        refusals.take(require_mix(&plan));
        refusals.take(checks::require_one_at_a_time(&plan));
    }
    let is_here = plan.clients.is_none()
        && plan.lanes.tools.is_none()
        && place.on.is_empty()
        && !place.is_guest(&plan.contenders);
    if is_here && !refusals.is_empty() {
        refusals.take(require_means(&plan));
        refusals.take(require_space(&fitted(plan.clone())));
    }
    refusals.end().map(|()| plan)
}

/// The seed that was `named`, or one that is drawn. Two runs in a deterministic guest have the same one by default.
fn seed(named: Option<u64>, place: &PlaceArguments) -> u64 {
    named.unwrap_or_else(|| if place.is_deterministic() { 1 } else { drawn_seed() })
}

pub fn drawn_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed.
    now.as_nanos() as u64 % 1_000_000_007
}
