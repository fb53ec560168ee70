//! Background load: processors and disk at rest.

use fsarena_model::{Bytes, Nanos, Probe, probe};
use fsarena_probe::{Target, rates_at_rest};
use fsarena_sys::clock;

use super::page::{DoctorLine, Topic};

const REST: Nanos = clock::look(Nanos::seconds(1));

/// Maximum load of other programs on a quiet machine, in cores.
const QUIET_CORES: f64 = 0.2;

/// Maximum steal time on a quiet machine, as a share of one core.
const QUIET_STEAL: f64 = 0.02;

/// Maximum disk traffic of other programs on a quiet machine, in bytes per second.
const QUIET_WRITES: f64 = 1e6;

/// Observes the machine, and `disk` if given, for a second.
pub fn section(disk: Option<&str>) -> Topic {
    let target = Target { device: disk.map(str::to_owned), ..Target::default() };
    let rates = rates_at_rest(&target, REST);
    let rate = |probe: Probe| rates.get(&probe.key()).copied();
    let mut lines = vec![cores(rate(probe::CPU_MACHINE), rate(probe::CPU_PROCESS)), steal(rate(probe::CPU_STEAL))];
    lines.extend(disk.map(|name| writes(name, rate(probe::DEVICE_WRITTEN), rate(probe::DEVICE_READ))));
    Topic { title: "Noise, watched for a second at rest", lines }
}

fn unread(subject: &str) -> DoctorLine {
    DoctorLine::note(subject, "could not be read: whether it is quiet is not known")
}

fn cores(machine: Option<f64>, own: Option<f64>) -> DoctorLine {
    let subject = "other programs";
    let Some((machine, own)) = machine.zip(own) else { return unread(subject) };
    let busy = (machine - own).max(0.0);
    match busy < QUIET_CORES {
        true => DoctorLine::ok(subject, format!("quiet: {busy:.2} cores busy")),
        false => DoctorLine::note(subject, format!("busy: {busy:.2} cores busy with other programs"))
            .and("a verdict compares neighbouring slices, so it stays correct but needs more rounds; whole runs suffer most")
            .hint("`top` shows who it is; stop it, or give more time with --budget"),
    }
}

fn steal(share: Option<f64>) -> DoctorLine {
    let subject = "steal";
    match share {
        None => unread(subject),
        Some(share) if share < QUIET_STEAL => {
            DoctorLine::ok(subject, format!("none worth a word: the hypervisor reports {share:.2} cores taken"))
        }
        Some(share) => DoctorLine::note(subject, format!("the hypervisor takes {share:.2} cores away"))
            .and("times of CPU-bound work vary with what other guests do")
            .hint("more rounds: --budget 10m, or another hour of the day"),
    }
}

fn writes(disk: &str, written: Option<f64>, read: Option<f64>) -> DoctorLine {
    let subject = format!("disk {disk}");
    let Some((written, read)) = written.zip(read) else { return unread(&subject) };
    let words = format!("{}/s written, {}/s read by others", Bytes(written as u64), Bytes(read as u64));
    match written + read < QUIET_WRITES {
        true => DoctorLine::ok(subject, format!("quiet: {words}")),
        false => DoctorLine::note(subject, format!("busy: {words}"))
            .and("flushes wait for other writers: durable workloads get slower and vary more")
            .hint("stop them, or give the lanes another disk with --storage"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_values_have_a_note() {
        for line in [cores(None, Some(0.1)), steal(None), writes("sda", None, Some(0.0))] {
            assert!(format!("{line:?}").contains("could not be read"));
        }
    }

    #[test]
    fn a_fifth_of_a_core_is_busy() {
        assert!(format!("{:?}", cores(Some(0.15), Some(0.01))).contains("quiet"));
        assert!(format!("{:?}", cores(Some(0.25), Some(0.01))).contains("busy:"));
    }
}
