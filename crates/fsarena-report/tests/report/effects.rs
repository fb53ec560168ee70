//! What the options of a matrix change, in all reports.

use fsarena_model::comparison::EffectRow;
use fsarena_model::{Comparison, Estimate};

use crate::fixture::fixture;

fn effect(workload: &str, option: (&str, &str, &str), interval: Option<(f64, f64)>) -> EffectRow {
    let (factor, level, base) = option;
    EffectRow {
        workload: workload.to_owned(),
        matrix: "ext4:{,noatime},commit={5,30}".to_owned(),
        factor: factor.to_owned(),
        level: level.to_owned(),
        base: base.to_owned(),
        estimate: Estimate::of(interval.map(|(low, high)| (low * high).sqrt()), interval),
        pairs: 2,
        least: interval.map(|(low, _)| low / 2.0),
        most: interval.map(|(_, high)| high * 2.0),
        reason: if interval.is_some() { String::new() } else { "a / b: create-fsync (did-not-finish)".to_owned() },
    }
}

/// The fixture with a matrix of two options.
pub fn of_matrix() -> Comparison {
    let atime = ("noatime", "noatime", "without");
    let commit = ("commit", "commit=30", "commit=5");
    let effects = vec![
        effect("stat-tree", atime, Some((0.9, 1.2))),
        effect("stat-tree", commit, Some((1.4, 1.6))),
        effect("create-fsync", atime, Some((0.98, 1.01))),
        effect("create-fsync", commit, None),
    ];
    let mut comparison = fixture();
    comparison.judged.effects = effects;
    comparison
}

#[test]
fn every_format_for_people_says_which_option_matters() {
    for format in ["text", "markdown", "html"] {
        let report = crate::rendered(format, &of_matrix()).split_whitespace().collect::<Vec<_>>().join(" ");
        let most =
            "commit: seems to matter in 1 of 2 workloads, most in stat-tree: commit=30 is 1.50× as good as commit=5.";
        let none = "noatime: not shown to matter (2 workloads).";
        let places = [report.find(most), report.find(none)];
        assert!(places[0].is_some() && places[0] < places[1], "{format}: {places:?} {report}");
        assert!(report.contains("0.70× to 3.20×"), "{format}");
        assert!(!crate::rendered(format, &fixture()).contains("Which option matters"), "{format}");
    }
    let mut short = of_matrix();
    for row in &mut short.judged.effects {
        (row.estimate, row.reason) = (Default::default(), "2 rounds, a verdict needs at least 3".to_owned());
    }
    let text = crate::rendered("text", &short);
    assert!(text.contains("commit: not tested: 2 rounds, a verdict needs at least 3."), "{text}");
    let text = crate::rendered("text", &of_matrix());
    let line = |words: &[&str]| text.lines().position(|line| words.iter().all(|word| line.contains(word)));
    let sorted =
        [line(&["stat-tree", "commit=30", "commit=5", "[1.4"]), line(&["stat-tree", "noatime", "without", "[0.9"])];
    assert!(sorted[0].is_some() && sorted[0] < sorted[1], "the largest effect first: {text}");
}
