//! From the name of an article to a plan.

use anyhow::{Result, bail};
use fsarena_articles::Article;
use fsarena_articles::article::{Blamed, Cause, PublishedContender};
use fsarena_articles::reproduction::is_traced;
use fsarena_catalog::Suite;
use fsarena_execute::left_out;
use fsarena_model::plan::{Extension, Harness, LeftOut, Opaque};
use fsarena_model::{
    Arguments, Contender, FromSuite, Label, LanePlan, Measuring, Often, Plan, Rounds, Scale, Workload, joined,
};
use fsarena_place::{ENGINES, Refusal, Refusals};

use super::contenders::{contender_files, contenders, usual_contenders, with_further};
use super::work::{at_scale, available};
use super::{LANE, checked, resolved, seed};
use crate::commands::reproduce::Reproduce;

/// The plan of an article's tests, complete and checked, with notes for the user.
pub fn of_article(options: &Reproduce) -> Result<(Plan, Vec<String>)> {
    let article = fsarena_articles::article(&options.article)?;
    let suite = fsarena_catalog::suite(&article.name).map_err(|_| cannot_be_run(&article.name))?;
    let scale = options.scale.unwrap_or_default();
    let usual = usual_contenders(&suite, &options.setup.place);
    let named = if options.contenders.is_empty() { usual } else { &options.contenders };
    require_whole(named)?;
    let causes: Vec<&Cause> = article.claims.iter().filter_map(|claim| claim.cause.as_ref()).collect();
    let causes = if options.explain { causes } else { Vec::new() };
    let named = &with_further(named, causes.iter().flat_map(|cause| options_of(cause)));
    let (contenders, ignored) = contenders(named, Vec::new())?;
    let workloads = at_scale(&suite.workloads, scale)?;
    let workloads: Vec<Workload> = workloads.into_iter().filter(|workload| is_of(options.harness, workload)).collect();
    let (workloads, unavailable) = available(workloads, &options.setup.place, &contenders)?;
    let (baselines, noise) = super::baselines_at(scale, Often::Once);
    let usual = if scale == Scale::Smoke { Some(1) } else { suite.rounds };
    let rounds = options.rounds.or(usual).unwrap_or(1);
    let left_out = left_out(ENGINES, &contenders, &workloads);
    let for_one_cause = only_for_causes(&article, &causes, &contenders, &workloads);
    require_work_for_all(&contenders, &workloads, &left_out)?;
    let idle = left_out.iter().map(|out| format!("`{}` cannot do `{}`", out.label, out.workload));
    let compared = compared(&article, &contenders, &suite);
    let is_traced = |cause: &&Cause| article.test(&cause.test).is_some_and(|test| is_traced(cause, test, &workloads));
    let explained = causes.iter().any(is_traced);
    let mut tested = causes.iter().flat_map(|cause| options_of(cause));
    let is_tested = tested.any(|name| contenders.iter().any(|contender| contender.label.0 == name));
    let in_vain = (options.explain && !explained && !is_tested)
        .then(|| "--explain has no effect: no claim of this article blames what could be measured here".to_owned());
    let notes =
        idle.chain(unavailable.iter().map(ToString::to_string)).chain(compared).chain(ignored).chain(in_vain).collect();
    let contender_files = contender_files(named)?;
    let storage = options.setup.place.storage(options.setup.conditions.storage.as_deref(), &contenders);
    let lane_size = options.setup.lane_size.or(suite.lane_size(scale)).unwrap_or(LANE);
    let plan = Plan {
        workloads,
        suite: FromSuite { name: Some(suite.name.clone()), unavailable, groups: suite.groups, ..FromSuite::default() },
        seed: seed(options.setup.seed, &options.setup.place),
        rounds: Rounds::Exactly(rounds),
        margin: options.setup.conditions.margin,
        lanes: LanePlan {
            tools: options.setup.tools.clone(),
            ..LanePlan::new(storage, lane_size, options.setup.conditions.medium)
        },
        measuring: Measuring { noise, baselines, explained, ..Measuring::default() },
        left_out: left_out.into_iter().chain(for_one_cause).collect(),
        extension: Some(Box::new(Extension { data: Opaque::new(&article)?, scale, harness: options.harness })),
        arguments: Arguments { contender_files, ..Arguments::default() },
        ..Plan::of(contenders)
    };
    let mut refusals = Refusals::default();
    let plan = resolved(plan, &mut refusals);
    Ok((checked(plan, refusals, &options.setup.place)?, notes))
}

/// Refuses options that a comma has cut off their contender.
fn require_whole(named: &[String]) -> Result<()> {
    let is_kind = |word: &str| fsarena_catalog::contender(word).is_ok_and(|it| fsarena_lane::kind(&it.kind).is_some());
    match named.windows(2).find(|pair| pair[0].contains(':') && !is_kind(&pair[1])) {
        None => Ok(()),
        Some(pair) => {
            let text = format!("`{}` is no contender: a comma separates contenders, also after `{}`", pair[1], pair[0]);
            let hint = "options with a comma need a .toml file: docs/guides/contender-files.md";
            bail!(Refusal::wrong_use(text, hint))
        }
    }
}

/// The contenders by which the cause of a claim is judged.
fn options_of(cause: &Cause) -> Vec<&str> {
    match &cause.blames {
        Blamed::Activities(_) => Vec::new(),
        Blamed::Options { slower, faster } => vec![slower, faster],
    }
}

/// Contenders with the options of causes skip all workloads by which these causes are not judged.
fn only_for_causes(
    article: &Article,
    causes: &[&Cause],
    contenders: &[Contender],
    workloads: &[Workload],
) -> Vec<LeftOut> {
    let judges = |cause: &Cause, workload: &str| {
        let sources = article.test(&cause.test).map_or(&[][..], |test| &test.properly);
        sources.iter().any(|source| source.at(cause.at.as_deref()).workload == workload)
    };
    let is_own = |label: &Label| article.contenders.iter().any(|one| one.here.contains(&label.0));
    let out = |label: &Label| -> Vec<LeftOut> {
        let own: Vec<_> = causes.iter().filter(|cause| options_of(cause).contains(&label.0.as_str())).collect();
        let is_other = |workload: &&Workload| !own.is_empty() && !own.iter().any(|cause| judges(cause, &workload.name));
        let others = workloads.iter().filter(is_other);
        others.map(|workload| LeftOut { label: label.clone(), workload: workload.name.to_string() }).collect()
    };
    contenders.iter().map(|contender| &contender.label).filter(|label| !is_own(label)).flat_map(out).collect()
}

/// What of the article the contenders can compare, and how to get the rest; `None` if they represent all of it, or if a
/// directory may represent anything.
fn compared(article: &Article, contenders: &[Contender], suite: &Suite) -> Option<String> {
    let represents = |contender: &Contender, published: &PublishedContender| {
        published.here.iter().any(|one| *one == contender.kind || *one == contender.label.0)
    };
    let is_represented =
        |published: &&PublishedContender| contenders.iter().any(|contender| represents(contender, published));
    let (with, without): (Vec<_>, Vec<_>) = article.contenders.iter().partition(is_represented);
    if without.is_empty() || contenders.iter().any(Contender::is_directory) {
        return None;
    }
    let names = |all: &[&PublishedContender]| joined(all.iter().map(|one| &one.name), ", ");
    let lacking = |kind: &&String| without.iter().any(|published| published.here.contains(kind));
    let rest = |usual: &[String]| joined(usual.iter().filter(lacking), ", ");
    let hint = match (rest(&suite.contenders), rest(&suite.guest_contenders)) {
        (here, _) if !here.is_empty() => {
            let take = if here.contains(',') { "take" } else { "takes" };
            format!("; leave out --contenders, and {here} {take} part")
        }
        (_, guest) if !guest.is_empty() => {
            format!("; `fsarena reproduce {} --guest` has {guest} for them", article.name)
        }
        _ => String::new(),
    };
    let (with, without) = (if with.is_empty() { "none".to_owned() } else { names(&with) }, names(&without));
    Some(format!("of the article's contenders this run represents {with}, and has nothing for {without}{hint}"))
}

/// Refuses contenders that support none of the workloads.
fn require_work_for_all(contenders: &[Contender], workloads: &[Workload], left_out: &[LeftOut]) -> Result<()> {
    let is_idle =
        |contender: &&Contender| left_out.iter().filter(|out| out.label == contender.label).count() == workloads.len();
    match contenders.iter().find(is_idle) {
        None => Ok(()),
        Some(contender) => {
            let text = format!("`{}` can do none of these workloads", contender.label);
            bail!(Refusal::wrong_use(text, "leave it out of --contenders, or do without --harness"))
        }
    }
}

fn cannot_be_run(article: &str) -> Refusal {
    let text = format!("the tests of `{article}` cannot be run yet: only what it published is there");
    Refusal::wrong_use(text, format!("fsarena reproduce {article} --published-only"))
}

fn is_of(harness: Harness, workload: &Workload) -> bool {
    match harness {
        Harness::Both => true,
        Harness::Native => !is_loop_of_a_shell(workload),
        Harness::Shell => is_loop_of_a_shell(workload),
    }
}

/// Whether the workload consists of scripts, which start no named program.
fn is_loop_of_a_shell(workload: &Workload) -> bool {
    workload.engine == "program" && workload.parameters.get("needs").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contenders_of_a_cause_do_only_the_work_of_its_test() {
        let article = fsarena_articles::article("openeuler").expect("there");
        let causes: Vec<&Cause> = article.claims.iter().filter_map(|claim| claim.cause.as_ref()).collect();
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        let with_options = |named: &[String]| with_further(named, causes.iter().flat_map(|cause| options_of(cause)));
        assert_eq!(with_options(&names(&["ext4", "xfs"])), names(&["ext4", "xfs"]), "they are of Btrfs");
        let named = with_options(&names(&["ext4", "btrfs"]));
        assert!(named.len() > 2 && named == with_options(&named), "a repeated run adds none: {named:?}");
        let (contenders, _) = contenders(&named, Vec::new()).expect("contenders");
        let workloads = names(&["openeuler-seqread", "openeuler-small-files"]);
        let workloads = crate::plan::work::at_scale(&workloads, Scale::Standard).expect("workloads");
        let out = only_for_causes(&article, &causes, &contenders, &workloads);
        let of = |label: &str| {
            let own = out.iter().filter(|out| out.label.0 == label);
            own.map(|out| out.workload.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(of("btrfs:max_inline=0"), ["openeuler-seqread"]);
        assert_eq!(of("btrfs:nodatasum"), ["openeuler-small-files"]);
        assert_eq!((of("btrfs"), of("ext4")), (Vec::new(), Vec::new()));
    }
}
