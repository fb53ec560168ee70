//! Tests of programs that are not installed.

use std::path::Path;

use fsarena_engine::{Abilities, Engine, EngineError, Job, Need, Programs};
use fsarena_model::{ErrorCategory, Explained, Traits, Workload};

use super::place::pgbench;

/// An engine that needs a program that does not exist.
struct Lacking;

impl Engine for Lacking {
    fn name(&self) -> &'static str {
        "lacking"
    }

    fn traits(&self, _workload: &Workload) -> Result<Traits, EngineError> {
        Ok(Traits::default())
    }

    fn open(&self, workload: &Workload, _directory: &Path, _seed: u64) -> Result<Box<dyn Job>, EngineError> {
        Err(EngineError::parameters(&workload.name, "it is not opened"))
    }

    fn abilities(&self) -> Abilities {
        let programs = |_: &Workload| Programs {
            needs: vec![Need::new("sh", "dash"), Need::new("no-such-server", "no-such-package")],
            settings: Vec::new(),
        };
        Abilities { programs: Some(programs), ..Abilities::default() }
    }
}

#[test]
fn its_package_is_named_and_the_error_is_one_of_the_machine() {
    let refused = (&Lacking as &dyn Engine).require(&pgbench(1)).expect_err("it is not there");
    let text = refused.to_string();
    assert!(text.contains("phoronix-pgbench") && text.contains("no-such-server"), "{text}");
    let hint = refused.hint().expect("there is help");
    assert!(hint.starts_with("apt-get install no-such-package; `make apps`"), "{hint}");
    assert_eq!(refused.category(), ErrorCategory::Machine);
}
