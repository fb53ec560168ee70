//! The columns that iostat(1) prints for a device, under the same names.
//!
//! The formulas are those of `write_ext_stat` and `write_plain_ext_stat` of sysstat's iostat.c (12.x), over the timed
//! seconds of a trial instead of an interval. One thing differs: an average over no requests is absent here, where
//! iostat prints 0.

use std::collections::BTreeMap;

use fsarena_model::{Reading, Trial};

/// The prefix that distinguishes these figures from other probe readings.
pub const PREFIX: &str = "iostat.";

const KILOBYTE: f64 = 1024.0;
const MILLISECONDS: f64 = 1e3;
const PERCENT: f64 = 100.0;

/// The device counters of a trial, in requests, bytes and seconds.
struct Counted<'a>(&'a Trial);

impl Counted<'_> {
    fn per_second(&self, name: &str) -> Option<f64> {
        Some(self.0.probe(name)? / self.0.seconds())
    }

    fn per_request(&self, name: &str, requests: &str) -> Option<f64> {
        Some(self.0.probe(name)? / self.0.probe(requests)?)
    }
}

/// The columns that the kernel's counters give for a trial, each named [`PREFIX`] plus iostat's name. `rkB/s`, `wkB/s`
/// and request sizes are in units of 1024 bytes, `await` is in milliseconds, `%util` is a percentage.
pub fn columns(trial: &Trial) -> BTreeMap<String, Reading> {
    let device = Counted(trial);
    let rate = |name| device.per_second(name);
    let kilobytes = |name| rate(name).map(|bytes| bytes / KILOBYTE);
    let wait = |time, requests| device.per_request(time, requests).map(|seconds| seconds * MILLISECONDS);
    let size = |bytes, requests| device.per_request(bytes, requests).map(|bytes| bytes / KILOBYTE);
    let columns = [
        ("r/s", "1/s", rate("device.reads")),
        ("rkB/s", "kB/s", kilobytes("device.read")),
        ("rrqm/s", "1/s", rate("device.read-merges")),
        ("r_await", "ms", wait("device.reading", "device.reads")),
        ("rareq-sz", "kB", size("device.read", "device.reads")),
        ("w/s", "1/s", rate("device.writes")),
        ("wkB/s", "kB/s", kilobytes("device.written")),
        ("wrqm/s", "1/s", rate("device.write-merges")),
        ("w_await", "ms", wait("device.writing", "device.writes")),
        ("wareq-sz", "kB", size("device.written", "device.writes")),
        ("f/s", "1/s", rate("device.flushes")),
        ("f_await", "ms", wait("device.flushing", "device.flushes")),
        ("aqu-sz", "requests", rate("device.queue")),
        ("%util", "%", rate("device.busy").map(|share| share * PERCENT)),
    ];
    let reading = |(name, unit, value): (&str, &str, Option<f64>)| {
        let value = value.filter(|value| value.is_finite())?;
        Some((format!("{PREFIX}{name}"), Reading { value: Some(value), unit: unit.to_owned() }))
    };
    columns.into_iter().filter_map(reading).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_model::{Label, Nanos, Outcome, Slice};

    /// A trial of one slice of `seconds`, with these probe readings.
    fn trial(seconds: f64, probes: &[(&str, f64)]) -> Trial {
        let elapsed = Nanos((seconds * 1e9) as u64);
        let reading = |value| Reading { value: Some(value), unit: "x".to_owned() };
        Trial {
            slices: vec![Slice { position: 0, operations: 1000, bytes: 4 << 20, elapsed, value: 1.0 }],
            probes: probes.iter().map(|(name, value)| ((*name).to_owned(), reading(*value))).collect(),
            ..Trial::empty(1, "w", Label::from("ext4"), Outcome::Finished)
        }
    }

    #[test]
    fn the_columns_are_those_that_iostat_prints() {
        let trial = trial(
            2.0,
            &[
                ("device.reads", 300.0),
                ("device.read", 300.0 * 8192.0),
                ("device.read-merges", 20.0),
                ("device.reading", 0.6),
                ("device.writes", 100.0),
                ("device.written", 100.0 * 4096.0),
                ("device.write-merges", 0.0),
                ("device.writing", 0.05),
                ("device.flushes", 4.0),
                ("device.flushing", 0.01),
                ("device.queue", 5.0),
                ("device.busy", 1.5),
            ],
        );
        let columns = columns(&trial);
        let value = |name: &str| columns[&format!("iostat.{name}")].value.expect("known");
        let expected = [
            ("r/s", 150.0),
            ("rkB/s", 1200.0),
            ("rrqm/s", 10.0),
            ("r_await", 2.0),
            ("rareq-sz", 8.0),
            ("w/s", 50.0),
            ("wkB/s", 200.0),
            ("wrqm/s", 0.0),
            ("w_await", 0.5),
            ("wareq-sz", 4.0),
            ("f/s", 2.0),
            ("f_await", 2.5),
            ("aqu-sz", 2.5),
            ("%util", 75.0),
        ];
        for (name, figure) in expected {
            assert!((value(name) - figure).abs() < 1e-9, "{name}: {} is not {figure}", value(name));
        }
        assert_eq!(columns.len(), expected.len());
    }

    /// What iostat 12.6.1 printed (`iostat -dxy vda 2 1`), and what it had read from the device's `stat` before and
    /// after, as strace(1) showed it.
    #[test]
    fn figures_are_those_of_a_recorded_iostat() {
        let [before, after] = ["22557176  1092573 2766765714 17584617 69600516  3654434 14880047376 33578482        4  7513672 52357201  3491896       63 4429849800   681133 10264521   512967",
            "22576173  1092573 2767069666 17586868 69621984  3654434 14880356440 33580978        1  7515232 52362069  3491896       63 4429849800   681133 10266406   513088"]
            .map(fsarena_probe::device::values);
        let names = fsarena_probe::device::COUNTERS.iter().map(|counter| counter.name);
        let grown = after.iter().zip(&before).map(|(after, before)| after.expect("read") - before.expect("read"));
        let columns = columns(&trial(2.0, &names.zip(grown).collect::<Vec<_>>()));
        let heads = "r/s     rkB/s   rrqm/s  r_await rareq-sz     w/s     wkB/s   wrqm/s  w_await wareq-sz     f/s f_await  aqu-sz  %util";
        let printed = "9498.50  75988.00     0.00   0.12     8.00 10734.00  77266.00     0.00   0.12     7.20  942.50    0.06    2.43  78.00";
        for (head, printed) in heads.split_whitespace().zip(printed.split_whitespace()) {
            let ours = columns[&format!("iostat.{head}")].value.expect("known");
            assert_eq!(format!("{ours:.2}"), printed, "{head}");
        }
    }

    #[test]
    fn what_the_kernel_does_not_tell_is_absent() {
        let columns = columns(&trial(1.0, &[("device.reads", 0.0), ("device.reading", 0.0)]));
        assert_eq!(columns.keys().collect::<Vec<_>>(), ["iostat.r/s"]);
    }
}
