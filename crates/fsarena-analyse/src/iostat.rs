//! The columns that iostat(1) prints for a device, under the same names.
//!
//! The formulas are those of `write_ext_stat` and `write_plain_ext_stat` of sysstat's iostat.c (12.x), over the timed
//! seconds of a trial instead of an interval. One thing differs: an average over no requests is absent here, where
//! iostat prints 0.

use fsarena_model::{Probe, Readings, Trial, probe};

const KILOBYTE: f64 = 1024.0;
const MILLISECONDS: f64 = 1e3;
const PERCENT: f64 = 100.0;

/// The columns that the kernel's counters give for a trial, each named `iostat.` plus iostat's name. `rkB/s`, `wkB/s`
/// and request sizes are in units of 1024 bytes, `await` is in milliseconds, `%util` is a percentage.
pub fn columns(trial: &Trial) -> Readings {
    let rate = |probe| Some(trial.probe(probe)? / trial.seconds());
    let per_request = |amount, requests| Some(trial.probe(amount)? / trial.probe(requests)?);
    let kilobytes = |probe| rate(probe).map(|bytes| bytes / KILOBYTE);
    let wait = |time, requests| per_request(time, requests).map(|seconds| seconds * MILLISECONDS);
    let size = |bytes, requests| per_request(bytes, requests).map(|bytes| bytes / KILOBYTE);
    let columns = [
        (probe::IOSTAT_READS, rate(probe::DEVICE_READS)),
        (probe::IOSTAT_READ, kilobytes(probe::DEVICE_READ)),
        (probe::IOSTAT_READ_MERGES, rate(probe::DEVICE_READ_MERGES)),
        (probe::IOSTAT_READ_WAIT, wait(probe::DEVICE_READING, probe::DEVICE_READS)),
        (probe::IOSTAT_READ_SIZE, size(probe::DEVICE_READ, probe::DEVICE_READS)),
        (probe::IOSTAT_WRITES, rate(probe::DEVICE_WRITES)),
        (probe::IOSTAT_WRITTEN, kilobytes(probe::DEVICE_WRITTEN)),
        (probe::IOSTAT_WRITE_MERGES, rate(probe::DEVICE_WRITE_MERGES)),
        (probe::IOSTAT_WRITE_WAIT, wait(probe::DEVICE_WRITING, probe::DEVICE_WRITES)),
        (probe::IOSTAT_WRITE_SIZE, size(probe::DEVICE_WRITTEN, probe::DEVICE_WRITES)),
        (probe::IOSTAT_FLUSHES, rate(probe::DEVICE_FLUSHES)),
        (probe::IOSTAT_FLUSH_WAIT, wait(probe::DEVICE_FLUSHING, probe::DEVICE_FLUSHES)),
        (probe::IOSTAT_QUEUE, rate(probe::DEVICE_QUEUE)),
        (probe::IOSTAT_BUSY, rate(probe::DEVICE_BUSY).map(|share| share * PERCENT)),
    ];
    let finite = |(probe, value): (Probe, Option<f64>)| Some(probe.reading(value.filter(|value| value.is_finite())?));
    columns.into_iter().filter_map(finite).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_model::{Label, Nanos, Outcome, Slice};

    /// A trial of one slice of `seconds`, with these probe readings.
    fn trial(seconds: f64, probes: &[(Probe, f64)]) -> Trial {
        let elapsed = Nanos((seconds * 1e9) as u64);
        Trial {
            slices: vec![Slice { position: 0, operations: 1000, bytes: 4 << 20, elapsed, value: 1.0 }],
            probes: probes.iter().map(|(probe, value)| probe.reading(*value)).collect(),
            ..Trial::empty(1, "w", Label::from("ext4"), Outcome::Finished)
        }
    }

    /// What iostat 12.6.1 printed (`iostat -dxy vda 2 1`), and what it had read from the device's `stat` before and
    /// after, as strace(1) showed it.
    #[test]
    fn figures_are_those_of_a_recorded_iostat() {
        let [before, after] = ["22557176  1092573 2766765714 17584617 69600516  3654434 14880047376 33578482        4  7513672 52357201  3491896       63 4429849800   681133 10264521   512967",
            "22576173  1092573 2767069666 17586868 69621984  3654434 14880356440 33580978        1  7515232 52362069  3491896       63 4429849800   681133 10266406   513088"]
            .map(fsarena_probe::device::counters);
        let grown = after
            .iter()
            .zip(&before)
            .map(|((counter, after), (_, before))| (*counter, after.expect("read") - before.expect("read")));
        let columns = columns(&trial(2.0, &grown.collect::<Vec<_>>()));
        let heads = "r/s     rkB/s   rrqm/s  r_await rareq-sz     w/s     wkB/s   wrqm/s  w_await wareq-sz     f/s f_await  aqu-sz  %util";
        let printed = "9498.50  75988.00     0.00   0.12     8.00 10734.00  77266.00     0.00   0.12     7.20  942.50    0.06    2.43  78.00";
        assert_eq!(columns.len(), heads.split_whitespace().count());
        for (head, printed) in heads.split_whitespace().zip(printed.split_whitespace()) {
            let column = columns.iter().find(|(id, _)| id.reported_by("iostat") == Some(head));
            let ours = column.and_then(|(_, reading)| reading.value).expect("known");
            assert_eq!(format!("{ours:.2}"), printed, "{head}");
        }
    }

    #[test]
    fn columns_without_counters_are_absent() {
        let columns = columns(&trial(1.0, &[(probe::DEVICE_READS, 0.0), (probe::DEVICE_READING, 0.0)]));
        assert_eq!(columns.into_keys().collect::<Vec<_>>(), [probe::IOSTAT_READS.key()]);
    }
}
