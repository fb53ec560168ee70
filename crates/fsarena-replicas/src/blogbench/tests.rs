//! Checks the names, sizes and counts of the files that a run leaves.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use super::ENGINE;
use super::visitor::{ARTICLE, COMMENT, MOST, PICTURE};
use fsarena_engine::{Limit, RunStats, Upkeep};
use fsarena_testing::parameterised;

fn blog(parameters: serde_json::Value, place: &Path) -> RunStats {
    let mut job = ENGINE.open(&parameterised("blogbench", "none", "warm", parameters), place, 7).expect("opened");
    let (mut stats, stop) = (RunStats::new(), AtomicBool::new(false));
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("prepared");
    job.upkeep(Upkeep::Reset, &fsarena_engine::NEVER).expect("made again");
    job.run(&Limit::new(None, &stop), &mut stats).expect("worked");
    stats
}

/// The sizes of all files of all blogs by kind and number.
fn found(place: &Path) -> Vec<BTreeMap<(String, u64), u64>> {
    let blogs = fs::read_dir(place.join("scratch")).expect("listed").map(|entry| entry.expect("an entry").path());
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().expect("a name");
        let (kind, rest) = name.split_once('-').expect("KIND-NUMBER.SUFFIX");
        let (number, suffix) = rest.split_once('.').expect("a suffix");
        assert_eq!(suffix, if kind == "picture" { "jpg" } else { "xml" }, "{name}");
        ((kind.to_owned(), number.parse().expect("a number")), entry.metadata().expect("known").len())
    };
    let files = |blog| fs::read_dir(blog).expect("listed").map(|entry| file(entry.expect("an entry"))).collect();
    blogs.map(files).collect()
}

fn reported(stats: &RunStats, name: &str) -> f64 {
    stats.reported.iter().find(|(probe, _)| probe.id == name).expect("reported").1
}

#[test]
fn writers_alone_leave_whole_blogs_and_no_more_than_the_most() {
    let place = tempfile::tempdir().expect("temporary folder");
    let alone = json!({ "most-blogs": 5, "rewriters": 0, "commenters": 0, "readers": 0 });
    let stats = blog(alone, place.path());
    let blogs = found(place.path());
    assert_eq!((blogs.len(), stats.operations, reported(&stats, "blogbench.writes")), (5, 5, 5.0));
    for blog in &blogs {
        for (kind, sizes) in [("article", ARTICLE), ("picture", PICTURE)] {
            let own: Vec<_> = blog.iter().filter(|((of, _), _)| of == kind).collect();
            let numbers: Vec<u64> = own.iter().map(|((_, number), _)| *number).collect();
            assert_eq!(numbers, (1..=own.len() as u64).collect::<Vec<_>>(), "none is left out");
            assert!((1..=MOST as usize).contains(&own.len()));
            assert!(own.iter().all(|(_, size)| sizes.contains(size)));
        }
    }
    let bytes: u64 = blogs.iter().flat_map(BTreeMap::values).sum();
    assert_eq!(stats.steps[0].bytes, bytes);
    assert_eq!(stats.steps.iter().map(|step| step.name.as_str()).collect::<Vec<_>>(), ["writes", "reads"]);
}

#[test]
fn a_site_at_work_is_written_changed_commented_on_and_read() {
    let place = tempfile::tempdir().expect("temporary folder");
    // Each writer makes thousands of files. A reader reads about a hundred files per blog.
    let stats = blog(json!({ "most-blogs": 120, "seconds": 60, "readers": 10, "rest-ms": 1 }), place.path());
    let all: Vec<_> = found(place.path()).into_iter().flatten().collect();
    let sizes = |kind: &str| -> Range<u64> {
        match kind {
            "article" => ARTICLE,
            "picture" => PICTURE,
            _ => COMMENT,
        }
    };
    assert!(all.iter().all(|((kind, number), size)| sizes(kind).contains(size) && (1..=MOST).contains(number)));
    assert!(all.iter().any(|((kind, _), _)| kind == "comment"));
    for name in ["blogbench.writes", "blogbench.reads", "blogbench.rewrites", "blogbench.comments"] {
        assert!(reported(&stats, name) > 0.0, "{name}");
    }
    assert_eq!(stats.steps[0].operations as f64, reported(&stats, "blogbench.writes"));
}
