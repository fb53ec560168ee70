//! What the spread of results and their order in time can show.

use fsarena_judge::{CsvColumns, File, FindingClass, JudgedReason, Judgement, judge, report, table};
use fsarena_model::{Share, Verdict};

/// The judgement on a table with the contenders `fs`, the figures `mbs` and these columns.
fn of_table(text: &str, columns: CsvColumns) -> Judgement {
    let columns = CsvColumns { contender: Some("fs".to_owned()), figures: vec!["mbs".to_owned()], ..columns };
    let file = File { label: "c", name: "c", text, is_labelled: false };
    judge(&table(&file, &columns).expect("well formed"), Share(0.05))
}

/// The judgement on contenders, times in minutes and figures.
fn judged(rows: impl IntoIterator<Item = (String, f64, f64)>) -> Judgement {
    let line = |(name, minutes, value): (String, f64, f64)| format!("{name},{},{value}\n", 60.0 * minutes);
    let text: String = rows.into_iter().map(line).collect();
    let columns = CsvColumns { time: Some("when".to_owned()), ..CsvColumns::default() };
    of_table(&format!("fs,when,mbs\n{text}"), columns)
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

/// Runs may be fast or slow, by 20 %: in two or three of them a contender may show one mode only. Judged by themselves,
/// 2 of 3 tables had a winner.
#[test]
fn workloads_lend_each_other_what_they_show_of_the_noise() {
    let mut normal = Normal(9);
    let mut has_winner = |_: &u32| {
        let mut table = "fs,test,when,mbs\n".to_owned();
        for minute in 0..3 * 3 * 20 {
            let (name, test) = (["a", "b", "c"][minute % 3], minute / 3 % 20);
            let mode = if normal.next() > 0.0 { 1.2 } else { 1.0 };
            table += &format!("{name},t{test},{minute},{}\n", 100.0 * mode * (0.01 * normal.next()).exp());
        }
        let (work, time) = (vec!["test".to_owned()], Some("when".to_owned()));
        let judgement = of_table(&table, CsvColumns { work, time, ..CsvColumns::default() });
        judgement.pairs.iter().any(|pair| [Verdict::Faster, Verdict::Slower].contains(&pair.verdict))
    };
    let found = (0..100).filter(|number| has_winner(number)).count();
    assert!(found <= 8, "{found} of 100");
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
    for order in ["exexex", "exxe", "exexexexxe", "exxeexxe", "exx_exx_exx", "exxexxexx", "eabcdxeabcdx"] {
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

/// What is found of a table, whose rows have a contender, a host, a figure and maybe a time.
fn hosts(rows: &[(&str, &str, f64)], has_times: bool) -> Judgement {
    let line = |(place, (name, host, value)): (usize, &(&str, &str, f64))| format!("{name},{host},{value},{place}\n");
    let text: String = rows.iter().enumerate().map(line).collect();
    let (host, time) = (Some("vm".to_owned()), has_times.then(|| "when".to_owned()));
    of_table(&format!("fs,vm,mbs,when\n{text}"), CsvColumns { host, time, ..CsvColumns::default() })
}

#[test]
fn blocks_of_runs_are_the_repetitions() {
    let confounded = |judgement: &Judgement| {
        let own = judgement.findings.iter().filter(|finding| finding.class == FindingClass::Confounded);
        own.map(|finding| finding.text.clone()).collect::<Vec<_>>().join("; ")
    };
    // Five runs each in turn show 20 %; two blocks each show as much as two runs.
    assert_eq!(in_order("exexexexex").pairs[0].verdict, Verdict::Slower);
    let drifting = |order: &str| {
        let mut level = 0.0;
        let mut last = ' ';
        judged(order.chars().enumerate().map(|(place, name)| {
            level += if name == last { 0.0 } else { [7.0, -3.0, 2.0, -9.0][place % 4] };
            last = name;
            let own = if name == 'e' { 100.0 } else { 110.0 };
            (name.to_string(), place as f64, own + level + 0.1 * (place * 7 % 11) as f64)
        }))
    };
    let blocks = drifting("eeeeexxxxxeeeeexxxxx");
    assert_eq!((blocks.pairs[0].verdict, blocks.pairs[0].reason), (Verdict::Undecided, JudgedReason::Resolution));
    assert!(confounded(&blocks).starts_with("e and x took turns in blocks of up to 5 runs"), "{blocks:?}");
    // Two runs each time are blocks, too; in an order that is turned round each time, or at random, they are not.
    let found = ["eexxeexx", "eexxeexxeexex", "eexxeexxe", "exexeexx", "exexxeex", "eexxexxee"]
        .map(|order| confounded(&in_order(order)).contains("in blocks of up to 2 runs"));
    assert_eq!(found, [true, false, true, false, false, true]);
    // A single block is no repetition.
    let single = in_order("eeexxxeee");
    assert_eq!(single.pairs[0].reason, JudgedReason::NoRepetition);
    assert!(fsarena_report::markdown(report(&single, "0.0.0")).contains("faster. Confounded: e and x took turns"));
    assert_eq!(confounded(&in_order("exxeexxe")), "");
    // Others between the runs of a block do not interrupt it.
    let third = in_order("ebebebxbxbxbebebebxbxbxb");
    let pair = third.pairs.iter().find(|pair| pair.a == "e" && pair.b == "x").expect("a pair");
    assert!(confounded(&third).contains("e and x took turns in blocks of up to 3 runs"), "{pair:?}");
}

/// Blocks of two and of three runs whose levels vary by 10 %, and the runs within them by 1 %.
#[test]
fn levels_of_blocks_make_few_false_winners() {
    let mut normal = Normal(13);
    let mut has_winner = |blocks: usize, length: usize| {
        let mut level = 0.0;
        let runs = (0..2 * blocks * length).map(|run| {
            if run % length == 0 {
                level = 0.1 * normal.next();
            }
            let name = if (run / length).is_multiple_of(2) { "e" } else { "x" };
            (name.to_owned(), run as f64, 100.0 * (level + 0.01 * normal.next()).exp())
        });
        [Verdict::Faster, Verdict::Slower].contains(&judged(runs).pairs[0].verdict)
    };
    for (blocks, length) in [(2, 2), (5, 2), (3, 3)] {
        let won = (0..300).filter(|_| has_winner(blocks, length)).count();
        assert!(won <= 24, "{won} of 300 with {blocks} blocks of {length}");
    }
}

#[test]
fn hosts_are_compared_one_by_one_without_times_too() {
    let level = |host: &str| if host == "h1" { 100.0 } else { 200.0 };
    let runs = |name: &'static str, host: &'static str, count: usize| {
        (0..count).map(move |run| (name, host, level(host) + [1.0, -1.0, 0.0][run % 3]))
    };
    let unequal: Vec<_> = runs("ext4", "h1", 9)
        .chain(runs("xfs", "h2", 9))
        .chain(runs("ext4", "h2", 3))
        .chain(runs("xfs", "h1", 3))
        .collect();
    let pair = &hosts(&unequal, false).pairs[0];
    assert_eq!((pair.verdict, pair.reason), (Verdict::Undecided, JudgedReason::OtherTimes));
    assert!(pair.estimate.ratio.is_some_and(|ratio| (ratio - 1.0).abs() < 0.01), "{pair:?}");
    // A third contender on both hosts does not make them one.
    let linked = (0..4).flat_map(|run| {
        let deviation = f64::from(run % 3);
        [("ext4", "h1", 100.0), ("btrfs", "h1", 80.0), ("xfs", "h2", 200.0), ("btrfs", "h2", 160.0)]
            .map(|(name, host, rate)| (name, host, rate + deviation))
    });
    let linked = hosts(&linked.collect::<Vec<_>>(), true);
    let found: Vec<_> = linked.pairs.iter().map(|pair| (pair.a.as_str(), pair.b.as_str(), pair.reason)).collect();
    use JudgedReason::{Confounded, None};
    assert_eq!(found, [("btrfs", "ext4", None), ("btrfs", "xfs", None), ("ext4", "xfs", Confounded)]);
    assert!(linked.findings.iter().any(|it| it.text.contains("these differ: host (ext4: h1, xfs: h2)")), "{linked:?}");
}

#[test]
fn two_hosts_that_contradict_each_other_show_no_winner() {
    let in_turn = |[first, second]: [f64; 2]| {
        let runs = (0..5).flat_map(|run| {
            let deviation = [0.3, -1.1, 0.8, -0.2, 1.2][run];
            [("ext4", "h1", 100.0 * first), ("xfs", "h1", 100.0), ("ext4", "h2", 200.0 * second), ("xfs", "h2", 200.0)]
                .map(|(name, host, rate)| (name, host, rate + deviation))
        });
        let pair = hosts(&runs.collect::<Vec<_>>(), true).pairs[0].clone();
        (pair.verdict, pair.reason)
    };
    assert_eq!(in_turn([1.3, 0.9]), (Verdict::Undecided, JudgedReason::Resolution));
    assert_eq!(in_turn([1.3, 1.05]), (Verdict::Undecided, JudgedReason::Resolution));
    assert_eq!(in_turn([1.15, 1.15]), (Verdict::Faster, JudgedReason::None));
}

#[test]
fn hosts_on_which_contenders_differ_by_chance_have_few_false_winners() {
    let mut normal = Normal(11);
    let with_a_winner = |count: usize, normal: &mut Normal| {
        let names: Vec<String> = (0..count).map(|host| format!("h{host}")).collect();
        let mut rows: Vec<Vec<(&str, &str, f64)>> = vec![Vec::new(); 10];
        for host in &names {
            let gains = [normal.next(), normal.next()].map(|it| 0.03 * it);
            for (run, row) in rows.iter_mut().enumerate() {
                let mut pair = ["e", "x"];
                pair.rotate_left(run % 2);
                let of = |name| 100.0 * (gains[usize::from(name == "x")] + 0.02 * normal.next()).exp();
                row.extend(pair.map(of).into_iter().zip(pair).map(|(value, name)| (name, host.as_str(), value)));
            }
        }
        let judgement = hosts(&rows.concat(), true);
        [Verdict::Faster, Verdict::Slower].contains(&judgement.pairs[0].verdict)
    };
    for count in [2, 3] {
        let won = (0..300).filter(|_| with_a_winner(count, &mut normal)).count();
        assert!(won <= 24, "{won} of 300 with {count} hosts");
    }
}

#[test]
fn what_is_compared_has_to_be_repeated_where_it_is_compared() {
    let xfs = [1000.0, 1010.0, 990.0, 1005.0].map(|rate| ("xfs", "h1", rate));
    let reason = |more: &[(&'static str, &'static str, f64)]| hosts(&[&xfs, more].concat(), false).pairs[0].reason;
    assert_eq!(reason(&[("ext4", "h1", 700.0), ("ext4", "h9", 1100.0)]), JudgedReason::NoRepetition);
    assert_eq!(reason(&[("ext4", "h1", 700.0), ("ext4", "h1", 702.0)]), JudgedReason::OtherTimes);
    // Rows of one time are of one run.
    let twice = |minutes: [f64; 4]| {
        let [first, second, third, fourth] = minutes;
        let run = |name: &str, time, value| (name.to_owned(), time, value);
        let pair = |time, name: &str, value| [run(name, time, value), run(name, time, value + 1.0)];
        let rows =
            [pair(first, "e", 100.0), pair(second, "x", 120.0), pair(third, "e", 110.0), pair(fourth, "x", 132.0)];
        let at_once = judged(rows.concat());
        let apart = judged(
            rows.concat()
                .into_iter()
                .enumerate()
                .map(|(row, (name, time, value))| (name, time + 2.5 * (row % 2) as f64, value)),
        );
        [at_once, apart].map(|judgement| judgement.pairs[0].verdict)
    };
    assert_eq!(twice([0.0, 1.0, 2.0, 3.0]), [Verdict::Undecided, Verdict::Slower]);
}

/// The pair of a table with ten runs of each of two contenders in turn on each day.
fn on_days(days: usize, mut figure: impl FnMut(usize, &str) -> f64) -> (Verdict, JudgedReason) {
    let runs = (0..days).flat_map(|day| (0..10).map(move |run| (day, run)));
    let of = |(day, run): (usize, usize)| {
        let mut pair = ["e", "x"];
        pair.rotate_left(run % 2);
        let minute = |place| (1440 * day + 2 * run + place) as f64;
        [0, 1].map(|place| (pair[place].to_owned(), minute(place), figure(day, pair[place])))
    };
    let pair = &judged(runs.flat_map(of).collect::<Vec<_>>()).pairs[0];
    (pair.verdict, pair.reason)
}

#[test]
fn days_on_which_contenders_differ_by_chance_have_few_false_winners() {
    for days in [2, 4] {
        let has_winner = |seed: &u64| {
            let mut normal = Normal(1000 * seed + days as u64);
            let gains: Vec<[f64; 2]> = (0..days).map(|_| [0; 2].map(|_| 0.03 * normal.next())).collect();
            let figure =
                |day: usize, name: &str| 100.0 * (gains[day][usize::from(name == "x")] + 0.02 * normal.next()).exp();
            [Verdict::Faster, Verdict::Slower].contains(&on_days(days, figure).0)
        };
        let won = (0..300).filter(has_winner).count();
        assert!(won <= 24, "{won} of 300 with {days} days");
    }
}

#[test]
fn what_a_day_does_to_both_contenders_is_no_noise_of_their_difference() {
    let mut normal = Normal(3);
    let figure = |day: usize, name: &str| {
        let level = [100.0, 60.0, 90.0, 75.0][day];
        level * if name == "x" { 1.06 } else { 1.0 } * (0.01 * normal.next()).exp()
    };
    assert_eq!(on_days(4, figure), (Verdict::Slower, JudgedReason::None));
}
