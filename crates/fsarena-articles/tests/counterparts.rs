//! Reproductions: the figures, orders and claims of an article, from a record.

use fsarena_analyse::assess;
use fsarena_articles::article::ClaimOutcome;
use fsarena_articles::reproduction::{ClaimHere, MeasuredFigure, Winner, Wins};
use fsarena_articles::{Article, Reproduction};
use fsarena_model::plan::{Extension, Harness, LeftOut, Opaque};
use fsarena_model::{Durability, Nanos, Scale, Step, Trial};

use fsarena_fakes::record::Kept;
use fsarena_fakes::workload;
use serde_json::Value;

/// Two contenders and two tests: in the first test, the article's Shell is ten times slower than its Library.
const ARTICLE: &str = r#"{
    "name": "small", "title": "小", "english": "Small", "language": "zh", "source": "nowhere", "machine": {},
    "base": "Shell",
    "contenders": [
        {"name": "Library", "about": "", "here": ["ext4", "xfs"]},
        {"name": "Shell", "about": "", "here": ["xfs"]},
        {"name": "Absent", "about": "", "here": ["zfs"]}
    ],
    "summaries": [{"title": "total", "metric": "time", "of": "sum"}],
    "tests": [
        {"name": "create", "title": "Create", "original": "", "shown": "table", "method": "",
         "as-published": [{"workload": "w-shell", "steps": ["shell"]}, {"workload": "w", "steps": ["create"]}],
         "properly": [{"workload": "w", "steps": ["create"], "synced": true}],
         "metrics": [{"name": "time", "unit": "ms", "better": "lower", "quantity": "milliseconds", "figures": [
            {"contender": "Library", "value": 10, "text": "10ms"}, {"contender": "Shell", "value": 100, "text": "100ms"},
            {"contender": "Absent", "value": 5, "text": "5ms"}]}]},
        {"name": "delete", "title": "Delete", "original": "", "shown": "bar-chart", "method": "",
         "properly": [{"workload": "w", "steps": ["delete"]}],
         "metrics": [{"name": "rate", "unit": "files/s", "better": "higher", "quantity": "operations-per-second",
            "rankings": [{"order": [["Shell"], ["Library"]], "original": ""}]}]}
    ],
    "claims": [
        {"name": "order", "kind": "observation", "text": "", "original": "", "outcome": "not-testable", "why": "unknown",
         "check": [{"test": "delete", "order": [["Shell"], ["Library"]]}]},
        {"name": "clash", "kind": "sum", "text": "", "original": "", "outcome": "contradiction", "why": "twice",
         "check": [{"test": "delete", "order": [["Library"], ["Shell"]]}]},
        {"name": "much", "kind": "observation", "text": "", "original": "", "outcome": "not-testable", "why": "unknown",
         "check": [{"test": "delete", "order": [["Shell"], ["Library"]], "at-least": 3}]},
        {"name": "equal", "kind": "observation", "text": "", "original": "", "outcome": "not-testable", "why": "unknown",
         "check": [{"test": "delete", "order": [["Shell", "Library"]]}]},
        {"name": "open", "kind": "advice", "text": "", "original": "", "outcome": "unsupported", "why": "no data"}
    ]
}"#;

/// `ext4` takes 20 ms and 30 ms of sync for work that takes `xfs` 10 ms and 2 ms, or 400 ms through a shell.
fn kept() -> Kept {
    kept_with(|_| {})
}

/// The same, after `change` of the article.
fn kept_with(change: impl FnOnce(&mut Article)) -> Kept {
    let mut kept = Kept::new(workload("w"));
    let mut article: Article = serde_json::from_str(ARTICLE).expect("an article");
    change(&mut article);
    let data = Opaque::new(&article).expect("JSON");
    kept.0.plan.extension = Some(Box::new(Extension { data, scale: Scale::Published, harness: Harness::Both }));
    let mut shell = Vec::new();
    for trial in &mut kept.0.trials {
        let is_ext4 = trial.contender.0 == "ext4";
        let step = |name: &str, millis: u64, sync: Option<u64>| Step {
            name: name.to_owned(),
            operations: 100,
            bytes: 0,
            elapsed: Nanos::millis(millis),
            synced: sync.map(Nanos::millis),
            written: None,
        };
        trial.steps = match is_ext4 {
            true => vec![step("create", 20, Some(30)), step("delete", 5, None)],
            false => vec![step("create", 10, Some(2)), step("delete", 2, None)],
        };
        if !is_ext4 {
            let workload = "w-shell".to_owned();
            shell.push(Trial { workload, steps: vec![step("shell", 400, None)], ..trial.clone() });
        }
    }
    kept.0.trials.extend(shell);
    kept.0.plan.workloads.push(workload("w-shell"));
    kept.0.plan.left_out.push(LeftOut { label: "ext4".into(), workload: "w-shell".to_owned() });
    kept
}

fn reproduction(kept: &Kept) -> Reproduction {
    fsarena_articles::reproduction(&kept.0, &assess(&kept.0)).expect("readable").expect("the plan has an article")
}

fn winner<'a>(reproduction: &'a Reproduction, test: &str) -> &'a Winner {
    reproduction.winners.iter().find(|winner| winner.test == test).expect("it has an order")
}

#[test]
fn each_figure_is_next_to_the_published_one() {
    let reproduction = reproduction(&kept());
    let row = |name: &str| {
        let mut own = reproduction.figures.iter().filter(|figure| figure.test == "create");
        let figure = own.find(|figure| figure.name.as_deref() == Some(name)).expect("there");
        let of = |measured: Option<MeasuredFigure>| measured.map(|one| one.median.round());
        (
            figure.published.clone().map(|(value, _)| value),
            of(figure.as_published),
            of(figure.plainly),
            of(figure.properly),
        )
    };
    assert_eq!(row("Library"), (Some(10.0), Some(20.0), None, Some(50.0)), "it has no shell: once only");
    assert_eq!(row("Shell"), (Some(100.0), Some(400.0), Some(10.0), Some(12.0)));
    assert_eq!(row("Absent"), (Some(5.0), None, None, None), "what cannot be had here is published all the same");
}

#[test]
fn a_speed_up_is_taken_apart_into_its_harness_and_the_rest() {
    let reproduction = reproduction(&kept());
    let factor = &reproduction.factors[0];
    let times = [factor.published, factor.as_published, factor.harness, factor.plainly, factor.properly];
    let rounded = times.map(|times| times.map(|times| (times * 100.0).round() / 100.0));
    assert_eq!(rounded, [Some(10.0), Some(20.0), Some(40.0), Some(0.5), Some(0.24)]);
    let library = reproduction.summaries.iter().find(|row| row.name.as_deref() == Some("Library")).expect("there");
    assert_eq!((library.published, library.properly.map(f64::round)), (Some(10.0), Some(50.0)));
}

#[test]
fn what_was_not_measured_as_published_is_not_measured_otherwise_in_its_place() {
    let mut kept = kept();
    kept.0.plan.extension.as_mut().expect("an article").harness = Harness::Native;
    kept.0.plan.contenders[0].kind = "rsext4".to_owned();
    kept.0.plan.workloads.retain(|workload| workload.name == "w");
    kept.0.trials.retain(|trial| trial.workload == "w");
    kept.0.plan.left_out.clear();
    let reproduction = reproduction(&kept);
    let of = |name: &str| {
        let mut own = reproduction.figures.iter().filter(|figure| figure.test == "create");
        let own = own.find(|figure| figure.contender.as_ref().is_some_and(|label| label.0 == name)).expect("there");
        [own.as_published, own.plainly].map(|it| it.map(|it| it.median.round()))
    };
    assert_eq!(of("ext4"), [Some(20.0), None], "a library has no shell");
    assert_eq!(of("xfs"), [None, Some(10.0)]);
    let factor = &reproduction.factors[0];
    assert_eq!((factor.as_published, factor.harness, factor.plainly), (None, None, Some(0.5)));
    assert_eq!(winner(&reproduction, "create").as_published, Wins::Unknown);
    let remark = |reproduction: &Reproduction| reproduction.remarks.iter().any(|it| it.starts_with("--harness native"));
    assert!(remark(&reproduction), "{:?}", reproduction.remarks);
    assert!(!remark(&self::reproduction(&self::kept())));
}

#[test]
fn a_published_winner_may_lose_here() {
    let reproduction = reproduction(&kept());
    let create = winner(&reproduction, "create");
    assert_eq!(create.published, ["Absent"], "the best there is represented by none");
    assert_eq!(create.properly, Wins::Unknown);
    let delete = winner(&reproduction, "delete");
    assert_eq!(
        (delete.published.as_slice(), delete.as_published, delete.properly),
        (&["Shell".to_owned()][..], Wins::Unknown, Wins::Yes)
    );
    assert_eq!(delete.tau.map(|tau| (tau.tau, tau.low)), Some((1.0, None)), "too few rounds for an interval");
    assert_eq!(reproduction.as_published.map(|tau| (tau.tau, tau.pairs)), Some((1.0, 1)));
    assert_eq!(
        reproduction.properly.map(|tau| (tau.tau, tau.pairs)),
        Some((0.0, 2)),
        "one pair is turned round, one is not"
    );
}

#[test]
fn claims_are_checked_where_they_can_be_and_contradictions_stay() {
    let reproduction = reproduction(&kept());
    let outcomes: Vec<_> = reproduction.claims.iter().map(|claim| (claim.outcome, claim.checked)).collect();
    let expected = [
        (ClaimOutcome::Holds, true),
        (ClaimOutcome::Contradiction, true),
        (ClaimOutcome::DoesNotHold, true),
        (ClaimOutcome::DoesNotHold, true),
        (ClaimOutcome::Unsupported, false),
    ];
    assert_eq!(outcomes, expected);
    assert!(reproduction.claims[0].why.contains("files/s"), "{}", reproduction.claims[0].why);
}

#[test]
fn a_contender_without_durability_represents_none_properly() {
    let reproduction = reproduction(&kept().durable(Durability::Unflushed));
    let library = &reproduction.stand_ins[0];
    let labels = [&library.as_published, &library.properly].map(|label| label.as_ref().map(|label| label.0.as_str()));
    assert_eq!(labels, [Some("ext4"), Some("xfs")]);
    assert!(reproduction.factors.iter().all(|factor| factor.properly.is_none_or(|times| (times - 1.0).abs() < 1e-9)));
}

#[test]
fn smoke_runs_have_no_verdicts() {
    let mut kept = kept();
    let (judged, judged_run) = (reproduction(&kept), assess(&kept.0));
    kept.0.plan.extension.as_mut().expect("an article").scale = Scale::Smoke;
    let (tried, smoke) = (reproduction(&kept), assess(&kept.0));
    assert!(
        !judged_run.judged.verdicts.is_empty() && smoke.judged.verdicts.is_empty() && smoke.judged.standings.is_empty()
    );
    assert!(!judged.winners.is_empty() && tried.winners.is_empty() && tried.as_published.is_none());
    assert!(judged.claims.iter().any(|claim| claim.checked) && tried.claims.iter().all(|claim| !claim.checked));
    assert_eq!(judged.figures, tried.figures, "they are shown all the same");
    assert!(judged_run.run.without_verdicts.is_none());
    assert!(smoke.run.without_verdicts.is_some_and(|why| why.contains("leave out --scale smoke")));
}

#[test]
fn a_contender_out_of_time_ranks_last_and_has_a_note() {
    let mut kept = kept();
    for trial in kept.0.trials.iter_mut().filter(|trial| trial.contender.0 == "xfs") {
        trial.outcome = fsarena_model::Outcome::OutOfTime(Nanos::seconds(60));
        (trial.slices, trial.steps) = (Vec::new(), Vec::new());
    }
    let reproduction = reproduction(&kept);
    let shell = reproduction.figures.iter().find(|one| one.test == "delete" && one.name.as_deref() == Some("Shell"));
    let shell = shell.expect("there");
    assert!(shell.unfinished.properly && shell.properly.is_none() && !shell.unfinished.published, "{shell:?}");
    // The article ranks Shell before Library, but here only Library finished.
    let delete = reproduction.winners.iter().find(|winner| winner.test == "delete").expect("there");
    assert_eq!(delete.properly, Wins::No);
    let order = &reproduction.claims[0];
    assert!(order.checked && order.outcome == ClaimOutcome::DoesNotHold, "{order:?}");
    assert!(order.why.contains("Shell did not finish"), "{}", order.why);
}

#[test]
fn a_single_round_out_of_time_is_not_the_figure_of_the_others() {
    let mut kept = kept();
    let one = kept.0.trials.iter_mut().find(|trial| trial.contender.0 == "xfs").expect("there");
    one.outcome = fsarena_model::Outcome::OutOfTime(Nanos::seconds(60));
    let reproduction = reproduction(&kept);
    let shell = reproduction.figures.iter().find(|one| one.test == "delete" && one.name.as_deref() == Some("Shell"));
    let shell = shell.expect("there");
    assert!(!shell.unfinished.properly && shell.properly.is_some(), "{shell:?}");
}

#[test]
fn a_claim_has_to_hold_at_each_of_its_places() {
    let outcome = |at: &[&str]| {
        let kept = kept_with(|article| {
            let mut sizes = article.tests[1].clone();
            sizes.name = "sizes".to_owned();
            sizes.places = ["delete", "create"].map(str::to_owned).to_vec();
            sizes.properly[0].steps = vec!["{at}".to_owned()];
            article.tests.push(sizes);
            let check = &mut article.claims[0].check[0];
            (check.test, check.at_least) = ("sizes".to_owned(), Some(2.2));
            check.at = at.iter().map(|at| (*at).to_owned()).collect();
        });
        reproduction(&kept).claims.swap_remove(0)
    };
    let everywhere = outcome(&[]);
    assert_eq!(everywhere.outcome, ClaimOutcome::DoesNotHold, "{}", everywhere.why);
    let expected = "sizes at delete: Shell 50000 files/s, Library 20000 files/s; sizes at create: Shell";
    assert!(everywhere.why.contains(expected), "{}", everywhere.why);
    assert_eq!(outcome(&["delete"]).outcome, ClaimOutcome::Holds);
    assert_eq!(outcome(&["create"]).outcome, ClaimOutcome::DoesNotHold);
    assert!(!outcome(&["delete", "elsewhere"]).checked, "there is no figure there");
}

#[test]
fn a_contender_that_takes_no_part_leaves_open_what_only_it_can_decide() {
    let of = |check: Value| {
        let kept = kept_with(|article| {
            article.claims[0].check = serde_json::from_value(check).expect("checks");
        });
        reproduction(&kept).claims.swap_remove(0)
    };
    let open = of(serde_json::json!([{"test": "delete", "order": [["Shell"], ["Library"], ["Absent"]]}]));
    assert!(!open.checked && open.outcome == ClaimOutcome::NotTestable, "{open:?}");
    assert!(
        open.why.starts_with("This run cannot check all of it: Absent takes no part; delete: Shell"),
        "{}",
        open.why
    );
    let refuted = of(serde_json::json!([{"test": "delete", "order": [["Library"], ["Absent"], ["Shell"]]}]));
    assert!(refuted.checked && refuted.outcome == ClaimOutcome::DoesNotHold, "{refuted:?}");
    assert!(refuted.why.contains("(Absent takes no part)"), "{}", refuted.why);
    let alone = of(serde_json::json!([{"test": "delete", "order": [["Absent"]]}]));
    assert!(alone.why.starts_with("This run cannot check it: Absent takes no part."), "{}", alone.why);
}

#[test]
fn a_claim_with_several_checks_needs_all_of_them() {
    let of = |second: Value| {
        let kept = kept_with(|article| {
            let checks = serde_json::json!([{"test": "delete", "order": [["Shell"], ["Library"]]}, second]);
            article.claims[0].check = serde_json::from_value(checks).expect("checks");
        });
        reproduction(&kept).claims.swap_remove(0).outcome
    };
    assert_eq!(of(serde_json::json!({"test": "create", "order": [["Shell"], ["Library"]]})), ClaimOutcome::Holds);
    assert_eq!(of(serde_json::json!({"test": "create", "order": [["Library"], ["Shell"]]})), ClaimOutcome::DoesNotHold);
    assert_eq!(of(serde_json::json!({"test": "delete", "order": [["Shell"], ["Absent"]]})), ClaimOutcome::NotTestable);
}

/// The claim "open", which is unsupported, with this cause, in a run with these explanations.
fn judged(cause: Value, explanations: Value) -> ClaimHere {
    judged_with(cause, explanations, |_| {})
}

/// The same, where the tests have all of the workload and not one of its steps.
fn of_whole(cause: Value, explanations: Value) -> ClaimHere {
    judged_with(cause, explanations, |article| {
        let sources = article.tests.iter_mut().flat_map(|test| test.properly.iter_mut().chain(&mut test.as_published));
        sources.for_each(|source| source.steps.clear());
    })
}

fn judged_with(cause: Value, explanations: Value, change: impl FnOnce(&mut Article)) -> ClaimHere {
    let kept = kept_with(|article| {
        article.claims[4].cause = Some(serde_json::from_value(cause).expect("a cause"));
        change(article);
    });
    let mut comparison = assess(&kept.0);
    comparison.judged.explanations = serde_json::from_value(explanations).expect("explanations");
    let reproduction = fsarena_articles::reproduction(&kept.0, &comparison);
    reproduction.expect("readable").expect("the plan has an article").claims.swap_remove(4)
}

/// Library takes 100 µs more than Shell, of which `lock` µs, with an interval of 10 µs to each side, are waiting for locks.
fn locks(lock: f64, slower: &str, faster: &str) -> Value {
    let part = |activity: Value, micros: f64| {
        let difference = serde_json::json!({"seconds": micros * 1e-6, "low": (micros - 10.0) * 1e-6,
            "high": (micros + 10.0) * 1e-6});
        serde_json::json!({"activity": activity, "slower_seconds": 1.0, "faster_seconds": 1.0, "difference": difference})
    };
    serde_json::json!([{"workload": "w", "slower": slower, "faster": faster, "rounds": 3, "slower_seconds": 2e-4,
        "faster_seconds": 1e-4, "difference": {"seconds": 1e-4, "low": 9e-5, "high": 1.1e-4}, "attributed": 1.0,
        "parts": [part(serde_json::json!({"waiting": "lock"}), lock), part(serde_json::json!("user"), 100.0 - lock)],
        "slower_overhead": null, "faster_overhead": null, "recorded": 0, "lost": 0}])
}

#[test]
fn a_cause_is_decided_by_its_share_of_the_difference() {
    let cause = serde_json::json!({"test": "delete", "slower": "Library", "faster": "Shell",
        "blames": {"activities": [{"waiting": "lock"}, {"waiting": "log-space"}]}});
    let of = |lock: f64| of_whole(cause.clone(), locks(lock, "ext4", "xfs"));
    let holds = of(51.0);
    assert_eq!((holds.outcome, holds.checked), (ClaimOutcome::Holds, true), "{}", holds.why);
    let words = "In this run w: what it blames is 51.0 % [37.3 %, 67.8 %] of the difference. no data";
    assert_eq!(holds.why, words);
    assert_eq!(of(7.9).outcome, ClaimOutcome::DoesNotHold, "17.9 of 90 µs at most");
    for undecided in [8.1, 49.0] {
        let claim = of(undecided);
        assert_eq!((claim.outcome, claim.checked), (ClaimOutcome::Unsupported, false), "{}", claim.why);
        assert!(claim.why.starts_with("This run does not decide it: w: what it blames is "), "{}", claim.why);
    }
    let mut unknown = locks(0.0, "ext4", "xfs");
    unknown[0]["parts"][1]["activity"] = serde_json::json!({"kernel": "other"});
    let unknown = of_whole(cause.clone(), unknown);
    assert!(!unknown.checked, "what is not known may be locks: {}", unknown.why);
    let of_step = judged(cause.clone(), locks(90.0, "ext4", "xfs"));
    assert!(!of_step.checked, "the whole explains no step: {}", of_step.why);
    let turned = of_whole(cause.clone(), locks(90.0, "xfs", "ext4"));
    assert!(!turned.checked && turned.why.contains("w: ext4 is not the slower one"), "{}", turned.why);
    let mut withheld = locks(90.0, "ext4", "xfs");
    withheld[0]["withheld"] = serde_json::json!("the traced slices do not show the difference");
    let withheld = of_whole(cause.clone(), withheld);
    assert!(!withheld.checked && withheld.why.contains("not explained, since the traced slices"), "{}", withheld.why);
    // Without events the time in the kernel is one part, which no cause blames.
    let mut limited = locks(90.0, "ext4", "xfs");
    limited[0]["limited"] = serde_json::json!("only root may record events of the kernel");
    let limited = of_whole(cause.clone(), limited);
    assert!(!limited.checked && limited.why.contains("not divided, since only root"), "{}", limited.why);
    let untraced = of_whole(cause, serde_json::json!([]));
    assert!(!untraced.checked && untraced.why.contains("--explain measures how much"), "{}", untraced.why);
}

#[test]
fn what_the_work_takes_without_a_harness_bounds_its_causes() {
    // Through a shell xfs takes 400 ms for what ext4 does in 20, and in one process 10 ms.
    let cause = |slower: &str, faster: &str| {
        serde_json::json!({"test": "create", "slower": slower, "faster": faster,
            "blames": {"activities": [{"waiting": "commit"}]}})
    };
    let claim = judged(cause("Shell", "Library"), serde_json::json!([]));
    assert_eq!((claim.outcome, claim.checked), (ClaimOutcome::DoesNotHold, true), "{}", claim.why);
    assert!(
        claim.why.contains("create: all that Shell does in one process is 2.6 % of the difference"),
        "{}",
        claim.why
    );
    assert!(!judged(cause("Library", "Shell"), serde_json::json!([])).checked, "it has no harness");
}

#[test]
fn a_cause_is_decided_by_what_an_option_makes() {
    let options = |slower: &str, faster: &str| {
        let cause = serde_json::json!({"test": "delete", "slower": "Library", "faster": "Shell",
            "blames": {"options": {"slower": slower, "faster": faster}}});
        judged(cause, serde_json::json!([]))
    };
    assert_eq!(options("ext4", "xfs").outcome, ClaimOutcome::Holds, "they make all of it");
    let other = options("xfs", "ext4");
    assert_eq!(other.outcome, ClaimOutcome::DoesNotHold, "it makes the opposite: {}", other.why);
    assert!(!options("ext4", "btrfs").checked, "it takes no part");
}

#[test]
fn a_claim_without_support_is_refuted_by_an_order_and_not_confirmed() {
    let with = |order: Value| {
        let check = serde_json::json!([{"test": "delete", "order": order}]);
        let kept = kept_with(|article| article.claims[4].check = serde_json::from_value(check).expect("a check"));
        reproduction(&kept).claims.swap_remove(4)
    };
    let refuted = with(serde_json::json!([["Library"], ["Shell"]]));
    assert_eq!((refuted.outcome, refuted.checked), (ClaimOutcome::DoesNotHold, true), "{}", refuted.why);
    let shown = with(serde_json::json!([["Shell"], ["Library"]]));
    assert_eq!(shown.outcome, ClaimOutcome::Unsupported, "{}", shown.why);
}
