//! What the spread of results and their order in time can show.

use fsarena_judge::{CsvColumns, FindingClass, JudgedReason, Judgement, csv, judge};
use fsarena_model::{Share, Verdict};

/// The judgement on contenders, times in minutes and figures.
fn judged(rows: impl IntoIterator<Item = (String, f64, f64)>) -> Judgement {
    let line = |(name, minutes, value): (String, f64, f64)| format!("{name},{},{value}\n", 60.0 * minutes);
    let text: String = rows.into_iter().map(line).collect();
    let columns = CsvColumns { time: Some("when".to_owned()), ..CsvColumns::of("fs", "mbs") };
    judge(&csv("c", &format!("fs,when,mbs\n{text}"), &columns).expect("well formed"), Share(0.05))
}

/// Normal values by Irwin and Hall, from Knuth's generator (MMIX).
struct Normal(u64);

impl Normal {
    fn next(&mut self) -> f64 {
        let uniform = |state: &mut u64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..12).map(|_| uniform(&mut self.0)).sum::<f64>() - 6.0
    }
}

/// How many of 300 tables of contenders that are equally fast have a winner. Each has a number of runs and a standard
/// deviation; their runs are spread evenly over the same hour.
fn tables_with_a_winner(contenders: &[(u32, f64)]) -> usize {
    let mut normal = Normal(7);
    let mut table = |_: &u32| {
        let mut rows = Vec::new();
        for (place, (runs, deviation)) in contenders.iter().enumerate() {
            for run in 0..*runs {
                let minutes = 60.0 * (f64::from(run) + 0.5) / f64::from(*runs);
                rows.push((format!("c{place}"), minutes, 100.0 * (deviation * normal.next()).exp()));
            }
        }
        let won = [Verdict::Faster, Verdict::Slower];
        judged(rows).pairs.iter().any(|pair| won.contains(&pair.verdict))
    };
    (0..300).filter(|number| table(number)).count()
}

/// 5 % are promised, which are 15 ± 4; of two runs that vary far more than many others, Welch's approximation has 9 %.
#[test]
fn contenders_of_unlike_spread_have_few_false_winners() {
    for contenders in [vec![(10, 0.01), (3, 0.3)], vec![(5, 0.01), (5, 0.3)], vec![(3, 0.01); 4]] {
        let found = tables_with_a_winner(&contenders);
        assert!(found <= 27, "{contenders:?}: {found}");
    }
    let noisy: Vec<(u32, f64)> = (0..9).map(|_| (3, 0.01)).chain([(3, 0.3)]).collect();
    assert!(tables_with_a_winner(&noisy) <= 27, "one noisy contender of ten");
    let few = tables_with_a_winner(&[(20, 0.01), (2, 0.03)]);
    assert!(few <= 40, "{few}");
}

#[test]
fn a_contender_is_judged_by_its_own_spread() {
    let row = |name: &str, minutes: f64, value: f64| (name.to_owned(), minutes, value);
    let steady = (0..20).map(|run| row("ext4", f64::from(run), 100.0 + f64::from(run % 3) - 1.0));
    let wild = [row("xfs", 4.5, 100.0), row("xfs", 14.5, 180.0)];
    let pair = judged(steady.chain(wild)).pairs[0].clone();
    assert_eq!((pair.verdict, pair.reason), (Verdict::Undecided, JudgedReason::Resolution), "{pair:?}");
    assert!(pair.plain_t.is_some_and(|t| (t - 1.0).abs() < 0.01), "{pair:?}");
    // A third contender that varies does not hide a difference of the others.
    let three = (0..4).flat_map(|run| {
        let at = f64::from(run);
        [row("a", at, 100.0 + at), row("b", at + 0.2, 120.0 + at), row("c", at + 0.4, 100.0 + 40.0 * at)]
    });
    assert_eq!(judged(three).pairs[0].verdict, Verdict::Slower);
    // Figures that do not vary at all show nothing, whatever those of a third contender do.
    let flat = (0..4).flat_map(|run| {
        let at = f64::from(run);
        [row("a", at, 100.0), row("b", at + 0.2, 120.0), row("c", at + 0.4, 100.0 + 40.0 * at)]
    });
    assert_eq!(judged(flat).pairs[0].reason, JudgedReason::Clock);
}

/// The judgement on runs in that order, a minute each, of `e` (100) and of other letters (120).
fn in_order(order: &str) -> Judgement {
    judged(order.chars().enumerate().map(|(place, name)| {
        let level = if name == 'e' { 100.0 } else { 120.0 };
        (name.to_string(), place as f64, level + 0.1 * (place * 7 % 11) as f64)
    }))
}

/// Whether a pair ran at the same time, and whether the report says that contenders did not.
fn is_together(judgement: &Judgement, place: usize) -> (bool, bool) {
    let is_confounded = judgement.findings.iter().any(|finding| finding.class == FindingClass::Confounded);
    (judgement.pairs[place].reason != JudgedReason::OtherTimes, !is_confounded)
}

#[test]
fn runs_that_alternate_are_together_and_ends_that_touch_are_not() {
    for order in ["exexex", "exxe", "exexexexxe", "exxeexxe", "eeexxxeee", "exx_exx_exx", "exxexxxexx", "eabcdxeabcdx"]
    {
        assert_eq!(is_together(&in_order(&order.replace('_', "")), 0), (true, true), "{order}");
    }
    for order in ["eeexxx", "eeeeeeeexxxxxxxxe", "xeeeeeeeexxxxxxxx", "eeeeexexexxxxx", "eeeeeeeexexxxxxxx"] {
        assert_eq!(is_together(&in_order(order), 0), (false, false), "{order}");
    }
    // One shared minute.
    let touching = (0..16).map(|run| {
        let name = if run < 8 { "e" } else { "x" };
        (name.to_owned(), f64::from(if run < 8 { run } else { run - 1 }), 100.0 + f64::from(run))
    });
    assert_eq!(is_together(&judged(touching), 0), (false, false));
    // Others that ran with both do not bring them together.
    let bridged = in_order("ebebebebxbxbxbxb");
    let of = |a: &str, b: &str| bridged.pairs.iter().position(|pair| pair.a == a && pair.b == b).expect("a pair");
    let [b_e, b_x, e_x] = [("b", "e"), ("b", "x"), ("e", "x")].map(|(a, b)| is_together(&bridged, of(a, b)).0);
    assert_eq!((b_e, b_x, e_x), (true, true, false));
}
