//! Tests of programs that are not installed.

use std::path::Path;

use fsarena_engine::{Engine, EngineError, Job, Need};
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

    fn needs(&self, _workload: &Workload) -> Vec<Need> {
        vec![Need::new("sh", "dash"), Need::new("no-such-server", "no-such-package")]
    }

    fn open(&self, workload: &Workload, _directory: &Path, _seed: u64) -> Result<Box<dyn Job>, EngineError> {
        Err(EngineError::parameters(&workload.name, "nobody opens it"))
    }
}

#[test]
fn its_package_is_named_and_the_machine_is_blamed() {
    let refused = Lacking.require(&pgbench(1)).expect_err("it is not there");
    let text = refused.to_string();
    assert!(text.contains("phoronix-pgbench") && text.contains("no-such-server"), "{text}");
    let hint = refused.hint().expect("there is help");
    assert!(hint.starts_with("apt-get install no-such-package; `make apps`"), "{hint}");
    assert_eq!(refused.category(), ErrorCategory::Machine);
}
