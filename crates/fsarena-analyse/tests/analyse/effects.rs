//! What the options of a matrix change.

use fsarena_model::comparison::EffectRow;
use fsarena_model::{Comparison, Matrix, Rounds};

use fsarena_fakes::{Effect, Play, World};

/// Two kinds with and without an option, at these rates: `ext4`, `ext4:noatime`, `xfs`, `xfs:noatime`.
fn play(rates: [f64; 4]) -> Play {
    let (matrix, contenders) = Matrix::parse("{ext4,xfs}:{,noatime}").expect("sound");
    let labels: Vec<&str> = contenders.iter().map(|contender| contender.label.0.as_str()).collect();
    let mut play = Play::new(&labels, World::of(&rates).noisy(0.01, 1)).with_rounds(Rounds::Exactly(6));
    play.plan.arguments.matrices = vec![matrix];
    play
}

fn row<'a>(comparison: &'a Comparison, level: &str) -> &'a EffectRow {
    let is_it = |row: &&EffectRow| row.workload == "create" && row.level == level;
    comparison.judged.effects.iter().find(is_it).expect("a row")
}

#[test]
fn an_effect_is_the_mean_over_the_other_options() {
    let comparison = play([1000.0, 2000.0, 3000.0, 24_000.0]).perform().comparison();
    let levels: Vec<_> =
        comparison.judged.effects.iter().map(|row| (row.workload.as_str(), row.level.as_str())).collect();
    assert_eq!(levels, [("create", "xfs"), ("create", "noatime"), ("append", "xfs"), ("append", "noatime")]);
    let (kind, option) = (row(&comparison, "xfs"), row(&comparison, "noatime"));
    assert_eq!((kind.base.as_str(), option.base.as_str(), option.pairs), ("ext4", "without", 2));
    for (row, mean, least, most) in [(kind, 6.0, 3.0, 12.0), (option, 4.0, 2.0, 8.0)] {
        let near = |value: Option<f64>, wanted: f64| value.is_some_and(|value| (value / wanted - 1.0).abs() < 0.02);
        assert!(near(row.estimate.ratio, mean) && near(row.least, least) && near(row.most, most), "{row:?}");
        assert!(
            row.estimate.low < row.estimate.ratio
                && row.estimate.ratio < row.estimate.high
                && row.estimate.low > Some(mean * 0.95),
            "{row:?}"
        );
    }
    let command = comparison.run.command.join(" ");
    assert!(command.starts_with("fsarena compare --matrix {ext4,xfs}:{,noatime} --workload"), "{command}");
}

#[test]
fn an_effect_without_all_of_its_contenders_has_a_reason_instead() {
    let mut play = play([1000.0, 2000.0, 3000.0, 6000.0]);
    play.world = play.world.trap(Effect::Fail, 2, 2, "run xfs:noatime create for 100 ms");
    let comparison = play.perform().comparison();
    let broken = row(&comparison, "noatime");
    assert!(broken.estimate.ratio.is_none() && broken.least.is_none(), "{broken:?}");
    assert!(broken.reason.contains("xfs / xfs:noatime") && broken.reason.contains("did-not-finish"), "{broken:?}");
    assert!(
        comparison.judged.effects.iter().filter(|row| row.workload == "append").all(|row| row.estimate.ratio.is_some())
    );
}
