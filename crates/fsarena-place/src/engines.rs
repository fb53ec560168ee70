//! The engines of this binary.

use fsarena_engine::Engines;

/// All engines: the native ones, those of articles' tools, and those of external programs.
pub static ENGINES: Engines =
    Engines(&[fsarena_engine::ENGINES, fsarena_replicas::REPLICAS, fsarena_programs::PROGRAMS]);

#[cfg(test)]
mod tests {
    use fsarena_lane::kind::Ground;

    use super::*;

    #[test]
    fn every_engine_has_a_name_of_its_own() {
        let mut names: Vec<&str> = ENGINES.all().map(|engine| engine.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn every_kind_that_is_a_library_can_do_a_workload() {
        let workload = fsarena_catalog::workload("axvisor").expect("in the catalogue");
        for kind in fsarena_lane::KINDS.iter().filter(|kind| kind.ground == Ground::Library) {
            let engine = ENGINES.of(&workload).expect("it exists");
            assert!(engine.require_library(&workload, kind.name).is_ok(), "{}", kind.name);
        }
    }
}
