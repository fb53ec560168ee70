//! Tests of programs that are not installed.

use fsarena_engine::{Engine, EngineError, Need, Programs};
use fsarena_model::{ErrorCategory, Explained, Traits, Workload};

use super::place::pgbench;

/// An engine that needs a program that does not exist.
const LACKING: Engine = {
    let programs = |_: &Workload| Programs {
        needs: vec![Need::new("sh", "dash"), Need::new("no-such-server", "no-such-package")],
        settings: Vec::new(),
    };
    let open = |workload: &Workload, _: &_, _| Err(EngineError::parameters(&workload.name, "it is not opened"));
    Engine { programs: Some(programs), ..Engine::new("lacking", |_| Ok(Traits::default()), open) }
};

#[test]
fn its_package_is_named_and_the_error_is_one_of_the_machine() {
    let refused = LACKING.require(&pgbench(1)).expect_err("it is not there");
    let text = refused.to_string();
    assert!(text.contains("phoronix-pgbench") && text.contains("no-such-server"), "{text}");
    let hint = refused.hint().expect("there is help");
    assert!(hint.starts_with("apt-get install no-such-package; `make apps`"), "{hint}");
    assert_eq!(refused.category(), ErrorCategory::Machine);
}
