//! Weighted means over a suite, and where their best would be another.

use fsarena_stats::{Decision, Lead, PairDecision, Precision, SuiteRatio, flips};
use proptest::prelude::*;

fn pair(estimate: f64, error: f64, freedom: f64) -> PairDecision {
    PairDecision {
        a: 0,
        b: 1,
        estimate: Some(estimate),
        precision: Some(Precision { error, freedom }),
        pointwise: None,
        decision: None,
        verdict: Decision::Undecided,
        rounds: 5,
        needs_rounds: None,
    }
}

fn pairs() -> impl Strategy<Value = Vec<(f64, PairDecision)>> {
    let one = (0.01..10.0_f64, -3.0..3.0_f64, 0.001..0.5_f64, 2.0..60.0_f64);
    proptest::collection::vec(
        one.prop_map(|(weight, estimate, error, freedom)| (weight, pair(estimate, error, freedom))),
        1..9,
    )
}

fn leads() -> impl Strategy<Value = (Vec<Lead>, f64)> {
    let lead = (-2.0..2.0_f64, -2.0..2.0_f64).prop_map(|(within, elsewhere)| Lead { within, elsewhere });
    let all = (proptest::collection::vec(lead, 1..6), 0.001..0.999_f64);
    // Who is best leads everybody: rivals that it does not lead are turned round.
    all.prop_map(|(leads, share)| {
        let turned = |lead: &Lead| match lead.at(share) < 0.0 {
            true => Lead { within: -lead.within, elsewhere: -lead.elsewhere },
            false => *lead,
        };
        (leads.iter().map(turned).collect(), share)
    })
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * (1.0 + one.abs().max(other.abs()))
}

proptest! {
    #[test]
    fn all_weight_on_one_workload_gives_its_own_ratio(all in pairs(), at in 0..8_usize) {
        let at = at % all.len();
        let nearly = all.iter().enumerate().map(|(index, (_, pair))| (if index == at { 1.0 } else { 1e-15 }, *pair));
        let mean = SuiteRatio::weighted(&nearly.collect::<Vec<_>>()).expect("known");
        let (own, precision) = (all[at].1.estimate.expect("known"), all[at].1.precision.expect("known"));
        prop_assert!(close(mean.estimate, own));
        prop_assert!(close(mean.precision.error, precision.error) && close(mean.precision.freedom, precision.freedom));
    }

    #[test]
    fn equal_weights_are_the_suites_mean_whatever_they_add_up_to(all in pairs(), weight in 0.01..100.0_f64) {
        let equal: Vec<_> = all.iter().map(|(_, pair)| (weight, *pair)).collect();
        let plain = SuiteRatio::new(&all.iter().map(|(_, pair)| *pair).collect::<Vec<_>>()).expect("known");
        let mean = SuiteRatio::weighted(&equal).expect("known");
        prop_assert!(close(mean.estimate, plain.estimate) && close(mean.precision.error, plain.precision.error));
    }

    #[test]
    fn contenders_in_the_other_order_give_the_inverse(all in pairs()) {
        let swapped: Vec<_> = all
            .iter()
            .map(|(weight, pair)| (*weight, PairDecision { estimate: pair.estimate.map(|ratio| -ratio), ..*pair }))
            .collect();
        let (one, other) = (SuiteRatio::weighted(&all).expect("known"), SuiteRatio::weighted(&swapped).expect("known"));
        let (one, other) = ((one.estimate.exp(), one.interval(0.05).ratios()), (other.estimate.exp(), other.interval(0.05).ratios()));
        prop_assert!(close(one.0 * other.0, 1.0) && close(one.1.0 * other.1.1, 1.0) && close(one.1.1 * other.1.0, 1.0));
    }

    #[test]
    fn what_is_unknown_in_one_workload_is_unknown(all in pairs(), at in 0..8_usize) {
        let mut all = all;
        let at = at % all.len();
        all[at].1.precision = None;
        prop_assert_eq!(SuiteRatio::weighted(&all), None);
    }

    #[test]
    fn at_a_flip_both_are_level_and_before_it_nobody_leads((leads, share) in leads(), between in 0.0..1.0_f64) {
        for flip in flips(&leads, share).into_iter().flatten() {
            prop_assert!(leads[flip.to].at(flip.at).abs() < 1e-9);
            let before = share + (flip.at - share) * between;
            prop_assert!(leads.iter().all(|lead| lead.at(before) > -1e-9), "{flip:?}");
        }
    }

    #[test]
    fn where_there_is_no_flip_the_best_stays_the_best((leads, share) in leads(), weight in 0.0..1.0_f64) {
        let [below, above] = flips(&leads, share);
        let is_tried = if weight < share { below.is_none() } else { above.is_none() };
        prop_assume!(is_tried);
        prop_assert!(leads.iter().all(|lead| lead.at(weight) > -1e-9));
    }
}

#[test]
fn a_flip_is_where_it_should_be() {
    let leads = [
        Lead { within: 1.0, elsewhere: -1.0 },
        Lead { within: -0.5, elsewhere: 3.0 },
        Lead { within: 1.0, elsewhere: 1.0 },
    ];
    let [below, above] = flips(&leads, 0.7).map(|flip| flip.expect("there"));
    assert_eq!((below.to, above.to), (0, 1));
    assert!(close(below.at, 0.5) && close(above.at, 3.0 / 3.5));
    assert_eq!(flips(&leads[2..], 0.7), [None, None]);
}
