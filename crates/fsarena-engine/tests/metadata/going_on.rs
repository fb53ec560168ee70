//! Slices that continue where the last one stopped, and trees that another workload left.

use fsarena_engine::Upkeep;
use std::os::unix::fs::MetadataExt;

use super::*;

const TIME: Limit<'static> = Limit { time: Some(Nanos(1_000_000)), stop: &fsarena_engine::NEVER };

fn files(place: &Path) -> usize {
    fs::read_dir(place.join("tree0")).map_or(0, Iterator::count)
}

fn inode(place: &Path) -> u64 {
    fs::metadata(place.join("tree0")).expect("there").ino()
}

#[test]
fn a_slice_makes_further_files_in_the_tree_of_the_last_one_while_there_is_room() {
    let place = place();
    let create = workload("none", json!({ "operation": "create", "files": 1_000_000 }));
    let mut job = engine("files").expect("there").open(&create, place.path(), 7).expect("understood");
    let mut stats = RunStats::new();
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("prepared");
    for slice in 1..=3 {
        job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER).expect("reset");
        job.run(&TIME, &mut stats).expect("done");
        assert_eq!(files(place.path()) as u64, stats.operations, "slice {slice}");
    }
}

#[test]
fn a_tree_that_is_used_up_is_made_again() {
    let place = place();
    let delete = workload("none", json!({ "operation": "delete", "files": 60 }));
    let mut job = engine("files").expect("there").open(&delete, place.path(), 7).expect("understood");
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("prepared");
    for _ in 0..3 {
        job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER).expect("reset");
        assert_eq!(files(place.path()), 60);
        let mut stats = RunStats::new();
        job.run(&Limit { time: None, ..TIME }, &mut stats).expect("done");
        assert_eq!((stats.operations, files(place.path())), (60, 0));
    }
}

#[test]
fn a_tree_that_was_left_is_taken_over_and_not_made_again() {
    let place = place();
    let engine = engine("files").expect("there");
    let stat = workload("none", json!({ "operation": "stat", "files": 500, "size": 10 }));
    let delete = workload("none", json!({ "operation": "delete", "files": 500, "size": 10 }));
    let [left, wanted] =
        [&stat, &delete].map(|workload| engine.traits(workload).expect("sound").files.expect("files in a tree"));
    assert_eq!((&left.description, left.unchanged, wanted.unchanged), (&wanted.description, true, false));
    let mut job = engine.open(&stat, place.path(), 7).expect("understood");
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("prepared");
    let tree = inode(place.path());
    let mut job = engine.open(&delete, place.path(), 7).expect("understood");
    job.upkeep(Upkeep::Adopt, &fsarena_engine::NEVER).expect("taken over");
    job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER).expect("nothing to do");
    assert_eq!((inode(place.path()), files(place.path())), (tree, 500));
    let mut stats = RunStats::new();
    job.run(&Limit { time: None, ..TIME }, &mut stats).expect("done");
    assert_eq!((stats.operations, files(place.path())), (500, 0));
}

#[test]
fn other_trees_are_not_taken_over() {
    let layout =
        |parameters: Value| engine("files").expect("there").traits(&workload("none", parameters)).expect("sound").files;
    let stat = layout(json!({ "operation": "stat", "files": 500 })).expect("files");
    assert_ne!(layout(json!({ "operation": "stat", "files": 501 })), Some(stat.clone()));
    assert_ne!(layout(json!({ "operation": "stat", "files": 500, "size": 1 })), Some(stat));
    assert_eq!(layout(json!({ "operation": "create", "files": 500 })), None);
    assert_eq!(layout(json!({ "operation": "get-xattr", "files": 500 })), None);
}
