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

fn all(places: &mut FileParts) -> Vec<(u32, u64, usize)> {
    std::iter::from_fn(|| places.next()).take(100_000).map(|place| (place.file, place.offset, place.length)).collect()
}

/// How often each of the 256 blocks is visited, the most visited first.
fn visits(parameters: serde_json::Value) -> Vec<usize> {
    let mut visits: BTreeMap<u64, usize> = BTreeMap::new();
    for (_, offset, length) in all(&mut places(parameters)) {
        assert!(offset.is_multiple_of(4096) && offset + length as u64 <= 1 << 20);
        *visits.entry(offset).or_default() += 1;
    }
    let mut counts: Vec<usize> = visits.into_values().collect();
    counts.sort_unstable_by(|one, other| other.cmp(one));
    counts
}

#[test]
fn sequential_work_goes_through_all_files_and_ends() {
    let mut two = places(json!({ "pattern": "sequential", "file-size": 10_240, "files": 2 }));
    let expected = [(0, 0, 4096), (0, 4096, 4096), (0, 8192, 2048), (1, 0, 4096), (1, 4096, 4096), (1, 8192, 2048)];
    assert_eq!(all(&mut two), expected);
    two.rewind();
    assert_eq!(all(&mut two).len(), 6);
}

#[test]
fn strides_leave_out_what_they_say_and_repeats_begin_again() {
    let mut strided = places(json!({ "pattern": "sequential", "stride": 12_288 }));
    let offsets: Vec<u64> = all(&mut strided).iter().map(|(_, offset, _)| *offset).collect();
    assert_eq!(offsets.len(), 64);
    assert!(offsets.windows(2).all(|pair| pair[1] - pair[0] == 16_384));
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
fn zipf_and_pareto_are_as_uneven_as_they_say() {
    let zipf = visits(json!({ "pattern": "random", "distribution": "zipf", "skew": 1.0 }));
    let expected = 100_000.0 / (1..=256).map(|rank| 1.0 / f64::from(rank)).sum::<f64>();
    assert!((zipf[0] as f64 / expected - 1.0).abs() < 0.05, "{} of {expected}", zipf[0]);
    assert!((zipf[3] as f64 / expected - 0.25).abs() < 0.02, "{}", zipf[3]);
    let pareto = visits(json!({ "pattern": "random", "distribution": "pareto", "skew": 0.2 }));
    let hottest: usize = pareto.iter().take(51).sum();
    assert!(
        (hottest as f64 / 1e5 - 0.8).abs() < 0.02,
        "a fifth of the places has four fifths of the visits: {hottest}"
    );
}

#[test]
fn the_hottest_place_is_not_the_first() {
    let mut zipf = places(json!({ "pattern": "random", "distribution": "zipf" }));
    let first = all(&mut zipf).iter().filter(|(_, offset, _)| *offset == 0).count();
    assert!(first < 20_000, "{first}");
}

#[test]
fn ranges_bounds_and_files_hold() {
    let parameters = json!({ "pattern": "random", "block-size-max": 16_384, "files": 3, "bytes": 1 << 20 });
    let all = all(&mut places(parameters));
    assert!(all.iter().all(|(file, offset, length)| *file < 3 && offset + *length as u64 <= 1 << 20));
    let lengths: std::collections::BTreeSet<usize> = all.iter().map(|(_, _, length)| *length).collect();
    assert_eq!(lengths.into_iter().collect::<Vec<_>>(), [4096, 8192, 12_288, 16_384]);
    let bytes: usize = all.iter().map(|(_, _, length)| length).sum();
    assert!((1 << 20..(1 << 20) + 16_384).contains(&bytes));
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
