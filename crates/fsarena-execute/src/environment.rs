//! Notes about the machine and its storage, independent of the workloads' results.

use fsarena_lane::{age, flush, reread};
use fsarena_model::event::Note;
use fsarena_model::{DebianRelease, Environment, Medium, Plan, Severity};

use crate::precondition;

/// Notes about this machine and the lanes of a plan.
pub fn notes(environment: &Environment, plan: &Plan) -> Vec<Note> {
    let (note, storage) = (|severity| move |text| Note { severity, text }, &plan.lanes.storage);
    let found = unproven_flushes(environment, plan.lanes.medium).into_iter().chain(cached_below(environment));
    let old = old_makers(environment, plan).into_iter().map(note(Severity::Warning));
    let done = environment.lanes.preconditioned.iter().map(|done| precondition::note(done, storage));
    old.chain(done).chain(found.map(note(Severity::Info))).collect()
}

/// Whether the lanes' images lie in memory.
pub fn lies_in_memory(environment: &Environment) -> bool {
    environment.lanes.host_file_system.as_ref().is_some_and(|host| host.starts_with("tmpfs"))
}

/// Not for lanes in memory: another note already says that their flushes are free.
fn unproven_flushes(environment: &Environment, medium: Medium) -> Option<String> {
    if lies_in_memory(environment) { None } else { flush::unproven(&environment.lanes.flushes, medium) }
}

fn cached_below(environment: &Environment) -> Option<String> {
    reread::cached_below(environment.lanes.repeated_reads.as_ref()?)
}

fn old_makers(environment: &Environment, plan: &Plan) -> Vec<String> {
    let Some(kernel) = &environment.kernel else { return Vec::new() };
    age::old_makers(&environment.tools, kernel, &newer_makers(plan))
}

/// The option that names newer programs than those of the plan, as the end of a warning; empty: there is none.
fn newer_makers(plan: &Plan) -> String {
    let (option, release) = match &plan.guest {
        Some(guest) => ("--guest-release", &guest.release),
        None => ("--tools", &plan.lanes.tools),
    };
    let newest = DebianRelease::default();
    let is_newest = release.as_ref() == Some(&newest);
    if is_newest { String::new() } else { format!("; hint: {option} {newest} takes those of Debian {newest}") }
}

#[cfg(test)]
mod tests {
    use fsarena_model::{Bytes, FlushAfter, LaneFacts, LanePlan, Nanos, Preconditioned, RepeatedReads};

    use super::*;

    fn with(lanes: LaneFacts) -> Environment {
        Environment { lanes, ..Environment::default() }
    }

    fn quick() -> LaneFacts {
        let flushes = [Bytes::kib(4), Bytes::mib(64)].map(|written| FlushAfter { written, flush: Nanos(12_000) });
        LaneFacts { flushes: flushes.to_vec(), ..LaneFacts::default() }
    }

    fn texts(environment: &Environment) -> Vec<String> {
        notes(environment, &Plan::of(Vec::new())).into_iter().map(|note| note.text).collect()
    }

    #[test]
    fn absent_readings_have_no_note() {
        assert!(texts(&Environment::default()).is_empty());
    }

    #[test]
    fn a_flush_without_effect_has_a_note_unless_flushes_are_free() {
        let on_disk = texts(&with(quick()));
        assert!(on_disk.len() == 1 && on_disk[0].contains("unproven") && on_disk[0].contains("12.0 µs"), "{on_disk:?}");
        let in_memory = LaneFacts { host_file_system: Some("tmpfs (rw)".to_owned()), ..quick() };
        assert!(texts(&with(in_memory)).is_empty());
    }

    #[test]
    fn a_cache_below_the_device_is_named() {
        let texts_at = |repeated| {
            let repeated_reads = Some(RepeatedReads { fresh: 1e8, repeated });
            texts(&with(LaneFacts { repeated_reads, ..LaneFacts::default() }))
        };
        let cached = texts_at(3e8);
        assert!(cached.len() == 1 && cached[0].starts_with("cached below the device"), "{cached:?}");
        assert!(texts_at(1.2e8).is_empty());
    }

    #[test]
    fn an_old_mkfs_is_a_warning() {
        let tools = [("mkfs.xfs".to_owned(), "mkfs.xfs version 5.10.0".to_owned())].into();
        let old = Environment { kernel: Some("6.18.44".to_owned()), tools, ..Environment::default() };
        let made_by = |tools: Option<&str>| {
            let plan = Plan::of(Vec::new());
            let tools = tools.map(|release| release.parse().expect("a release"));
            let notes = notes(&old, &Plan { lanes: LanePlan { tools, ..plan.lanes.clone() }, ..plan });
            assert!(notes.len() == 1 && notes[0].severity == Severity::Warning, "{notes:?}");
            notes[0].text.clone()
        };
        let (own, newest) = (made_by(None), made_by(Some("trixie")));
        assert!(own.starts_with("mkfs.xfs 5.10 is about 5 years older than the kernel 6.18"), "{own}");
        assert!(own.ends_with("; hint: --tools trixie takes those of Debian trixie"), "{own}");
        assert!(made_by(Some("bookworm")).ends_with("; hint: --tools trixie takes those of Debian trixie"));
        assert!(newest.ends_with("what a current one makes"), "there is no way out: {newest}");
    }

    #[test]
    fn preconditioning_has_a_note() {
        let done = Preconditioned { writes_per_second: vec![100.0; 5], is_steady: true };
        let text = texts(&with(LaneFacts { preconditioned: Some(done), ..LaneFacts::default() }));
        assert!(text.len() == 1 && text[0].contains("5 rounds") && text[0].contains("steady state"), "{text:?}");
    }
}
