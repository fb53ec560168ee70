//! Notes about the machine and its storage, independent of the workloads' results.

use fsarena_lane::{age, flush, reread};
use fsarena_model::event::Note;
use fsarena_model::{DebianRelease, Environment, Plan, Severity};

use crate::precondition;

pub fn notes(environment: &Environment, plan: &Plan) -> Vec<Note> {
    let (note, lanes) = (|severity| move |text| Note { severity, text }, &environment.lanes);
    let old = environment.kernel.iter().flat_map(|kernel| age::old_makers(&environment.tools, kernel));
    let old = old.map(|text| text + &newer_makers(plan)).map(note(Severity::Warning));
    let done = lanes.preconditioned.iter().map(|done| precondition::note(done, &plan.lanes.storage));
    let free = free_flushes(environment).map(note(Severity::Warning));
    // Of lanes in memory another note already says that their flushes are free.
    let unproven = flush::unproven(&lanes.flushes, plan.lanes.medium).filter(|_| !lies_in_memory(environment));
    let cached = lanes.repeated_reads.as_ref().and_then(reread::cached_below);
    free.into_iter()
        .chain(old)
        .chain(done)
        .chain(unproven.into_iter().chain(cached).map(note(Severity::Info)))
        .collect()
}

/// The note that flushes do nothing in memory, so that durable work is faster there than on a disk.
fn free_flushes(environment: &Environment) -> Option<String> {
    let cost = environment.lanes.cost.as_ref().filter(|_| lies_in_memory(environment))?;
    Some(format!(
        "these lanes lie in memory, where a flush does nothing (a write and flush takes {}): what the workloads with \
         fsync and syncfs show here does not carry over to a disk",
        cost.back_to_back
    ))
}

fn lies_in_memory(environment: &Environment) -> bool {
    environment.lanes.host_file_system.as_ref().is_some_and(|host| host.starts_with("tmpfs"))
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
    use fsarena_model::{Bytes, FlushAfter, LaneFacts, LanePlan, Nanos, RepeatedReads};

    use super::*;

    fn texts(lanes: LaneFacts) -> Vec<String> {
        let environment = Environment { lanes, ..Environment::default() };
        notes(&environment, &Plan::of(Vec::new())).into_iter().map(|note| note.text).collect()
    }

    #[test]
    fn readings_have_notes_unless_they_are_absent_or_flushes_are_free() {
        assert!(texts(LaneFacts::default()).is_empty());
        let flushes = [Bytes::kib(4), Bytes::mib(64)].map(|written| FlushAfter { written, flush: Nanos(12_000) });
        let repeated_reads = Some(RepeatedReads { fresh: 1e8, repeated: 3e8 });
        let on_disk = LaneFacts { flushes: flushes.to_vec(), repeated_reads, ..LaneFacts::default() };
        let found = texts(on_disk.clone());
        assert!(found.len() == 2 && found[0].contains("unproven") && found[0].contains("12.0 µs"), "{found:?}");
        assert!(found[1].starts_with("cached below the device"), "{found:?}");
        let in_memory = LaneFacts { host_file_system: Some("tmpfs (rw)".to_owned()), ..on_disk };
        assert_eq!(texts(in_memory), found[1..]);
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
}
