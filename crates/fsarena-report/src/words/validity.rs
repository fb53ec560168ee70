//! The classes of validity: what each means, how it is found, and what to do about it.

use fsarena_model::ValidityClass;

use super::Term;

/// What a class of validity means in general.
pub fn validity(class: ValidityClass) -> &'static str {
    match class {
        ValidityClass::Cached => "the device did not serve all of a cold or direct read",
        ValidityClass::NotDirect => "the kernel did direct I/O through the page cache",
        ValidityClass::DeviceBound => "all contenders sit at the device's own ceiling",
        ValidityClass::LaneBound => "the host beneath the lane takes more than a fifth of the time",
        ValidityClass::CpuBound => "the cores were full, not the device",
        ValidityClass::HarnessBound => "the harness itself takes most of the time",
        ValidityClass::Impossible => {
            "beyond what device or memory can do, or without the flushes that durability needs"
        }
        ValidityClass::Overloaded => "less was done than the rate asked for, so that a queue grew",
        ValidityClass::Unsteady => "later rounds contradict earlier ones",
        ValidityClass::DidNotFinish => "the work failed or ran out of time or space",
    }
}

/// The checks of every figure.
pub const VALIDITY: &[Term] = &[
    ("valid", "None of what follows was found. What could not be read was not checked."),
    (
        "cached",
        "The device carried fewer bytes than a cold or direct read asked for: memory served the rest. Take a larger file, or a memory limit.",
    ),
    (
        "not-direct",
        "Direct I/O was asked for, and the kernel did it through the page cache: pages were dirtied, or the file system names no alignment. On btrfs it becomes direct with nodatasum.",
    ),
    (
        "device-bound",
        "All contenders come near what the bare device does for the same requests without a file system, or all stand at one cap. A tie there says nothing about the file systems; a faster device would.",
    ),
    (
        "lane-bound",
        "The host's file system beneath the images, or the loop device, takes more than a fifth of the time. Put the lanes on a partition or on another host file system.",
    ),
    (
        "cpu-bound",
        "The processors were full and the device was not: what is compared is the code, and the number of cores decides. Fewer threads, or more cores, would show the rest.",
    ),
    (
        "harness-bound",
        "The same work in memory, where no file system of a contender has a part, takes more than half of the time: a difference between contenders comes out too small. What is started and called for each operation is the figure.",
    ),
    (
        "impossible",
        "More than the device or memory can do, or fewer flushes than the guaranteed durability needs. Never printed as a result, and not ranked.",
    ),
    (
        "overloaded",
        "Less was done than the offered rate asked for: the queue, and with it the latency, grew with the length of the run. Offer less.",
    ),
    ("unsteady", "Later rounds contradict earlier ones: no verdict. A calmer machine, or more rounds, may settle it."),
    ("did-not-finish", "The work failed, or ran out of time or space; the reason is next to it."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_that_a_comparison_can_name_is_explained() {
        let all = [
            ValidityClass::Cached,
            ValidityClass::NotDirect,
            ValidityClass::DeviceBound,
            ValidityClass::LaneBound,
            ValidityClass::CpuBound,
            ValidityClass::HarnessBound,
            ValidityClass::Impossible,
            ValidityClass::Overloaded,
            ValidityClass::Unsteady,
            ValidityClass::DidNotFinish,
        ];
        let explained: Vec<_> = VALIDITY.iter().skip(1).map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(explained, all.map(|class| class.to_string()));
    }
}
