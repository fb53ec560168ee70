//! Checks that contents differ, repeat and compress as their recipe demands.

use std::collections::BTreeSet;

use super::*;

fn recipe() -> Recipe {
    Recipe::random(1, 1 << 20)
}

fn units(contents: &mut Contents, count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|_| contents.piece(4096).to_vec()).collect()
}

#[test]
fn neighbours_differ_and_the_seed_decides() {
    let (mut one, mut other) = (Contents::new(recipe(), 0), Contents::new(recipe(), 0));
    let first = one.piece(1024).to_vec();
    assert_eq!(first, other.piece(1024));
    assert_ne!(first, one.piece(1024));
    assert_ne!(first, Contents::new(recipe(), 1).piece(1024), "another worker's");
    let filled = Contents::new(recipe(), 0);
    for worker in [0, 1] {
        let (mut copied, mut new) = (filled.of_worker(worker), Contents::new(recipe(), worker));
        assert_eq!(copied.piece(1024), new.piece(1024));
    }
    let blocks: BTreeSet<Vec<u8>> = units(&mut one, 4096).into_iter().collect();
    assert_eq!(blocks.len(), 4096, "no block occurs twice, sixteen times around the pool");
    assert_eq!(one.piece(1 << 20).as_ptr() as usize % 4096, 0);
}

#[test]
fn the_stated_share_is_compressible() {
    for (percent, expected) in [(0, 0), (50, 2048), (100, 4096)] {
        let mut contents = Contents::new(Recipe { compressible_percent: percent, ..recipe() }, 0);
        let piece = contents.piece(8192);
        let same = piece[4096..].windows(32).filter(|window| window[..16] == window[16..]).count();
        assert!(same.abs_diff(expected) < 64, "{percent} %: {same} bytes repeat");
    }
}
