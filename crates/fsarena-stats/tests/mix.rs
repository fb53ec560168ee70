//! Mixes at which another contender would be best.

use fsarena_stats::{Lead, flips};
use proptest::prelude::*;

/// The lead over the whole mix, if the part has this weight.
fn at(lead: &Lead, weight: f64) -> f64 {
    weight * lead.within + (1.0 - weight) * lead.elsewhere
}

fn leads() -> impl Strategy<Value = (Vec<Lead>, f64)> {
    let lead = (-2.0..2.0_f64, -2.0..2.0_f64).prop_map(|(within, elsewhere)| Lead { within, elsewhere });
    let all = (proptest::collection::vec(lead, 1..6), 0.001..0.999_f64);
    // The best contender leads all rivals: a negative lead gets the opposite sign.
    all.prop_map(|(leads, share)| {
        let turned = |lead: &Lead| match at(lead, share) < 0.0 {
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
    fn at_a_flip_both_are_level_and_before_it_no_other_leads((leads, share) in leads(), between in 0.0..1.0_f64) {
        for flip in flips(&leads, share).into_iter().flatten() {
            prop_assert!(at(&leads[flip.to], flip.at).abs() < 1e-9);
            let before = share + (flip.at - share) * between;
            prop_assert!(leads.iter().all(|lead| at(lead, before) > -1e-9), "{flip:?}");
        }
    }

    #[test]
    fn where_there_is_no_flip_the_best_stays_the_best((leads, share) in leads(), weight in 0.0..1.0_f64) {
        let [below, above] = flips(&leads, share);
        let is_tried = if weight < share { below.is_none() } else { above.is_none() };
        prop_assume!(is_tried);
        prop_assert!(leads.iter().all(|lead| at(lead, weight) > -1e-9));
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
