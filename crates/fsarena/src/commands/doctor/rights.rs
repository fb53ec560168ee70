//! The rights of this user.

use fsarena_lane::{LaneError, loops, require};
use fsarena_model::Explained;
use fsarena_sys::{loopdev, namespace};
use rustix::thread::{CapabilitySet, capabilities};

use super::page::{DoctorLine, Topic};

pub fn section() -> Topic {
    let lines = match rustix::process::geteuid().is_root() {
        true => {
            vec![DoctorLine::ok("root", "yes"), administration(), loop_devices(), mount_namespace(), memory_limits()]
        }
        false => vec![
            DoctorLine::no("root", "no: loop devices, mkfs and mounts need it").hint("sudo fsarena …"),
            DoctorLine::ok("without root", "existing directories can be compared: fsarena compare dir:/one dir:/other")
                .and("and so can be used: list, doctor, runs, report, compare --dry-run"),
        ],
    };
    Topic { title: "Rights", lines }
}

/// CAP_SYS_ADMIN is the capability for mounts, namespaces and loop devices; see capabilities(7).
fn administration() -> DoctorLine {
    let subject = "CAP_SYS_ADMIN";
    match capabilities(None) {
        Ok(sets) if sets.effective.contains(CapabilitySet::SYS_ADMIN) => DoctorLine::ok(subject, "yes: may mount"),
        Ok(_) => DoctorLine::no(subject, "root without the right to mount, as in most containers")
            .hint("docker run --privileged, or compare directories: fsarena compare dir:/one dir:/other"),
        Err(errno) => DoctorLine::note(subject, format!("could not be read: {errno}")),
    }
}

fn loop_devices() -> DoctorLine {
    let subject = "loop devices";
    match loops::require() {
        Ok(()) if loopdev::control_path().exists() => DoctorLine::ok(subject, "can be made"),
        Ok(()) => DoctorLine::ok(subject, "can be made; /dev does not show them, and a run looks elsewhere"),
        Err(LaneError::NoLoops { why, hint }) => DoctorLine::no(subject, why).hint(hint),
        Err(error) => DoctorLine::no(subject, error.to_string()).explained(error.hint()),
    }
}

/// Tests the mount namespace in a thread of its own, because the kernel moves only the calling thread.
fn mount_namespace() -> DoctorLine {
    let subject = "mount namespace";
    match std::thread::spawn(namespace::enter_private_mounts).join() {
        Ok(Ok(())) => DoctorLine::ok(subject, "possible: the mounts of a run vanish with it, even when it is killed"),
        Ok(Err(errno)) => {
            DoctorLine::no(subject, format!("{errno}")).hint("a container has to allow it: docker run --privileged")
        }
        Err(_) => DoctorLine::note(subject, "could not be tried"),
    }
}

/// Memory limits. Only a few workloads need them, so that their absence is just a note.
fn memory_limits() -> DoctorLine {
    let subject = "memory limits";
    match require::memory_limit(require::SMALLEST_MEMORY_LIMIT) {
        Ok(()) => DoctorLine::ok(subject, "possible, by a control group"),
        Err(error) => DoctorLine::note(subject, error.to_string()).explained(error.hint()),
    }
}
