//! The sentence of each finding of the validity rules: what was seen, in figures, and what to do about it.

use fsarena_model::{Finding, Nanos};

use crate::number::value;
use crate::words;

/// The unit of the rates of open loops.
const PER_SECOND: &str = "operations/s";

/// What was seen in a cell.
pub fn sentence(finding: &Finding) -> String {
    match finding {
        Finding::NotFinished { rounds, of, first, why } => {
            format!("did not finish in {rounds} of {} (round {first}: {why})", words::rounds(*of))
        }
        Finding::NothingRead { round } => {
            format!("in round {round} the device read nothing: all that the workload needed was in memory")
        }
        Finding::LittleCarried { round, share, bytes } => format!(
            "in round {round} the device carried {} of the {bytes} that the workload asked for: the rest came from memory",
            percent(*share)
        ),
        Finding::LittleReadByServers { round, share, bytes } => format!(
            "in round {round} the disks of the servers read {} of the {bytes} that the workload asked for: the rest came \
             from the servers' memory",
            percent(*share)
        ),
        Finding::NoDevice => "direct I/O went to the page cache: the file system does not say how it is to be aligned \
             (statx(2)), and has no device; compare it without the workloads that are direct"
            .to_owned(),
        Finding::PartsOfUnits { block, unit } => format!(
            "direct writes of {block} go through the file system's own cache, since it writes directly only in \
             multiples of {unit}; smaller records (`recordsize` of OpenZFS) make them direct"
        ),
        Finding::BufferedWrites => {
            "direct writes go through the page cache in this directory: its files have checksums (btrfs since Linux 6.15) or \
             their data are journalled (ext4); files with `chattr +C` (btrfs) or without `chattr +j` (ext4) are \
             direct. OpenZFS before 2.3 has no direct I/O"
                .to_owned()
        }
        Finding::PagesDirtied { pages, bytes } => format!(
            "direct I/O went through the page cache: {pages} pages of 4 KiB were dirtied for {bytes}; `nodatasum` makes \
             btrfs direct (`--extra` adds that contender), `data=ordered` ext4"
        ),
        Finding::TooFewFlushes { syncs, flushes } => {
            format!("{syncs} syncs reached the device with {flushes} flushes: they cannot have been durable")
        }
        Finding::FasterThanMemory { rate, most } => {
            format!("{rate} per second, where this machine's processors can copy {most}")
        }
        Finding::FasterThanDevice { times } => {
            format!("{times:.1} times as fast as the same requests to the bare device, which carried them all")
        }
        Finding::OtherSize { round, operations, size, bytes } => {
            format!("round {round}: {operations} operations of {size} are not {bytes}")
        }
        Finding::HostBelowLane { share, each, with_device, has_file_system } => {
            below_lane(*share, *each, *with_device, *has_file_system)
        }
        Finding::DeviceLimit { share } => format!(
            "{} of what the bare device does with the same requests: a tie here says nothing about the file systems; take \
             more requests at a time, or a faster device (a round number may be the rate limit of a volume)",
            percent(*share)
        ),
        Finding::ProcessorsBusy { busy, of } => format!(
            "this run and the kernel's threads kept {busy:.1} of {of} processors busy: the figure is about processors, not \
             about storage; take fewer threads, or data beyond the cache"
        ),
        Finding::MostlyHarness { memory, starts, each, is_score } => format!(
            "{}: the figure is mostly about the harness, system calls and the kernel's caches",
            harness(*memory, *starts, *each, *is_score)
        ),
        Finding::FewSteps { step, share } => format!(
            "the program counts its time in steps of {step}, {} of what it measured: differences below that cannot be \
             seen; let the work take longer",
            percent(*share)
        ),
        Finding::SlowClient { client, share, rounds, of } => format!(
            "{client} did {} of what the others did, in {rounds} of {}: the sum is not that of equal clients; see what else \
             runs there, or leave it out",
            percent(*share),
            words::rounds(*of)
        ),
        Finding::StartsApart { slices, of, worst } => format!(
            "in {slices} of {of} slices the clients did not start within 1 % of the slice (the worst: {:.1} ms); these do \
             not count; the clients' processors are probably busy",
            worst * 1e3
        ),
        Finding::LinkLimit { share, mbit } => format!(
            "each client moved {} of what its network link of {mbit:.0} Mbit/s can: the figure is about the network, not \
             about the file service",
            percent(*share)
        ),
        Finding::BehindItsRate { offered, done } => format!(
            "offered {}/s, done {}/s: does not keep up; its latency grows with the length of the run",
            value(*offered, PER_SECOND),
            value(*done, PER_SECOND)
        ),
    }
}

fn below_lane(share: f64, each: Nanos, with_device: Option<Nanos>, has_file_system: bool) -> String {
    let host = match has_file_system {
        true => "the host's file system and the loop device take",
        false => "the loop device on the disk takes",
    };
    let cost = match with_device {
        Some(both) => format!("{host} {each} of each write and flush ({both} with the device)"),
        None => format!(
            "a write and flush on the bare lane takes {each} (how much of it a device beneath takes could not be read)"
        ),
    };
    let advice = if has_file_system { "; use a partition or another host file system" } else { "" };
    format!("{cost}, about {} of the time{advice}", percent(share))
}

fn harness(memory: Option<f64>, starts: Option<f64>, each: Nanos, is_score: bool) -> String {
    let of_starts = |share: f64| format!("starting programs that do nothing takes {}", percent(share));
    match (memory.map(percent), starts.map(of_starts)) {
        (Some(memory), None) if is_score => format!("the figure is {memory} of what the same work gives in memory"),
        (Some(memory), None) => format!("the same work in memory takes {memory} of its {each} per operation"),
        (Some(memory), Some(starts)) => {
            format!("the same work in memory takes {memory} of its {each} per operation; {starts} of it")
        }
        (None, starts) => format!("{} of its {each} per operation", starts.unwrap_or_default()),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
