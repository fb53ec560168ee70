//! Checks that contents differ, repeat, compress and are recognised as their recipe demands.

use std::collections::BTreeSet;

use super::*;

fn recipe() -> Recipe {
    Recipe { smallest: 4096, checkable: true, ..Recipe::random(1, 1 << 20) }
}

fn units(contents: &mut Contents, count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|number| contents.piece(4096, (0, number as u64 * 4096)).to_vec()).collect()
}

#[test]
fn neighbours_differ_and_the_seed_decides() {
    let (mut one, mut other) = (Contents::new(recipe(), 0), Contents::new(recipe(), 0));
    let first = one.piece(1024, (0, 0)).to_vec();
    assert_eq!(first, other.piece(1024, (0, 0)));
    assert_ne!(first, one.piece(1024, (0, 0)));
    assert_ne!(first, Contents::new(recipe(), 1).piece(1024, (0, 0)), "another worker's");
    let filled = Contents::new(recipe(), 0);
    for worker in [0, 1] {
        let (mut copied, mut new) = (filled.of_worker(worker), Contents::new(recipe(), worker));
        assert_eq!(copied.piece(1024, (0, 0)), new.piece(1024, (0, 0)));
    }
    let blocks: BTreeSet<Vec<u8>> = units(&mut one, 4096).into_iter().collect();
    assert_eq!(blocks.len(), 4096, "no block occurs twice, sixteen times around the pool");
    assert_eq!(one.piece(1 << 20, (0, 0)).as_ptr() as usize % 4096, 0);
}

#[test]
fn the_stated_share_is_duplicated() {
    let mut contents = Contents::new(Recipe { duplicated_percent: 30, checkable: false, ..recipe() }, 0);
    let count = 240 * LAID_OUT / UNIT;
    let beginnings = (0..count).map(|number| contents.piece(4096, (0, number as u64 * 4096))[..32].to_vec());
    let different: BTreeSet<Vec<u8>> = beginnings.collect();
    let share = 1.0 - different.len() as f64 / count as f64;
    assert!((0.27..0.3).contains(&share), "{share}");
}

#[test]
fn the_stated_share_is_compressible() {
    for (percent, expected) in [(0, 0), (50, 2048), (100, 4096)] {
        let mut contents = Contents::new(Recipe { compressible_percent: percent, ..recipe() }, 0);
        let piece = contents.piece(8192, (0, 0));
        let same = piece[4096..].windows(32).filter(|window| window[..16] == window[16..]).count();
        assert!(same.abs_diff(expected) < 64, "{percent} %: {same} bytes repeat");
    }
}

#[test]
fn written_content_is_recognised_and_other_content_is_reported() {
    for duplicated_percent in [0, 50] {
        let recipe = Recipe { duplicated_percent, ..recipe() };
        let mut writer = Contents::new(recipe, 3);
        let reader = Contents::new(recipe, 0);
        let mut piece = writer.piece(16_384, (2, 40_960)).to_vec();
        assert_eq!(reader.check(&piece, (2, 40_960)), Ok(()));
        if duplicated_percent == 0 {
            assert_eq!(reader.check(&piece, (2, 45_056)), Err((0, Mismatch::Place)));
            assert_eq!(reader.check(&piece, (1, 40_960)), Err((0, Mismatch::Place)));
        }
        piece[4096 + 4000] ^= 1;
        assert_eq!(reader.check(&piece, (2, 40_960)), Err((4096, Mismatch::Content)));
    }
    let zeros = vec![0; 4096];
    assert!(Contents::new(recipe(), 0).check(&zeros, (0, 0)).is_err(), "what was never written");
}
