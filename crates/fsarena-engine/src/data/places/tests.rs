//! Places by pattern and distribution.

use std::collections::BTreeMap;

use fsarena_model::seed::generator;
use serde_json::json;

use super::*;

fn places(mut parameters: serde_json::Value) -> FileParts {
    let defaults = json!({ "operation": "read", "file-size": 1 << 20, "block-size": 4096 });
    for (key, value) in defaults.as_object().expect("an object") {
        parameters.as_object_mut().expect("an object").entry(key).or_insert(value.clone());
    }
    let parameters: DataParameters = serde_json::from_value(parameters).expect("understood");
    FileParts::new(&parameters, generator(1, "offsets", &[]), None)
}

fn all(places: &mut FileParts) -> Vec<(u32, u64)> {
    std::iter::from_fn(|| places.next()).take(100_000).map(|place| (place.file, place.offset)).collect()
}

/// How often each of the 256 blocks is visited, the most visited first.
fn visits(parameters: serde_json::Value) -> Vec<usize> {
    let mut visits: BTreeMap<u64, usize> = BTreeMap::new();
    for (_, offset) in all(&mut places(parameters)) {
        assert!(offset.is_multiple_of(4096) && offset < 1 << 20);
        *visits.entry(offset).or_default() += 1;
    }
    let mut counts: Vec<usize> = visits.into_values().collect();
    counts.sort_unstable_by(|one, other| other.cmp(one));
    counts
}

#[test]
fn sequential_work_goes_through_all_files_and_ends() {
    let mut two = places(json!({ "pattern": "sequential", "file-size": 12_288, "files": 2 }));
    let expected = [(0, 0), (0, 4096), (0, 8192), (1, 0), (1, 4096), (1, 8192)];
    assert_eq!(all(&mut two), expected);
    two.rewind();
    assert_eq!(all(&mut two).len(), 6);
}

#[test]
fn repeats_begin_again() {
    let mut repeated = places(json!({ "pattern": "sequential", "file-size": 8192, "repeat": true }));
    assert_eq!(repeated.next().map(|place| place.offset), Some(0));
    assert_eq!(repeated.next().map(|place| place.offset), Some(4096));
    assert_eq!(repeated.next().map(|place| place.offset), Some(0));
}

#[test]
fn uniform_work_visits_all_alike() {
    let counts = visits(json!({ "pattern": "random" }));
    assert_eq!(counts.len(), 256);
    assert!(counts[0] < 500 && counts[255] > 290, "{counts:?}");
}

#[test]
fn each_once_before_any_again() {
    let counts = visits(json!({ "pattern": "random", "distribution": "once", "operations": 512 }));
    assert_eq!(counts, vec![2; 256]);
}

#[test]
fn zipf_is_as_uneven_as_it_says() {
    let zipf = visits(json!({ "pattern": "random", "distribution": "zipf" }));
    let expected = 100_000.0 / (1..=256).map(|rank| f64::from(rank).powf(-SKEW)).sum::<f64>();
    assert!((zipf[0] as f64 / expected - 1.0).abs() < 0.05, "{} of {expected}", zipf[0]);
    assert!((zipf[3] as f64 / expected - 4_f64.powf(-SKEW)).abs() < 0.02, "{}", zipf[3]);
}

#[test]
fn the_hottest_place_is_not_the_first() {
    let mut zipf = places(json!({ "pattern": "random", "distribution": "zipf" }));
    let first = all(&mut zipf).iter().filter(|(_, offset)| *offset == 0).count();
    assert!(first < 20_000, "{first}");
}

#[test]
fn random_work_is_in_all_files() {
    let parameters = json!({ "pattern": "random", "files": 3, "operations": 1000 });
    let all = all(&mut places(parameters));
    assert!(all.len() == 1000 && all.iter().all(|(file, offset)| *file < 3 && *offset < 1 << 20));
    let files: std::collections::BTreeSet<u32> = all.iter().map(|(file, _)| *file).collect();
    assert_eq!(files.len(), 3);
}

#[test]
fn every_number_occurs_once_and_out_of_order() {
    for count in [1, 2, 3, 7, 64, 1000, 4097] {
        let permutation = Permutation::new(count, 7);
        let mut numbers: Vec<u64> = (0..count).map(|number| permutation.of(number)).collect();
        if count > 60 {
            assert!(numbers.iter().zip(0..).filter(|(one, other)| **one == *other).count() < 10);
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (0..count).collect::<Vec<_>>());
    }
    assert_ne!(Permutation::new(1000, 1).of(5), Permutation::new(1000, 2).of(5));
}
