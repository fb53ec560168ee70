//! Programs of somebody else that start further ones: nothing of them outlives a run.

use std::sync::OnceLock;

use fsarena_sys::child::{self, Patience};

/// What a command begins with so that all its processes end with it. They survive it when it is killed, and would keep the file
/// system busy; in a process namespace of their own (unshare(1)) they do not. Where there is none to be had, such as for an
/// ordinary user, they run to their end. Measured: it takes 1 ms.
pub fn words() -> &'static [&'static str] {
    const CAGE: &[&str] = &["unshare", "--pid", "--fork", "--kill-child"];
    static WORKS: OnceLock<bool> = OnceLock::new();
    let works = WORKS.get_or_init(|| {
        let argv: Vec<&str> = CAGE.iter().copied().chain(["true"]).collect();
        child::run(&argv, Patience::query()).is_ok_and(|ended| ended.status.success())
    });
    if *works { CAGE } else { &[] }
}
