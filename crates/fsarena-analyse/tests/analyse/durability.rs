//! Contenders of different durability are shown side by side and never ranked with each other.

use fsarena_analyse::assess;
use fsarena_model::comparison::Reason;
use fsarena_model::{Durability, Guarantee, Rounds, Verdict};

use fsarena_fakes::record::Kept;
use fsarena_fakes::{Performance, Play, World, workload};

fn beside_memory() -> Performance {
    let world = World {
        durability: vec![Durability::Flushed, Durability::Volatile, Durability::Flushed],
        ..World::of(&[1000.0, 50_000.0, 2000.0]).noisy(0.01, 1)
    };
    Play::new(&["ext4", "tmpfs", "xfs"], world).perform()
}

#[test]
fn a_pair_of_different_durability_has_no_verdict_no_ratio_and_a_reason() {
    let comparison = beside_memory().comparison();
    let across: Vec<_> =
        comparison.judged.verdicts.iter().filter(|pair| pair.a.0 == "tmpfs" || pair.b.0 == "tmpfs").collect();
    assert_eq!(across.len(), 4);
    for pair in across {
        assert_eq!(
            (pair.verdict, pair.estimate.ratio, pair.estimate.low, pair.decision.low),
            (Verdict::Invalid, None, None, None)
        );
        assert_eq!(pair.reasons, [Reason::Durability]);
    }
}

#[test]
fn a_pair_of_the_same_durability_is_ranked_among_others() {
    let comparison = beside_memory().comparison();
    let within: Vec<_> =
        comparison.judged.verdicts.iter().filter(|pair| pair.a.0 == "ext4" && pair.b.0 == "xfs").collect();
    assert_eq!(within.iter().map(|pair| pair.verdict).collect::<Vec<_>>(), [Verdict::Slower; 2]);
    assert!(within.iter().all(|pair| pair.estimate.ratio.is_some_and(|ratio| (ratio - 0.5).abs() < 0.05)));
}

#[test]
fn every_unordered_pair_has_its_verdict_once_in_command_line_order() {
    let comparison = beside_memory().comparison();
    let names =
        comparison.judged.verdicts.iter().map(|pair| (pair.workload.as_str(), pair.a.0.as_str(), pair.b.0.as_str()));
    let pairs = [("ext4", "tmpfs"), ("ext4", "xfs"), ("tmpfs", "xfs")];
    let wanted = ["create", "append"].into_iter().flat_map(|workload| pairs.map(|(a, b)| (workload, a, b)));
    assert_eq!(names.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
}

#[test]
fn a_contender_that_is_not_ranked_has_its_figures_all_the_same() {
    let comparison = beside_memory().comparison();
    assert_eq!(comparison.cells.len(), 6);
    assert!(comparison.cells.iter().all(|cell| cell.figure.median.is_some() && cell.samples == 4 * cell.rounds));
    assert_eq!(comparison.contenders[1].durability, Some(Durability::Volatile));
}

#[test]
fn only_pairs_that_can_be_decided_keep_a_run_going() {
    assert!((3..12).contains(&beside_memory().rounds().len()));
}

#[test]
fn each_class_is_ranked_within_itself() {
    let (flushed, unflushed) = (Durability::Flushed, Durability::Unflushed);
    let world = World {
        durability: vec![flushed, unflushed, flushed, unflushed],
        ..World::of(&[1000.0, 9000.0, 2000.0, 5000.0]).noisy(0.01, 1)
    };
    let play = Play::new(&["ext4", "a=ext4:nobarrier", "xfs", "b=ext3:barrier=0"], world);
    let comparison = play.with_rounds(Rounds::Exactly(8)).perform().comparison();
    let verdicts = comparison.judged.verdicts[..6].iter().map(|pair| pair.verdict).collect::<Vec<_>>();
    let apart = Verdict::Invalid;
    assert_eq!(verdicts, [apart, Verdict::Slower, apart, apart, Verdict::Faster, apart]);
}

#[test]
fn contenders_of_which_no_two_may_be_ranked_are_measured_often_enough_for_an_interval() {
    let world = World {
        durability: vec![Durability::Flushed, Durability::Volatile],
        ..World::of(&[1000.0, 50_000.0]).noisy(0.01, 1)
    };
    let performance = Play::new(&["ext4", "tmpfs"], world).perform();
    assert_eq!(performance.rounds().len(), 4);
    assert_eq!(performance.verdicts(), [Verdict::Invalid; 2]);
    assert!(performance.comparison().cells.iter().all(|cell| cell.figure.low.is_some()));
}

#[test]
fn different_guarantees_are_with_each_verdict() {
    let kept = Kept::new(workload("create")).guaranteeing(Guarantee::DataChecksums);
    let comparison = assess(&kept.0);
    assert!(comparison.judged.verdicts.iter().all(|pair| pair.guarantees == "ext4 also has data checksums"));
    let apart = assess(&kept.durable(Durability::Volatile).0);
    assert_eq!(apart.judged.verdicts[0].guarantees, "ext4 also has data checksums", "across classes as well");
}

#[test]
fn a_shared_folder_is_named_with_what_follows_and_others_are_not() {
    let mut kept = Kept::new(workload("create"));
    let notes_of = |kept: &Kept| {
        assess(&kept.0).notes.into_iter().filter(|note| note.text.contains("shared folder")).collect::<Vec<_>>()
    };
    assert!(notes_of(&kept).is_empty());
    kept.0.contenders[1].shared_folder = Some("a shared folder of VirtualBox (vboxsf): the host decides".to_owned());
    let notes = notes_of(&kept);
    let text = "xfs is a shared folder of VirtualBox (vboxsf): the host decides";
    assert_eq!(notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>(), [text]);
}
